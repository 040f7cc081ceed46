/* oxlint-disable react/immutability, react/globals -- a test takes the setters of a component out of it */
import { DLProvider, useInfiniteCollection } from '@edict/react';
import { act, render, renderHook } from '@testing-library/react';
import { startTransition, Suspense, use, useLayoutEffect, useState, type ReactElement } from 'react';
import { expect, it } from 'vitest';
import { byNumber, setup } from './numbers.tsx';

it('shows the previous ids until the new first page arrives with keepPrevious', async () => {
  const { advance, wrapper } = setup();
  const { result, rerender } = renderHook(
    ({ odd }) =>
      useInfiniteCollection('numbers', {
        ...byNumber(odd ? { odd } : {}),
        keepPrevious: true,
        initialPages: 2,
      }),
    { wrapper, initialProps: { odd: false } },
  );
  await advance(20);
  const { data } = result.current;
  rerender({ odd: true });
  expect(result.current.data).toBe(data);
  expect(result.current.meta.isPrevious).toBe(true);
  expect(result.current.hasNextPage).toBe(false);
  await advance(20);
  expect(result.current.data).toEqual({ ids: [1, 3, 5], count: 3 });
  expect(result.current.meta.isPrevious).toBe(false);
});

it('D-REACT-4 without keepPrevious the last ids go during the load', async () => {
  const { advance, wrapper } = setup();
  const { result, rerender } = renderHook(
    ({ odd, keepPrevious }) => useInfiniteCollection('numbers', { ...byNumber({ odd }), keepPrevious }),
    { wrapper, initialProps: { odd: false, keepPrevious: true } },
  );
  await advance(10);
  rerender({ odd: true, keepPrevious: true });
  expect(result.current.meta.isPrevious).toBe(true);
  rerender({ odd: true, keepPrevious: false });
  const { data, isPending, meta } = result.current;
  expect([data.ids, isPending, meta.isPrevious]).toEqual([[], true, false]);
});

it('D-REACT-4 D-NAME-2 keepPrevious shows no data from before a reset, even one before the list subscribes', async () => {
  const { dl, advance, wrapper, server } = setup();
  let isReset = false;
  const { result, rerender } = renderHook(
    ({ odd }) => {
      useLayoutEffect(() => {
        if (odd && !isReset) dl.reset();
        isReset = odd;
      }, [odd]);
      return useInfiniteCollection('numbers', { ...byNumber(odd ? { odd } : {}), keepPrevious: true });
    },
    { wrapper, initialProps: { odd: false } },
  );
  await advance(10);
  server.ids = [7, 8, 9];
  rerender({ odd: true });
  expect([result.current.data.ids, result.current.meta.isPrevious]).toEqual([[], false]);
  await advance(10);
  expect(result.current.data.ids).toEqual([7, 9]);
});

it('D-REACT-4 keepPrevious ends with an empty list, which the next list shows while it loads', async () => {
  const { advance, wrapper, server } = setup();
  server.ids = [2, 4];
  const { result, rerender } = renderHook(
    ({ more }) => useInfiniteCollection('numbers', { ...byNumber(more), keepPrevious: true }),
    { wrapper, initialProps: { more: {} } },
  );
  await advance(10);
  rerender({ more: { odd: true } });
  const shown = () => [result.current.data.ids, result.current.meta.isPrevious, result.current.isPending];
  expect(shown()).toEqual([[2, 4], true, false]);
  await advance(10);
  expect(shown()).toEqual([[], false, false]);
  rerender({ more: { odd: false } });
  expect(shown()).toEqual([[], true, false]);
  await advance(10);
  expect(shown()).toEqual([[2, 4], false, false]);
});

it('D-REACT-4 keepPrevious shows an empty list that was the first one', async () => {
  const { advance, wrapper } = setup(0);
  const { result, rerender } = renderHook(
    ({ more }) => useInfiniteCollection('numbers', { ...byNumber(more), keepPrevious: true }),
    { wrapper, initialProps: { more: {} } },
  );
  await advance(10);
  rerender({ more: { odd: true } });
  expect([result.current.meta.isPrevious, result.current.isPending]).toEqual([true, false]);
});

