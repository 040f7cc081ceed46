// Own echoes: directives of this client's mutations that arrive by push. They are ignored, because the response contains them too. Until the
// response arrives they are kept, because it may be lost, and then only the echo shows that the mutation was committed (D-SRC-4).

import type { Env } from '../platform/env.ts';
import type { Leaf } from './normalize.ts';

/** How long own echoes are applied after a response was lost. */
const graceMs = 60_000;
/** Further echoes are applied when they arrive. Applying one costs a request. */
const maxKept = 1000;

/** A mutation is identified by its position in the order of requests. */
export interface OwnEchoes {
  begin: (mutation: number) => void;
  /**
   * The response is lost, or has arrived. Returns the echoes that arrived since the mutation was sent; none if the response has arrived and
   * that of another mutation may contain them.
   */
  end: (mutation: number, isLost: boolean) => readonly Leaf[];
  /** Returns false if no mutation is in flight: the echo is not kept. */
  keep: (echo: Leaf) => boolean;
  /** A connection opens. It may replay the echo of a response that was lost with the connection before. */
  connected: () => void;
  /** Whether own echoes are applied when they arrive. */
  areApplied: () => boolean;
}

export function createOwnEchoes(env: Env): OwnEchoes {
  const kept = new Map<number, Leaf[]>();
  let appliedUntil = -Infinity;
  let isLostSinceConnection = false;

  return {
    begin: (mutation) => void kept.set(mutation, []),
    end(mutation, isLost) {
      const echoes = kept.get(mutation) ?? [];
      kept.delete(mutation);
      if (isLost) {
        appliedUntil = env.now() + graceMs;
        isLostSinceConnection = true;
      }
      return isLost || kept.size === 0 ? echoes : [];
    },
    keep(echo) {
      for (const echoes of kept.values()) echoes.push(echo);
      return kept.size > 0;
    },
    connected() {
      if (isLostSinceConnection) appliedUntil = env.now() + graceMs;
      isLostSinceConnection = false;
    },
    areApplied: () =>
      env.now() <= appliedUntil || [...kept.values()].some((echoes) => echoes.length >= maxKept),
  };
}
