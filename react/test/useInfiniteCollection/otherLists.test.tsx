import { DLProvider, useInfiniteCollection } from '@edict/react';
import { act, renderHook } from '@testing-library/react';
import { expect, it } from 'vitest';
import { byNumber, setup } from './numbers.tsx';

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

it('shows no page of the last list while the pages of another list load', async () => {
  const { advance, wrapper } = setup(10);
  const { result, rerender } = renderHook(
    ({ odd }) => useInfiniteCollection('numbers', { ...byNumber(odd ? { odd } : {}), initialPages: 2 }),
    { wrapper, initialProps: { odd: false } },
  );
  await advance(20);
  rerender({ odd: true });
  await advance(10);
  expect(result.current.data.ids).toEqual([1, 3]);
  await advance(10);
  expect(result.current.data.ids).toEqual([1, 3, 5, 7]);
});

it.each([false, true])('shows no id of the last list behind a first page: cached %s', async (isCached) => {
  const { advance, wrapper, dl } = setup(10);
  if (isCached) dl.fetchCollection('numbers', { params: { odd: true, page: 1 } });
  const { result, rerender } = renderHook(
    ({ odd }) =>
      useInfiniteCollection('numbers', {
        ...byNumber(odd ? { odd } : {}),
        initialPages: 2,
        keepPrevious: true,
      }),
    { wrapper, initialProps: { odd: false } },
  );
  await advance(20);
  rerender({ odd: true });
  if (!isCached) await advance(10);
  expect(result.current.data.ids).toEqual([1, 3]);
  await advance(10);
  expect(result.current.data.ids).toEqual([1, 3, 5, 7]);
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

it('restarts with one page when the name or the data layer changes', async () => {
  const { advance, wrapper: Wrapper, calls, dl, layerOf, server, sim } = setup();
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
  expect(dl.state().collections['numbers']?.refCount).toBe(2); // Its pages are still cached.
  rerender({ name: 'numbers' });
  await advance(50);
  act(result.current.fetchNextPage);
  await advance(10);
  calls.length = 0;
  server.ids = [7, 8, 9];
  layer = layerOf(sim);
  rerender({ name: 'numbers' });
  await advance(50);
  expect(calls).toEqual(['{"page":1}']);
  expect(result.current.data.ids).toEqual([7, 8]);
  expect(dl.state().collections['numbers']?.refCount).toBe(2); // The last data layer keeps its pages too.
});
