// The lifecycle event bus. A detail may be a function that creates it from the two arguments that follow. It is called
// only when a listener or the history reads the detail.

import { addTo, call, logFailure } from '../platform/callbacks.ts';
import type { TimedEnv } from '../platform/clock.ts';
import type {
  LifecycleCallback,
  LifecycleEvent,
  LifecycleEvents,
  LifecycleMessage,
  LoggedEvent,
} from './eventTypes.ts';

/** How many events `devtools()` shows. */
const historyLength = 200;

type Detail<E extends LifecycleEvent> = LifecycleEvents[E] | ((...about: never[]) => LifecycleEvents[E]);

/** An event that has occurred. Every read emits some, so an event is one object without a closure. */
type Occurrence = readonly [LifecycleEvent, number, Detail<LifecycleEvent>, unknown, unknown];

export interface Lifecycle {
  on: <E extends LifecycleEvent | '*'>(event: E, callback: LifecycleCallback<E>) => () => void;
  emit: <E extends LifecycleEvent>(event: E, detail: Detail<E>, first?: unknown, second?: unknown) => void;
  history: () => LoggedEvent[];
  clear: () => void;
}

// The type of `emit` ensures that a detail belongs to its event.
const toMessage = ([event, , detail, first, second]: Occurrence): LifecycleMessage =>
  ({
    event,
    detail: typeof detail === 'function' ? detail(first as never, second as never) : detail,
  }) as LifecycleMessage;

export function createLifecycle(env: TimedEnv): Lifecycle {
  const listeners = new Set<{ event: string; run: LifecycleCallback<'*'> }>();
  /** A ring. `count` modulo its length is the position of the oldest event. */
  const history: Occurrence[] = [];
  let count = 0;

  return {
    // Each call adds a new object, so a callback that is added twice is called twice. A callback for one event receives only that event.
    on: (event, callback) => addTo(listeners, { event, run: callback as LifecycleCallback<'*'> }),
    emit(event, detail, first, second) {
      const occurrence: Occurrence = [event, env.now(), detail, first, second];
      history[count++ % historyLength] = occurrence;
      if (listeners.size === 0) return;
      let message: LifecycleMessage | undefined;
      for (const listener of [...listeners]) {
        if ((listener.event !== event && listener.event !== '*') || !listeners.has(listener)) continue;
        const onError = logFailure(env, `A listener of "${event}"`);
        call(listener.run, onError, (message ??= toMessage(occurrence)));
      }
    },
    history: () =>
      history.map((_, at) => {
        const one = history[(at + count) % history.length] as Occurrence;
        return { ...toMessage(one), at: env.sinceEpoch(one[1]) };
      }),
    clear: () => listeners.clear(),
  };
}
