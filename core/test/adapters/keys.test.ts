// Which keys a change is about, as tables.

import { describe, expect, it } from 'vitest';
import type { Change } from '../../src/adapters/changes.ts';
import { createGuard } from '../../src/adapters/guard.ts';
import { createKeys, type Concern, type KeyOptions } from '../../src/adapters/keys.ts';

const item = (id: string | number | null, level: string | null = null): Change => ({
  kind: 'item',
  type: 'ticket',
  id,
  level,
  result: null,
});
const collection = (params: object | null, mode: 'exact' | 'contains' = 'exact'): Change => ({
  kind: 'collection',
  name: 'tickets',
  params,
  mode,
  result: null,
});
const concernOf = (change: Change, options: KeyOptions): Concern =>
  createKeys(
    options,
    createGuard('test', (_level, message) => expect.fail(message)),
  ).concernOf(change);
const included = (change: Change, keys: readonly unknown[], options: KeyOptions = {}): unknown[] => {
  const { includes } = concernOf(change, options);
  return keys.filter((key) => includes(key));
};

describe('the keys of an item', () => {
  const keys = [
    ['ticket', 7],
    ['ticket', '7', 'full'],
    ['ticket', 7, 'default'],
    ['ticket', 70],
    ['tickets', 7],
    'ticket',
  ];

  it.each<[string, Change, unknown[]]>([
    ['all its levels, 7 and "7" alike (D-REG-5)', item(7), [keys[0], keys[1], keys[2]]],
    ['the same for the id as a text', item('7'), [keys[0], keys[1], keys[2]]],
    ['one level', item(7, 'full'), [keys[1]]],
    ['every item of the type', item(null), [keys[0], keys[1], keys[2], keys[3]]],
    ['a text that is no number is itself', item('07'), []],
    ['the default level, named or not (D-REG-6)', item(7, 'default'), [keys[0], keys[2]]],
    ['every item of the type, whatever its level', item(null, 'full'), [keys[0], keys[1], keys[2], keys[3]]],
  ])('are %s', (_, change, expected) => {
    expect(included(change, keys)).toEqual(expected);
  });

  it('are made by the application: lists, texts, tests, or nothing', () => {
    const all = ['/api/tickets/7', '/api/tickets/8', ['t', 7, 'x']];
    expect(included(item(7), all, { item: (_, id) => `/api/tickets/${id}` })).toEqual(['/api/tickets/7']);
    expect(included(item(7), all, { item: (_, id) => ['t', id] })).toEqual([['t', 7, 'x']]);
    expect(included(item(7), all, { item: () => (key) => String(key).includes('8') })).toEqual([
      '/api/tickets/8',
    ]);
    expect(included(item(7), all, { item: () => null })).toEqual([]);
    expect(included(item(7), all, { item: () => [null] })).toEqual([]);
  });
});

describe('the keys of a collection', () => {
  const none = ['tickets'];
  const empty = ['tickets', {}];
  const open = ['tickets', { status: 'open' }];
  const first = ['tickets', { page: 1, status: 'open', q: undefined }];
  const other = ['users', { status: 'open' }];
  const keys = [none, empty, open, first, other];

  it.each<[string, Change, unknown[]]>([
    ['every params set without params', collection(null), [none, empty, open, first]],
    ['the equal params set, in any order', collection({ status: 'open', page: 1 }), [first]],
    ['no params and {} alike (D-PARAM-1)', collection({}), [none, empty]],
    ['those that contain the params (D-PARAM-3)', collection({ status: 'open' }, 'contains'), [open, first]],
    ['every params set that contains {}', collection({}, 'contains'), [none, empty, open, first]],
    ['none where nothing is equal', collection({ status: 'closed' }), []],
    ['1 is not "1"', collection({ page: '1' }, 'contains'), []],
  ])('are %s', (_, change, expected) => {
    expect(included(change, keys)).toEqual(expected);
  });

  it('are exactly those of an inline result', () => {
    const { isExactly } = concernOf(collection(null), {});
    expect(keys.filter((key) => isExactly(key))).toEqual([none, empty]);
  });

  it('may hold what has no JSON form', () => {
    const date = new Date(5);
    const odd = [
      ['tickets', { at: date }],
      ['tickets', { run: () => 1 }],
      ['tickets', 5n],
    ];
    expect(included(collection({ at: date.toISOString() }), odd)).toEqual([odd[0]]);
    expect(included(collection({ a: 1 }, 'contains'), odd)).toEqual([]);
  });
});
