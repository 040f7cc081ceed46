// The entries that a directive marks stale, and those that it refetches.

import type { Target } from '@edict/core';
import { markedBy } from '@edict/core/internal';
import { hydrate } from '@edict/core/hydration';
import { createSimulation } from '@edict/core/testing';
import { describe, expect, it } from 'vitest';
import { refreshItem, refreshList } from '../directives.ts';
import { createStage } from '../world.ts';
import { apply } from './setup.ts';

describe('§4.5 refresh_collection', () => {
  const sets: (object | undefined)[] = [
    undefined,
    { status: 'open' },
    { page: 1, status: 'open' },
    { page: 1 },
  ];
  const name = (params: object | undefined): string => `tickets ${JSON.stringify(params ?? {})}`;

  it.each<[string, object, number[]]>([
    ['1 without params: every cached params set', {}, [0, 1, 2, 3]],
    ['1 with null params: every cached params set', { params: null }, [0, 1, 2, 3]],
    ['2 exact: only the equal params', { params: { status: 'open' }, params_mode: 'exact' }, [1]],
    ['2 exact is the default', { params: { status: 'open' } }, [1]],
    ['2 exact, keys in another order', { params: { status: 'open', page: 1 } }, [2]],
    ['2 exact with empty params: only the entry without', { params: {} }, [0]],
    ['2 exact with a value that no entry has', { params: { status: 'done' } }, []],
    ['2 exact with an extra key', { params: { status: 'open', page: 1, q: 'x' } }, []],
    ['3 contains: a superset matches', { params: { status: 'open' }, params_mode: 'contains' }, [1, 2]],
    ['3 contains, another key', { params: { page: 1 }, params_mode: 'contains' }, [2, 3]],
    ['3 contains, both keys', { params: { page: 1, status: 'open' }, params_mode: 'contains' }, [2]],
    ['3 contains with another value', { params: { status: 'done' }, params_mode: 'contains' }, []],
    ['3 contains with a value of another type', { params: { page: '1' }, params_mode: 'contains' }, []],
    ['3 contains with empty params: every entry', { params: {}, params_mode: 'contains' }, [0, 1, 2, 3]],
  ])('%s', async (_title, more, expected) => {
    const stage = createStage();
    await stage.hold(...sets.map((params) => () => stage.list('tickets', params)), () => stage.list('notes'));
    await apply(stage, refreshList('tickets', more));
    expect(stage.taken().toSorted()).toEqual(expected.map((index) => name(sets[index])).toSorted());
  });

  it('1 each client refetches the params sets that it has cached', async () => {
    const a = createStage({ init: { sse: {} } });
    const b = createStage({ sim: a.sim, init: { sse: {} } });
    await a.hold(() => a.list('tickets', { page: 1 }));
    await b.hold(
      () => b.list('tickets', { page: 2 }),
      () => b.list('tickets'),
    );
    a.sim.hub.emit([{ op: 'refresh_collection', name: 'tickets' }]);
    await a.sim.advance(100);
    expect(a.taken()).toEqual(['tickets {"page":1}']);
    expect(b.taken().toSorted()).toEqual(['tickets {"page":2}', 'tickets {}']);
    a.dl.dispose();
    b.dl.dispose();
  });
});

