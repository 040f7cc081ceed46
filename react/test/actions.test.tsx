import type { LifecycleMessage } from '@edict/core';
import { useConnection, useItem, useLifecycle, useMutation } from '@edict/react';
import { act, render, renderHook } from '@testing-library/react';
import { Fragment, StrictMode, Suspense, useEffect, useLayoutEffect, type ReactElement } from 'react';
import { expect, it, vi } from 'vitest';
import { refreshTicket, setup, type Ticket } from './world.tsx';

const titleOf = (data: unknown): string => (data as Ticket | null)?.title ?? 'nothing'; // The fixtures' only item data.

/** A server whose mutation renames a ticket and says so. */
function withServer(): ReturnType<typeof setup> {
  const world = setup();
  world.sim.route('PATCH /tickets/:id', ({ params, body }) => {
    const id = Number(params['id']);
    const { title } = body as { title: string }; // The tests send nothing else.
    if (title === '') return new Response('no', { status: 422 });
    world.setTitle(id, title);
    return { ok: true, directives: [refreshTicket(id)] };
  });
  return world;
}

const patch = (title: string): RequestInit => ({ method: 'PATCH', body: JSON.stringify({ title }) });

function useRename(
  until?: 'response' | 'applied' | 'settled',
  id = 1,
): ReturnType<typeof useMutation<string, string>> {
  return useMutation(
    async (title: string, { fetch }) => {
      const response = await fetch(`https://app.test/tickets/${id}`, patch(title));
      if (!response.ok) throw new Error(`refused ${title}`);
      return `renamed to ${title}`;
    },
    { until },
  );
}

it('D-REACT-8 until settled: run resolves when the refetches of its directives have settled', async () => {
  const { wrapper, advance, sim } = withServer();
  const { result } = renderHook(() => ({ item: useItem('ticket', 1), rename: useRename('settled') }), {
    wrapper,
  });
  await advance(10);
  const titles: string[] = [];
  await act(async () => {
    void result.current.rename
      .run('new')
      .then((output) => titles.push(output, titleOf(result.current.item.data)));
  });
  expect(result.current.rename.isRunning).toBe(true);
  expect(titleOf(result.current.item.data)).toBe('ticket 1'); // Never optimistic.
  await act(() => sim.settled());
  expect(titles).toEqual(['renamed to new', 'new']);
  expect(result.current.rename.isRunning).toBe(false);
});

it('D-REACT-8 until applied, the default: run resolves before the refetch, which is under way', async () => {
  const { wrapper, advance, sim, dl } = withServer();
  const { result } = renderHook(() => ({ item: useItem('ticket', 1), rename: useRename() }), { wrapper });
  await advance(10);
  const seen: unknown[] = [];
  const processed = vi.fn();
  dl.onLifecycle('directive:processed', processed);
  await act(async () => {
    await result.current.rename.run('new');
    seen.push(titleOf(dl.getItemRef('ticket', 1).data), processed.mock.calls.length);
    await sim.settled();
  });
  expect(seen).toEqual(['ticket 1', 1]);
  expect(titleOf(result.current.item.data)).toBe('new');
});

it('D-REACT-8 until settled does not wait for other directives', async () => {
  const { wrapper, advance, sim, dl } = withServer();
  const { result } = renderHook(
    () => ({ item: useItem('ticket', 1), other: useItem('ticket', 2), rename: useRename('settled') }),
    { wrapper },
  );
  await advance(10);
  const underWay: boolean[] = [];
  await act(async () => {
    void result.current.rename.run('new').then(() => underWay.push(dl.isItemLoading('ticket', 2)));
    await sim.advance(50); // The run's window has closed.
    void dl.applyDirectives([refreshTicket(2)]);
    await sim.advance(5);
    result.current.other.refresh();
    await sim.advance(5);
  });
  expect(underWay).toEqual([true]);
});

it('D-REACT-8 until response: run resolves as soon as its function has, whatever it has sent', async () => {
  const { wrapper, sim } = withServer();
  sim.link.hang();
  const { result } = renderHook(
    () =>
      useMutation(
        (title: string, { fetch }) => {
          void fetch('https://app.test/tickets/1', patch(title));
          return 'sent';
        },
        { until: 'response' },
      ),
    { wrapper },
  );
  await act(async () => expect(await result.current.run('new')).toBe('sent'));
  expect(result.current.isRunning).toBe(false);
});

