/* oxlint-disable react/immutability, react/globals, react/purity -- renders are counted and slowed down on purpose */
import { useItem, type ItemSnapshot } from '@edict/react';
import { act, renderHook } from '@testing-library/react';
import { memo, useEffect, useRef, type ReactElement } from 'react';
import { expect, it } from 'vitest';
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
