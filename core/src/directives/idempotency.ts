// Idempotency keys (D-DIR-11): the last 1000 for five minutes. Those of reloads are separate, and are stored across the reload.

import { dev } from '../config/describe.ts';
import { isList, isText } from '../config/checks.ts';
import { call } from '../platform/callbacks.ts';
import type { Env } from '../platform/env.ts';

const windowMs = 5 * 60_000;
const maxKeys = 1000;
const maxReloadKeys = 2048;
const storageKey = 'edict:reload-keys';

export interface SeenKeys {
  has: (key: string | null) => boolean;
  /** Null is not stored: a directive without a key is no duplicate. */
  add: (key: string | null) => void;
  /**
   * Whether a reload with this key was made before. If not, stores the key in the session storage immediately, because the page is about to be
   * replaced.
   */
  isRepeatedReload: (key: string) => boolean;
  list: () => string[];
}

/** The keys of reloads, which survive a reset. Absent: not read from the session storage yet. */
export interface Reloads {
  keys?: readonly string[];
}

export function createSeenKeys(env: Env, reloads: Reloads): SeenKeys {
  const seen = new Map<string, number>();
  // One iterator is reused, because a new one would first step over everything that was deleted.
  const oldestFirst = seen.keys();

  // Null is never a key of the map.
  const has = (key: string | null): boolean => env.now() - (seen.get(key as string) ?? -Infinity) < windowMs;

  /** Uses the session storage, which throws if it is full or not accessible. */
  const using = (access: () => unknown): unknown =>
    call(access, (error) =>
      env.log('warn', dev`Reload keys: the session storage failed. A reload may be repeated.`, error),
    );

  return {
    has,
    add(key) {
      if (key === null) return;
      seen.set(key, env.now());
      if (seen.size > maxKeys) seen.delete(oldestFirst.next().value as string); // It is not empty.
    },
    isRepeatedReload(key) {
      const stored = reloads.keys ?? using(() => JSON.parse(env.sessionStore?.get(storageKey) ?? '[]'));
      const keys = isList(stored) ? stored.filter(isText) : [];
      if (keys.includes(key)) return true;
      reloads.keys = [...keys, key].slice(-maxReloadKeys);
      using(() => env.sessionStore?.set(storageKey, JSON.stringify(reloads.keys)));
      return false;
    },
    list: () => [...seen.keys()].filter(has),
  };
}
