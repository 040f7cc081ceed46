// A whole world for tests: a clock, a server with a hub, and clients with a link each. Everything that could differ from
// run to run comes from the seed.

import { AUDIENCE_PARAM, CLIENT_ID_PARAM } from '@edict/core/protocol';
import { createChance } from './chance.ts';
import { createClient, type ClientOptions, type ClientParts, type SimulatedClient } from './client.ts';
import { createClock } from './clock.ts';
import { createHub, type SimulatedHub } from './hub.ts';
import type { ReceivedRequest, ServerSide } from './network.ts';
import { createRoutes, type RouteHandler } from './routes.ts';

/** What a simulation can be told. */
export interface SimulationOptions extends ClientOptions {
  /** Same seed, same run. Default 1. */
  seed?: number;
  /** When it begins, milliseconds since the epoch. Default 2026-01-01T00:00:00Z. */
  startAt?: number;
  /** Where the simulated server is. Default `https://app.test`. */
  origin?: string;
  /** The path of the event stream. Default `/api/events`. */
  streamPath?: string;
  /** Names of the stream's parameters. Default `client_id` and `audience`. */
  params?: {
    /** Default `client_id`. */
    clientId?: string;
    /** Default `audience`. */
    audience?: string;
  };
  /** How often a silent stream gets a heartbeat. Milliseconds, default 15000. */
  heartbeatMs?: number;
  /** What the hub can replay. Default 1000 envelopes, 300000 ms. */
  replay?: {
    /** Default 1000. */
    maxEnvelopes?: number;
    /** Milliseconds, default 300000. */
    maxAgeMs?: number;
  };
}

/** A simulated world. The members of `SimulatedClient` are those of its first client. */
export interface Simulation extends SimulatedClient {
  /** The server's end of the streams. */
  readonly hub: SimulatedHub;
  /** What the server received, from all clients, oldest first. */
  readonly requests: readonly ReceivedRequest[];
  /** Another tab: a link, page, storage and log of its own. */
  createClient: (options?: ClientOptions) => SimulatedClient;
  /** Answers `'METHOD /path/:part'`; what the handler returns becomes JSON unless it is a `Response`. */
  route: (pattern: string, handler: RouteHandler) => void;
  /** Milliseconds since the epoch. */
  now: () => number;
  /** At least 0, below 1. */
  random: () => number;
  /** Resolves after so much simulated time; rejects with the signal's reason. For fetch functions that take their time. */
  sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
  /** Moves on by so many milliseconds, stopping at each timer. */
  advance: (ms: number) => Promise<void>;
  /**
   * Moves on until nothing is under way: no request, no message, no window, no resync of the data layers made by this
   * simulation. A reconnect that waits is not waited for. Throws when ten minutes were not enough.
   */
  settled: () => Promise<void>;
  /** How many timers the data layers hold; 0 after `dispose()`. */
  pendingTimers: () => number;
}

/** The most that `settled` moves on. */
const patienceMs = 600_000;

/**
 * Makes a simulated world.
 *
 * ```ts
 * import { createSimulation } from '@edict/core/testing';
 *
 * const sim = createSimulation({ seed: 7 });
 * sim.route('GET /tickets/:id', ({ params }) => ({ id: params['id'], title: 'Printer on fire' }));
 * const dl = sim.createDataLayer();
 * dl.createType('ticket', { fetch: async (id) => (await sim.env.fetch(`/tickets/${id}`)).json() });
 *
 * const ticket = dl.fetchItem('ticket', 7);
 * await sim.settled(); // Time goes by until nothing is under way.
 * sim.link.drop(); // The next frame of the stream is lost …
 * sim.hub.emit([{ op: 'refresh_item', name: 'ticket', id: 7 }]);
 * await sim.advance(20_000); // … and a heartbeat tells.
 * console.log(ticket.data, sim.requests.length);
 * ```
 */
export function createSimulation(options: SimulationOptions = {}): Simulation {
  const { seed = 1, startAt = Date.UTC(2026, 0, 1), origin = 'https://app.test' } = options;
  const clock = createClock(startAt);
  const chance = createChance(seed);
  const requests: ReceivedRequest[] = [];
  const clients: ClientParts[] = [];
  let lastId = 0;
  let lastKey = 0;

  const hub = createHub(clock, {
    heartbeatMs: options.heartbeatMs ?? 15_000,
    replay: { maxEnvelopes: 1000, maxAgeMs: 300_000, ...options.replay },
    newKey: () => `key-${++lastKey}`,
  });
  const routes = createRoutes();
  const server: ServerSide = {
    clock,
    origin,
    streamPath: options.streamPath ?? '/api/events',
    params: { clientId: CLIENT_ID_PARAM, audience: AUDIENCE_PARAM, ...options.params },
    hub,
    routes,
    received: (request) => void requests.push(request),
  };

  function addClient(clientOptions?: ClientOptions): SimulatedClient {
    // Each client draws from chance of its own, so that one more request of one does not change what befalls another.
    const parts = createClient(
      server,
      createChance(chance.between(0, 0xffff_ffff)),
      () => `id-${++lastId}`,
      clientOptions,
    );
    clients.push(parts);
    return parts.client;
  }

  function sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const stop = (): void => {
        clock.clearTimeout(timer);
        reject(signal?.reason instanceof Error ? signal.reason : new DOMException('aborted', 'AbortError'));
      };
      const timer = clock.setTimeout(
        () => {
          signal?.removeEventListener('abort', stop);
          resolve();
        },
        ms,
        'world',
      );
      if (signal?.aborted === true) stop();
      else signal?.addEventListener('abort', stop, { once: true });
    });
  }

  async function settled(): Promise<void> {
    const until = clock.now() + patienceMs;
    for (;;) {
      // First what has arrived is read: it may set something off.
      await clock.drain();
      let waiting = 0;
      for (const { layers } of clients) {
        for (const layer of layers) {
          waiting += 1;
          void layer.whenSettled().then(() => (waiting -= 1));
        }
      }
      await clock.drain();
      const underWay = clients.reduce((sum, { underWay: count }) => sum + count(), 0);
      if (waiting === 0 && underWay === 0) return;
      if (await clock.step(until)) continue;
      throw new Error(
        `simulation: not settled after ${patienceMs / 60_000} minutes: ${waiting} data layers busy, ` +
          `${underWay} requests or messages under way; does a fetch function wait for something that never happens?`,
      );
    }
  }

  return {
    ...addClient(options),
    hub: hub.hub,
    requests,
    createClient: addClient,
    route: routes.add,
    now: clock.now,
    random: chance.random,
    sleep,
    advance: clock.advance,
    settled,
    pendingTimers: () => clock.pending('env'),
  };
}
