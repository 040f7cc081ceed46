// The lifecycle bus. A hot path passes a function that creates the detail. It is not called until a listener or the history reads the detail.

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
  const listeners = new Map<string, Set<{ run: (message: LifecycleMessage) => unknown }>>();
  const history: { event: LifecycleEvent; at: number; detail: Detail<LifecycleEvent> }[] = [];
  let count = 0;

  function deliver(name: string, message: LifecycleMessage): void {
    const set = listeners.get(name);
    for (const listener of [...(set ?? [])]) {
      if (set?.has(listener) !== true) continue;
      call(
        () => listener.run(message),
        (error) => env.log('error', `A listener of "${message.event}" failed.`, error),
      );
    }
  }

  return {
    on(event, callback) {
      // A callback of one event receives that event only. An object of its own: a callback that is added twice is called twice.
      const listener = { run: callback as (message: LifecycleMessage) => unknown };
      const set = listeners.get(event) ?? new Set();
      listeners.set(event, set.add(listener));
      return () => void set.delete(listener);
    },
    emit(event, detail) {
      history[count++ % historyLength] = { event, at: env.now(), detail };
      if (!listeners.get(event)?.size && !listeners.get('*')?.size) return;
      const message = messageOf(event, detail);
      deliver(event, message);
      deliver('*', message);
    },
    history() {
      const oldest = count % historyLength;
      return [...history.slice(oldest), ...history.slice(0, oldest)].map(({ event, at, detail }) => ({
        ...messageOf(event, detail),
        at: clock.sinceEpoch(at),
      }));
    },
    clear() {
      listeners.clear();
      history.length = 0;
      count = 0;
    },
  };
}
