// A list that grows page by page. The params of each page may depend on the responses of the pages before it, so every render walks from page to
// page. The list changes when one of its pages does.

import type { CollectionData, CollectionReference } from '@edict/core';
import { describe, emptyCollection } from '@edict/core/internal';
import { type InstanceState, newInstanceState } from '../binding/instanceState.ts';
import type { Scope } from '../binding/scope.ts';
import { Source } from '../binding/source.ts';
import { collectionKey, readEntry } from '../binding/untyped.ts';
import { createHydrationProbe, type HydrationProbe } from '../hydration/hydrationProbe.ts';
import type { CollectionSnapshot } from '../types.ts';
import type { Joined } from './joinedPages.ts';
import { evict } from './evict.ts';
import { createSourceGroup, type SourceGroup } from './sourceGroup.ts';

/** The arguments of the hook. */
export interface PagesArguments {
  readonly scope: Scope;
  readonly name: string;
  readonly isEnabled: boolean;
  readonly isSilent: boolean;
  /** The params of the first page. If undefined, `nextParams` returns them. */
  readonly params: object | null | undefined;
  readonly nextParams: (
    lastPage: CollectionData | undefined,
    pages: readonly CollectionData[],
  ) => object | null | undefined;
  /** The wanted number of pages, for a first page with these canonical params. */
  readonly countFor: (first: string) => number;
}

/** Several pages as one store. */
export interface Pages {
  readonly wanted: PagesArguments;
  /** The canonical params of each page. */
  readonly keys: readonly string[];
  readonly sources: readonly Source[];
  readonly group: SourceGroup;
  /** The list that the hook showed before these pages existed; null if there was none. */
  readonly before: Joined | null;
  /** The list that the hook shows now. */
  joined: Joined | null;
}

export interface PagesState extends InstanceState<Pages> {
  readonly probe: HydrationProbe;
  /** The pages that left the screen in this task. They return if the list only changes its length. */
  readonly left: Set<Source>;
  /** Whether the warning about a repeated page was logged. */
  hasWarned: boolean;
}

export const newPagesState = (): PagesState => ({
  ...newInstanceState<Pages>(),
  probe: createHydrationProbe(),
  left: new Set(),
  hasWarned: false,
});

/** The pages that are known so far. */
export interface KnownPages {
  readonly pages: Pages;
  /** Whether there is a page after them. */
  readonly hasNextPage: boolean;
  /** `nextParams` returned a promise, so no page follows. */
  readonly isAsync: boolean;
}

type Walk = Pick<Pages, 'keys' | 'sources'> & Omit<KnownPages, 'pages'>;

/** Whether a page has no data yet, because it is loading or has failed. */
export const isMissing = (row: Pick<CollectionSnapshot, 'data'> | undefined): boolean =>
  row?.data === emptyCollection;

const areReplaced = (sources: readonly Source[]): boolean => sources.some((source) => source.isReplaced());

const isAlike = ({ wanted, sources }: Pages, { scope, name, isEnabled, isSilent }: PagesArguments): boolean =>
  wanted.name === name &&
  wanted.scope.dl === scope.dl &&
  wanted.isEnabled === isEnabled &&
  wanted.isSilent === isSilent &&
  !areReplaced(sources);

const isSame = ({ sources }: Pages, others: readonly Source[]): boolean =>
  sources.length === others.length && others.every((source, at) => sources[at] === source);

function sourceOf(
  shown: Pages | null,
  { scope, name, isSilent }: PagesArguments,
  ref: CollectionReference,
): Source {
  const { paramsKey, paramsSnapshot } = ref.meta;
  const known = shown?.sources[shown.keys.indexOf(paramsKey)];
  const key = collectionKey(name, paramsSnapshot as object | undefined); // A copy of the params.
  return known ?? new Source({ scope, key, isSilent }, ref, null);
}

