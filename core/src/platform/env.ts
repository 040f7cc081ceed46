// Everything that depends on the environment (D-NAME-3). Only the files in this folder use the platform's clock,
// timers, randomness, network, page, storage, and console.

import type {} from './process.d.ts';
import { isFunction, isList, isObject, must, mustHave, type Checks } from '../config/checks.ts';
import { call, ignore } from './callbacks.ts';
import type { Tabs } from './tabs.ts';
import { longestTimerMs } from './timers.ts';

/**
 * The parts of the platform that a data layer uses. A member is looked up when it is called, so that fake timers that are installed later work.
 * A member that returns a value must not return a promise for it, except `fetch`.
 */
export interface Env {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Calls back once after `ms` milliseconds. Returns a handle for `clearTimeout`. */
  setTimeout(run: () => void, ms: number): unknown;
  /** Cancels a timer. */
  clearTimeout(handle: unknown): void;
  /** A random number, at least 0 and below 1. */
  random(): number;
  /** A new unique id, such as a UUID. */
  newId(): string;
  /** Sends the stream's requests and those of the data layer's `fetch`. */
  fetch(input: string | URL | Request, init?: RequestInit): Promise<Response>;
  /** Reloads the page. A hard reload also bypasses the caches. Null outside a browser. */
  reloadPage: ((hard: boolean) => void) | null;
  /** Storage that survives a reload; null where there is none. */
  sessionStore: {
    /** The stored value, or null. */
    get(key: string): string | null;
    /** May throw when the storage is full. The data layer then continues without it. */
    set(key: string, value: string): void;
  } | null;
  /** The state of the page; null outside a browser. */
  page: {
    /** False while the page is hidden. */
    isVisible(): boolean;
    /** False while the browser reports that it is offline. */
    isOnline(): boolean;
    /** Calls back on each change. Returns a function that unsubscribes. */
    onChange(callback: (what: PageChange) => void): () => void;
  } | null;
  /** Locks and channels of the browser's tabs, for `sse.share`. Default: those of the platform. Null: every tab connects by itself. */
  tabs?: Tabs | null | undefined;
  /**
   * The page's own origin, for same-origin checks. Null outside a browser, where the origin of `sse.baseUrl` is
   * used.
   */
  origin(): string | null;
  /**
   * Receives messages for developers. May be async. By default, messages are written to the console; in production
   * only errors.
   */
  log(level: 'debug' | 'warn' | 'error', message: string, detail?: unknown): void;
}

/**
 * A change of the page. `hide`: the user leaves the page (`pagehide`), or the browser freezes it. `restore`: the
 * page returns from the back/forward cache (`pageshow`), or resumes.
 */
export type PageChange = 'visibility' | 'network' | 'hide' | 'restore';

const hardReloadDeadlineMs = 3000;

/** A service worker may serve the document from the Cache Storage. */
async function emptyCacheStorage(): Promise<void> {
  for (const name of await caches.keys()) await caches.delete(name);
}

async function requestDocument(): Promise<void> {
  await emptyCacheStorage().catch(ignore);
  await (await fetch(location.href, { cache: 'reload' })).text();
}

/** A hard reload empties the caches first. If that fails or takes too long, the reload is soft (D-DIR-12). */
async function reloadPage(hard: boolean): Promise<void> {
  const deadline = (done: () => void): unknown => setTimeout(done, hardReloadDeadlineMs);
  if (hard) await Promise.race([requestDocument().catch(ignore), new Promise<void>(deadline)]);
  location.reload();
}

/** Its accesses throw if the storage is denied, as in a sandboxed frame. */
const sessionStore: Env['sessionStore'] = {
  get: (key) => sessionStorage.getItem(key),
  set: (key, value) => sessionStorage.setItem(key, value),
};

