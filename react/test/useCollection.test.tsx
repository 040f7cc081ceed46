/* oxlint-disable react/immutability, react/globals, react/purity -- renders are counted and slowed down on purpose */
import { dehydrate } from '@edict/core/hydration';
import { HydrationBoundary, useCollection, useItem, useItems } from '@edict/react';
import { act, render, renderHook } from '@testing-library/react';
import { type ReactElement } from 'react';
import { renderToString } from 'react-dom/server';
import { expect, it, vi } from 'vitest';
import { titleOf } from './title.ts';
import { refreshTicket, setup, type Ticket } from './world.tsx';

it('D-REACT-2 useCollection shows ids and reads one entry for equal params of any identity', async () => {
  const { advance, wrapper, calls } = setup();
  const { result, rerender } = renderHook(
    () =>
      useCollection('tickets', {
        params: { status: 'open', deep: { list: [1, { a: 1 }] }, none: undefined },
      }),
    { wrapper },
  );
  expect(result.current.data).toEqual({ ids: [], count: 0 });
  expect(result.current.meta.isLoading).toBe(true);
  await advance(10);
  const { data, refresh } = result.current;
  expect(data).toEqual({ ids: [1, 3, 5], count: 3 });
  rerender();
  expect(result.current.data).toBe(data);
  expect(result.current.refresh).toBe(refresh);
  expect(result.current.meta.paramsSnapshot).toEqual({ status: 'open', deep: { list: [1, { a: 1 }] } });
  expect(calls).toHaveLength(1);
});

it('D-PARAM-1 no params, null, and an empty object identify the same entry', async () => {
  const { advance, wrapper, calls, dl } = setup();
  const { rerender, result } = renderHook(({ params }) => useCollection('tickets', { params }), {
    wrapper,
    initialProps: { params: undefined as object | null | undefined },
  });
  await advance(10);
  const before = result.current;
  rerender({ params: null });
  rerender({ params: {} });
  rerender({ params: { a: undefined } });
  expect(result.current).toBe(before);
  expect(calls).toEqual(['tickets {}']);
  expect(dl.state().collections['tickets']?.refCount).toBe(1);
});

it('D-PARAM-2 params that the application mutates are compared by their content in each render', async () => {
  const { advance, wrapper, calls } = setup();
  const params = { status: 'open', at: new Date(0) };
  const { rerender, result } = renderHook(() => useCollection('tickets', { params }), { wrapper });
  await advance(10);
  params.status = 'closed';
  rerender();
  await advance(10);
  expect(result.current.data.ids).toEqual([2, 4]);
  expect(calls).toHaveLength(2);
});

it('D-REACT-4 keepPrevious shows the last ids while new params load', async () => {
  const { advance, wrapper } = setup();
  const { result, rerender } = renderHook(
    ({ status }) => useCollection('tickets', { params: { status }, keepPrevious: true }),
    { wrapper, initialProps: { status: 'open' } },
  );
  expect(result.current.meta.isPrevious).toBe(false);
  await advance(10);
  rerender({ status: 'closed' });
  expect(result.current.data.ids).toEqual([1, 3, 5]);
  expect(result.current.meta).toMatchObject({
    isPrevious: true,
    isLoading: true,
    paramsKey: '{"status":"closed"}',
  });
  await advance(10);
  expect(result.current.data.ids).toEqual([2, 4]);
  expect(result.current.meta.isPrevious).toBe(false);
});

it('D-REACT-4 D-FETCH-9 with keepPrevious neither the render of the response nor one with equal params is a read', async () => {
  const { advance, wrapper, dl } = setup();
  const { rerender } = renderHook(
    ({ status }) => useCollection('tickets', { params: { status }, keepPrevious: true }).data,
    { wrapper, initialProps: { status: 'open' } },
  );
  await advance(10);
  rerender({ status: 'closed' });
  const reads = vi.fn();
  dl.onLifecycle('collection:fetch:skip', reads);
  await advance(10);
  rerender({ status: 'closed' });
  expect(reads).not.toHaveBeenCalled();
});

it('D-REACT-4 without keepPrevious new params start empty', async () => {
  const { advance, wrapper } = setup();
  const { result, rerender } = renderHook(({ status }) => useCollection('tickets', { params: { status } }), {
    wrapper,
    initialProps: { status: 'open' },
  });
  await advance(10);
  rerender({ status: 'closed' });
  expect(result.current.data).toEqual({ ids: [], count: 0 });
});

