// The public side of entries. `data` and `meta` are computed when they are read, and stay the same objects until the entry changes.

import type { Entry, Slot } from './entry.ts';
import { emptyCollection, hasSlot, qidOf, slotsOf } from './entry.ts';
import { isoTime } from '../platform/env.ts';
import { hiddenOf, withHidden } from '../platform/hidden.ts';
import { share } from './structuralSharing.ts';
import { isEntryStale, isMarked } from './staleness.ts';
import { mergePayloads } from '../levels/merge.ts';
import { tableOf } from '../config/table.ts';
import type { CollectionMeta, ItemMeta, Reference } from '../types/references.ts';

/**
 * An entry at one version, before `meta` is computed. The hooks read little of thousands of entries. Its identity is the version, as that of
 * `meta`.
 */
export interface EntryView {
  /** As in `meta`. */
  readonly isLoading: boolean;
  /** Whether the level has a payload. A collection has the level `'default'`. */
  readonly isFetched: (level: string) => boolean;
  /** Whether the payload of the level is null. `data` of the reference can have fields of other levels all the same. */
  readonly isNull: (level: string) => boolean;
  /** Whether the last fetch of the level failed. */
  readonly hasFailed: (level: string) => boolean;
  /** The error of the level's last fetch; undefined if it did not fail. */
  readonly causeOf: (level: string) => unknown;
  /** Whether a directive or a resync marked the level stale, whatever its age. Computed when called. */
  readonly isMarked: (level: string) => boolean;
  /** The time of the last use, in the time of the data layer. Computed when read. */
  readonly usedAt: number;
  /** A time of the data layer as an ISO string. */
  readonly isoOf: (time: number) => string;
  /** Computed when read. */
  readonly isStale: boolean;
  /** `meta` of this version. */
  readonly meta: ItemMeta | CollectionMeta;
}

/** A level as it was at one version of its entry. */
type LevelState = Pick<Slot, 'level' | 'stamp' | 'payload' | 'failure'>;

const byLevel = <V>(levels: readonly LevelState[], valueOf: (state: LevelState) => V): Record<string, V> =>
  Object.freeze(tableOf(levels.map((state) => [state.level, valueOf(state)])));

function metaOf(
  entry: Entry,
  levels: readonly LevelState[],
  view: EntryView,
  query: number,
): ItemMeta | CollectionMeta {
  const isoOrNull = (time: number | null): string | null => (time === null ? null : view.isoOf(time));
  const stamps = levels.flatMap(({ stamp }) => stamp ?? []);
  const lastFetched = isoOrNull(stamps.length === 0 ? null : Math.max(...stamps));
  const failed = levels.filter(({ failure }) => failure !== null);
  // The most recent failure that no later response has resolved.
  const [failure = null] = failed
    .flatMap((state) => state.failure ?? [])
    .sort((one, other) => other.order - one.order);
  const common = {
    isLoading: view.isLoading,
    error: failure?.message ?? null,
    cause: failure === null ? null : failure.error,
    activeQueryId: query === 0 ? null : qidOf(query),
    get lastUsedAt() {
      return view.isoOf(view.usedAt);
    },
    get isStale() {
      return view.isStale;
    },
  };
  if (entry.def.kind === 'collection') {
    const { id, params: paramsSnapshot } = entry;
    return Object.assign(common, { lastFetched, paramsSnapshot, paramsKey: String(id) });
  }
  return Object.assign(common, {
    lastFetchedAny: lastFetched,
    levelStamps: byLevel(levels, ({ stamp }) => isoOrNull(stamp)),
    failedLevels: byLevel(failed, () => true as const),
    levelErrors: byLevel(levels, (state) => state.failure?.message ?? null),
  });
}

function createView(entry: Entry): EntryView {
  const { def, loading, query } = entry;
  const levels = slotsOf(entry).map(({ level, stamp, payload, failure }): LevelState => ({
    level,
    stamp,
    payload,
    failure,
  }));
  const at = (level: string): LevelState | undefined => levels.find((state) => state.level === level);
  let meta: ItemMeta | CollectionMeta | null = null;
  const view: EntryView = {
    isLoading: loading,
    isFetched: (level) => (at(level)?.stamp ?? null) !== null,
    isNull: (level) => at(level)?.payload === null,
    hasFailed: (level) => (at(level)?.failure ?? null) !== null,
    causeOf: (level) => at(level)?.failure?.error,
    isMarked: (level) => hasSlot(entry, (slot) => slot.level === level && isMarked(slot)),
    get usedAt() {
      return entry.usedAt;
    },
    isoOf: (time) => isoTime(def.clock.sinceEpoch(time)),
    get isStale() {
      return isEntryStale(entry, def.clock.now());
    },
    get meta() {
      return (meta ??= metaOf(entry, levels, view, query));
    },
  };
  return view;
}

function dataOf(entry: Entry, before: unknown): unknown {
  if (entry.def.kind === 'collection') return entry.slots[0]?.payload ?? emptyCollection;
  return share(before, mergePayloads(slotsOf(entry)));
}

/** What `@edict/core/internal` and the data layer find behind a reference. */
interface Behind {
  readonly entry: Entry;
  readonly view: () => EntryView;
}

/** The entry behind a reference of any data layer; `undefined` for anything else. */
export const entryOf = (ref: unknown): Entry | undefined =>
  (hiddenOf(ref) as Partial<Behind> | undefined)?.entry;

/** The present version of the entry behind a reference. */
export const viewOf = (ref: Reference): EntryView => (hiddenOf(ref) as Behind).view(); // Every reference is made below.

/** `data` and `meta` are own properties, because references are compared, copied, and serialized. */
export function createRef(entry: Entry): Reference {
  let version = -1;
  let data: unknown;
  let view: EntryView | null = null;
  /** Forgets the computed values of an older version. */
  function update(): void {
    if (version === entry.version) return;
    version = entry.version;
    data = dataOf(entry, data);
    view = null;
  }
  function currentView(): EntryView {
    update();
    return (view ??= createView(entry));
  }
  const ref = {
    get data() {
      update();
      return data;
    },
    get meta() {
      return currentView().meta;
    },
  };
  return withHidden(ref, { entry, view: currentView } satisfies Behind) as Reference; // `def.kind` decides which one.
}
