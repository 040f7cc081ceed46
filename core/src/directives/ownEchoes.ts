// Own echoes: directives of this client's mutations that arrive by push. They are ignored, because the response contains them too. Until the
// response arrives they are kept, because it may be lost, and then only the echo shows that the mutation was committed (D-SRC-4).

import type { Env } from '../platform/env.ts';
import type { NormalDirective } from './normalize.ts';

/** How long own echoes are applied after a response was lost. */
const graceMs = 60_000;
/** Further echoes are applied when they arrive. Applying one costs a request. */
const maxKept = 1000;

/** A mutation is identified by its position in the order of requests. */
export interface OwnEchoes {
  begin: (mutation: number) => void;
  /** The response arrived. Returns the echoes that need not be kept any longer. */
  end: (mutation: number) => readonly NormalDirective[];
  /** The response is lost. Returns the echoes that arrived since the mutation was sent. */
  lost: (mutation: number) => NormalDirective[];
  /** Returns false where no mutation is in flight: the echo is not kept. */
  keep: (echo: NormalDirective, order: number) => boolean;
  /** A connection opens. It may replay the echo of a response that was lost with the connection before. */
  connected: () => void;
  /** Whether own echoes are applied when they arrive. */
  areApplied: () => boolean;
}

export function createOwnEchoes(env: Env): OwnEchoes {
  const inFlight = new Set<number>();
  let kept: { echo: NormalDirective; order: number }[] = [];
  let appliedUntil = -Infinity;
  let isLostSinceConnection = false;

  function end(mutation: number): readonly NormalDirective[] {
    inFlight.delete(mutation);
    if (inFlight.size > 0) return [];
    return kept.splice(0).map(({ echo }) => echo);
  }

  return {
    begin: (mutation) => void inFlight.add(mutation),
    end,
    lost(mutation) {
      appliedUntil = env.now() + graceMs;
      isLostSinceConnection = true;
      const echoes = kept.filter(({ order }) => order > mutation).map(({ echo }) => echo);
      kept = kept.filter(({ order }) => order <= mutation);
      end(mutation);
      return echoes;
    },
    keep(echo, order) {
      if (inFlight.size > 0) kept.push({ echo, order });
      return inFlight.size > 0;
    },
    connected() {
      if (isLostSinceConnection) appliedUntil = env.now() + graceMs;
      isLostSinceConnection = false;
    },
    areApplied: () => env.now() <= appliedUntil || kept.length >= maxKept,
  };
}
