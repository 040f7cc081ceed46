// Collection parameters: their key, their copy, and what `contains` matches.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { refreshList } from '../directives.ts';
import { complaint, createWorld, untyped } from '../world.ts';
import { runs } from '../seed.ts';

function setup() {
  const world = createWorld();
  const list = world.held();
  world.dl.createCollection('tickets', { fetch: list.fetch });
  const keyOf = (params: unknown): string =>
    world.dl.getCollectionRef('tickets', { params: untyped(params) }).meta.paramsKey;
  return { ...world, list, keyOf };
}

const parsed = (json: string): object => JSON.parse(json) as object; // Each is an object.

describe('D-PARAM-1 the key', () => {
  it.each<[string, unknown, string]>([
    ['no params', undefined, '{}'],
    ['null', null, '{}'],
    ['an empty object', {}, '{}'],
    ['undefined members only', { a: undefined }, '{}'],
    ['sorted keys', { b: 1, a: 2 }, '{"a":2,"b":1}'],
    ['keys sorted at every depth', { z: { d: 1, c: [{ f: 1, e: 2 }] } }, '{"z":{"c":[{"e":2,"f":1}],"d":1}}'],
    ['undefined members dropped at every depth', { a: { b: undefined, c: null } }, '{"a":{"c":null}}'],
    ['a Date as its ISO string', { since: new Date(0) }, '{"since":"1970-01-01T00:00:00.000Z"}'],
    ['null members kept', { a: null }, '{"a":null}'],
    ['empty string, zero and false kept', { a: '', b: 0, c: false }, '{"a":"","b":0,"c":false}'],
    ['the order of an array kept', { tags: ['b', 'a'] }, '{"tags":["b","a"]}'],
    ['an empty array', { tags: [] }, '{"tags":[]}'],
    ['number keys sorted as strings', { 10: 'x', 9: 'y' }, '{"10":"x","9":"y"}'],
    ['prototype names as data', parsed('{"constructor":1,"__proto__":2}'), '{"__proto__":2,"constructor":1}'],
    ['a string that looks like a key', { 'a":1,"b': 'c' }, '{"a\\":1,\\"b":"c"}'],
    ['a value with toJSON', { price: { toJSON: () => 'EUR 1.5' } }, '{"price":"EUR 1.5"}'],
    ['negative zero as 0', { a: -0 }, '{"a":0}'],
    ['strings with quotes', { 'a"b': 'c\nd' }, '{"a\\"b":"c\\nd"}'],
    ['an object without a prototype', Object.assign(Object.create(null), { a: 1 }), '{"a":1}'],
    ['the same object twice', ((o) => ({ a: o, b: o }))({ x: 1 }), '{"a":{"x":1},"b":{"x":1}}'],
  ])('%s: canonical JSON', (_, params, key) => {
    expect(setup().keyOf(params)).toBe(key);
  });

  it('no params, null, {} and {a: undefined} are one entry', () => {
    const { dl } = setup();
    const ref = dl.fetchCollection('tickets');
    for (const params of [undefined, null, {}, { a: undefined }]) {
      expect(dl.fetchCollection('tickets', { params })).toBe(ref);
    }
    expect(dl.fetchCollection('tickets', {})).toBe(ref);
  });

  it.each<[string, object, object]>([
    ['a number and its string', { page: 1 }, { page: '1' }],
    ['null and absent', { a: null }, {}],
    ['false and absent', { a: false }, {}],
    ['arrays of another order', { a: [1, 2] }, { a: [2, 1] }],
    ['an empty array and an empty object', { a: [] }, { a: {} }],
    ['a superset', { a: 1 }, { a: 1, b: 2 }],
  ])('%s are different entries', (_, one, other) => {
    const { dl } = setup();
    expect(dl.getCollectionRef('tickets', { params: one })).not.toBe(
      dl.getCollectionRef('tickets', { params: other }),
    );
  });

  it.each<[string, object, object]>([
    ['another order of keys', { a: 1, b: { c: 1, d: 2 } }, { b: { d: 2, c: 1 }, a: 1 }],
    ['undefined members', { a: 1, b: undefined }, { a: 1 }],
    ['a Date and its ISO string', { a: new Date(5) }, { a: '1970-01-01T00:00:00.005Z' }],
  ])('%s are the same entry', (_, one, other) => {
    const { dl } = setup();
    expect(dl.getCollectionRef('tickets', { params: one })).toBe(
      dl.getCollectionRef('tickets', { params: other }),
    );
  });

  const cycle: { list: unknown[] } = { list: [] };
  cycle.list.push({ back: cycle });
  let deep: Record<string, unknown> = {};
  for (let i = 0; i < 100_000; i++) deep = { deep };

  it.each<[string, unknown, string]>([
    ['an array', [1], 'params must be a plain object, but it is an array'],
    ['a string', 'open', 'params must be a plain object, but it is "open"'],
    ['a number', 5, 'params must be a plain object, but it is 5'],
    ['a Map', new Map(), 'params must be a plain object, but it is an instance of Map'],
    [
      'URLSearchParams',
      new URLSearchParams(),
      'params must be a plain object, but it is an instance of URLSearchParams',
    ],
    [
      'a nested function',
      { filter: { tags: [1, 2, () => 3] } },
      'params.filter.tags[2] must have a JSON form, but it is a function',
    ],
    ['a symbol', { a: Symbol('s') }, 'params.a must have a JSON form, but it is Symbol(s)'],
    ['a bigint', { a: 10n }, 'params.a must have a JSON form, but it is the bigint 10n'],
    ['NaN', { a: Number.NaN }, 'params.a must have a JSON form, but it is NaN'],
    ['Infinity', { a: Infinity }, 'params.a must have a JSON form, but it is Infinity'],
    ['a Set', { 'my tags': new Set() }, 'params.my tags must have a JSON form, but it is an instance of Set'],
    [
      'an instance of a class',
      { a: new (class Filter {})() },
      'params.a must have a JSON form, but it is an instance of Filter',
    ],
    ['undefined in a list', { a: [undefined] }, 'params.a[0] must have a JSON form, but it is undefined'],
    // oxlint-disable-next-line no-sparse-arrays
    ['a hole in a list', { a: [1, , 2] }, 'params.a[1] must have a JSON form, but it is undefined'],
    [
      'an invalid Date',
      { a: new Date(Number.NaN) },
      'params.a must have a JSON form, but it is an invalid Date',
    ],
    ['a function as params', () => ({}), 'params must be a plain object, but it is a function'],
    ['a wrong value after others', { a: { b: 1 }, c: [1, { d: 2 }], e: { f: 1n } }, 'params.e.f must have'],
    ['a cycle', cycle, 'params.list[0].back must not contain itself'],
    ['a nesting without end', deep, 'be nested at most 200 deep'],
  ])('throws a TypeError that names the path: %s', (_, params, message) => {
    const { dl } = setup();
    const read = complaint(TypeError, () => dl.fetchCollection('tickets', { params: untyped(params) }));
    expect(read).toContain(message);
    expect(complaint(TypeError, () => dl.getCollectionRef('tickets', { params: untyped(params) }))).toBe(
      read,
    );
    expect(dl.state().collections['tickets']?.refCount).toBe(0);
  });

  it('is the same for the same JSON, whatever the order of the keys, and different for different JSON', () => {
    const { keyOf } = setup();
    const shuffled = (value: unknown): unknown => {
      if (Array.isArray(value)) return value.map(shuffled);
      if (typeof value !== 'object' || value === null) return value;
      return Object.fromEntries(
        Object.entries(value)
          .reverse()
          .map(([key, member]) => [key, shuffled(member)]),
      );
    };
    const anyParams = fc.dictionary(fc.string(), fc.jsonValue());
    fc.assert(
      fc.property(anyParams, anyParams, (one, other) => {
        const plain: unknown = JSON.parse(JSON.stringify(one));
        expect(keyOf(shuffled(one))).toBe(keyOf(one));
        expect(JSON.parse(keyOf(one))).toEqual(plain);
        expect(keyOf(JSON.parse(keyOf(one)))).toBe(keyOf(one));
        let isSame = true;
        try {
          expect(JSON.parse(JSON.stringify(other))).toEqual(plain);
        } catch {
          isSame = false;
        }
        expect(keyOf(one) === keyOf(other)).toBe(isSame);
      }),
      runs(150),
    );
  });

  it('isCollectionLoading finds the entry by the same key', () => {
    const { dl } = setup();
    dl.fetchCollection('tickets', { params: { b: 1, a: 2 } });
    expect(dl.isCollectionLoading('tickets', { a: 2, b: 1, c: undefined })).toBe(true);
    expect(dl.isCollectionLoading('tickets', { a: 2 })).toBe(false);
  });
});

