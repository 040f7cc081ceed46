// The lifecycle bus. A detail may be a function that creates it. It is not called until a listener or the history reads the detail.

import { call } from '../platform/callbacks.ts';
import type { Clock } from '../platform/clock.ts';
import type { Env } from '../platform/env.ts';
import type {
  LifecycleCallback,
  LifecycleEvent,
  LifecycleEvents,
  LifecycleMessage,
  LoggedEvent,
} from './eventTypes.ts';

/** How many events `devtools()` shows. */
const historyLength = 200;

type Detail<E extends LifecycleEvent> = LifecycleEvents[E] | (() => LifecycleEvents[E]);

export interface Lifecycle {
  on: <E extends LifecycleEvent | '*'>(event: E, callback: LifecycleCallback<E>) => () => void;
  emit: <E extends LifecycleEvent>(event: E, detail: Detail<E>) => void;
  history: () => LoggedEvent[];
  clear: () => void;
}

// The type of `emit` ensures that a detail belongs to its event.
const messageOf = (event: LifecycleEvent, detail: Detail<LifecycleEvent>): LifecycleMessage =>
  ({ event, detail: typeof detail === 'function' ? detail() : detail }) as LifecycleMessage;

export function createLifecycle(env: Env, clock: Pick<Clock, 'sinceEpoch'>): Lifecycle {
  const listeners = new Set<{ event: string; run: (message: LifecycleMessage) => unknown }>();
  const history: { event: LifecycleEvent; at: number; detail: Detail<LifecycleEvent> }[] = [];

  return {
    on(event, callback) {
      // A callback of one event receives that event only. An object of its own: a callback that is added twice is called twice.
      const listener = { event, run: callback as (message: LifecycleMessage) => unknown };
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    emit(event, detail) {
      if (history.push({ event, at: env.now(), detail }) > historyLength) history.shift();
      if (listeners.size === 0) return;
      let message: LifecycleMessage | undefined;
      for (const listener of [...listeners]) {
        if ((listener.event !== event && listener.event !== '*') || !listeners.has(listener)) continue;
        const given = (message ??= messageOf(event, detail));
        call(
          () => listener.run(given),
          (error) => env.log('error', `A listener of "${event}" failed.`, error),
        );
      }
    },
    history: () =>
      history.map(({ event, at, detail }) => ({ ...messageOf(event, detail), at: clock.sinceEpoch(at) })),
    clear() {
      listeners.clear();
      history.length = 0;
    },
  };
}