const page = (): Env['page'] => ({
  isVisible: () => document.visibilityState !== 'hidden',
  isOnline: () => globalThis.navigator?.onLine !== false,
  onChange(callback) {
    const changes: [EventTarget, event: string, PageChange][] = [
      [document, 'visibilitychange', 'visibility'],
      [window, 'online', 'network'],
      [window, 'offline', 'network'],
      [window, 'pagehide', 'hide'],
      [window, 'pageshow', 'restore'],
      [document, 'freeze', 'hide'],
      [document, 'resume', 'restore'],
    ];
    // These listeners are removed without a signal, because jsdom rejects a signal of Node's `AbortController`.
    const removals = changes.map(([target, event, change]) => {
      const listener = ({ persisted }: Event & { persisted?: boolean }): void => {
        if (persisted !== false || change !== 'restore') callback(change); // `pageshow` also follows the first load.
      };
      target.addEventListener(event, listener);
      return () => target.removeEventListener(event, listener);
    });
    return () => removals.forEach((remove) => remove());
  },
});

/** Pages without a secure context have no `crypto.randomUUID`. */
const newId = (): string => crypto.getRandomValues(new Uint32Array(4)).join('-');

/** The platform's environment. */
export function platformEnv(): Env {
  const isBrowser = globalThis.document && globalThis.window;
  return {
    now: () => Date.now(),
    // The platform would fire a longer timer immediately. The caller compares the clock and waits again.
    setTimeout: (run, ms) => setTimeout(run, Math.min(ms, longestTimerMs)),
    clearTimeout: (handle) => clearTimeout(handle as ReturnType<typeof setTimeout>), // Only handles of the line above get here.
    random: () => Math.random(),
    newId,
    fetch: (input, init) => fetch(input, init),
    reloadPage: isBrowser ? reloadPage : null,
    sessionStore: isBrowser ? sessionStore : null,
    page: isBrowser ? page() : null,
    // Every browser with locks has channels. Pages of an insecure origin have neither.
    tabs: isBrowser && globalThis.navigator?.locks ? undefined : null,
    // A worker has an origin, but no document.
    origin: () => (typeof location === 'undefined' ? null : location.origin),
    log(level, message, detail) {
      let isShown = level === 'error';
      if (process.env.NODE_ENV !== 'production') isShown = true;
      if (isShown) console[level](`[edict] ${message}`, ...(detail === undefined ? [] : [detail]));
    },
  };
}

/** The platform's environment, with the parts that the options replace. */
export function envOf(options: { env?: Partial<Env> | undefined }): Env {
  const env = platformEnv() as Env & Record<string, unknown>; // Any part may be replaced.
  if (process.env.NODE_ENV !== 'production') checkOptions(options, env);
  const given = (options.env ?? {}) as Record<string, { bind?: (owner: object) => unknown } | null>;
  for (const name in env) {
    const part = given[name];
    // It may be a method of a class, which needs its object. The page's own `fetch` and timers reject another object.
    if (part !== undefined && part !== globalThis[name as never]) env[name] = part?.bind?.(given) ?? part;
  }
  return {
    ...env,
    // A log function that fails must not prevent a directive from being applied, or end the process.
    log: (level, message, detail) =>
      void call(
        () => env.log(level, message, detail),
        (error) => call(() => platformEnv().log('error', `env.log failed: ${message}`, error), ignore),
      ),
  };
}

function checkOptions(options: unknown, platform: Env): void {
  const at = 'createDataLayer: ';
  const known = { env: isObject, register: isList, defaults: isObject };
  const { env = {} } = mustHave(`${at}the options`, known, options, at);
  const optional: Checks = { reloadPage: isFunction, sessionStore: isObject, page: isObject, tabs: isObject };
  for (const name of Object.keys(platform)) {
    const given = (env as Partial<Record<string, unknown>>)[name]; // Just checked to be an object.
    const isMissing = given === undefined || (given === null && name in optional);
    if (!isMissing) must(`${at}env.${name}`, optional[name] ?? isFunction, given);
  }
}

/** What relative addresses are resolved against. An element `<base>` of the page may name another origin. */
export const baseOf = (origin: string | undefined): string | undefined =>
  (origin && origin === globalThis.location?.origin && globalThis.document?.baseURI) || origin;

/** A time in milliseconds as the references show it. */
export const isoTime = (ms: number): string => new Date(ms).toISOString();
