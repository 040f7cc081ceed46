// Inline results: the conditions under which one is cached as fresh (D-DIR-9, D-FETCH-3), and its levels
// (D-DIR-8). In every other case the directive is a plain refresh.

import type { Def, Fetcher, Slot } from '../cache/entry.ts';
import { dev, messageOf } from '../config/describe.ts';
import type { Requesting } from '../fetching/batching.ts';
import type { ListPayload } from '../fetching/listResponse.ts';
import { Failed, payloadOf } from '../fetching/payload.ts';
import { fetcherOf, passes } from '../levels/graph.ts';
import type { LifecycleEvents } from '../events/eventTypes.ts';
import type { Leaf, NormalDirective } from './normalize.ts';
import { audienceOf, type AudienceFacts } from './metadata.ts';
import type { Arrival, LogEntry, Recent } from './recent.ts';

/**
 * One change may reach two audiences, or a response and the stream. The copies arrive within this time, in
 * milliseconds.
 */
const apartMs = 10_000;

export type DirectiveSkipReason = LifecycleEvents['directive:skipped']['reason'];

/** The events of directives that are not applied, or not as they are. */
export interface Unapplied {
  skip: (directive: NormalDirective, reason: DirectiveSkipReason) => void;
  reject: (directive: unknown, issues: LifecycleEvents['directive:rejected']['issues']) => void;
}

/** What shows whether a result is the newest one. */
export interface Judging extends Requesting {
  recent: Recent;
  audiences: AudienceFacts;
}

/**
 * Caches the result of a directive and returns the slots that it covers. Returns none if there is no result, or if
 * the result cannot be cached.
 */
export type ApplyResult = (directive: Leaf, def: Def | undefined, arrival: Arrival) => readonly Slot[];

/**
 * Whether a pushed result is the newest of its record (D-DIR-9). The highest number of its audience is compared
 * separately, because it counts for a response too.
 */
export function isNewestPushed(
  { env, audiences, recent }: Pick<Judging, 'env' | 'audiences' | 'recent'>,
  directive: Pick<Leaf, 'name' | 'record' | 'audience' | 'seq'>,
  isPulled?: boolean,
): boolean {
  const { name, record, audience, seq } = directive;
  const since = env.now() - apartMs;
  /**
   * Whether the order of the two is unknown. If nothing has a `seq`, pushed directives are ordered by their arrival.
   */
  const isApart = (other: LogEntry): boolean =>
    other.at > since &&
    (other.audience !== audienceOf(directive) ||
      (other.seq === null && (isPulled || other.isPulled || seq !== null)));
  return (
    (audience === null || audiences.isSubscribed(audience)) &&
    !audiences.isReplaying(audience) &&
    (seq !== null || !audiences.hasAnySeq()) &&
    !recent.some(name, record, isApart)
  );
}

const unready = dev`an inline result needs a schema that validates synchronously, and ids instead of items`;

export function createInlineResults(needs: Judging & Unapplied): ApplyResult {
  const { env, cache, recent, audiences, fetching, skip, reject } = needs;

  /** The result counts as requested when its mutation was sent (D-FETCH-3). */
  function isNewestPulled(directive: Leaf, mutation: number, slots: readonly Slot[]): boolean {
    const { name, key } = directive;
    const isOther = (other: LogEntry): boolean =>
      other.order > mutation && other.mutation !== mutation && (key === null || other.key !== key);
    const isNewer = ({ answeredOrder, flight, failure }: Slot): boolean =>
      Math.max(answeredOrder, flight?.order ?? 0, failure?.requestedOrder ?? 0) > mutation;
    return !slots.some(isNewer) && !recent.some(name, directive.record, isOther);
  }

  return (directive, def, { isPulled, mutation }) => {
    const { id, level, params, result } = directive;
    if (def === undefined || result === undefined) return [];
    const slots = def.entries.get(directive.record)?.slots ?? [];
    const fetched = slots.filter(fetcherOf); // Those whose level is still registered.
    // The item does not exist anymore (`removeItem`). All cached levels are covered, and no entry is created.
    const isRemoval = level === null && result === null;
    if (isRemoval && fetched.length === 0) return [];
    const only = fetched.length === 1 ? fetched[0] : undefined;
    const mainLevel = level ?? (only && fetcherOf(only)?.check === null ? only.level : 'default');
    const main = def.fetchers.get(mainLevel) as Fetcher; // `defOf` returns no definition without the level.
    const given = isRemoval ? null : payloadOf(def, main, result);
    if (given instanceof Promise || given instanceof Failed) {
      const message = given instanceof Promise ? unready : messageOf(given.error);
      reject(directive.raw, [{ path: 'result', message }]);
      return [];
    }
    const payload = id === null ? (given as ListPayload).data : given; // See `payloadOf`.
    const isNewest =
      !audiences.isPassed(directive) &&
      (mutation === undefined
        ? isNewestPushed(needs, directive, isPulled)
        : isNewestPulled(directive, mutation, slots));
    if (!isNewest) {
      skip(directive, 'outdated');
      return [];
    }
    const entry = id === null ? cache.collection(def, params) : cache.item(def, id);
    const order = mutation ?? cache.nextOrder();
    const fetchedAt = env.now();
    cache.outdate(entry, order); // An older response for a level that is cached later is not fresh.
    fetching.noteRequestAt(fetchedAt); // Data that was cached without a request must be followed too (D-SSE-8).
    const stored = isRemoval
      ? []
      : [cache.store(cache.ensureSlot(entry, mainLevel), payload, order, fetchedAt)];
    for (const slot of fetched) {
      const own = fetcherOf(slot) as Fetcher; // Those without one were left out.
      // The payload has the form of the main level's schema.
      const isSameForm = own.schema === null || own.schema === main.schema;
      const isCovered = level === null && isSameForm && own.check !== null && passes(own.check, payload);
      if (isRemoval || isCovered) stored.push(cache.store(slot, payload, order, fetchedAt));
    }
    // Not by their order: an earlier result of the same response has it too.
    return entry.slots.filter((slot) => stored.flat().includes(slot));
  };
}
