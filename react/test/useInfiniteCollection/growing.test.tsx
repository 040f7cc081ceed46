/* oxlint-disable react/immutability, react/globals -- a test takes the setters of a component out of it */
import { useInfiniteCollection } from '@edict/react';
import { act, render, renderHook } from '@testing-library/react';
import { Activity, useState, type ReactElement } from 'react';
import { expect, it } from 'vitest';
import { byNumber, setup } from './numbers.tsx';

it('grows page by page and exposes whether there is a next page', async () => {
  const { advance, wrapper, calls } = setup();
  const { result } = renderHook(() => useInfiniteCollection('numbers', byNumber()), { wrapper });
  expect(result.current.data).toEqual({ ids: [], count: 0 });
  expect(result.current.meta).toMatchObject({ isLoading: true, isLoadingNextPage: false });
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

it('D-FETCH-10 does not retry a further page whose first load failed', async () => {
  const { advance, wrapper, dl, calls, server } = setup();
  dl.init({ bulk: { retryFailedMs: 100 } });
  const { result } = renderHook(() => useInfiniteCollection('numbers', byNumber()), { wrapper });
  await advance(10);
  server.failing.add('{"page":2}');
  act(result.current.fetchNextPage);
  await advance(1000);
  expect(calls).toEqual(['{"page":1}', '{"page":2}']);
});

it('starts with the number of pages in initialPages', async () => {
  const { advance, wrapper } = setup();
  const { result } = renderHook(() => useInfiniteCollection('numbers', { ...byNumber(), initialPages: 2 }), {
    wrapper,
  });
  await advance(20);
  expect(result.current.data.ids).toEqual([1, 2, 3, 4]);
});

it('does not grow later because of a fetchNextPage after the last page', async () => {
  const { advance, wrapper, server, push } = setup(4);
  const { result } = renderHook(() => useInfiniteCollection('numbers', { ...byNumber(), initialPages: 2 }), {
    wrapper,
  });
  await advance(20);
  act(result.current.fetchNextPage);
  server.ids.push(5, 6);
  await push();
  await advance(20);
  expect(result.current.data.ids).toEqual([1, 2, 3, 4]);
  expect(result.current.hasNextPage).toBe(true);
});

it('keeps its length while it is disabled', async () => {
  const { advance, wrapper } = setup();
  const { result, rerender } = renderHook(
    ({ enabled }) => useInfiniteCollection('numbers', { ...byNumber(), enabled }),
    { wrapper, initialProps: { enabled: true } },
  );
  await advance(10);
  act(result.current.fetchNextPage);
  await advance(10);
  rerender({ enabled: false });
  rerender({ enabled: true });
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