describe('D-PARAM-2 the copy', () => {
  it('paramsSnapshot is deeply frozen and not the caller’s object', () => {
    const { dl } = setup();
    const params = { filter: { tags: ['a'] } };
    const ref = dl.fetchCollection('tickets', { params });
    const snapshot = ref.meta.paramsSnapshot as typeof params;
    expect(snapshot).toEqual(params);
    expect(snapshot).not.toBe(params);
    expect([snapshot, snapshot.filter, snapshot.filter.tags].map((part) => Object.isFrozen(part))).toEqual([
      true,
      true,
      true,
    ]);
    expect(Object.isFrozen(params)).toBe(false);
  });

  it('changes no prototype', () => {
    const { dl } = setup();
    const { paramsSnapshot } = dl.fetchCollection('tickets', {
      params: parsed('{"__proto__":{"polluted":true}}'),
    }).meta;
    expect(Object.getPrototypeOf(paramsSnapshot)).toBe(Object.prototype);
    expect(Object.isFrozen(Object.prototype)).toBe(false);
    expect(({} as { polluted?: true }).polluted).toBeUndefined();
  });

  it('does not change when the caller’s object changes', () => {
    const { dl } = setup();
    const params = { filter: { tags: ['a'] } };
    const ref = dl.fetchCollection('tickets', { params });
    params.filter.tags.push('b');
    expect(ref.meta).toMatchObject({
      paramsSnapshot: { filter: { tags: ['a'] } },
      paramsKey: '{"filter":{"tags":["a"]}}',
    });
    expect(dl.fetchCollection('tickets', { params })).not.toBe(ref);
  });

  it('§2.7 is passed to the fetch function', () => {
    const { dl, list } = setup();
    const ref = dl.fetchCollection('tickets', { params: { page: 1, since: new Date(0), q: undefined } });
    expect(list.last().asked).toBe(ref.meta.paramsSnapshot);
    expect(list.last().asked).toEqual({ page: 1, since: '1970-01-01T00:00:00.000Z' });
    expect(Object.keys(list.last().asked as object)).not.toContain('q');
  });

  it.each([[undefined], [null], [{}], [{ a: undefined }]])(
    '§2.7 is undefined in the fetch function without params: %o',
    (params) => {
      const { dl, list } = setup();
      const ref = dl.fetchCollection('tickets', { params });
      expect(list.last().asked).toBeUndefined();
      expect(ref.meta.paramsSnapshot).toBeUndefined();
    },
  );
});