describe('§4.5 D-DIR-4 D-DIR-8 refresh_item without a result', () => {
  it.each<[title: string, type: string, held: string[], more: object, levels: string[]]>([
    ['1 without level, the one cached level', 'doc', ['simplified'], {}, ['simplified']],
    ['1 without level, the default level', 'doc', ['default'], {}, ['default']],
    [
      '1 without level, all cached levels that do not convert to each other',
      'doc',
      ['default', 'full'],
      {},
      ['default', 'full'],
    ],
    [
      '1 without level, a cached level that another one converts to is not fetched',
      'doc',
      ['simplified', 'full'],
      {},
      ['full'],
    ],
    ['1 without level, three in a chain', 'doc', ['simplified', 'expanded', 'full'], {}, ['full']],
    ['2 with level, only another level is cached', 'doc', ['default'], { level: 'expanded' }, ['expanded']],
    ['2 with level, the level is cached', 'doc', ['expanded'], { level: 'expanded' }, ['expanded']],
    [
      '2 with level, other cached levels stay as they are',
      'card',
      ['head', 'body'],
      { level: 'head' },
      ['head'],
    ],
    ['3 a cached level that it converts to', 'doc', ['simplified'], { level: 'full' }, ['full']],
    [
      '3 all cached levels that it converts to',
      'doc',
      ['simplified', 'expanded'],
      { level: 'full' },
      ['full'],
    ],
    [
      '3 not a cached level that converts to it',
      'doc',
      ['simplified', 'full'],
      { level: 'expanded' },
      ['expanded'],
    ],
    [
      '3 the named level, even if a cached level converts to it',
      'doc',
      ['simplified', 'full'],
      { level: 'simplified' },
      ['simplified'],
    ],
    ['with the id as a string', 'ticket', ['default'], { id: '7' }, ['default']],
  ])('fetches the fewest levels: %s', async (_title, type, held, more, levels) => {
    const stage = createStage();
    // Fetched one after another, so that each level is cached with its own payload.
    for (const level of held) await stage.hold(() => stage.dl.fetchItem(type, 7, level, { force: true }));
    await apply(stage, refreshItem(type, 7, more));
    const calls = levels.map((level) => (level === 'default' ? `${type} 7` : `${type} 7 ${level}`));
    expect(stage.taken().toSorted()).toEqual(calls);
    const { triggered, satisfied } = stage.of('directive:processed')[0] ?? {};
    expect(triggered).toEqual(levels.map((level) => ({ kind: 'item', type, id: 7, level })));
    expect(satisfied).toEqual([]);
  });

  it('2 3 makes the named level and the levels that it converts to cached and fresh', async () => {
    const stage = createStage();
    await stage.hold(() => stage.item('doc', 7, 'simplified'));
    await stage.sim.advance(20_000);
    await apply(stage, refreshItem('doc', 7, { level: 'full' }));
    stage.taken();
    for (const level of ['full', 'expanded', 'simplified']) stage.item('doc', 7, level);
    await stage.sim.advance(100);
    expect(stage.taken()).toEqual([]);
    expect(stage.dl.getItemRef('doc', 7).meta.levelStamps['full']).not.toBeNull();
  });

  it('fetches a cached level that the named level converts to if the request for the named level fails', async () => {
    const stage = createStage();
    await stage.hold(() => stage.item('doc', 7, 'simplified'));
    stage.server.item = (_type, id, level) => {
      if (level === 'full') throw new Error('too much');
      return { id, [level]: 2 };
    };
    await apply(stage, refreshItem('doc', 7, { level: 'full' }));
    expect(stage.taken()).toEqual(['doc 7 full', 'doc 7 simplified']);
    expect(stage.dl.getItemRef('doc', 7).data).toEqual({ id: 7, simplified: 2 });
  });

  it('does not fetch a cached level that is no longer registered', async () => {
    const stage = createStage();
    await stage.hold(
      () => stage.item('doc', 7),
      () => stage.item('doc', 7, 'full'),
    );
    stage.dl.createType('doc', { fetch: (id) => ({ id }) });
    await apply(stage, refreshItem('doc', 7), refreshItem('doc', 7, { result: { id: 7 } }));
    const [plain, inline] = stage.of('directive:processed');
    const whole = { kind: 'item', type: 'doc', id: 7, level: 'default' };
    expect(plain).toMatchObject({ triggered: [whole], satisfied: [] });
    expect(inline).toMatchObject({ triggered: [], satisfied: [whole] });
    expect(stage.taken()).toEqual([]);
    expect(stage.dl.getItemRef('doc', 7).data).toMatchObject({ id: 7, full: 1 });
  });
});

describe('D-DIR-3 D-DIR-4 a directive', () => {
  it.each([
    ['a collection that is not registered', refreshList('nowhere')],
    ['a collection that is not registered, with a result', refreshList('nowhere', { result: { ids: [] } })],
    ['a type that is not registered', refreshItem('nothing', 1)],
    ['a type that is not registered, with a result', refreshItem('nothing', 1, { result: {} })],
    ['a level that is not registered', refreshItem('doc', 7, { level: 'nonsense' })],
    [
      'a level that is not registered, with a result',
      refreshItem('doc', 7, { level: 'nonsense', result: {} }),
    ],
    ['an item that is not cached', refreshItem('ticket', 99)],
    ['an item that is not cached, with a level', refreshItem('doc', 99, { level: 'full' })],
    ['an item that has a reference but no data', refreshItem('doc', 5)],
    ['an item that has a reference but no data, with a level', refreshItem('doc', 5, { level: 'full' })],
    ['a collection without cached entries', refreshList('notes')],
    ['a params set that is not cached', refreshList('tickets', { params: { page: 9 } })],
    [
      'params that no cached entry contains',
      refreshList('tickets', { params: { page: 9 }, params_mode: 'contains' }),
    ],
    ['an unregistered name in the client shape', { op: 'refresh', name: 'nowhere' }],
    ['an unregistered name in a legacy invalidate', { op: 'invalidate', name: 'nowhere' }],
    ['a name that every JavaScript object has as a property', refreshItem('constructor', '__proto__')],
  ])('for %s causes no fetch and no entry, and triggers nothing', async (_title, directive) => {
    const stage = createStage();
    const { dl, hold, item, list } = stage;
    await hold(
      () => item('ticket', 1),
      () => item('doc', 7, 'full'),
      () => list('tickets'),
      () => list('tickets', { page: 1 }),
      () => dl.getItemRef('doc', 5),
    );
    const before = dl.state().memory;
    await apply(stage, directive);
    expect(stage.taken()).toEqual([]);
    expect(stage.of('directive:processed')).toEqual([{ directive, triggered: [], satisfied: [] }]);
    expect(stage.of('directive:rejected')).toEqual([]);
    expect(dl.state().memory).toEqual(before);
  });
});

