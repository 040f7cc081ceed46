import type { LifecycleCallback, LifecycleEvent } from '@edict/core';
import { useDL } from './DLProvider.tsx';
import { useEffectBeforeReads, useLatest } from './useLatest.ts';

/**
 * Calls back on one lifecycle event, or on all with `*`, while mounted. The callback may be written inline: the latest one is
 * called, and there is one subscription. What the hooks of the same commit read is heard already.
 */
export function useLifecycle<E extends LifecycleEvent | '*'>(event: E, callback: LifecycleCallback<E>): void {
  if (typeof callback !== 'function')
    throw new TypeError(`useLifecycle(${JSON.stringify(event)}): the callback must be a function`);
  const dl = useDL();
  const latest = useLatest(callback);
  useEffectBeforeReads(
    () => dl.onLifecycle(event, (message) => latest.current(message)),
    [dl, event, latest],
  );
}
