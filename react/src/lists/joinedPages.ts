// What a list that grows shows: its pages as one.

import type { CollectionData, Id } from '@edict/core';
import { deepEqual } from '@edict/core/internal';
import { emptyCollectionData } from '../binding/entryView.ts';
import { isMissing, type Joined, type Pages } from './pages.ts';
import type { CollectionSnapshot, InfiniteCollectionMeta } from '../types.ts';

type Rows = Joined['rows'];

/** All of the pages but what is loading or failed, without doubles: between two answers an id may stand in both. */
function joined(rows: Rows): CollectionData {
  if (rows.every(isMissing)) return emptyCollectionData; // There is no answer.
  const ids = new Map<string, Id>();
  for (const { data } of rows) for (const id of data.ids) if (!ids.has(String(id))) ids.set(String(id), id); // D-REG-5
  return { ids: [...ids.values()], count: Math.max(ids.size, rows[0]?.data.count ?? 0) };
}

class Meta implements InfiniteCollectionMeta {
  readonly isStale: boolean;
  readonly isPrevious: boolean;
  readonly #rows: Rows;

  constructor(rows: Rows, isPrevious: boolean) {
    this.#rows = rows;
    this.isPrevious = isPrevious;
    this.isStale = rows.some(({ meta }) => meta.isStale);
  }

  get isLoading(): boolean {
    return this.#rows.some(({ meta }) => meta.isLoading);
  }

  get isLoadingNextPage(): boolean {
    const last = this.#rows.at(-1);
    return this.#rows.length > 1 && isMissing(last) && last?.meta.isLoading === true;
  }

  get error(): string | null {
    return this.#failed?.meta.error ?? null;
  }

  get cause(): unknown {
    return this.#failed?.meta.cause ?? null;
  }

  get lastFetched(): string | null {
    return this.#rows[0]?.meta.lastFetched ?? null;
  }

  get #failed(): CollectionSnapshot | undefined {
    return this.#rows.find(({ meta }) => meta.error !== null);
  }
}

/** The pages as one: the same object for the same rows. */
export function joinedOf(pages: Pages, rows: Rows, keepPrevious: boolean): Joined {
  const last = pages.joined;
  if (last?.rows === rows) return last;
  const before = last?.data ?? pages.before;
  const isPrevious =
    keepPrevious && before !== emptyCollectionData && isMissing(rows[0]) && rows[0]?.meta.error === null;
  const data = isPrevious ? before : joined(rows);
  return (pages.joined = {
    rows,
    data: deepEqual(before, data) ? before : data, // As between two answers (D-LEVEL-7).
    meta: new Meta(rows, isPrevious),
  });
}
