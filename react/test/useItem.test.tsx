/* oxlint-disable react/immutability, react/globals, react/purity -- renders are counted and slowed down on purpose */
import { DLProvider, useCollection, useInfiniteCollection, useItem, useItems } from '@edict/react';
import { act, render, renderHook } from '@testing-library/react';
import {
  Activity,
  startTransition,
  StrictMode,
  Suspense,
  use,
  useEffect,
  useLayoutEffect,
  useState,
  type ReactElement,
} from 'react';
import { expect, it, onTestFinished, vi } from 'vitest';
import { refreshTicket, setup, type Ticket } from './world.tsx';

const shown = (data: unknown): string => (data as Ticket | null)?.title ?? 'nothing'; // The fixtures' only item data.

it('D-REACT-5 is loading from the first render until the level is cached', async () => {
  const { advance, wrapper, calls } = setup();
  const states: string[] = [];
  const { result } = renderHook(
    () => {
      const { data, meta } = useItem('ticket', 1);
      states.push(`${meta.isLoading} ${shown(data)}`);
      return data;
    },
    { wrapper },
  );
  expect(states).toEqual(['true nothing']);
  await advance(10);
  expect(states).toEqual(['true nothing', 'false ticket 1']);
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
  expect(shown(result.current.data)).toBe('ticket 1');
  expect(new Set(loading)).toEqual(new Set([false]));
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

it.each([false, true])(
  'D-FETCH-9 a render during the load is not a read: keepPrevious %s',
  async (keepPrevious) => {
    const { advance, wrapper, dl } = setup();
    const { rerender } = renderHook(
      ({ id }) => [
        useItem('ticket', id, null, { keepPrevious }),
        useCollection('tickets', { params: { id }, keepPrevious }),
      ],
      { wrapper, initialProps: { id: 1 } },
    );
    await advance(10);
    rerender({ id: 2 });
    const watch = vi.spyOn(dl, 'onRefChange');
    rerender({ id: 2 });
    expect(watch).not.toHaveBeenCalled();
  },
);

it('D-REACT-5 stops loading when the first fetch has failed', async () => {
  const { advance, wrapper, failing } = setup();
  failing.add('1');
  const { result } = renderHook(() => useItem('ticket', 1), { wrapper });
  await advance(10);
  expect(result.current.meta).toMatchObject({ isLoading: false, error: '1 failed' });
  expect(result.current.meta.cause).toBeInstanceOf(Error);
  expect(result.current.data).toBeNull();
});

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
  expect(shown(result.current.data)).toBe('ticket 2');
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

it('D-REACT-1 the hooks read the new data layer when the data layer of the provider changes', async () => {
  const [first, second] = [setup(), setup()];
  second.setTitle(1, 'of the second');
  function Row(): ReactElement {
    const [row] = useItems('ticket', [1]);
    const { data } = useCollection('tickets', { params: { status: 'open' } });
    return <p>{`${shown(useItem('ticket', 1).data)}, ${shown(row?.data)}, ${data.count}`}</p>;
  }
  const view = render(first.wrapper({ children: <Row /> }));
  await first.advance(10);
  expect(view.container.textContent).toBe('ticket 1, ticket 1, 3');
  second.tickets.delete(3);
  view.rerender(second.wrapper({ children: <Row /> }));
  await second.advance(10);
  expect(view.container.textContent).toBe('of the second, of the second, 2');
});

it('D-REACT-6 a component that changes its arguments while it renders shows the data of the last ones', async () => {
  const { advance, wrapper } = setup();
  const { result } = renderHook(
    () => {
      const [at, setAt] = useState(0);
      const item = useItem('ticket', [1, 2, 3][at]);
      const list = useCollection('tickets', { params: { status: ['open', 'closed', 'none'][at] } });
      if (at < 2) setAt(at + 1);
      return [shown(item.data), list.data.count, list.meta.paramsKey];
    },
    { wrapper },
  );
  await advance(10);
  expect(result.current).toEqual(['ticket 3', 0, '{"status":"none"}']);
});

it('D-REACT-2 refresh refetches fresh data and keeps its identity', async () => {
  const { advance, wrapper, calls, setTitle } = setup();
  const { result } = renderHook(() => useItem('ticket', 1), { wrapper });
  await advance(10);
  const { refresh, data } = result.current;
  expect(shown(data)).toBe('ticket 1');
  setTitle(1, 'new');
  act(() => refresh());
  await advance(10);
  expect(shown(result.current.data)).toBe('new');
  expect(result.current.refresh).toBe(refresh);
  expect(calls).toHaveLength(2);
});

it('D-FETCH-9 a second component shares the request in flight, and a later one is served from the cache', async () => {
  const { advance, show, calls } = setup();
  const Row = (): ReactElement => <p>{shown(useItem('ticket', 1).data)}</p>;
  const view = show(
    <>
      <Row />
      <Row />
    </>,
  );
  await advance(10);
  view.rerender(
    <>
      <Row />
      <Row />
      <Row />
    </>,
  );
  await advance(10);
  expect(view.container.textContent).toBe('ticket 1ticket 1ticket 1');
  expect(calls).toEqual(['ticket 1 default']);
});

it('D-FETCH-5 D-FETCH-9 a mount refetches a stale item, and shows the cached data as loading until then', async () => {
  const { advance, wrapper, calls, setTitle } = setup();
  const first = renderHook(() => useItem('ticket', 1), { wrapper });
  await advance(10);
  first.unmount();
  await advance(60_000);
  setTitle(1, 'newer');
  const { result } = renderHook(() => useItem('ticket', 1), { wrapper });
  expect(shown(result.current.data)).toBe('ticket 1');
  expect(result.current.meta.isLoading).toBe(true);
  await advance(10);
  expect(shown(result.current.data)).toBe('newer');
  expect(result.current.meta.isLoading).toBe(false);
  expect(calls).toHaveLength(2);
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

it('D-REACT-6 in StrictMode there is one request, no abort and one subscription', async () => {
  const { advance, dl, wrapper, calls } = setup();
  const aborted: unknown[] = [];
  dl.onLifecycle('item:fetch:aborted', (message) => aborted.push(message));
  const { result, unmount } = renderHook(() => useItem('ticket', 1), {
    wrapper: ({ children }) => <StrictMode>{wrapper({ children })}</StrictMode>,
  });
  expect(dl.devtools().items['ticket']?.['1']?.watchers).toBe(1);
  await advance(10);
  expect(shown(result.current.data)).toBe('ticket 1');
  expect(calls).toEqual(['ticket 1 default']);
  expect(aborted).toEqual([]);
  unmount();
  expect(dl.devtools().items['ticket']?.['1']?.watchers).toBe(0);
});

it('D-REACT-6 starts no request while rendering', () => {
  const { dl, wrapper } = setup();
  let inRender = 0;
  let rendering = false;
  dl.onLifecycle('*', () => (inRender += rendering ? 1 : 0));
  renderHook(
    () => {
      rendering = true;
      useItem('ticket', 1);
      rendering = false;
    },
    { wrapper },
  );
  expect(inRender).toBe(0);
  expect(dl.isItemLoading('ticket', 1)).toBe(true);
});

it.each<[unknown, string]>([
  [null, 'null'],
  [5, '5'],
  ['dl', '"dl"'],
  [{}, 'an object'],
  [Object.create(null), 'an object'],
])('D-REACT-1 a provider throws an error when its data layer is %j', (dl, shown) => {
  vi.spyOn(console, 'error').mockReturnValue(); // React logs what is thrown.
  expect(() => render(<DLProvider dl={dl as never}>text</DLProvider>)).toThrow(
    new TypeError(`[edict] <DLProvider>: dl must be a data layer, but is ${shown}. Omit it for DL.`),
  );
  vi.restoreAllMocks();
});

it('D-REACT-7 a select that is null is ignored', async () => {
  const { wrapper, advance } = setup();
  const { result } = renderHook(() => useItem('ticket', 1, 'default', { select: null as never }), {
    wrapper,
  });
  await advance(100);
  expect(shown(result.current.data)).toBe('ticket 1');
});

it('D-REACT-7 a select that needs data does not break a component that shows no data while it is missing', async () => {
  const { wrapper, advance, push, dl } = setup();
  const Title = (): ReactElement => {
    const ticket = useItem('ticket', 1, null, { select: (data) => (data as Ticket).title });
    if (ticket.isPending) return <p>pending</p>;
    return <p>{ticket.isGone ? 'gone' : ticket.data}</p>;
  };
  const { container } = render(<Title />, { wrapper });
  await advance(10);
  expect(container.textContent).toBe('ticket 1');
  act(() => dl.reset());
  expect(container.textContent).toBe('pending');
  await advance(10);
  expect(container.textContent).toBe('ticket 1');
  await push(refreshTicket(1, { result: null }));
  expect(container.textContent).toBe('gone');
  await push(refreshTicket(1));
  expect(container.textContent).toBe('ticket 1');
});

it('D-NAME-5 a select or isEqual that rejects causes no unhandled rejection', async () => {
  const { wrapper, advance, push } = setup();
  const unhandled = vi.fn();
  process.on('unhandledRejection', unhandled);
  onTestFinished(() => void process.off('unhandledRejection', unhandled));
  const fail = (): Promise<never> => Promise.reject(new Error('no'));
  renderHook(
    () => [
      useItem('ticket', 1, null, { select: fail }).data,
      useItem('ticket', 1, null, { isEqual: fail as never }).data,
    ],
    { wrapper },
  );
  await advance(10);
  await push(refreshTicket(1, { result: { id: 1 } }));
  await new Promise(setImmediate); // The platform reports unhandled rejections after the microtasks.
  expect(unhandled).not.toHaveBeenCalled();
});

it('D-REG-1 an unregistered type throws in the render', () => {
  const { wrapper } = setup();
  expect(() => renderHook(() => useItem('nobody', 1), { wrapper })).toThrow(/nobody/);
  expect(() => renderHook(() => useItem(undefined as never, 1), { wrapper })).toThrow(
    /"undefined" is not registered.*"ticket"/,
  );
});

it('D-REG-1 an unregistered level throws to the error boundary', () => {
  const { wrapper, dl } = setup();
  expect(() => renderHook(() => useItem('ticket', 1, 'nobody'), { wrapper })).toThrow(/nobody/);
  expect(Object.values(dl.devtools().items['ticket'] ?? {}).map(({ watchers }) => watchers)).toEqual([0]);
});

it('D-MEM-1 an entry that is evicted before the component subscribes is fetched again', async () => {
  const { advance, show, push, setTitle, dl } = setup({ memory: { maxItemsPerType: 512 } });
  const Row = ({ id }: { id: number }): ReactElement => <p>{shown(useItem('ticket', id).data)}</p>;
  const before = dl.getItemRef('ticket', 1);
  await advance(2_000_000);
  const view = show(<Row id={1} />);
  await advance(10);
  expect(dl.getItemRef('ticket', 1)).not.toBe(before);
  setTitle(1, 'pushed');
  await push(refreshTicket(1));
  expect(view.container.textContent).toBe('pushed');
});

it.each<[string, () => ReactElement]>([
  [
    'an item',
    function Row() {
      return <p>{shown(useItem('ticket', 1).data)}</p>;
    },
  ],
  [
    'one of several items',
    function Row() {
      return <p>{shown(useItems('ticket', [1])[0]?.data)}</p>;
    },
  ],
])(
  'D-MEM-1 D-REACT-6 an entry that was evicted while it was hidden is fetched again and watched: %s',
  async (_, Row) => {
    const { advance, show, push, setTitle, dl } = setup();
    const row = <Row />; // The same element, so React shows it again without a render.
    const screen = (mode: 'visible' | 'hidden'): ReactElement => <Activity mode={mode}>{row}</Activity>;
    const view = show(screen('visible'));
    await advance(10);
    const before = dl.getItemRef('ticket', 1);
    view.rerender(screen('hidden'));
    await advance(2_000_000);
    setTitle(1, 'changed');
    view.rerender(screen('visible'));
    await advance(10);
    expect(view.container.textContent).toBe('changed');
    expect(dl.getItemRef('ticket', 1)).not.toBe(before);
    expect(dl.devtools().items['ticket']?.['1']?.watchers).toBe(1);
    setTitle(1, 'pushed');
    await push(refreshTicket(1));
    expect(view.container.textContent).toBe('pushed');
    view.unmount();
    expect(dl.devtools().items['ticket']?.['1']?.watchers).toBe(0);
  },
);

it('D-REACT-4 keepPrevious shows the last item until the next one arrives', async () => {
  const { advance, wrapper } = setup();
  const { result, rerender } = renderHook(({ id }) => useItem('ticket', id, null, { keepPrevious: true }), {
    wrapper,
    initialProps: { id: 1 },
  });
  expect(result.current.meta.isPrevious).toBe(false);
  await advance(10);
  rerender({ id: 2 });
  expect(shown(result.current.data)).toBe('ticket 1');
  expect(result.current.isPending).toBe(false);
  expect(result.current.meta).toMatchObject({ isPrevious: true, isLoading: true });
  rerender({ id: 3 });
  expect(shown(result.current.data)).toBe('ticket 1');
  await advance(10);
  expect(shown(result.current.data)).toBe('ticket 3');
  expect(result.current.meta).toMatchObject({ isPrevious: false, isLoading: false });
});

it('D-REACT-4 keepPrevious does not show data of another type', async () => {
  const { advance, wrapper } = setup();
  const { result, rerender } = renderHook(({ type }) => useItem(type, 1, null, { keepPrevious: true }), {
    wrapper,
    initialProps: { type: 'ticket' },
  });
  await advance(10);
  rerender({ type: 'person' });
  expect([result.current.data, result.current.isPending]).toEqual([null, true]);
});

it('D-REACT-4 keepPrevious shows the error of an item that failed, not the last item', async () => {
  const { advance, wrapper, failing } = setup();
  failing.add('2');
  const { result, rerender } = renderHook(({ id }) => useItem('ticket', id, null, { keepPrevious: true }), {
    wrapper,
    initialProps: { id: 1 },
  });
  await advance(10);
  rerender({ id: 2 });
  await advance(10);
  expect(result.current.data).toBeNull();
  expect(result.current.meta).toMatchObject({ isPrevious: false, error: '2 failed' });
});

it('D-REACT-4 D-FETCH-9 without keepPrevious the last data goes during the load, and no end of keepPrevious is a read', async () => {
  const { advance, wrapper, dl } = setup();
  const { result, rerender } = renderHook(
    ({ id, keepPrevious }) => ({
      item: useItem('ticket', id, null, { keepPrevious }),
      list: useCollection('tickets', { params: { id }, keepPrevious }),
    }),
    { wrapper, initialProps: { id: 1, keepPrevious: true } },
  );
  await advance(10);
  rerender({ id: 2, keepPrevious: true });
  rerender({ id: 2, keepPrevious: false });
  const states = (): object[] =>
    Object.values(result.current).map(({ data, isPending, meta: { isPrevious } }) => ({
      data,
      isPending,
      isPrevious,
    }));
  const waiting = { isPending: true, isPrevious: false };
  expect(states()).toEqual([
    { data: null, ...waiting },
    { data: { ids: [], count: 0 }, ...waiting },
  ]);
  await advance(10);
  rerender({ id: 3, keepPrevious: true });
  await advance(10);
  const { item } = result.current;
  const reads = vi.fn();
  dl.onLifecycle('*', reads);
  rerender({ id: 3, keepPrevious: false });
  expect(shown(result.current.item.data)).toBe('ticket 3');
  expect(result.current.item).toBe(item);
  expect(reads).not.toHaveBeenCalled();
});

it('D-REACT-2 D-REACT-4 a hook without an id or with enabled false shows nothing, even with keepPrevious', async () => {
  const { advance, wrapper } = setup();
  const { result, rerender } = renderHook(
    ({ id, enabled }: { id: number | null; enabled: boolean }) => ({
      item: useItem('ticket', id, null, { keepPrevious: true }),
      list: useCollection('tickets', { enabled, keepPrevious: true }),
    }),
    { wrapper, initialProps: { id: 1 as number | null, enabled: true } },
  );
  await advance(10);
  rerender({ id: null, enabled: false });
  const { item, list } = result.current;
  expect([item.data, list.data]).toEqual([null, { ids: [], count: 0 }]);
  expect([item.meta.isPrevious, list.meta.isPrevious]).toEqual([false, false]);
  rerender({ id: 2, enabled: true });
  expect([result.current.item.data, result.current.list.data.count]).toEqual([null, 5]);
  await advance(10);
});

it('D-REACT-4 keepPrevious shows the data on the screen now, not that from when an abandoned transition began', async () => {
  const { advance, wrapper, push, setTitle, tickets } = setup();
  const never = new Promise<void>(() => undefined);
  let go = (_id: number, _isWaiting: boolean): void => undefined;
  const commits: string[] = [];
  function App(): ReactElement {
    const [{ id, isWaiting }, set] = useState({ id: 1, isWaiting: false });
    go = (id, isWaiting) => set({ id, isWaiting });
    const { data, meta } = useItem('ticket', id, null, { keepPrevious: true });
    const list = useCollection('tickets', {
      params: { status: id === 1 ? 'open' : 'closed', nested: [id] },
      keepPrevious: true,
    });
    const text = `${shown(data)} ${meta.isPrevious} ${list.data.count}`;
    useLayoutEffect(() => void commits.push(text));
    if (isWaiting) use(never);
    return <p>{text}</p>;
  }
  render(
    <Suspense fallback="…">
      <App />
    </Suspense>,
    { wrapper },
  );
  await advance(10);
  await act(async () => startTransition(() => go(2, true)));
  setTitle(1, 'changed');
  tickets.delete(3);
  await push(refreshTicket(1), { op: 'refresh_collection', name: 'tickets' });
  commits.length = 0;
  await act(async () => go(2, false));
  expect(commits[0]).toBe('changed true 2');
  await advance(10);
  expect(commits.at(-1)).toBe('ticket 2 false 2');
});

it('D-REACT-4 D-REACT-7 keepPrevious shows current data after a select was removed', async () => {
  const { advance, wrapper, push, setTitle } = setup();
  const { result, rerender } = renderHook(
    ({ id, select }: { id: number; select: ((data: unknown) => unknown) | undefined }) =>
      useItem('ticket', id, null, { keepPrevious: true, select }),
    {
      wrapper,
      initialProps: { id: 1, select: ((data) => data) as ((data: unknown) => unknown) | undefined },
    },
  );
  await advance(10);
  expect(shown(result.current.data)).toBe('ticket 1');
  rerender({ id: 1, select: undefined });
  setTitle(1, 'changed');
  await push(refreshTicket(1));
  rerender({ id: 2, select: undefined });
  expect(shown(result.current.data)).toBe('changed');
  await advance(10);
});

it('D-REACT-4 keepPrevious does not show data of another data layer', async () => {
  const [first, second] = [setup(), setup()];
  function Row(): ReactElement {
    const { data } = useItem('ticket', 1, null, { keepPrevious: true });
    const list = useCollection('tickets', { keepPrevious: true });
    return <p>{`${shown(data)} ${list.data.count}`}</p>;
  }
  const view = render(first.wrapper({ children: <Row /> }));
  await first.advance(10);
  expect(view.container.textContent).toBe('ticket 1 5');
  view.rerender(second.wrapper({ children: <Row /> }));
  expect(view.container.textContent).toBe('nothing 0');
  await second.advance(10);
});

it('D-REACT-4 D-MEM-2 keepPrevious does not show an earlier item after the current one was evicted', async () => {
  const { advance, show } = setup();
  const seen: string[] = [];
  function Row({ id }: { id: number }): null {
    seen.push(shown(useItem('ticket', id, null, { keepPrevious: true }).data));
    return null;
  }
  const screen = (mode: 'visible' | 'hidden', id: number): ReactElement => (
    <Activity mode={mode}>
      <Row id={id} />
    </Activity>
  );
  const { rerender } = show(screen('visible', 1));
  await advance(10);
  rerender(screen('visible', 2));
  await advance(10);
  rerender(screen('hidden', 2));
  await advance(2_000_000);
  seen.length = 0;
  rerender(screen('visible', 2));
  await advance(10);
  expect(seen).not.toContain('ticket 1');
  expect(seen.at(-1)).toBe('ticket 2');
});

it.each([
  [{ select: 'title' }, 'select must be a function, but is "title".'],
  [{ select: 5n }, 'select must be a function, but is the bigint 5n.'],
  [{ enabled: 0 }, 'enabled must be true or false, but is 0.'],
  [{ silent: 'no' }, 'silent must be true or false, but is "no".'],
  [['full'], 'the options must be an object, but are an array.'],
  [{ select: shown, isEqual: 'deep' }, 'isEqual must be a function, but is "deep".'],
])('D-REACT-7 a wrong option throws in the render: %o', (options, message) => {
  vi.spyOn(console, 'error').mockReturnValue(); // React logs what is thrown.
  const { wrapper } = setup();
  expect(() => renderHook(() => useItem('ticket', 1, null, options as never), { wrapper })).toThrow(
    new TypeError(`[edict] useItem("ticket"): ${message}`),
  );
  vi.restoreAllMocks();
});

it('D-REACT-4 isPrevious is false when nothing was shown before', async () => {
  const { advance, wrapper } = setup();
  const { result, rerender } = renderHook(
    ({ id, status }) => [
      useItem('ticket', id, null, { keepPrevious: true }).meta,
      useCollection('tickets', { params: { status }, keepPrevious: true }).meta,
    ],
    { wrapper, initialProps: { id: 1, status: 'open' } },
  );
  rerender({ id: 2, status: 'closed' });
  expect(result.current.map(({ isPrevious, isLoading }) => [isPrevious, isLoading])).toEqual([
    [false, true],
    [false, true],
  ]);
  await advance(10);
});

it('D-NAME-2 a warning is logged when an effect cleanup that Strict Mode runs on mount disposes the data layer', async () => {
  const { sim, dl, advance } = setup();
  function Title(): string {
    return shown(useItem('ticket', 1).data);
  }
  function SignedIn(): ReactElement {
    useEffect(() => () => dl.dispose(), []);
    return (
      <DLProvider dl={dl}>
        <Title />
      </DLProvider>
    );
  }
  const { container } = render(
    <StrictMode>
      <SignedIn />
    </StrictMode>,
  );
  await advance(100);
  expect(container.textContent).toBe('nothing');
  expect(sim.log.map(({ level, message }) => [level, message])).toEqual([
    ['warn', 'watched after dispose(): nothing is fetched'],
  ]);
});

it('D-NAME-2 disposing a data layer that mounted hooks read logs no warning', async () => {
  const { sim, dl, advance, wrapper } = setup();
  const { result, unmount } = renderHook(() => useItem('ticket', 1).data, { wrapper });
  await advance(10);
  dl.dispose();
  expect(shown(result.current)).not.toBe('nothing');
  unmount();
  expect(sim.log).toEqual([]);
});