it('D-REACT-8 until settled does not wait for others either where a request of its own has failed', async () => {
  const { wrapper, sim, advance, dl } = withServer();
  const { result } = renderHook(
    () =>
      useMutation(
        async (_: void, { fetch }) => {
          await fetch('https://nowhere.test/').catch(() => undefined);
        },
        { until: 'settled' },
      ),
    { wrapper },
  );
  sim.link.cut();
  dl.fetchItem('ticket', 2);
  const underWay: boolean[] = [];
  await act(async () => {
    void result.current.run().then(() => underWay.push(dl.isItemLoading('ticket', 2)));
    await sim.advance(5);
  });
  expect(underWay).toEqual([true]);
  await advance(10);
});

it('D-REACT-8 an error is a rejection and a value, and a new run or reset clears it', async () => {
  const { wrapper, sim } = withServer();
  const { result } = renderHook(() => useRename(), { wrapper });
  const failed: unknown[] = [];
  await act(async () => {
    result.current.run('').catch((error: unknown) => failed.push(error));
    await sim.settled();
  });
  expect(failed).toEqual([new Error('refused ')]);
  expect(result.current.error).toBe(failed[0]);
  expect(result.current.isRunning).toBe(false);
  await act(async () => void result.current.run('good'));
  expect(result.current.error).toBeNull();
  await act(() => sim.settled());
  await act(async () => {
    void result.current.run('');
    await sim.settled();
  });
  expect(result.current.error).toBeInstanceOf(Error);
  act(() => result.current.reset());
  expect(result.current.error).toBeNull();
});

it('D-REACT-8 a function that throws at once rejects too', async () => {
  const { wrapper } = setup();
  const { result } = renderHook(
    () =>
      useMutation(() => {
        throw new Error('at once');
      }),
    { wrapper },
  );
  await act(async () => {
    await expect(result.current.run()).rejects.toThrow('at once');
  });
  expect(result.current.error).toEqual(new Error('at once'));
});

it('D-REACT-8 isRunning lasts until the last overlapping run has ended', async () => {
  const { wrapper, sim, advance } = setup();
  const { result } = renderHook(() => useMutation((ms: number) => sim.sleep(ms)), { wrapper });
  await act(async () => {
    void result.current.run(10);
    void result.current.run(30);
  });
  await advance(15);
  expect(result.current.isRunning).toBe(true);
  await advance(20);
  expect(result.current.isRunning).toBe(false);
});

it('D-REACT-8 run and reset keep their identity and run calls the latest function', async () => {
  const { wrapper } = setup();
  const { result, rerender } = renderHook(({ name }) => useMutation(() => name), {
    wrapper,
    initialProps: { name: 'a' },
  });
  const { run, reset } = result.current;
  rerender({ name: 'b' });
  expect(result.current.run).toBe(run);
  expect(result.current.reset).toBe(reset);
  await act(async () => expect(await run()).toBe('b'));
});

it('D-REACT-8 the run of an unmounted component completes: no abort, its directives applied', async () => {
  const { wrapper, sim, dl, advance } = withServer();
  const watching = renderHook(() => useItem('ticket', 1), { wrapper });
  await advance(10);
  const signals: AbortSignal[] = [];
  const { result, unmount } = renderHook(
    () =>
      useMutation(async (title: string, { fetch, signal }) => {
        signals.push(signal);
        return (await fetch('https://app.test/tickets/1', patch(title))).status;
      }),
    { wrapper },
  );
  const run = result.current.run('after');
  unmount();
  expect(await run).toBe(200);
  await act(() => sim.settled());
  expect(signals[0]?.aborted).toBe(false);
  expect(titleOf(watching.result.current.data)).toBe('after');
  expect(dl.hasAnyInFlightRequests()).toBe(false);
});

it('D-REACT-8 reset gives up the runs under way, and how they end is not shown', async () => {
  const { wrapper, sim, advance } = setup();
  const { result } = renderHook(() => useMutation((_: void, { signal }) => sim.sleep(50, signal)), {
    wrapper,
  });
  const failed = vi.fn();
  await act(async () => void result.current.run().catch(failed));
  await act(async () => result.current.reset());
  await advance(100);
  expect(failed).toHaveBeenCalledTimes(1);
  expect(result.current).toMatchObject({ isRunning: false, error: null });
});

it('D-REACT-8 works in StrictMode', async () => {
  const { wrapper, sim } = withServer();
  const { result } = renderHook(() => useRename(), {
    wrapper: ({ children }) => <StrictMode>{wrapper({ children })}</StrictMode>,
  });
  await act(async () => {
    void result.current.run('x');
    await sim.settled();
  });
  expect(result.current).toMatchObject({ isRunning: false, error: null });
});

