// A React renderer that draws nothing, for a library whose core is its hook. Components render null, so only the work of React for running
// them remains. Every update is urgent, so that it ends within the task and never waits for React's scheduler, whose timers are not virtual.

import { createContext, type ReactNode } from 'react';
import createReconciler from 'react-reconciler';
import { ConcurrentRoot, DiscreteEventPriority, NoEventPriority } from 'react-reconciler/constants.js';

const nothing = (): void => undefined;
const none = (): null => null;
const no = (): false => false;

/** The part of a host config that React uses without any elements. */
const host = {
  rendererPackageName: 'bench-blank',
  rendererVersion: '0',
  extraDevToolsConfig: null,
  supportsMutation: true,
  supportsPersistence: false,
  supportsHydration: false,
  isPrimaryRenderer: true,
  supportsMicrotasks: true,
  scheduleMicrotask: queueMicrotask,
  scheduleTimeout: setTimeout,
  cancelTimeout: clearTimeout,
  noTimeout: -1,
  NotPendingTransition: null,
  HostTransitionContext: createContext(null),
  getRootHostContext: none,
  getChildHostContext: none,
  prepareForCommit: none,
  resetAfterCommit: nothing,
  clearContainer: nothing,
  preparePortalMount: nothing,
  getCurrentUpdatePriority: () => NoEventPriority,
  setCurrentUpdatePriority: nothing,
  resolveUpdatePriority: () => DiscreteEventPriority,
  resolveEventType: none,
  resolveEventTimeStamp: () => 0,
  trackSchedulerEvent: nothing,
  shouldAttemptEagerTransition: no,
  requestPostPaintCallback: nothing,
  maySuspendCommit: no,
  startSuspendingCommit: none,
  waitForCommitToBeReady: none,
  getSuspendedCommitReason: none,
};

// The remaining members of a host config are for elements.
const reconciler = createReconciler(host as never);

function fail(error: unknown): never {
  throw error;
}

/** Creates a root. The returned function renders an element synchronously. */
export function createBlankRoot(): (element: ReactNode) => void {
  const root = reconciler.createContainer(
    {},
    ConcurrentRoot,
    null,
    false,
    null,
    '',
    fail,
    fail,
    fail,
    nothing,
    null,
  );
  return (element) => {
    reconciler.updateContainerSync(element, root, null, null);
    reconciler.flushSyncWork();
  };
}
