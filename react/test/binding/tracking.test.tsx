/* oxlint-disable react/immutability, react/globals, react/purity -- renders are counted and slowed down on purpose */
import { useCollection, useItem, useItems, type ItemSnapshot } from '@edict/react';
import { act, render, renderHook } from '@testing-library/react';
import { Component, memo, useEffect, useRef, useState, type ReactElement, type ReactNode } from 'react';
import { expect, it, vi } from 'vitest';
import { refreshTicket, setup } from '../world.tsx';
import { titleOf } from '../title.ts';

it('D-REACT-3 a row that reads only data does not render when isLoading flips', async () => {
  const { advance, show, push, setTitle } = setup();
  let renders = 0;
  function Row(): ReactElement {
    renders++;
    return <p>{titleOf(useItem('ticket', 1).data)}</p>;
  }
  const { container } = show(<Row />);
  await advance(10);
  expect(renders).toBe(2);
  setTitle(1, 'changed');
  await push(refreshTicket(1));
  expect(container.textContent).toBe('changed');
  expect(renders).toBe(3);
});

it('D-LEVEL-7 a response that equals the cached data renders nothing', async () => {
  const { advance, show, push, calls } = setup();
  let renders = 0;
  function Row(): ReactElement {
    renders++;
    return <p>{titleOf(useItem('ticket', 1).data)}</p>;
  }
  show(<Row />);
  await advance(10);
  await push(refreshTicket(1));
  expect(calls).toHaveLength(2);
  expect(renders).toBe(2);
});

it('D-REACT-3 a component that watches another entry does not render', async () => {
  const { advance, show, push, setTitle } = setup();
  const renders = [0, 0, 0];
  function Row({ id }: { id: number }): ReactElement {
    renders[id] = (renders[id] ?? 0) + 1;
    return <p>{titleOf(useItem('ticket', id).data)}</p>;
  }
  show(
    <>
      <Row id={1} />
      <Row id={2} />
    </>,
  );
  await advance(10);
  setTitle(1, 'changed');
  await push(refreshTicket(1));
  expect(renders).toEqual([0, 3, 2]);
});

it('D-REACT-3 a component that has read isLoading once renders for its changes until its arguments change', async () => {
  const { advance, wrapper, push } = setup();
  let renders = 0;
  const { rerender } = renderHook(
    ({ id }) => {
      renders++;
      const { data, meta } = useItem('ticket', id);
      return id === 1 && data === null ? meta.isLoading : titleOf(data);
    },
    { wrapper, initialProps: { id: 1 } },
  );
  await advance(10);
  expect(renders).toBe(2);
  await push(refreshTicket(1));
  expect(renders).toBe(4);
  rerender({ id: 2 });
  await advance(10);
  renders = 0;
  await push(refreshTicket(2));
  expect(renders).toBe(0);
});

it('D-REACT-3 a component that reads isLoading renders each time it flips', async () => {
  const { advance, show, push } = setup();
  const seen: boolean[] = [];
  function Spinner(): null {
    seen.push(useItem('ticket', 1).meta.isLoading);
    return null;
  }
  show(<Spinner />);
  await advance(10);
  await push(refreshTicket(1));
  expect(seen).toEqual([true, false, true, false]);
});

it('D-REACT-3 fields that a memoized child reads count as read by the component with the hook', async () => {
  const { advance, show, push, setTitle } = setup();
  const rendered = { parent: 0, child: 0 };
  const Child = memo(({ item }: { item: ItemSnapshot<unknown> }) => {
    rendered.child++;
    return <p>{titleOf(item.data)}</p>;
  });
  function Parent(): ReactElement {
    rendered.parent++;
    return <Child item={useItem('ticket', 1)} />;
  }
  const { container } = show(<Parent />);
  await advance(10);
  setTitle(1, 'changed');
  await push(refreshTicket(1));
  expect(container.textContent).toBe('changed');
  setTitle(1, 'again');
  await push(refreshTicket(1));
  expect(container.textContent).toBe('again');
  expect(rendered.child).toBe(4);
  expect(rendered.parent).toBe(4);
});

