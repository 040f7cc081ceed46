// Own echoes: directives that this client's mutations have caused, come back over the stream. They are passed over (D-SRC-1), and kept:
// where the answer to a mutation was lost they alone tell that it was committed (D-SRC-4), and where an answer has no numbers
// they have (D-DIR-9).

import type { Env } from '../platform/env.ts';
import { DEFAULT_AUDIENCE } from '../protocol/names.ts';
import type { NormalDirective } from './normalize.ts';
import type { Place } from '../stream/sequence.ts';

const graceMs = 60_000;
/** More echoes than this while one mutation is under way are applied as they come: applying costs a request. */
const maxKept = 1000;

/** A mutation is told apart by where it was sent in the order of requests (D-FETCH-3). */
export interface OwnEchoes {
  begin: (mutation: number) => void;
  /** Returns the echoes that were passed over, once nothing is under way. */
  end: (mutation: number) => readonly NormalDirective[];
  /** Its answer is lost. Returns the echoes that were passed over while it was under way. */
  lost: (mutation: number) => NormalDirective[];
  /** Passes over an own echo: it is kept as long as a mutation is under way, whose answer may be lost. */
  keep: (echo: NormalDirective, ordinal: number, key: string | null) => void;
  /**
   * Where the stream has brought what a mutation is answered with, by the key of the directive or of its wrapper; no audience: wherever
   * it has.
   */
  placesOf: (key: string, audience: string | null) => readonly Place[];
  /** A connection opens: what it repeats may be the echo of an answer that was lost with the connection before. */
  connected: () => void;
  /** Whether own echoes are applied: an answer was lost in the last minute, or there are too many to be kept. */
  areApplied: () => boolean;
}

export function createOwnEchoes(env: Env): OwnEchoes {
  const underWay = new Set<number>();
  let kept: { echo: NormalDirective; ordinal: number }[] = [];
  let openUntil = -Infinity;
  /** An answer was lost since the last connection opened. */
  let hasLost = false;
  /** By key, one for each audience. Also where no mutation is known to be under way: others send some, too (`applyResponse`). */
  const places = new Map<string, Place[]>();

  function note(key: string, place: Place): void {
    const known = places.get(key) ?? [];
    // What is delivered once more is as old as the first time.
    if (!known.some(({ audience }) => audience === place.audience)) known.push(place);
    places.set(key, known);
    const [oldest = key] = places.keys();
    if (places.size > maxKept) places.delete(oldest);
  }

  function end(mutation: number): readonly NormalDirective[] {
    underWay.delete(mutation);
    if (underWay.size > 0) return [];
    return kept.splice(0).map(({ echo }) => echo);
  }

  return {
    begin: (mutation) => void underWay.add(mutation),
    end,
    lost(mutation) {
      openUntil = env.now() + graceMs;
      hasLost = true;
      const echoes = kept.filter(({ ordinal }) => ordinal > mutation).map(({ echo }) => echo);
      kept = kept.filter(({ ordinal }) => ordinal <= mutation); // Another mutation that ends has no say in what is applied.
      end(mutation);
      return echoes;
    },
    placesOf: (key, audience) =>
      (places.get(key) ?? []).filter((place) => audience === null || place.audience === audience),
    connected() {
      if (hasLost) openUntil = env.now() + graceMs;
      hasLost = false;
    },
    areApplied: () => env.now() <= openUntil || kept.length >= maxKept,
    keep(echo, ordinal, key) {
      const { audience, seq } = echo.own;
      if (key !== null && seq !== null) note(key, { audience: audience ?? DEFAULT_AUDIENCE, seq });
      if (underWay.size > 0) kept.push({ echo, ordinal });
    },
  };
}
