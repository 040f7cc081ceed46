// The life of a fetch: joined requests, follow-ups, latest wins, events, loading, errors, staleness and retries.

import { describe, expect, it } from 'vitest';
import type { InitOptions } from '@edict/core';
import { missOne, refreshItem, refreshList } from '../directives.ts';
import { kinds, setup } from '../fetching/kinds.ts';
import { createWorld, untyped, watchPromise } from '../world.ts';

describe('D-FETCH-8 applyDirectives returns a promise', () => {
  const circle: Record<string, unknown> = {};
  circle['self'] = circle;

  it('that resolves when every refetch it caused has settled', async () => {
    const { dl, sim, item, list } = setup();
    dl.fetchItem('ticket', 1);
    dl.fetchCollection('tickets');
    await item.last().answer({ id: 1 });
    await list.last().answer({ ids: [1] });
    const done = watchPromise(dl.applyDirectives([refreshItem('ticket', 1), refreshList('tickets')]));
    await sim.advance(50);
    await item.last().answer({ id: 1 });
    expect(done.is).toBe('pending');
    await list.last().answer({ ids: [1] });
    expect(done.is).toBe('resolved');
  });

  it('that resolves immediately if the directives were applied before, unless they come in a mutation response', async () => {
    const { dl, sim, item } = setup();
    dl.fetchItem('ticket', 1);
    await item.last().answer({ id: 1 });
    const list = [refreshItem('ticket', 1, { idempotency_key: 'k' })];
    void dl.applyDirectives(list);
    const again = watchPromise(dl.applyDirectives(list));
    const pulled = watchPromise(dl.applyDirectives(list, { path: 'pull' }));
    await sim.advance(50);
    expect([again.is, pulled.is]).toEqual(['resolved', 'pending']);
    await item.last().answer({ id: 1 });
    expect(pulled.is).toBe('resolved');
  });

  it('that waits for the follow-up of a request in flight', async () => {
    const { dl, sim, item } = setup();
    dl.fetchItem('ticket', 1);
    const done = watchPromise(dl.applyDirectives([refreshItem('ticket', 1)]));
    await item.at(0).answer({ id: 1 });
    await sim.advance(49);
    expect(done.is).toBe('pending');
    await sim.advance(1);
    await item.at(1).answer({ id: 1 });
    expect(done.is).toBe('resolved');
  });

  it('that waits for the follow-up of a request that outlasts the window', async () => {
    const { dl, sim, item } = setup();
    dl.fetchItem('ticket', 1);
    const done = watchPromise(dl.applyDirectives([refreshItem('ticket', 1)]));
    await sim.advance(60);
    await item.at(0).answer({ id: 1 });
    expect(done.is).toBe('pending');
    await item.at(1).answer({ id: 1 });
    expect(done.is).toBe('resolved');
  });

  it.each([
    ['request', false],
    ['follow-up', true],
  ])(
    'that waits for the refetch of a level that the %s of another level was expected to cover but did not',
    async (_how, isFollowUp) => {
      const { dl, sim, held } = createWorld();
      const [brief, full] = [held(), held()];
      const check = (data: unknown): boolean => typeof data === 'object' && data !== null && 'brief' in data;
      dl.createType('doc', {
        fetch: brief.fetch,
        levelConversionMap: { full: ['brief'] },
        levels: { full: { fetch: full.fetch }, brief: { fetch: brief.fetch, checkIfExists: check } },
      });
      dl.fetchItem('doc', 1, 'full');
      await full.last().answer({ full: 1, brief: 1 });
      if (isFollowUp) dl.fetchItem('doc', 1, 'full', { force: true });
      const done = watchPromise(dl.applyDirectives([refreshItem('doc', 1)]));
      await sim.advance(50);
      dl.fetchItem('doc', 2, 'full');
      await full.last().answer({ full: 1, brief: 1 }); // Any request that ends triggers another check.
      if (isFollowUp) await full.at(1).answer({ full: 1, brief: 1 });
      await full.at(isFollowUp ? 3 : 1).answer({ full: 2 });
      expect(done.is).toBe('pending');
      await brief.last().answer({ brief: 2 });
      expect(done.is).toBe('resolved');
    },
  );

  it('that waits for the refetch of an entry that had failed before', async () => {
    const { dl, sim, item } = setup();
    dl.fetchItem('ticket', 1);
    await item.last().fail(new Error('down'));
    const done = watchPromise(dl.applyDirectives([refreshItem('ticket', 1)]));
    await sim.advance(50);
    expect(done.is).toBe('pending');
    await item.last().answer({ id: 1 });
    expect(done.is).toBe('resolved');
  });

  it('that resolves when the refetch has failed, even if a listener of the error forces another fetch', async () => {
    const { dl, sim, item } = setup();
    dl.fetchItem('ticket', 1);
    await item.last().answer({ id: 1 });
    dl.onLifecycle('item:fetch:error', () => void dl.fetchItem('ticket', 1, null, { force: true }));
    const done = watchPromise(dl.applyDirectives([refreshItem('ticket', 1)]));
    await sim.advance(50);
    await item.last().fail(new Error('down'));
    expect(item.calls).toHaveLength(3);
    expect(done.is).toBe('resolved');
  });

  it('that does not wait for a level that is no longer registered', async () => {
    const { dl, sim, item, full } = setup();
    dl.fetchItem('ticket', 1, 'full');
    await full.last().answer({ id: 1 });
    const done = watchPromise(dl.applyDirectives([refreshItem('ticket', 1)]));
    dl.createType('ticket', { fetch: item.fetch });
    expect(done.is).toBe('pending');
    await sim.advance(50);
    expect(done.is).toBe('resolved');
  });

  it('that does not wait for requests that it did not cause', async () => {
    const { dl, sim, item } = setup();
    dl.fetchItem('ticket', 1);
    await item.last().answer({ id: 1 });
    dl.fetchItem('ticket', 2);
    const done = watchPromise(dl.applyDirectives([refreshItem('ticket', 1)]));
    await sim.advance(50);
    await item.last().answer({ id: 1 });
    expect(done.is).toBe('resolved');
    expect(dl.isItemLoading('ticket', 2)).toBe(true);
  });

  it('that waits only for its own refetch and not for those of later directives', async () => {
    const { dl, sim, item } = setup();
    dl.fetchItem('ticket', 1);
    await item.last().answer({ id: 1 });
    const first = watchPromise(dl.applyDirectives([refreshItem('ticket', 1)]));
    await sim.advance(50);
    const second = watchPromise(dl.applyDirectives([refreshItem('ticket', 1)]));
    await sim.advance(50);
    await item.at(1).answer({ id: 1 });
    expect([first.is, second.is]).toEqual(['resolved', 'pending']);
    await item.at(2).answer({ id: 1 });
    expect(second.is).toBe('resolved');
  });

  it.each<[string, unknown]>([
    ['an empty list', []],
    ['an item that is not cached', [refreshItem('ticket', 9)]],
    ['an unknown name', [refreshList('nobody')]],
    ['malformed directives', [null, 5, {}, { op: 'x' }]],
    ['null', null],
    ['undefined', undefined],
    ['a string', 'refresh'],
    ['params without a JSON form', [refreshList('tickets', { params: { a: 1n } })]],
    ['params with a cycle', [refreshList('tickets', { params: circle, params_mode: 'contains' })]],
  ])('that resolves immediately for %s', async (_, list) => {
    const { dl, rest } = setup();
    const done = watchPromise(dl.applyDirectives(untyped(list)));
    await rest();
    expect(done.is).toBe('resolved');
  });

  it('that resolves immediately if the entries have no subscriber and are only marked stale', async () => {
    const { dl, item, rest } = setup({ bulk: { refetch: 'watched' } });
    dl.fetchItem('ticket', 1);
    await item.last().answer({ id: 1 });
    const done = watchPromise(dl.applyDirectives([refreshItem('ticket', 1)]));
    await rest();
    expect(done.is).toBe('resolved');
  });

  it('that does not reject when a refetch fails or a listener throws', async () => {
    const { dl, sim, item } = setup();
    const ref = dl.fetchItem('ticket', 1);
    await item.last().answer({ id: 1 });
    const fail = (): never => {
      throw new Error('a listener');
    };
    dl.onRefChange(ref, fail);
    dl.onChange(fail);
    dl.onLifecycle('*', fail);
    const done = watchPromise(dl.applyDirectives([refreshItem('ticket', 1)]));
    await sim.advance(50);
    await item.last().fail(new Error('down'));
    expect(done.is).toBe('resolved');
    expect(ref.meta.error).toBe('down');
  });
});

