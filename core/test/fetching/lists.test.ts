// Collections with `of`: what their fetch function may return, how the items are stored, and which requests they save.

import { createDataLayer, defineCollection, defineItem, type Id, type ItemReference } from '@edict/core';
import { dehydrate, hydrate, readDehydrated } from '@edict/core/hydration';
import { createSimulation } from '@edict/core/testing';
import { describe, expect, it } from 'vitest';
import { missOne, refreshItem, refreshList } from '../directives.ts';
import { createWorld, untyped } from '../world.ts';

interface Options {
  level?: string;
  stalenessMs?: number;
  retry?: number;
  hasBulk?: boolean;
  of?: string | null;
  delayMs?: number;
}

/** Tickets with the levels `full` → `default` and `side`, and a list of them. The test sends each response. */
function setup({
  level,
  stalenessMs = 3_600_000,
  retry = 0,
  hasBulk = true,
  of = 'ticket',
  delayMs = 50,
}: Options = {}) {
  const world = createWorld({ init: { bulk: { delayMs } } });
  const one = world.held();
  const many = world.held();
  const list = world.held();
  world.dl.createType('ticket', {
    stalenessMs,
    fetch: one.fetch,
    ...(hasBulk ? { bulkFetch: many.bulkFetch } : {}),
    levels: { full: { fetch: one.fetch }, side: { fetch: one.fetch } },
    levelConversionMap: { full: ['default'] },
  });
  const config = {
    stalenessMs: 3_600_000,
    fetch: list.fetch,
    retry,
    ...(of === null ? {} : { of }),
    ...(level === undefined ? {} : { level }),
  };
  world.dl.createCollection('tickets', untyped(config)); // Some of the responses are wrong on purpose.
  const asked = (): unknown[] => [
    ...list.calls.map(() => 'list'),
    ...many.calls.map((call) => call.asked),
    ...one.calls.map((call) => call.asked),
  ];
  return { ...world, one, many, list, asked };
}

const rows = (version: number, ...ids: Id[]): object[] => ids.map((id) => ({ id, version }));

/** Watches a screen with the list and the items. */
function watch({ dl }: ReturnType<typeof setup>, ids: readonly Id[], level?: string): ItemReference[] {
  dl.onRefChange(dl.fetchCollection('tickets'), () => undefined);
  return ids.map((id) => {
    const ref = dl.fetchItem('ticket', id, level);
    dl.onRefChange(ref, () => undefined);
    return ref;
  });
}

/** A screen that shows the list and its rows, with no request left. */
async function screen(options: Options, ids: readonly Id[], response: unknown = rows(1, ...ids)) {
  const world = setup(options);
  world.dl.fetchCollection('tickets');
  await world.list.last().answer(response);
  const refs = watch(world, ids);
  await world.sim.advance(0);
  for (const held of [world.list, world.one, world.many]) held.calls.length = 0;
  world.events.length = 0;
  return { ...world, refs };
}

