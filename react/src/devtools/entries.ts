// The cache as a list of lines: items by type, then collections by name.

import type { CollectionMeta, DataLayer, DevtoolsSnapshot, ItemMeta } from '@edict/core';
import { untypedOf } from '../binding/untyped.ts';
import { paramsText } from './wording.ts';

/** How an entry stands. */
export type Standing = 'loading' | 'failed' | 'stale' | 'fresh' | 'empty';

/** One cached entry. */
export interface CacheLine {
  /** Names it among all. */
  readonly key: string;
  readonly kind: 'item' | 'collection';
  /** The type, or the collection. */
  readonly name: string;
  /** The id, or the params as JSON. */
  readonly id: string;
  /** The id or the params, to be read. */
  readonly label: string;
  readonly standing: Standing;
  readonly levels: readonly string[];
  readonly watchers: number;
  /** When it was last fetched, milliseconds since the epoch; null for never. */
  readonly fetchedAt: number | null;
  readonly data: unknown;
  readonly meta: ItemMeta | CollectionMeta;
}

/** One type or collection, with how many entries it has. */
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
        fetchedAt: msOf(meta.lastFetchedAny),
        data,
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
        label: paramsText(meta.paramsSnapshot) || 'no params',
        standing: standingOf(meta, meta.lastFetched),
        levels: [],
        watchers,
        fetchedAt: msOf(meta.lastFetched),
        data,
        meta,
      });
    }
  }
  return lines;
}

/** The types and collections of a snapshot, also the empty ones. */
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
export interface CacheFilter {
  /** For a `CacheGroup`, as `kind name`; null for all. */
  readonly group: string | null;
  readonly standing: Standing | null;
  readonly isWatchedOnly: boolean;
  readonly text: string;
}

export function filtered(lines: readonly CacheLine[], by: CacheFilter): readonly CacheLine[] {
  const words = by.text.toLowerCase().split(/\s+/).filter(Boolean);
  return lines.filter(
    ({ kind, name, label, standing, watchers }) =>
      (by.group === null || by.group === `${kind} ${name}`) &&
      (by.standing === null || by.standing === standing) &&
      (!by.isWatchedOnly || watchers > 0) &&
      words.every((word) => `${name} ${label}`.toLowerCase().includes(word)),
  );
}

/** Requests every held level of an item that is still registered, or a collection, whatever its freshness. */
export function refetch(dl: DataLayer, { kind, name, id, levels, meta }: CacheLine): void {
  const layer = untypedOf(dl);
  if (kind === 'collection') {
    const params = 'paramsSnapshot' in meta ? meta.paramsSnapshot : undefined;
    // The core only takes objects as params.
    layer.fetchCollection(name, { params: params as object | undefined, force: true });
    return;
  }
  const registered = dl.state().types[name]?.levels ?? [];
  const held = levels.filter((level) => registered.includes(level));
  for (const level of held.length > 0 ? held : ['default']) layer.fetchItem(name, id, level, { force: true });
}

/** Marks an entry stale by a legacy `invalidate`: it is refetched if it is watched (D-DIR-1). */
export function markStale(dl: DataLayer, { kind, name, id, meta }: CacheLine): void {
  const about =
    kind === 'item' ? { id } : { params: 'paramsSnapshot' in meta ? (meta.paramsSnapshot ?? {}) : {} };
  void dl.applyDirectives([{ op: 'invalidate', kind, name, ...about }]);
}
