// Own echoes: directives of this client's mutations that arrive by push. They are ignored, because the response
// contains them too. They are kept until the response arrives. If the response is lost, only the echo shows that
// the mutation was committed (D-SRC-4).

import type { Env } from '../platform/env.ts';
import type { Leaf } from './normalize.ts';

/** How long own echoes are applied after a response was lost. */
const graceMs = 60_000;

/** The position in the order of requests identifies a mutation. */
export interface OwnEchoes {
  begin: (mutation: number) => void;
  /**
   * The response was lost, or has arrived. Returns the echoes that arrived since the mutation was sent. Returns
   * none if the response arrived and the response of another mutation may contain them.
   */
  end: (mutation: number, isLost: boolean) => readonly Leaf[];
  /** Returns false if no mutation is in flight. Then the echo is not kept. */
  keep: (echo: Leaf) => boolean;
  /**
   * A connection opens. It may replay the echo of a mutation whose response was lost with the previous connection.
   */
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
    areApplied: () => env.now() <= appliedUntil,
  };
}
