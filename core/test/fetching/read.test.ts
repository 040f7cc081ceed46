// Reads: which ones join a request in flight, and when cached data is too old for them.

import { createSimulation } from '@edict/core/testing';
import { describe, expect, it } from 'vitest';
import { createWorld } from '../world.ts';
import { kinds, setup } from './kinds.ts';

describe.each(kinds)('D-FETCH-1 at most one request ($kind)', ({ kind, calls, read, good, named }) => {
  it('a read joins the request in flight and emits a skip event', async () => {
    const world = setup();
    for (let reads = 0; reads < 5; reads += 1) read(world);
    expect(calls(world).calls).toHaveLength(1);
    expect(world.of(`${kind}:fetch:skip`)).toEqual(Array(4).fill({ ...named, reason: 'in-flight' }));
    await calls(world).last().answer(good(1));
    expect(calls(world).calls).toHaveLength(1);
  });

  it('a read inside a change notification or a lifecycle callback joins the request in flight', async () => {
    const world = setup();
    const { dl } = world;
    let inside = 0;
    dl.onLifecycle(`${kind}:fetch:intent`, () => void (inside += read(world) === undefined ? 0 : 1));
    const ref = read(world);
    dl.onRefChange(ref, () => void read(world));
    read(world, { force: true });
    await calls(world).at(0).answer(good(1));
    await calls(world).at(1).answer(good(2));
    expect(inside).toBe(2);
    expect(calls(world).calls).toHaveLength(2);
  });
});

describe('D-FETCH-1 one request per entry', () => {
  it('other levels and other items have their own requests', () => {
    const { dl, item, full } = setup();
    dl.fetchItem('ticket', 1);
    dl.fetchItem('ticket', 1, 'full');
    dl.fetchItem('ticket', 2);
    expect([item.calls.length, full.calls.length]).toEqual([2, 1]);
  });

  it('each params set of a collection has its own request', () => {
    const { dl, list } = setup();
    for (const page of [1, 2, 1, 2]) dl.fetchCollection('tickets', { params: { page } });
    expect(list.calls).toHaveLength(2);
  });

  it('a read also joins an entry that waits in its read window', async () => {
    const { dl, many, item, of, rest } = setup();
    for (const id of [1, 2, 1, 2, 1]) dl.fetchItem('note', id);
    await rest();
    expect(many.calls.map(({ asked }) => asked)).toEqual([[1, 2]]);
    expect(item.calls).toHaveLength(0);
    expect(of('item:fetch:skip').map(({ id, reason }) => [id, reason])).toEqual([
      [1, 'in-flight'],
      [2, 'in-flight'],
      [1, 'in-flight'],
    ]);
  });
});

describe('a read in a listener of another request', () => {
  it('D-FETCH-1 joins the request that the same resync is about to send', async () => {
    const sim = createSimulation();
    const dl = sim.createDataLayer({ sse: { resyncJitterMinMs: 0, resyncJitterMaxMs: 0 } });
    let underWay = 0;
    let most = 0;
    dl.createType('ticket', { fetch: (id) => ({ id }) });
    dl.createType('author', {
      async fetch(id) {
        most = Math.max(most, (underWay += 1));
        await sim.sleep(20);
        underWay -= 1;
        return { id };
      },
    });
    dl.onRefChange(dl.fetchItem('ticket', 1), () => {});
    dl.onRefChange(dl.fetchItem('author', 7), () => {});
    await sim.settled();
    // An application that fetches the author along with the ticket.
    dl.onLifecycle('item:fetch:intent', ({ detail }) => {
      if (detail.type === 'ticket') dl.fetchItem('author', 7);
    });
    const events: string[] = [];
    dl.onLifecycle('*', ({ event, detail }) => {
      if ('type' in detail && detail.type === 'author') events.push(event);
    });
    sim.hub.lose(1);
    sim.hub.emit([{ op: 'refresh_item', name: 'unknown', id: 1 }]);
    await sim.settled();
    expect(most).toBe(1);
    const count = (event: string): number => events.filter((each) => each === event).length;
    expect(count('item:fetch:complete')).toBe(count('item:fetch:intent'));
  });
});

describe.each(kinds)('D-FETCH-9 §3 staleness ($kind)', ({ kind, calls, read, good, shown }) => {
  it.each<[string, number, boolean]>([
    ['1 ms before stalenessMs it is fresh', 14_999, false],
    ['at exactly stalenessMs it is stale', 15_000, true],
    ['1 ms after stalenessMs it is stale', 15_001, true],
  ])('%s, counted from the time when the response was applied', async (_, wait, isStale) => {
    const world = setup();
    const ref = read(world);
    await world.sim.advance(10_000);
    await calls(world).last().answer(good(1));
    expect(ref.meta.isStale).toBe(false);
    await world.sim.advance(wait);
    expect(ref.meta.isStale).toBe(isStale);
    expect(read(world)).toBe(ref);
    expect(calls(world).calls).toHaveLength(isStale ? 2 : 1);
    expect(ref.meta.isLoading).toBe(isStale);
    expect(ref.data).toEqual(shown(1));
  });

  it('time alone starts no request, even with a subscriber', async () => {
    const world = setup();
    const ref = read(world);
    world.dl.onRefChange(ref, () => undefined);
    await calls(world).last().answer(good(1));
    await world.sim.advance(3_600_000);
    expect(calls(world).calls).toHaveLength(1);
  });

  it('stalenessMs: 0 refetches on every read, one request at a time', async () => {
    const world = createWorld();
    const one = world.held();
    world.dl.createType('ticket', { fetch: one.fetch, stalenessMs: 0 });
    world.dl.createCollection('tickets', { fetch: one.fetch, stalenessMs: 0 });
    const ask = () =>
      kind === 'item' ? world.dl.fetchItem('ticket', 1) : world.dl.fetchCollection('tickets');
    for (let reads = 1; reads < 4; reads += 1) {
      ask();
      ask();
      expect(one.calls).toHaveLength(reads);
      await one.last().answer(good(reads));
    }
  });
});