it.each<[string, () => unknown, string]>([
  [
    'an until that there is not',
    () => useMutation(() => 1, { until: 'setled' as never }),
    'useMutation: until must be response or applied or settled, got "setled"',
  ],
  [
    'no function to run',
    () => useMutation(undefined as never),
    'useMutation: the first argument must be a function',
  ],
  [
    'no callback',
    () => useLifecycle('item:fetch:intent', null as never),
    'useLifecycle("item:fetch:intent"): the callback must be a function',
  ],
])('D-REACT-8 a hook that is given %s throws where it is rendered', (_, hook, message) => {
  const { wrapper } = setup();
  vi.spyOn(console, 'error').mockReturnValue(); // React tells of what is thrown.
  expect(() => renderHook(hook, { wrapper })).toThrow(new TypeError(message));
  vi.restoreAllMocks();
});

it('useLifecycle calls the latest callback with one subscription, while mounted', async () => {
  const { wrapper, dl, sim } = setup();
  const subscribed = vi.spyOn(dl, 'onLifecycle');
  const seen: string[] = [];
  const { rerender, unmount } = renderHook(
    ({ name }) =>
      useLifecycle('item:fetch:intent', ({ detail }: LifecycleMessage<'item:fetch:intent'>) =>
        seen.push(`${name} ${detail.id}`),
      ),
    { wrapper, initialProps: { name: 'a' } },
  );
  dl.fetchItem('ticket', 1);
  rerender({ name: 'b' });
  dl.fetchItem('ticket', 2);
  expect(subscribed).toHaveBeenCalledTimes(1);
  unmount();
  dl.fetchItem('ticket', 3);
  await sim.settled();
  expect(seen).toEqual(['a 1', 'b 2']);
});

it('useLifecycle calls the callback of a commit also for the reads of that commit, the first one too', async () => {
  const { wrapper, sim } = setup();
  const seen: string[] = [];
  const { rerender } = renderHook(
    ({ id }) => {
      useItem('ticket', id);
      useLifecycle('item:fetch:intent', ({ detail }: LifecycleMessage<'item:fetch:intent'>) =>
        seen.push(`${id} ${detail.id}`),
      );
    },
    { wrapper, initialProps: { id: 1 } },
  );
  rerender({ id: 2 });
  await act(() => sim.settled());
  expect(seen).toEqual(['1 1', '2 2']);
});

it('D-REACT-8 run calls the latest function also in an effect of a child', async () => {
  const { show, sim } = setup();
  const seen: number[] = [];
  function Child({ run, of }: { run: () => Promise<unknown>; of: number }): null {
    useEffect(() => void run(), [run, of]);
    return null;
  }
  function Parent({ of }: { of: number }): ReactElement {
    return <Child run={useMutation(async () => seen.push(of)).run} of={of} />;
  }
  const { rerender } = show(<Parent of={1} />);
  rerender(<Parent of={2} />);
  await act(() => sim.settled());
  expect(seen).toEqual([1, 2]);
});

it('useLifecycle hears the event that it is given last, and no other', () => {
  const { wrapper, dl } = setup();
  const seen: string[] = [];
  const { rerender } = renderHook(({ event }) => useLifecycle(event, (message) => seen.push(message.event)), {
    wrapper,
    initialProps: { event: 'item:fetch:success' as '*' | 'item:fetch:intent' | 'item:fetch:success' },
  });
  rerender({ event: 'item:fetch:intent' });
  dl.fetchItem('ticket', 1);
  expect(seen).toEqual(['item:fetch:intent']);
});

it.each([
  ['', Fragment],
  [' in Strict Mode', StrictMode],
])('useLifecycle goes on while its boundary shows the fallback again, and once%s', async (_, Mode) => {
  const { show, dl, advance } = setup();
  const seen: string[] = [];
  const never = new Promise<void>(() => undefined);
  function Part({ waits }: { waits: Promise<void> | null }): ReactElement {
    useLifecycle('item:fetch:intent', ({ detail }: LifecycleMessage<'item:fetch:intent'>) =>
      seen.push(String(detail.id)),
    );
    if (waits !== null) throw waits;
    return <p>part</p>;
  }
  const view = (waits: Promise<void> | null): ReactElement => (
    <Mode>
      <Suspense fallback="wait">
        <Part waits={waits} />
      </Suspense>
    </Mode>
  );
  const { rerender, container, unmount } = show(view(null));
  dl.fetchItem('ticket', 1);
  rerender(view(never));
  expect(container.textContent).toContain('wait');
  dl.fetchItem('ticket', 2);
  rerender(view(null));
  dl.fetchItem('ticket', 3);
  await advance(10);
  unmount();
  dl.fetchItem('ticket', 4);
  await advance(10);
  expect(seen).toEqual(['1', '2', '3']);
});

