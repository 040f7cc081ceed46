// The simulated client of the tests, in two shapes. In `createWorld`, the test registers its types and responds to each request. In
// `createStage`, a small registry is included, and a server responds by itself.

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

/** One call of a fetch function. The test responds to it. */
export interface Call {
  readonly args: readonly unknown[];
  /** The first argument: an id, ids or params. */
  readonly asked: unknown;
  readonly ctx: FetchContext;
  /** When the call was made, in simulated milliseconds. */
  readonly at: number;
  answer: (value: unknown) => Promise<void>;
  fail: (error: unknown) => Promise<void>;
}

/** A fetch function to whose calls the test responds. */
export interface Held {
  readonly calls: Call[];
  /** The call with this index; throws if it was not made. */
  at: (index: number) => Call;
  last: () => Call;
  fetch: (asked: unknown, ctx: FetchContext) => Promise<never>;
  bulkFetch: (ids: Id[], level: string, ctx: FetchContext) => Promise<never>;
}

export interface World {
  sim: Simulation;
  dl: DataLayer;
  /** The lifecycle events so far. */
  events: { event: LifecycleEvent; detail: unknown }[];
  /** The names of those that match, in order. */
  names: (pattern?: RegExp) => string[];
  /** The details of one event so far. */
  of: <E extends LifecycleEvent>(event: E) => LifecycleEvents[E][];
  held: () => Held;
  /** Waits for all asynchronous work, without advancing the time. */
  rest: () => Promise<void>;
  /** The current time as an ISO string. */
  iso: () => string;
}

interface ClientOptions extends SimulationOptions {
  /** Changes the environment of the data layer. */
  env?: (sim: Simulation) => Partial<Env>;
  /** The simulation of another world, for another client in it. */
  sim?: Simulation;
}

export interface WorldOptions extends ClientOptions {
  init?: InitOptions | null;
}

