import type { DataLayer, LifecycleCallback, LifecycleEvent } from '@edict/core';
import * as React from 'react';
import { useDL } from './DLProvider.tsx';
import { useEffectBeforeReads, useLatest } from './binding/useLatest.ts';

interface Subscription {
  readonly dl: DataLayer;
  readonly event: string;
  readonly end: () => void;
}

/**
 * Calls back on one lifecycle event, or on all with `*`, while mounted. The callback may be written inline: the latest one is
 * called, and there is one subscription. The callback receives the events of reads in the same commit.
 */
export function useLifecycle<E extends LifecycleEvent | '*'>(event: E, callback: LifecycleCallback<E>): void {
  if (process.env.NODE_ENV !== 'production' && typeof callback !== 'function')
    throw new TypeError(`[edict] useLifecycle(${JSON.stringify(event)}): the callback must be a function.`);
  const dl = useDL();
  const latest = useLatest(callback);
  const subscription = React.useRef<Subscription | null>(null);
  // This effect starts before the hooks read, and ends with the other effects. React also removes an effect of this kind while a boundary
  // shows its fallback.
  useEffectBeforeReads(() => {
    const before = subscription.current;
    if (before?.dl === dl && before.event === event) return;
    before?.end();
    subscription.current = { dl, event, end: dl.onLifecycle(event, (message) => latest.current(message)) };
  }, [dl, event, latest]);
  React.useEffect(() => {
    const own = subscription.current;
    return () => {
      own?.end();
      if (subscription.current === own) subscription.current = null;
    };
  }, [dl, event, latest]);
}
