// The events of reads and requests: their order and their fields.

import { describe, expect, it } from 'vitest';
import { refreshItem, refreshList } from '../directives.ts';
import { kinds, setup } from '../fetching/kinds.ts';
import { createWorld } from '../world.ts';

describe.each(kinds)(
  'D-FETCH-4 §6.2 events ($kind)',
  ({ kind, calls, read, good, inline, named, intended }) => {
    it('a successful fetch emits intent, success and complete', async () => {
      const world = setup();
      read(world);
      const { qid } = calls(world).last().ctx;
      expect(world.events.map(({ event, detail }) => [event, detail])).toEqual([
        [`${kind}:fetch:intent`, { ...named, qid, ...intended(false) }],
      ]);
      await calls(world).last().answer(good(1));
      const direct = kind === 'item' ? { strategy: 'direct' } : {};
      expect(world.events.slice(1).map(({ event, detail }) => [event, detail])).toEqual([
        [`${kind}:fetch:success`, { ...named, qid, ...direct }],
        [`${kind}:fetch:complete`, { ...named, qid }],
      ]);
    });

    it('a failed fetch emits intent, error with the error object, and complete', async () => {
      const world = setup();
      read(world, { force: true });
      const { qid } = calls(world).last().ctx;
      const error = new Error('down');
      await calls(world).last().fail(error);
      expect(world.events.map(({ event, detail }) => [event, detail])).toEqual([
        [`${kind}:fetch:intent`, { ...named, qid, ...intended(true) }],
        [`${kind}:fetch:error`, { ...named, qid, error }],
        [`${kind}:fetch:complete`, { ...named, qid }],
      ]);
      expect(world.of(`${kind}:fetch:error`)[0]?.error).toBe(error);
    });

    it('D-FETCH-2 a request and its follow-up emit separate events with different query ids', async () => {
      const world = setup();
      read(world);
      read(world, { force: true });
      world.events.length = 0;
      await calls(world).at(0).answer(good(1));
      await calls(world).at(1).answer(good(2));
      expect(world.names(/fetch/)).toEqual(
        ['success', 'complete', 'intent', 'success', 'complete'].map((end) => `${kind}:fetch:${end}`),
      );
      expect(calls(world).at(0).ctx.qid).not.toBe(calls(world).at(1).ctx.qid);
    });

    it.each([['fresh'], ['failed']] as const)(
      'a read served from the cache emits cache-hit and skip with reason %s',
      async (reason) => {
        const world = setup();
        read(world);
        if (reason === 'fresh') await calls(world).last().answer(good(1));
        else await calls(world).last().fail(new Error('down'));
        world.events.length = 0;
        read(world);
        expect(new Set(world.names())).toEqual(new Set([`${kind}:cache-hit`, `${kind}:fetch:skip`]));
        expect(world.of(`${kind}:cache-hit`)).toEqual([{ ...named, reason }]);
        expect(world.of(`${kind}:fetch:skip`)).toEqual([{ ...named, reason }]);
      },
    );

    it('dispose emits aborted with reason disposed, then complete', async () => {
      const world = setup();
      read(world);
      const { qid } = calls(world).last().ctx;
      world.events.length = 0;
      world.dl.dispose();
      await world.rest();
      expect(world.events.map(({ event, detail }) => [event, detail])).toEqual([
        [`${kind}:fetch:aborted`, { ...named, qid, reason: 'disposed' }],
        [`${kind}:fetch:complete`, { ...named, qid }],
      ]);
    });

    it('an inline result emits no fetch events', async () => {
      const world = setup();
      void world.dl.applyDirectives([inline(1)]);
      await world.sim.advance(1000);
      expect(world.names(/fetch|cache-hit/)).toEqual([]);
    });
  },
);

