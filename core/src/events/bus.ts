// The lifecycle bus. Details are made only when somebody reads them: a hot path hands over a maker and its arguments,
// which cost nothing until a subscriber or the history asks.

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

/** How many events `devtools()` remembers. */
const historyLength = 200;

type Maker<E extends LifecycleEvent, A, B> = (a: A, b: B) => LifecycleEvents[E];

interface Noted {
  event: LifecycleEvent;
  /** A second event of the same moment and detail; null: none. */
  also: LifecycleEvent | null;
  at: number;
  make: (a: never, b: never) => unknown;
  a: unknown;
  b: unknown;
}

const given = (detail: unknown): unknown => detail;

export interface Lifecycle {
  on: <E extends LifecycleEvent | '*'>(event: E, callback: LifecycleCallback<E>) => () => void;
  /** Announces an event whose detail is at hand. */
  emit: <E extends LifecycleEvent>(event: E, detail: LifecycleEvents[E]) => void;
  /** Announces an event whose detail is made from the arguments when somebody reads it. */
  emitLazily: <E extends LifecycleEvent, A, B>(event: E, make: Maker<E, A, B>, a: A, b: B) => void;
  /** The same of two events with details alike: what every cached read announces. */
  emitBoth: <E extends LifecycleEvent, A, B>(first: E, second: E, make: Maker<E, A, B>, a: A, b: B) => void;
  history: () => LoggedEvent[];
  clear: () => void;
}

export function createLifecycle(env: Env, clock: Pick<Clock, 'sinceEpoch'>): Lifecycle {
  const listeners = new Map<string, Set<{ run: (message: LifecycleMessage) => void }>>();
  const history: Noted[] = [];
  let next = 0;

  function tell(name: string, message: LifecycleMessage): void {
    const set = listeners.get(name);
    if (set === undefined) return;
    for (const listener of Array.from(set)) {
      if (!set.has(listener)) continue;
      call(
        () => listener.run(message),
        (error) => env.log('error', `A listener of "${message.event}" failed.`, error),
      );
    }
  }

  function note(
    event: LifecycleEvent,
    also: LifecycleEvent | null,
    make: Noted['make'],
    a: unknown,
    b: unknown,
  ): void {
    const noted = history[next];
    const at = env.now();
    if (noted === undefined) history[next] = { event, also, at, make, a, b };
    else {
      noted.event = event;
      noted.also = also;
      noted.at = at;
      noted.make = make;
      noted.a = a;
      noted.b = b;
    }
    next++;
    if (next === historyLength) next = 0;
  }

  function announce(event: LifecycleEvent, make: Noted['make'], a: unknown, b: unknown): void {
    note(event, null, make, a, b);
    if (listeners.size === 0 || !(listeners.has(event) || listeners.has('*'))) return;
    // The maker of an event gives that event's detail: `emit` and `emitLazily` are typed so.
    const message = { event, detail: make(a as never, b as never) } as LifecycleMessage;
    tell(event, message);
    tell('*', message);
  }

  return {
    on(event, callback) {
      // A callback of one event is only told of that event.
      const listener = { run: callback as (message: LifecycleMessage) => void };
      const set = listeners.get(event) ?? new Set();
      listeners.set(event, set);
      set.add(listener);
      return () => {
        set.delete(listener);
        if (set.size === 0 && listeners.get(event) === set) listeners.delete(event);
      };
    },
    emit: (event, detail) => announce(event, given, detail, undefined),
    emitLazily: (event, make, a, b) => announce(event, make as Noted['make'], a, b),
    emitBoth(first, second, make, a, b) {
      const maker = make as Noted['make'];
      if (listeners.size === 0) return note(first, second, maker, a, b);
      announce(first, maker, a, b);
      announce(second, maker, a, b);
    },
    history: () =>
      [...history.slice(next), ...history.slice(0, next)]
        .flatMap(({ event, also, at, make, a, b }) =>
          (also === null ? [event] : [event, also]).map(
            (name) =>
              // As above: the record holds the event's own maker.
              ({
                event: name,
                at: clock.sinceEpoch(at),
                detail: make(a as never, b as never),
              }) as LoggedEvent,
          ),
        )
        .slice(-historyLength),
    clear() {
      listeners.clear();
      history.length = 0;
      next = 0;
    },
  };
}
