// A simulated client with a small registry, whose server answers by itself after a latency, and the list of what it was asked for. A test
// that answers each request by hand takes world.ts.

import type { DataLayer, FetchContext, Id, InitOptions, LifecycleEvent, LifecycleEvents } from '@edict/core';
import { createDataLayer } from '@edict/core';
import { createSimulation } from '@edict/core/testing';
import type { Simulation, SimulationOptions } from '@edict/core/testing';

/** What the test's server answers; members are replaced by the tests that need another answer. */
export interface Server {
  /** How long each request takes, milliseconds. */
  latencyMs: number;
  /** Counts up with each `change()`, so that an older answer can be told from a newer one. */
  version: number;
  item: (type: string, id: Id, level: string) => unknown;
  bulk: (type: string, ids: readonly Id[], level: string) => unknown;
  collection: (name: string, params: object | undefined) => unknown;
}

export interface Stage {
  sim: Simulation;
  dl: DataLayer;
  server: Server;
  /**
   * What was asked for since the last `taken()`: `ticket 7` (default level), `doc 7 full`, `note 1,2` (bulk),
   * `tickets {"page":1}`.
   */
  calls: string[];
  /** The contexts of the requests, in the order of the calls of the whole test. */
  contexts: FetchContext[];
  /** Returns the calls so far and forgets them. */
  taken: () => string[];
  /** Reads and waits until everything has settled; forgets the calls. */
  hold: (...reads: (() => unknown)[]) => Promise<void>;
  /** Every lifecycle event so far. */
  events: { event: LifecycleEvent; detail: unknown }[];
  /** The details of one event so far. */
  of: <E extends LifecycleEvent>(event: E) => LifecycleEvents[E][];
  item: (type: string, id: Id, level?: string) => ReturnType<DataLayer['fetchItem']>;
  list: (name: string, params?: object) => ReturnType<DataLayer['fetchCollection']>;
}

/** Options of `createStage`. */
export interface StageOptions extends SimulationOptions {
  init?: InitOptions;
  /** Changes the environment of the data layer. */
  env?: (sim: Simulation) => Partial<Simulation['env']>;
  /** Of an existing world: another client of it. */
  sim?: Simulation;
}

/**
 * Registered are: `ticket` (one level, no bulk), `note` (bulk), `doc` (levels `simplified`, `expanded`, `full`, each of
 * which contains the ones before it, and `default`, which stands alone), `card` (levels `head` and `body` with checks),
 * and the collections `tickets` and `notes`. The stream is off unless the options say otherwise.
 */
export function createStage({ init = {}, env, sim: given, ...options }: StageOptions = {}): Stage {
  const sim = given ?? createSimulation(options);
  const settings = { sse: { enabled: false }, ...init };
  const server: Server = {
    latencyMs: 10,
    version: 1,
    item: (_type, id, level) => ({ id, [level]: server.version }),
    bulk: (type, ids, level) => ids.map((id) => server.item(type, id, level)),
    collection: () => ({ ids: [server.version], count: 1 }),
  };
  const calls: string[] = [];
  const contexts: FetchContext[] = [];
  const events: Stage['events'] = [];

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
    // What a test answers may be wrong on purpose.
    return server.bulk(type, ids, level) as unknown[];
  };
  const listing = (name: string) => async (params: object | undefined, ctx: FetchContext) => {
    await asked(`${name} ${JSON.stringify(params ?? {})}`, ctx);
    // What a test answers may be wrong on purpose.
    return server.collection(name, params) as { ids: Id[] };
  };

  const dl = createDataLayer({ env: { ...sim.env, ...env?.(sim) } });
  dl.onLifecycle('*', (message) => void events.push(message));
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
  dl.init(settings);

  const taken = (): string[] => calls.splice(0);
  return {
    sim,
    dl,
    server,
    calls,
    contexts,
    taken,
    events,
    // An event's details are of its own type.
    of: (event) => events.filter((entry) => entry.event === event).map((entry) => entry.detail) as never,
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
