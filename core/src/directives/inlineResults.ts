// Inline results: when one is cached as fresh (D-DIR-9, D-FETCH-3), and for which levels (D-DIR-8). In every other case the directive is a
// plain refresh.

import type { Cache } from '../cache/store.ts';
import type { Def, Entry, Slot } from '../cache/entry.ts';
import { hasSlot, slotsOf } from '../cache/entry.ts';
import type { Env } from '../platform/env.ts';
import type { LifecycleEvents } from '../events/eventTypes.ts';
import type { AudienceFacts, Metadata } from './metadata.ts';
import { collectionData } from '../fetching/listResponse.ts';
import { itemPayload, validate } from '../fetching/responses.ts';
import { passes, suffices } from '../levels/checks.ts';
import { fetcherFor, fetcherOf } from '../levels/graph.ts';
import type { Leaf, NormalDirective } from './normalize.ts';
import type { Recent } from './recent.ts';
import type { StandardSchema } from '../types/standardSchema.ts';

/** How a directive is reported that is not applied, or not as it arrived. */
export interface Report {
  skip: (directive: NormalDirective, reason: LifecycleEvents['directive:skipped']['reason']) => void;
  reject: (directive: unknown, issues: LifecycleEvents['directive:rejected']['issues']) => void;
}

interface Needs {
  env: Env;
  cache: Cache;
  recent: Recent;
  audiences: AudienceFacts;
  noteRequestAt: (at: number) => void;
  report: Report;
}

/** The record that a result is for. */
export interface Goal {
  readonly def: Def;
  /** Undefined: not cached yet. */
  readonly entry: Entry | undefined;
  readonly create: () => Entry;
}

export interface InlineResults {
  /** Caches the result of a directive and returns the slots that it covers; null where there is no result, or none that may be cached. */
  apply: (directive: Leaf, metadata: Metadata, goal: Goal) => readonly Slot[] | null;
}

const schemaOf = (def: Def, level: string): StandardSchema | null => fetcherFor(def, level)?.schema ?? null;

/** Whether the result in the form of the main level's schema is a payload of another level too. */
function isAlsoOf(def: Def, other: string, main: string, data: unknown): boolean {
  const schema = schemaOf(def, other);
  return (schema === null || schema === schemaOf(def, main)) && suffices(def, other, data);
}

/** The levels that a result is for, the main one first (D-DIR-8). */
function levelsOf(result: unknown, directive: Leaf, entry: Entry | undefined): string[] {
  if (directive.kind === 'collection') return ['default'];
  if (directive.level !== null) return [directive.level];
  const slots = entry === undefined ? [] : slotsOf(entry).filter(fetcherOf);
  const checkOf = (slot: Slot): ((data: unknown) => boolean) | null => fetcherOf(slot)?.check ?? null;
  const only = slots[0];
  if (only !== undefined && slots.length === 1 && checkOf(only) === null) return [only.level];
  const accepting = slots.filter((slot) => {
    const check = checkOf(slot);
    return check !== null && passes(check, result);
  });
  return [...new Set(['default', ...accepting.map((slot) => slot.level)])];
}

/** The item does not exist any more (`removeItem`). */
const isRemoval = (directive: Leaf): boolean =>
  directive.kind === 'item' && directive.level === null && directive.result?.value === null;

export function createInlineResults({
  env,
  cache,
  recent,
  audiences,
  noteRequestAt,
  report,
}: Needs): InlineResults {
  /** D-DIR-9. The order of the conditions is that of the clause. */
  function isNewestPushed(directive: Leaf, metadata: Metadata): boolean {
    const { audience, seq } = metadata;
    return (
      !audiences.isPassed(metadata) &&
      (audience === null || audiences.isSubscribed(audience)) &&
      !audiences.isReplaying(audience) &&
      !recent.isNamedApart(directive, metadata) &&
      (seq !== null || !audiences.hasAnySeq())
    );
  }

  /** D-FETCH-3. The result counts as requested when its mutation was sent. */
  function isNewestPulled(
    directive: Leaf,
    metadata: Metadata,
    mutation: number,
    entry: Entry | undefined,
  ): boolean {
    return (
      !audiences.isPassed(metadata) &&
      !recent.isNamedSince(directive, metadata, mutation) &&
      (entry === undefined ||
        !hasSlot(entry, ({ answered, flight }) => Math.max(answered, flight?.ordinal ?? 0) > mutation))
    );
  }

  /** The payload of a level; `undefined` after reporting why the result is none. */
  function read(directive: Leaf, value: unknown, def: Def, level: string): unknown {
    try {
      const valid = validate(def, schemaOf(def, level), value);
      if (valid instanceof Promise) {
        void valid.catch(() => undefined);
        throw new TypeError('an inline result needs a schema that validates synchronously');
      }
      return def.kind === 'item'
        ? itemPayload(def, valid)
        : collectionData(valid, `The result for "${def.name}"`);
    } catch (error) {
      report.reject(directive.own.raw, [
        { path: 'result', message: error instanceof Error ? error.message : String(error) },
      ]);
      return undefined;
    }
  }

  /** The payload, and the levels that it covers; null where there is none. */
  function payloadOf(
    directive: Leaf,
    { def, entry }: Goal,
  ): { payload: unknown; levels: readonly string[] } | null {
    if (directive.result === null) return null;
    if (isRemoval(directive)) {
      // It never creates an entry.
      const levels = entry === undefined ? [] : slotsOf(entry).filter(fetcherOf);
      return levels.length === 0 ? null : { payload: null, levels: levels.map(({ level }) => level) };
    }
    const { value } = directive.result;
    const [main = 'default', ...others] = levelsOf(value, directive, entry);
    const payload = read(directive, value, def, main);
    if (payload === undefined) return null;
    return { payload, levels: [main, ...others.filter((other) => isAlsoOf(def, other, main, payload))] };
  }

  return {
    apply(directive, metadata, goal) {
      const found = payloadOf(directive, goal);
      if (found === null) return null;
      const { requested: mutation } = metadata;
      const isNewest =
        mutation === undefined
          ? isNewestPushed(directive, metadata)
          : isNewestPulled(directive, metadata, mutation, goal.entry);
      if (!isNewest) {
        report.skip(directive, 'outdated');
        return null;
      }
      const entry = goal.create();
      const order = mutation ?? cache.nextOrdinal();
      const stamp = env.now();
      cache.outdate(entry, order); // An older response for a level that is cached later is not fresh.
      noteRequestAt(stamp); // Data that was cached without a request must be followed too (D-SSE-8).
      for (const level of found.levels) cache.store(cache.hold(entry, level), found.payload, order, stamp);
      const covered = slotsOf(entry).filter((slot) => slot.answered === order);
      covered.forEach(cache.voidFlight); // Its response is older.
      return covered;
    },
  };
}
