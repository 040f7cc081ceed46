// Refetches that failed are repeated while their entry has a subscriber.

import type { InitOptions } from '@edict/core';
import { describe, expect, it } from 'vitest';
import { missOne, refreshItem } from '../directives.ts';
import { createWorld } from '../world.ts';
import { kinds, setup } from './kinds.ts';

describe.each(kinds)(
  'D-FETCH-10 bulk.retryFailedMs ($kind)',
  ({ calls, read, good, shown, refresh, inline }) => {
    async function failing(init: InitOptions, watched = true) {
      const world = setup(init);
      const ref = read(world);
      await calls(world).last().answer(good(1));
      const stop = watched ? world.dl.onRefChange(ref, () => undefined) : () => undefined;
      void world.dl.applyDirectives([refresh]);
      await world.sim.advance(50);
      await calls(world).last().fail(new Error('down'));
      return { ...world, world, ref, stop, count: () => calls(world).calls.length };
    }
    const on: InitOptions = { bulk: { retryFailedMs: 1000 } };

    it('a delay above 30 s is not reduced', async () => {
      const { sim, count } = await failing({ bulk: { retryFailedMs: 60_000 } });
      await sim.advance(59_999);
      expect(count()).toBe(2);
      await sim.advance(1);
      expect(count()).toBe(3);
    });

    it('is off by default: a failed refetch is not retried', async () => {
      const { sim, count } = await failing({});
      await sim.advance(600_000);
      expect(count()).toBe(2);
    });

    it('retries after that time, shows the error until then, and leaves no timer', async () => {
      const { sim, ref, count, world } = await failing({ ...on, memory: { enabled: false } });
      expect(ref.meta).toMatchObject({ error: 'down', isLoading: false, isStale: true });
      expect(ref.data).toEqual(shown(1));
      await sim.advance(999);
      expect(count()).toBe(2);
      read(world);
      expect(count()).toBe(2);
      await sim.advance(1);
      expect(count()).toBe(3);
      expect(ref.meta.isLoading).toBe(true);
      await calls(world).last().answer(good(2));
      expect(sim.pendingTimers()).toBe(0);
      expect(ref.data).toEqual(shown(2));
      expect(ref.meta).toMatchObject({ error: null, isStale: false });
      await sim.advance(60_000);
      expect(count()).toBe(3);
    });

    it('doubles the delay up to 30 s', async () => {
      const { sim, count, world } = await failing(on);
      const waits: number[] = [];
      for (let tries = 0; tries < 7; tries += 1) {
        const before = count();
        let waited = 0;
        while (count() === before && waited < 40_000) {
          await sim.advance(500);
          waited += 500;
        }
        waits.push(waited);
        await calls(world).last().fail(new Error('still down'));
      }
      expect(waits).toEqual([1000, 2000, 4000, 8000, 16_000, 30_000, 30_000]);
    });

    it('starts with the initial delay again after a success', async () => {
      const { dl, sim, count, world } = await failing(on);
      await sim.advance(1000);
      await calls(world).last().fail(new Error('down'));
      await sim.advance(2000);
      await calls(world).last().answer(good(2));
      void dl.applyDirectives([refresh]);
      await sim.advance(50);
      await calls(world).last().fail(new Error('down'));
      const before = count();
      await sim.advance(999);
      expect(count()).toBe(before);
      await sim.advance(1);
      expect(count()).toBe(before + 1);
    });

    it('retries only while the entry has a subscriber', async () => {
      const never = await failing(on, false);
      await never.sim.advance(60_000);
      expect(never.count()).toBe(2);
      const left = await failing(on);
      await left.sim.advance(500);
      left.stop();
      await left.sim.advance(60_000);
      expect(left.count()).toBe(2);
    });

    it('continues when the entry has a subscriber again', async () => {
      const { dl, sim, ref, stop, count, world } = await failing(on);
      stop();
      await sim.advance(10_000);
      expect(count()).toBe(2);
      dl.onRefChange(ref, () => undefined);
      read(world);
      expect(count()).toBe(2);
      await sim.advance(30_000);
      expect(count()).toBe(3);
      await calls(world).last().answer(good(2));
      expect(ref.meta).toMatchObject({ error: null, isStale: false });
    });

    it('ends when the entry is evicted', async () => {
      const { dl, sim, stop } = await failing(on);
      stop();
      await sim.advance(1_000_000);
      expect(dl.state().memory).toMatchObject({ items: 0, collections: 0 });
      await sim.advance(30_000);
      expect(sim.pendingTimers()).toBe(0);
    });

    it('does not retry failed ordinary or forced reads', async () => {
      for (const force of [false, true]) {
        const world = setup(on);
        world.dl.onRefChange(read(world, { force }), () => undefined);
        await calls(world).last().fail(new Error('down'));
        await world.sim.advance(60_000);
        expect(calls(world).calls).toHaveLength(1);
      }
    });

    it('retries a failed resync', async () => {
      const world = setup(on);
      const ref = read(world);
      await calls(world).last().answer(good(1));
      world.dl.onRefChange(ref, () => undefined);
      missOne(world.dl);
      await world.sim.advance(3500);
      expect(calls(world).calls).toHaveLength(2);
      await calls(world).last().fail(new Error('down'));
      await world.sim.advance(1000);
      expect(calls(world).calls).toHaveLength(3);
    });

    it.each([
      ['of a directive', false],
      ['that a directive and then a forced read triggered', true],
    ])('retries a failed follow-up %s', async (_, isForced) => {
      const world = setup(on);
      world.dl.onRefChange(read(world), () => undefined);
      void world.dl.applyDirectives([refresh]);
      await world.sim.advance(50);
      if (isForced) read(world, { force: true });
      await calls(world).at(0).answer(good(1));
      await calls(world).at(1).fail(new Error('down'));
      await world.sim.advance(1000);
      expect(calls(world).calls).toHaveLength(3);
    });

    it('does not retry a refetch that an inline result superseded', async () => {
      const world = setup(on);
      world.dl.onRefChange(read(world), () => undefined);
      await calls(world).last().answer(good(1));
      void world.dl.applyDirectives([refresh]);
      await world.sim.advance(50);
      void world.dl.applyDirectives([inline(3)]);
      await calls(world).last().fail(new Error('down'));
      await world.sim.advance(60_000);
      expect(calls(world).calls).toHaveLength(2);
    });

    it('retries the failed read of an entry that a directive only marked stale', async () => {
      const world = setup({ bulk: { retryFailedMs: 1000, refetch: 'watched' } });
      const { dl, sim } = world;
      const ref = read(world);
      await calls(world).last().answer(good(1));
      void dl.applyDirectives([refresh]);
      await sim.advance(5000);
      expect(calls(world).calls).toHaveLength(1);
      read(world);
      dl.onRefChange(ref, () => undefined);
      await calls(world).last().fail(new Error('down'));
      expect(ref.meta).toMatchObject({ error: 'down', isLoading: false, isStale: true });
      await sim.advance(999);
      expect(calls(world).calls).toHaveLength(2);
      await sim.advance(1);
      await calls(world).last().answer(good(2));
      expect(ref.meta).toMatchObject({ error: null, isStale: false });
      expect(ref.data).toEqual(shown(2));
    });

    it('does not retry a failed read of data that is stale by age only', async () => {
      const world = setup(on);
      const { dl, sim } = world;
      const ref = read(world);
      dl.onRefChange(ref, () => undefined);
      await calls(world).last().answer(good(1));
      await sim.advance(60_000);
      read(world);
      await calls(world).last().fail(new Error('down'));
      await sim.advance(60_000);
      expect(calls(world).calls).toHaveLength(2);
    });

    it('continues after a forced read that failed in between', async () => {
      const { sim, count, world } = await failing(on);
      await sim.advance(500);
      read(world, { force: true });
      await calls(world).last().fail(new Error('down'));
      expect(count()).toBe(3);
      await sim.advance(999);
      expect(count()).toBe(3);
      await sim.advance(1);
      expect(count()).toBe(4);
    });

    it('ends when a forced read succeeds in between', async () => {
      const { sim, count, world } = await failing(on);
      await sim.advance(500);
      read(world, { force: true });
      await calls(world).last().answer(good(2));
      await sim.advance(60_000);
      expect(count()).toBe(3);
    });

    it('ends with an inline result, and a forced read that fails afterwards is not retried', async () => {
      const { dl, sim, count, world } = await failing(on);
      await sim.advance(1000);
      await calls(world).last().fail(new Error('down'));
      void dl.applyDirectives([inline(5)]);
      read(world, { force: true });
      await calls(world).last().fail(new Error('down'));
      expect(count()).toBe(4);
      await sim.advance(60_000);
      expect(count()).toBe(4);
    });

    it('is canceled by an inline result', async () => {
      const { dl, sim, count } = await failing(on);
      void dl.applyDirectives([inline(5)]);
      await sim.advance(60_000);
      expect(count()).toBe(2);
    });

    it('starts with the initial delay again for a refetch that fails after an inline result', async () => {
      const { dl, sim, count, world } = await failing(on);
      await sim.advance(1000);
      await calls(world).last().fail(new Error('down'));
      void dl.applyDirectives([inline(5)]);
      void dl.applyDirectives([refresh]);
      await sim.advance(50);
      await calls(world).last().fail(new Error('down'));
      expect(count()).toBe(4);
      await sim.advance(999);
      expect(count()).toBe(4);
      await sim.advance(1);
      expect(count()).toBe(5);
    });

    it('is replaced by the refetch of a directive that arrives in between', async () => {
      const { dl, sim, count, world } = await failing(on);
      await sim.advance(500);
      void dl.applyDirectives([refresh]);
      await sim.advance(50);
      expect(count()).toBe(3);
      await calls(world).last().answer(good(2));
      await sim.advance(60_000);
      expect(count()).toBe(3);
    });
  },
);