/** Visits the pages one after the other, until a response is missing or enough pages are found. */
function walk(instance: PagesState, shown: Pages | null, wanted: PagesArguments): Walk {
  const { scope, name, nextParams, countFor } = wanted;
  const keys: string[] = [];
  const sources: Source[] = [];
  const pages: CollectionData[] = [];
  const end = (hasNextPage: boolean, isAsync = false): Walk => ({ keys, sources, hasNextPage, isAsync });
  if (!wanted.isEnabled) return end(false);
  for (;;) {
    const [first] = keys;
    const isGiven = first === undefined && wanted.params !== undefined;
    const params = isGiven ? wanted.params : nextParams(pages.at(-1), pages);
    if (!isGiven && (params === null || params === undefined)) return end(false);
    if (params instanceof Promise) {
      params.catch(() => undefined);
      return end(false, true);
    }
    if (process.env.NODE_ENV !== 'production' && !isGiven) checkParams(name, params);
    if (first !== undefined && keys.length >= countFor(first)) return end(true);
    const ref = scope.dl.getCollectionRef(name, { params });
    const { paramsKey } = ref.meta;
    if (keys.includes(paramsKey)) {
      warnOfRepeat(instance, name, paramsKey);
      return end(false);
    }
    const source = sourceOf(shown, wanted, ref);
    keys.push(paramsKey);
    sources.push(source);
    const store = source.store();
    const { snapshot } = instance.probe.isHydrating() ? store.getServerSnapshot() : store.getSnapshot();
    const row = snapshot as unknown as CollectionSnapshot; // Its key is that of a collection.
    if (isMissing(row)) return end(first !== undefined);
    pages.push(row.data);
  }
}

/** The usual cause is a condition without an alternative, such as `last.hasMore && { page }`. */
function checkParams(name: string, params: unknown): void {
  if (typeof params !== 'object')
    throw new TypeError(
      `[edict] useInfiniteCollection("${name}"): nextParams must return params or null, but returned ${describe(params)}.`,
    );
}

function warnOfRepeat(instance: PagesState, name: string, key: string): void {
  if (process.env.NODE_ENV !== 'production' && !instance.hasWarned)
    console.warn(
      `[edict] useInfiniteCollection("${name}"): nextParams returned ${key} for two pages. Return null after the last page.`,
    );
  instance.hasWarned = true;
}

const isSameList = (one: Pages, other: Pages): boolean =>
  one.wanted.scope.dl === other.wanted.scope.dl &&
  one.wanted.name === other.wanted.name &&
  one.keys[0] === other.keys[0];

/** The same list has other pages now, for example because a cursor moved. */
function replace(before: readonly Source[], after: readonly Source[]): void {
  for (const source of before) if (!after.includes(source)) void evict(source);
  // The rest of the list stays on screen and is known to be stale, so a failed page is retried like a refetch.
  const moved = after.slice(0, before.length).filter((source) => !before.includes(source));
  for (const { scope, key, isSilent: silent } of moved)
    readEntry(scope.dl, key, { silent, isRequired: true });
}

/** Called like a hook, so that a compiler does not keep its result: the pages change on their own. */
export function usePages(instance: PagesState, wanted: PagesArguments): KnownPages {
  const { committed } = instance;
  const shown = committed !== null && isAlike(committed, wanted) ? committed : null;
  const { keys, sources, hasNextPage, isAsync } = walk(instance, shown, wanted);
  if (shown !== null && isSame(shown, sources)) return { pages: shown, hasNextPage, isAsync };
  function onCommit(): void {
    const { committed: last } = instance;
    if (last !== null && isSameList(last, pages)) replace(last.sources, sources);
    instance.committed = areReplaced(sources) ? null : pages; // `keepPrevious` must not show data from before a reset.
  }
  const pages: Pages = {
    wanted,
    keys,
    sources,
    group: createSourceGroup(sources, onCommit, instance.left),
    before: shown?.joined ?? null,
    joined: null,
  };
  return { pages, hasNextPage, isAsync };
}