describe('D-FETCH-8 whenSettled', () => {
  it('resolves when an inline result replaces a read that waits in its read window', async () => {
    const { dl, sim, item } = setup({ bulk: { readWindowMs: 20 } });
    const settled = watchPromise(dl.whenSettled(dl.fetchItem('note', 1)));
    void dl.applyDirectives([refreshItem('note', 1, { result: { id: 1 } })]);
    await sim.advance(20);
    expect([settled.is, item.calls.length]).toEqual(['resolved', 0]);
  });

  it('D-REG-1 resolves when the level of a queued follow-up is no longer registered', async () => {
    const { dl, full, item } = setup();
    const ref = dl.fetchItem('ticket', 1, 'full');
    dl.fetchItem('ticket', 1, 'full', { force: true });
    dl.createType('ticket', { fetch: item.fetch });
    const settled = watchPromise(dl.whenSettled(ref));
    await full.last().answer({ id: 1 });
    expect([settled.is, full.calls.length, ref.meta.isLoading]).toEqual(['resolved', 1, false]);
  });

  it('fetchItem and fetchCollection stay synchronous', () => {
    const { dl } = setup();
    expect(dl.fetchItem('ticket', 1)).toHaveProperty('meta.isLoading', true);
    expect(dl.fetchCollection('tickets')).toHaveProperty('meta.isLoading', true);
  });

  it.each(kinds)(
    'resolves for a reference when no request is in flight or queued for it ($kind)',
    async ({ calls, read, good }) => {
      const world = setup();
      const ref = read(world);
      read(world, { force: true });
      const done = watchPromise(world.dl.whenSettled(ref));
      await calls(world).at(0).answer(good(1));
      expect(done.is).toBe('pending');
      await calls(world).at(1).answer(good(2));
      expect(done.is).toBe('resolved');
    },
  );

  it.each(kinds)('resolves for a reference when its request fails ($kind)', async ({ calls, read }) => {
    const world = setup();
    const done = watchPromise(world.dl.whenSettled(read(world)));
    await calls(world).at(0).fail(new Error('x'));
    expect(done.is).toBe('resolved');
  });

  it.each(kinds)(
    'waits for a pending directive window and its refetch ($kind)',
    async ({ calls, read, good, refresh }) => {
      const world = setup();
      const ref = read(world);
      await calls(world).at(0).answer(good(1));
      void world.dl.applyDirectives([refresh]);
      const done = watchPromise(world.dl.whenSettled(ref));
      const all = watchPromise(world.dl.whenSettled());
      await world.sim.advance(49);
      expect([done.is, all.is]).toEqual(['pending', 'pending']);
      await world.sim.advance(1);
      expect([done.is, all.is]).toEqual(['pending', 'pending']);
      await calls(world).at(1).answer(good(2));
      expect([done.is, all.is]).toEqual(['resolved', 'resolved']);
    },
  );

  it('waits for a pending read window and its request', async () => {
    const { dl, sim, item } = setup({ bulk: { readWindowMs: 20 } });
    const done = watchPromise(dl.whenSettled(dl.fetchItem('note', 1)));
    await sim.advance(19);
    expect(done.is).toBe('pending');
    await sim.advance(1);
    await item.last().answer({ id: 1 });
    expect(done.is).toBe('resolved');
  });

  it('resolves immediately for an idle reference while others are loading', async () => {
    const { dl, rest } = setup();
    dl.fetchItem('ticket', 1);
    const done = watchPromise(dl.whenSettled(dl.getItemRef('ticket', 2)));
    const all = watchPromise(dl.whenSettled());
    await rest();
    expect([done.is, all.is]).toEqual(['resolved', 'pending']);
  });

  it('without an argument waits for every request', async () => {
    const { dl, item, list } = setup();
    await dl.whenSettled(); // There is none yet.
    dl.fetchItem('ticket', 1);
    dl.fetchCollection('tickets');
    const all = watchPromise(dl.whenSettled());
    await item.last().answer({ id: 1 });
    expect(all.is).toBe('pending');
    await list.last().answer({ ids: [] });
    expect(all.is).toBe('resolved');
  });

  it('resolves after a silent request', async () => {
    const { dl, item } = setup();
    const done = watchPromise(dl.whenSettled(dl.fetchItem('ticket', 1, null, { silent: true })));
    await item.last().answer({ id: 1 });
    expect(done.is).toBe('resolved');
  });

  it('rejects with a TypeError for a value that is not a reference', async () => {
    const { dl } = setup();
    await expect((async () => dl.whenSettled(untyped({ data: null })))()).rejects.toThrow(TypeError);
  });
});

