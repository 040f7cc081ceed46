/* oxlint-disable react/immutability, react/globals, react/purity -- renders are counted and slowed down on purpose */
import { createDataLayer, defineCollection, defineItem } from '@edict/core';
import { DLProvider, useCollection, useInfiniteCollection, useItem, useItems } from '@edict/react';
import { act, render, renderHook } from '@testing-library/react';
import { useState, type ReactElement } from 'react';
import { expect, it } from 'vitest';
import { setup } from '../world.tsx';
import { titleOf } from '../title.ts';

it.each([
  ['id null', null, true],
  ['id undefined', undefined, true],
  ['enabled false', 1, false],
])('D-REACT-2 shows the empty snapshot and fetches nothing with %s', async (_, id, enabled) => {
  const { advance, wrapper, calls, dl } = setup();
  const { result } = renderHook(() => useItem('ticket', id, null, { enabled }), { wrapper });
  await advance(100);
  expect(result.current.data).toBeNull();
  expect(result.current.meta).toMatchObject({
    isLoading: false,
    error: null,
    lastUsedAt: null,
    isPrevious: false,
  });
  act(() => result.current.refresh());
  await advance(100);
  expect(calls).toEqual([]);
  expect(dl.state().types['ticket']?.itemCount).toBe(0);
});

it('D-REACT-2 fetches when its id is set, and shows nothing when its id becomes null', async () => {
  const { advance, wrapper, calls } = setup();
  const { result, rerender } = renderHook(({ id }: { id: number | null }) => useItem('ticket', id), {
    wrapper,
    initialProps: { id: null as number | null },
  });
  rerender({ id: 2 });
  expect(result.current.meta.isLoading).toBe(true);
  await advance(10);
  expect(titleOf(result.current.data)).toBe('ticket 2');
  rerender({ id: null });
  expect(result.current.data).toBeNull();
  expect(calls).toEqual(['ticket 2 default']);
});

it('D-REACT-2 fetches when it is enabled, and when its type or level changes', async () => {
  const { advance, wrapper } = setup();
  const { result, rerender } = renderHook(
    ({ type, level, enabled }) => useItem(type, 9, level, { enabled }).data,
    { wrapper, initialProps: { type: 'ticket', level: 'default', enabled: false } },
  );
  rerender({ type: 'ticket', level: 'default', enabled: true });
  await advance(10);
  expect(result.current).toEqual({ id: 9, title: 'none', status: 'none' });
  rerender({ type: 'person', level: 'default', enabled: true });
  expect(result.current).toBeNull();
  await advance(10);
  expect(result.current).toEqual({ id: 9, title: 'person 9' });
  rerender({ type: 'ticket', level: 'default', enabled: true });
  rerender({ type: 'ticket', level: 'full', enabled: true });
  expect(result.current).toBeNull();
  await advance(10);
  expect(result.current).toEqual({ id: 9, title: 'none', status: 'none', body: '' });
});

it('D-REACT-2 silent applies from the render that passes it', async () => {
  const { advance, wrapper } = setup();
  const { result, rerender } = renderHook(
    ({ silent }) => ({
      item: useItem('ticket', 1, null, { silent }),
      row: useItems('ticket', [2], null, { silent })[0],
      list: useCollection('tickets', { silent }),
      pages: useInfiniteCollection('tickets', { silent, nextParams: (last) => (last ? null : { page: 1 }) }),
    }),
    { wrapper, initialProps: { silent: true } },
  );
  const loading = (): (boolean | undefined)[] => {
    act(() => Object.values(result.current).forEach((one) => one?.refresh()));
    return Object.values(result.current).map((one) => one?.isFetching);
  };
  await advance(10);
  expect(loading()).toEqual([false, false, false, false]);
  await advance(10);
  rerender({ silent: false });
  expect(loading()).toEqual([true, true, true, true]);
});

it('D-REG-5 D-FETCH-9 changing an id from a number to its string is not a change of the arguments', async () => {
  const { sim, dl, advance, wrapper } = setup();
  let requests = 0;
  dl.createType('hasty', {
    stalenessMs: 0,
    fetch: async () => {
      await sim.sleep(10);
      return { title: `answer ${++requests}` };
    },
  });
  const { result, rerender } = renderHook(({ id }: { id: number | string }) => useItem('hasty', id), {
    wrapper,
    initialProps: { id: 42 as number | string },
  });
  await advance(10);
  const { data } = result.current;
  rerender({ id: '42' });
  await advance(10);
  expect(result.current.data).toBe(data);
  expect(requests).toBe(1);
});

it('D-REACT-6 a component that changes its arguments while it renders shows the data of the last ones', async () => {
  const { advance, wrapper } = setup();
  const { result } = renderHook(
    () => {
      const [at, setAt] = useState(0);
      const item = useItem('ticket', [1, 2, 3][at]);
      const list = useCollection('tickets', { params: { status: ['open', 'closed', 'none'][at] } });
      if (at < 2) setAt(at + 1);
      return [titleOf(item.data), list.data.count, list.meta.paramsKey];
    },
    { wrapper },
  );
  await advance(10);
  expect(result.current).toEqual(['ticket 3', 0, '{"status":"none"}']);
});

it('D-REACT-1 the hooks read the new data layer when the data layer of the provider changes', async () => {
  const [first, second] = [setup(), setup()];
  second.setTitle(1, 'of the second');
  function Row(): ReactElement {
    const [row] = useItems('ticket', [1]);
    const { data } = useCollection('tickets', { params: { status: 'open' } });
    return <p>{`${titleOf(useItem('ticket', 1).data)}, ${titleOf(row?.data)}, ${data.count}`}</p>;
  }
  const view = render(first.wrapper({ children: <Row /> }));
  await first.advance(10);
  expect(view.container.textContent).toBe('ticket 1, ticket 1, 3');
  second.tickets.delete(3);
  view.rerender(second.wrapper({ children: <Row /> }));
  await second.advance(10);
  expect(view.container.textContent).toBe('of the second, of the second, 2');
});

it('D-REACT-9 the hooks accept definitions instead of names', async () => {
  const ticket = defineItem('ticket', {
    fetch: async (id: number) => ({ id, title: `ticket ${id}` }),
    levels: { full: { fetch: async (id) => ({ id, title: `ticket ${id}`, body: 'text' }) } },
  });
  const tickets = defineCollection('tickets', { fetch: async () => ({ ids: [7] }) });
  const dl = createDataLayer({ register: [ticket, tickets] });
  const { result } = renderHook(
    () => [useItem(ticket, 7, { level: 'full' }).data?.body, useCollection(tickets).data.ids[0]],
    { wrapper: ({ children }) => <DLProvider dl={dl}>{children}</DLProvider> },
  );
  await act(() => dl.whenSettled());
  expect(result.current).toEqual(['text', 7]);
  dl.dispose();
});
