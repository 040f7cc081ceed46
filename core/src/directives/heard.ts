// What directives have named lately, held here or not. Two questions need it: whether a result that comes on one audience may be
// older than what another has said (D-DIR-9), and whether a state that comes from elsewhere may be older than what was said here
// (D-REACT-10).

import type { Env } from '../platform/env.ts';
import type { Id } from '../protocol/directive.ts';
import { DEFAULT_AUDIENCE } from '../protocol/names.ts';
import { onItsWayMs, rememberedMs } from '../hydration/ages.ts';
import { idKey } from '../cache/ids.ts';
import type { Leaf } from './normalize.ts';
import type { Place } from '../stream/sequence.ts';

/** Two audiences tell of one change within this time, but for what is replayed. */
const apartMs = 10_000;
/** So many records are kept without asking which of them still matter. */
const minKept = 1000;

/** What one audience has said of a record, and when last. */
interface Told {
  readonly audience: string;
  at: number;
  /** The last time without a number: no cursor tells whether a state is from before it. */
  unnumberedAt: number;
  /** The highest number. */
  seq: number;
}

/** The id of an item; null: all of the name, which is also what all params sets of a collection are. */
type RecordKey = Id | null;

export interface Heard {
  /** A directive has said that this changed. */
  note: (directive: Leaf, place: Place) => void;
  /** The same has been said here before, by another way; the number is new. */
  noteNumber: (directive: Leaf, place: Place) => void;
  /** All that this audience says after this number will be known. */
  countFrom: (audience: string, seq: number) => void;
  /** An envelope of this audience came; a position says that nothing before it is missing any more. */
  follow: (audience: string, isPosition: boolean) => void;
  /**
   * On a new connection these audiences first repeat what was missed, until their position.
   * @param from what was said before this moment is not repeated; null: nothing is left out
   */
  replay: (audiences: readonly string[], from: number | null) => void;
  /** The connection is lost. What is requested from now on may be newer than what the next one repeats. */
  interrupt: () => void;
  /**
   * An answer that was requested after this place in the order may be newer than what the audience says now: it repeats what was said
   * while nobody listened. Infinity: it repeats nothing.
   */
  repeatedFrom: (audience: string | null) => number;
  /** Something that was said until this moment was not heard. Default: until now, and what looks younger may have been read before. */
  miss: (until?: number) => void;
  /** Whether anything was heard. */
  hasAny: () => boolean;
  /** Whether something that was said since this moment was not heard. */
  hasMissedSince: (moment: number) => boolean;
  /** Whether another audience has said so, too: just now, or since this one was last heard of, where this is replayed. */
  hasOther: (directive: Leaf, audience: string | null) => boolean;
  /**
   * Whether a state that looks as if it was read at this moment may be from before a directive that named the record, heard or not. All
   * params sets of a collection are one.
   * @param onlyUnnumbered cursors have settled that for directives with a number
   */
  mayPredate: (name: string, id: RecordKey, moment: number, onlyUnnumbered: boolean) => boolean;
  /** Whether all is known that this audience has said after this number. */
  isKnownFrom: (audience: string, seq: number) => boolean;
  /** Whether the record was named after these numbers, by audience. */
  isNamedAfter: (name: string, id: RecordKey, cursors: ReadonlyMap<string, number>) => boolean;
}

const keyOf = (directive: Leaf): RecordKey =>
  directive.kind === 'item' && directive.id !== null ? idKey(directive.id) : null;

