/* oxlint-disable react/immutability, react/globals, react/purity -- renders are counted and slowed down on purpose */
import { HydrationBoundary, useCollection, useItem, useItems, type ItemRow } from '@edict/react';
import { act, render, renderHook } from '@testing-library/react';
import { memo, StrictMode, useEffect, type ReactElement } from 'react';
import { renderToString } from 'react-dom/server';
import { expect, it, vi } from 'vitest';
import { refreshTicket, setup, type Ticket } from './world.tsx';

const titleOf = (data: unknown): string => (data as Ticket | null)?.title ?? 'nothing'; // The fixtures' only item data.
const people = (count: number): number[] => Array.from({ length: count }, (_, at) => at + 1);
const refreshPeople = (ids: number[]): object[] =>
  ids.map((id) => ({ op: 'refresh_item', name: 'person', id }));

it('D-DIR-7 useItems makes one bulk request for all its rows', async () => {
  const { advance, wrapper, calls } = setup();
  const { result } = renderHook(() => useItems('person', people(3)), { wrapper });
  expect(result.current.map(({ meta }) => meta.isLoading)).toEqual([true, true, true]);
  await advance(10);
  expect(result.current.map(({ data }) => titleOf(data))).toEqual(['ticket 1', 'ticket 2', 'ticket 3']);
  expect(calls).toEqual(['people 1,2,3']);
});

it('D-DIR-7 rows that read one item each share one bulk request as well', async () => {
  const { advance, show, calls } = setup();
  const Row = ({ id }: { id: number }): ReactElement => <p>{titleOf(useItem('person', id).data)}</p>;
  show(
    <>
      {people(4).map((id) => (
        <Row key={id} id={id} />
      ))}
    </>,
  );
  await advance(10);
  expect(calls).toEqual(['people 1,2,3,4']);
});

it('D-REACT-7 useItems accepts duplicates and null ids', async () => {
  const { advance, wrapper, calls } = setup();
  const { result } = renderHook(() => useItems('ticket', [2, null, '2', undefined, 2]), { wrapper });
  await advance(10);
  expect(result.current.map(({ data }) => titleOf(data))).toEqual([
    'ticket 2',
    'nothing',
    'ticket 2',
    'nothing',
    'ticket 2',
  ]);
  expect(result.current.map(({ meta }) => meta.isLoading)).toEqual([false, false, false, false, false]);
  for (const row of result.current) expect(row).not.toHaveProperty('refresh');
  expect(calls).toEqual(['ticket 2 default']);
});

it.each([null, undefined])('D-REACT-7 useItems with %s in the place of the ids says what to give', (ids) => {
  const { wrapper } = setup();
  vi.spyOn(console, 'error').mockReturnValue(); // React tells of what is thrown.
  expect(() => renderHook(() => useItems('ticket', ids as never), { wrapper })).toThrow(
    new TypeError('useItems("ticket"): the ids must be an array; give [] where there are none yet'),
  );
  vi.restoreAllMocks();
});

it('D-REACT-7 useItems with enabled false shows empty rows and fetches nothing', async () => {
  const { advance, wrapper, calls } = setup();
  const { result } = renderHook(() => useItems('ticket', [1, 2], null, { enabled: false }), { wrapper });
  await advance(10);
  expect(result.current.map(({ data, meta }) => [data, meta.isLoading])).toEqual([
    [null, false],
    [null, false],
  ]);
  expect(calls).toEqual([]);
});

it('D-REACT-3 one changed item gives a new list in which only its row is new', async () => {
  const { advance, wrapper, push, setTitle } = setup();
  let renders = 0;
  const { result } = renderHook(
    () => {
      renders++;
      const rows = useItems('ticket', [1, 2, 3]);
      for (const row of rows) void row.data;
      return rows;
    },
    { wrapper },
  );
  await advance(10);
  const before = result.current;
  renders = 0;
  setTitle(2, 'changed');
  await push(refreshTicket(2), refreshTicket(3));
  expect(renders).toBe(1);
  expect(result.current).not.toBe(before);
  expect(result.current.map((row, at) => row === before[at])).toEqual([true, false, true]);
  expect(titleOf(before[1]?.data)).toBe('ticket 2');
});

it('D-REACT-3 an equal answer keeps the list', async () => {
  const { advance, wrapper, push } = setup();
  const { result } = renderHook(
    () => {
      const rows = useItems('ticket', [1, 2]);
      for (const row of rows) void row.data;
      return rows;
    },
    { wrapper },
  );
  await advance(10);
  const before = result.current;
  await push(refreshTicket(1));
  expect(result.current).toBe(before);
});