describe('D-FETCH-4 the order of events, strategies and reasons', () => {
  it('D-DIR-7 strategy is bulk in a batch, and direct for a single item or one that was missing from the bulk response', async () => {
    const { dl, item, many, of, rest } = setup();
    for (const id of [1, 2, 3]) dl.fetchItem('note', id);
    await rest();
    await many.last().answer([{ id: 1 }, { id: 3 }]);
    await item.last().answer({ id: 2 });
    dl.fetchItem('note', 4);
    await rest();
    await item.last().answer({ id: 4 });
    expect(of('item:fetch:success').map(({ id, strategy }) => [id, strategy])).toEqual([
      [1, 'bulk'],
      [3, 'bulk'],
      [2, 'direct'],
      [4, 'direct'],
    ]);
  });

  it('strategy is direct for an item left over from a batch and for a type without bulkFetch', async () => {
    const { dl, sim, item, many, of, rest } = setup({ bulk: { maxBatchSize: 2 } });
    for (const id of [1, 2, 3]) dl.fetchItem('note', id);
    for (const id of [4, 5]) dl.fetchItem('ticket', id);
    await rest();
    await many.last().answer([{ id: 1 }, { id: 2 }]);
    for (const call of [...item.calls]) await call.answer({ id: call.asked });
    void dl.applyDirectives([refreshItem('ticket', 4), refreshItem('ticket', 5)]);
    await sim.advance(50);
    for (const call of item.calls.slice(-2)) await call.answer({ id: call.asked });
    expect(of('item:fetch:success').map(({ id, strategy }) => [id, strategy])).toEqual([
      [1, 'bulk'],
      [2, 'bulk'],
      [4, 'direct'],
      [5, 'direct'],
      [3, 'direct'],
      [4, 'direct'],
      [5, 'direct'],
    ]);
  });

  it('each id of a batch has its own events', async () => {
    const { dl, many, names, of, rest } = setup();
    for (const id of [1, 2]) dl.fetchItem('note', id);
    await rest();
    expect(of('item:fetch:intent').map(({ id }) => id)).toEqual([1, 2]);
    await many.last().fail(new Error('down'));
    expect(of('item:fetch:error').map(({ id }) => id)).toEqual([1, 2]);
    expect(of('item:fetch:complete').map(({ id }) => id)).toEqual([1, 2]);
    expect(names(/fetch:(error|complete)/)).toHaveLength(4);
  });

  it('the reason is fresh for a level that is fresh through a conversion', async () => {
    const { dl, held, of } = createWorld();
    const one = held();
    dl.createType('doc', {
      fetch: one.fetch,
      levelConversionMap: { full: ['brief'] },
      levels: { full: { fetch: one.fetch }, brief: { fetch: one.fetch } },
    });
    dl.fetchItem('doc', 1, 'full');
    await one.last().answer({ id: 1 });
    dl.fetchItem('doc', 1, 'brief');
    expect(of('item:cache-hit')).toEqual([{ type: 'doc', id: 1, level: 'brief', reason: 'fresh' }]);
    expect(of('item:fetch:skip')).toEqual([{ type: 'doc', id: 1, level: 'brief', reason: 'fresh' }]);
  });

  it('the reason is derived for a level whose checkIfExists accepts the cached data', async () => {
    const { dl, held, of } = createWorld();
    const one = held();
    dl.createType('doc', {
      fetch: one.fetch,
      levels: { brief: { fetch: one.fetch, checkIfExists: (data) => 'title' in (data as object) } },
    });
    dl.fetchItem('doc', 1);
    await one.last().answer({ id: 1, title: 'a' });
    dl.fetchItem('doc', 1, 'brief');
    expect(one.calls).toHaveLength(1);
    expect(of('item:cache-hit')).toEqual([{ type: 'doc', id: 1, level: 'brief', reason: 'derived' }]);
    expect(of('item:fetch:skip')).toEqual([{ type: 'doc', id: 1, level: 'brief', reason: 'derived' }]);
    dl.fetchItem('doc', 1, 'brief');
    expect(one.calls).toHaveLength(1);
  });

  it('§6.2 intent is emitted before the fetch function is called, success after the data is set', async () => {
    const { dl, list } = setup();
    const order: unknown[] = [];
    dl.onLifecycle('collection:fetch:intent', () => order.push(list.calls.length));
    dl.onLifecycle('collection:fetch:success', () => order.push(dl.getCollectionRef('tickets').data.ids));
    dl.fetchCollection('tickets');
    await list.last().answer({ ids: [1] });
    expect(order).toEqual([0, [1]]);
  });

  it('§6.2 intent has force: true for a forced fetch and for the refetch of a directive', async () => {
    const { dl, sim, list, of } = setup();
    dl.fetchCollection('tickets');
    await list.last().answer({ ids: [1] });
    dl.fetchCollection('tickets', { force: true });
    await list.last().answer({ ids: [1] });
    void dl.applyDirectives([refreshList('tickets')]);
    await sim.advance(100);
    expect(of('collection:fetch:intent').map(({ force }) => force)).toEqual([false, true, true]);
  });

  it('the events of a collection contain its params', async () => {
    const { dl, list, of } = setup();
    const ref = dl.fetchCollection('tickets', { params: { page: 2 } });
    await list.last().answer({ ids: [] });
    dl.fetchCollection('tickets', { params: { page: 2 } });
    for (const event of ['intent', 'success', 'complete', 'skip'] as const) {
      expect(of(`collection:fetch:${event}`)[0]).toMatchObject({ name: 'tickets', params: { page: 2 } });
    }
    expect(of('collection:cache-hit')[0]?.params).toEqual(ref.meta.paramsSnapshot);
  });
});

describe('D-FETCH-4 §2.4 meta.activeQueryId', () => {
  it('is the id of a read after its window closed', async () => {
    const { dl, of, rest } = setup();
    const ref = dl.fetchItem('note', 1);
    expect(ref.meta.activeQueryId).toBeNull();
    await rest();
    expect(of('item:fetch:intent').map(({ qid }) => qid)).toEqual([ref.meta.activeQueryId]);
  });

  it('is the id of a silent request', async () => {
    const { dl, of, item } = setup();
    const ref = dl.fetchItem('ticket', 1);
    await item.last().answer({ id: 1 });
    const first = ref.meta.activeQueryId;
    dl.fetchItem('ticket', 1, null, { force: true, silent: true });
    expect(of('item:fetch:intent').map(({ qid }) => qid)).toEqual([first, ref.meta.activeQueryId]);
    expect(ref.meta.activeQueryId).not.toBe(first);
  });
});
