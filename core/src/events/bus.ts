// The lifecycle bus. A hot path passes a function and its arguments instead of a detail. They cost nothing until a listener or the
// history reads the detail.

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

type Maker<E extends LifecycleEvent, A, B> = (a: A, b: B) => LifecycleEvents[E];

interface Noted {
  event: LifecycleEvent;
  /** A second event with the same time and detail, or null. */
  also: LifecycleEvent | null;
  at: number;
  make: (a: never, b: never) => unknown;
  a: unknown;
  b: unknown;
}

const given = (detail: unknown): unknown => detail;

export interface Lifecycle {
  on: <E extends LifecycleEvent | '*'>(event: E, callback: LifecycleCallback<E>) => () => void;
  /** Emits an event with its detail. */
  emit: <E extends LifecycleEvent>(event: E, detail: LifecycleEvents[E]) => void;
  /** Emits an event whose detail `make` creates from the arguments when it is read. */
  emitLazily: <E extends LifecycleEvent, A, B>(event: E, make: Maker<E, A, B>, a: A, b: B) => void;
  /** The same for two events with equal details, as every cached read emits them. */
  emitBoth: <E extends LifecycleEvent, A, B>(first: E, second: E, make: Maker<E, A, B>, a: A, b: B) => void;
  history: () => LoggedEvent[];
  clear: () => void;
}

export function createLifecycle(env: Env, clock: Pick<Clock, 'sinceEpoch'>): Lifecycle {
  const listeners = new Map<string, Set<{ run: (message: LifecycleMessage) => unknown }>>();
  const history: Noted[] = [];
  let next = 0;

  function deliver(name: string, message: LifecycleMessage): void {
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

  function emit(event: LifecycleEvent, make: Noted['make'], a: unknown, b: unknown): void {
    note(event, null, make, a, b);
    if (listeners.size === 0 || !(listeners.has(event) || listeners.has('*'))) return;
    // The types of `emit` and `emitLazily` make sure that the function of an event creates that event's detail.
    const message = { event, detail: make(a as never, b as never) } as LifecycleMessage;
    deliver(event, message);
    deliver('*', message);
  }

  return {
    on(event, callback) {
      // A callback of one event receives that event only.
      const listener = { run: callback as (message: LifecycleMessage) => unknown };
      const set = listeners.get(event) ?? new Set();
      listeners.set(event, set);
      set.add(listener);
      return () => {
        set.delete(listener);
        if (set.size === 0 && listeners.get(event) === set) listeners.delete(event);
      };
    },
    emit: (event, detail) => emit(event, given, detail, undefined),
    emitLazily: (event, make, a, b) => emit(event, make as Noted['make'], a, b),
    emitBoth(first, second, make, a, b) {
      const maker = make as Noted['make'];
      if (listeners.size === 0) return note(first, second, maker, a, b);
      emit(first, maker, a, b);
      emit(second, maker, a, b);
    },
    history: () =>
      [...history.slice(next), ...history.slice(0, next)]
        .flatMap(({ event, also, at, make, a, b }) =>
          (also === null ? [event] : [event, also]).map(
            (name) =>
              // The record has the function of its event, so the detail belongs to it.
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
