// Which entries go (D-MEM-1): the unused of old age, then the surplus, least recently used first.

import type { Entry } from '../entries.ts';

export interface Candidate {
  readonly entry: Entry;
  readonly usedAt: number;
  /** Not watched, nothing under way. */
  readonly mayGo: boolean;
  /** Beyond that: not on its way to a screen. */
  readonly mayGoForRoom: boolean;
}

export interface Eviction {
  readonly entry: Entry;
  readonly reason: 'ttl' | 'capacity';
}

export function evictions(
  candidates: readonly Candidate[],
  now: number,
  ttlMs: number,
  max: number,
): Eviction[] {
  const old = candidates.filter(({ mayGo, usedAt }) => mayGo && now - usedAt >= ttlMs);
  const surplus = candidates.length - old.length - max;
  const forRoom =
    surplus <= 0
      ? []
      : candidates
          .filter(({ mayGoForRoom, usedAt }) => mayGoForRoom && now - usedAt < ttlMs)
          .sort((a, b) => a.usedAt - b.usedAt)
          .slice(0, surplus);
  return [
    ...old.map(({ entry }): Eviction => ({ entry, reason: 'ttl' })),
    ...forRoom.map(({ entry }): Eviction => ({ entry, reason: 'capacity' })),
  ];
}
