// The public faces of entries. What a reader sees is made when it is read, and stays the same object until it changes.

import type { Entry, Slot } from './entry.ts';
import { emptyCollection, hasSlot, qidOf, slotsOf } from './entry.ts';
import { isoTime } from '../platform/env.ts';
import { share } from './structuralSharing.ts';
import { isMarked, isSlotStale } from './staleness.ts';
import { mergePayloads } from '../levels/merge.ts';
import { tableOf } from '../config/table.ts';
import type { CollectionMeta, ItemMeta, Reference } from '../types/references.ts';

const isoOf = ({ def }: Entry, moment: number): string => isoTime(def.clock.sinceEpoch(moment));

const isoOrNull = (entry: Entry, moment: number | null): string | null =>
  moment === null ? null : isoOf(entry, moment);

/** The failure that came last and is not resolved. */
function lastFailure(slots: readonly { readonly failure: Slot['failure'] }[]): Slot['failure'] {
  let last: Slot['failure'] = null;
  for (const { failure } of slots)
    if (failure !== null && (last === null || failure.ordinal > last.ordinal)) last = failure;
  return last;
}

function isAnyStale(entry: Entry): boolean {
  const now = entry.def.clock.now();
  return entry.first === null || hasSlot(entry, (slot) => isSlotStale(slot, now));
}

const byLevel = <V>(pairs: readonly (readonly [level: string, value: V])[]): Readonly<Record<string, V>> =>
  Object.freeze(tableOf(pairs));

const noFailure: ItemMeta['failedLevels'] = byLevel([]);

/** A level as it was at one version of its entry. */
interface LevelThen {
  readonly level: string;
  /** A moment; null: never fetched. */
  readonly stamp: number | null;
  readonly failure: Slot['failure'];
}

/**
 * What an entry is at one version: facts at hand, before any of it is written out as `meta`. For what looks at thousands of
 * entries and reads little of each, such as the hooks. Its identity is the version, as that of `meta`.
 */
export interface Glimpse {
  /** As in `meta`. */
  readonly isLoading: boolean;
  /** Whether the level has an answer; of a collection it is `'default'`. */
  readonly isFetched: (level: string) => boolean;
  /** Whether the level's last fetch failed. */
  readonly hasFailed: (level: string) => boolean;
  /** What the level's last fetch failed with; undefined where it did not. */
  readonly causeOf: (level: string) => unknown;
  /** Whether the level's answer is outdated by a directive or a resync, whatever its age. As of now. */
  readonly isMarked: (level: string) => boolean;
  /** When it was last used, as of now: a moment of its data layer. */
  readonly usedAt: number;
  /** Writes such a moment out (ISO). */
  readonly isoOf: (moment: number) => string;
  /** As of now. */
  readonly isStale: boolean;
  /** `meta` of this version. */
  readonly meta: ItemMeta | CollectionMeta;
}

const thenOf = ({ level, stamp, failure }: Slot): LevelThen => ({ level, stamp, failure });

const noLevels: readonly LevelThen[] = [];

/** A class, because closures would cost more than the facts. Of the one level that most entries have it is the `LevelThen`, too. */
class EntryGlimpse implements Glimpse, LevelThen {
  /** That of the entry. */
  readonly version: number;
  readonly isLoading: boolean;
  readonly level: string;
  readonly stamp: number | null;
  readonly failure: Slot['failure'];
  /** Of an entry with none or several; null: the one is the glimpse itself. */
  readonly #levels: readonly LevelThen[] | null;
  readonly #entry: Entry;
  readonly #query: number;
  #meta: ItemMeta | CollectionMeta | null = null;

  constructor(entry: Entry) {
    const { first } = entry;
    this.version = entry.version;
    this.isLoading = entry.loading;
    this.level = first === null ? '' : first.level;
    this.stamp = first === null ? null : first.stamp;
    this.failure = first === null ? null : first.failure;
    this.#levels = first === null ? noLevels : first.after === null ? null : slotsOf(entry).map(thenOf);
    this.#entry = entry;
    this.#query = entry.query;
  }

  /** Not a method: a private one is a field each. */
  static #at(glimpse: EntryGlimpse, level: string): LevelThen | undefined {
    if (glimpse.#levels === null) return glimpse.level === level ? glimpse : undefined;
    return glimpse.#levels.find((then) => then.level === level);
  }