describe('the response of a collection', () => {
  it.each<[name: string, options: Options, response: unknown, data: object, stored: boolean]>([
    ['an array of items', {}, rows(1, 1, 2), { ids: [1, 2], count: 2 }, true],
    ['an empty array', {}, [], { ids: [], count: 0 }, false],
    ['items', {}, { items: rows(1, 1, 2) }, { ids: [1, 2], count: 2 }, true],
    [
      'items, count, and info',
      {},
      { items: rows(1, 1), count: 9, info: { next: 'b' } },
      { ids: [1], count: 9, info: { next: 'b' } },
      true,
    ],
    ['ids', {}, { ids: [1, 2] }, { ids: [1, 2], count: 2 }, false],
    ['ids, count, and info', {}, { ids: [1], count: 9, info: 'b' }, { ids: [1], count: 9, info: 'b' }, false],
    [
      'ids and info without `of`',
      { of: null },
      { ids: [1], info: null },
      { ids: [1], count: 1, info: null },
      false,
    ],
    ['undefined info', { of: null }, { ids: [1], info: undefined }, { ids: [1], count: 1 }, false],
  ])('may be %s', async (_, options, response, data, stored) => {
    const { dl, list } = setup(options);
    const ref = dl.fetchCollection('tickets');
    await list.last().answer(response);
    expect(ref.meta.error).toBeNull();
    expect(ref.data).toStrictEqual(data);
    expect(dl.getItemRef('ticket', 1).data).toEqual(stored ? { id: 1, version: 1 } : null);
  });

  const arrays =
    '[edict] Collection "tickets": fetch must return { ids, count? } or { items }, but returned an array. Return { items: rows } or { ids: rows.map((row) => row.id) }.';
  it.each<[name: string, options: Options, response: unknown, message: string]>([
    ['an array without `of`', { of: null }, rows(1, 1), arrays],
    ['items without `of`', { of: null }, { items: rows(1, 1) }, 'set "of" to their type'],
    [
      'a string',
      {},
      'x',
      '[edict] Collection "tickets": fetch must return { ids, count? } or { items }, but returned "x".',
    ],
    [
      'an object with other fields',
      {},
      { tickets: [], total: 0 },
      '[edict] Collection "tickets": fetch must return { ids, count? } or { items }, but returned an object with tickets, total. Return { items: tickets } or { ids: tickets.map((row) => row.id) }. To return items, set "of" to their type.',
    ],
    [
      'an item without an id',
      {},
      [{ id: 1 }, {}],
      '[edict] Collection "tickets": item 1 has no id. Return items with an "id", or set getId of type "ticket".',
    ],
    ['null as an item', {}, [{ id: 1 }, null], 'item 1 has no id'],
    [
      'an unregistered type',
      { of: 'card' },
      rows(1, 1),
      '[edict] Collection "tickets": level "default" of type "card" is not registered.',
    ],
    [
      'an unregistered level',
      { level: 'wide' },
      rows(1, 1),
      'level "wide" of type "ticket" is not registered.',
    ],
    [
      'a wrong count',
      {},
      { items: rows(1, 1), count: '9' },
      'Collection "tickets": count must be a finite number',
    ],
  ])('fails with %s', async (_, options, response, message) => {
    const { dl, list } = setup(options);
    const ref = dl.fetchCollection('tickets');
    await list.last().answer(response);
    expect(ref.meta.error).toContain(message);
    expect(ref.data).toEqual({ ids: [], count: 0 });
  });

  it.each(['synchronous', 'asynchronous'])(
    'fails if an item does not fit the %s schema of its level',
    async (kind) => {
      const { dl, list, one } = setup();
      const validate = (
        value: unknown,
      ): { value: unknown } | { issues: { message: string; path: string[] }[] } =>
        (value as { title?: string }).title === undefined
          ? { issues: [{ message: 'is missing', path: ['title'] }] }
          : { value: { ...(value as object), isValid: true } };
      const schema = {
        '~standard': {
          version: 1,
          vendor: 'test',
          validate: kind === 'synchronous' ? validate : (value: unknown) => Promise.resolve(validate(value)),
        },
      } as const;
      dl.createType('ticket', { fetch: one.fetch, schema });
      const ref = dl.fetchCollection('tickets');
      await list.last().answer([{ id: 1, title: 'a' }, { id: 2 }]);
      expect(ref.meta.error).toBe(
        '[edict] Collection "tickets": item 1 does not fit its schema: title: is missing',
      );
      dl.fetchCollection('tickets', { force: true });
      await list.last().answer([{ id: 1, title: 'a' }]);
      expect(dl.getItemRef('ticket', 1).data).toEqual({ id: 1, title: 'a', isValid: true });
    },
  );

  it('is read with getId, and accepts a definition as `of`', async () => {
    const dl = createDataLayer();
    const card = defineItem('card', {
      fetch: (key: string): { key: string } => ({ key }),
      getId: (item) => item.key,
    });
    const cards = defineCollection('cards', { of: card, fetch: () => [{ key: 'a' }, { key: 'b' }] });
    dl.register(card, cards);
    expect((await dl.ensureCollection(cards)).ids).toEqual(['a', 'b']);
    expect(dl.getItemRef(card, 'b').data).toEqual({ key: 'b' });
    dl.dispose();
  });
});

describe('info', () => {
  it('is replaced by an inline result, and removed by one without info', async () => {
    const { dl, list } = setup();
    const ref = dl.fetchCollection('tickets');
    await list.last().answer({ ids: [1], info: 'a' });
    void dl.applyDirectives([refreshList('tickets', { result: { ids: [2], count: 5, info: 'b' } })]);
    expect(ref.data).toStrictEqual({ ids: [2], count: 5, info: 'b' });
    void dl.applyDirectives([refreshList('tickets', { result: { ids: [3] } })]);
    expect(ref.data).toStrictEqual({ ids: [3], count: 1 });
  });

  it('an inline result with items is rejected, and the list is refetched', async () => {
    const { dl, list, sim, of } = setup();
    dl.fetchCollection('tickets');
    await list.last().answer([]);
    void dl.applyDirectives([refreshList('tickets', { result: rows(2, 1) })]);
    await sim.advance(50);
    expect(of('directive:rejected')).toHaveLength(1);
    expect(list.calls).toHaveLength(2);
  });

  it('and the items of a list are part of a dehydrated state', async () => {
    const server = setup();
    server.dl.fetchCollection('tickets');
    await server.list.last().answer({ items: rows(1, 7), count: 3, info: { next: 'b' } });
    const state = dehydrate(server.dl);
    const browser = setup();
    const data = { ids: [7], count: 3, info: { next: 'b' } };
    expect(readDehydrated(browser.dl, state, { name: 'tickets' })?.data).toStrictEqual(data);
    hydrate(browser.dl, structuredClone(state));
    expect(browser.dl.fetchCollection('tickets').data).toStrictEqual(data);
    expect(browser.dl.fetchItem('ticket', 7).data).toEqual({ id: 7, version: 1 });
    expect(browser.asked()).toEqual([]);
  });
});

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

  it('is requested when an inline result replaces the list', async () => {
    const { dl, list, sim, asked } = await screen({}, [1]);
    void dl.applyDirectives([refreshItem('ticket', 1), refreshList('tickets')]);
    await sim.advance(50);
    void dl.applyDirectives([refreshList('tickets', { result: { ids: [1] } })]);
    await list.last().fail(new Error('late'));
    expect(asked()).toEqual(['list', 1]);
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
