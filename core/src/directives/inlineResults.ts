// Inline results: when one is cached as fresh (D-DIR-9, D-FETCH-3), and for which levels (D-DIR-8). In every other case the directive is a
// plain refresh.

import type { Cache } from '../cache/store.ts';
import type { Def, Entry, Slot } from '../cache/entry.ts';
import { hasSlot, slotsOf } from '../cache/entry.ts';
import { messageOf } from '../config/describe.ts';
import type { Env } from '../platform/env.ts';
import type { AudienceFacts } from './metadata.ts';
import { collectionData } from '../fetching/listResponse.ts';
import { itemPayload, validate } from '../fetching/responses.ts';
import { passes } from '../levels/checks.ts';
import { fetcherFor, fetcherOf } from '../levels/graph.ts';
import type { Leaf } from './normalize.ts';
import { resultKeyOf, type Recent } from './recent.ts';
import type { StandardSchema } from '../types/standardSchema.ts';

interface Needs {
  env: Env;
  cache: Cache;
  recent: Recent;
  audiences: AudienceFacts;
  noteRequestAt: (at: number) => void;
  /** The result is not the newest. */
  skip: (directive: Leaf) => void;
  reject: (directive: Leaf, path: string, message: string) => void;
}

const none: readonly Slot[] = [];

const schemaOf = (def: Def, level: string): StandardSchema | null => fetcherFor(def, level)?.schema ?? null;

/** The level whose schema reads the result (D-DIR-8). */
function mainLevel({ level }: Leaf, slots: readonly Slot[]): string {
  const [only, second] = slots;
  const isOnly = only !== undefined && second === undefined && fetcherOf(only)?.check === null;
  return level ?? (isOnly ? only.level : 'default');
}

/** Whether a payload in the form of the main level's schema is one of the slot's level too (D-DIR-8). */
function isAlsoOf(slot: Slot, main: string, payload: unknown): boolean {
  const { level, entry } = slot;
  const { schema = null, check = null } = fetcherOf(slot) ?? {};
  const isSameForm = schema === null || schema === schemaOf(entry.def, main);
  return level !== main && isSameForm && check !== null && passes(check, payload);
}

/** Caches the result of a directive and returns the slots that it covers; none if there is no result, or none that may be cached. */
export type ApplyResult = (directive: Leaf, def: Def, mutation: number | undefined) => readonly Slot[];

export function createInlineResults(needs: Needs): ApplyResult {
  const { env, cache, recent, audiences, noteRequestAt, skip, reject } = needs;

  /** D-DIR-9. The order of the conditions is that of the clause. */
  function isNewestPushed(directive: Leaf): boolean {
    const { audience, seq } = directive;
    return (
      (audience === null || audiences.isSubscribed(audience)) &&
      !audiences.isReplaying(audience) &&
      !recent.isNamedApart(directive) &&
      (seq !== null || !audiences.hasAnySeq())
    );
  }

  /** D-FETCH-3. The result counts as requested when its mutation was sent. */
  function isNewestPulled(directive: Leaf, mutation: number, entry: Entry | undefined): boolean {
    const isNewer = ({ answered, flight }: Slot): boolean =>
      Math.max(answered, flight?.order ?? 0) > mutation;
    return !recent.isNamedSince(directive, mutation) && (entry === undefined || !hasSlot(entry, isNewer));
  }

  /** The payload in the form of a level's schema; undefined after rejecting it. */
  function read(directive: Leaf, def: Def, level: string): unknown {
    try {
      const valid = validate(def, schemaOf(def, level), directive.result?.value);
      if (valid instanceof Promise) {
        void valid.catch(() => undefined);
        throw new TypeError('an inline result needs a schema that validates synchronously');
      }
      return def.kind === 'item'
        ? itemPayload(def, valid)
        : collectionData(valid, `The result for "${def.name}"`);
    } catch (error) {
      reject(directive, 'result', messageOf(error));
      return undefined;
    }
  }

  return (directive, def, mutation) => {
    const { kind, id, level, params, result } = directive;
    if (result === null) return none;
    const known = def.entries.get(resultKeyOf(directive));
    const slots = known === undefined ? none : slotsOf(known).filter(fetcherOf);
    // The item does not exist any more (`removeItem`): all cached levels are covered, and no entry is created.
    const isRemoval = kind === 'item' && level === null && result.value === null;
    if (isRemoval && slots.length === 0) return none;
    const main = mainLevel(directive, slots);
    const payload = isRemoval ? null : read(directive, def, main);
    if (payload === undefined) return none;
    const isNewest =
      !audiences.isPassed(directive) &&
      (mutation === undefined ? isNewestPushed(directive) : isNewestPulled(directive, mutation, known));
    if (!isNewest) {
      skip(directive);
      return none;
    }
    const entry = kind === 'item' && id !== null ? cache.item(def, id) : cache.collection(def, params);
    const order = mutation ?? cache.nextOrdinal();
    const stamp = env.now();
    cache.outdate(entry, order); // An older response for a level that is cached later is not fresh.
    noteRequestAt(stamp); // Data that was cached without a request must be followed too (D-SSE-8).
    if (!isRemoval) cache.store(cache.hold(entry, main), payload, order, stamp);
    for (const slot of slots)
      if (isRemoval || (level === null && isAlsoOf(slot, main, payload)))
        cache.store(slot, payload, order, stamp);
    const covered = slotsOf(entry).filter((slot) => slot.answered === order);
    covered.forEach(cache.voidFlight); // Its response is older.
    return covered;
  };
}
