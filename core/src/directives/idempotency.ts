// Idempotency keys (D-DIR-11): the last 1000 for five minutes. Those of reloads are separate, and are stored across the reload.

import { isText } from '../config/checks.ts';
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

export function createSeenKeys(env: Env): SeenKeys {
  const seen = new Map<string, number>();
  // One iterator for all: a new one would first step over everything that was deleted.
  const oldestFirst = seen.keys();
  let reloads: readonly string[] | null = null;

  const isWithin = (at = -Infinity): boolean => env.now() - at < windowMs;

  function readReloads(): readonly string[] {
    let stored: unknown = [];
    try {
      if (reloads === null) stored = JSON.parse(env.sessionStore?.get(storageKey) ?? '[]');
    } catch (error) {
      env.log('warn', 'Reload keys: the session storage could not be read. A reload may be repeated.', error);
    }
    return (reloads ??= Array.isArray(stored) ? stored.filter(isText) : []);
  }

  return {
    has: (key) => isWithin(seen.get(key)),
    add(key) {
      seen.delete(key);
      seen.set(key, env.now());
      if (seen.size > maxKeys) seen.delete(oldestFirst.next().value as string); // It is not empty.
    },
    hasReload: (key) => readReloads().includes(key),
    addReload(key) {
      reloads = [...readReloads(), key].slice(-maxReloadKeys);
      try {
        env.sessionStore?.set(storageKey, JSON.stringify(reloads));
      } catch (error) {
        env.log(
          'warn',
          'Reload keys: the session storage is full or closed. A reload may be repeated.',
          error,
        );
      }
    },
    list: () => [...seen].filter(([, at]) => isWithin(at)).map(([key]) => key),
  };
}
