// A list that grows page by page. Which pages there are follows from what they hold: the params of each may depend on those before it, so
// the chain is walked in every render, and changes when one of its pages does.

import type { CollectionData } from '@edict/core';
import { emptyCollectionData } from '../binding/entryView.ts';
import { collectionKey } from '../binding/untyped.ts';
import type { SourceGroup } from './sourceGroup.ts';
import { createSourceGroup } from './sourceGroup.ts';
import type { InstanceState } from '../binding/instanceState.ts';
import { commit, find, newInstanceState } from '../binding/instanceState.ts';
import type { ReadMode } from '../binding/readMode.ts';
import type { HydrationProbe } from '../hydration/hydrationProbe.ts';
import { createHydrationProbe } from '../hydration/hydrationProbe.ts';
import type { CollectionSnapshot, InfiniteCollectionMeta } from '../types.ts';
import type { Scope } from '../binding/scope.ts';
import { Source } from '../binding/source.ts';

/** The params of the page after these; null or undefined: these are all. */
export type NextParams = (pages: readonly CollectionData[]) => object | null | undefined;

interface PagesArguments {
  readonly scope: Scope;
  readonly name: string;
  readonly mode: ReadMode;
}

/** Pages as one list. What was read of a row is what it depends on (D-REACT-3). */
export interface Joined {
  readonly rows: readonly CollectionSnapshot[];
  readonly data: CollectionData;
  readonly meta: InfiniteCollectionMeta;
}

/** Several pages as one store. */
export interface Pages extends PagesArguments {
  /** The canonical params of each. */
  readonly keys: readonly string[];
  readonly sources: readonly Source[];
  readonly rows: SourceGroup;
  /** What the hook showed before it had these pages. */
  readonly before: CollectionData;
  /** What it shows of them. */
  joined: Joined | null;
}

export interface PagesState extends InstanceState<Pages> {
  readonly probe: HydrationProbe;
  /** It was told that the params of a page came again. */
  hasWarned: boolean;
}

export const newPagesState = (): PagesState => ({
  ...newInstanceState<Pages>(),
  probe: createHydrationProbe(),
  hasWarned: false,
});

/** The pages as far as they can be known now, and whether there is another one behind them. */
export interface Chain {
  readonly pages: Pages;
  readonly hasNextPage: boolean;
}

/** Whether a page has nothing to show: it is loading, or has failed. */
export const isMissing = (row: { readonly data: unknown } | undefined): boolean =>
  row?.data === emptyCollectionData;

const isAlike = (pages: Pages, { scope, name, mode }: PagesArguments): boolean =>
  pages.name === name && pages.scope.dl === scope.dl && pages.mode === mode;

const isSame = ({ sources }: Pages, others: readonly Source[]): boolean =>
  sources.length === others.length && others.every((source, at) => sources[at] === source);

const sourceIn = (pages: Pages | null, key: string): Source | undefined =>
  pages?.sources[pages.keys.indexOf(key)];

/** The pages that a walk has come to, and whether there is one behind them. */
interface Walk {
  readonly keys: readonly string[];
  readonly sources: readonly Source[];
  readonly hasNextPage: boolean;
}

/** The source of the page that comes next; where the pages before it have moved its place, it shows what stood there until it is there. */
function nextSource(
  { committed, draft }: InstanceState<Pages>,
  { scope, name, mode }: PagesArguments,
  before: readonly string[],
  key: string,
  params: object | undefined,
): Source {
  const known = sourceIn(committed, key);
  if (known !== undefined) return known;
  const isSameList = before.length > 0 && committed?.keys[0] === before[0];
  const previous = isSameList ? committed?.sources[before.length]?.shown() : undefined;
  const drafted = sourceIn(draft, key);
  return drafted !== undefined && drafted.previous === previous
    ? drafted
    : new Source(scope, collectionKey(name, params), mode, previous, null);
}

/** From page to page, since the params of one may depend on the answers before it: as far as there are answers, and pages are wanted. */
function walk(
  memory: PagesState,
  known: InstanceState<Pages>,
  wanted: PagesArguments,
  nextParams: NextParams,
  countFor: (first: string) => number,
): Walk {
  const { scope, name, mode } = wanted;
  const keys: string[] = [];
  const sources: Source[] = [];
  const answers: CollectionData[] = [];
  const end = (hasNextPage: boolean): Walk => ({ keys, sources, hasNextPage });
  for (;;) {
    const params = mode.isEnabled ? nextParams(answers) : null;
    if (params === null || params === undefined) return end(false);
    const [first] = keys;
    if (first !== undefined && keys.length >= countFor(first)) return end(true);
    const { paramsKey, paramsSnapshot } = scope.layer.getCollectionRef(name, { params }).meta;
    if (keys.includes(paramsKey)) {
      warnOfRepeat(memory, name, paramsKey);
      return end(false);
    }
    const source = nextSource(known, wanted, keys, paramsKey, paramsSnapshot as object | undefined); // A copy of params.
    keys.push(paramsKey);
    sources.push(source);
    const snapshot = memory.probe.isHydrating() ? source.getServerSnapshot() : source.getSnapshot();
    if (isMissing(snapshot)) return end(first !== undefined);
    answers.push(snapshot.data as CollectionData); // Of a collection.
  }
}

function warnOfRepeat(memory: PagesState, name: string, key: string): void {
  if (!memory.hasWarned)
    console.warn(
      `[edict] useInfiniteCollection("${name}"): nextParams gave ${key} for two pages; it must return null after the last page.`,
    );
  memory.hasWarned = true;
}

/**
 * No hook, but called like one: a compiler must not keep its answer, since the pages move on under it.
 *
 * @param countFor how many pages are wanted, where the first has these canonical params
 */
export function useChain(
  memory: PagesState,
  wanted: PagesArguments,
  nextParams: NextParams,
  countFor: (first: string) => number,
): Chain {
  const alike = (pages: Pages | null): Pages | null =>
    pages !== null && isAlike(pages, wanted) ? pages : null;
  const known: InstanceState<Pages> = { committed: alike(memory.committed), draft: alike(memory.draft) };
  const { keys, sources, hasNextPage } = walk(memory, known, wanted, nextParams, countFor);
  const before = known.committed?.joined?.data ?? emptyCollectionData;
  // What the screen shows may have moved on since the draft was made.
  const same = find(
    known,
    (pages) => isSame(pages, sources) && (pages === known.committed || pages.before === before),
  );
  if (same !== null) return { pages: same, hasNextPage };
  const pages: Pages = {
    ...wanted,
    keys,
    sources,
    rows: createSourceGroup(wanted.scope, sources, () => commit(memory, pages)),
    before,
    joined: null,
  };
  memory.draft = pages;
  return { pages, hasNextPage };
}
