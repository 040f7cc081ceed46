// A simulated world in which the test itself decides when, and with what, each request is answered. A test that only looks at what is
// asked for takes stage.ts.

import { createDataLayer } from '@edict/core';
import type {
  DataLayer,
  Env,
  FetchContext,
  Id,
  InitOptions,
  LifecycleEvent,
  LifecycleEvents,
} from '@edict/core';
import { createSimulation } from '@edict/core/testing';
import type { Simulation, SimulationOptions } from '@edict/core/testing';

/** One call of a fetch function, open until the test answers it. */
export interface Call {
  readonly args: readonly unknown[];
  /** The first argument: an id, ids or params. */
  readonly asked: unknown;
  readonly ctx: FetchContext;
  /** When it was made, simulated milliseconds. */
  readonly at: number;
  answer: (value: unknown) => Promise<void>;
  fail: (error: unknown) => Promise<void>;
}

/** A fetch function whose calls are answered by hand. */
export interface Held {
  readonly calls: Call[];
  /** The call of this number, 0 the first; throws when it was not made. */
  at: (index: number) => Call;
  last: () => Call;
  fetch: (asked: unknown, ctx: FetchContext) => Promise<never>;
  bulkFetch: (ids: Id[], level: string, ctx: FetchContext) => Promise<never>;
}

/** What was heard from the lifecycle. */
export interface Heard {
  readonly event: LifecycleEvent;
  readonly detail: Record<string, unknown>;
  readonly at: number;
}

export interface World {
  sim: Simulation;
  dl: DataLayer;
  heard: Heard[];
  /** The names of what was heard whose name matches, in order. */
  names: (pattern?: RegExp) => string[];
  /** The details of one event so far. */
  of: <E extends LifecycleEvent>(event: E) => LifecycleEvents[E][];
  /** Forgets what was heard. */
  hush: () => void;
  held: () => Held;
  /** Lets everything asynchronous come to rest; no time goes by. */
  rest: () => Promise<void>;
  /** The present, ISO. */
  iso: () => string;
}

export interface WorldOptions extends SimulationOptions {
  init?: InitOptions | null;
  env?: (sim: Simulation) => Partial<Env>;
}

/** A fetch function whose calls are answered by hand in this simulation. */
export function createHeld(sim: Simulation): Held {
  const calls: Call[] = [];
  const wait = (args: unknown[]): Promise<never> =>
    new Promise((resolve, reject) => {
      calls.push({
        args,
        asked: args[0],
        ctx: args.at(-1) as FetchContext, // The context always comes last (D-REG-2).
        at: sim.now(),
        async answer(value) {
          resolve(value as never); // What a test answers may be wrong on purpose.
          await sim.advance(0);
        },
        async fail(error) {
          reject(error);
          await sim.advance(0);
        },
      });
    });
  const at = (index: number): Call => {
    const call = calls.at(index);
    if (call === undefined) throw new Error(`call ${index} was not made; there were ${calls.length}`);
    return call;
  };
  return {
    calls,
    at,
    last: () => at(-1),
    fetch: (...args) => wait(args),
    bulkFetch: (...args) => wait(args),
  };
}

/** A world with one data layer; the event stream is off unless the options turn it on, `init: null` leaves `init` out. */
export function createWorld({ init = {}, env, ...options }: WorldOptions = {}): World {
  const sim = createSimulation(options);
  const dl = createDataLayer({ env: { ...sim.env, ...env?.(sim) } });
  const heard: Heard[] = [];
  dl.onLifecycle('*', ({ event, detail }) => {
    heard.push({ event, detail: detail as unknown as Record<string, unknown>, at: sim.now() }); // Every detail is an object.
  });
  if (init !== null) dl.init({ ...init, sse: { enabled: false, ...init.sse } });
  return {
    sim,
    dl,
    heard,
    names: (pattern = /./) => heard.map(({ event }) => event).filter((event) => pattern.test(event)),
    // An event's details are of its own type.
    of: (event) => heard.filter((entry) => entry.event === event).map((entry) => entry.detail) as never,
    hush: () => void heard.splice(0),
    held: () => createHeld(sim),
    rest: () => sim.advance(0),
    iso: () => new Date(sim.now()).toISOString(),
  };
}

/** What a function throws, or undefined. */
export function thrown(run: () => unknown): unknown {
  try {
    run();
  } catch (error) {
    return error;
  }
  return undefined;
}

/** The message of what a function throws; fails unless it is an error of this class. */
export function complaint(kind: ErrorConstructor, run: () => unknown): string {
  const error = thrown(run);
  if (!(error instanceof kind)) throw new Error(`expected a ${kind.name}, got ${String(error)}`);
  return error.message;
}

/** A value that the types forbid, as callers without types send it. */
export const untyped = (value: unknown): never => value as never;