describe('D-FETCH-10 bulk.retryFailedMs of an item', () => {
  it('retries a failed read that a directive named while it waited in its read window', async () => {
    const { dl, sim, item } = setup({ bulk: { retryFailedMs: 1000, readWindowMs: 10 } });
    dl.onRefChange(dl.fetchItem('note', 1, null, { silent: true }), () => undefined);
    void dl.applyDirectives([refreshItem('note', 1)]);
    expect(dl.getItemRef('note', 1).meta.isLoading).toBe(true); // A refetch by a directive is never silent.
    await sim.advance(10);
    await item.at(0).fail(new Error('down'));
    await sim.advance(1000);
    expect(item.calls).toHaveLength(2);
  });

  it('does not retry the first read of a level after a directive named the item', async () => {
    const { dl, sim, item, full } = setup({ bulk: { retryFailedMs: 1000 } });
    dl.onRefChange(dl.fetchItem('ticket', 1), () => undefined);
    await item.last().answer({ id: 1 });
    void dl.applyDirectives([refreshItem('ticket', 1)]);
    await sim.advance(50);
    await item.last().answer({ id: 1 });
    dl.fetchItem('ticket', 1, 'full');
    await full.last().fail(new Error('down'));
    await sim.advance(60_000);
    expect(full.calls).toHaveLength(1);
  });

  it('retries a level that a directive refetched, even after a forced read replaced the retry and failed', async () => {
    const { dl, sim, item, full } = setup({ bulk: { retryFailedMs: 1000 } });
    dl.onRefChange(dl.fetchItem('ticket', 1), () => undefined);
    await item.last().answer({ id: 1 });
    void dl.applyDirectives([refreshItem('ticket', 1, { level: 'full' })]);
    await sim.advance(50);
    await full.last().fail(new Error('down'));
    await sim.advance(500);
    dl.fetchItem('ticket', 1, 'full', { force: true });
    await full.last().fail(new Error('down'));
    expect(full.calls).toHaveLength(2);
    await sim.advance(1000);
    expect(full.calls).toHaveLength(3);
  });

  it('continues after a read that waited in its read window when the retry was due, and failed', async () => {
    const { dl, sim, item } = setup({ bulk: { retryFailedMs: 1000, readWindowMs: 20 } });
    const ref = dl.fetchItem('note', 1);
    dl.onRefChange(ref, () => undefined);
    await sim.advance(20);
    await item.last().answer({ id: 1 });
    void dl.applyDirectives([refreshItem('note', 1)]);
    await sim.advance(50);
    await item.last().fail(new Error('down'));
    await sim.advance(990);
    dl.fetchItem('note', 1, null, { force: true });
    await sim.advance(20);
    await item.at(2).fail(new Error('down'));
    await sim.advance(1000);
    await item.at(3).answer({ id: 1 });
    expect(ref.meta.error).toBeNull();
  });

  it('keeps a Node process alive only while the entry has a subscriber', async () => {
    const waits: { readonly ms: number; isIdle: boolean }[] = [];
    const { dl, sim, held } = createWorld({
      init: { bulk: { retryFailedMs: 1234 } },
      env: ({ env }) => ({
        setTimeout(run, ms) {
          const wait = { ms, isIdle: false };
          waits.push(wait);
          return { handle: env.setTimeout(run, ms), unref: () => (wait.isIdle = true) };
        },
        clearTimeout: (own) => env.clearTimeout((own as { handle: unknown }).handle), // The object that setTimeout returned.
      }),
    });
    const item = held();
    dl.createType('ticket', { fetch: item.fetch });
    const stop = dl.onRefChange(dl.fetchItem('ticket', 1), () => undefined);
    await item.last().answer({ id: 1 });
    void dl.applyDirectives([refreshItem('ticket', 1)]);
    await sim.advance(50);
    await item.last().fail(new Error('down'));
    stop();
    await sim.advance(2000);
    expect(waits.filter(({ ms }) => ms === 1234 || ms === 2468)).toEqual([
      { ms: 1234, isIdle: false },
      { ms: 2468, isIdle: true },
    ]);
  });
});

