// The cached records. An entry is a collection with one params set, or an item with its levels. A slot is the part that one request fetches:
// one level of an item, or a whole collection entry. Only store.ts assigns to their fields.

import type { Clock } from '../platform/clock.ts';
import type { Id } from '../protocol/directive.ts';
import { idKey } from './ids.ts';
import { reaches, type LevelGraph } from '../levels/graph.ts';
import type { FetchContext, RetryOptions } from '../types/configs.ts';
import type { CollectionData, Reference } from '../types/references.ts';
import type { StandardSchema } from '../types/standardSchema.ts';
import type { Watchers } from './subscribers.ts';

/** How one level of a type, or a collection, is fetched and judged. */
export interface Fetcher {
  readonly level: string;
  readonly fetch: (entry: Entry, ctx: FetchContext) => unknown;
  readonly bulkFetch: ((ids: Id[], level: string, ctx: FetchContext) => unknown) | null;
  readonly check: ((data: unknown) => boolean) | null;
  readonly schema: StandardSchema | null;
  readonly stalenessMs: number;
  readonly timeoutMs: number;
  /** Additional attempts after a failed one. */
  readonly retry: RetryOptions;
}

/** The items that a collection contains: the `of` and the `level` of its config. */
export interface ListItems {
  readonly type: string;
  readonly level: string;
  /** The registered type; undefined if there is none of that name. */
  readonly def: () => Def | undefined;
}

/** A registered type or collection. Registering again replaces the fields and keeps the entries (D-REG-1). */
export interface Def {
  readonly kind: 'item' | 'collection';
  readonly name: string;
  /** By `idKey` of an item's id, or by the canonical params. */
  readonly entries: Map<Id, Entry>;
  fetchers: ReadonlyMap<string, Fetcher>;
  /** The fetcher of the default level, which most reads use. */
  main: Fetcher;
  graph: LevelGraph;
  getId: (item: unknown) => unknown;
  /** Null unless the definition is a collection with `of`. */
  of: ListItems | null;
  /** The clock of its data layer. */
  readonly clock: Pick<Clock, 'now' | 'sinceEpoch'>;
}

/** One request for one slot. */
export interface Flight {
  readonly slot: Slot;
  /** Its place in the order of requests, marks and results. */
  readonly ordinal: number;
  /** Its number; `qidOf` names it. Requests that one call serves have the same. */
  readonly query: number;
  readonly force: boolean;
  silent: boolean;
  /** A directive or a resync asked for it (D-FETCH-10). */
  readonly owed: boolean;
  /** A result that came inline meanwhile has made its answer worthless (D-FETCH-3). */
  isVoid: boolean;
  /** Slots that count on the payload's conversions, and are fetched themselves where it lacks them (D-LEVEL-3). */
  needs: Slot[] | null;
}

/** The kind of a request. */
export interface Demand {
  /** It does not show as loading (D-FETCH-5). */
  readonly silent: boolean;
  /** `force: true`: neither cached data nor a request in flight is new enough (D-FETCH-2). */
  readonly forced: boolean;
  /** A directive or a resync asked for it (D-FETCH-10). */
  readonly owed: boolean;
}

/** The kind that most reads need. */
export const ordinary: Demand = { silent: false, forced: false, owed: false };

/** The kind that directives and resyncs need. */
export const refetch: Demand = { silent: false, forced: false, owed: true };

/** An ordinary read, one of several that follow each other in tasks of their own, because React renders each suspended component in its own task. */
export const scattered: Demand = { ...ordinary };

/** The kind of one request that serves both. */
export const jointDemand = (a: Demand, b: Demand): Demand => ({
  silent: a.silent && b.silent,
  forced: a.forced || b.forced,
  owed: a.owed || b.owed,
});

/** A follow-up that starts when the request in flight settles (D-FETCH-2). */
export interface FollowUp extends Demand {
  /** Slots that count on the conversions of its payload. */
  readonly needs: Slot[] | null;
}

/** A place in a coalescing window (D-DIR-5, D-DIR-7). */
export interface Wait extends Demand {
  /** The slot was read, so it is loading. A wait without a reader is silent. */
  readonly read: boolean;
}

/** The last failure, until a response resolves it. */
export interface Failure {
  readonly error: unknown;
  readonly message: string;
  /** The time of the failure, in the order of requests, marks, and results. */
  readonly ordinal: number;
  /** The ordinal of the request that failed. The response of an older request does not resolve the failure. */
  readonly requested: number;
}

