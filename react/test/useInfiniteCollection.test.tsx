/* oxlint-disable react/immutability, react/globals -- a test takes the setters of a component out of it */
import { dehydrate, hydrate } from '@edict/core/hydration';
import type { CollectionData } from '@edict/core';
import { createSimulation, type Simulation } from '@edict/core/testing';
import {
  DLProvider,
  HydrationBoundary,
  useInfiniteCollection,
  type UseInfiniteCollectionOptions,
} from '@edict/react';
import { act, render, renderHook } from '@testing-library/react';
import fc from 'fast-check';
import {
  Activity,
  startTransition,
  StrictMode,
  Suspense,
  use,
  useState,
  type ReactElement,
  type ReactNode,
} from 'react';
import { hydrateRoot } from 'react-dom/client';
import { renderToString } from 'react-dom/server';
import { expect, it, onTestFinished, vi } from 'vitest';
import { parameters } from '../../core/test/properties/runs.ts';

type Options = UseInfiniteCollectionOptions<object>;

/** A server with a list of numbers and two numbers per page. */
function setup(length = 5, stalenessMs = 60_000) {
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

const byNumber = (more: object = {}): Options => ({
  nextParams: (_, pages) =>
    pages[0] !== undefined && sizeOf(pages) >= pages[0].count ? null : { ...more, page: pages.length + 1 },
});

const byCursor: Options = {
  nextParams: (_, pages) =>
    pages[0] !== undefined && sizeOf(pages) >= pages[0].count ? null : { after: pages.at(-1)?.ids.at(-1) },
};

it('grows page by page and exposes whether there is a next page', async () => {
  const { advance, wrapper, calls } = setup();
  const { result } = renderHook(() => useInfiniteCollection('numbers', byNumber()), { wrapper });
  expect(result.current.data).toEqual({ ids: [], count: 0 });
  expect(result.current.meta.isLoading).toBe(true);
  expect(result.current.hasNextPage).toBe(false);
  await advance(10);
  expect(result.current.data).toEqual({ ids: [1, 2], count: 5 });
  expect(result.current.meta.isLoading).toBe(false);
  expect(result.current.hasNextPage).toBe(true);
  act(result.current.fetchNextPage);
  expect(result.current.meta.isLoadingNextPage).toBe(true);
  expect(result.current.data.ids).toEqual([1, 2]);
  act(result.current.fetchNextPage); // No further page is requested while one is loading.
  await advance(10);
  expect(result.current.data.ids).toEqual([1, 2, 3, 4]);
  expect(result.current.meta.isLoadingNextPage).toBe(false);
  act(result.current.fetchNextPage);
  await advance(10);
  expect(result.current.data.ids).toEqual([1, 2, 3, 4, 5]);
  expect(result.current.hasNextPage).toBe(false);
  act(result.current.fetchNextPage);
  await advance(10);
  expect(calls).toEqual(['{"page":1}', '{"page":2}', '{"page":3}']);
});

it('reads the first page with params, and calls nextParams with the last page and all pages', async () => {
  const { advance, wrapper, calls } = setup();
  const seen: unknown[] = [];
  const { result } = renderHook(
    () =>
      useInfiniteCollection('numbers', {
        params: { odd: true },
        nextParams(lastPage, pages) {
          seen.push([lastPage?.ids, pages.map(({ ids, count }) => [ids, count])]);
          return pages.length === 2 ? null : { odd: true, after: lastPage?.ids.at(-1) };
        },
        initialPages: 2,
      }),
    { wrapper },
  );
  expect(result.current).toMatchObject({ isPending: true, isFetching: true, error: null });
  await advance(20);
  expect(calls).toEqual(['{"odd":true}', '{"after":3,"odd":true}']);
  expect(seen.at(-1)).toEqual([
    [5],
    [
      [[1, 3], 3],
      [[5], 3],
    ],
  ]);
  expect({ ...result.current }).toMatchObject({
    data: { ids: [1, 3, 5] },
    isPending: false,
    hasNextPage: false,
  });
});

it('calls nextParams with undefined and an empty list for the first page when there are no params', async () => {
  const { advance, wrapper } = setup();
  const nextParams = vi.fn((lastPage: object | undefined) => (lastPage === undefined ? { page: 1 } : null));
  const { result } = renderHook(() => useInfiniteCollection('numbers', { nextParams }), { wrapper });
  expect(nextParams.mock.calls[0]).toEqual([undefined, []]);
  await advance(10);
  expect(result.current.data.ids).toEqual([1, 2]);
});

it('shows the error of a page as an Error', async () => {
  const { advance, wrapper, server } = setup();
  server.failing.add('{"page":1}');
  const { result } = renderHook(() => useInfiniteCollection('numbers', byNumber()), { wrapper });
  await advance(10);
  expect(result.current).toMatchObject({
    error: new Error('{"page":1} failed'),
    isPending: false,
    isFetching: false,
  });
  const { isLoading, ...rest } = result.current.meta;
  expect({ isLoading, ...rest }).toMatchObject({
    isLoading: false,
    error: '{"page":1} failed',
    isPrevious: false,
  });
});

it('starts with the number of pages in initialPages', async () => {
  const { advance, wrapper } = setup();
  const { result } = renderHook(() => useInfiniteCollection('numbers', { ...byNumber(), initialPages: 2 }), {
    wrapper,
  });
  await advance(20);
  expect(result.current.data.ids).toEqual([1, 2, 3, 4]);
});

it('D-FETCH-9 reads each page once when it mounts', async () => {
  const { advance, wrapper, calls } = setup(10, 0);
  renderHook(() => useInfiniteCollection('numbers', { ...byNumber(), initialPages: 4 }), { wrapper });
  for (let page = 1; page <= 5; page++) await advance(10);
  expect(calls).toEqual([1, 2, 3, 4].map((page) => `{"page":${page}}`));
});

it('D-FETCH-9 fetchNextPage does not read the pages on the screen again, and showing them does', async () => {
  const { advance, wrapper, calls } = setup();
  let hide: (isHidden: boolean) => void = () => undefined;
  let next: () => void = () => undefined;
  function List(): null {
    next = useInfiniteCollection('numbers', byNumber()).fetchNextPage;
    return null;
  }
  function Page(): ReactElement {
    const [isHidden, set] = useState(false);
    hide = set;
    return (
      <Activity mode={isHidden ? 'hidden' : 'visible'}>
        <List />
      </Activity>
    );
  }
  render(<Page />, { wrapper });
  await advance(60_010);
  act(next);
  await advance(60_010);
  expect(calls.splice(0)).toEqual(['{"page":1}', '{"page":2}']);
  act(() => hide(true));
  await advance(10);
  act(() => hide(false));
  await advance(10);
  expect(calls).toEqual(['{"page":1}', '{"page":2}']);
});

it('refetches the pages behind a moved cursor, and shows the old pages until they arrive', async () => {
  const { advance, wrapper, server, apply, calls } = setup(6);
  const { result } = renderHook(() => useInfiniteCollection('numbers', { ...byCursor, initialPages: 3 }), {
    wrapper,
  });
  await advance(30);
  expect(result.current.data.ids).toEqual([1, 2, 3, 4, 5, 6]);
  server.ids.unshift(9);
  calls.length = 0;
  apply();
  await advance(65); // The batch window and the three responses.
  // The first page is new. The pages behind it start after a cursor that was not requested yet.
  expect(result.current.data.ids).toEqual([9, 1, 3, 4, 5, 6]);
  expect(result.current.meta.isLoading).toBe(true);
  await advance(30);
  expect(result.current.data).toEqual({ ids: [9, 1, 2, 3, 4, 5], count: 7 });
  expect(result.current.meta.isLoading).toBe(false);
  expect(result.current.hasNextPage).toBe(true);
});

it('shows an id once while it is on two pages', async () => {
  const { advance, wrapper, server, dl } = setup(6);
  const { result } = renderHook(() => useInfiniteCollection('numbers', { ...byNumber(), initialPages: 2 }), {
    wrapper,
  });
  await advance(20);
  server.ids.unshift(9);
  act(() => void dl.applyDirectives([{ op: 'refresh_collection', name: 'numbers', params: { page: 2 } }]));
  await advance(60);
  expect(result.current.data.ids).toEqual([1, 2, 3]); // The second page is [2, 3] now.
});

it('keeps its data and renders nothing when the responses are equal', async () => {
  const { advance, wrapper, push, calls } = setup();
  let renders = 0;
  const { result } = renderHook(
    () => {
      renders++;
      const list = useInfiniteCollection('numbers', { ...byNumber(), initialPages: 2 });
      return [list, list.data] as const;
    },
    { wrapper },
  );
  await advance(20);
  const [list, data] = result.current;
  renders = 0;
  calls.length = 0;
  await push();
  expect(calls).toHaveLength(2);
  expect(renders).toBe(0);
  expect(result.current).toEqual([list, data]);
  expect(result.current[1]).toBe(data);
});

it('restarts with one page when the params of the first page change', async () => {
  const { advance, wrapper } = setup();
  const { result, rerender } = renderHook(
    ({ odd }) => useInfiniteCollection('numbers', byNumber(odd ? { odd } : {})),
    { wrapper, initialProps: { odd: false } },
  );
  await advance(10);
  act(result.current.fetchNextPage);
  await advance(10);
  rerender({ odd: true });
  expect(result.current.data.ids).toEqual([]);
  expect(result.current.meta.isPrevious).toBe(false);
  await advance(10);
  expect(result.current.data).toEqual({ ids: [1, 3], count: 3 });
  expect(result.current.hasNextPage).toBe(true);
  rerender({ odd: false });
  expect(result.current.data.ids).toEqual([1, 2]);
});

it('shows the previous ids until the new first page arrives with keepPrevious', async () => {
  const { advance, wrapper } = setup();
  const { result, rerender } = renderHook(
    ({ odd }) =>
      useInfiniteCollection('numbers', {
        ...byNumber(odd ? { odd } : {}),
        keepPrevious: true,
        initialPages: 2,
      }),
    { wrapper, initialProps: { odd: false } },
  );
  await advance(20);
  const { data } = result.current;
  rerender({ odd: true });
  expect(result.current.data).toBe(data);
  expect(result.current.meta.isPrevious).toBe(true);
  expect(result.current.hasNextPage).toBe(false);
  await advance(20);
  expect(result.current.data).toEqual({ ids: [1, 3, 5], count: 3 });
  expect(result.current.meta.isPrevious).toBe(false);
});

it('D-REACT-4 without keepPrevious the last ids go during the load', async () => {
  const { advance, wrapper } = setup();
  const { result, rerender } = renderHook(
    ({ odd, keepPrevious }) => useInfiniteCollection('numbers', { ...byNumber({ odd }), keepPrevious }),
    { wrapper, initialProps: { odd: false, keepPrevious: true } },
  );
  await advance(10);
  rerender({ odd: true, keepPrevious: true });
  expect(result.current.meta.isPrevious).toBe(true);
  rerender({ odd: true, keepPrevious: false });
  const { data, isPending, meta } = result.current;
  expect([data.ids, isPending, meta.isPrevious]).toEqual([[], true, false]);
});

it('D-REACT-4 keepPrevious ends with an empty list, which the next list shows while it loads', async () => {
  const { advance, wrapper, server } = setup();
  server.ids = [2, 4];
  const { result, rerender } = renderHook(
    ({ more }) => useInfiniteCollection('numbers', { ...byNumber(more), keepPrevious: true }),
    { wrapper, initialProps: { more: {} } },
  );
  await advance(10);
  rerender({ more: { odd: true } });
  const shown = () => [result.current.data.ids, result.current.meta.isPrevious, result.current.isPending];
  expect(shown()).toEqual([[2, 4], true, false]);
  await advance(10);
  expect(shown()).toEqual([[], false, false]);
  rerender({ more: { odd: false } });
  expect(shown()).toEqual([[], true, false]);
  await advance(10);
  expect(shown()).toEqual([[2, 4], false, false]);
});

it('continues after pages that are empty', async () => {
  const { advance, wrapper, server, calls } = setup(0);
  const { result } = renderHook(
    () =>
      useInfiniteCollection('numbers', {
        nextParams: (_, { length }) => (length < 3 ? { page: length + 1 } : null),
      }),
    { wrapper },
  );
  await advance(10);
  expect(result.current.hasNextPage).toBe(true);
  act(result.current.fetchNextPage);
  expect(result.current.meta.isLoadingNextPage).toBe(true);
  await advance(10);
  expect(result.current.meta.isLoadingNextPage).toBe(false);
  server.ids = [1, 2, 3, 4, 5];
  act(result.current.fetchNextPage);
  await advance(10);
  expect(calls).toEqual(['{"page":1}', '{"page":2}', '{"page":3}']);
  expect(result.current.data.ids).toEqual([5]);
  expect(result.current.hasNextPage).toBe(false);
});

/** A list whose second page has failed. */
async function failedPage() {
  const stage = setup();
  const { advance, wrapper, server } = stage;
  server.failing.add('{"page":2}');
  const { result } = renderHook(() => useInfiniteCollection('numbers', byNumber()), { wrapper });
  await advance(10);
  act(result.current.fetchNextPage);
  await advance(10);
  return { ...stage, result };
}

it('shows the error of a failed page, and fetchNextPage requests that page again', async () => {
  const { advance, server, calls, result } = await failedPage();
  expect(result.current.data.ids).toEqual([1, 2]);
  expect(result.current.meta.error).toBe('{"page":2} failed');
  expect(result.current.meta.cause).toEqual(new Error('{"page":2} failed'));
  expect(result.current.hasNextPage).toBe(true);
  server.failing.clear();
  act(result.current.fetchNextPage);
  expect(result.current.meta.isLoadingNextPage).toBe(true);
  await advance(10);
  expect(result.current.data.ids).toEqual([1, 2, 3, 4]);
  expect(result.current.meta.error).toBeNull();
  expect(calls).toEqual(['{"page":1}', '{"page":2}', '{"page":2}']);
});

it('shows the error of a failed first page, and refresh fetches every page again', async () => {
  const { advance, wrapper, server, calls } = setup();
  server.failing.add('{"page":1}');
  const { result } = renderHook(
    () => useInfiniteCollection('numbers', { ...byNumber(), initialPages: 2, keepPrevious: true }),
    { wrapper },
  );
  await advance(10);
  expect(result.current.meta.error).toBe('{"page":1} failed');
  expect([result.current.hasNextPage, result.current.meta.isLoadingNextPage]).toEqual([false, false]);
  server.failing.clear();
  act(result.current.refresh);
  await advance(20);
  expect(result.current.data.ids).toEqual([1, 2, 3, 4]);
  calls.length = 0;
  act(result.current.refresh);
  expect(calls).toEqual(['{"page":1}', '{"page":2}']);
});

it('shrinks when the server has fewer pages, and grows again up to its earlier length', async () => {
  const { advance, wrapper, server, push } = setup();
  const { result } = renderHook(() => useInfiniteCollection('numbers', { ...byNumber(), initialPages: 3 }), {
    wrapper,
  });
  await advance(30);
  server.ids = [7];
  await push();
  expect(result.current.data).toEqual({ ids: [7], count: 1 });
  expect(result.current.hasNextPage).toBe(false);
  server.ids = [7, 8, 9, 10];
  await push();
  await advance(20);
  expect(result.current.data.ids).toEqual([7, 8, 9, 10]);
});

it('D-REACT-2 reads nothing when it is disabled', async () => {
  const { advance, wrapper, calls } = setup();
  const { result } = renderHook(() => useInfiniteCollection('numbers', { ...byNumber(), enabled: false }), {
    wrapper,
  });
  await advance(10);
  expect(result.current.data).toEqual({ ids: [], count: 0 });
  expect(result.current.meta.isLoading).toBe(false);
  expect(result.current.meta.error).toBeNull();
  expect(result.current.hasNextPage).toBe(false);
  act(result.current.fetchNextPage);
  act(result.current.refresh);
  expect(calls).toEqual([]);
});

it('D-REACT-5 is never loading when it is silent', async () => {
  const { advance, wrapper } = setup();
  const { result } = renderHook(() => useInfiniteCollection('numbers', { ...byNumber(), silent: true }), {
    wrapper,
  });
  expect(result.current.meta.isLoading).toBe(false);
  await advance(10);
  expect(result.current.data.ids).toEqual([1, 2]);
});

it('emits no event in a render without a change', async () => {
  const { dl, advance, wrapper } = setup();
  const { rerender } = renderHook(
    () => useInfiniteCollection('numbers', { ...byNumber(), initialPages: 2 }),
    { wrapper },
  );
  await advance(20);
  const events: string[] = [];
  dl.onLifecycle('*', ({ event }) => events.push(event));
  rerender();
  expect(events).toEqual([]);
});

it('shows another list when the name changes, and an empty one while it is disabled', async () => {
  const { dl, advance, wrapper } = setup();
  dl.createCollection('letters', { fetch: () => ({ ids: ['a'] }) });
  const { result, rerender } = renderHook(
    ({ name, enabled }) => useInfiniteCollection(name, { ...byNumber(), enabled }),
    { wrapper, initialProps: { name: 'numbers', enabled: true } },
  );
  await advance(10);
  expect(result.current.data.ids).toEqual([1, 2]);
  rerender({ name: 'letters', enabled: true });
  await advance(10);
  expect(result.current.data.ids).toEqual(['a']);
  rerender({ name: 'letters', enabled: false });
  expect(result.current.data.ids).toEqual([]);
  rerender({ name: 'letters', enabled: true });
  expect(result.current.data.ids).toEqual(['a']);
});

it('shows the list of a new data layer', async () => {
  const { sim, dl, server, layerOf, advance } = setup();
  const List = (): ReactElement => <>{useInfiniteCollection('numbers', byNumber()).data.ids.join()}</>;
  const of = (own: typeof dl): ReactElement => (
    <DLProvider dl={own}>
      <List />
    </DLProvider>
  );
  const { container, rerender } = render(of(dl));
  await advance(10);
  expect(container.textContent).toBe('1,2');
  server.ids = [8, 9];
  rerender(of(layerOf(sim)));
  await advance(10);
  expect(container.textContent).toBe('8,9');
});

it('restarts with one page when the name or the data layer changes', async () => {
  const { advance, wrapper: Wrapper, calls, dl, layerOf, sim } = setup();
  dl.createCollection('others', {
    fetch: async (params) => (calls.push(`others ${JSON.stringify(params)}`), { ids: [1], count: 9 }),
  });
  let layer = dl;
  const { result, rerender } = renderHook(({ name }) => useInfiniteCollection(name, byNumber()), {
    wrapper: ({ children }) => (
      <Wrapper>
        <DLProvider dl={layer}>{children}</DLProvider>
      </Wrapper>
    ),
    initialProps: { name: 'numbers' },
  });
  await advance(10);
  act(result.current.fetchNextPage);
  await advance(10);
  expect(result.current.data.ids).toEqual([1, 2, 3, 4]);
  calls.length = 0;
  rerender({ name: 'others' });
  await advance(50);
  expect(calls).toEqual(['others {"page":1}']);
  rerender({ name: 'numbers' });
  await advance(50);
  calls.length = 0;
  layer = layerOf(sim);
  rerender({ name: 'numbers' });
  await advance(50);
  expect(calls).toEqual(['{"page":1}']);
});

it('requests a failed page once for several calls of fetchNextPage', async () => {
  const { advance, server, calls, result } = await failedPage();
  server.failing.clear();
  calls.length = 0;
  act(result.current.fetchNextPage);
  act(result.current.fetchNextPage);
  await advance(50);
  expect(calls).toEqual(['{"page":2}']);
});

it('D-REACT-4 keepPrevious shows nothing after a list that failed', async () => {
  const { advance, wrapper, server } = setup();
  server.failing.add('{"odd":true,"page":1}');
  const { result, rerender } = renderHook(
    ({ more }) => useInfiniteCollection('numbers', { ...byNumber(more), keepPrevious: true }),
    { wrapper, initialProps: { more: {} } },
  );
  await advance(10);
  rerender({ more: { odd: true } });
  await advance(10);
  expect(result.current.meta.error).not.toBeNull();
  rerender({ more: { odd: false } });
  expect(result.current.data.ids).toEqual([]);
  expect(result.current.meta.isPrevious).toBe(false);
});

it('D-REACT-4 D-REACT-6 keepPrevious shows the ids on the screen now, not those from when the transition began', async () => {
  const { wrapper, advance, server, push } = setup(2);
  const shown: string[] = [];
  let open!: () => void;
  const gate = new Promise<void>((resolve) => (open = resolve));
  let turn!: () => void;
  function List({ odd }: { odd: boolean }): ReactElement {
    const { data, meta } = useInfiniteCollection('numbers', {
      keepPrevious: true,
      nextParams: (_, pages) => (pages.length > 0 ? null : { odd }),
    });
    shown.push(`${data.ids.join()} ${meta.isPrevious}`);
    return <p>{data.ids.join()}</p>;
  }
  function Gate({ isShut }: { isShut: boolean }): null {
    if (isShut) use(gate);
    return null;
  }
  function App(): ReactElement {
    const [odd, setOdd] = useState(false);
    turn = () => startTransition(() => setOdd(true));
    return (
      <Suspense>
        <List odd={odd} />
        <Gate isShut={odd} />
      </Suspense>
    );
  }
  const { container } = render(<App />, { wrapper });
  await advance(10);
  await act(async () => turn());
  server.ids = [7, 8];
  await push();
  expect(container.textContent).toBe('7,8');
  shown.length = 0;
  await act(async () => open());
  expect(shown).not.toContain('1,2 true');
});

it('ends when the params of a page repeat, and logs the reason once', async () => {
  const warn = vi.spyOn(console, 'warn').mockReturnValue();
  const { advance, wrapper, calls } = setup();
  const { result, rerender } = renderHook(
    () => useInfiniteCollection('numbers', { nextParams: () => ({ page: 1 }), initialPages: 3 }),
    { wrapper },
  );
  await advance(10);
  rerender();
  expect(result.current.data.ids).toEqual([1, 2]);
  expect(result.current.hasNextPage).toBe(false);
  expect(calls).toEqual(['{"page":1}']);
  expect(warn.mock.calls).toEqual([
    [
      '[edict] useInfiniteCollection("numbers"): nextParams returned {"page":1} for two pages. Return null after the last page.',
    ],
  ]);
  vi.restoreAllMocks();
});

it.each([undefined, { page: 1 }])(
  'D-NAME-5 an async nextParams is an error, even if it rejects: %j',
  async (params) => {
    const { wrapper, advance } = setup();
    const unhandled = vi.fn();
    process.on('unhandledRejection', unhandled);
    onTestFinished(() => void process.off('unhandledRejection', unhandled));
    const nextParams = () => Promise.reject(new Error('no page'));
    const { result } = renderHook(() => useInfiniteCollection('numbers', { params, nextParams }), {
      wrapper,
    });
    await advance(10);
    const { error, meta, hasNextPage, isPending, data } = result.current;
    const message = '[edict] useInfiniteCollection("numbers"): nextParams must not be async.';
    expect([error?.message, meta.error]).toEqual([message, message]);
    expect([hasNextPage, isPending, data.ids]).toEqual([false, false, params === undefined ? [] : [1, 2]]);
    await new Promise(setImmediate); // The platform reports unhandled rejections after the microtasks.
    expect(unhandled).not.toHaveBeenCalled();
  },
);

it.each<[string, unknown]>([
  ['false', false],
  ['2', 2],
  ['""', ''],
])(
  'D-REACT-2 nextParams that returns %s instead of params throws a TypeError that names it',
  (given, params) => {
    const { wrapper } = setup();
    const nextParams = () => params as never;
    const useRead = (): unknown => useInfiniteCollection('numbers', { nextParams });
    vi.spyOn(console, 'error').mockImplementation(() => {});
    expect(() => renderHook(useRead, { wrapper })).toThrow(
      `[edict] useInfiniteCollection("numbers"): nextParams must return params or null, but returned ${given}.`,
    );
    vi.restoreAllMocks();
  },
);

const missing = "nextParams is missing. Return the next page's params, or null after the last page.";

it.each([
  [undefined, missing],
  [null, missing],
  [{}, missing],
  [{ nextParams: null }, missing],
  [{ nextParams: 5 }, 'nextParams must be a function, but is 5.'],
  [{ ...byNumber(), initialPages: 0 }, 'initialPages must be a whole number of 1 or more, but is 0.'],
  [{ ...byNumber(), initialPages: 1.5 }, 'initialPages must be a whole number of 1 or more, but is 1.5.'],
  [
    { ...byNumber(), odd: true },
    'there is no option "odd". For a filter, pass { params: { odd: … } }. ' +
      'The options are params, nextParams, initialPages, enabled, silent, keepPrevious.',
  ],
])('names a wrong option: %o', (options, message) => {
  const { wrapper } = setup();
  vi.spyOn(console, 'error').mockReturnValue(); // React logs what is thrown.
  expect(() => renderHook(() => useInfiniteCollection('numbers', options as never), { wrapper })).toThrow(
    new TypeError(`[edict] useInfiniteCollection("numbers"): ${message}`),
  );
  vi.restoreAllMocks();
});

it('D-REACT-6 requests once in StrictMode, and watches nothing while it is hidden', async () => {
  const { sim, dl, advance, wrapper, calls, server, push } = setup();
  const List = (): ReactElement => {
    const { data } = useInfiniteCollection('numbers', { ...byNumber(), initialPages: 2 });
    return <p>{data.ids.join()}</p>;
  };
  const page = (mode: 'visible' | 'hidden'): ReactElement => (
    <StrictMode>
      <Activity mode={mode}>
        <List />
      </Activity>
    </StrictMode>
  );
  const watchers = (): number =>
    Object.values(dl.devtools().refs['numbers'] ?? {}).reduce((sum, one) => sum + one.watchers, 0);
  const { container, rerender } = render(page('visible'), { wrapper });
  await advance(20);
  expect(container.textContent).toBe('1,2,3,4');
  expect(calls).toHaveLength(2);
  expect(watchers()).toBe(2);
  rerender(page('hidden'));
  expect(watchers()).toBe(0);
  server.ids.unshift(9);
  await push();
  rerender(page('visible'));
  await act(() => sim.settled());
  expect(container.textContent).toBe('9,1,2,3');
  rerender(<p />);
  expect(watchers()).toBe(0);
});

it('D-REACT-10 hydrates without a mismatch even when a directive arrives before', async () => {
  const { dl, server, calls, layerOf, sim } = setup();
  const theirs = layerOf(sim);
  for (const params of [{}, { after: 2 }]) {
    const done = theirs.prefetchCollection('numbers', { params });
    await sim.advance(10);
    await done;
  }
  const state = dehydrate(theirs);
  const List = (): ReactElement => {
    const { data } = useInfiniteCollection('numbers', { ...byCursor, initialPages: 2 });
    return <p>{data.ids.join()}</p>;
  };
  const page = (layer: typeof dl): ReactElement => (
    <DLProvider dl={layer}>
      <HydrationBoundary state={state}>
        <List />
      </HydrationBoundary>
    </DLProvider>
  );
  const container = document.createElement('div');
  container.innerHTML = renderToString(page(theirs));
  expect(container.textContent).toBe('1,2,3,4');
  calls.length = 0;
  server.ids.unshift(9);
  hydrate(dl, state);
  const first = { op: 'refresh_collection', name: 'numbers', params: {}, result: { ids: [9, 1], count: 6 } };
  void dl.applyDirectives([first]); // The directive arrives before React hydrates the page.
  const error = vi.spyOn(console, 'error').mockReturnValue();
  await act(async () => {
    hydrateRoot(container, page(dl), {
      onRecoverableError: (problem) => expect.unreachable(String(problem)),
    });
    await sim.settled();
  });
  await act(() => sim.settled()); // Fetches the page behind the moved cursor.
  expect(error).not.toHaveBeenCalled();
  expect(container.textContent).toBe('9,1,2,3');
  expect(calls).toEqual(['{"after":1}']);
  vi.restoreAllMocks();
});

it('ends with the first pages of the server after any sequence of changes', async () => {
  const step = fc.oneof(
    fc.record({ put: fc.integer({ min: 10, max: 40 }), at: fc.nat(8) }),
    fc.record({ drop: fc.nat(8) }),
    fc.constant('more' as const),
    fc.constant('wait' as const),
  );
  await fc.assert(
    fc.asyncProperty(fc.boolean(), fc.array(step, { maxLength: 12 }), async (isByCursor, steps) => {
      const { sim, dl, advance, wrapper, server, apply } = setup();
      const options = isByCursor ? byCursor : byNumber();
      const { result, unmount } = renderHook(() => useInfiniteCollection('numbers', options), { wrapper });
      let pages = 1;
      for (const one of steps) {
        if (one === 'wait') await advance(25);
        else if (one === 'more') {
          const { hasNextPage, meta } = result.current;
          const willGrow = hasNextPage && !meta.isLoadingNextPage;
          if (willGrow) pages++;
          act(result.current.fetchNextPage);
        } else {
          if ('put' in one) {
            if (!server.ids.includes(one.put)) server.ids.splice(one.at, 0, one.put);
          } else server.ids.splice(one.drop, 1);
          apply();
        }
      }
      await act(() => sim.settled());
      await advance(500);
      const { data, meta, hasNextPage } = result.current;
      expect(meta.isLoading).toBe(false);
      const refs = Object.values(dl.devtools().refs['numbers'] ?? {}).filter(({ watchers }) => watchers > 0);
      expect(refs.map((one) => one.meta.isStale)).toEqual(refs.map(() => false));
      const shown = data.ids.length;
      expect(data.ids).toEqual(server.ids.slice(0, shown));
      expect(hasNextPage).toBe(shown < server.ids.length);
      expect(shown).toBeLessThanOrEqual(pages * 2);
      expect(shown).toBeGreaterThanOrEqual(Math.min(2, server.ids.length));
      expect(data.count).toBe(server.ids.length);
      unmount();
    }),
    parameters(200),
  );
});

it('distinguishes an empty list from a list that was not fetched yet, even during a refetch', async () => {
  const { sim, server, wrapper, apply, push, advance } = setup(0);
  server.failing.add('{"page":1}');
  const { result } = renderHook(
    () =>
      useInfiniteCollection('numbers', { nextParams: (_, pages) => (pages.length > 0 ? null : { page: 1 }) }),
    { wrapper },
  );
  const shown = (): string => {
    const { data, meta } = result.current;
    if (data.ids.length > 0) return 'some';
    if (meta.lastFetched !== null) return 'none';
    return meta.error ?? 'loading';
  };
  expect(shown()).toBe('loading');
  await act(() => sim.settled());
  expect(shown()).toBe('{"page":1} failed');

  server.failing.clear();
  act(result.current.refresh);
  await act(() => sim.settled());
  expect(shown()).toBe('none');
  expect(Date.parse(result.current.meta.lastFetched ?? '')).toBe(sim.env.now());
  apply();
  await advance(55); // The request is in flight.
  expect([result.current.meta.isLoading, shown()]).toEqual([true, 'none']);

  server.ids.push(1);
  await act(() => sim.settled());
  await push();
  expect(shown()).toBe('some');
});
