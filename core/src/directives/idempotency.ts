// Idempotency keys (D-DIR-11): the last 1000 for five minutes. Those of reloads are separate, and are stored across the reload.

import type { Env } from '../platform/env.ts';

const windowMs = 5 * 60_000;
const maxKeys = 1000;
const maxReloadKeys = 2048;
const storageKey = 'edict:reload-keys';

export interface SeenKeys {
  has: (key: string) => boolean;
  add: (key: string) => void;
  hasReload: (key: string) => boolean;
  /** Stores the key in the session storage immediately, because the page is about to be replaced. */
  addReload: (key: string) => void;
  list: () => string[];
}

/** Drops the oldest keys above the limit. */
function bound(keys: Set<string>, limit: number): void {
  for (const oldest of keys.keys()) {
    if (keys.size <= limit) return;
    keys.delete(oldest);
  }
}

export function createSeenKeys(env: Env): SeenKeys {
  const seen = new Map<string, number>();
  // One iterator for all: a new one would first step over everything that was deleted.
  const oldestFirst = seen.keys();
  let reloads: Set<string> | null = null;

  const isWithin = (at = -Infinity): boolean => env.now() - at < windowMs;

  function readReloads(): Set<string> {
    if (reloads !== null) return reloads;
    reloads = new Set();
    try {
      const stored: unknown = JSON.parse(env.sessionStore?.get(storageKey) ?? '[]');
      if (Array.isArray(stored))
        for (const key of stored as unknown[]) if (typeof key === 'string') reloads.add(key);
    } catch (error) {
      env.log('warn', 'the remembered reload keys could not be read', error);
    }
    return reloads;
  }

  return {
    has: (key) => isWithin(seen.get(key)),
    add(key) {
      seen.delete(key);
      seen.set(key, env.now());
      if (seen.size <= maxKeys) return;
      const oldest = oldestFirst.next();
      if (oldest.done !== true) seen.delete(oldest.value);
    },
    hasReload: (key) => readReloads().has(key),
    addReload(key) {
      const keys = readReloads().add(key);
      bound(keys, maxReloadKeys);
      try {
        env.sessionStore?.set(storageKey, JSON.stringify([...keys]));
      } catch (error) {
        env.log('warn', 'the reload key could not be remembered across the reload', error);
      }
    },
    list: () => [...seen].filter(([, at]) => isWithin(at)).map(([key]) => key),
  };
}