export interface Slot {
  readonly entry: Entry;
  readonly level: string;
  /** The slot of its entry that was cached next. */
  after: Slot | null;
  payload: unknown;
  /** The time at which the payload was applied, or null. */
  stamp: number | null;
  /** The ordinal of the request or inline result of the payload; 0 if there is none. */
  answered: number;
  /** The ordinal of the last stale mark. A response that was requested before it is not fresh. */
  marked: number;
  /** A list has stored the payload, and nothing has read it since. The first read is served without a request, whatever its age. */
  isUnread: boolean;
  failure: Failure | null;
  flight: Flight | null;
  followUp: FollowUp | null;
  wait: Wait | null;
}

/** The fields that every read accesses come first, so that they are close together in memory. */
export interface Entry {
  readonly def: Def;
  /**
   * The held slots, linked in the order they came to be: asked for, derived, given inline or hydrated (D-LEVEL-4). Most entries
   * have one, and a list of one would cost half as much as what is in it.
   */
  first: Slot | null;
  readonly ref: Reference;
  watchers: Watchers;
  /** The time of the last read or watch. */
  usedAt: number;
  /** Counts the visible changes. */
  version: number;
  loading: boolean;
  /** Changed in the current batch. */
  changed: boolean;
  /** The number of the newest request; 0 if there was none. */
  query: number;
  /** The ordinal of the last stale mark of any level, held or not. */
  marked: number;
  /** The id of an item as it was first passed (D-REG-5), or the canonical params of a collection. */
  readonly id: Id;
  /** Undefined for an item. */
  readonly params: object | undefined;
}

/** A slot without a request. */
export const newSlot = (entry: Entry, level: string): Slot => ({
  entry,
  level,
  after: null,
  payload: undefined,
  stamp: null,
  answered: 0,
  marked: entry.marked, // Its response may have been requested before the mark (D-FETCH-2).
  isUnread: false,
  failure: null,
  flight: null,
  followUp: null,
  wait: null,
});

export const emptyCollection: CollectionData = Object.freeze({ ids: Object.freeze([]), count: 0 });

export const isWatched = (entry: Entry): boolean => entry.watchers !== null;

/** Whether a request is in flight or queued for the slot. */
export const isBusy = (slot: Slot): boolean =>
  slot.flight !== null || slot.followUp !== null || slot.wait !== null;

/** Whether it is being requested; a read that waits for its window counts (D-FETCH-5). */
export const isRequested = (slot: Slot): boolean => slot.flight !== null || slot.wait?.read === true;

/** Where the entry stands in its definition's table. */
export const keyOf = ({ def, id }: Entry): Id => (def.kind === 'item' ? idKey(id) : id);

/** Whether it is in its definition's table: not once it was evicted. */
export const isCached = (entry: Entry): boolean => entry.def.entries.get(keyOf(entry)) === entry;

/** A request as it is named to the outside. */
export const qidOf = (query: number): string => `q${query}`;

/** The held slots, as a list. */
export function slotsOf({ first }: Entry): Slot[] {
  if (first === null) return [];
  const slots = [first]; // Of its exact size: one that grows from nothing makes room for sixteen more.
  for (let slot = first.after; slot !== null; slot = slot.after) slots.push(slot);
  return slots;
}

/** Whether its entry holds no other. */
export const isOnly = (slot: Slot): boolean => slot.after === null && slot.entry.first === slot;

export function hasSlot({ first }: Entry, isSought: (slot: Slot) => boolean): boolean {
  let slot = first;
  while (slot !== null && !isSought(slot)) slot = slot.after;
  return slot !== null;
}

/** Whether a request with a higher ordinal, or one that is queued, is to bring it by a conversion. */
export const isPromised = (slot: Slot, ordinal = 0): boolean =>
  hasSlot(
    slot.entry,
    ({ flight, followUp }) =>
      (flight !== null && flight.ordinal > ordinal && flight.needs?.includes(slot) === true) ||
      followUp?.needs?.includes(slot) === true,
  );

/** The request in flight of another level that converts to this one (D-LEVEL-6). */
export function requestThatConverts(slot: Slot): Flight | null {
  const { first, def } = slot.entry;
  for (let other = first; other !== null; other = other.after) {
    const { flight, level } = other;
    if (flight === null || flight.isVoid || flight.ordinal < slot.marked) continue;
    if (reaches(def.graph, level, slot.level)) return flight;
  }
  return null;
}
