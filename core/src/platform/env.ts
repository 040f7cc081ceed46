// The world: everything that is not a function of its arguments (D-NAME-3). This is the only file that names the
// platform's clock, timers, chance, network, page, storage and console.

import { aFunction, aList, anObject, must, mustHave } from '../config/checks.ts';
import { longestTimerMs } from './timers.ts';

/** What a data layer needs of the world. Every member is looked up when it is called, so that fake timers installed later apply. */
export interface Env {
  /** Milliseconds since the epoch; inside a data layer since its start (`clock.ts`). */
  now(): number;
  /** Runs once, after so many milliseconds; answers what `clearTimeout` takes. */
  setTimeout(run: () => void, ms: number): unknown;
  /** Cancels a timer. */
  clearTimeout(handle: unknown): void;
  /** At least 0, below 1. */
  random(): number;
  /** A new unique id, such as a UUID. */
  newId(): string;
  /** Answers requests: the stream's and those of the data layer's `fetch`. */
  fetch(input: string | URL | Request, init?: RequestInit): Promise<Response>;
  /** Reloads the page, hard by D-DIR-12; null outside a browser. */
  reloadPage: ((hard: boolean) => void) | null;
  /** Survives a reload; null where there is none. */
  sessionStore: {
    /** Null where nothing is stored. */
    get(key: string): string | null;
    /** May throw when it is full; that is survived. */
    set(key: string, value: string): void;
  } | null;
  /** The page's life; null outside a browser. */
  page: {
    /** False while the page is hidden. */
    isVisible(): boolean;
    /** False while the browser knows that there is no network. */
    isOnline(): boolean;
    /** Calls back on each change. Returns what ends it. */
    onChange(callback: (what: PageChange) => void): () => void;
  } | null;
  /** For "same origin"; null outside a browser, where that of `sse.baseUrl` counts. */
  origin(): string | null;
  /** Takes what a developer should know. The platform's writes to the console; in production errors only. */
  log(level: 'debug' | 'warn' | 'error', message: string, detail?: unknown): void;
}

/** What happened to the page; `hide` and `restore` are `pagehide`, and `pageshow` from the back/forward cache. */
export type PageChange = 'visibility' | 'network' | 'hide' | 'restore';

declare const process: { env: { NODE_ENV?: string } };

/** Bundlers replace `process.env.NODE_ENV`; where nobody did and there is no `process`, this is a page under development. */
function isProduction(): boolean {
  try {
    return process.env.NODE_ENV === 'production';
  } catch {
    return false;
  }
}

const hardReloadDeadlineMs = 3000;

async function emptyCacheStorage(): Promise<void> {
  const names = typeof caches === 'undefined' ? [] : await caches.keys();
  await Promise.all(names.map((name) => caches.delete(name)));
}

async function requestDocumentAnew(): Promise<void> {
  const answer = await fetch(location.href, { cache: 'reload', credentials: 'same-origin' });
  await answer.text();
}

/** D-DIR-12. Where a cache cannot be passed, a soft reload is what is left; the deadline covers a network that hangs. */
function reloadPage(hard: boolean): void {
  const reload = (): void => location.reload();
  if (!hard) return reload();
  const deadline = new Promise<void>((done) => setTimeout(done, hardReloadDeadlineMs));
  // In this order: a service worker may answer from the Cache Storage. One cache that is out of reach is no reason to trust the other.
  const isPassed = emptyCacheStorage()
    .catch(() => undefined)
    .then(requestDocumentAnew)
    .catch(() => undefined);
  void Promise.race([isPassed, deadline]).then(reload);
}

function storageOfTheSession(): Env['sessionStore'] {
  try {
    const storage = globalThis.sessionStorage;
    if (storage === undefined || storage === null) return null;
    return {
      get: (key) => storage.getItem(key),
      set: (key, value) => storage.setItem(key, value),
    };
  } catch {
    return null; // Access is denied in sandboxed frames.
  }
}

function page(): Env['page'] {
  if (typeof document === 'undefined' || typeof window === 'undefined') return null;
  return {
    isVisible: () => document.visibilityState !== 'hidden',
    isOnline: () => navigator.onLine !== false,
    onChange(callback) {
      const listening = new AbortController();
      const on = (target: EventTarget, event: string, what: PageChange): void =>
        target.addEventListener(
          event,
          // A page that is shown for the first time is no restored one.
          ({ persisted }: Event & { persisted?: boolean }) => {
            if (what !== 'restore' || persisted === true) callback(what);
          },
          listening,
        );
      on(document, 'visibilitychange', 'visibility');
      on(window, 'online', 'network');
      on(window, 'offline', 'network');
      on(window, 'pagehide', 'hide');
      on(window, 'pageshow', 'restore');
      return () => listening.abort();
    },
  };
}

/** A random id where `crypto.randomUUID` is missing (pages without a secure context). */
function randomId(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('');
}

/** The platform's environment. */
export function platformEnv(): Env {
  const isBrowser = typeof document !== 'undefined' && typeof location !== 'undefined';
  return {
    now: () => Date.now(),
    // A longer wait would end at once; who set it looks at the clock and waits again.
    setTimeout: (run, ms) => setTimeout(run, Math.min(ms, longestTimerMs)),
    clearTimeout: (handle) => clearTimeout(handle as ReturnType<typeof setTimeout>), // Only handles of the line above get here.
    random: () => Math.random(),
    newId: () => (typeof crypto.randomUUID === 'function' ? crypto.randomUUID() : randomId()),
    fetch: (input, init) => globalThis.fetch(input, init),
    reloadPage: isBrowser ? reloadPage : null,
    sessionStore: storageOfTheSession(),
    page: page(),
    // A worker has no document, and an origin all the same.
    origin: () => (typeof location === 'undefined' ? null : location.origin),
    log(level, message, detail) {
      if (level !== 'error' && isProduction()) return;
      if (detail === undefined) console[level](`[edict] ${message}`);
      else console[level](`[edict] ${message}`, detail);
    },
  };
}

/** The platform's environment with parts of another. Throws a `TypeError` that names a wrong option, or a part of the wrong type. */
export function worldOf(options: { env?: Partial<Env> }): Env {
  mustHave('createDataLayer: the options', { env: anObject, register: aList }, options, 'createDataLayer: ');
  const { env: own = {} } = options;
  const platform: Env = platformEnv();
  const given = Object.entries(own).filter(([, part]) => part !== undefined);
  for (const [name, part] of given)
    if (typeof platform[name as keyof Env] === 'function' && name !== 'reloadPage')
      must(`createDataLayer: env.${name}`, aFunction, part);
  const env: Env = { ...platform, ...Object.fromEntries(given) };
  return { ...env, log: guarded(env) };
}

/** A console that throws, as some test set-ups make it, must not keep a directive from being applied. */
const guarded =
  (env: Env): Env['log'] =>
  (...told) => {
    try {
      env.log(...told);
    } catch {
      // There is nobody left to tell.
    }
  };

/** A moment as the references show it. */
export const isoTime = (ms: number): string => new Date(ms).toISOString();

/** The platform's clock, for what has no data layer. */
export const platformNow = (): number => Date.now();