it('D-REACT-3 a child that mounts later reads current fields and renders when they change', async () => {
  const { advance, show, push, dl } = setup();
  let open = (): void => undefined;
  const Child = ({ item }: { item: ItemSnapshot<unknown> }): ReactElement => (
    <i>{String(item.meta.isLoading)}</i>
  );
  function Parent(): ReactElement {
    const item = useItem('ticket', 1);
    const [isOpen, setOpen] = useState(false);
    open = () => setOpen(true);
    return <p>{isOpen ? <Child item={item} /> : titleOf(item.data)}</p>;
  }
  const { container } = show(<Parent />);
  await advance(10);
  void dl.applyDirectives([refreshTicket(1)]);
  await advance(50);
  act(open);
  expect(container.textContent).toBe('true');
  await advance(10);
  expect(container.textContent).toBe('false');
  await push(refreshTicket(1));
  expect(container.textContent).toBe('false');
});

/** Reads only `data` while it renders. */
function useItemData(): ItemSnapshot<unknown> {
  const item = useItem('ticket', 1);
  void item.data;
  return item;
}

it('D-REACT-3 a field that is first read outside of a render keeps its value in that snapshot', async () => {
  const { advance, wrapper, dl } = setup();
  const { result } = renderHook(useItemData, { wrapper });
  await advance(10);
  const item = result.current;
  void dl.applyDirectives([refreshTicket(1)]);
  await advance(50);
  expect(result.current).toBe(item);
  expect(item.meta.isLoading).toBe(true); // The first read, as in an event handler, returns the current value.
  await advance(10);
  expect(result.current).not.toBe(item);
  expect(item.meta.isLoading).toBe(true); // A later read returns the same value.
  expect(result.current.meta.isLoading).toBe(false);
});

it('D-REACT-3 a field that is first read later belongs to the newest version, such as data that became stale', async () => {
  const { advance, wrapper, dl } = setup();
  const { result } = renderHook(useItemData, { wrapper });
  await advance(10);
  const item = result.current;
  await act(async () => void dl.applyDirectives([refreshTicket(1)]));
  expect(result.current).toBe(item);
  expect([item.isStale, item.meta.isStale]).toEqual([true, true]);
});

it('D-REACT-3 a field that is read from an earlier snapshot counts as read', async () => {
  const { advance, wrapper, push, setTitle, dl } = setup();
  const { result } = renderHook(
    () => {
      const item = useItem('ticket', 1);
      void item.data;
      return item;
    },
    { wrapper },
  );
  await advance(10);
  const earlier = result.current;
  setTitle(1, 'changed');
  await push(refreshTicket(1));
  expect(earlier.isFetching).toBe(true); // The last version of that snapshot, as in a handler of an earlier render.
  const { current } = result;
  void dl.applyDirectives([refreshTicket(1)]);
  await advance(55);
  expect(result.current).not.toBe(current);
  expect(result.current.isFetching).toBe(true);
});

it('D-REACT-3 an old snapshot keeps the values from before the change, even in fields that were never read', async () => {
  const { advance, wrapper, push, setTitle } = setup();
  const { result } = renderHook(
    () => {
      const item = useItem('ticket', 1);
      void item.meta.isLoading;
      return item;
    },
    { wrapper },
  );
  const first = result.current;
  await advance(10);
  const second = result.current;
  setTitle(1, 'changed');
  await push(refreshTicket(1));
  expect(first.data).toBeNull();
  expect(first.meta.lastFetchedAny).toBeNull();
  expect(titleOf(second.data)).toBe('ticket 1');
  expect(titleOf(result.current.data)).toBe('changed');
});

it('D-REACT-3 a component that reads isStale and lastUsedAt does not render when time passes or the entry is used', async () => {
  const { advance, wrapper, sim, dl } = setup();
  let renders = 0;
  const { result } = renderHook(
    () => {
      renders++;
      const { data, isStale, meta } = useItem('ticket', 1);
      return { data, isStale, inMeta: meta.isStale, used: meta.lastUsedAt, meta };
    },
    { wrapper },
  );
  await advance(10);
  const at = new Date(sim.now() - 10).toISOString();
  expect(result.current).toMatchObject({ isStale: false, inMeta: false, used: at });
  await advance(60_001);
  dl.getItemRef('ticket', 1);
  expect(renders).toBe(2);
  expect(result.current.meta.isStale).toBe(false);
  expect(result.current.meta.lastUsedAt).toBe(at);
});

