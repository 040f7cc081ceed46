/* oxlint-disable react/immutability, react/globals, react/purity -- renders are counted and slowed down on purpose */
import { useCollection, useItem } from '@edict/react';
import { act, render, renderHook } from '@testing-library/react';
import {
  Activity,
  startTransition,
  Suspense,
  use,
  useLayoutEffect,
  useState,
  type ReactElement,
} from 'react';
import { expect, it, vi } from 'vitest';
import { refreshTicket, setup, type Ticket } from '../world.tsx';
import { titleOf } from '../title.ts';

it('D-REACT-4 keepPrevious shows the last item until the next one arrives', async () => {
  const { advance, wrapper } = setup();
  const { result, rerender } = renderHook(({ id }) => useItem('ticket', id, null, { keepPrevious: true }), {
    wrapper,
    initialProps: { id: 1 },
  });
  expect(result.current.meta.isPrevious).toBe(false);
  await advance(10);
  rerender({ id: 2 });
  expect(titleOf(result.current.data)).toBe('ticket 1');
  expect(result.current.isPending).toBe(false);
  expect(result.current.meta).toMatchObject({ isPrevious: true, isLoading: true });
  rerender({ id: 3 });
  expect(titleOf(result.current.data)).toBe('ticket 1');
  await advance(10);
  expect(titleOf(result.current.data)).toBe('ticket 3');
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
  expect(titleOf(result.current.item.data)).toBe('ticket 3');
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
    const text = `${titleOf(data)} ${meta.isPrevious} ${list.data.count}`;
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
  expect(titleOf(result.current.data)).toBe('ticket 1');
  rerender({ id: 1, select: undefined });
  setTitle(1, 'changed');
  await push(refreshTicket(1));
  rerender({ id: 2, select: undefined });
  expect(titleOf(result.current.data)).toBe('changed');
  await advance(10);
});

it('D-REACT-4 keepPrevious does not show data of another data layer', async () => {
  const [first, second] = [setup(), setup()];
  function Row(): ReactElement {
    const { data } = useItem('ticket', 1, null, { keepPrevious: true });
    const list = useCollection('tickets', { keepPrevious: true });
    return <p>{`${titleOf(data)} ${list.data.count}`}</p>;
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
    seen.push(titleOf(useItem('ticket', id, null, { keepPrevious: true }).data));
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

it.each([false, true])(
  'D-REACT-4 D-REACT-7 isEqual does not compare the data of new arguments with the last data: cached %s',
  async (isCached) => {
    const { advance, wrapper, push, setTitle, dl } = setup();
    if (isCached) dl.fetchItem('ticket', 3);
    const { result, rerender } = renderHook(
      ({ id }) =>
        useItem('ticket', id, null, {
          keepPrevious: true,
          select: (data) => () => data as Ticket | null, // No deep equality.
          isEqual: (a, b) => a()?.status === b()?.status,
        }).data(),
      { wrapper, initialProps: { id: 1 } },
    );
    await advance(10);
    rerender({ id: 3 });
    await advance(10);
    expect(titleOf(result.current)).toBe('ticket 3');
    setTitle(3, 'with the same status');
    await push(refreshTicket(3));
    expect(titleOf(result.current)).toBe('ticket 3');
  },
);
