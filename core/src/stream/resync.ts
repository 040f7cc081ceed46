// After a gap: one resync, late by a random jitter so that the clients of a hub do not return as one (D-SSE-9).

import type { Env } from '../platform/env.ts';
import type { Lifecycle } from '../events/bus.ts';
import type { ResyncContext } from '../events/eventTypes.ts';
import type { Settings } from '../config/options.ts';

export interface Resync {
  /** Owes a resync, unless `sse.resyncOnGap` is off. One that is owed already takes it in. */
  schedule: (context: ResyncContext) => void;
  /** Cancels the timer; the resync stays owed (D-SSE-3). */
  pause: () => void;
  /** Schedules again what is owed. */
  resume: () => void;
  dispose: () => void;
}

export function createResync(
  env: Env,
  lifecycle: Lifecycle,
  settings: () => Settings,
  refetchAll: () => void,
): Resync {
  let owed: ResyncContext | null = null;
  let timer: unknown = null;
  let isDisposed = false;

  function resume(): void {
    if (owed === null || timer !== null || isDisposed) return;
    const { resyncJitterMinMs, resyncJitterMaxMs } = settings().sse;
    const waitMs = Math.round(resyncJitterMinMs + env.random() * (resyncJitterMaxMs - resyncJitterMinMs));
    const context = owed;
    timer = env.setTimeout(() => {
      timer = owed = null;
      lifecycle.emit('sse:resync-dispatch', { context });
      if (!isDisposed) refetchAll();
    }, waitMs);
    lifecycle.emit('sse:resync-scheduled', { waitMs, context });
  }

  function pause(): void {
    if (timer !== null) env.clearTimeout(timer);
    timer = null;
  }

  return {
    schedule(context) {
      if (!settings().sse.resyncOnGap) return;
      owed ??= context;
      resume();
    },
    pause,
    resume,
    dispose() {
      isDisposed = true;
      pause();
    },
  };
}
