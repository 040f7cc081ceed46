// The promises of whenSettled, the prefetch operations, and applyDirectives.

import { createDataLayer } from '@edict/core';
import { describe, expect, it } from 'vitest';
import { refreshItem, refreshList } from '../directives.ts';
import { has } from '../levels/setup.ts';
import { createCachedStage, createStage, createWorld, untyped, watchPromise } from '../world.ts';
import { kinds, setup } from './kinds.ts';

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

  it('without an argument resolves when a follow-up removed an entry from the coalescing window', async () => {
    const { dl, item } = setup();
    dl.fetchItem('ticket', 1);
    dl.fetchItem('ticket', 1, null, { force: true });
    void dl.applyDirectives([refreshItem('ticket', 1)]);
    const all = watchPromise(dl.whenSettled());
    await item.at(0).answer({ id: 1 });
    expect([dl.state().bulk.pending, all.is]).toEqual([0, 'pending']);
    await item.at(1).answer({ id: 1 });
    expect(all.is).toBe('resolved');
  });

  it('with a Response of DL.fetch waits for the refetches of its directives and for no others', async () => {
    const { sim, dl, server } = await createCachedStage();
    sim.route('POST /act', () => ({ directives: [refreshItem('ticket', 7)] }));
    const done = watchPromise(dl.whenSettled(await dl.fetch('/act', { method: 'POST' })));
    await sim.advance(9); // Its refetch takes 10 ms.
    expect(done.is).toBe('pending');
    server.latencyMs = 5000;
    dl.fetchCollection('tickets', { force: true });
    await sim.advance(1);
    expect(done.is).toBe('resolved');
    expect(dl.hasAnyInFlightRequests()).toBe(true);
  });

  it('with a Response without directives, or whose directives trigger nothing, resolves immediately', async () => {
    const { sim, dl, item } = createStage();
    item('ticket', 1);
    sim.route('POST /act', () => ({ directives: [refreshItem('ticket', 7)] }));
    const response = await dl.fetch('/act', { method: 'POST' });
    const waits = [watchPromise(dl.whenSettled(response)), watchPromise(dl.whenSettled(Response.json({})))];
    await sim.advance(0);
    expect(waits.map(({ is }) => is)).toEqual(['resolved', 'resolved']);
  });

  it('resolves after a silent request', async () => {
    const { dl, item } = setup();
    const done = watchPromise(dl.whenSettled(dl.fetchItem('ticket', 1, null, { silent: true })));
    await item.last().answer({ id: 1 });
    expect(done.is).toBe('resolved');
  });

  it('settles hundreds of references and prefetches together', async () => {
    const dl = createDataLayer();
    dl.createType('ticket', { fetch: (id) => Promise.resolve({ id }) });
    const ids = Array.from({ length: 500 }, (_, id) => id);
    const prefetched = ids.map((id) => dl.prefetchItem('ticket', id));
    const waiting = ids.map((id) => dl.whenSettled(dl.getItemRef('ticket', id)));
    const idle = dl.whenSettled();
    await Promise.all([...prefetched, ...waiting, idle]);
    expect(ids.every((id) => !dl.isItemLoading('ticket', id))).toBe(true);
    dl.dispose();
  });
});

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
      dl.createType('doc', {
        fetch: brief.fetch,
        levelConversionMap: { full: ['brief'] },
        levels: { full: { fetch: full.fetch }, brief: { fetch: brief.fetch, checkIfExists: has('brief') } },
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
