// Which entries are evicted (D-MEM-1): those that were not used for the TTL, then the surplus, least recently used first.

import type { Entry } from './entry.ts';

export interface Eviction {
  readonly entry: Entry;
  readonly reason: 'ttl' | 'capacity';
}

interface Limits {
  /** Whether the entry is neither watched nor in flight. */
  readonly mayGo: (entry: Entry) => boolean;
  /** Whether a component will show the entry soon: it is not evicted for its size. */
  readonly isHydrating: (entry: Entry) => boolean;
  readonly now: number;
  readonly ttlMs: number;
  readonly max: number;
}

export function evictions(
  entries: readonly Entry[],
  { mayGo, isHydrating, now, ttlMs, max }: Limits,
): Eviction[] {
  const isOld = ({ usedAt }: Entry): boolean => now - usedAt >= ttlMs;
  const free = entries.filter(mayGo);
  const old = free.filter(isOld);
  const surplus = entries.length - old.length - max;
  const forRoom =
    surplus <= 0
      ? []
      : free
          .filter((entry) => !isOld(entry) && !isHydrating(entry))
          .sort((a, b) => a.usedAt - b.usedAt)
          .slice(0, surplus);
  return [
    ...old.map((entry): Eviction => ({ entry, reason: 'ttl' })),
    ...forRoom.map((entry): Eviction => ({ entry, reason: 'capacity' })),
  ];
}
