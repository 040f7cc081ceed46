import { useItem, useMutation } from '@edict/react';
import { act, renderHook } from '@testing-library/react';
import { StrictMode, useEffect, type ReactElement } from 'react';
import { expect, it, vi } from 'vitest';
import { titleOf } from '../title.ts';
import { setup } from '../world.tsx';
import { patch, useRename, withServer } from './server.ts';

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

it('D-REACT-8 pending lists the inputs of the runs in progress, oldest first, and isRunning lasts until the last has ended', async () => {
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
  expect(result.current).toMatchObject({ pending: [30, 20], isRunning: true });
  await act(() => sim.advance(20));
  expect(result.current).toMatchObject({ pending: [], isRunning: false });
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

it('D-REACT-8 error is that of the last run that failed, whatever the other runs in progress return', async () => {
  const { wrapper, sim, advance } = setup();
  const settled: unknown[] = [];
  const { result } = renderHook(
    () =>
      useMutation(
        async ({ ms, fails = false }: { ms: number; fails?: boolean }) => {
          await sim.sleep(ms);
          if (fails) throw new Error(`failed after ${ms}`);
        },
        { onSettled: (_result, error) => settled.push(error?.message ?? null) },
      ),
    { wrapper },
  );
  const run = (...inputs: { ms: number; fails?: boolean }[]) =>
    act(async () => inputs.forEach((input) => void result.current.run(input)));
  await run({ ms: 10, fails: true }, { ms: 20 });
  await advance(20);
  expect(result.current).toMatchObject({ isRunning: false, error: new Error('failed after 10') });
  expect(settled.splice(0)).toEqual(['failed after 10', null]);
  await run({ ms: 20, fails: true });
  act(() => result.current.reset());
  await run({ ms: 10, fails: true });
  await advance(20); // The run that `reset` gave up fails last.
  expect(result.current).toMatchObject({ isRunning: false, error: new Error('failed after 10') });
});

it('D-REACT-8 reset renders nothing when there is nothing to reset', () => {
  const { wrapper } = setup();
  let renders = 0;
  const { result } = renderHook(() => (renders++, useMutation(() => undefined)), { wrapper });
  act(() => result.current.reset());
  expect(renders).toBe(1);
});
