// Joins the pages of a growing list into one list for the hook.

import type { CollectionData, Id } from '@edict/core';
import { deepEqual, emptyCollection } from '@edict/core/internal';
import { Fields } from '../binding/snapshot.ts';
import type { CollectionSnapshot, InfiniteCollectionMeta, InfiniteCollectionSnapshot } from '../types.ts';
import { isMissing, type Pages } from './pages.ts';

export type Rows = readonly CollectionSnapshot[];

/** The pages of one render as one list. */
export interface Joined {
  readonly rows: Rows;
  readonly data: CollectionData;
  readonly isPrevious: boolean;
}

/**
 * The ids of all pages that have a response, without duplicates. Between two responses, an id may be on two pages.
 */
function join(rows: Rows): CollectionData {
  if (rows.every(isMissing)) return emptyCollection;
  const ids = new Map<string, Id>();
  // `42` and `"42"` are the same item.
  for (const { data } of rows) for (const id of data.ids) if (!ids.has(String(id))) ids.set(String(id), id);
  return { ids: [...ids.values()], count: Math.max(ids.size, rows[0]?.data.count ?? 0) };
}

/** The same object for the same rows, until `keepPrevious` ends. */
export function joinedOf(pages: Pages, rows: Rows, keepPrevious: boolean): Joined {
  const last = pages.joined;
  if (last?.rows === rows && (keepPrevious || !last.isPrevious)) return last;
  const before = last?.data ?? pages.before;
  const isPrevious =
    keepPrevious && before !== emptyCollection && isMissing(rows[0]) && rows[0]?.error === null;
  const data = isPrevious ? before : join(rows);
  // Equal data keeps its identity, as it does between two responses.
  const isSame = before !== emptyCollection && deepEqual(before, data);
  return (pages.joined = { rows, data: isSame ? before : data, isPrevious });
}

const metaNames = [
  'isLoading',
  'isLoadingNextPage',
  'isPrevious',
  'error',
  'cause',
  'lastFetched',
  'isStale',
] satisfies (keyof InfiniteCollectionMeta)[];
const names = [
  'data',
  'error',
  'isPending',
  'isFetching',
  'isStale',
  'meta',
  'refresh',
  'hasNextPage',
  'fetchNextPage',
] satisfies (keyof InfiniteCollectionSnapshot)[];
const metaGetters = /* @__PURE__ */ Fields.getters(metaNames, 'meta.');
const getters = /* @__PURE__ */ Fields.getters(names);

/** The snapshot of a list. Reading a field reads that field of the pages, so the list depends on the fields that were read. */
export function snapshotOf(
  { rows, data, isPrevious }: Joined,
  more: Pick<InfiniteCollectionSnapshot, 'hasNextPage' | 'fetchNextPage' | 'refresh' | 'error'>,
): Fields {
  const failed = (): CollectionSnapshot | undefined => rows.find(({ error }) => error !== null);
  const last = rows.at(-1);
  let meta: Fields | undefined;

  function read(field: string): unknown {
    switch (field) {
      case 'data':
        return data;
      case 'meta':
        return (meta ??= new Fields({ read }, metaGetters));
      case 'error':
        return failed()?.error ?? more.error;
      case 'meta.error':
        return failed()?.meta.error ?? more.error?.message ?? null;
      case 'meta.cause':
        return failed()?.meta.cause ?? more.error;
      case 'isPending':
        return !isPrevious && rows[0]?.isPending === true;
      case 'isFetching':
      case 'meta.isLoading':
        return rows.some(({ isFetching }) => isFetching);
      case 'meta.isLoadingNextPage':
        return rows.length > 1 && isMissing(last) && last?.isFetching === true;
      case 'isStale':
      case 'meta.isStale':
        return rows.some(({ isStale }) => isStale);
      case 'meta.isPrevious':
        return isPrevious;
      case 'meta.lastFetched':
        return rows[0]?.meta.lastFetched ?? null;
      default:
        return more[field as keyof typeof more]; // The three that are left.
    }
  }
  return new Fields({ read }, getters);
}
