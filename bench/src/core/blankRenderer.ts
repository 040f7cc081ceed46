// React without a screen: a renderer that draws nothing, for a library whose core is its hook. Components render null; what is
// left of React is what it takes to run them. Every update is urgent, so that it is over by the end of the task, without
// a scheduler whose timers are not ours.

import { createContext, type ReactNode } from 'react';
import createReconciler from 'react-reconciler';
import { ConcurrentRoot, DiscreteEventPriority, NoEventPriority } from 'react-reconciler/constants.js';

const nothing = (): void => undefined;
const none = (): null => null;
const no = (): false => false;

/** What React asks of a host before it comes to elements; of these there are none. */
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

// The rest of a host is about its elements.
const reconciler = createReconciler(host as never);

/** Throws what a component throws. */
function fail(error: unknown): never {
  throw error;
}

/** A root that renders at once what it is given. */
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