  isFetched(level: string): boolean {
    return (EntryGlimpse.#at(this, level)?.stamp ?? null) !== null;
  }

  hasFailed(level: string): boolean {
    return (EntryGlimpse.#at(this, level)?.failure ?? null) !== null;
  }

  causeOf(level: string): unknown {
    return EntryGlimpse.#at(this, level)?.failure?.error;
  }

  isMarked(level: string): boolean {
    return hasSlot(this.#entry, (slot) => slot.level === level && isMarked(slot));
  }

  get usedAt(): number {
    return this.#entry.usedAt;
  }

  isoOf(moment: number): string {
    return isoOf(this.#entry, moment);
  }

  get isStale(): boolean {
    return isAnyStale(this.#entry);
  }

  get meta(): ItemMeta | CollectionMeta {
    const makeMeta = this.#entry.def.kind === 'item' ? itemMeta : collectionMeta;
    return (this.#meta ??= makeMeta(this.#entry, this.#levels ?? [this], this.isLoading, this.#query));
  }
}

function itemMeta(entry: Entry, then: readonly LevelThen[], isLoading: boolean, query: number): ItemMeta {
  const failure = lastFailure(then);
  let levelStamps: ItemMeta['levelStamps'] | undefined;
  let levelErrors: ItemMeta['levelErrors'] | undefined;
  return {
    isLoading,
    get lastFetchedAny() {
      const stamps = then.flatMap(({ stamp }) => stamp ?? []);
      return stamps.length === 0 ? null : isoOf(entry, Math.max(...stamps));
    },
    get levelStamps() {
      return (levelStamps ??= byLevel(then.map(({ level, stamp }) => [level, isoOrNull(entry, stamp)])));
    },
    failedLevels:
      failure === null
        ? noFailure
        : byLevel(then.flatMap((slot) => (slot.failure === null ? [] : [[slot.level, true] as const]))),
    get levelErrors() {
      return (levelErrors ??= byLevel(then.map((slot) => [slot.level, slot.failure?.message ?? null])));
    },
    error: failure?.message ?? null,
    cause: failure === null ? null : failure.error,
    activeQueryId: query === 0 ? null : qidOf(query),
    get lastUsedAt() {
      return isoOf(entry, entry.usedAt);
    },
    get isStale() {
      return isAnyStale(entry);
    },
  };
}

function collectionMeta(
  entry: Entry,
  then: readonly LevelThen[],
  isLoading: boolean,
  query: number,
): CollectionMeta {
  const stamp = then[0]?.stamp ?? null;
  const failure = lastFailure(then);
  return {
    isLoading,
    get lastFetched() {
      return isoOrNull(entry, stamp);
    },
    error: failure?.message ?? null,
    cause: failure === null ? null : failure.error,
    activeQueryId: query === 0 ? null : qidOf(query),
    paramsSnapshot: entry.params,
    paramsKey: String(entry.id),
    get lastUsedAt() {
      return isoOf(entry, entry.usedAt);
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
  glimpse: EntryGlimpse | null;
}

const newView = (): View => ({ dataVersion: -1, data: undefined, glimpse: null });

function dataAfter(entry: Entry, { data, dataVersion }: View): unknown {
  const { version, first, def } = entry;
  if (def.kind === 'collection') return first?.payload ?? emptyCollection;
  const merged = mergePayloads(slotsOf(entry));
  // One level that has changed once: the cache has shared its payload with the one that was shown.
  return first?.after === null && version - dataVersion === 1 ? merged : share(data, merged);
}

type Shown = PropertyDescriptor & ThisType<EntryRef>;

/**
 * One object an entry. A class, because closures would double its size; without private methods, which are a field each. The getters
 * are its own properties: a reference is compared, copied and written out as what it shows.
 */
class EntryRef {
  declare readonly data: unknown;
  declare readonly meta: ItemMeta | CollectionMeta;
  readonly #entry: Entry;
  #view: View | null = null;

  constructor(entry: Entry) {
    this.#entry = entry;
    // One by one: `defineProperties` takes several times as long.
    Object.defineProperty(this, 'data', EntryRef.#data);
    Object.defineProperty(this, 'meta', EntryRef.#meta);
  }

  static readonly #data: Shown = {
    enumerable: true,
    get() {
      const entry = this.#entry;
      const view = (this.#view ??= newView());
      if (view.dataVersion !== entry.version) {
        view.data = dataAfter(entry, view);
        view.dataVersion = entry.version;
      }
      return view.data;
    },
  };

  static readonly #meta: Shown = {
    enumerable: true,
    get() {
      return EntryRef.#glimpse(this).meta;
    },
  };

  static glimpseOf(ref: object): Glimpse | null {
    return #entry in ref ? EntryRef.#glimpse(ref) : null;
  }

  static #glimpse(ref: EntryRef): Glimpse {
    const entry = ref.#entry;
    const view = (ref.#view ??= newView());
    if (view.glimpse?.version === entry.version) return view.glimpse;
    return (view.glimpse = new EntryGlimpse(entry));
  }

  static entryOf(ref: unknown): Entry | undefined {
    return typeof ref === 'object' && ref !== null && #entry in ref ? ref.#entry : undefined;
  }
}

/** The entry behind a reference, of whichever data layer; `undefined` for anything else. */
export const entryOf: (ref: unknown) => Entry | undefined = EntryRef.entryOf;

/** What a reference shows, without writing it out; null for one that another copy of this package has made. */
export const glimpse = (ref: Reference): Glimpse | null => EntryRef.glimpseOf(ref);

// The getters give what the kind of the entry promises.
export const createRef = (entry: Entry): Reference => new EntryRef(entry) as Reference;
