// The resync after a gap. A random jitter spreads the clients of a hub (D-SSE-9).

import type { Base } from '../platform/base.ts';
import type { ResyncContext } from '../events/eventTypes.ts';

export interface Resync {
  /** Schedules a resync, unless `sse.resyncOnGap` is off or a resync is already scheduled. */
  schedule: (context: ResyncContext) => void;
  /** Cancels the timer. The resync stays pending (D-SSE-3). */
  pause: () => void;
  /** Schedules a due resync again. */
  resume: () => void;
}

interface Needs extends Base {
  refetchAll: () => void;
}

export function createResync({ env, lifecycle, settings, refetchAll }: Needs): Resync {
  let due: ResyncContext | null = null;
  let timer: unknown = null;

  function resume(): void {
    if (due === null || timer !== null) return;
    const { resyncJitterMinMs, resyncJitterMaxMs } = settings().sse;
    const waitMs = Math.round(resyncJitterMinMs + env.random() * (resyncJitterMaxMs - resyncJitterMinMs));
    const context = due;
    timer = env.setTimeout(() => {
      timer = due = null;
      lifecycle.emit('sse:resync-dispatch', { context });
      refetchAll();
    }, waitMs);
    lifecycle.emit('sse:resync-scheduled', { waitMs, context });
  }

  function pause(): void {
    env.clearTimeout(timer);
    timer = null;
  }

  return {
    schedule(context) {
      if (!settings().sse.resyncOnGap) return;
      due ??= context;
      resume();
    },
    pause,
    resume,
  };
}
