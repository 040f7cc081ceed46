import type { CollectionName, CollectionParams, DataLayer } from '@edict/core';
import * as React from 'react';
import { useScope } from './DLProvider.tsx';
import { joinedOf } from './lists/joinedPages.ts';
import { readModeOf } from './binding/readMode.ts';
import { isMissing, type Joined, newPagesState, useChain } from './lists/pages.ts';
import type { InfiniteCollectionSnapshot, UseInfiniteCollectionOptions } from './types.ts';
import { useLatest } from './binding/useLatest.ts';
import { useStore } from './binding/useStore.ts';

/** How far the list of this data layer has grown that begins with a page of these params. */
interface Growth {
  readonly dl: DataLayer | null;
  readonly name: string;
  readonly first: string;
  readonly count: number;
}

const notGrown: Growth = { dl: null, name: '', first: '', count: 0 };

/**
 * A collection that grows page by page, as one list: "load more", endless scrolling. Each page is a params set of its own, so it is
 * cached, refetched and shared like any other, and `contains` reaches them all. When a page moves the next one's place (by a cursor),
 * that one follows.
 *
 * ```tsx
 * import { useInfiniteCollection } from '@edict/react';
 *
 * function List({ status }: { status: string }) {
 *   const { data, meta, hasNextPage, fetchNextPage } = useInfiniteCollection('tickets', {
 *     nextParams: (pages) => {
 *       const loaded = pages.reduce((sum, page) => sum + page.ids.length, 0);
 *       const [first] = pages;
 *       return first !== undefined && loaded >= first.count ? null : { status, page: pages.length + 1 };
 *     },
 *   });
 *   return (
 *     <>
 *       <ul aria-busy={meta.isLoading}>{data.ids.map((id) => <li key={id}>{id}</li>)}</ul>
 *       {hasNextPage && <button onClick={fetchNextPage}>{meta.isLoadingNextPage ? 'Loading …' : 'More'}</button>}
 *     </>
 *   );
 * }
 * ```
 *
 * With a cursor: `nextParams: (pages) => pages.at(-1)?.ids.length === 0 ? null : { status, after: pages.at(-1)?.ids.at(-1) }`.
 * Throws while rendering as `useCollection`, and a `TypeError` for wrong options; a failed page is in `meta.error`.
 */
export function useInfiniteCollection<C extends CollectionName>(
  name: C,
  options: UseInfiniteCollectionOptions<CollectionParams<C>>,
): InfiniteCollectionSnapshot {
  // Whoever has no types may have left them out.
  const { nextParams, initialPages = 1, enabled, silent, keepPrevious } = (options ?? {}) as typeof options;
  if (typeof nextParams !== 'function')
    throw new TypeError(`useInfiniteCollection("${name}"): nextParams must be a function`);
  if (!Number.isInteger(initialPages) || initialPages < 1)
    throw new TypeError(`useInfiniteCollection("${name}"): initialPages must be a whole number, at least 1`);
  const scope = useScope();
  const [memory] = React.useState(newPagesState);
  const [growth, setGrowth] = React.useState(notGrown);
  useStore(memory.probe);
  const mode = readModeOf(enabled !== false, silent === true, 'row');
  const countFor = (first: string): number =>
    first === growth.first && name === growth.name && scope.dl === growth.dl ? growth.count : initialPages;
  // Params are objects: the register says so.
  const { pages, hasNextPage } = useChain(memory, { scope, name, mode }, nextParams as never, countFor);
  // Rows of a collection are snapshots of it.
  const rows = pages.rows.rowsOf(useStore(pages.rows)) as unknown as Joined['rows'];
  const { data, meta } = joinedOf(pages, rows, keepPrevious === true);
  const latest = useLatest({ pages, rows, hasNextPage });

  const fetchNextPage = React.useCallback(() => {
    const now = latest.current;
    const [first] = now.pages.keys;
    const last = now.rows.at(-1);
    if (first === undefined || !now.hasNextPage) return;
    const {
      scope: { dl, layer },
      name: of,
      sources,
    } = now.pages;
    if (!isMissing(last)) return setGrowth({ dl, name: of, first, count: now.rows.length + 1 });
    const source = sources.at(-1);
    // While it is asked for again it still shows its failure.
    if (last?.meta.error !== null && !layer.isCollectionLoading(of, source?.params)) source?.refresh();
  }, [latest]);
  const refresh = React.useCallback(() => {
    for (const source of latest.current.pages.sources) source.refresh();
  }, [latest]);

  return React.useMemo(
    () => ({ data, meta, hasNextPage, fetchNextPage, refresh }),
    [data, meta, hasNextPage, fetchNextPage, refresh],
  );
}
