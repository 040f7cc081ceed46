// Which entries go (D-MEM-1): the unused of old age, then the surplus, least recently used first.

import type { Entry } from './entry.ts';

export interface Eviction {
  readonly entry: Entry;
  readonly reason: 'ttl' | 'capacity';
}

/**
 * @param mayGo not watched, nothing under way
 * @param isHydrating on its way to a screen: it does not go for room
 */
export function evictions(
  entries: readonly Entry[],
  mayGo: (entry: Entry) => boolean,
  isHydrating: (entry: Entry) => boolean,
  now: number,
  ttlMs: number,
  max: number,
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
