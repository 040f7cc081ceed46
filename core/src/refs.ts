// The public faces of entries. What a reader sees is made when it is read, and stays the same object until it changes.

import type { Entry, Slot } from './entries.ts';
import { emptyCollection } from './entries.ts';
import { isoTime } from './env.ts';
import { share } from './rules/equal.ts';
import { isSlotStale } from './rules/freshness.ts';
import { mergePayloads } from './rules/merge.ts';
import type { CollectionMeta, ItemMeta, Reference } from './types.ts';

const isoOrNull = (stamp: number): string | null => (stamp < 0 ? null : isoTime(stamp));

/** The failure that came last and is not resolved. */
function lastFailure(slots: readonly Slot[]): Slot['failure'] {
  let last: Slot['failure'] = null;
  for (const { failure } of slots)
    if (failure !== null && (last === null || failure.ordinal > last.ordinal)) last = failure;
  return last;
}

const isAnyStale = (entry: Entry): boolean =>
  entry.slots.length === 0 || entry.slots.some((slot) => isSlotStale(slot, entry.def.now()));

/** A map of levels: without a prototype, since a level name is data (D-REG-6). */
function byLevel<V>(pairs: readonly (readonly [level: string, value: V])[]): Readonly<Record<string, V>> {
  const map: Record<string, V> = Object.create(null) as Record<string, V>; // Nothing is inherited and all values are V.
  for (const [level, value] of pairs) map[level] = value;
  return Object.freeze(map);
}

const noFailure: ItemMeta['failedLevels'] = byLevel([]);

function itemMeta(entry: Entry): ItemMeta {
  const { slots, loading, queryId } = entry;
  const failure = lastFailure(slots);
  // What the getters below read later must be what was true now.
  const then = slots.map((slot) => ({ level: slot.level, stamp: slot.stamp, failure: slot.failure }));
  let levelStamps: ItemMeta['levelStamps'] | undefined;
  let levelErrors: ItemMeta['levelErrors'] | undefined;
  return {
    isLoading: loading,
    get lastFetchedAny() {
      return isoOrNull(then.reduce((latest, { stamp }) => Math.max(latest, stamp), -1));
    },
    get levelStamps() {
      return (levelStamps ??= byLevel(then.map(({ level, stamp }) => [level, isoOrNull(stamp)])));
    },
    failedLevels:
      failure === null
        ? noFailure
        : byLevel(then.flatMap((slot) => (slot.failure === null ? [] : [[slot.level, true] as const]))),
    get levelErrors() {
      return (levelErrors ??= byLevel(then.map((slot) => [slot.level, slot.failure?.message ?? null])));
    },
    error: failure === null ? null : failure.message,
    cause: failure === null ? null : failure.error,
    activeQueryId: queryId,
    get lastUsedAt() {
      return isoTime(entry.usedAt);
    },
    get isStale() {
      return isAnyStale(entry);
    },
  };
}

function collectionMeta(entry: Entry): CollectionMeta {
  const stamp = entry.slots[0]?.stamp ?? -1;
  const failure = lastFailure(entry.slots);
  return {
    isLoading: entry.loading,
    get lastFetched() {
      return isoOrNull(stamp);
    },
    error: failure === null ? null : failure.message,
    cause: failure === null ? null : failure.error,
    activeQueryId: entry.queryId,
    paramsSnapshot: entry.params,
    paramsKey: entry.key,
    get lastUsedAt() {
      return isoTime(entry.usedAt);
    },
    get isStale() {
      return isAnyStale(entry);
    },
  };
}

/** What was shown last. Made when somebody reads: most entries of a large cache are never looked at. */
interface View {
  dataVersion: number;
  data: unknown;
  metaVersion: number;
  meta: ItemMeta | CollectionMeta | null;
}

/** One object an entry. A class, because closures would double its size. */
class EntryRef {
  readonly #entry: Entry;
  #view: View | null = null;

  constructor(entry: Entry) {
    this.#entry = entry;
  }

  get data(): unknown {
    const { version, slots, def } = this.#entry;
    const view = this.#viewed();
    if (view.dataVersion !== version) {
      view.dataVersion = version;
      view.data =
        def.kind === 'item' ? share(view.data, mergePayloads(slots)) : (slots[0]?.payload ?? emptyCollection);
    }
    return view.data;
  }

  get meta(): ItemMeta | CollectionMeta {
    const entry = this.#entry;
    const view = this.#viewed();
    if (view.meta === null || view.metaVersion !== entry.version) {
      view.metaVersion = entry.version;
      view.meta = entry.def.kind === 'item' ? itemMeta(entry) : collectionMeta(entry);
    }
    return view.meta;
  }

  #viewed(): View {
    return (this.#view ??= { dataVersion: -1, data: undefined, metaVersion: -1, meta: null });
  }

  static entryOf(ref: unknown): Entry | undefined {
    return typeof ref === 'object' && ref !== null && #entry in ref ? ref.#entry : undefined;
  }
}

/** The entry behind a reference, of whichever data layer; `undefined` for anything else. */
export const entryOf: (ref: unknown) => Entry | undefined = EntryRef.entryOf;

// The getters give what the kind of the entry promises.
export const createRef = (entry: Entry): Reference => new EntryRef(entry) as Reference;