it('D-REACT-3 a thousand items changed by bulk answers in one moment are one commit with each row once', async () => {
  const { advance, show, push, tickets } = setup({ bulk: { maxBatchSize: 2000 } });
  const ids = people(1000);
  let lists = 0;
  const commits = vi.fn();
  const rows = new Map<number, number>();
  const Row = memo(({ row, id }: { row: ItemRow<unknown>; id: number }) => {
    rows.set(id, (rows.get(id) ?? 0) + 1);
    return <p>{titleOf(row.data)}</p>;
  });
  function List(): ReactElement {
    lists++;
    const items = useItems('person', ids);
    useEffect(() => commits());
    return (
      <>
        {items.map((row, at) => (
          <Row key={ids[at]} id={ids[at] ?? 0} row={row} />
        ))}
      </>
    );
  }
  show(<List />);
  await advance(10);
  expect(lists).toBe(2);
  for (const id of ids) tickets.set(id, { id, title: `new ${id}`, status: 'open' });
  rows.clear();
  await push(...refreshPeople(ids));
  expect(lists).toBe(3);
  expect(commits).toHaveBeenCalledTimes(3);
  expect(new Set(rows.values())).toEqual(new Set([1]));
});

it('D-REACT-3 a thousand separate rows changed by one bulk answer are one commit with each row once', async () => {
  const { advance, show, push, tickets } = setup({ bulk: { maxBatchSize: 2000 } });
  const ids = people(1000);
  const rows = new Map<number, number>();
  let commits = 0;
  function Row({ id }: { id: number }): ReactElement {
    rows.set(id, (rows.get(id) ?? 0) + 1);
    return <p>{titleOf(useItem('person', id).data)}</p>;
  }
  const { container } = show(
    <>
      {ids.map((id) => (
        <Row key={id} id={id} />
      ))}
    </>,
  );
  await advance(10);
  for (const id of ids) tickets.set(id, { id, title: `new ${id}`, status: 'open' });
  rows.clear();
  const observer = new MutationObserver(() => commits++);
  observer.observe(container, { subtree: true, characterData: true, childList: true });
  await push(...refreshPeople(ids));
  expect(commits).toBe(1);
  expect(rows.size).toBe(1000);
  expect(new Set(rows.values())).toEqual(new Set([1]));
});

it('D-REACT-2 a changed list of ids keeps the rows that stay and fetches what came', async () => {
  const { advance, wrapper, calls } = setup();
  const { result, rerender } = renderHook(({ ids }) => useItems('ticket', ids), {
    wrapper,
    initialProps: { ids: [1, 2] },
  });
  await advance(10);
  const [, two] = result.current;
  rerender({ ids: [2, 3] });
  expect(result.current[0]).toBe(two);
  await advance(10);
  expect(result.current.map(({ data }) => titleOf(data))).toEqual(['ticket 2', 'ticket 3']);
  expect(calls).toEqual(['ticket 1 default', 'ticket 2 default', 'ticket 3 default']);
});

it('D-REACT-2 a list that loses its last id, or has another one in the place of one, shows that', async () => {
  const { advance, wrapper } = setup();
  const { result, rerender } = renderHook(
    ({ ids }) => useItems('ticket', ids).map(({ data }) => titleOf(data)),
    { wrapper, initialProps: { ids: [1, 2, 3] } },
  );
  await advance(10);
  rerender({ ids: [1, 2] });
  expect(result.current).toEqual(['ticket 1', 'ticket 2']);
  rerender({ ids: [1, 4] });
  await advance(10);
  expect(result.current).toEqual(['ticket 1', 'ticket 4']);
});

it('D-REACT-2 the same ids of another type or level, or enabled only now, are read anew', async () => {
  const { advance, wrapper } = setup();
  const { result, rerender } = renderHook(
    ({ type, level, enabled }) => useItems(type, [9], level, { enabled })[0]?.data,
    { wrapper, initialProps: { type: 'ticket', level: 'default', enabled: false } },
  );
  rerender({ type: 'ticket', level: 'default', enabled: true });
  await advance(10);
  expect(result.current).toEqual({ id: 9, title: 'none', status: 'none' });
  rerender({ type: 'person', level: 'default', enabled: true });
  await advance(10);
  expect(result.current).toEqual({ id: 9, title: 'person 9' });
  rerender({ type: 'ticket', level: 'default', enabled: true });
  rerender({ type: 'ticket', level: 'full', enabled: true });
  await advance(10);
  expect(result.current).toEqual({ id: 9, title: 'none', status: 'none', body: '' });
});

