import { createDataLayer, defineItem } from '@edict/core';
import { DLProvider, useCollection, useItem } from '@edict/react';
import { act, renderHook } from '@testing-library/react';
import { expect, it, vi } from 'vitest';
import { refreshTicket, setup } from '../world.tsx';
import { titleOf } from '../title.ts';

it('D-REACT-5 is loading and pending from the first render until the level is cached', async () => {
  const { advance, wrapper, calls } = setup();
  const states: string[] = [];
  const { result } = renderHook(
    () => {
      const { data, isPending, meta } = useItem('ticket', 1);
      states.push(`${meta.isLoading} ${isPending} ${titleOf(data)}`);
      return data;
    },
    { wrapper },
  );
  expect(states).toEqual(['true true nothing']);
  await advance(10);
  expect(states).toEqual(['true true nothing', 'false false ticket 1']);
  expect(result.current).toEqual({ id: 1, title: 'ticket 1', status: 'open' });
  expect(calls).toEqual(['ticket 1 default']);
});

it('D-REACT-5 has no data while only another level is cached, and the merged data when its level is cached', async () => {
  const { dl, sim, advance, wrapper } = setup();
  dl.fetchItem('ticket', 1);
  await sim.settled();
  const { result, rerender } = renderHook(({ level }) => useItem('ticket', 1, level), {
    wrapper,
    initialProps: { level: 'full' },
  });
  expect(result.current.data).toBeNull();
  expect(result.current.meta.isLoading).toBe(true);
  await advance(10);
  const merged = { id: 1, title: 'ticket 1', status: 'open', body: 'body 1' };
  expect(result.current.data).toEqual(merged);
  rerender({ level: 'default' });
  expect(result.current.data).toEqual(merged);
});

it('D-REACT-5 a level that loads after another level has failed is not pending, because the item has an error', async () => {
  const { dl, sim, wrapper, failing } = setup();
  failing.add('1 full');
  dl.fetchItem('ticket', 1, 'full');
  await sim.settled();
  const { result } = renderHook(() => useItem('ticket', 1), { wrapper });
  const { data, error, isFetching, isPending } = result.current;
  expect([data, error?.message, isFetching, isPending]).toEqual([null, '1 full failed', true, false]);
});

it('D-REG-3 a timeout is an Error even when the DOMException of the page is not', async () => {
  const { dl, advance, wrapper } = setup();
  dl.createType('report', { timeoutMs: 100, fetch: () => new Promise(() => {}) });
  const { result } = renderHook(() => useItem('report', 1), { wrapper });
  await advance(100);
  const { error, cause } = result.current.meta;
  expect(error).toBe(
    '[edict] "report": no response within 100 ms. Raise timeoutMs if the server needs longer.',
  );
  expect(cause).toBeInstanceOf(Error);
  expect(cause).toMatchObject({ name: 'TimeoutError', message: error });
});

it('D-REACT-5 is never loading when it is silent', async () => {
  const { advance, wrapper } = setup();
  const loading: boolean[] = [];
  const { result } = renderHook(
    () => {
      const item = useItem('ticket', 1, null, { silent: true });
      loading.push(item.meta.isLoading);
      return item;
    },
    { wrapper },
  );
  await advance(10);
  expect(titleOf(result.current.data)).toBe('ticket 1');
  expect(new Set(loading)).toEqual(new Set([false]));
});

it('D-REACT-2 D-REACT-5 a failure ends isPending and isFetching and sets error, which wraps a thrown value that is not an Error', async () => {
  const { dl, sim, wrapper } = setup();
  const fetch = vi.fn().mockRejectedValueOnce('no network').mockRejectedValueOnce(new RangeError('too far'));
  dl.createType('ticket', { fetch });
  const { result } = renderHook(() => useItem('ticket', 1), { wrapper });
  expect(result.current.error).toBeNull();
  await act(() => sim.settled());
  expect(result.current).toMatchObject({ isPending: false, isFetching: false, data: null });
  expect(result.current.meta).toMatchObject({ error: 'no network', cause: 'no network' });
  expect(result.current.error).toMatchObject({ message: 'no network', cause: 'no network' });
  const first = result.current.error;
  expect(first).toBeInstanceOf(Error);
  act(() => result.current.refresh());
  expect(result.current.isFetching).toBe(true);
  expect(result.current.error).toBe(first); // The same failure is the same object.
  await act(() => sim.settled());
  expect(result.current.error).toBeInstanceOf(RangeError);
});

it('D-DIR-8 an item stays gone while a level of it is fetched for the first time', async () => {
  const { dl, sim, wrapper, push } = setup();
  dl.fetchItem('ticket', 1);
  await sim.settled();
  await push(refreshTicket(1, { result: null }));
  const { result } = renderHook(() => [useItem('ticket', 1), useItem('ticket', 1, 'full')], { wrapper });
  expect(result.current.map(({ isGone, isFetching }) => [isGone, isFetching])).toEqual([
    [true, true],
    [true, true],
  ]);
});

it('D-REACT-2 isGone is true when the server returned null, and false again when it returns data', async () => {
  const { dl, sim, wrapper, push } = setup();
  dl.createType('ticket', { fetch: vi.fn().mockResolvedValueOnce(null).mockResolvedValueOnce({ id: 1 }) });
  const { result } = renderHook(() => useItem('ticket', 1), { wrapper });
  await act(() => sim.settled());
  expect(result.current).toMatchObject({ data: null, isGone: true, isPending: false, error: null });
  await push(refreshTicket(1));
  expect(result.current).toMatchObject({ data: { id: 1 }, isGone: false });
});

it.each<[first: 'full' | 'default', second: 'full' | 'default']>([
  ['full', 'default'],
  ['default', 'full'],
])('D-REACT-2 only the data of a level that is null is null: %s before %s', async (first, second) => {
  const ticket = defineItem('ticket', {
    fetch: async (id: number) => ({ id }),
    levels: { full: { fetch: async () => null } },
  });
  const dl = createDataLayer({ register: [ticket] });
  const { result } = renderHook(() => [useItem(ticket, 1, first), useItem(ticket, 1, second)], {
    wrapper: ({ children }) => <DLProvider dl={dl}>{children}</DLProvider>,
  });
  await act(() => dl.whenSettled());
  const full = { data: null, isGone: false };
  const brief = { data: { id: 1 }, isGone: false };
  expect(result.current).toMatchObject(first === 'full' ? [full, brief] : [brief, full]);
  dl.dispose();
});

it('D-REACT-2 the empty snapshots have every field of their kind', () => {
  const { wrapper } = setup();
  const { result } = renderHook(
    () => [useItem('ticket', null), useCollection('tickets', { enabled: false })],
    { wrapper },
  );
  const fields = { error: null, isPending: false, isFetching: false, isStale: false };
  const meta = {
    ...{ isLoading: false, isPrevious: false, isStale: false, lastUsedAt: null },
    ...{ error: null, cause: null, activeQueryId: null },
  };
  expect(JSON.parse(JSON.stringify(result.current))).toEqual([
    {
      ...{ data: null, isGone: false, ...fields },
      meta: { ...meta, lastFetchedAny: null, levelStamps: {}, failedLevels: {}, levelErrors: {} },
    },
    { data: { ids: [], count: 0 }, ...fields, meta: { ...meta, lastFetched: null, paramsKey: '{}' } },
  ]);
  expect(result.current.map((snapshot) => snapshot.refresh())).toEqual([undefined, undefined]);
});
