// Joins the pages of a growing list into one list for the hook.

import type { CollectionData, Id } from '@edict/core';
import { deepEqual, emptyCollection } from '@edict/core/internal';
import { metaNames, nothingRead } from '../binding/entryView.ts';
import { Fields } from '../binding/snapshot.ts';
import type { CollectionSnapshot, CollectionSnapshotMeta, InfiniteCollectionSnapshot } from '../types.ts';
import { isMissing, type Pages } from './pages.ts';

export type Rows = readonly CollectionSnapshot[];

/** The pages of one render as one list. */
export interface Joined {
  readonly rows: Rows;
  /** The canonical params of the first page; undefined while nothing is read. */
  readonly first: string | undefined;
  readonly data: CollectionData;
  /** Whether `data` is that of another first page (`keepPrevious`). */
  readonly isPrevious: boolean;
  /** Whether ids at the end of `data` are from before, because the page that they were on is missing. */
  readonly hasRest: boolean;
  readonly hasNextPage: boolean;
}

/**
 * The ids of all pages that have a response, without duplicates. Between two responses, an id may be on two pages.
 * @param rest the ids of the list that was shown before. Those after the last one that a page has too are added.
 */
function join(rows: Rows, rest: readonly Id[]): CollectionData {
  if (rows.every(isMissing)) return emptyCollection;
  const ids = new Map<string, Id>();
  const places = new Map(rest.map((id, at) => [String(id), at]));
  let end = 0;
  // `42` and `"42"` are the same item.
  const add = (id: Id): void => {
    const key = String(id);
    end = (places.get(key) ?? end - 1) + 1;
    if (!ids.has(key)) ids.set(key, id);
  };
  for (const { data } of rows) data.ids.forEach(add);
  rest.slice(end).forEach(add);
  return { ids: [...ids.values()], count: Math.max(ids.size, rows[0]?.data.count ?? 0) };
}

/**
 * The same object for the same rows, until `keepPrevious` ends. If a cursor moved, the page behind it is missing until its response arrives.
 * Until then, and if its request fails, the end of the list stays as it was.
 */
export function joinedOf(pages: Pages, rows: Rows, hasNextPage: boolean, keepPrevious: boolean): Joined {
  const { joined: last, before: earlier, keys } = pages;
  const isSameEnd = last?.hasNextPage === hasNextPage;
  if (last?.rows === rows && isSameEnd && (keepPrevious || !last.isPrevious)) return last;
  const before = last ?? earlier;
  const shown = before?.data ?? emptyCollection;
  const isPrevious =
    keepPrevious && shown !== emptyCollection && isMissing(rows[0]) && rows[0]?.error === null;
  const end = rows.at(-1);
  const isCut = isMissing(end) && before?.first === keys[0] && before?.isPrevious === false;
  const own = join(rows, []);
  const joined = isCut ? join(rows, shown.ids) : own;
  const hasRest = joined.ids.length > own.ids.length;
  const data = isPrevious ? shown : joined;
  return (pages.joined = {
    rows,
    first: keys[0],
    // Equal data keeps its identity, as it does between two responses.
    data: shown !== emptyCollection && deepEqual(shown, data) ? shown : data,
    isPrevious,
    hasRest,
    // Otherwise, a button for more would appear for a moment.
    hasNextPage: hasRest && end?.error === null ? before?.hasNextPage === true : hasNextPage,
  });
}

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
const getters = /* @__PURE__ */ Fields.getters(names);

/** The snapshot of a list. Reading a field reads that field of the pages, so the list depends on the fields that were read. */
export function snapshotOf(
  { rows, data, isPrevious, hasRest, hasNextPage }: Joined,
  more: Pick<InfiniteCollectionSnapshot, 'fetchNextPage' | 'refresh' | 'error'>,
): Fields {
  const failed = (): CollectionSnapshot | undefined => rows.find(({ error }) => error !== null);
  const last = rows.at(-1);
  let meta: Fields | undefined;

  function read(field: string): unknown {
    switch (field) {
      case 'data':
        return data;
      case 'meta':
        return (meta ??= new Fields(
          { read },
          Fields.getters([...metaNames('collection'), 'isLoadingNextPage'], 'meta.'),
        ));
      case 'error':
        return failed()?.error ?? more.error;
      case 'meta.error':
        return failed()?.meta.error ?? more.error?.message ?? null;
      case 'meta.cause':
        return failed()?.meta.cause ?? more.error;
      case 'hasNextPage':
        return hasNextPage;
      case 'isPending':
        return !isPrevious && rows[0]?.isPending === true;
      case 'isFetching':
      case 'meta.isLoading':
        return rows.some(({ isFetching }) => isFetching);
      case 'meta.isLoadingNextPage':
        return rows.length > 1 && isMissing(last) && !hasRest && last?.isFetching === true;
      case 'isStale':
      case 'meta.isStale':
        return rows.some(({ isStale }) => isStale);
      case 'meta.isPrevious':
        return isPrevious;
      case 'fetchNextPage':
      case 'refresh':
        return more[field];
      default: {
        const name = field.slice(5) as keyof CollectionSnapshotMeta; // Without `meta.`
        return (rows[0]?.meta ?? (nothingRead.collection.meta as CollectionSnapshotMeta))[name];
      }
    }
  }
  return new Fields({ read }, getters);
}