it('D-REACT-5 silent rows and a silent collection are never loading, and have a silent refresh', async () => {
  const { advance, wrapper } = setup();
  const loading: boolean[] = [];
  const { result } = renderHook(
    () => {
      const [row] = useItems('ticket', [1], null, { silent: true });
      const list = useCollection('tickets', { silent: true });
      loading.push(row?.meta.isLoading !== false, list.meta.isLoading);
      return { row, list };
    },
    { wrapper },
  );
  await advance(10);
  expect(titleOf(result.current.row?.data)).toBe('ticket 1');
  act(() => result.current.list.refresh());
  await advance(10);
  expect(result.current.list.data.count).toBe(5);
  expect(new Set(loading)).toEqual(new Set([false]));
});

it('D-REACT-3 a row without an id stays the same one while other ids come', async () => {
  const { advance, wrapper } = setup();
  const { result, rerender } = renderHook(({ ids }) => useItems('ticket', ids), {
    wrapper,
    initialProps: { ids: [null, 1] as (number | null)[] },
  });
  await advance(10);
  const [before] = result.current;
  rerender({ ids: [null, 1, 2] });
  expect(result.current[0]).toBe(before);
});

it('D-REACT-2 the same ids in another array change nothing', async () => {
  const { advance, wrapper, dl } = setup();
  const watched = vi.spyOn(dl, 'onRefChange');
  const { result, rerender } = renderHook(() => useItems('ticket', [1, 2]), { wrapper });
  await advance(10);
  const before = result.current;
  const count = watched.mock.calls.length;
  rerender();
  expect(result.current).toBe(before);
  expect(watched.mock.calls.length).toBe(count);
});

it('D-REACT-6 useItems leaves no watcher behind, also in StrictMode', async () => {
  const { advance, wrapper, dl, calls } = setup();
  const watchers = (): number[] =>
    Object.values(dl.devtools().items['person'] ?? {}).map((item) => item.watchers);
  const { unmount, rerender } = renderHook(({ ids }) => useItems('person', ids), {
    wrapper: ({ children }) => <StrictMode>{wrapper({ children })}</StrictMode>,
    initialProps: { ids: [1, 2, 2] },
  });
  await advance(10);
  expect(watchers()).toEqual([1, 1]);
  rerender({ ids: [2] });
  expect(watchers()).toEqual([0, 1]);
  unmount();
  expect(watchers()).toEqual([0, 0]);
  expect(calls).toEqual(['people 1,2']);
});

it('D-REACT-2 useCollection shows ids, with equal params of any identity as one entry', async () => {
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

it('D-PARAM-1 no params, null and an empty object are one entry', async () => {
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

it('D-PARAM-2 params that the application goes on changing are read anew', async () => {
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

it('D-REACT-4 D-FETCH-9 with keepPrevious the render of the answer is no read, nor another with the same params', async () => {
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

it('D-REACT-2 a disabled collection shows the empty snapshot, whatever its params', async () => {
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

it('D-REACT-2 a collection is fetched once it is enabled, and another name is another collection', async () => {
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

it('D-REACT-7 select of a collection gets ids and count, also while there are none', async () => {
  const { advance, wrapper } = setup();
  const { result } = renderHook(
    () => useCollection('tickets', { select: ({ ids, count }) => [...ids, count] }).data,
    { wrapper },
  );
  expect(result.current).toEqual([0]);
  await advance(10);
  expect(result.current).toEqual([1, 2, 3, 4, 5, 5]);
});

it('§4.5 a directive without params refreshes every mounted params set', async () => {
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

it('D-REACT-10 what a page brings reaches a list that loads silently, and only when the page has been rendered', async () => {
  const page = setup();
  page.dl.fetchCollection('tickets');
  await page.sim.settled();
  const state = page.dl.dehydrate();
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

it('D-REACT-3 D-REACT-10 what was hydrated and is fetched again without a change renders nothing', async () => {
  const world = setup();
  const { dl, sim, advance } = world;
  dl.fetchCollection('tickets');
  dl.fetchItem('ticket', 1);
  dl.fetchItem('ticket', 1, 'full');
  await sim.settled();
  const state = dl.dehydrate();
  const { dl: live, wrapper: Provider, push, advance: later } = setup();
  let renders = 0;
  const Rows = (): ReactElement => {
    renders += 1;
    const { data } = useCollection('tickets');
    return (
      <p>
        {data.count} {(useItem('ticket', 1, 'full').data as Ticket | null)?.body}
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
  expect(container.textContent).toBe('5 body 1');
  expect([renders, live.hasAnyInFlightRequests()]).toEqual([1, false]);
  await advance(0);
});