it('D-REACT-3 a component that reads lastUsedAt does not render for a later use with an equal response', async () => {
  const { advance, wrapper, dl, calls } = setup();
  let renders = 0;
  const { result } = renderHook(
    () => {
      renders++;
      const { data, meta } = useItem('ticket', 1);
      return [data, meta.lastUsedAt];
    },
    { wrapper },
  );
  await advance(1000);
  const { current } = result;
  dl.fetchItem('ticket', 1, null, { force: true });
  await advance(1000);
  expect(calls).toHaveLength(2);
  expect([renders, result.current]).toEqual([2, current]);
});

it('D-REACT-3 lastUsedAt is the time at which the snapshot was made, even if it is read after a later use', async () => {
  const { advance, wrapper, dl, sim } = setup();
  const { result } = renderHook(() => useItem('ticket', 1), { wrapper });
  const at = new Date(sim.now()).toISOString();
  await advance(1000);
  dl.fetchItem('ticket', 1);
  expect(result.current.meta.lastUsedAt).toBe(at);
});

it('D-REACT-3 a component that reads isStale renders for a directive, a response, and an inline result', async () => {
  const { advance, wrapper, dl, sim } = setup();
  const seen: boolean[] = [];
  renderHook(() => void seen.push(useItem('ticket', 1).isStale), { wrapper });
  await advance(10);
  act(() => void dl.applyDirectives([refreshTicket(1)]));
  expect(seen).toEqual([true, false, true]);
  await act(() => sim.settled());
  expect(seen).toEqual([true, false, true, false]);
});

it('D-REACT-3 a row that mounts on stale data shows it as fresh when the refetch returns equal data', async () => {
  const { advance, wrapper, dl } = setup();
  dl.fetchItem('ticket', 1);
  await advance(70_000);
  const seen: boolean[] = [];
  renderHook(() => void seen.push(useItem('ticket', 1).isStale), { wrapper });
  await advance(10);
  expect(seen).toEqual([true, false]);
});

const fields = ['data', 'error', 'isFetching', 'isPending', 'isStale', 'meta', 'refresh'];
const metaFields = ['activeQueryId', 'cause', 'error', 'isLoading', 'isPrevious', 'isStale', 'lastUsedAt'];

it.each([
  [
    'an item',
    () => useItem('ticket', 1),
    ['isGone'],
    ['failedLevels', 'lastFetchedAny', 'levelErrors', 'levelStamps'],
  ],
  ['a row of items', () => useItems('ticket', [1])[0] ?? {}, ['isGone'], null],
  ['a collection', () => useCollection('tickets'), [], ['lastFetched', 'paramsKey', 'paramsSnapshot']],
])(
  'D-REACT-3 a spread, rest destructuring, or JSON of %s copies every field',
  async (_, use, more, moreMeta) => {
    const { advance, wrapper, push } = setup();
    let renders = 0;
    const { result } = renderHook(
      () => {
        renders++;
        const snapshot = use() as ReturnType<typeof useItem>;
        const { error, ...rest } = snapshot.meta;
        return { all: { ...snapshot }, meta: { ...rest, error }, json: JSON.stringify(snapshot) };
      },
      { wrapper },
    );
    await advance(10);
    const { all, meta, json } = result.current;
    expect(Object.keys(all).sort()).toEqual([...fields, ...more].sort());
    if (moreMeta !== null) expect(Object.keys(meta).sort()).toEqual([...metaFields, ...moreMeta].sort());
    expect(all).toMatchObject({ isFetching: false, isPending: false, error: null });
    expect(JSON.parse(json)).toMatchObject({ isFetching: false, meta: { isLoading: false } });
    const before = renders;
    await push({
      op: 'invalidate',
      targets: [refreshTicket(1), { op: 'refresh_collection', name: 'tickets' }],
    });
    expect(renders).toBe(before + 3); // Stale, loading, and the response.
  },
);

