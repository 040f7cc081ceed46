// A collection of numbers with two numbers per page, and options that read it page by page.

import type { CollectionData } from '@edict/core';
import { createSimulation, type Simulation } from '@edict/core/testing';
import { DLProvider, type UseInfiniteCollectionOptions } from '@edict/react';
import { act } from '@testing-library/react';
import type { ReactElement, ReactNode } from 'react';

export type Options = UseInfiniteCollectionOptions<object>;

export function setup(length = 5, stalenessMs = 60_000) {
  const sim = createSimulation();
  const server = { ids: Array.from({ length }, (_, at) => at + 1), failing: new Set<string>() };
  const calls: string[] = [];
  const layerOf = (own: Simulation) => {
    const dl = own.createDataLayer({ sse: { enabled: false } });
    dl.createCollection('numbers', {
      stalenessMs,
      async fetch(params) {
        const { page, after, odd } = (params ?? {}) as { page?: number; after?: number; odd?: boolean };
        const key = JSON.stringify(params ?? {});
        calls.push(key);
        await own.sleep(10);
        if (server.failing.has(key)) throw new Error(`${key} failed`);
        const all = server.ids.filter((id) => odd !== true || id % 2 === 1);
        const from = page !== undefined ? (page - 1) * 2 : after === undefined ? 0 : all.indexOf(after) + 1;
        return { ids: all.slice(from, from + 2), count: all.length };
      },
    });
    return dl;
  };
  const dl = layerOf(sim);
  const wrapper = ({ children }: { children: ReactNode }): ReactElement => (
    <DLProvider dl={dl}>{children}</DLProvider>
  );
  const changed = { op: 'refresh_collection', name: 'numbers', params: {}, params_mode: 'contains' };
  return {
    sim,
    dl,
    server,
    calls,
    wrapper,
    layerOf,
    advance: (ms: number) => act(() => sim.advance(ms)),
    /** The server marks every page stale. */
    push: () =>
      act(async () => {
        void dl.applyDirectives([changed]);
        await sim.settled();
      }),
    apply: () => act(() => void dl.applyDirectives([changed])),
  };
}

const sizeOf = (pages: readonly CollectionData[]): number =>
  pages.reduce((sum, { ids }) => sum + ids.length, 0);

export const byNumber = (more: object = {}): Options => ({
  nextParams: (_, pages) =>
    pages[0] !== undefined && sizeOf(pages) >= pages[0].count ? null : { ...more, page: pages.length + 1 },
});

export const byCursor: Options = {
  nextParams: (_, pages) =>
    pages[0] !== undefined && sizeOf(pages) >= pages[0].count ? null : { after: pages.at(-1)?.ids.at(-1) },
};