/** A fetch function to whose calls the test responds in this simulation. */
function createHeld(sim: Simulation): Held {
  const calls: Call[] = [];
  const wait = (args: unknown[]): Promise<never> =>
    new Promise((resolve, reject) => {
      calls.push({
        args,
        asked: args[0],
        ctx: args.at(-1) as FetchContext, // The context always comes last (D-REG-2).
        at: sim.now(),
        async answer(value) {
          resolve(value as never); // A test may return an invalid value on purpose.
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

/** A world with one data layer. The event stream is off unless the options turn it on, and `init: null` leaves `init` out. */
export function createWorld({ init = {}, env, sim: given, ...options }: WorldOptions = {}): World {
  const sim = given ?? createSimulation(options);
  const dl = createDataLayer({ env: { ...sim.env, ...env?.(sim) } });
  const events: World['events'] = [];
  dl.onLifecycle('*', (message) => void events.push(message));
  if (init !== null) dl.init({ ...init, sse: { enabled: false, ...init.sse } });
  return {
    sim,
    dl,
    events,
    names: (pattern = /./) => events.map(({ event }) => event).filter((event) => pattern.test(event)),
    // An event's details are of its own type.
    of: (event) => events.filter((entry) => entry.event === event).map((entry) => entry.detail) as never,
    held: () => createHeld(sim),
    rest: () => sim.advance(0),
    iso: () => new Date(sim.now()).toISOString(),
  };
}

/** The responses of the test's server. Tests replace the members that must respond differently. */
export interface Server {
  /** How long each request takes, in milliseconds. */
  latencyMs: number;
  /** Increases with each `change()`, so that older and newer responses differ. */
  version: number;
  item: (type: string, id: Id, level: string) => unknown;
  bulk: (type: string, ids: readonly Id[], level: string) => unknown;
  collection: (name: string, params: object | undefined) => unknown;
}

export interface Stage extends World {
  server: Server;
  /**
   * The requests since the last `taken()`: `ticket 7` (default level), `doc 7 full`, `note 1,2` (bulk),
   * `tickets {"page":1}`.
   */
  calls: string[];
  /** The contexts of the requests, in the order of the calls of the whole test. */
  contexts: FetchContext[];
  /** Returns the calls so far and forgets them. */
  taken: () => string[];
  /** Reads and waits until everything has settled; forgets the calls. */
  hold: (...reads: (() => unknown)[]) => Promise<void>;
  item: (type: string, id: Id, level?: string) => ReturnType<DataLayer['fetchItem']>;
  list: (name: string, params?: object) => ReturnType<DataLayer['fetchCollection']>;
}

/** Options of `createStage`. */
export interface StageOptions extends ClientOptions {
  init?: InitOptions;
}

/**
 * Registers `ticket` (one level, no bulk), `note` (bulk), `doc`, `card` (levels `head` and `body` with checks), and the
 * collections `tickets` and `notes`. `doc` has the levels `simplified`, `expanded`, and `full`, which each contain the
 * previous ones, and a separate `default`. The stream is off by default.
 */
export function createStage({ init = {}, ...options }: StageOptions = {}): Stage {
  const world = createWorld({ ...options, init: null });
  const { sim, dl, events } = world;
  const server: Server = {
    latencyMs: 10,
    version: 1,
    item: (_type, id, level) => ({ id, [level]: server.version }),
    bulk: (type, ids, level) => ids.map((id) => server.item(type, id, level)),
    collection: () => ({ ids: [server.version], count: 1 }),
  };
  const calls: string[] = [];
  const contexts: FetchContext[] = [];

  function asked(what: string, ctx: FetchContext): Promise<void> {
    calls.push(what);
    contexts.push(ctx);
    return server.latencyMs === 0 ? Promise.resolve() : sim.sleep(server.latencyMs, ctx.signal);
  }
  const suffix = (level: string): string => (level === 'default' ? '' : ` ${level}`);
  const one = (type: string) => async (id: Id, ctx: FetchContext) => {
    await asked(`${type} ${id}${suffix(ctx.level)}`, ctx);
    return server.item(type, id, ctx.level);
  };
  const many = (type: string) => async (ids: Id[], level: string, ctx: FetchContext) => {
    await asked(`${type} ${ids.join(',')}${suffix(level)}`, ctx);
    // A test may return an invalid value on purpose.
    return server.bulk(type, ids, level) as unknown[];
  };
  const listing = (name: string) => async (params: object | undefined, ctx: FetchContext) => {
    await asked(`${name} ${JSON.stringify(params ?? {})}`, ctx);
    // A test may return an invalid value on purpose.
    return server.collection(name, params) as { ids: Id[] };
  };

  dl.createType('ticket', { fetch: one('ticket') });
  dl.createType('note', { fetch: one('note'), bulkFetch: many('note') });
  dl.createType('doc', {
    fetch: one('doc'),
    levelConversionMap: { full: ['expanded'], expanded: ['simplified'] },
    levels: {
      simplified: { fetch: one('doc') },
      expanded: { fetch: one('doc') },
      full: { fetch: one('doc') },
    },
  });
  const has =
    (field: string) =>
    (data: unknown): boolean =>
      typeof data === 'object' && data !== null && field in data;
  dl.createType('card', {
    fetch: one('card'),
    levels: {
      head: { fetch: one('card'), checkIfExists: has('head') },
      body: { fetch: one('card'), checkIfExists: has('body') },
    },
  });
  dl.createCollection('tickets', { fetch: listing('tickets') });
  dl.createCollection('notes', { fetch: listing('notes') });
  dl.init({ sse: { enabled: false }, ...init });

  const taken = (): string[] => calls.splice(0);
  return {
    ...world,
    server,
    calls,
    contexts,
    taken,
    item: (type, id, level) => dl.fetchItem(type, id, level),
    list: (name, params) => dl.fetchCollection(name, params === undefined ? {} : { params }),
    async hold(...reads) {
      for (const read of reads) read();
      await sim.advance(100);
      taken();
      events.length = 0;
    },
  };
}

/** A stage whose cache contains the ticket 7 and the list of all tickets. */
export async function createCachedStage(options?: StageOptions): Promise<Stage> {
  const stage = createStage(options);
  await stage.hold(
    () => stage.item('ticket', 7),
    () => stage.list('tickets'),
  );
  return stage;
}

/** Whether a promise has settled, without waiting for it. */
export function watchPromise(promise: Promise<unknown>): { is: 'pending' | 'resolved' | 'rejected' } {
  const state: { is: 'pending' | 'resolved' | 'rejected' } = { is: 'pending' };
  promise.then(
    () => (state.is = 'resolved'),
    () => (state.is = 'rejected'),
  );
  return state;
}

/** Returns what a function throws, or undefined. */
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