it('D-REACT-3 records of levels keep their identity while their content is equal', async () => {
  const { advance, wrapper, dl } = setup();
  const effects = vi.fn();
  renderHook(
    () => {
      const { meta } = useItem('ticket', 1);
      void meta.isLoading;
      const { levelStamps, failedLevels } = meta;
      useEffect(() => effects(), [levelStamps, failedLevels]);
    },
    { wrapper },
  );
  await advance(10);
  const before = effects.mock.calls.length;
  void dl.applyDirectives([refreshTicket(1)]);
  await advance(55);
  expect(dl.isItemLoading('ticket', 1)).toBe(true);
  expect(effects).toHaveBeenCalledTimes(before);
});

it('D-REACT-3 a record of levels that was read stays the same object in the same snapshot', async () => {
  const { advance, wrapper, push } = setup();
  const { result } = renderHook(() => useItem('ticket', 1), { wrapper });
  await advance(10);
  const { meta } = result.current;
  const { levelErrors } = meta;
  await push(refreshTicket(1));
  expect(result.current.meta).toBe(meta);
  expect(meta.levelErrors).toBe(levelErrors);
});

it('D-REACT-3 a component that reads levelStamps renders when a stamp changes or is added', async () => {
  const { advance, wrapper, dl, sim } = setup();
  const { result } = renderHook(
    () => {
      const { meta } = useItem('ticket', 1);
      void meta.levelStamps;
      return meta;
    },
    { wrapper },
  );
  await advance(10);
  const first = result.current;
  dl.fetchItem('ticket', 1, 'full');
  await advance(10);
  const second = result.current;
  dl.fetchItem('ticket', 1, 'default', { force: true });
  await advance(10);
  const stamp = (ago: number): string => new Date(sim.now() - ago).toISOString();
  expect(first.levelStamps).toEqual({ default: stamp(20) });
  expect(first.levelStamps).toBe(first.levelStamps);
  expect(second.levelStamps).toEqual({ default: stamp(20), full: stamp(10) });
  expect(result.current.levelStamps).toEqual({ default: stamp(0), full: stamp(10) });
});

it('D-REACT-3 D-FETCH-7 a second failure with the same message changes meta.cause', async () => {
  const { advance, wrapper, failing } = setup();
  failing.add('1');
  const { result } = renderHook(
    () => {
      const item = useItem('ticket', 1);
      void item.meta.cause;
      return item;
    },
    { wrapper },
  );
  await advance(10);
  const { meta, refresh } = result.current;
  act(() => refresh?.());
  await advance(10);
  expect(meta.cause).toEqual(new Error('1 failed'));
  expect(result.current.meta.cause).toEqual(meta.cause);
  expect(result.current.meta.cause).not.toBe(meta.cause);
});

it('D-REACT-7 the result of select keeps its identity while only meta changes', async () => {
  const { advance, wrapper, push } = setup();
  const seen: unknown[] = [];
  const loading: boolean[] = [];
  renderHook(
    () => {
      const { data, meta } = useItem('ticket', 1, null, { select: (ticket) => [titleOf(ticket)] });
      seen.push(data);
      loading.push(meta.isLoading);
    },
    { wrapper },
  );
  await advance(10);
  await push(refreshTicket(1));
  expect(loading).toEqual([true, false, true, false]);
  expect(new Set(seen.slice(1)).size).toBe(1);
});

it('D-REACT-7 the result of select keeps its identity across a render that does not read data', async () => {
  const { advance, wrapper, push } = setup();
  const seen: unknown[] = [];
  renderHook(
    () => {
      const item = useItem('ticket', 1, null, { select: (ticket) => [titleOf(ticket)] });
      seen.push(item.meta.isLoading ? 'spinner' : item.data); // `data` is not read while the spinner is shown.
    },
    { wrapper },
  );
  await advance(10);
  await push(refreshTicket(1));
  expect(seen).toEqual(['spinner', ['ticket 1'], 'spinner', ['ticket 1']]);
  expect(seen[3]).toBe(seen[1]);
});

it('D-REACT-7 data that is first read after select changed is the result of the new select', async () => {
  const { advance, wrapper } = setup();
  const { result, rerender } = renderHook(
    ({ suffix }) => {
      const item = useItem('ticket', 1, null, { select: (ticket) => `${titleOf(ticket)} ${suffix}` });
      void item.meta.error;
      return item;
    },
    { wrapper, initialProps: { suffix: 'a' } },
  );
  await advance(10);
  rerender({ suffix: 'b' });
  expect(result.current.data).toBe('ticket 1 b');
});

