// How the items in the response of a list are stored.

import type { Id } from '@edict/core';
import { createSimulation } from '@edict/core/testing';
import { describe, expect, it } from 'vitest';
import { refreshItem } from '../directives.ts';
import { rows, setup, watch } from './lists.ts';

describe('the items of a list', () => {
  it('are stored with their conversions, without item fetch events', async () => {
    const { dl, list, names } = setup({ level: 'full' });
    dl.fetchCollection('tickets');
    await list.last().answer(rows(1, 1));
    const { data, meta } = dl.getItemRef('ticket', 1);
    expect([data, Object.keys(meta.levelStamps), meta.isStale]).toEqual([
      { id: 1, version: 1 },
      ['full', 'default'],
      false,
    ]);
    expect(names(/item:fetch/)).toEqual([]);
  });

  it.each([0, 3_600_000])(
    'need no request when their rows mount, with stalenessMs %d',
    async (stalenessMs) => {
      const { dl, list, sim, asked } = setup({ stalenessMs });
      dl.fetchCollection('tickets');
      await list.last().answer(rows(1, 1, 2));
      const refs = watch({ dl } as ReturnType<typeof setup>, [1, 2]);
      dl.fetchItem('ticket', 1); // Another row of the same commit.
      await sim.advance(0);
      expect([asked(), refs.map(({ data }) => data)]).toEqual([['list'], rows(1, 1, 2)]);
      dl.fetchItem('ticket', 1);
      await sim.advance(0);
      expect(asked()).toHaveLength(stalenessMs === 0 ? 2 : 1);
    },
  );

  it('D-DIR-7 need no request if a read of them still waits for its window', async () => {
    const { dl, list, sim, asked } = setup();
    dl.init({ bulk: { readWindowMs: 20 } });
    dl.fetchCollection('tickets');
    const ref = dl.fetchItem('ticket', 1);
    await list.last().answer(rows(1, 1));
    await sim.advance(20);
    expect([asked(), ref.data, ref.meta.isLoading]).toEqual([['list'], { id: 1, version: 1 }, false]);
  });

  it.each<[name: string, directives: object[], stale: Id[]]>([
    ['a directive for one of them', [refreshItem('ticket', 1)], [1]],
    ['a directive for the id in its other form', [refreshItem('ticket', '2')], [2]],
    ['a directive for every item', [{ op: 'invalidate', kind: 'item', name: 'ticket' }], [1, 2]],
    ['a directive for another item', [refreshItem('ticket', 3)], []],
    ['a directive for another type', [refreshItem('note', 1)], []],
  ])('are stale after %s that arrived while the list was in flight', async (_, directives, stale) => {
    const { dl, list, many, one, sim } = setup();
    dl.fetchCollection('tickets');
    void dl.applyDirectives(directives);
    await sim.advance(50);
    await list.last().answer(rows(1, 1, 2));
    const refs = [1, 2].map((id) => dl.getItemRef('ticket', id));
    expect(refs.map(({ data }) => data)).toEqual(rows(1, 1, 2)); // Visible.
    expect(refs.filter(({ meta }) => meta.isStale).map(({ data }) => (data as { id: Id }).id)).toEqual(stale);
    for (const id of [1, 2]) dl.fetchItem('ticket', id);
    await sim.advance(0);
    expect([...many.calls, ...one.calls].flatMap(({ asked }) => asked)).toEqual(stale);
  });

  it('are fresh if the directive arrived before the list was requested', async () => {
    const { dl, list, sim } = setup();
    void dl.applyDirectives([refreshItem('ticket', 1)]);
    await sim.advance(50);
    dl.fetchCollection('tickets');
    await list.last().answer(rows(1, 1));
    expect(dl.getItemRef('ticket', 1).meta.isStale).toBe(false);
  });

  it('are stale after a resync that happened while the list was in flight', async () => {
    const { dl, list, sim } = setup();
    dl.fetchCollection('tickets');
    for (const seq of [1, 3])
      dl.ingestEnvelope({ type: 'directives', audience: 'global', seq, directives: [] });
    for (const seq of [4, 9])
      dl.ingestEnvelope({
        type: 'directives',
        audience: 'global',
        seq,
        directives: [refreshItem('note', 1)],
      });
    await sim.advance(3600);
    await list.at(0).answer(rows(1, 1));
    expect(dl.getItemRef('ticket', 1).meta.isStale).toBe(true);
  });

  it('never replace data that was requested later', async () => {
    const { dl, list, one } = setup({ hasBulk: false });
    dl.fetchCollection('tickets');
    const ref = dl.fetchItem('ticket', 1);
    await one.last().answer({ id: 1, version: 2 });
    await list.last().answer(rows(1, 1));
    expect([ref.data, ref.meta.isStale]).toEqual([{ id: 1, version: 2 }, false]);
  });

  it('replace data that was requested earlier, even if its response arrives later', async () => {
    const { dl, list, one } = setup({ hasBulk: false });
    const ref = dl.fetchItem('ticket', 1);
    dl.fetchCollection('tickets');
    await list.last().answer(rows(2, 1));
    await one.last().answer({ id: 1, version: 1 });
    expect([ref.data, ref.meta.isStale]).toEqual([{ id: 1, version: 2 }, false]);
  });

  it('are refetched if they are watched and a directive named them before they were cached', async () => {
    const { dl, list, one, sim } = setup();
    const ref = dl.getItemRef('ticket', 1);
    dl.onRefChange(ref, () => undefined);
    dl.fetchCollection('tickets');
    void dl.applyDirectives([refreshItem('ticket', 1)]);
    await sim.advance(50);
    await list.last().answer(rows(1, 1));
    await one.last().answer({ id: 1, version: 2 });
    expect([ref.data, ref.meta.isStale]).toEqual([{ id: 1, version: 2 }, false]);
  });
});

describe('D-SSE-9 a list that was requested before a resync', () => {
  it('does not make an item fresh whose reference existed before', async () => {
    const sim = createSimulation();
    const server = { v: 1 };
    const dl = sim.createDataLayer();
    dl.createType('ticket', { fetch: (id) => ({ id, v: server.v }), stalenessMs: Infinity });
    dl.createCollection('tickets', {
      of: 'ticket',
      timeoutMs: 0,
      fetch: async () => {
        const items = [{ id: 1, v: server.v }];
        await sim.sleep(40_000);
        return { items };
      },
    });
    dl.init();
    await sim.advance(1000);
    const ref = dl.getItemRef('ticket', 1);
    dl.fetchCollection('tickets');
    await sim.advance(100);
    server.v = 2;
    sim.link.drop();
    sim.hub.emit([{ op: 'refresh_item', name: 'ticket', id: 1 }]);
    await sim.advance(60_000);
    expect(ref.data).toEqual({ id: 1, v: 1 });
    expect(ref.meta.isStale).toBe(true);
  });
});
