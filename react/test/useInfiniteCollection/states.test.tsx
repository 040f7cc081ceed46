import { useInfiniteCollection } from '@edict/react';
import { act, renderHook } from '@testing-library/react';
import { expect, it } from 'vitest';
import { byNumber, setup } from './numbers.tsx';

it('D-REACT-2 reads nothing when it is disabled', async () => {
  const { advance, wrapper, calls } = setup();
  const { result } = renderHook(() => useInfiniteCollection('numbers', { ...byNumber(), enabled: false }), {
    wrapper,
  });
  await advance(10);
  expect(result.current.data).toEqual({ ids: [], count: 0 });
  expect(result.current.meta).toMatchObject({ isLoading: false, error: null, lastFetched: null });
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

/** A list whose second page has failed. */
async function failedPage(silent = false) {
  const stage = setup();
  const { advance, wrapper, server } = stage;
  server.failing.add('{"page":2}');
  const { result } = renderHook(() => useInfiniteCollection('numbers', { ...byNumber(), silent }), {
    wrapper,
  });
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
  expect(result.current.meta.isLoadingNextPage).toBe(false);
  expect(result.current.hasNextPage).toBe(true);
  server.failing.clear();
  act(result.current.fetchNextPage);
  expect(result.current.meta.isLoadingNextPage).toBe(true);
  await advance(10);
  expect(result.current.data.ids).toEqual([1, 2, 3, 4]);
  expect(result.current.meta.error).toBeNull();
  expect(calls).toEqual(['{"page":1}', '{"page":2}', '{"page":2}']);
});

it.each([false, true])(
  'requests a failed page once for several calls of fetchNextPage: silent %s',
  async (silent) => {
    const { advance, server, calls, result } = await failedPage(silent);
    server.failing.clear();
    calls.length = 0;
    act(result.current.fetchNextPage);
    act(result.current.fetchNextPage);
    await advance(50);
    expect(calls).toEqual(['{"page":2}']);
  },
);

it('has the meta of the first page, and that of the growing list', async () => {
  const { advance, wrapper, dl } = setup();
  const { result, rerender } = renderHook(
    ({ enabled }) =>
      useInfiniteCollection('numbers', { ...byNumber({ odd: true }), initialPages: 2, enabled }),
    { wrapper, initialProps: { enabled: true } },
  );
  await advance(20);
  const { meta } = dl.getCollectionRef('numbers', { params: { odd: true, page: 1 } });
  expect({ ...result.current.meta }).toEqual({
    ...meta,
    lastUsedAt: expect.any(String),
    isPrevious: false,
    isLoadingNextPage: false,
  });
  expect(result.current.meta.paramsKey).toBe('{"odd":true,"page":1}');
  rerender({ enabled: false });
  expect(result.current.meta).toMatchObject({ paramsKey: '{}', lastUsedAt: null, activeQueryId: null });
});