describe('D-FETCH-10 D-DIR-5 a batch that failed', () => {
  async function failed(ids: readonly number[]) {
    const world = setup({ bulk: { retryFailedMs: 1000 } });
    const { dl, sim, many, rest } = world;
    const stops = ids.map((id) => dl.onRefChange(dl.fetchItem('note', id), () => undefined));
    await rest();
    await many.last().answer(ids.map((id) => ({ id })));
    void dl.applyDirectives(ids.map((id) => refreshItem('note', id)));
    await sim.advance(50);
    await many.last().fail(new Error('down'));
    return { ...world, stops, asked: () => many.calls.map(({ args }) => args[0]) };
  }

  it('is retried as one batch until it succeeds', async () => {
    const { sim, many, item, asked } = await failed([1, 2, 3]);
    await sim.advance(1000);
    await many.last().fail(new Error('down'));
    await sim.advance(2000);
    await many.last().answer([{ id: 1 }, { id: 2 }, { id: 3 }]);
    await sim.advance(600_000);
    expect(asked().slice(2)).toEqual([
      [1, 2, 3],
      [1, 2, 3],
    ]);
    expect(item.calls).toEqual([]);
    expect(sim.pendingTimers()).toBe(0);
  });

  it('is retried without the items that were read or lost their subscriber in between', async () => {
    const { dl, sim, many, item, stops, asked } = await failed([1, 2, 3, 4]);
    stops[0]?.();
    dl.fetchItem('note', 2, null, { force: true });
    await sim.advance(0);
    await item.last().answer({ id: 2 });
    await sim.advance(1000);
    expect(asked().at(-1)).toEqual([3, 4]);
    await many.last().answer([{ id: 3 }, { id: 4 }]);
    dl.onRefChange(dl.getItemRef('note', 1), () => undefined);
    await sim.advance(2000); // The item that has a subscriber again is retried after its own delay.
    await item.last().answer({ id: 1 });
    await sim.advance(600_000);
    expect(asked()).toHaveLength(3);
    expect(item.calls.map(({ args }) => args[0])).toEqual([2, 1]);
  });
});
