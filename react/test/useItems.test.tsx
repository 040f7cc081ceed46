/* oxlint-disable react/immutability, react/globals, react/purity -- renders are counted and slowed down on purpose */
import { useCollection, useItem, useItems, type ItemSnapshot } from '@edict/react';
import { act, renderHook } from '@testing-library/react';
import { Activity, memo, StrictMode, useEffect, type ReactElement } from 'react';
import { expect, it, vi } from 'vitest';
import { refreshTicket, setup } from './world.tsx';
import { titleOf } from './title.ts';

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

it('D-DIR-7 rows that read one item each share one bulk request', async () => {
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

it('D-REACT-7 useItems accepts duplicates and null ids, and does not mistake an id for one of them', async () => {
  const { advance, wrapper, calls } = setup();
  const { result } = renderHook(() => useItems('ticket', [2, null, '2', undefined, 2, 'null']), { wrapper });
  await advance(10);
  expect(result.current.map(({ data }) => titleOf(data))).toEqual([
    'ticket 2',
    'nothing',
    'ticket 2',
    'nothing',
    'ticket 2',
    'none',
  ]);
  expect(result.current.map(({ meta }) => meta.isLoading)).toEqual(Array(6).fill(false));
  expect(calls).toEqual(['ticket 2 default', 'ticket null default']);
});

it.each([null, undefined])(
  'D-REACT-7 useItems with %s instead of ids throws an error that names what to pass',
  (ids) => {
    const { wrapper } = setup();
    vi.spyOn(console, 'error').mockReturnValue(); // React logs what is thrown.
    expect(() => renderHook(() => useItems('ticket', ids as never), { wrapper })).toThrow(
      new TypeError(
        `[edict] useItems("ticket"): ids must be an array, but is ${ids}. Pass [] while there are none.`,
      ),
    );
    vi.restoreAllMocks();
  },
);

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

it('D-REACT-3 a changed item returns a new list in which only its row is new', async () => {
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

it('D-REACT-3 an equal response keeps the list', async () => {
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

it('D-REACT-3 bulk responses that change a thousand items render each row once, in one commit', async () => {
  const { advance, show, push, tickets } = setup({ bulk: { maxBatchSize: 2000 } });
  const ids = people(1000);
  let lists = 0;
  const commits = vi.fn();
  const rows = new Map<number, number>();
  const Row = memo(({ row, id }: { row: ItemSnapshot<unknown>; id: number }) => {
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

it('D-REACT-3 a bulk response that changes a thousand separate rows renders each once, in one commit', async () => {
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

it('D-REACT-2 a changed list of ids keeps the rows that remain and fetches the added ones', async () => {
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

it('D-REACT-2 removing the last id or replacing an id changes the rows', async () => {
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

it('D-REACT-2 the same ids are fetched when useItems is enabled and when the type or level changes', async () => {
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

it('D-REACT-5 silent rows and a silent collection are never loading, even during refresh', async () => {
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

it('D-REACT-3 a row without an id keeps its identity when other ids are added', async () => {
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

it('D-PARAM-2 ids that the application mutates are compared by their content in each render', async () => {
  const { advance, wrapper } = setup();
  const ids = [1, 2];
  const { result, rerender } = renderHook(() => useItems('ticket', ids).map(({ data }) => titleOf(data)), {
    wrapper,
  });
  await advance(10);
  ids.push(3);
  rerender();
  await advance(10);
  expect(result.current).toEqual(['ticket 1', 'ticket 2', 'ticket 3']);
});

it('D-REACT-6 useItems leaves no watcher when it unmounts, even in StrictMode', async () => {
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

it('D-REACT-6 rows that render while they are hidden show current data', async () => {
  const { advance, show, push, setTitle } = setup();
  const Rows = ({ prefix }: { prefix: string }): ReactElement => (
    <p>
      {prefix +
        useItems('ticket', [1, 2])
          .map(({ data }) => titleOf(data))
          .join()}
    </p>
  );
  const page = (mode: 'visible' | 'hidden', prefix: string): ReactElement => (
    <Activity mode={mode}>
      <Rows prefix={prefix} />
    </Activity>
  );
  const { container, rerender } = show(page('visible', ''));
  await advance(10);
  rerender(page('hidden', ''));
  setTitle(1, 'changed');
  await push(refreshTicket(1));
  await act(async () => rerender(page('hidden', '> ')));
  expect(container.textContent).toBe('> changed,ticket 2');
});
