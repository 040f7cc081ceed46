// Calls of fetch functions: their arguments, and their time limit.

import { createDataLayer, type FetchContext, type TypeConfig } from '@edict/core';
import { createSimulation } from '@edict/core/testing';
import { describe, expect, it } from 'vitest';
import { missOne, refreshItem } from '../directives.ts';
import { createWorld } from '../world.ts';
import { kinds, setup, type Setup } from './kinds.ts';

const fetch = (id: unknown): object => ({ id });

describe('§2.6 the call of a fetch function', () => {
  it('may return synchronously', async () => {
    const { dl, rest } = createWorld();
    dl.createType('now', { fetch });
    const ref = dl.fetchItem('now', 1);
    await rest();
    expect(ref.data).toEqual({ id: 1 });
  });

  const failure = new Error('at once');
  const fail = (): never => {
    throw failure;
  };
  it.each<[string, () => Promise<never>]>([
    ['throw', fail],
    ['reject', () => Promise.reject(failure)],
  ])('§7 may %s immediately, which is reported after its caller has finished', async (_how, end) => {
    const { dl, names, rest } = createWorld();
    dl.createType('never', { fetch: end });
    dl.createCollection('nevers', { fetch: end });
    const refs = [dl.fetchItem('never', 1), dl.fetchCollection('nevers')];
    expect(refs.map(({ meta }) => meta.isLoading)).toEqual([true, true]);
    expect(names(/error/)).toEqual([]);
    await rest();
    expect(refs.map(({ meta }) => [meta.error, meta.isLoading])).toEqual(Array(2).fill(['at once', false]));
    expect(names(/error/)).toEqual(['item:fetch:error', 'collection:fetch:error']);
  });

  it('D-REG-2 has the level in the context, and bulkFetch also has it after the ids', async () => {
    const { dl, held, rest } = createWorld();
    const one = held();
    const many = held();
    const { bulkFetch } = many;
    dl.createType('ticket', { fetch: one.fetch, bulkFetch, levels: { full: { fetch: one.fetch } } });
    for (const id of [1, 2]) dl.fetchItem('ticket', id);
    for (const id of [3, 4]) dl.fetchItem('ticket', id, 'full');
    await rest();
    dl.fetchItem('ticket', 5, 'full');
    await rest();
    expect(many.calls.map(({ args }) => args.slice(0, 2))).toEqual([
      [[1, 2], 'default'],
      [[3, 4], 'full'],
    ]);
    expect([...many.calls, one.last()].map(({ ctx }) => ctx.level)).toEqual(['default', 'full', 'full']);
  });
});

describe('D-REG-2 the context of a fetch function', () => {
  /** A request for an item, for a batch of items, and for a collection. */
  async function requests() {
    const world = setup();
    const { dl, item, many, list } = world;
    const refs = [
      dl.fetchItem('ticket', 1),
      dl.fetchItem('note', 1),
      dl.fetchCollection('tickets', { params: { a: 1 } }),
    ] as const;
    dl.fetchItem('note', 2);
    await world.rest();
    return { ...world, refs, calls: [item.last(), many.last(), list.last()] };
  }

  it('is the last argument: fetch(id, ctx), bulkFetch(ids, level, ctx), collection fetch(params, ctx)', async () => {
    const { calls } = await requests();
    expect(calls.map(({ args }) => args.length)).toEqual([2, 3, 2]);
    for (const { ctx } of calls) {
      expect({ ...ctx }).toEqual({
        signal: expect.any(AbortSignal),
        level: 'default',
        qid: expect.any(String),
        force: false,
      });
    }
  });

  it('contains the same qid as the events and meta.activeQueryId', async () => {
    const { refs, calls, of } = await requests();
    const qids = calls.map(({ ctx }) => ctx.qid);
    expect(refs.map(({ meta }) => meta.activeQueryId)).toEqual(qids);
    expect(of('item:fetch:intent').find(({ type }) => type === 'ticket')?.qid).toBe(qids[0]);
    expect(of('collection:fetch:intent')[0]?.qid).toBe(qids[2]);
  });

  it.each<[string, (world: Setup) => unknown, boolean]>([
    ['a read', ({ dl }) => dl.fetchItem('ticket', 1), false],
    ['force: true', ({ dl }) => dl.fetchItem('ticket', 1, null, { force: true }), true],
    ['a directive', ({ dl }) => void dl.applyDirectives([refreshItem('ticket', 1)]), true],
    [
      'a resync',
      ({ dl }) => {
        dl.onRefChange(dl.getItemRef('ticket', 1), () => undefined);
        missOne(dl);
      },
      true,
    ],
  ])('has the force flag of the request after %s', async (_, ask, force) => {
    const world = setup();
    world.dl.fetchItem('ticket', 1);
    await world.item.last().answer({ id: 1 });
    await world.sim.advance(15_000);
    ask(world);
    await world.sim.advance(4000);
    expect(world.item.calls).toHaveLength(2);
    expect(world.item.last().ctx.force).toBe(force);
  });
});