describe('entries that a directive only marks stale', () => {
  const tickets: Target = { kind: 'collection', name: 'tickets', params: { status: 'open' } };
  const two: Target = { kind: 'item', type: 'ticket', id: 2, level: 'default' };

  /** Two tickets, the first of them watched, and a list that is not watched. */
  async function setup(refetch: 'held' | 'watched') {
    const stage = createStage({ init: { sse: { enabled: false }, bulk: { refetch } } });
    const { dl, hold, item, list } = stage;
    await hold(
      () => item('ticket', 1),
      () => item('ticket', 2),
      () => list('tickets', { status: 'open' }),
    );
    dl.onRefChange(dl.getItemRef('ticket', 1), () => undefined);
    const marks: Target[][] = [];
    dl.onLifecycle('directive:processed', ({ detail }) => void marks.push([...markedBy(dl, detail)]));
    return { stage, marks };
  }

  it('D-REG-3 D-DIR-4 are those without subscribers with bulk.refetch "watched", and triggered does not list them', async () => {
    const { stage, marks } = await setup('watched');
    await apply(
      stage,
      refreshItem('ticket', 1),
      refreshItem('ticket', 2),
      refreshList('tickets'),
      refreshItem('ticket', 3),
    );
    expect(marks).toEqual([[], [two], [tickets], []]);
    expect(stage.of('directive:processed').map(({ triggered }) => triggered.length)).toEqual([1, 0, 0, 0]);
    expect(stage.dl.getItemRef('ticket', 1).meta.isStale).toBe(false);
    expect(stage.dl.getItemRef('ticket', 2).meta.isStale).toBe(true);
    expect(stage.taken()).toEqual(['ticket 1']);
    stage.item('ticket', 2);
    expect(stage.taken()).toEqual(['ticket 2']);
  });

  it('D-DIR-1 are those without subscribers with the legacy invalidate', async () => {
    const { stage, marks } = await setup('held');
    await apply(stage, { op: 'invalidate', kind: 'item', name: 'ticket' });
    expect(marks).toEqual([[two]]);
    expect(stage.taken()).toEqual(['ticket 1']);
  });

  it('D-DIR-4 are not those that are refetched or have an inline result, and the detail has no other field', async () => {
    const { stage, marks } = await setup('held');
    void stage.dl.applyDirectives([refreshItem('ticket', 2, { result: { id: 2 } }), refreshList('tickets')]);
    expect(marks).toEqual([[], []]);
    expect(stage.of('directive:processed').map((detail) => Object.keys(detail))).toEqual([
      ['directive', 'triggered', 'satisfied'],
      ['directive', 'triggered', 'satisfied'],
    ]);
  });
});

it('a directive for more items than a function call can have arguments is applied', () => {
  const dl = createSimulation().createDataLayer({ sse: { enabled: false }, memory: { enabled: false } });
  const many = 150_000; // A call can have about 125,000 arguments.
  dl.createType('ticket', { fetch: () => new Promise(() => {}), bulkFetch: () => new Promise(() => {}) });
  const items = Array.from({ length: many }, (_, id) => ({
    type: 'ticket',
    id,
    payloads: [{ levels: ['default'], data: id, ageMs: 0 }],
  }));
  hydrate(dl, { v: 1, items, collections: [], cursors: [] });
  for (let id = 0; id < many; id += 1) dl.onRefChange(dl.getItemRef('ticket', id), () => {});
  void dl.applyDirectives([{ op: 'invalidate', kind: 'item', name: 'ticket' }]);
  expect(dl.getItemRef('ticket', many - 1).meta.isStale).toBe(true);
  dl.dispose();
});