/** @param isSeveral whether this client listens to several audiences */
export function createHeard(env: Env, nextOrdinal: () => number, isSeveral: () => boolean): Heard {
  /** By name and key; one for each audience. */
  const records = new Map<string, Map<RecordKey, Told[]>>();
  let size = 0;
  let maxSize = minKept;
  /** The last time of any that was dropped, and without a number: a state that is older than that may be from before it. */
  const dropped = { at: -Infinity, unnumberedAt: -Infinity };
  /** Where the numbers of each audience begin of which all is known: no gap, and no record that was dropped. */
  const knownFrom = new Map<string, number>();
  /** When each audience was last heard of with nothing missing. */
  const followedAt = new Map<string, number>();
  /** Those that are being replayed. */
  let replayed = new Set<string>();
  /** When the connection opened that replays. */
  let replayedAt = -Infinity;
  /** When a connection was lost, in the order of requests and results. */
  let interruptedAt = Infinity;
  /** What was said before this moment may never have been heard. */
  let deafUntil = -Infinity;

  const isKnownFrom = (audience: string, seq: number): boolean =>
    seq >= (knownFrom.get(audience) ?? Infinity);

  function drop({ audience, at, unnumberedAt, seq }: Told): void {
    dropped.at = Math.max(dropped.at, at);
    dropped.unnumberedAt = Math.max(dropped.unnumberedAt, unnumberedAt);
    if (isKnownFrom(audience, seq)) knownFrom.set(audience, seq);
  }

  function forget(): void {
    const since = env.now() - rememberedMs;
    size = 0;
    for (const [name, ids] of records) {
      for (const [id, all] of ids) {
        // A record stays as long as any audience has named it lately.
        if (all.some(({ at }) => at >= since)) continue;
        all.forEach(drop);
        ids.delete(id);
      }
      size += ids.size;
      if (ids.size === 0) records.delete(name);
    }
    maxSize = Math.max(minKept, size * 2);
  }

  /** Of the record, or of all that have its name. */
  function anyOf(name: string, id: RecordKey, isSought: (told: Told) => boolean): boolean {
    const ids = records.get(name);
    const ofAll = ids?.get(null)?.some(isSought) === true;
    return ofAll || (id !== null && ids?.get(id)?.some(isSought) === true);
  }

  function toldOf(directive: Leaf, audience: string): Told {
    const key = keyOf(directive);
    let all = records.get(directive.name)?.get(key);
    if (all === undefined) {
      if (size >= maxSize) forget(); // First: what is new is not to go with it.
      let ids = records.get(directive.name);
      if (ids === undefined) records.set(directive.name, (ids = new Map()));
      ids.set(key, (all = []));
      size++;
    }
    let told = all.find((one) => one.audience === audience);
    if (told === undefined)
      all.push((told = { audience, at: -Infinity, unnumberedAt: -Infinity, seq: -Infinity }));
    return told;
  }

  const hasMissedSince = (moment: number): boolean => moment < deafUntil;

  return {
    note(directive, { audience, seq }) {
      const told = toldOf(directive, audience ?? DEFAULT_AUDIENCE);
      told.at = env.now();
      if (seq === null) told.unnumberedAt = told.at;
      else told.seq = Math.max(told.seq, seq);
    },
    noteNumber(directive, { audience, seq }) {
      if (seq === null) return;
      const told = toldOf(directive, audience ?? DEFAULT_AUDIENCE);
      told.seq = Math.max(told.seq, seq);
    },
    countFrom: (audience, seq) => void knownFrom.set(audience, seq),
    follow(audience, isPosition) {
      // Not every server sends positions: what has been open for so long is followed all the same.
      if (isPosition || env.now() - replayedAt > onItsWayMs) replayed.delete(audience);
      if (!replayed.has(audience)) followedAt.set(audience, env.now());
    },
    replay(audiences, from) {
      replayed = new Set(audiences);
      replayedAt = env.now();
      deafUntil = Math.max(deafUntil, from ?? deafUntil); // A hole in the sequence of one audience is not filled by what is repeated of another.
    },
    interrupt() {
      // One that is lost while it repeats leaves the rest to the next one.
      if (replayed.size === 0) interruptedAt = nextOrdinal();
    },
    repeatedFrom: (audience) => (replayed.has(audience ?? DEFAULT_AUDIENCE) ? interruptedAt : Infinity),
    miss(until = env.now() + onItsWayMs) {
      deafUntil = Math.max(deafUntil, until);
    },
    hasAny: () => size > 0 || dropped.at > -Infinity,
    hasMissedSince,
    hasOther(directive, audience) {
      const own = audience ?? DEFAULT_AUDIENCE;
      const isReplayed = replayed.has(own);
      if (!isReplayed && !isSeveral()) return false; // A replay may be that of an audience in the place of another.
      const since = (isReplayed ? (followedAt.get(own) ?? -Infinity) : env.now()) - apartMs;
      return (
        dropped.at > since ||
        anyOf(directive.name, keyOf(directive), (told) => told.audience !== own && told.at > since)
      );
    },
    mayPredate(name, id, moment, onlyUnnumbered) {
      if (!onlyUnnumbered && hasMissedSince(moment)) return true;
      const since = moment - onItsWayMs;
      const isSince = ({ at, unnumberedAt }: Pick<Told, 'at' | 'unnumberedAt'>): boolean =>
        (onlyUnnumbered ? unnumberedAt : at) > since;
      return isSince(dropped) || anyOf(name, id, isSince);
    },
    isKnownFrom,
    isNamedAfter: (name, id, cursors) =>
      anyOf(name, id, ({ audience, seq }) => seq > (cursors.get(audience) ?? -Infinity)),
  };
}
