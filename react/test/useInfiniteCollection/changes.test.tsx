import { useCollection, useInfiniteCollection } from '@edict/react';
import { act, render, renderHook } from '@testing-library/react';
import fc from 'fast-check';
import { Activity, StrictMode, type ReactElement } from 'react';
import { describe, expect, it } from 'vitest';
import { parameters } from '../../../core/test/properties/runs.ts';
import { byCursor, byNumber, type Options, setup } from './numbers.tsx';

describe('behind a moved cursor', () => {
  const open = async (more: Partial<Options> = {}, length = 6) => {
    const world = setup(length);
    const { result } = renderHook(
      () => useInfiniteCollection('numbers', { ...byCursor, initialPages: 3, ...more }),
      { wrapper: world.wrapper },
    );
    await world.advance(30);
    expect(result.current.data.ids).toEqual([1, 2, 3, 4, 5, 6].slice(0, 2 * (more.initialPages ?? 3)));
    world.calls.length = 0;
    return { ...world, result };
  };

  it.each<[string, number[], number[], number[]]>([
    ['added at the top', [9, 1, 2, 3, 4, 5, 6], [9, 1, 2, 3, 4, 5, 6], [9, 1, 2, 3, 4, 5]],
    ['removed from the top', [2, 3, 4, 5, 6], [2, 3, 4, 5, 6], [2, 3, 4, 5, 6]],
    ['replaced', [2, 9, 3, 4, 5, 6], [2, 9, 3, 4, 5, 6], [2, 9, 3, 4, 5, 6]],
    ['moved to the top', [6, 1, 2, 3, 4, 5], [6, 1, 2, 3, 4, 5], [6, 1, 2, 3, 4, 5]],
    ['all replaced', [11, 12, 13, 14], [11, 12, 1, 2, 3, 4, 5, 6], [11, 12, 13, 14]],
  ])('keeps the rest of the list until the pages arrive: %s', async (_, ids, during, after) => {
    const { advance, server, apply, result } = await open();
    server.ids = ids;
    apply();
    await advance(65); // The batch window and the responses for the cursors that were known.
    expect(result.current.data.ids).toEqual(during);
    expect([result.current.isStale, result.current.isFetching]).toEqual([true, true]);
    await advance(30);
    expect(result.current.data).toEqual({ ids: after, count: ids.length });
    expect([result.current.isStale, result.current.isFetching]).toEqual([false, false]);
  });

  it('D-FETCH-10 requests a failed page again with fetchNextPage', async () => {
    const { advance, server, apply, result } = await open();
    server.ids.unshift(9);
    server.failing.add('{"after":1}');
    apply();
    await advance(100);
    server.failing.clear();
    act(result.current.fetchNextPage);
    await advance(50);
    expect(result.current.data.ids).toEqual([9, 1, 2, 3, 4, 5]);
  });

  it('announces no next page while the pages of a whole list arrive', async () => {
    const { advance, server, apply, result } = await open({ initialPages: 4 });
    server.ids.unshift(9);
    apply();
    for (let at = 0; at < 20; at++) {
      await advance(5);
      expect([result.current.hasNextPage, result.current.meta.isLoadingNextPage]).toEqual([false, false]);
    }
    expect(result.current.data.ids).toEqual([9, 1, 2, 3, 4, 5, 6]);
  });

  it('D-REACT-5 requests the pages of a silent list without a loading state', async () => {
    const { advance, server, apply, result, calls } = await open({ silent: true });
    server.ids.unshift(9);
    apply();
    await advance(65);
    expect([calls.at(-1), result.current.isFetching]).toEqual(['{"after":1}', false]);
    await advance(30);
  });

  it.each([2, 3])(
    'adds one page to %i after several calls of fetchNextPage meanwhile',
    async (initialPages) => {
      const { advance, server, apply, result } = await open({ initialPages }, 10);
      server.ids.unshift(11);
      apply();
      await advance(65);
      act(result.current.fetchNextPage);
      act(result.current.fetchNextPage);
      await advance(50);
      expect(result.current.data.ids).toEqual(server.ids.slice(0, 2 * initialPages + 2));
      expect(result.current.hasNextPage).toBe(true);
    },
  );

  it('D-FETCH-10 keeps the rest of the list when a page fails, and retries that page', async () => {
    const { advance, server, dl, apply, result } = await open();
    dl.init({ bulk: { retryFailedMs: 1000 } });
    server.ids.unshift(9);
    server.failing.add('{"after":1}');
    apply();
    await advance(100);
    expect(result.current.error).toEqual(new Error('{"after":1} failed'));
    expect(result.current.data.ids).toEqual([9, 1, 2, 3, 4, 5, 6]);
    expect([result.current.isStale, result.current.hasNextPage]).toEqual([true, true]);
    server.failing.clear();
    await advance(2000);
    expect(result.current.error).toBeNull();
    expect(result.current.data.ids).toEqual([9, 1, 2, 3, 4, 5]);
  });

  it('evicts the pages that left the list, so that later changes do not request them', async () => {
    const { advance, server, apply, dl, calls } = await open();
    const evicted: string[] = [];
    dl.onLifecycle('memory:evict', ({ detail }) => void evicted.push(detail.key));
    const costs = [];
    for (let id = 10; id < 20; id++) {
      calls.length = 0;
      server.ids.unshift(id);
      apply();
      await advance(500);
      costs.push(calls.length);
    }
    // The first page, and for the others the page of the old and of the new cursor.
    expect(new Set(costs)).toEqual(new Set([5]));
    expect(evicted.slice(0, 2)).toEqual(['{"after":2}', '{"after":4}']);
    expect(dl.state().collections['numbers']?.refCount).toBe(3);
  });

  it('D-MEM-2 evicts no page while memory.enabled is false', async () => {
    const { advance, server, apply, dl } = await open();
    dl.init({ memory: { enabled: false } });
    server.ids.unshift(9);
    apply();
    await advance(500);
    expect(dl.state().collections['numbers']?.refCount).toBe(5);
  });

  it('keeps a page that left the list while another component shows it', async () => {
    const { advance, server, apply, wrapper, dl, result } = await open();
    const other = renderHook(() => useCollection('numbers', { params: { after: 2 } }), { wrapper });
    server.ids.unshift(9);
    apply();
    await advance(500);
    expect(dl.getCollectionRef('numbers', { params: { after: 2 } }).data).toBe(other.result.current.data);
    expect(other.result.current.data.ids).toEqual([3, 4]);
    expect(result.current.data.ids).toEqual([9, 1, 2, 3, 4, 5]);
  });
});

