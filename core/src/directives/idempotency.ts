// Idempotency keys (D-DIR-11): the last 1000 for five minutes. Those of reloads are separate, and are stored across the reload.

import { dev } from '../config/describe.ts';
import { isText } from '../config/checks.ts';
import type { Env } from '../platform/env.ts';

const windowMs = 5 * 60_000;
const maxKeys = 1000;
const maxReloadKeys = 2048;
const storageKey = 'edict:reload-keys';

export interface SeenKeys {
  has: (key: string | null) => boolean;
  /** Null is not stored: a directive without a key is no duplicate. */
  add: (key: string | null) => void;
  hasReload: (key: string | null) => boolean;
  /** Stores the key in the session storage immediately, because the page is about to be replaced. */
  addReload: (key: string | null) => void;
  list: () => string[];
}

export function createSeenKeys(env: Env): SeenKeys {
  const seen = new Map<string, number>();
  // One iterator is reused, because a new one would first step over everything that was deleted.
  const oldestFirst = seen.keys();
  let reloads: readonly string[] | null = null;

  // Null is never a key of the map.
  const has = (key: string | null): boolean => env.now() - (seen.get(key as string) ?? -Infinity) < windowMs;

  /** Uses the session storage, which throws if it is full or not accessible. */
  function using<T>(access: () => T): T | undefined {
    try {
      return access();
    } catch (error) {
      env.log('warn', dev`Reload keys: the session storage failed. A reload may be repeated.`, error);
      return undefined;
    }
  }

  function reloadKeys(): readonly string[] {
    const stored: unknown = reloads ?? using(() => JSON.parse(env.sessionStore?.get(storageKey) ?? '[]'));
    return (reloads = Array.isArray(stored) ? stored.filter(isText) : []);
  }

  return {
    has,
    add(key) {
      if (key === null) return;
      seen.delete(key);
      seen.set(key, env.now());
      if (seen.size > maxKeys) seen.delete(oldestFirst.next().value as string); // It is not empty.
    },
    hasReload: (key) => reloadKeys().includes(key as string),
    addReload(key) {
      if (key === null) return;
      reloads = [...reloadKeys(), key].slice(-maxReloadKeys);
      using(() => env.sessionStore?.set(storageKey, JSON.stringify(reloads)));
    },
    list: () => [...seen.keys()].filter(has),
  };
}
