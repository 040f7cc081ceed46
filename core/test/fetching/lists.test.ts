// Which requests a list saves when it and its items are refetched together.

import { describe, expect, it } from 'vitest';
import { missOne, refreshItem, refreshList } from '../directives.ts';
import { rows, screen, setup, watch } from './lists.ts';

/** What refetches a whole screen: a list and its items. */
const needs: [name: string, trigger: (world: Awaited<ReturnType<typeof screen>>) => Promise<void>][] = [
  [
    'a directive window',
    async ({ dl, sim }) => {
      void dl.applyDirectives([refreshItem('ticket', 1), refreshItem('ticket', 2), refreshList('tickets')]);
      await sim.advance(50);
    },
  ],
  [
    'a resync',
    async ({ dl, sim }) => {
      missOne(dl);
      await sim.advance(3600);
    },
  ],
  [
    'a page that becomes visible',
    async ({ sim }) => {
      sim.page.setVisible(false);
      await sim.advance(3_600_000);
      sim.page.setVisible(true);
      await sim.advance(0);
    },
  ],
];

describe.each(needs)('%s that refetches a list and its items', (_, trigger) => {
  it('requests the list alone, and nothing else if it contains the items', async () => {
    const world = await screen({}, [1, 2]);
    await trigger(world);
    expect(world.asked()).toEqual(['list']);
    expect(world.refs.map(({ meta }) => meta.isLoading)).toEqual([true, true]);
    await world.list.last().answer(rows(2, 1, 2));
    expect(world.asked()).toEqual(['list']);
    expect(world.refs.map(({ data, meta }) => [data, meta.isLoading, meta.isStale])).toEqual(
      rows(2, 1, 2).map((row) => [row, false, false]),
    );
  });

  it('requests the missing items together when the list has arrived', async () => {
    const world = await screen({}, [1, 2, 3]);
    await trigger(world);
    await world.list.last().answer(rows(2, 3));
    expect(world.asked()).toEqual(['list', [1, 2]]);
  });

  it('requests all items together when the list has failed', async () => {
    const world = await screen({}, [1, 2]);
    await trigger(world);
    await world.list.last().fail(new Error('down'));
    expect(world.asked()).toEqual(['list', [1, 2]]);
    await world.many.last().answer(rows(2, 1, 2));
    expect(world.refs.map(({ data, meta }) => [data, meta.isLoading])).toEqual(
      rows(2, 1, 2).map((row) => [row, false]),
    );
  });

  it('waits for the first attempt of the list only', async () => {
    const world = await screen({ retry: 3 }, [1, 2]);
    await trigger(world);
    await world.list.last().fail(new Error('down'));
    expect(world.asked()).toEqual(['list', [1, 2]]);
    expect(world.dl.isCollectionLoading('tickets')).toBe(true);
  });

  it('requests the items immediately if the list returns another level', async () => {
    const world = await screen({ level: 'side' }, [1, 2], { ids: [1, 2] });
    await world.many.calls[0]?.answer(rows(1, 1, 2));
    const fresh = setup({ level: 'side' });
    fresh.dl.fetchCollection('tickets');
    await fresh.list.last().answer({ ids: [1, 2] });
    const refs = watch(fresh, [1, 2]);
    await fresh.sim.advance(0);
    await fresh.many.last().answer(rows(1, 1, 2));
    for (const held of [fresh.list, fresh.one, fresh.many]) held.calls.length = 0;
    await trigger({ ...fresh, refs });
    expect(fresh.asked()).toEqual(['list', [1, 2]]);
  });
});