describe('D-REG-2 the signal of a fetch function', () => {
  it.each(kinds)('is one object, which dispose() aborts ($kind)', ({ read, calls }) => {
    const world = setup();
    read(world);
    const { ctx } = calls(world).last();
    const { signal } = ctx;
    expect(ctx.signal).toBe(signal);
    expect(signal.aborted).toBe(false);
    world.dl.dispose();
    expect(signal.aborted).toBe(true);
  });

  it('of a batch is aborted by dispose()', async () => {
    const { dl, many, rest } = setup();
    for (const id of [1, 2]) dl.fetchItem('note', id);
    await rest();
    const { signal } = many.last().ctx;
    expect(signal.aborted).toBe(false);
    dl.dispose();
    expect(signal.aborted).toBe(true);
  });

  it('is aborted even if it is first read after dispose()', () => {
    const { dl, item } = setup();
    dl.fetchItem('ticket', 1);
    dl.dispose();
    expect(item.last().ctx.signal.aborted).toBe(true);
  });

  it('is aborted by neither the response nor a directive', async () => {
    const { dl, item, sim } = setup();
    dl.fetchItem('ticket', 1);
    const { signal } = item.last().ctx;
    void dl.applyDirectives([refreshItem('ticket', 1)]);
    await sim.advance(100);
    await item.last().answer({ id: 1 });
    await sim.advance(100);
    expect(signal.aborted).toBe(false);
  });

  it('is copied with its context, and is aborted even if it is first read after the time limit', async () => {
    const sim = createSimulation();
    const dl = sim.createDataLayer({ sse: { enabled: false } });
    const contexts: FetchContext[] = [];
    dl.createType('ticket', {
      timeoutMs: 100,
      fetch: (_, ctx) => {
        contexts.push(ctx);
        return new Promise(() => undefined);
      },
    });
    dl.fetchItem('ticket', 1);
    await sim.advance(100);
    const { signal, ...others } = { ...contexts[0] };
    expect(signal?.reason).toMatchObject({ name: 'TimeoutError' });
    expect(others).toEqual({ level: 'default', qid: 'q1', force: false });
  });
});

describe.each(kinds)('D-REG-3 timeoutMs ($kind)', ({ kind, read, calls, good, shown, empty, named }) => {
  it('is 30000 by default, after which the request fails with a TimeoutError and its signal aborts', async () => {
    const world = setup();
    const ref = read(world);
    const { signal } = calls(world).last().ctx;
    await world.sim.advance(29_999);
    expect(ref.meta).toMatchObject({ isLoading: true, error: null });
    expect(signal.aborted).toBe(false);
    await world.sim.advance(1);
    const name = kind === 'item' ? 'ticket' : 'tickets';
    expect(ref.meta).toMatchObject({
      isLoading: false,
      error: `[edict] "${name}": no response within 30000 ms. Raise timeoutMs if the server needs longer.`,
      cause: { name: 'TimeoutError' },
    });
    expect(world.of(`${kind}:fetch:error`)).toEqual([
      expect.objectContaining({ ...named, error: expect.objectContaining({ name: 'TimeoutError' }) }),
    ]);
    expect(signal.aborted).toBe(true);
    expect(signal.reason).toMatchObject({ name: 'TimeoutError' });
  });

  it('frees the entry, so a forced read starts a new request', async () => {
    const world = setup();
    const ref = read(world);
    await world.sim.advance(30_000);
    read(world, { force: true });
    expect(calls(world).calls).toHaveLength(2);
    await calls(world).at(0).answer(good(1));
    expect(ref.data).toEqual(empty);
    expect(ref.meta.isLoading).toBe(true);
    await calls(world).at(1).answer(good(2));
    expect(ref.data).toEqual(shown(2));
  });

  it('discards a response that arrives after the timeout', async () => {
    const world = setup();
    const ref = read(world);
    await world.sim.advance(30_000);
    await calls(world).last().answer(good(1));
    expect(ref.data).toEqual(empty);
    expect(ref.meta.cause).toMatchObject({ name: 'TimeoutError' });
  });
});