it('useLifecycle with a star receives every event', async () => {
  const { wrapper, dl, sim } = setup();
  const seen: string[] = [];
  renderHook(() => useLifecycle('*', ({ event }) => seen.push(event)), { wrapper });
  dl.fetchItem('ticket', 1);
  await act(() => sim.settled());
  expect(seen).toEqual(['item:fetch:intent', 'item:fetch:success', 'item:fetch:complete']);
});

it('useConnection shows the stream’s state and connects and disconnects', async () => {
  const { wrapper, advance, sim } = setup({ sse: { enabled: true, connectOnInit: false } });
  let renders = 0;
  const { result } = renderHook(
    () => {
      renders++;
      return useConnection();
    },
    { wrapper },
  );
  expect(result.current).toMatchObject({ status: 'off', attempt: 0, retryInMs: null });
  act(() => result.current.connect());
  expect(result.current.status).toBe('connecting');
  await advance(100);
  expect(result.current.status).toBe('open');
  const before = renders;
  await act(async () => {
    sim.hub.emit([{ op: 'refresh_item', name: 'ticket', id: 1 }]);
    await sim.advance(1000);
  });
  expect(renders).toBe(before);
  act(() => result.current.disconnect());
  expect(result.current.status).toBe('off');
});

it('useConnection shows what became of the stream between the render and the subscription', () => {
  const { show, dl } = setup({ sse: { enabled: true, connectOnInit: false } });
  const Status = (): ReactElement => <p>{useConnection().status}</p>;
  function Starter(): null {
    useLayoutEffect(() => dl.connectSse());
    return null;
  }
  const { container } = show(
    <>
      <Status />
      <Starter />
    </>,
  );
  expect(container.textContent).toBe('connecting');
});

it('useConnection shows the wait for the next attempt', async () => {
  const { wrapper, advance, sim } = setup({ sse: { enabled: true } });
  sim.link.cut();
  const { result } = renderHook(() => useConnection(), { wrapper });
  await advance(100);
  expect(result.current).toMatchObject({ status: 'waiting', retryInMs: 2000, attempt: 1 });
});

it('useConnection shows that it waits for the network, without a time', async () => {
  const { wrapper, advance, sim } = setup({ sse: { enabled: true } });
  sim.link.cut();
  const { result } = renderHook(() => useConnection(), { wrapper });
  await advance(100);
  expect(result.current).toMatchObject({ status: 'waiting', retryInMs: 2000 });
  act(() => sim.page.setOnline(false));
  expect(result.current).toMatchObject({ status: 'waiting', retryInMs: null });
  act(() => result.current.disconnect());
  expect(result.current.status).toBe('off');
  act(() => result.current.connect());
  expect(result.current).toMatchObject({ status: 'waiting', retryInMs: null, attempt: 0 });
});

it('useConnection counts no attempts while open, also after attempts in vain', async () => {
  const { wrapper, advance, sim } = setup({ sse: { enabled: true } });
  sim.link.cut();
  const { result } = renderHook(() => useConnection(), { wrapper });
  await advance(100);
  sim.link.restore();
  await act(async () => result.current.connect());
  await act(async () => {
    while (result.current.status !== 'open') await sim.advance(1);
  });
  expect(result.current).toMatchObject({ status: 'open', attempt: 0, retryInMs: null });
});

it('useConnection hears nothing more when it is unmounted, and the stream of another data layer when it is given one', async () => {
  const first = setup({ sse: { enabled: true } });
  const second = setup({ sse: { enabled: true, connectOnInit: false } });
  const ends: (() => void)[] = [];
  for (const { dl } of [first, second]) {
    const { onChange } = dl;
    vi.spyOn(dl, 'onChange').mockImplementation((callback) => {
      const end = vi.fn(onChange(callback));
      ends.push(end);
      return end;
    });
  }
  const seen: string[] = [];
  function Status(): null {
    seen.push(useConnection().status);
    return null;
  }
  const view = render(first.wrapper({ children: <Status /> }));
  await first.advance(100);
  expect(seen.at(-1)).toBe('open');
  view.rerender(second.wrapper({ children: <Status /> }));
  expect(seen.at(-1)).toBe('off');
  view.unmount();
  expect(ends.length).toBeGreaterThan(0);
  for (const end of ends) expect(end).toHaveBeenCalledTimes(1);
});
