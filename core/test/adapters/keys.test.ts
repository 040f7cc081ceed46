// Which keys of another cache a directive is about, as tables.

import { connectSwr, type SwrOptions } from '@edict/core/adapters/swr';
import { createSimulation } from '@edict/core/testing';
import { describe, expect, it } from 'vitest';

const item = (id: string | number | null, level: string | null = null): object =>
  id === null
    ? { op: 'invalidate', kind: 'item', name: 'ticket', level }
    : { op: 'refresh_item', name: 'ticket', id, level };
const collection = (params: object | null, params_mode: 'exact' | 'contains' = 'exact'): object => ({
  op: 'refresh_collection',
  name: 'tickets',
  params,
  params_mode,
});

/** A cache with these keys receives a directive. Returns the keys that it refetches, and those that receive the inline result. */
async function receive(
  directive: object,
  keys: readonly unknown[],
  options: SwrOptions = {},
): Promise<{ refetched: unknown[]; replaced: unknown[] }> {
  const sim = createSimulation();
  const dl = sim.createDataLayer({ sse: { enabled: false } });
  const done = { refetched: [] as unknown[], replaced: [] as unknown[] };
  const mutate = async (key: unknown, _data?: unknown, how?: object): Promise<void> => {
    if (typeof key === 'function') for (const one of keys) key(one);
    else done[how === undefined ? 'refetched' : 'replaced'].push(key);
  };
  connectSwr(dl, { mutate }, { env: sim.env, ...options });
  dl.ingestEnvelope({ type: 'directives', seq: 1, audience: 'global', directives: [directive] });
  await sim.advance(1000);
  dl.dispose();
  expect(sim.log).toEqual([]);
  return done;
}
const refetched = async (
  directive: object,
  keys: readonly unknown[],
  options?: SwrOptions,
): Promise<unknown> => (await receive(directive, keys, options)).refetched;

describe('the keys of an item', () => {
  const keys = [
    ['ticket', 7],
    ['ticket', '7', 'full'],
    ['ticket', 7, 'default'],
    ['ticket', 70],
    ['tickets', 7],
    'ticket',
  ];

  it.each<[string, object, unknown[]]>([
    ['all its levels, 7 and "7" alike (D-REG-5)', item(7), [keys[0], keys[1], keys[2]]],
    ['the same for the id as a string', item('7'), [keys[0], keys[1], keys[2]]],
    ['one level', item(7, 'full'), [keys[1]]],
    ['every item of the type', item(null), [keys[0], keys[1], keys[2], keys[3]]],
    ['no numeric key for a string with a leading zero', item('07'), []],
    ['the default level, named or not (D-REG-6)', item(7, 'default'), [keys[0], keys[2]]],
    ['every item of the type, whatever its level', item(null, 'full'), [keys[0], keys[1], keys[2], keys[3]]],
  ])('are %s', async (_, directive, expected) => {
    expect(await refetched(directive, keys)).toEqual(expected);
  });

  it('come from the application: arrays, strings, predicates, or null', async () => {
    const all = ['/api/tickets/7', '/api/tickets/8', ['t', 7, 'x']];
    expect(await refetched(item(7), all, { item: (_, id) => `/api/tickets/${id}` })).toEqual([
      '/api/tickets/7',
    ]);
    expect(await refetched(item(7), all, { item: (_, id) => ['t', id] })).toEqual([['t', 7, 'x']]);
    expect(await refetched(item(7), all, { item: () => (key) => String(key).includes('8') })).toEqual([
      '/api/tickets/8',
    ]);
    expect(await refetched(item(7), all, { item: () => null })).toEqual([]);
    expect(await refetched(item(7), all, { item: () => [null] })).toEqual([]);
  });
});

describe('the keys of a collection', () => {
  const none = ['tickets'];
  const empty = ['tickets', {}];
  const open = ['tickets', { status: 'open' }];
  const first = ['tickets', { page: 1, status: 'open', q: undefined }];
  const other = ['users', { status: 'open' }];
  const keys = [none, empty, open, first, other];

  it.each<[string, object, unknown[]]>([
    ['every params set without params', collection(null), [none, empty, open, first]],
    ['the equal params set, in any order', collection({ status: 'open', page: 1 }), [first]],
    ['no params and {} alike (D-PARAM-1)', collection({}), [none, empty]],
    ['those that contain the params (D-PARAM-3)', collection({ status: 'open' }, 'contains'), [open, first]],
    ['every params set that contains {}', collection({}, 'contains'), [none, empty, open, first]],
    ['none if no params are equal', collection({ status: 'closed' }), []],
    ['none for a string instead of a number', collection({ page: '1' }, 'contains'), []],
  ])('are %s', async (_, directive, expected) => {
    expect(await refetched(directive, keys)).toEqual(expected);
  });

  it('may continue after the params, as those of an item after the level', async () => {
    const pages = [
      ['tickets', { status: 'open' }, 'pages'],
      ['tickets', {}, 'pages'],
    ];
    const [openPages, allPages] = pages;
    expect(await refetched(collection({ status: 'open' }), pages)).toEqual([openPages]);
    expect(await refetched(collection({}), pages)).toEqual([allPages]);
    expect(await refetched(collection({ status: 'open' }, 'contains'), pages)).toEqual([openPages]);
    const key: SwrOptions = { collection: (name, params) => [name, params, 'pages'] };
    expect(await refetched(collection(null), [...pages, none], key)).toEqual(pages);
  });

  it('without params receive an inline result without params, and the others are refetched', async () => {
    const directive = { ...collection(null), result: { ids: [1] } };
    expect(await receive(directive, keys, { collectionData: (_name, _params, result) => result })).toEqual({
      replaced: [none, empty],
      refetched: [open, first],
    });
  });

  it('may contain values without a JSON form', async () => {
    const date = new Date(5);
    const odd = [
      ['tickets', { at: date }],
      ['tickets', { run: () => 1 }],
      ['tickets', 5n],
    ];
    expect(await refetched(collection({ at: date.toISOString() }), odd)).toEqual([odd[0]]);
    expect(await refetched(collection({ a: 1 }, 'contains'), odd)).toEqual([]);
  });
});
