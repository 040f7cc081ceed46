// The memory of idempotency keys (D-DIR-11): the last 1000 for five minutes; those of reloads apart, kept across the reload.

import type { Env } from '../platform/env.ts';
import type { DirectivePath } from '../types/delivery.ts';

const windowMs = 5 * 60_000;
const maxKeys = 1000;
const maxReloadKeys = 2048;
const storageKey = 'edict:reload-keys';

export interface SeenKeys {
  has: (key: string) => boolean;
  add: (key: string, path: DirectivePath) => void;
  /** Whether the key came with the answer of a mutation. */
  wasPulled: (key: string) => boolean;
  hasReload: (key: string) => boolean;
  /** Remembers it in the session storage at once: the page is about to go. */
  addReload: (key: string) => void;
  list: () => string[];
}

/** Drops the oldest beyond the limit; a Set is in the order of insertion. */
function bound(keys: Set<string>, limit: number): void {
  for (const oldest of keys.keys()) {
    if (keys.size <= limit) return;
    keys.delete(oldest);
  }
}

export function createSeenKeys(env: Env): SeenKeys {
  const seen = new Map<string, number>();
  // One walk for all: a new one would begin by stepping over all that was dropped before.
  const oldestFirst = seen.keys();
  const pulled = new Set<string>();
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
    add(key, path) {
      if (path === 'pull') bound(pulled.add(key), maxKeys);
      seen.delete(key);
      seen.set(key, env.now());
      if (seen.size <= maxKeys) return;
      const oldest = oldestFirst.next();
      if (oldest.done !== true) seen.delete(oldest.value);
    },
    wasPulled: (key) => pulled.has(key),
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
