// The public view of entries. `data` and `meta` are computed on access, and stay the same objects until the entry
// changes.

import { emptyCollection, qidOf, type Def, type Entry, type Failure, type Slot } from './entry.ts';
import { messageOf } from '../config/describe.ts';
import { isoTime } from '../platform/env.ts';
import { hiddenOf, withHidden } from '../platform/hidden.ts';
import { share } from './structuralSharing.ts';
import { isEntryStale, isMarked } from './staleness.ts';
import { mergePayloads } from '../levels/merge.ts';
import type { CollectionMeta, ItemMeta, Reference } from '../types/references.ts';

/** A level at one version of its entry. */
export type LevelState = Pick<Slot, 'level' | 'fetchedAt' | 'payload' | 'failure'>;

const messageIn = (failure: Failure | null): string | null => failure && messageOf(failure.thrown);

const stateOf = ({ level, fetchedAt, payload, failure }: Slot) => ({ level, fetchedAt, payload, failure });

/**
 * An entry at one version, with `meta` computed on access, because the hooks read few fields of thousands of entries. It has the same identity
 * as the version.
 */
export class EntryView {
  readonly #entry: Entry;
  readonly #query: number;
  #meta: ItemMeta | CollectionMeta | null = null;
  /** As in the reference. */
  readonly data: unknown;
  /** As in `meta`. */
  readonly isLoading: boolean;
  readonly levels: readonly LevelState[];

  constructor(entry: Entry) {
    this.#entry = entry;
    this.#query = entry.queryNumber;
    this.data = dataIn(entry);
    this.isLoading = entry.loading;
    this.levels = entry.slots.map(stateOf);
  }

  /** The level at this version; undefined if it is not cached. A collection has the level `'default'`. */
  at(level: string): LevelState | undefined {
    return this.levels.find((state) => state.level === level);
  }

  /**
   * The time of the last use, in the time of the data layer. This is the current time of use, not that of this
   * version. Null if the record was never read.
   */
  get usedAt(): number | null {
    return this.#entry.usedAt;
  }

  /** The current state, not the state of this version. */
  get isStale(): boolean {
    return isEntryStale(this.#entry, this.#entry.def.env.now());
  }

  /** A time of the data layer as an ISO string. */
  isoOf(time: number | null): string | null {
    return time === null ? null : isoTime(this.#entry.def.env.sinceEpoch(time));
  }

  /** The most recent failure that no later response has removed. */
  get failure(): Failure | null {
    const failures = this.levels.flatMap(({ failure }) => failure ?? []);
    return failures.sort((one, other) => other.order - one.order)[0] ?? null;
  }

  /** `meta` of this version. */
  get meta(): ItemMeta | CollectionMeta {
    return (this.#meta ??= metaOf(this, this.#entry, this.#query));
  }
}

/** A table without a prototype: a name is data, and may be `constructor` (D-REG-6). */
function byLevel<V>(levels: readonly LevelState[], valueOf: (state: LevelState) => V): Record<string, V> {
  const table = Object.create(null) as Record<string, V>; // Nothing is inherited and all values are V.
  for (const state of levels) table[state.level] = valueOf(state);
  return Object.freeze(table);
}

function metaOf(view: EntryView, { def, id, params }: Entry, query: number): ItemMeta | CollectionMeta {
  const { levels, isLoading, failure } = view;
  const times = levels.flatMap(({ fetchedAt }) => fetchedAt ?? []);
  const lastFetched = view.isoOf(times.length === 0 ? null : Math.max(...times));
  const common = {
    isLoading,
    error: messageIn(failure),
    cause: failure && failure.thrown,
    activeQueryId: query === 0 ? null : qidOf(query),
    get lastUsedAt() {
      return view.isoOf(view.usedAt) as string; // Every entry of a reference was used.
    },
    get isStale() {
      return view.isStale;
    },
  };
  if (def.kind === 'collection')
    return Object.assign(common, { lastFetched, paramsSnapshot: params, paramsKey: String(id) });
  return Object.assign(common, {
    lastFetchedAny: lastFetched,
    levelStamps: byLevel(levels, ({ fetchedAt }) => view.isoOf(fetchedAt)),
    failedLevels: byLevel(
      levels.filter((state) => state.failure !== null),
      () => true as const,
    ),
    levelErrors: byLevel(levels, (state) => messageIn(state.failure)),
  });
}

/** The view of a record that was never read. */
export function unreadView(kind: Def['kind'], params?: unknown, paramsKey = '{}'): EntryView {
  const def = { kind, env: { now: () => 0 } };
  const entry = { def, params, id: paramsKey, slots: [], loading: false, queryNumber: 0, usedAt: null };
  return new EntryView(entry as unknown as Entry); // These are the fields that a view reads.
}

function dataOf(entry: Entry, before: unknown): unknown {
  if (entry.def.kind === 'collection') return entry.slots[0]?.payload ?? emptyCollection;
  return share(before, mergePayloads(entry.slots));
}

/** The fields of an entry that this file assigns to. */
type Shown = Pick<Entry, 'ref' | 'isShown' | 'data' | 'view'>;

/** The content of a reference, which is computed on access, and again after its entry has changed. */
function shownBy(entry: Entry): Shown {
  const shown: Shown = entry;
  if (!shown.isShown) {
    shown.isShown = true;
    shown.data = dataOf(entry, shown.data);
    shown.view = null;
  }
  return shown;
}

/** The merged data of an entry. */
export const dataIn = (entry: Entry): unknown => shownBy(entry).data;

/** The current version of an entry. */
const viewIn = (entry: Entry): EntryView => (shownBy(entry).view ??= new EntryView(entry));

/** The current version of the entry behind a reference. */
export const viewOf = (ref: Reference): EntryView => viewIn(hiddenOf(ref) as Entry);

/** Whether a directive or a resync has marked the level stale, whatever its age. */
export const isLevelMarked = (ref: Reference, level: string): boolean =>
  (hiddenOf(ref) as Entry).slots.some((slot) => slot.level === level && isMarked(slot));

// All references share these getters. Separate getters would triple the memory of an entry.
const own = (read: (entry: Entry) => unknown): PropertyDescriptor => ({
  enumerable: true,
  get(this: unknown) {
    return read(hiddenOf(this) as Entry); // Every reference is created below.
  },
});
const data = own(dataIn);
const meta = own((entry) => viewIn(entry).meta);

/** `data` and `meta` are own properties, because references are compared, copied, and serialized. */
function createRef(entry: Entry): Reference {
  const ref = Object.defineProperty(withHidden({}, entry), 'data', data);
  return Object.defineProperty(ref, 'meta', meta) as Reference; // `def.kind` decides which one.
}

/** The reference of an entry. It stays the same object. */
export function refOf(entry: Entry): Reference {
  const shown: Shown = entry;
  return (shown.ref ??= createRef(entry));
}
