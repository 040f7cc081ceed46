// Requests that failed are sent again as the `retry` option of their type or collection allows.

import type { Id, Retry } from '@edict/core';
import { describe, expect, it } from 'vitest';
import { createWorld } from '../world.ts';

/** A ticket whose first `failures` attempts fail, or hang with `timeoutMs`. `random` decides how the waits are spread. */
function setup(
  retry: Retry | undefined,
  failures: number,
  { random = 1, timeoutMs }: { random?: number; timeoutMs?: number } = {},
) {
  const { sim, dl, names } = createWorld({ env: () => ({ random: () => random }) });
  /** When each attempt was made, in milliseconds. */
  const attempts: number[] = [];
  const start = sim.now();
  const respond = <T>(data: T): Promise<T> => {
    attempts.push(sim.now() - start);
    if (attempts.length > failures) return Promise.resolve(data);
    return timeoutMs === undefined
      ? Promise.reject(new Error(`failure ${attempts.length}`))
      : new Promise(() => undefined);
  };
  dl.createType('ticket', {
    retry,
    timeoutMs: timeoutMs ?? 30_000,
    fetch: (id) => respond({ id }),
    levels: { full: { retry: 0, fetch: (id) => respond({ id, full: true }) } },
  });
  dl.createType('note', {
    retry,
    fetch: (id) => respond({ id }),
    bulkFetch: (ids) => respond(ids.map((id) => ({ id }))),
  });
  dl.createCollection('tickets', { retry, fetch: () => respond({ ids: [7] as Id[] }) });
  return { sim, dl, names, attempts };
}

describe('retry of a type or collection', () => {
  it('is off by default: a failed request is not sent again', async () => {
    const { sim, dl, attempts } = setup(undefined, 1);
    const ticket = dl.fetchItem('ticket', 7);
    await sim.advance(100_000);
    expect(attempts).toEqual([0]);
    expect(ticket.meta.error).toBe('failure 1');
  });

  it.each<[string, Retry, number, number[]]>([
    ['at most 1 s, 2 s, 4 s', 3, 1, [0, 1000, 3000, 7000]],
    ['at least half of the maximum', 3, 0, [0, 500, 1500, 3500]],
    ['delayMs, doubled each time', { attempts: 2, delayMs: 10 }, 1, [0, 10, 30]],
    ['at most maxDelayMs', { attempts: 3, maxDelayMs: 1500 }, 1, [0, 1000, 2500, 4000]],
  ])('waits %s', async (_title, retry, random, times) => {
    const { sim, dl, attempts } = setup(retry, 9, { random });
    dl.fetchItem('ticket', 7);
    await sim.advance(100_000);
    expect(attempts).toEqual(times);
  });

  it('stays one request in flight, with one intent and one success', async () => {
    const { sim, dl, names } = setup(2, 2);
    const ticket = dl.fetchItem('ticket', 7);
    await sim.advance(1500);
    expect(ticket.meta).toMatchObject({ isLoading: true, error: null });
    expect(dl.isItemLoading('ticket', 7)).toBe(true);
    await sim.advance(10_000);
    expect(ticket.data).toEqual({ id: 7 });
    expect(names()).toEqual(['item:fetch:intent', 'item:fetch:success', 'item:fetch:complete']);
  });

  it('reports only the last failure', async () => {
    const { sim, dl, names } = setup(1, 9);
    const ticket = dl.fetchItem('ticket', 7);
    await sim.advance(10_000);
    expect(ticket.meta.error).toBe('failure 2');
    expect(names()).toEqual(['item:fetch:intent', 'item:fetch:error', 'item:fetch:complete']);
  });

  it('applies to collections and to bulk requests', async () => {
    const { sim, dl, attempts } = setup(1, 1);
    dl.fetchCollection('tickets');
    await sim.advance(5000);
    expect(attempts).toEqual([0, 1000]);
    const world = setup(1, 1);
    const notes = [1, 2].map((id) => world.dl.fetchItem('note', id));
    await world.sim.advance(5000);
    expect(world.attempts).toEqual([0, 1000]);
    expect(notes.map(({ data }) => data)).toEqual([{ id: 1 }, { id: 2 }]);
  });

  it('is overridden by the retry option of a level', async () => {
    const { sim, dl, attempts } = setup(5, 9);
    dl.fetchItem('ticket', 7, 'full');
    await sim.advance(100_000);
    expect(attempts).toEqual([0]);
  });

  it('stops at an error that retryOn refuses', async () => {
    const asked: unknown[] = [];
    const retryOn = (error: unknown): boolean => {
      asked.push((error as Error).message);
      return asked.length < 2;
    };
    const { sim, dl, attempts } = setup({ attempts: 5, retryOn }, 9);
    dl.fetchItem('ticket', 7);
    await sim.advance(100_000);
    expect(attempts).toHaveLength(2);
    expect(asked).toEqual(['failure 1', 'failure 2']);
  });

  it('gives up and logs when retryOn throws', async () => {
    const retryOn = (): never => {
      throw new Error('not a rule');
    };
    const { sim, dl, attempts } = setup({ attempts: 5, retryOn }, 9);
    const ticket = dl.fetchItem('ticket', 7);
    await sim.advance(100_000);
    expect([attempts.length, ticket.meta.error, sim.log.length]).toEqual([1, 'failure 1', 1]);
  });

  it('applies timeoutMs to each attempt', async () => {
    const { sim, dl, attempts } = setup(1, 1, { timeoutMs: 200 });
    const ticket = dl.fetchItem('ticket', 7);
    await sim.advance(5000);
    expect(attempts).toEqual([0, 1200]);
    expect(ticket.data).toEqual({ id: 7 });
  });

  it('stops on dispose', async () => {
    const { sim, dl, attempts } = setup(5, 9);
    dl.fetchItem('ticket', 7);
    await sim.advance(100);
    dl.dispose();
    await sim.advance(100_000);
    expect(attempts).toEqual([0]);
  });
});