it('shows an id once while it is on two pages', async () => {
  const { advance, wrapper, server, dl } = setup(6);
  const { result } = renderHook(() => useInfiniteCollection('numbers', { ...byNumber(), initialPages: 2 }), {
    wrapper,
  });
  await advance(20);
  server.ids.unshift(9);
  const second = { op: 'refresh_collection', name: 'numbers', params: { page: 2 } };
  act(() => void dl.applyDirectives([second]));
  expect([result.current.isStale, result.current.meta.isStale]).toEqual([true, true]);
  await advance(60);
  expect(result.current.data.ids).toEqual([1, 2, 3]); // The second page is [2, 3] now.
  await act(async () => void dl.applyDirectives([{ ...second, result: { ids: ['2', 3, '3'], count: 7 } }]));
  expect(result.current.data.ids).toEqual([1, 2, 3]);
});

it('counts at least the ids that it shows', async () => {
  const { advance, wrapper, dl } = setup();
  dl.createCollection('uncounted', {
    fetch: (params) => ({ ids: [(params as { page: number }).page], count: 1 }),
  });
  const { result } = renderHook(
    () =>
      useInfiniteCollection('uncounted', {
        nextParams: (_, { length }) => (length < 2 ? { page: length + 1 } : null),
        initialPages: 2,
      }),
    { wrapper },
  );
  await advance(10);
  expect(result.current.data).toEqual({ ids: [1, 2], count: 2 });
});

it('keeps the identity of equal data while isFetching changes', async () => {
  const { advance, wrapper, apply } = setup();
  const { result } = renderHook(
    () => {
      const { data, isFetching } = useInfiniteCollection('numbers', { ...byNumber(), initialPages: 2 });
      return { data, isFetching };
    },
    { wrapper },
  );
  await advance(20);
  const { data } = result.current;
  apply();
  await advance(55);
  expect(result.current.isFetching).toBe(true);
  expect(result.current.data).toBe(data);
  await advance(50);
  expect(result.current.data).toBe(data);
});

