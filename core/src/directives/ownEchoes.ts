// Own echoes: directives of this client's mutations that arrive by push. They are ignored, because the response
// contains them too. They are kept until the response arrives. If the response is lost, only the echo shows that
// the mutation was committed (D-SRC-4).

import type { Env } from '../platform/env.ts';
import type { Leaf } from './normalize.ts';

/** How long own echoes are applied after a response was lost. */
const graceMs = 60_000;

export interface OwnEchoes {
  /**
   * A mutation is sent. The returned function is called when its response was lost, or has arrived. It returns the
   * echoes that arrived in between. It returns none if the response arrived and the response of another mutation may
   * contain them.
   */
  begin: () => (isLost: boolean) => readonly Leaf[];
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
  /** One list for each mutation in flight. */
  const kept = new Set<Leaf[]>();
  let appliedUntil = -Infinity;
  let isLostSinceConnection = false;

  return {
    begin() {
      const echoes: Leaf[] = [];
      kept.add(echoes);
      return (isLost) => {
        kept.delete(echoes);
        if (isLost) {
          appliedUntil = env.now() + graceMs;
          isLostSinceConnection = true;
        }
        return isLost || kept.size === 0 ? echoes : [];
      };
    },
    keep(echo) {
      for (const echoes of kept) echoes.push(echo);
      return kept.size > 0;
    },
    connected() {
      if (isLostSinceConnection) appliedUntil = env.now() + graceMs;
      isLostSinceConnection = false;
    },
    areApplied: () => env.now() <= appliedUntil,
  };
}
