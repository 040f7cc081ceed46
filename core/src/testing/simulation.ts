// A simulated world for tests: a clock, a server with a hub, and clients, each with its own link. All randomness comes from the seed.

import { loadShare } from '@edict/core/internal';
import { AUDIENCE_PARAM, CLIENT_ID_PARAM } from '@edict/core/protocol';
import { createBrowserParts, createGate, type BrowserParts, type SimulatedBrowser } from './browser.ts';
import { createChance } from './chance.ts';
import {
  createClient,
  type ClientOptions,
  type ClientParts,
  type SimulatedClient,
  type TabParts,
} from './client.ts';
import { createClock } from './clock.ts';
import { createHub, type SimulatedHub } from './hub.ts';
import type { ReceivedRequest, ServerSide } from './network.ts';
import { checkClientOptions, checkSimulationOptions } from './optionChecks.ts';
import { createRoutes, type RouteHandler } from './routes.ts';

/** Options of a simulation. */
export interface SimulationOptions extends ClientOptions {
  /** The same seed produces the same run. Default 1. */
  seed?: number;
  /** The start of the clock, in milliseconds since the epoch. Default 2026-01-01T00:00:00Z. */
  startAt?: number;
  /** The origin of the simulated server. Default `https://app.test`. */
  origin?: string;
  /** The path of the event stream. Default `/api/events`. */
  streamPath?: string;
  /** The names of the stream's query parameters. */
  params?: {
    /** Default `client_id`. */
    clientId?: string;
    /** Default `audience`. */
    audience?: string;
  };
  /** The heartbeat interval of silent streams, in milliseconds. Default 15000. */
  heartbeatMs?: number;
  /** The limits of the hub's replay. */
  replay?: {
    /** Default 1000. */
    maxEnvelopes?: number;
    /** Milliseconds, default 300000. */
    maxAgeMs?: number;
  };
}

/** A simulated world. The members of `SimulatedClient` belong to its first client. */
export interface Simulation extends SimulatedClient {
  /** The hub of the server. */
  readonly hub: SimulatedHub;
  /** The requests of all clients that reached the server, oldest first. */
  readonly requests: readonly ReceivedRequest[];
  /** Creates another client, such as a second tab, with its own link, page, storage, and log. */
  createClient: (options?: ClientOptions) => SimulatedClient;
  /** Creates a browser whose tabs share locks and channels. A client that is not one of its tabs shares with no other. */
  createBrowser: () => SimulatedBrowser;
  /** Adds a handler for `'METHOD /path/:part'`. Its result becomes JSON unless it is a `Response`. */
  route: (pattern: string, handler: RouteHandler) => void;
  /** Milliseconds since the epoch. */
  now: () => number;
  /** At least 0, below 1. */
  random: () => number;
  /** Resolves after this much simulated time, or rejects with the reason of the signal. For slow fetch functions. */
  sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
  /** Advances the clock by this many milliseconds and stops at each timer. */
  advance: (ms: number) => Promise<void>;
  /**
   * Advances the clock until no request, message, window, or resync of this simulation's data layers is in flight. It does not wait for
   * a pending reconnect. Throws after ten simulated minutes.
   */
  settled: () => Promise<void>;
  /** The number of pending timers of all data layers; 0 after `dispose()`. */
  pendingTimers: () => number;
}

/** The most that `settled` advances. */
const patienceMs = 600_000;

/**
 * Creates a simulated world. Throws a `TypeError` that names a wrong option.
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
 * await sim.settled(); // Advances until nothing is in flight.
 * sim.link.drop(); // The next frame of the stream is lost …
 * sim.hub.emit([{ op: 'refresh_item', name: 'ticket', id: 7 }]);
 * await sim.advance(20_000); // … and a heartbeat reveals it.
 * console.log(ticket.data, sim.requests.length);
 * ```
 */
export function createSimulation(options: SimulationOptions = {}): Simulation {
  checkSimulationOptions(options);
  const { seed = 1, startAt = Date.UTC(2026, 0, 1), origin = 'https://app.test' } = options;
  const clock = createClock(startAt);
  const chance = createChance(seed);
  const requests: ReceivedRequest[] = [];
  const clients = new Map<SimulatedClient, ClientParts>();
  const browsers: BrowserParts[] = [];
  let lastId = 0;
  let lastKey = 0;
  /** The file that shared streams load, which takes real time. */
  let sharedStream: Promise<unknown> | null = null;

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

  function addClient(clientOptions?: ClientOptions & { tab?: TabParts }): SimulatedClient {
    // Each client has its own random numbers, so that a request of one client does not change the faults of another.
    const parts = createClient(
      server,
      createChance(chance.between(0, 0xffff_ffff)),
      () => `id-${++lastId}`,
      clientOptions,
    );
    clients.set(parts.client, parts);
    return parts.client;
  }

  function createBrowser(): SimulatedBrowser {
    sharedStream ??= loadShare();
    const browser = createBrowserParts(clock, createChance(chance.between(0, 0xffff_ffff)));
    browsers.push(browser);
    return {
      ...browser.controls,
      createTab() {
        const gate = createGate(clock);
        let isNotified = false;
        const client = addClient({ tab: { gate, tabs: browser.tabsOf(gate) } });
        return {
          ...client,
          isFrozen: () => !gate.isOpen(),
          freeze({ isSudden = false } = {}) {
            isNotified = !isSudden;
            if (isNotified) client.page.hide();
            gate.freeze();
            client.link.pause();
          },
          resume() {
            gate.resume();
            client.link.restore();
            if (isNotified) client.page.restore();
          },
          crash() {
            gate.shut();
            client.link.cut();
            browser.forget(gate);
            clients.delete(client);
          },
        };
      },
    };
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
    if (sharedStream !== null) await sharedStream;
    const until = clock.now() + patienceMs;
    for (;;) {
      // Messages that have arrived are read first, because they may start requests.
      await clock.drain();
      let waiting = 0;
      for (const layer of [...clients.values()].flatMap(({ layers }) => layers)) {
        waiting += 1;
        void layer.whenSettled().then(() => (waiting -= 1));
      }
      await clock.drain();
      const inFlight =
        [...clients.values()].reduce((sum, { inFlight: count }) => sum + count(), 0) +
        browsers.reduce((sum, { inTransit }) => sum + inTransit(), 0);
      if (waiting === 0 && inFlight === 0) return;
      if (await clock.step(until)) continue;
      throw new Error(
        `[edict] Simulation: not settled after ${patienceMs / 60_000} minutes: ${waiting} data layers are busy, ` +
          `${inFlight} requests or messages are in flight. A fetch function may be waiting for an event that never happens.`,
      );
    }
  }

  return {
    ...addClient(options),
    hub: hub.hub,
    requests,
    createClient(given = {}) {
      checkClientOptions(given);
      return addClient(given);
    },
    createBrowser,
    route: routes.add,
    now: clock.now,
    random: chance.random,
    sleep,
    advance: (ms) => (sharedStream === null ? clock.advance(ms) : sharedStream.then(() => clock.advance(ms))),
    settled,
    pendingTimers: () => clock.pending('env'),
  };
}