it('keeps its data and renders nothing when the responses are equal', async () => {
  const { advance, wrapper, push, calls } = setup();
  let renders = 0;
  const { result } = renderHook(
    () => {
      renders++;
      const list = useInfiniteCollection('numbers', { ...byNumber(), initialPages: 2 });
      return [list, list.data] as const;
    },
    { wrapper },
  );
  await advance(20);
  const [list, data] = result.current;
  renders = 0;
  calls.length = 0;
  await push();
  expect(calls).toHaveLength(2);
  expect(renders).toBe(0);
  expect(result.current).toEqual([list, data]);
  expect(result.current[1]).toBe(data);
});

it('emits no event and returns the same objects in a render without a change', async () => {
  const { dl, advance, wrapper } = setup();
  const { result, rerender } = renderHook(
    () => useInfiniteCollection('numbers', { ...byNumber(), initialPages: 2 }),
    { wrapper },
  );
  await advance(20);
  const events: string[] = [];
  dl.onLifecycle('*', ({ event }) => events.push(event));
  const { current } = result;
  const { fetchNextPage, meta, refresh } = current;
  rerender();
  expect(events).toEqual([]);
  expect(result.current).toBe(current);
  expect(result.current.meta).toBe(meta);
  act(fetchNextPage);
  expect([result.current.fetchNextPage, result.current.refresh]).toEqual([fetchNextPage, refresh]);
});

it('D-REACT-6 requests once in StrictMode, and watches nothing while it is hidden', async () => {
  const { sim, dl, advance, wrapper, calls, server, push } = setup();
  const List = (): ReactElement => {
    const { data } = useInfiniteCollection('numbers', { ...byNumber(), initialPages: 2 });
    return <p>{data.ids.join()}</p>;
  };
  const page = (mode: 'visible' | 'hidden'): ReactElement => (
    <StrictMode>
      <Activity mode={mode}>
        <List />
      </Activity>
    </StrictMode>
  );
  const watchers = (): number =>
    Object.values(dl.devtools().refs['numbers'] ?? {}).reduce((sum, one) => sum + one.watchers, 0);
  const { container, rerender } = render(page('visible'), { wrapper });
  await advance(20);
  expect(container.textContent).toBe('1,2,3,4');
  expect(calls).toHaveLength(2);
  expect(watchers()).toBe(2);
  rerender(page('hidden'));
  expect(watchers()).toBe(0);
  server.ids.unshift(9);
  await push();
  rerender(page('visible'));
  await act(() => sim.settled());
  expect(container.textContent).toBe('9,1,2,3');
  rerender(<p />);
  expect(watchers()).toBe(0);
});

it('ends with the first pages of the server after any sequence of changes', async () => {
  const step = fc.oneof(
    fc.record({ put: fc.integer({ min: 10, max: 40 }), at: fc.nat(8) }),
    fc.record({ drop: fc.nat(8) }),
    fc.constant('more' as const),
    fc.constant('wait' as const),
  );
  await fc.assert(
    fc.asyncProperty(fc.boolean(), fc.array(step, { maxLength: 12 }), async (isByCursor, steps) => {
      const { sim, dl, advance, wrapper, server, apply } = setup();
      const options = isByCursor ? byCursor : byNumber();
      const { result, unmount } = renderHook(() => useInfiniteCollection('numbers', options), { wrapper });
      let pages = 1;
      for (const one of steps) {
        if (one === 'wait') await advance(25);
        else if (one === 'more') {
          const { hasNextPage, meta } = result.current;
          const willGrow = hasNextPage && !meta.isLoadingNextPage;
          if (willGrow) pages++;
          act(result.current.fetchNextPage);
        } else {
          if ('put' in one) {
            if (!server.ids.includes(one.put)) server.ids.splice(one.at, 0, one.put);
          } else server.ids.splice(one.drop, 1);
          apply();
        }
      }
      await act(() => sim.settled());
      await advance(500);
      const { data, meta, hasNextPage } = result.current;
      expect(meta.isLoading).toBe(false);
      const refs = Object.values(dl.devtools().refs['numbers'] ?? {}).filter(({ watchers }) => watchers > 0);
      expect(refs.map((one) => one.meta.isStale)).toEqual(refs.map(() => false));
      const shown = data.ids.length;
      expect(data.ids).toEqual(server.ids.slice(0, shown));
      expect(hasNextPage).toBe(shown < server.ids.length);
      expect(shown).toBeLessThanOrEqual(pages * 2);
      expect(shown).toBeGreaterThanOrEqual(Math.min(2, server.ids.length));
      expect(data.count).toBe(server.ids.length);
      unmount();
    }),
    parameters(200),
  );
});