it('D-REACT-7 a new isEqual applies from the render that passes it', async () => {
  const { advance, wrapper, push, setTitle } = setup();
  const sameText = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase();
  const { result, rerender } = renderHook(
    ({ isEqual }) => useItem('ticket', 1, null, { select: titleOf, isEqual }).data,
    { wrapper, initialProps: { isEqual: sameText } },
  );
  await advance(10);
  rerender({ isEqual: Object.is });
  setTitle(1, 'TICKET 1');
  await push(refreshTicket(1));
  expect(result.current).toBe('TICKET 1');
});

it('D-REACT-7 an inline select keeps the identity of its result, renders only when it changes, and does not loop', async () => {
  const { advance, show, push, setTitle, tickets } = setup();
  let renders = 0;
  const effects = vi.fn();
  function Row(): ReactElement {
    renders++;
    const { data } = useItem('ticket', 1, null, { select: (ticket) => ({ title: titleOf(ticket) }) });
    useEffect(() => effects(data), [data]);
    return <p>{data.title}</p>;
  }
  const { container } = show(<Row />);
  expect(container.textContent).toBe('nothing'); // `select` was called with null.
  await advance(10);
  expect(renders).toBe(2);
  tickets.set(1, { id: 1, title: 'ticket 1', status: 'other' });
  await push(refreshTicket(1));
  expect(renders).toBe(2);
  setTitle(1, 'changed');
  await push(refreshTicket(1));
  expect(container.textContent).toBe('changed');
  expect(renders).toBe(3);
  expect(effects).toHaveBeenCalledTimes(3);
});

it('D-REACT-7 select may close over props', async () => {
  const { advance, wrapper } = setup();
  const { result, rerender } = renderHook(
    ({ suffix }) => useItem('ticket', 1, null, { select: (ticket) => [titleOf(ticket), suffix] }).data,
    { wrapper, initialProps: { suffix: 'a' } },
  );
  await advance(10);
  const first = result.current;
  rerender({ suffix: 'a' });
  expect(result.current).toBe(first);
  rerender({ suffix: 'b' });
  expect(result.current).toEqual(['ticket 1', 'b']);
});

it('D-REACT-7 a select that throws for new data throws in the render instead of showing the old data', async () => {
  const { advance, show, push, setTitle } = setup();
  const logged = vi.spyOn(console, 'error').mockImplementation(() => undefined);
  const select = (data: unknown): string => {
    if (titleOf(data) === 'unreadable') throw new Error('cannot be read');
    return titleOf(data);
  };
  class Boundary extends Component<{ children: ReactElement }, { error: Error | null }> {
    override state = { error: null as Error | null };
    static getDerivedStateFromError = (error: Error): object => ({ error });
    override render(): ReactNode {
      return this.state.error?.message ?? this.props.children;
    }
  }
  const Row = (): ReactElement => <p>{useItem('ticket', 1, null, { select }).data}</p>;
  const { container } = show(
    <Boundary>
      <Row />
    </Boundary>,
  );
  await advance(10);
  expect(container.textContent).toBe('ticket 1');
  setTitle(1, 'unreadable');
  await push(refreshTicket(1));
  expect(container.textContent).toBe('cannot be read');
  logged.mockRestore();
});

it('D-REACT-7 isEqual decides whether a result of select has changed', async () => {
  const { advance, wrapper, push, setTitle } = setup();
  let renders = 0;
  const { result } = renderHook(
    () => {
      renders++;
      return useItem('ticket', 1, null, {
        select: titleOf,
        isEqual: (a, b) => a.toLowerCase() === b.toLowerCase(),
      }).data;
    },
    { wrapper },
  );
  await advance(10);
  setTitle(1, 'TICKET 1');
  await push(refreshTicket(1));
  expect(renders).toBe(2);
  expect(result.current).toBe('ticket 1');
});