it('D-REACT-4 keepPrevious shows nothing after a list that failed', async () => {
  const { advance, wrapper, server } = setup();
  server.failing.add('{"odd":true,"page":1}');
  const { result, rerender } = renderHook(
    ({ more }) => useInfiniteCollection('numbers', { ...byNumber(more), keepPrevious: true }),
    { wrapper, initialProps: { more: {} } },
  );
  await advance(10);
  rerender({ more: { odd: true } });
  await advance(10);
  expect(result.current.meta.error).not.toBeNull();
  rerender({ more: { odd: false } });
  expect(result.current.data.ids).toEqual([]);
  expect(result.current.meta.isPrevious).toBe(false);
});

it('D-REACT-4 D-REACT-6 keepPrevious shows the ids on the screen now, not those from when the transition began', async () => {
  const { wrapper, advance, server, push } = setup(2);
  const shown: string[] = [];
  let open!: () => void;
  const gate = new Promise<void>((resolve) => (open = resolve));
  let turn!: () => void;
  function List({ odd }: { odd: boolean }): ReactElement {
    const { data, meta } = useInfiniteCollection('numbers', {
      keepPrevious: true,
      nextParams: (_, pages) => (pages.length > 0 ? null : { odd }),
    });
    shown.push(`${data.ids.join()} ${meta.isPrevious}`);
    return <p>{data.ids.join()}</p>;
  }
  function Gate({ isShut }: { isShut: boolean }): null {
    if (isShut) use(gate);
    return null;
  }
  function App(): ReactElement {
    const [odd, setOdd] = useState(false);
    turn = () => startTransition(() => setOdd(true));
    return (
      <Suspense>
        <List odd={odd} />
        <Gate isShut={odd} />
      </Suspense>
    );
  }
  const { container } = render(<App />, { wrapper });
  await advance(10);
  await act(async () => turn());
  server.ids = [7, 8];
  await push();
  expect(container.textContent).toBe('7,8');
  shown.length = 0;
  await act(async () => open());
  expect(shown).not.toContain('1,2 true');
});

it('D-REACT-4 keepPrevious does not show data of another collection or another data layer', async () => {
  const { dl, advance, wrapper: Wrapper, layerOf, sim } = setup();
  dl.createCollection('letters', { fetch: () => sim.sleep(10).then(() => ({ ids: ['a'] })) });
  let layer = dl;
  const { result, rerender } = renderHook(
    ({ name }) => useInfiniteCollection(name, { ...byNumber(), keepPrevious: true }),
    {
      wrapper: ({ children }) => (
        <Wrapper>
          <DLProvider dl={layer}>{children}</DLProvider>
        </Wrapper>
      ),
      initialProps: { name: 'numbers' },
    },
  );
  const shown = () => [result.current.data.ids, result.current.meta.isPrevious, result.current.isPending];
  await advance(10);
  rerender({ name: 'letters' });
  expect(shown()).toEqual([[], false, true]);
  rerender({ name: 'numbers' });
  expect(shown()).toEqual([[1, 2], false, false]);
  layer = layerOf(sim);
  rerender({ name: 'numbers' });
  expect(shown()).toEqual([[], false, true]);
  await advance(10);
});

it('D-REACT-2 D-REACT-4 a list is pending after it was disabled, even if an empty list was shown before', async () => {
  const { advance, wrapper } = setup(0);
  const { result, rerender } = renderHook(
    ({ more, enabled }) =>
      useInfiniteCollection('numbers', { ...byNumber(more), keepPrevious: true, enabled }),
    { wrapper, initialProps: { more: {}, enabled: true } },
  );
  await advance(10);
  rerender({ more: {}, enabled: false });
  rerender({ more: { odd: true }, enabled: true });
  expect([result.current.meta.isPrevious, result.current.isPending]).toEqual([false, true]);
  await advance(10);
});
