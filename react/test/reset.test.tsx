/* oxlint-disable react/globals -- renders are recorded on purpose */
// Behavior of mounted hooks when their data layer is reset.

import { dehydrate } from '@edict/core/hydration';
import {
  HydrationBoundary,
  useCollection,
  useInfiniteCollection,
  useItem,
  useItems,
  useSuspenseItem,
} from '@edict/react';
import { act, renderHook, screen } from '@testing-library/react';
import { Activity, Fragment, StrictMode, Suspense, use } from 'react';
import { expect, it } from 'vitest';
import { setup, type Ticket } from './world.tsx';
import { titleOf } from './title.ts';

it('hooks show isPending and fetch again', async () => {
  const { dl, advance, wrapper, calls, setTitle } = setup();
  const { result } = renderHook(
    () => ({ item: useItem('ticket', 1), items: useItems('ticket', [1, 2]), list: useCollection('tickets') }),
    { wrapper },
  );
  await advance(10);
  expect([titleOf(result.current.item.data), result.current.items.map(({ data }) => titleOf(data))]).toEqual([
    'ticket 1',
    ['ticket 1', 'ticket 2'],
  ]);
  const before = calls.length;
  setTitle(1, 'of Bob');
  act(() => dl.reset());
  expect([result.current.item.isPending, result.current.list.isPending, result.current.item.data]).toEqual([
    true,
    true,
    null,
  ]);
  expect(result.current.items.map(({ data }) => data)).toEqual([null, null]);
  await advance(10);
  expect(titleOf(result.current.item.data)).toBe('of Bob');
  expect(result.current.items.map(({ data }) => titleOf(data))).toEqual(['of Bob', 'ticket 2']);
  expect(calls.length - before).toBe(before);
});

it('a hook that was loading fetches again', async () => {
  const { dl, advance, wrapper } = setup();
  const { result } = renderHook(() => useItem('ticket', 1), { wrapper });
  await advance(5);
  act(() => dl.reset());
  expect(result.current.isPending).toBe(true);
  await advance(10);
  expect(titleOf(result.current.data)).toBe('ticket 1');
});

it.each([1, 2])(
  'a list of pages shows no data from before the reset and fetches its pages again: %i',
  async (initialPages) => {
    const { dl, advance, wrapper } = setup();
    const { result } = renderHook(
      () =>
        useInfiniteCollection('tickets', {
          nextParams: (_, pages) => (pages.length < 2 ? { page: pages.length + 1 } : null),
          initialPages,
          keepPrevious: true,
        }),
      { wrapper },
    );
    await advance(40);
    const before = result.current.data.ids;
    expect(before.length).toBeGreaterThan(0);
    act(() => dl.reset());
    expect(result.current.data.ids).toEqual([]);
    await advance(40);
    expect(result.current.data.ids).toEqual(before);
  },
);

it('keepPrevious shows no data from before the reset', async () => {
  const { dl, advance, wrapper } = setup();
  const { result } = renderHook(() => useItem('ticket', 1, { keepPrevious: true }), { wrapper });
  await advance(10);
  act(() => dl.reset());
  expect([result.current.data, result.current.meta.isPrevious]).toEqual([null, false]);
});

it('keepPrevious shows no data from before the reset where it showed that of other arguments', async () => {
  const { dl, advance, wrapper } = setup();
  const { result, rerender } = renderHook(
    ({ id }) => [
      useItem('ticket', id, { keepPrevious: true }),
      useCollection('tickets', { params: { id }, keepPrevious: true }),
    ],
    { wrapper, initialProps: { id: 1 } },
  );
  await advance(10);
  rerender({ id: 2 });
  expect(result.current.map(({ meta }) => meta.isPrevious)).toEqual([true, true]);
  act(() => dl.reset());
  expect(result.current.map(({ data, meta }) => [data, meta.isPrevious])).toEqual([
    [null, false],
    [{ ids: [], count: 0 }, false],
  ]);
});

it.each([
  ['', Fragment],
  [' in Strict Mode', StrictMode],
])(
  'keepPrevious shows no data from before the reset in a component that was hidden during it%s',
  async (_, Mode) => {
    const { dl, advance, show } = setup();
    function Part({ id }: { id: number }) {
      const item = useItem('ticket', id, { keepPrevious: true });
      const list = useInfiniteCollection('tickets', {
        params: {},
        nextParams: () => null,
        keepPrevious: true,
      });
      return <p>{JSON.stringify([titleOf(item.data), list.data.ids])}</p>;
    }
    const views = [<Part key={0} id={1} />, <Part key={0} id={2} />];
    const view = (at: number, mode: 'hidden' | 'visible') => (
      <Mode>
        <Activity mode={mode}>{views[at]}</Activity>
      </Mode>
    );
    const { rerender, container } = show(view(0, 'visible'));
    await advance(10);
    rerender(view(1, 'visible'));
    expect(container.textContent).toBe('["ticket 1",[1,2,3,4,5]]');
    rerender(view(1, 'hidden'));
    act(() => dl.reset());
    rerender(view(1, 'visible'));
    expect(container.textContent).toBe('["nothing",[]]');
    await advance(10);
    expect(container.textContent).toBe('["ticket 2",[1,2,3,4,5]]');
  },
);

it('isEqual does not compare new data with data from before a reset that a hidden component did not render', async () => {
  const { dl, advance, show, setTitle } = setup();
  const isEqual = (a: unknown, b: unknown) => (a as Ticket | null)?.status === (b as Ticket | null)?.status;
  const Title = () => <p>{titleOf(useItem('ticket', 1, { isEqual }).data)}</p>;
  const title = <Title />; // The same element, so React shows it again without a render.
  const view = (mode: 'hidden' | 'visible') => <Activity mode={mode}>{title}</Activity>;
  const { rerender, container } = show(view('visible'));
  await advance(10);
  rerender(view('hidden'));
  setTitle(1, 'of Bob');
  dl.reset();
  dl.fetchItem('ticket', 1);
  await advance(10);
  rerender(view('visible'));
  expect(container.textContent).toBe('of Bob');
});

it('a state that waits for its commit during the reset is not hydrated', async () => {
  const page = setup();
  page.setTitle(1, 'of Alice');
  page.dl.fetchItem('ticket', 1);
  await page.sim.settled();
  const state = dehydrate(page.dl);
  const { dl, advance, show, failing, setTitle } = setup();
  failing.add('1');
  dl.fetchItem('ticket', 1);
  await advance(10);
  const Title = () => <p>{titleOf(useItem('ticket', 1).data)}</p>;
  let open = () => {};
  const gate = new Promise<void>((resolve) => (open = resolve));
  const Waiting = () => use(gate) ?? null;
  const { container } = await act(async () =>
    show(
      <Suspense>
        <HydrationBoundary state={state}>
          <Title />
          <Waiting />
        </HydrationBoundary>
      </Suspense>,
    ),
  );
  act(() => dl.reset());
  failing.clear();
  setTitle(1, 'of Bob');
  await act(async () => open());
  await advance(20);
  expect(container.textContent).toBe('of Bob');
});

it('a Suspense hook suspends again', async () => {
  const { dl, advance, show, setTitle } = setup();
  function Title() {
    return <p>{titleOf(useSuspenseItem('ticket', 1).data)}</p>;
  }
  show(
    <Suspense fallback={<p>Loading</p>}>
      <Title />
    </Suspense>,
  );
  await advance(20);
  expect(screen.getByText('ticket 1')).toBeTruthy();
  setTitle(1, 'of Bob');
  act(() => dl.reset());
  await advance(20);
  expect(screen.getByText('of Bob')).toBeTruthy();
});