it('D-REACT-7 isEqual decides whether data has changed without a select', async () => {
  const { advance, wrapper, push, setTitle } = setup();
  let renders = 0;
  const { result } = renderHook(
    () => {
      renders++;
      return useItem('ticket', 1, null, {
        isEqual: (a, b) => titleOf(a).toLowerCase() === titleOf(b).toLowerCase(),
      }).data;
    },
    { wrapper },
  );
  await advance(10);
  setTitle(1, 'TICKET 1');
  await push(refreshTicket(1));
  expect(renders).toBe(2);
  expect(titleOf(result.current)).toBe('ticket 1');
  setTitle(1, 'another');
  await push(refreshTicket(1));
  expect(titleOf(result.current)).toBe('another');
});

it.each([
  ['keepPrevious shows it for new arguments', { id: 2 }],
  ['the hook becomes silent', { silent: true }],
])('D-REACT-7 an equal result of select keeps its identity when %s', async (_, change) => {
  const { advance, wrapper } = setup();
  const { result, rerender } = renderHook(
    ({ id, silent }: { id: number; silent: boolean }) =>
      useItem('ticket', id, null, {
        select: (ticket) => ({ title: titleOf(ticket) }),
        keepPrevious: true,
        silent,
      }).data,
    { wrapper, initialProps: { id: 1, silent: false } },
  );
  await advance(10);
  const before = result.current;
  rerender({ id: 1, silent: false, ...change });
  expect(result.current).toBe(before);
  await advance(10);
  expect(result.current.title).toBe(`ticket ${{ id: 1, ...change }.id}`);
});

it('D-REACT-7 isEqual is not called when data was not read', async () => {
  const { advance, wrapper } = setup();
  const isEqual = vi.fn((a: string, b: string) => a.length === b.length);
  const { result } = renderHook(
    () => {
      const item = useItem('ticket', 1, null, { select: titleOf, isEqual });
      void item.meta.isLoading;
      return item;
    },
    { wrapper },
  );
  await advance(10);
  expect(result.current.data).toBe('ticket 1');
  expect(isEqual).not.toHaveBeenCalled();
});

it('D-REACT-7 select is not called when only meta is read', async () => {
  const { advance, wrapper } = setup();
  const select = vi.fn(titleOf);
  let renders = 0;
  renderHook(
    () => {
      renders++;
      return useItem('ticket', 1, null, { select: (data) => select(data) }).meta.error;
    },
    { wrapper },
  );
  await advance(10);
  expect(select).not.toHaveBeenCalled();
  expect(renders).toBe(1);
});

it('D-REACT-3 data of an item and of a collection is the same object as the data of its reference', async () => {
  const { advance, wrapper, dl } = setup();
  const { result } = renderHook(() => [useItem('ticket', 1).data, useCollection('tickets').data], {
    wrapper,
  });
  await advance(10);
  expect(result.current[0]).toBe(dl.getItemRef('ticket', 1).data);
  expect(result.current[1]).toBe(dl.getCollectionRef('tickets').data);
});

it('D-REACT-6 two instances and changing entries in one hook do not loop', async () => {
  const { advance, show } = setup();
  function Row({ id }: { id: number }): ReactElement {
    const renders = useRef(0);
    useEffect(() => {
      renders.current++;
      expect(renders.current).toBeLessThan(30);
    });
    const a = useItem('ticket', id);
    const b = useItem('ticket', id + 1, null, { select: (data) => ({ data }) });
    return <p>{`${titleOf(a.data)} ${titleOf(b.data.data)} ${a.meta.isLoading} ${b.meta.isLoading}`}</p>;
  }
  const view = show(<Row id={1} />);
  for (const id of [2, 3, 2, 4, 1]) {
    view.rerender(<Row id={id} />);
    await advance(3);
  }
  await advance(20);
  expect(view.container.textContent).toBe('ticket 1 ticket 2 false false');
});

it('D-REACT-1 without a provider, or with one that has no data layer, the hooks use the default one', async () => {
  const { DL } = await import('@edict/core');
  const { DLProvider, useDL } = await import('@edict/react');
  const seen: unknown[] = [];
  function Probe(): null {
    seen.push(useDL());
    return null;
  }
  render(<Probe />);
  render(
    <DLProvider>
      <Probe />
    </DLProvider>,
  );
  expect(seen).toEqual([DL, DL]);
});