describe('D-FETCH-8 dispose', () => {
  it('settles every pending promise that the client returned', async () => {
    const world = setup();
    const { dl, sim, item } = world;
    sim.route('POST /slow', () => new Promise(() => undefined));
    const ref = dl.fetchItem('ticket', 1);
    const states = [
      dl.applyDirectives([refreshItem('ticket', 1)]),
      dl.whenSettled(ref),
      dl.whenSettled(),
      dl.prefetchItem('ticket', 2),
      dl.prefetchCollection('tickets'),
      dl.prefetchItem('note', 3),
    ].map(watchPromise);
    const mutation = watchPromise(dl.fetch('/slow', { method: 'POST' }));
    await sim.advance(10);
    expect(new Set(states.map(({ is }) => is))).toEqual(new Set(['pending']));
    dl.dispose();
    await sim.advance(0);
    expect(states.map(({ is }) => is)).toEqual(Array(6).fill('resolved'));
    expect(mutation.is).not.toBe('pending');
    await item.last().answer({ id: 2 });
  });

  it('ends the loading of requests, follow-ups and reads in their window', async () => {
    const { dl, item, sim } = setup();
    dl.fetchItem('ticket', 1);
    dl.fetchItem('ticket', 1, null, { force: true });
    dl.fetchItem('note', 2);
    const refs = [dl.getItemRef('ticket', 1), dl.getItemRef('note', 2)];
    expect(refs.map(({ meta }) => meta.isLoading)).toEqual([true, true]);
    dl.dispose();
    expect(refs.map(({ meta }) => meta.isLoading)).toEqual([false, false]);
    expect(dl.hasAnyInFlightRequests()).toBe(false);
    expect(dl.devtools().bulk.pending).toBe(0);
    await sim.advance(1000);
    expect(item.calls).toHaveLength(1);
  });

  it('clears the timer of a retry', async () => {
    const { dl, sim, item } = setup({ bulk: { retryFailedMs: 1000 } });
    dl.onRefChange(dl.fetchItem('ticket', 1), () => undefined);
    await item.last().answer({ id: 1 });
    void dl.applyDirectives([refreshItem('ticket', 1)]);
    await sim.advance(50);
    await item.last().fail(new Error('down'));
    dl.dispose();
    expect(sim.pendingTimers()).toBe(0);
  });

  it('in a success listener prevents the follow-up', async () => {
    const { dl, sim, item } = setup();
    const ref = dl.fetchItem('ticket', 1);
    dl.fetchItem('ticket', 1, null, { force: true });
    dl.onLifecycle('item:fetch:success', () => dl.dispose());
    await item.last().answer({ id: 1 });
    await sim.advance(1000);
    expect(item.calls).toHaveLength(1);
    expect(ref.data).toEqual({ id: 1 });
  });

  it('a response that arrives afterwards changes no data and notifies no subscriber', async () => {
    const { dl, item, names, events } = setup();
    const ref = dl.fetchItem('ticket', 1);
    let told = 0;
    dl.onChange(() => (told += 1));
    dl.onRefChange(ref, () => (told += 1));
    dl.dispose();
    events.length = 0;
    told = 0;
    await item.last().answer({ id: 1 });
    expect(ref.data).toBeNull();
    expect([told, names()]).toEqual([0, []]);
  });

  it('promises requested afterwards resolve', async () => {
    const { dl, rest } = setup();
    const ref = dl.fetchItem('ticket', 1);
    dl.dispose();
    const states = [
      dl.applyDirectives([refreshItem('ticket', 1)]),
      dl.whenSettled(ref),
      dl.whenSettled(),
      dl.prefetchItem('ticket', 1),
    ].map(watchPromise);
    await rest();
    expect(states.map(({ is }) => is)).toEqual(Array(4).fill('resolved'));
  });
});

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

    it('retries after that time, and the entry shows the error until then', async () => {
      const { sim, ref, count, world } = await failing(on);
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

    it('retries a failed follow-up of a directive', async () => {
      const world = setup(on);
      const ref = read(world);
      world.dl.onRefChange(ref, () => undefined);
      void world.dl.applyDirectives([refresh]);
      await world.sim.advance(50);
      await calls(world).at(0).answer(good(1));
      await calls(world).at(1).fail(new Error('down'));
      await world.sim.advance(1000);
      expect(calls(world).calls).toHaveLength(3);
    });

    it('leaves no timer after a retry succeeds', async () => {
      const { sim, world } = await failing({ ...on, memory: { enabled: false } });
      await sim.advance(1000);
      await calls(world).last().answer(good(2));
      expect(sim.pendingTimers()).toBe(0);
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

    it('retries a failed follow-up that a directive and then a forced read triggered', async () => {
      const world = setup(on);
      world.dl.onRefChange(read(world), () => undefined);
      void world.dl.applyDirectives([refresh]);
      await world.sim.advance(50);
      read(world, { force: true });
      await calls(world).at(0).answer(good(1));
      await calls(world).at(1).fail(new Error('down'));
      await world.sim.advance(1000);
      expect(calls(world).calls).toHaveLength(3);
    });

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
      const { dl, sim, item, full } = setup(on);
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
      const { dl, sim, item, full } = setup(on);
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

describe('D-FETCH-10 D-DIR-5 a batch that failed', () => {
  async function failed(ids: readonly number[]) {
    const world = setup({ bulk: { retryFailedMs: 1000 } });
    const { dl, sim, many, rest } = world;
    const stops = ids.map((id) => dl.onRefChange(dl.fetchItem('note', id), () => undefined));
    await rest();
    await many.last().answer(ids.map((id) => ({ id })));
    const timers = sim.pendingTimers();
    void dl.applyDirectives(ids.map((id) => refreshItem('note', id)));
    await sim.advance(50);
    await many.last().fail(new Error('down'));
    return { ...world, stops, timers, asked: () => many.calls.map(({ args }) => args[0]) };
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
