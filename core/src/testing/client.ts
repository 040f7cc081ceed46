// One simulated browser tab (or process): its link, page, storage and log, and the environment made of them.

import { createDataLayer, type DataLayer, type Env, type InitOptions } from '@edict/core';
import type { Chance } from './chance.ts';
import { createLink, type SimulatedLink } from './link.ts';
import { createNetwork, type ServerSide } from './network.ts';
import { createPage, type SimulatedPage } from './page.ts';

/** What a client logged. */
export interface LogLine {
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** How serious it is. */
  readonly level: 'debug' | 'warn' | 'error';
  /** The line. */
  readonly message: string;
  /** What came with it, such as an error. */
  readonly detail: unknown;
}

/** A reload that was asked for. The page goes on; make a new data layer where the test needs one. */
export interface Reload {
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** Whether caches were to be passed. */
  readonly hard: boolean;
}

/** One client of a simulation. */
export interface SimulatedClient {
  /** For `createDataLayer({ env })`; may be spread and changed. */
  readonly env: Env;
  /** Its way to the server. */
  readonly link: SimulatedLink;
  /** Its page. */
  readonly page: SimulatedPage;
  /** What `sessionStorage` holds; it outlives reloads. */
  readonly sessionStore: Map<string, string>;
  /** The reloads asked for, oldest first. */
  readonly reloads: readonly Reload[];
  /** What it logged, oldest first. */
  readonly log: readonly LogLine[];
  /** A data layer in this client's environment, on which `init` has been called. */
  createDataLayer: (init?: InitOptions) => DataLayer;
}

/** What a client may lack or have of its own. */
export interface ClientOptions {
  /** False: outside a browser, without page, reload and storage, and with no origin of its own. Default true. */
  isBrowser?: boolean;
}

/** A client with what the simulation asks it. */
export interface ClientParts {
  client: SimulatedClient;
  layers: DataLayer[];
  /** Requests, messages and resyncs under way. */
  underWay: () => number;
}

/** Counts a data layer's resync that is scheduled and not yet begun; `whenSettled` does not speak of it. */
function watchResync(layer: DataLayer): () => number {
  let owed = 0;
  layer.onLifecycle('sse:resync-scheduled', () => (owed = 1));
  layer.onLifecycle('sse:resync-dispatch', () => (owed = 0));
  layer.onLifecycle('sse:close', ({ detail }) => {
    if (detail.reason === 'disconnect' || detail.reason === 'dispose') owed = 0;
  });
  return () => owed;
}

export function createClient(
  server: ServerSide,
  chance: Chance,
  newId: () => string,
  { isBrowser = true }: ClientOptions = {},
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

  const env: Env = {
    now: clock.now,
    setTimeout: (run, ms) => clock.setTimeout(run, ms, 'env'),
    clearTimeout: clock.clearTimeout,
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
    origin: () => (isBrowser ? origin : null),
    log: (level, message, detail) => void log.push({ at: clock.now(), level, message, detail }),
  };

  return {
    layers,
    underWay: () => resyncs.reduce((sum, owed) => sum + owed(), network.underWay() + parts.inTransit()),
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
