/* oxlint-disable react/immutability, react/globals, react/purity -- renders are counted and slowed down on purpose */
import { DLProvider, useCollection, useItem, useItems } from '@edict/react';
import { act, render, renderHook } from '@testing-library/react';
import { Activity, StrictMode, useEffect, type ReactElement } from 'react';
import { expect, it, vi } from 'vitest';
import { refreshTicket, setup } from '../world.tsx';
import { titleOf } from '../title.ts';

it('D-REACT-2 refresh refetches fresh data and keeps its identity', async () => {
  const { advance, wrapper, calls, setTitle } = setup();
  const { result } = renderHook(() => useItem('ticket', 1), { wrapper });
  await advance(10);
  const { refresh, data } = result.current;
  expect(titleOf(data)).toBe('ticket 1');
  setTitle(1, 'new');
  act(() => refresh());
  await advance(10);
  expect(titleOf(result.current.data)).toBe('new');
  expect(result.current.refresh).toBe(refresh);
  expect(calls).toHaveLength(2);
});

it('D-FETCH-9 a second component shares the request in flight, and a later one is served from the cache', async () => {
  const { advance, show, calls } = setup();
  const Row = (): ReactElement => <p>{titleOf(useItem('ticket', 1).data)}</p>;
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
  expect(titleOf(result.current.data)).toBe('ticket 1');
  expect(result.current.meta.isLoading).toBe(true);
  await advance(10);
  expect(titleOf(result.current.data)).toBe('newer');
  expect(result.current.meta.isLoading).toBe(false);
  expect(calls).toHaveLength(2);
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

it('D-REACT-6 in StrictMode there is one request, no abort and one subscription', async () => {
  const { advance, dl, wrapper, calls } = setup();
  const aborted: unknown[] = [];
  dl.onLifecycle('item:fetch:aborted', (message) => aborted.push(message));
  const { result, unmount } = renderHook(() => useItem('ticket', 1), {
    wrapper: ({ children }) => <StrictMode>{wrapper({ children })}</StrictMode>,
  });
  expect(dl.devtools().items['ticket']?.['1']?.watchers).toBe(1);
  await advance(10);
  expect(titleOf(result.current.data)).toBe('ticket 1');
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
  const Row = ({ id }: { id: number }): ReactElement => <p>{titleOf(useItem('ticket', id).data)}</p>;
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
      return <p>{titleOf(useItem('ticket', 1).data)}</p>;
    },
  ],
  [
    'one of several items',
    function Row() {
      return <p>{titleOf(useItems('ticket', [1])[0]?.data)}</p>;
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

it('D-NAME-2 a warning is logged when an effect cleanup that Strict Mode runs on mount disposes the data layer', async () => {
  const { sim, dl, advance } = setup();
  function Title(): string {
    return titleOf(useItem('ticket', 1).data);
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
  expect(titleOf(result.current)).not.toBe('nothing');
  unmount();
  expect(sim.log).toEqual([]);
});