it('D-REACT-2 a disabled collection shows the empty snapshot for any params', async () => {
  const { advance, wrapper, calls } = setup();
  const { result, rerender } = renderHook(
    ({ q }) => useCollection('tickets', { params: { q }, enabled: false }),
    {
      wrapper,
      initialProps: { q: 'a' },
    },
  );
  const before = result.current;
  rerender({ q: 'b' });
  act(() => result.current.refresh());
  await advance(10);
  expect(result.current).toBe(before);
  expect(result.current.data).toEqual({ ids: [], count: 0 });
  expect(result.current.meta).toMatchObject({ isLoading: false, lastUsedAt: null, error: null });
  expect(calls).toEqual([]);
});

it('D-REACT-2 a collection is fetched when it is enabled and when its name changes', async () => {
  const { advance, wrapper, dl } = setup();
  dl.createCollection('people', { fetch: async () => ({ ids: [7] }) });
  const { result, rerender } = renderHook(({ name, enabled }) => useCollection(name, { enabled }).data.ids, {
    wrapper,
    initialProps: { name: 'tickets', enabled: false },
  });
  rerender({ name: 'tickets', enabled: true });
  await advance(10);
  expect(result.current).toEqual([1, 2, 3, 4, 5]);
  rerender({ name: 'people', enabled: true });
  expect(result.current).toEqual([]);
  await advance(10);
  expect(result.current).toEqual([7]);
});

it('D-REACT-7 select of a collection receives ids and count, even before the first response', async () => {
  const { advance, wrapper } = setup();
  const { result } = renderHook(
    () => useCollection('tickets', { select: ({ ids, count }) => [...ids, count] }).data,
    { wrapper },
  );
  expect(result.current).toEqual([0]);
  await advance(10);
  expect(result.current).toEqual([1, 2, 3, 4, 5, 5]);
});

it('§4.5 a directive without params refreshes the collection for every mounted set of params', async () => {
  const { wrapper, advance, push, tickets } = setup();
  const { result } = renderHook(
    () => [
      useCollection('tickets').data.count,
      useCollection('tickets', { params: { status: 'open' } }).data.count,
    ],
    { wrapper },
  );
  await advance(10);
  expect(result.current).toEqual([5, 3]);
  tickets.set(7, { id: 7, title: 'seven', status: 'open' });
  await push({ op: 'refresh_collection', name: 'tickets' });
  expect(result.current).toEqual([6, 4]);
});

it('D-REACT-10 a state that is hydrated later updates a list that loads silently, after the commit', async () => {
  const page = setup();
  page.dl.fetchCollection('tickets');
  await page.sim.settled();
  const state = dehydrate(page.dl);
  const { show, advance } = setup();
  const errors = vi.spyOn(console, 'error');
  const Count = (): ReactElement => <p>{useCollection('tickets', { silent: true }).data.count}</p>;
  const pages = (later: ReactElement | null): ReactElement => (
    <>
      <Count />
      {later}
    </>
  );
  const { container, rerender } = show(pages(null));
  rerender(pages(<HydrationBoundary state={state} />));
  expect(container.textContent).toBe('5');
  expect(errors).not.toHaveBeenCalled();
  await advance(10);
});

it('D-REACT-3 D-REACT-10 a refetch of hydrated data without a change renders nothing', async () => {
  const world = setup();
  const { dl, sim, advance } = world;
  dl.fetchCollection('tickets');
  dl.fetchItem('ticket', 1);
  dl.fetchItem('ticket', 1, 'full');
  await sim.settled();
  const state = dehydrate(dl);
  const { dl: live, wrapper: Provider, push, advance: later } = setup();
  let renders = 0;
  const Rows = (): ReactElement => {
    renders += 1;
    const { data } = useCollection('tickets');
    return (
      <p>
        {data.count} {(useItem('ticket', 1, 'full').data as Ticket | null)?.body}{' '}
        {titleOf(useItems('ticket', [1])[0]?.data)}
      </p>
    );
  };
  const page = (
    <Provider>
      <HydrationBoundary state={state}>
        <Rows />
      </HydrationBoundary>
    </Provider>
  );
  const container = document.createElement('div');
  container.innerHTML = renderToString(page);
  renders = 0;
  render(page, { container, hydrate: true });
  await later(50);
  expect(renders).toBe(1);
  await push({ op: 'refresh_collection', name: 'tickets' }, refreshTicket(1));
  expect(container.textContent).toBe('5 body 1 ticket 1');
  expect([renders, live.hasAnyInFlightRequests()]).toEqual([1, false]);
  await advance(0);
});
