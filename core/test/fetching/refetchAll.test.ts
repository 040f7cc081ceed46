// A page that becomes visible again reads the stale entries that have a subscriber.

import { describe, expect, it } from 'vitest';
import { has } from '../levels/setup.ts';
import { createWorld } from '../world.ts';
import { kinds, setup, type Setup } from './kinds.ts';

describe.each(kinds)(
  'D-FETCH-9 a page that becomes visible again ($kind)',
  ({ kind, calls, read, good, named, intended }) => {
    it('reads a stale entry that has a subscriber', async () => {
      const world = setup();
      const ref = read(world);
      await calls(world).last().answer(good(1));
      world.dl.onRefChange(ref, () => undefined);
      world.sim.page.setVisible(false);
      await world.sim.advance(15_000);
      expect(calls(world).calls).toHaveLength(1);
      world.events.length = 0;
      world.sim.page.setVisible(true);
      expect(calls(world).calls).toHaveLength(2);
      expect(world.of(`${kind}:fetch:intent`)).toEqual([
        { ...named, qid: calls(world).last().ctx.qid, ...intended(false) },
      ]);
    });

    it('emits no event for a fresh entry', async () => {
      const world = setup();
      world.dl.onRefChange(read(world), () => undefined);
      await calls(world).last().answer(good(1));
      world.sim.page.setVisible(false);
      world.events.length = 0;
      world.sim.page.setVisible(true);
      expect(world.names()).toEqual([]);
    });

    it.each<[string, (world: Setup) => Promise<void>]>([
      ['without a subscriber', async (world) => world.sim.advance(15_000)],
      [
        'whose subscriber is gone',
        async (world) => {
          world.dl.onRefChange(read(world), () => undefined)();
          await world.sim.advance(15_000);
        },
      ],
      [
        'that is still fresh',
        async (world) => {
          world.dl.onRefChange(read(world), () => undefined);
          await world.sim.advance(14_999);
        },
      ],
      [
        'that has failed',
        async (world) => {
          world.dl.onRefChange(read(world, { force: true }), () => undefined);
          await calls(world).last().fail(new Error('down'));
          await world.sim.advance(15_000);
        },
      ],
    ])('fetches no entry %s', async (_, prepare) => {
      const world = setup();
      read(world);
      await calls(world).last().answer(good(1));
      world.sim.page.setVisible(false);
      await prepare(world);
      const before = calls(world).calls.length;
      world.sim.page.setVisible(true);
      await world.sim.advance(1000);
      expect(calls(world).calls).toHaveLength(before);
    });
  },
);

describe('D-FETCH-9 a page that becomes visible again', () => {
  it('reads every stale level of an item with a subscriber', async () => {
    const { dl, sim, item, full } = setup();
    const ref = dl.fetchItem('ticket', 1);
    dl.fetchItem('ticket', 1, 'full');
    dl.onRefChange(ref, () => undefined);
    await item.last().answer({ id: 1 });
    await sim.advance(5000);
    await full.last().answer({ id: 1 });
    sim.page.setVisible(false);
    await sim.advance(10_000);
    sim.page.setVisible(true);
    expect([item.calls.length, full.calls.length]).toEqual([2, 1]);
    await item.last().answer({ id: 1 });
    sim.page.setVisible(false);
    await sim.advance(15_000);
    sim.page.setVisible(true);
    expect([item.calls.length, full.calls.length]).toEqual([3, 2]);
  });

  /** A watched `brief`, which a response for `full` contains. */
  async function watchBrief() {
    const { dl, sim, held } = createWorld();
    const [brief, full] = [held(), held()];
    dl.createType('doc', {
      fetch: brief.fetch,
      levelConversionMap: { full: ['brief'] },
      levels: { brief: { fetch: brief.fetch }, full: { fetch: full.fetch } },
    });
    dl.onRefChange(dl.fetchItem('doc', 1, 'brief'), () => undefined);
    await brief.last().answer({ id: 1 });
    return { dl, sim, brief, full };
  }

  it('reads levels that convert to each other with the fewest requests', async () => {
    const { dl, sim, brief, full } = await watchBrief();
    dl.fetchItem('doc', 1, 'full');
    await full.last().answer({ id: 1 });
    await sim.advance(15_000);
    sim.page.setVisible(false);
    sim.page.setVisible(true);
    expect([brief.calls.length, full.calls.length]).toEqual([1, 2]);
    await full.last().answer({ id: 1 });
    expect([brief.calls.length, full.calls.length]).toEqual([1, 2]);
  });

  it('D-LEVEL-6 joins a request for a level that converts to the stale one', async () => {
    const { dl, sim, brief, full } = await watchBrief();
    sim.page.setVisible(false);
    await sim.advance(15_000);
    dl.fetchItem('doc', 1, 'full');
    sim.page.setVisible(true);
    expect([brief.calls.length, full.calls.length]).toEqual([1, 1]);
  });

  it('reads a level itself if the response of another level does not contain it as expected', async () => {
    const { dl, sim, held } = createWorld();
    const [brief, full] = [held(), held()];
    dl.createType('doc', {
      fetch: brief.fetch,
      levelConversionMap: { full: ['brief'] },
      levels: { full: { fetch: full.fetch }, brief: { fetch: brief.fetch, checkIfExists: has('brief') } },
    });
    dl.onRefChange(dl.fetchItem('doc', 1, 'full'), () => undefined);
    await full.last().answer({ full: 1, brief: 1 });
    await sim.advance(15_000);
    sim.page.setVisible(false);
    sim.page.setVisible(true);
    await full.last().answer({ full: 2 });
    expect([full.calls.length, brief.calls.length]).toEqual([2, 1]);
  });

  it('skips a level that is no longer registered', async () => {
    const { dl, sim, item, full } = setup();
    const ref = dl.fetchItem('ticket', 1, 'full');
    dl.fetchItem('ticket', 1);
    dl.onRefChange(ref, () => undefined);
    await full.last().answer({ id: 1 });
    await item.last().answer({ id: 1 });
    dl.createType('ticket', { fetch: item.fetch });
    await sim.advance(20_000);
    sim.page.setVisible(false);
    sim.page.setVisible(true);
    expect([item.calls.length, full.calls.length, ref.meta.error]).toEqual([2, 1, null]);
  });

  it('fetches nothing when it becomes hidden', async () => {
    const { dl, sim, item } = setup();
    dl.onRefChange(dl.fetchItem('ticket', 1), () => undefined);
    await item.last().answer({ id: 1 });
    await sim.advance(20_000);
    sim.page.setVisible(false);
    await sim.advance(0);
    expect(item.calls).toHaveLength(1);
  });

  it('reads many stale entries in one batch', async () => {
    const { dl, sim, many } = setup();
    const refs = [1, 2, 3].map((id) => dl.fetchItem('note', id));
    for (const ref of refs) dl.onRefChange(ref, () => undefined);
    await sim.advance(0);
    await many.last().answer([{ id: 1 }, { id: 2 }, { id: 3 }]);
    sim.page.setVisible(false);
    await sim.advance(20_000);
    sim.page.setVisible(true);
    await sim.advance(0);
    expect(many.calls.map(({ asked }) => asked)).toEqual([
      [1, 2, 3],
      [1, 2, 3],
    ]);
  });

  it('has one listener regardless of the number of subscribers', () => {
    const { dl, sim } = setup();
    const before = sim.page.listeners();
    for (let id = 0; id < 50; id += 1) dl.onRefChange(dl.getItemRef('ticket', id), () => undefined);
    expect(sim.page.listeners()).toBe(Math.max(before, 1));
  });
});
