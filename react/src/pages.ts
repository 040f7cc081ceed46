// A list that grows page by page. Which pages there are follows from what they hold: the params of each may depend on those before it, so
// the chain is walked in every render, and changes when one of its pages does.

import type { CollectionData } from '@edict/core';
import { emptyCollectionData } from './facts.ts';
import type { Many } from './many.ts';
import { createMany } from './many.ts';
import type { Manner } from './manner.ts';
import type { Probe } from './probe.ts';
import { createProbe } from './probe.ts';
import type { CollectionSnapshot, InfiniteCollectionMeta } from './results.ts';
import type { Scope } from './scope.ts';
import { Source } from './source.ts';

/** The params of the page after these; null or undefined: these are all. */
export type NextParams = (pages: readonly CollectionData[]) => object | null | undefined;

interface PagesArguments {
  readonly scope: Scope;
  readonly name: string;
  readonly manner: Manner;
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
  readonly rows: Many;
  /** What the hook showed before it had these pages. */
  readonly before: CollectionData;
  /** What it shows of them. */
  joined: Joined | null;
}

/** What one hook instance remembers: the pages that React has subscribed to, and those that are being rendered. */
export interface PagesMemory {
  committed: Pages | null;
  draft: Pages | null;
  readonly probe: Probe;
  /** It was told that the params of a page came again. */
  hasWarned: boolean;
}

export const createPagesMemory = (): PagesMemory => ({
  committed: null,
  draft: null,
  probe: createProbe(),
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

const isAlike = (pages: Pages | null, { scope, name, manner }: PagesArguments): pages is Pages =>
  pages !== null && pages.name === name && pages.scope.dl === scope.dl && pages.manner === manner;

const isSame = ({ sources }: Pages, others: readonly Source[]): boolean =>
  sources.length === others.length && others.every((source, at) => sources[at] === source);

/**
 * No hook, but called like one: a compiler must not keep its answer, since the pages move on under it.
 *
 * @param countFor how many pages are wanted, where the first has these canonical params
 */
export function useChain(
  memory: PagesMemory,
  wanted: PagesArguments,
  nextParams: NextParams,
  countFor: (first: string) => number,
): Chain {
  const { scope, name, manner } = wanted;
  const committed = isAlike(memory.committed, wanted) ? memory.committed : null;
  const draft = isAlike(memory.draft, wanted) ? memory.draft : null;
  const keys: string[] = [];
  const sources: Source[] = [];
  const answers: CollectionData[] = [];

  /** Where the pages before it have moved its place, what stood there is shown until it is there. */
  function previousAt(at: number): CollectionData | undefined {
    if (at === 0 || committed === null || committed.keys[0] !== keys[0]) return undefined;
    return committed.sources[at]?.shown() as CollectionData | undefined; // Of a collection.
  }

  function sourceOf(key: string, params: object | undefined, at: number): Source {
    const known = committed?.sources[committed.keys.indexOf(key)];
    if (known !== undefined) return known;
    const previous = previousAt(at);
    const drafted = draft?.sources[draft.keys.indexOf(key)];
    return drafted !== undefined && drafted.previous === previous
      ? drafted
      : new Source(scope, 'collection', name, '', 'default', params, manner, previous, null);
  }

  /** The page's answer; null where there is none that another page could follow from. */
  function add(key: string, params: object | undefined): CollectionData | null {
    const source = sourceOf(key, params, keys.length);
    keys.push(key);
    sources.push(source);
    const snapshot = memory.probe.isHydrating() ? source.getServerSnapshot() : source.getSnapshot();
    return isMissing(snapshot) ? null : (snapshot.data as CollectionData); // Of a collection.
  }

  function isKnown(key: string): boolean {
    if (!keys.includes(key)) return false;
    if (!memory.hasWarned)
      console.warn(
        `[edict] useInfiniteCollection("${name}"): nextParams gave ${key} for two pages; it must return null after the last page.`,
      );
    memory.hasWarned = true;
    return true;
  }

  let hasNextPage = false;
  for (;;) {
    const params = manner.isEnabled ? nextParams(answers) : null;
    const [first] = keys;
    hasNextPage = first !== undefined && params !== null && params !== undefined;
    if (params === null || params === undefined) break;
    if (first !== undefined && keys.length >= countFor(first)) break;
    const { paramsKey, paramsSnapshot } = scope.layer.getCollectionRef(name, { params }).meta;
    if (isKnown(paramsKey)) {
      hasNextPage = false;
      break;
    }
    const answer = add(paramsKey, paramsSnapshot as object | undefined); // A copy of params.
    if (answer === null) break;
    answers.push(answer);
  }

  for (const pages of [committed, draft])
    if (pages !== null && isSame(pages, sources)) return { pages, hasNextPage };
  const pages: Pages = {
    ...wanted,
    keys,
    sources,
    rows: createMany(scope, sources, () => {
      memory.committed = pages;
      memory.draft = null;
    }),
    before: committed?.joined?.data ?? emptyCollectionData,
    joined: null,
  };
  memory.draft = pages;
  return { pages, hasNextPage };
}
