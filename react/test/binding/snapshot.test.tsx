/* oxlint-disable react/immutability, react/globals, react/purity -- renders are counted and slowed down on purpose */
import { useCollection, useItem, useItems, type ItemSnapshot } from '@edict/react';
import { act, renderHook } from '@testing-library/react';
import { useEffect, useState, type ReactElement } from 'react';
import { expect, it, vi } from 'vitest';
import { refreshTicket, setup } from '../world.tsx';
import { titleOf } from '../title.ts';

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

it.each([undefined, titleOf])(
  'D-REACT-3 a field that is read from an earlier snapshot counts as read: select %s',
  async (select) => {
    const { advance, wrapper, push, setTitle, dl } = setup();
    const { result } = renderHook(
      () => {
        const item = useItem('ticket', 1, { select });
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
  },
);

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

it('D-REACT-3 lastUsedAt is the time at which the snapshot was made, even if it is read after a later use', async () => {
  const { advance, wrapper, dl, sim } = setup();
  const { result } = renderHook(() => useItem('ticket', 1), { wrapper });
  const at = new Date(sim.now()).toISOString();
  await advance(1000);
  dl.fetchItem('ticket', 1);
  expect(result.current.meta.lastUsedAt).toBe(at);
});

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

it('D-REACT-3 data of an item and of a collection is the same object as the data of its reference', async () => {
  const { advance, wrapper, dl } = setup();
  const { result } = renderHook(() => [useItem('ticket', 1).data, useCollection('tickets').data], {
    wrapper,
  });
  await advance(10);
  expect(result.current[0]).toBe(dl.getItemRef('ticket', 1).data);
  expect(result.current[1]).toBe(dl.getCollectionRef('tickets').data);
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
