import { DLProvider, useItem, useMutation } from '@edict/react';
import { act, renderHook } from '@testing-library/react';
import { StrictMode, useEffect, type ReactElement } from 'react';
import { expect, it, vi } from 'vitest';
import { refreshTicket, setup } from './world.tsx';
import { titleOf } from './title.ts';

/** A server whose mutation renames a ticket and emits a directive for it. */
function withServer(): ReturnType<typeof setup> {
  const world = setup();
  world.sim.route('PATCH /tickets/:id', ({ params, body }) => {
    const id = Number(params['id']);
    const { title } = body as { title: string }; // The tests send only this body.
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

it('D-REACT-8 until settled, the default: run resolves when the refetches of its directives have settled', async () => {
  const { wrapper, advance, sim } = withServer();
  const { result } = renderHook(() => ({ item: useItem('ticket', 1), rename: useRename() }), {
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
  expect(titleOf(result.current.item.data)).toBe('ticket 1'); // A mutation never changes the data optimistically.
  await act(() => sim.settled());
  expect(titles).toEqual(['renamed to new', 'new']);
  expect(result.current.rename.isRunning).toBe(false);
});

it('D-REACT-8 until applied: run resolves before the refetch has settled', async () => {
  const { wrapper, advance, sim, dl } = withServer();
  const { result } = renderHook(() => ({ item: useItem('ticket', 1), rename: useRename('applied') }), {
    wrapper,
  });
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
    await sim.advance(0); // The refetch of the run is in flight.
    void dl.applyDirectives([refreshTicket(2)]);
    await sim.advance(5);
    result.current.other.refresh();
    await sim.advance(5);
  });
  expect(underWay).toEqual([true]);
});

it('D-REACT-8 until response: run resolves as soon as its function does, even with requests in flight', async () => {
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

it('D-REACT-8 until settled does not wait for other requests after a request of its own failed', async () => {
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

it('D-REACT-8 a failed run rejects and sets error, which a new run or reset clears', async () => {
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

it('D-REACT-8 run rejects when its function throws synchronously', async () => {
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

it('D-REACT-8 run rejects with any thrown value, and error wraps it', async () => {
  const { wrapper } = setup();
  const { result } = renderHook(() => useMutation((thrown: unknown) => Promise.reject(thrown)), { wrapper });
  const withoutText: unknown = Object.create(null);
  for (const [thrown, message] of [
    [withoutText, 'unknown error'],
    [{ message: 'no title' }, 'no title'],
    [null, 'null'],
  ]) {
    await act(() => expect(result.current.run(thrown)).rejects.toBe(thrown));
    expect(result.current.isRunning).toBe(false);
    expect(result.current.error).toBeInstanceOf(Error);
    expect(result.current.error).toMatchObject({ message, cause: thrown });
  }
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

it('D-REACT-8 run and reset keep their identity, and run calls the latest function', async () => {
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

it('D-REACT-8 the run of an unmounted component is not aborted, and its directives are applied', async () => {
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
  await act(() => sim.settled());
  expect(await run).toBe(200);
  expect(signals[0]?.aborted).toBe(false);
  expect(titleOf(watching.result.current.data)).toBe('after');
  expect(dl.hasAnyInFlightRequests()).toBe(false);
});

it('D-REACT-8 reset abandons the runs in progress and ignores how they end', async () => {
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
    'an unknown until',
    () => useMutation(() => 1, { until: 'setled' as never }),
    '[edict] useMutation: until must be settled, applied, response, but is "setled".',
  ],
  [
    'no function to run',
    () => useMutation(undefined as never),
    '[edict] useMutation: the first argument must be a function, but is undefined.',
  ],
])('D-REACT-8 useMutation with %s throws in the render', (_, hook, message) => {
  const { wrapper } = setup();
  vi.spyOn(console, 'error').mockReturnValue(); // React logs what is thrown.
  expect(() => renderHook(hook, { wrapper })).toThrow(new TypeError(message));
  vi.restoreAllMocks();
});

it('D-REACT-8 pending lists the inputs of the runs in progress, oldest first', async () => {
  const { wrapper, sim } = setup();
  const { result } = renderHook(() => useMutation((ms: number) => sim.sleep(ms)), { wrapper });
  expect(result.current.pending).toEqual([]);
  await act(async () => {
    void result.current.run(30);
    void result.current.run(10);
    void result.current.run(20);
  });
  expect(result.current.pending).toEqual([30, 10, 20]);
  await act(() => sim.advance(10));
  expect(result.current.pending).toEqual([30, 20]);
  await act(() => sim.advance(20));
  expect(result.current.pending).toEqual([]);
});

it('D-REACT-8 an input leaves pending in the commit that shows the refetched data', async () => {
  const { show, sim, advance } = withServer();
  const commits: string[] = [];
  const runs: ((title: string) => Promise<unknown>)[] = [];
  function Title(): ReactElement {
    return <b>{titleOf(useItem('ticket', 1).data)}</b>;
  }
  function Form(): ReactElement {
    const { run, pending, isRunning } = useRename();
    useEffect(() => void runs.push(run), [run]);
    return <i>{isRunning ? pending.join() : 'idle'}</i>;
  }
  const { container } = show(
    <>
      <Title />
      <Form />
    </>,
  );
  await advance(10);
  const observer = new MutationObserver(() => commits.push(container.textContent));
  observer.observe(container, { subtree: true, characterData: true, childList: true });
  // Runs without `act`, which would put all updates in one commit.
  vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', false);
  void runs[0]?.('new');
  await sim.settled();
  await sim.advance(1);
  vi.unstubAllGlobals();
  expect(commits).toEqual(['ticket 1new', 'newidle']);
  observer.disconnect();
});

it('D-REACT-8 the callbacks are called after the run has ended, and one that throws is logged', async () => {
  const { wrapper, sim } = withServer();
  const calls: unknown[] = [];
  const { result } = renderHook(
    () =>
      useMutation(
        async (title: string) => {
          await sim.sleep(5);
          if (title === '') throw 'no title';
          return title.length;
        },
        {
          onSuccess(output, input) {
            calls.push(['success', output, input]);
            throw new Error('in onSuccess');
          },
          onError: (error, input) => calls.push(['error', error.message, error.cause, input]),
          onSettled: async (output, error, input) => {
            calls.push(['settled', output, error?.message ?? null, input]);
            throw new Error('in onSettled');
          },
        },
      ),
    { wrapper },
  );
  await act(async () => {
    void result.current.run('abc');
    await sim.settled();
    await sim.advance(5);
  });
  await act(async () => {
    void result.current.run('');
    await sim.advance(5);
  });
  expect(calls).toEqual([
    ['success', 3, 'abc'],
    ['settled', 3, null, 'abc'],
    ['error', 'no title', 'no title', ''],
    ['settled', undefined, 'no title', ''],
  ]);
  expect(result.current.error).toMatchObject({ message: 'no title', cause: 'no title' });
  const failed = (callback: string): object => ({
    level: 'error',
    message: 'useMutation: a callback failed.',
    detail: new Error(`in ${callback}`),
  });
  expect(sim.log).toMatchObject([failed('onSuccess'), failed('onSettled'), failed('onSettled')]);
});

it('D-REACT-8 json sends and returns JSON, and until settled waits for its refetches', async () => {
  const { wrapper, sim, advance } = withServer();
  const { result } = renderHook(
    () => ({
      item: useItem('ticket', 1),
      rename: useMutation((title: string, { json }) =>
        json('https://app.test/tickets/1', { method: 'PATCH', json: { title } }),
      ),
    }),
    { wrapper },
  );
  await advance(10);
  const seen: unknown[] = [];
  await act(async () => {
    void result.current.rename.run('new').then((body) => seen.push(body, titleOf(result.current.item.data)));
    await sim.settled();
  });
  expect(seen).toEqual([{ ok: true, directives: [refreshTicket(1)] }, 'new']);
  await act(async () => {
    void result.current.rename.run('');
    await sim.settled();
  });
  expect(result.current.rename.error).toMatchObject({ name: 'HttpError', status: 422, body: 'no' });
});

it('D-REACT-8 with a data layer that the application wraps, until settled waits and errors go to the console', async () => {
  const { dl, sim, advance } = withServer();
  const logged = vi.spyOn(console, 'error').mockReturnValue();
  const wrapped = { ...dl };
  const failure = new Error('in onSuccess');
  const onSuccess = (): never => {
    throw failure;
  };
  const { result } = renderHook(
    () => ({
      item: useItem('ticket', 1),
      rename: useMutation((title: string, { fetch }) => fetch('https://app.test/tickets/1', patch(title)), {
        onSuccess,
      }),
    }),
    { wrapper: ({ children }) => <DLProvider dl={wrapped}>{children}</DLProvider> },
  );
  await advance(10);
  const titles: string[] = [];
  await act(async () => {
    void result.current.rename.run('new').then(() => titles.push(titleOf(result.current.item.data)));
    await sim.settled();
  });
  expect(titles).toEqual(['new']);
  expect(logged.mock.calls).toEqual([['[edict] useMutation: a callback failed.', failure]]);
  vi.restoreAllMocks();
});

it.each([
  ['settled', 'data layer', 1],
  ['settled', 'run', 0],
  ['applied', 'data layer', 0],
] as const)(
  'D-REACT-8 with until %s a function that calls fetch of the %s warns %i times',
  async (until, owner, times) => {
    const { wrapper, sim, dl } = withServer();
    const { result } = renderHook(
      () =>
        useMutation(
          async (_: void, { fetch }) => {
            await Promise.all([
              (owner === 'run' ? fetch : dl.fetch)('https://app.test/tickets/1', patch('a')),
              fetch('https://app.test/tickets/2', patch('b')),
            ]);
          },
          { until },
        ),
      { wrapper },
    );
    await act(async () => {
      void result.current.run();
      await sim.settled();
    });
    expect(sim.log.filter(({ message }) => message.includes('useMutation'))).toHaveLength(times);
  },
);

it('D-REACT-8 run calls the latest function in an effect of a child', async () => {
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
