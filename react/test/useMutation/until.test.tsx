import { DLProvider, useItem, useMutation } from '@edict/react';
import { act, renderHook } from '@testing-library/react';
import { useEffect, type ReactElement } from 'react';
import { expect, it, vi } from 'vitest';
import { titleOf } from '../title.ts';
import { refreshTicket } from '../world.tsx';
import { patch, useRename, withServer } from './server.ts';

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
  expect(result.current.isRunning).toBe(false);
  await advance(10);
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
