// The cache as a list of lines: items by type, then collections by name.

import type { CollectionMeta, DataLayer, DevtoolsSnapshot, ItemMeta } from '@edict/core';
import { untypedOf } from '../binding/untyped.ts';
import { wordsOf } from './filters.ts';
import { jsonOf } from './jsonText.ts';
import { paramsText } from './wording.ts';

/** The freshness of an entry. */
export type Standing = 'loading' | 'failed' | 'stale' | 'fresh' | 'empty';

/** One cached entry. */
export interface CacheLine {
  /** Unique among all entries. */
  readonly key: string;
  readonly kind: 'item' | 'collection';
  /** The type, or the collection. */
  readonly name: string;
  /** The id, or the params as JSON. */
  readonly id: string;
  /** The id, or the params without those that are defaults. */
  readonly label: string;
  readonly standing: Standing;
  readonly levels: readonly string[];
  readonly watchers: number;
  /** The time of the last fetch in milliseconds since the epoch; null if there was none. */
  readonly lastFetchedAt: number | null;
  readonly data: unknown;
  /** Null for an item, and for a collection without params. */
  readonly params: object | null;
  readonly meta: ItemMeta | CollectionMeta;
}

/** One type or collection, and the number of its entries. */
export interface CacheGroup {
  readonly kind: 'item' | 'collection';
  readonly name: string;
  readonly size: number;
}

const standingOf = (meta: ItemMeta | CollectionMeta, fetched: string | null): Standing =>
  meta.isLoading
    ? 'loading'
    : meta.error !== null
      ? 'failed'
      : fetched === null
        ? 'empty'
        : meta.isStale
          ? 'stale'
          : 'fresh';

const msOf = (iso: string | null): number | null => (iso === null ? null : Date.parse(iso));

/** Every entry of a snapshot, in the order of its groups. */
export function linesOf({ items, refs }: DevtoolsSnapshot): CacheLine[] {
  const lines: CacheLine[] = [];
  for (const [name, entries] of Object.entries(items)) {
    for (const [id, { data, meta, watchers }] of Object.entries(entries)) {
      lines.push({
        key: `item ${name} ${id}`,
        kind: 'item',
        name,
        id,
        label: id,
        standing: standingOf(meta, meta.lastFetchedAny),
        levels: Object.keys(meta.levelStamps),
        watchers,
        lastFetchedAt: msOf(meta.lastFetchedAny),
        data,
        params: null,
        meta,
      });
    }
  }
  for (const [name, entries] of Object.entries(refs)) {
    for (const [id, { data, meta, watchers }] of Object.entries(entries)) {
      lines.push({
        key: `collection ${name} ${id}`,
        kind: 'collection',
        name,
        id,
        label:
          paramsText(meta.paramsSnapshot) ||
          (meta.paramsSnapshot === undefined ? 'no params' : 'default params'),
        standing: standingOf(meta, meta.lastFetched),
        levels: [],
        watchers,
        lastFetchedAt: msOf(meta.lastFetched),
        data,
        params: meta.paramsSnapshot ?? null,
        meta,
      });
    }
  }
  return lines;
}

/** The types and collections of a snapshot, including the empty ones. */
export const groupsOf = ({ types, collections }: DevtoolsSnapshot): CacheGroup[] => [
  ...Object.entries(types).map(([name, { itemCount }]): CacheGroup => ({
    kind: 'item',
    name,
    size: itemCount,
  })),
  ...Object.entries(collections).map(([name, { refCount }]): CacheGroup => ({
    kind: 'collection',
    name,
    size: refCount,
  })),
];

/** What narrows the list. */
interface CacheFilter {
  /** For a `CacheGroup`, as `kind name`; null for all. */
  readonly group: string | null;
  readonly standing: Standing | null;
  readonly isWatchedOnly: boolean;
  /** Words to find in the name, the id, the params, or the data. */
  readonly text: string;
}

const dataTexts = new WeakMap<object, string>();

/** Cached data is replaced when it changes, so its text stays the same. */
function dataText(data: unknown): string {
  if (typeof data !== 'object' || data === null) return String(data).toLowerCase();
  let text = dataTexts.get(data);
  if (text === undefined) {
    text = jsonOf(data).toLowerCase();
    dataTexts.set(data, text);
  }
  return text;
}

export function filtered(lines: readonly CacheLine[], by: CacheFilter): readonly CacheLine[] {
  const words = wordsOf(by.text);
  return lines.filter(
    ({ kind, name, id, label, standing, watchers, data }) =>
      (by.group === null || by.group === `${kind} ${name}`) &&
      (by.standing === null || by.standing === standing) &&
      (!by.isWatchedOnly || watchers > 0) &&
      words.every(
        (word) => `${name} ${label} ${id}`.toLowerCase().includes(word) || dataText(data).includes(word),
      ),
  );
}

/**
 * Requests an entry even if it is fresh: a collection, or all cached levels of an item that are still registered.
 */
export function refetch(dl: DataLayer, { kind, name, id, levels, meta }: CacheLine): void {
  const layer = untypedOf(dl);
  if (kind === 'collection') {
    const params = 'paramsSnapshot' in meta ? meta.paramsSnapshot : undefined;
    // The core accepts only objects as params.
    layer.fetchCollection(name, { params: params as object | undefined, force: true });
    return;
  }
  const registered = dl.state().types[name]?.levels ?? [];
  const cached = levels.filter((level) => registered.includes(level));
  for (const level of cached.length > 0 ? cached : ['default'])
    layer.fetchItem(name, id, level, { force: true });
}

/** Marks an entry stale with a legacy `invalidate`. The entry is refetched if it is watched (D-DIR-1). */
export function markStale(dl: DataLayer, { kind, name, id, meta }: CacheLine): void {
  const about =
    kind === 'item' ? { id } : { params: 'paramsSnapshot' in meta ? (meta.paramsSnapshot ?? {}) : {} };
  void dl.applyDirectives([{ op: 'invalidate', kind, name, ...about }]);
}
