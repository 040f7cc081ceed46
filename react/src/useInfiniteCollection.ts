import type { CollectionDefinition, CollectionName, CollectionParams, DataLayer, Id } from '@edict/core';
import * as React from 'react';
import { checkOptions } from './binding/checkOptions.ts';
import { nameOf } from '@edict/core/internal';
import { useLatest } from './binding/useLatest.ts';
import { useStore } from './binding/useStore.ts';
import { useScope } from './binding/scope.ts';
import { joinedOf, type Rows, snapshotOf } from './lists/joinedPages.ts';
import { isMissing, newPagesState, usePages } from './lists/pages.ts';
import type { InfiniteCollectionSnapshot, UseInfiniteCollectionOptions } from './types.ts';

/** The number of pages that the list with this first page has grown to. */
interface Growth {
  readonly dl: DataLayer | null;
  readonly name: string;
  readonly first: string;
  readonly count: number;
}

const notGrown: Growth = { dl: null, name: '', first: '', count: 0 };

/**
 * Reads a collection page by page and shows the pages as one list: "load more", or endless scrolling. Each page is
 * a separate params set, which is cached, refetched, and shared like any other. If the end of a page moves (a
 * cursor), the pages after it follow.
 *
 * ```tsx
 * import { defineCollection } from '@edict/core';
 * import { useInfiniteCollection } from '@edict/react';
 *
 * const tickets = defineCollection('tickets', {
 *   fetch: async (params: { status: string; after?: string }) => {
 *     const response = await fetch(`/api/tickets?status=${params.status}&after=${params.after ?? ''}`);
 *     return (await response.json()) as { ids: number[]; info: { next: string | null } };
 *   },
 * });
 *
 * function List({ status }: { status: string }) {
 *   const { data, isFetching, hasNextPage, fetchNextPage } = useInfiniteCollection(tickets, {
 *     params: { status },
 *     nextParams: (lastPage) => (lastPage?.info?.next ? { status, after: lastPage.info.next } : null),
 *   });
 *   return (
 *     <>
 *       <ul aria-busy={isFetching}>{data.ids.map((id) => <li key={id}>{id}</li>)}</ul>
 *       {hasNextPage && <button onClick={fetchNextPage}>More</button>}
 *     </>
 *   );
 * }
 * ```
 *
 * Throws while rendering like `useCollection`. A failed page is in `error`, and so is the fault that `nextParams` is async.
 */
export function useInfiniteCollection<const P, I extends Id, Info>(
  collection: CollectionDefinition<string, P, I, Info>,
  options: UseInfiniteCollectionOptions<NonNullable<P>, I, Info>,
): InfiniteCollectionSnapshot<I, P>;
/** As above, with the name of a registered collection. */
export function useInfiniteCollection<C extends CollectionName>(
  name: C,
  options: UseInfiniteCollectionOptions<CollectionParams<C>>,
): InfiniteCollectionSnapshot<Id, CollectionParams<C>>;
export function useInfiniteCollection(
  collection: { name: string } | string,
  options: UseInfiniteCollectionOptions<object>,
): unknown {
  const name = nameOf(collection);
  if (process.env.NODE_ENV !== 'production') check(name, options);
  const { initialPages = 1, enabled, silent, keepPrevious } = options;
  const scope = useScope();
  const [instance] = React.useState(newPagesState);
  const [growth, setGrowth] = React.useState(notGrown);
  useStore(instance.probe);
  const isEnabled = enabled !== false;
  const isGrown = (first: string): boolean =>
    first === growth.first && name === growth.name && scope.dl === growth.dl;
  const { pages, hasNextPage, isAsync } = usePages(instance, {
    scope,
    name,
    isEnabled,
    isSilent: silent === true,
    params: options.params,
    nextParams: options.nextParams,
    countFor: (first) => (isGrown(first) ? growth.count : initialPages),
  });
  // A list that is shown again later starts anew.
  const [first] = pages.keys;
  if (growth !== notGrown && first !== undefined && !isGrown(first)) setGrowth(notGrown);
  // Every row is the snapshot of a collection.
  const rows = pages.group.rowsOf(useStore(pages.group)) as unknown as Rows;
  const joined = joinedOf(pages, rows, hasNextPage, keepPrevious === true);
  const latest = useLatest({ pages, joined });

  const fetchNextPage = React.useCallback(() => {
    const { pages, joined } = latest.current;
    const { scope, name, countFor } = pages.wanted;
    const [first] = pages.keys;
    if (first === undefined || !joined.hasNextPage) return;
    const end = joined.rows.at(-1);
    const isRefetched = joined.hasRest && end?.error === null;
    if (isRefetched || !isMissing(end))
      return setGrowth({ dl: scope.dl, name, first, count: countFor(first) + 1 });
    const source = pages.sources.at(-1);
    // While it is requested again, a page that failed still shows its failure.
    if (!scope.dl.isCollectionLoading(name, source?.key.params)) source?.refresh();
  }, [latest]);
  const refresh = React.useCallback(() => {
    for (const source of latest.current.pages.sources) source.refresh();
  }, [latest]);

  const error = React.useMemo(
    () =>
      isAsync
        ? new TypeError(`[edict] useInfiniteCollection("${name}"): nextParams must not be async.`)
        : null,
    [isAsync, name],
  );
  const snapshot = React.useMemo(
    () => snapshotOf(joined, { fetchNextPage, refresh, error }),
    [joined, fetchNextPage, refresh, error],
  );
  return snapshot;
}

function check(
  name: string,
  options: { nextParams?: unknown; initialPages?: number | undefined } | undefined,
): void {
  const hook = `useInfiniteCollection("${name}")`;
  checkOptions(hook, options, 'params nextParams initialPages enabled silent keepPrevious');
  const { nextParams, initialPages = 1 } = options ?? {};
  if ((nextParams ?? null) === null)
    throw new TypeError(
      `[edict] ${hook}: nextParams is missing. Return the next page's params, or null after the last page.`,
    );
  if (!Number.isInteger(initialPages) || initialPages < 1)
    throw new TypeError(
      `[edict] ${hook}: initialPages must be a whole number of 1 or more, but is ${String(initialPages)}.`,
    );
}