describe('D-PARAM-3 contains', () => {
  /** Caches the entry, applies a `contains` directive, and returns whether the entry was refetched. */
  async function matches(held: object | undefined, given: object): Promise<boolean> {
    const { dl, sim, list } = setup();
    const ref = dl.fetchCollection('tickets', { params: held });
    await list.last().answer({ ids: [] });
    void dl.applyDirectives([refreshList('tickets', { params: given, params_mode: 'contains' })]);
    const { isStale } = ref.meta;
    await sim.advance(50);
    expect(list.calls.length).toBe(isStale ? 2 : 1);
    return isStale;
  }

  it.each<[string, object | undefined, object, boolean]>([
    ['the same params', { a: 1 }, { a: 1 }, true],
    ['a superset', { a: 1, b: 2 }, { a: 1 }, true],
    ['a subset', { a: 1 }, { a: 1, b: 2 }, false],
    ['another value', { a: 1 }, { a: 2 }, false],
    ['a number and its string', { a: 1 }, { a: '1' }, false],
    ['a string and its number', { a: '1' }, { a: 1 }, false],
    ['0 and false', { a: 0 }, { a: false }, false],
    ['no params', undefined, { a: 1 }, false],
    ['{} and an entry with params', { a: 1 }, {}, true],
    ['{} and the entry without params', undefined, {}, true],
    ['a deeply equal object', { a: { b: 1, c: [2] } }, { a: { c: [2], b: 1 } }, true],
    ['a nested superset', { a: { b: 1, c: 2 } }, { a: { b: 1 } }, false],
    ['an equal list', { a: [1, 2] }, { a: [1, 2] }, true],
    ['a list in another order', { a: [1, 2] }, { a: [2, 1] }, false],
    ['a longer list', { a: [1, 2] }, { a: [1] }, false],
    ['null and null', { a: null, b: 1 }, { a: null }, true],
    ['null and absent', { b: 1 }, { a: null }, false],
    ['null and 0', { a: 0 }, { a: null }, false],
    ['only one of two keys equal', { a: 1, b: 2 }, { a: 1, b: 3 }, false],
    ['a Date and its ISO string', { a: new Date(0) }, { a: '1970-01-01T00:00:00.000Z' }, true],
    ['names of the prototype', { a: 1 }, { toString: 1 }, false],
    ['__proto__ as a key', { a: 1 }, parsed('{"__proto__":{}}'), false],
    ['an own __proto__', parsed('{"__proto__":1,"a":2}'), parsed('{"__proto__":1}'), true],
    ['undefined members', { a: 1 }, { b: undefined }, true],
  ])('%s: %o cached, %o in the directive', async (_, held, given, expected) => {
    expect(await matches(held, given)).toBe(expected);
  });

  it('refetches every match and nothing else', async () => {
    const { dl, sim, list } = setup();
    dl.createCollection('others', { fetch: list.fetch });
    for (const params of [{ s: 'open' }, { s: 'open', page: 2 }, { s: 'done' }, undefined]) {
      dl.fetchCollection('tickets', { params });
      await list.last().answer({ ids: [] });
    }
    dl.fetchCollection('others', { params: { s: 'open' } });
    await list.last().answer({ ids: [] });
    void dl.applyDirectives([refreshList('tickets', { params: { s: 'open' }, params_mode: 'contains' })]);
    await sim.advance(50);
    expect(list.calls.slice(5).map(({ asked }) => asked)).toEqual([{ s: 'open' }, { s: 'open', page: 2 }]);
  });

  it('sends no request and creates no entry without a match', async () => {
    const { dl, sim, list } = setup();
    dl.fetchCollection('tickets', { params: { s: 'done' } });
    await list.last().answer({ ids: [] });
    void dl.applyDirectives([refreshList('tickets', { params: { s: 'open' }, params_mode: 'contains' })]);
    await sim.advance(1000);
    expect(list.calls).toHaveLength(1);
    expect(dl.state().collections['tickets']?.refCount).toBe(1);
  });
});