describe('an item that waits for a list', () => {
  it('is awaited by the promises of its directives and references', async () => {
    const world = await screen({}, [1]);
    const { dl, list, one, sim, refs } = world;
    const done: string[] = [];
    void dl
      .applyDirectives([refreshItem('ticket', 1), refreshList('tickets')])
      .then(() => done.push('directives'));
    await sim.advance(50);
    void dl.whenSettled(refs[0]).then(() => done.push('reference'));
    void dl.whenSettled().then(() => done.push('all'));
    await list.last().answer([]);
    expect(done).toEqual([]);
    await one.last().answer({ id: 1 });
    expect(done.sort()).toEqual(['all', 'directives', 'reference']);
  });

  it('is joined by reads, and requested if one of them forces it', async () => {
    const { dl, list, one, sim, asked } = await screen({}, [1]);
    void dl.applyDirectives([refreshItem('ticket', 1), refreshList('tickets')]);
    await sim.advance(50);
    dl.fetchItem('ticket', 1);
    await list.last().answer(rows(2, 1));
    expect(asked()).toEqual(['list']);
    void dl.applyDirectives([refreshItem('ticket', 1), refreshList('tickets')]);
    await sim.advance(50);
    dl.fetchItem('ticket', 1, null, { force: true });
    await list.last().answer(rows(3, 1));
    expect(one.calls).toHaveLength(1);
  });

  it('is requested if another directive names it after the list was requested', async () => {
    const { dl, list, sim, asked } = await screen({}, [1]);
    void dl.applyDirectives([refreshItem('ticket', 1), refreshList('tickets')]);
    await sim.advance(50);
    void dl.applyDirectives([refreshItem('ticket', 1)]);
    await list.last().answer(rows(2, 1));
    expect(asked()).toEqual(['list', 1]);
  });

  it('is not requested if an inline result arrives meanwhile', async () => {
    const { dl, list, sim, asked, refs } = await screen({}, [1]);
    void dl.applyDirectives([refreshItem('ticket', 1), refreshList('tickets')]);
    await sim.advance(50);
    void dl.applyDirectives([refreshItem('ticket', 1, { result: { id: 1, version: 9 } })]);
    await list.last().answer([]);
    expect([asked(), refs[0]?.data]).toEqual([['list'], { id: 1, version: 9 }]);
  });

  it('waits for the follow-up of a list that was in flight', async () => {
    const { dl, list, sim, asked } = await screen({}, [1]);
    dl.fetchCollection('tickets', { force: true });
    void dl.applyDirectives([refreshItem('ticket', 1), refreshList('tickets')]);
    await sim.advance(50);
    await list.at(0).answer(rows(2, 1));
    expect(asked()).toEqual(['list', 'list']);
    await list.at(1).answer(rows(3, 1));
    expect(asked()).toEqual(['list', 'list']);
    expect(dl.getItemRef('ticket', 1).meta).toMatchObject({ isStale: false, isLoading: false });
  });

  it('is requested when the window closes if an inline result has answered the list by then', async () => {
    const { dl, sim, asked } = await screen({}, [1]);
    void dl.applyDirectives([refreshItem('ticket', 1), refreshList('tickets')]);
    void dl.applyDirectives([refreshList('tickets', { result: { ids: [1] } })]);
    await sim.advance(50);
    expect(asked()).toEqual([1]);
  });

  it('is requested when an inline result replaces the list', async () => {
    const { dl, list, sim, asked } = await screen({}, [1]);
    void dl.applyDirectives([refreshItem('ticket', 1), refreshList('tickets')]);
    await sim.advance(50);
    void dl.applyDirectives([refreshList('tickets', { result: { ids: [1] } })]);
    await list.last().fail(new Error('late'));
    expect(asked()).toEqual(['list', 1]);
  });

  it('waits for a list whose items have a level that converts to its own', async () => {
    const { dl, list, sim, asked } = await screen({ level: 'full' }, [1]);
    void dl.applyDirectives([refreshItem('ticket', 1), refreshList('tickets')]);
    await sim.advance(50);
    await list.last().answer(rows(2, 1));
    expect(asked()).toEqual(['list']);
  });

  it('waits for every list that may contain it', async () => {
    const world = await screen({}, [1]);
    const { dl, list, sim, asked } = world;
    dl.onRefChange(dl.fetchCollection('tickets', { params: { page: 2 } }), () => undefined);
    await list.last().answer([]);
    list.calls.length = 0;
    void dl.applyDirectives([refreshItem('ticket', 1), refreshList('tickets')]);
    await sim.advance(50);
    await list.at(0).answer([]);
    expect(asked()).toEqual(['list', 'list']);
    await list.at(1).answer([]);
    expect(asked()).toEqual(['list', 'list', 1]);
  });

  it('stops loading when the data layer is disposed', async () => {
    const { dl, sim, refs } = await screen({}, [1]);
    void dl.applyDirectives([refreshItem('ticket', 1), refreshList('tickets')]);
    await sim.advance(50);
    dl.dispose();
    await dl.whenSettled(refs[0]);
    expect(refs[0]?.meta.isLoading).toBe(false);
    expect(sim.pendingTimers()).toBe(0);
  });
});

it('D-FETCH-3 a list whose response is discarded caches none of its items', async () => {
  const { dl, list } = await screen({}, []);
  const tickets = dl.fetchCollection('tickets', { force: true });
  void dl.applyDirectives([refreshList('tickets', { seq: 1, result: { ids: [] } })]);
  await list.last().answer(rows(1, 7));
  expect([tickets.data.ids, dl.getItemRef('ticket', 7).data]).toEqual([[], null]);
});

it('one request restores a screen with one list and 50 rows after a gap', async () => {
  const ids = Array.from({ length: 50 }, (_, index) => index);
  const world = await screen({}, ids);
  missOne(world.dl);
  await world.sim.advance(3600);
  await world.list.last().answer(rows(2, ...ids));
  await world.sim.advance(10_000);
  expect(world.asked()).toEqual(['list']);
  expect(
    world.refs.every(({ data, meta }) => (data as { version: number }).version === 2 && !meta.isStale),
  ).toBe(true);
});
