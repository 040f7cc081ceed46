// One simulated browser tab or process: its link, page, storage, log, and the environment built from them.

import { createDataLayer, type DataLayer, type Env, type InitOptions, type Tabs } from '@edict/core';
import { createGate, type Gate } from './browser.ts';
import type { Chance } from './chance.ts';
import { createLink, type SimulatedLink } from './link.ts';
import { createNetwork, type ServerSide } from './network.ts';
import { createPage, type SimulatedPage } from './page.ts';

/** One line of a client's log. */
export interface LogLine {
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** The severity. */
  readonly level: 'debug' | 'warn' | 'error';
  /** The text. */
  readonly message: string;
  /** The details of the line, such as an error. */
  readonly detail: unknown;
}

/** A recorded request for a reload. The page itself continues. Create a new data layer if the test needs one. */
export interface Reload {
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** Whether the reload bypasses caches. */
  readonly hard: boolean;
}

/** One client of a simulation. */
export interface SimulatedClient {
  /** For `createDataLayer({ env })`. A test may spread and change it. `settled` does not wait for such a data layer. */
  readonly env: Env;
  /** The link to the server. */
  readonly link: SimulatedLink;
  /** The page. */
  readonly page: SimulatedPage;
  /** The content of `sessionStorage`. It survives reloads. */
  readonly sessionStore: Map<string, string>;
  /** The requested reloads, oldest first. */
  readonly reloads: readonly Reload[];
  /** The log, oldest first. */
  readonly log: readonly LogLine[];
  /** Creates a data layer in the environment of this client and calls `init`. */
  createDataLayer: (init?: InitOptions) => DataLayer;
}

/** The tab that the client represents. */
export interface TabParts {
  gate: Gate;
  tabs: Tabs;
}

/** Options of a client. */
export interface ClientOptions {
  /** False for a client outside a browser: without page, reload, storage, and origin. Default true. */
  isBrowser?: boolean;
}

/** A client and its internal state, for the simulation. */
export interface ClientParts {
  client: SimulatedClient;
  layers: DataLayer[];
  /** Requests, messages, and resyncs in flight. */
  inFlight: () => number;
}

/** Counts a scheduled resync of a data layer, which `whenSettled` does not wait for. */
function watchResync(layer: DataLayer): () => number {
  let due = 0;
  layer.onLifecycle('sse:resync-scheduled', () => (due = 1));
  layer.onLifecycle('sse:resync-dispatch', () => (due = 0));
  layer.onLifecycle('sse:close', ({ detail }) => {
    if (detail.reason === 'disconnect' || detail.reason === 'dispose') due = 0;
  });
  return () => due;
}

export function createClient(
  server: ServerSide,
  chance: Chance,
  newId: () => string,
  { isBrowser = true, tab }: ClientOptions & { tab?: TabParts } = {},
): ClientParts {
  const { clock, origin } = server;
  const parts = createLink(clock, chance);
  const network = createNetwork(server, parts);
  const { page, env: pageEnv } = createPage();
  const sessionStore = new Map<string, string>();
  const reloads: Reload[] = [];
  const log: LogLine[] = [];
  const layers: DataLayer[] = [];
  const resyncs: (() => number)[] = [];
  const gate = tab?.gate ?? createGate(clock);

  const env: Env = {
    now: clock.now,
    setTimeout: gate.setTimeout,
    clearTimeout: gate.clearTimeout,
    random: chance.random,
    newId,
    fetch: network.fetch,
    reloadPage: isBrowser ? (hard) => void reloads.push({ at: clock.now(), hard }) : null,
    sessionStore: isBrowser
      ? {
          get: (key) => sessionStore.get(key) ?? null,
          set: (key, value) => void sessionStore.set(key, value),
        }
      : null,
    page: isBrowser ? pageEnv : null,
    tabs: tab?.tabs ?? null,
    origin: () => (isBrowser ? origin : null),
    log: (level, message, detail) => void log.push({ at: clock.now(), level, message, detail }),
  };

  return {
    layers,
    inFlight: () => resyncs.reduce((sum, due) => sum + due(), network.inFlight() + parts.inTransit()),
    client: {
      env,
      link: parts.link,
      page,
      sessionStore,
      reloads,
      log,
      createDataLayer(init = {}) {
        const layer = createDataLayer({ env });
        layers.push(layer);
        resyncs.push(watchResync(layer));
        layer.init(init);
        return layer;
      },
    },
  };
}