describe('D-REG-3 timeoutMs', () => {
  it.each<[string, Partial<TypeConfig>, string | null, number]>([
    ['of a type applies to its default level', { timeoutMs: 100 }, null, 100],
    ['of a type applies to its other levels', { timeoutMs: 100, levels: { full: { fetch } } }, 'full', 100],
    [
      'of a level overrides that of the type',
      { timeoutMs: 100, levels: { full: { fetch, timeoutMs: 40 } } },
      'full',
      40,
    ],
    [
      'of a level can be longer than that of the type',
      { timeoutMs: 100, levels: { full: { fetch, timeoutMs: 400 } } },
      'full',
      400,
    ],
  ])('%s', async (_, config, level, limit) => {
    const { dl, held, sim } = createWorld();
    const one = held();
    const levels = Object.fromEntries(
      Object.entries(config.levels ?? {}).map(([name, own]) => [name, { ...own, fetch: one.fetch }]),
    );
    dl.createType('ticket', { ...config, fetch: one.fetch, levels });
    const ref = dl.fetchItem('ticket', 1, level);
    await sim.advance(limit - 1);
    expect(ref.meta.isLoading).toBe(true);
    await sim.advance(1);
    expect(ref.meta).toMatchObject({ isLoading: false, cause: { name: 'TimeoutError' } });
  });

  it('of a collection applies to its requests', async () => {
    const { dl, held, sim } = createWorld();
    const list = held();
    dl.createCollection('tickets', { fetch: list.fetch, timeoutMs: 25 });
    const ref = dl.fetchCollection('tickets');
    await sim.advance(24);
    expect(ref.meta.isLoading).toBe(true);
    await sim.advance(1);
    expect(ref.meta.cause).toMatchObject({ name: 'TimeoutError' });
  });

  it('D-DIR-6 fails every id of a batch, and the late response causes no request for missing ids', async () => {
    const { dl, sim, item, many } = setup();
    const refs = [1, 2].map((id) => dl.fetchItem('note', id));
    await sim.advance(30_000);
    for (const { meta } of refs) expect(meta.cause).toMatchObject({ name: 'TimeoutError' });
    await many.last().answer([]);
    expect(item.calls).toEqual([]);
  });

  it('never expires when it is 0', async () => {
    const { dl, held, sim } = createWorld();
    const one = held();
    dl.createType('ticket', { fetch: one.fetch, timeoutMs: 0 });
    const ref = dl.fetchItem('ticket', 1);
    await sim.advance(24 * 3_600_000);
    expect(ref.meta.isLoading).toBe(true);
    await one.last().answer({ id: 1 });
    expect(ref.data).toEqual({ id: 1 });
  });

  it('relies on its timer, even when the clock does not advance because a test replaced it', async () => {
    const { sim, held } = createWorld();
    const dl = createDataLayer({ env: { ...sim.env, now: () => 0 } });
    const [first, second] = [held(), held()];
    dl.createType('ticket', { fetch: first.fetch, timeoutMs: 5000 });
    dl.createType('note', { fetch: second.fetch, timeoutMs: 5000 });
    const refs = [dl.fetchItem('ticket', 1), dl.fetchItem('note', 1)];
    await sim.advance(4999);
    for (const { meta } of refs) expect(meta.error).toBeNull();
    await sim.advance(1);
    for (const { meta } of refs) expect(meta.cause).toMatchObject({ name: 'TimeoutError' });
    dl.dispose();
    expect(sim.pendingTimers()).toBe(0);
  });
});

describe('D-REG-3 requests that hang', () => {
  it('time out one by one, each after its own time limit', async () => {
    const { dl, sim, item } = setup();
    const first = dl.fetchItem('ticket', 1);
    await sim.advance(10_000);
    const second = dl.fetchItem('ticket', 2);
    await sim.advance(10_000);
    const third = dl.fetchItem('ticket', 3);
    const failed = (): boolean[] => [first, second, third].map(({ meta }) => meta.error !== null);
    await sim.advance(10_000);
    expect(failed()).toEqual([true, false, false]);
    await item.at(1).answer({ id: 2 });
    await sim.advance(19_999);
    expect(failed()).toEqual([true, false, false]);
    await sim.advance(1);
    expect(failed()).toEqual([true, false, true]);
    expect(sim.pendingTimers()).toBe(1); // The timer of the memory sweep.
  });

  it('time out after their own time limit even when a follow-up starts immediately after one of them', async () => {
    const { dl, sim, item } = setup();
    dl.fetchItem('ticket', 1);
    dl.fetchItem('ticket', 1, null, { force: true });
    await sim.advance(10_000);
    const second = dl.fetchItem('ticket', 2);
    await sim.advance(20_000);
    expect(item.calls).toHaveLength(3);
    await sim.advance(9_999);
    expect(second.meta.error).toBeNull();
    await sim.advance(1);
    expect(second.meta).toMatchObject({ isLoading: false, cause: { name: 'TimeoutError' } });
  });
});
