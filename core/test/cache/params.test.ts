import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { paramsFilter, paramsKey, paramsSnapshot } from '../../src/cache/params.ts';
import { runs } from '../seed.ts';

const parsed = (json: string): unknown => JSON.parse(json);

class Money {
  constructor(readonly cents: number) {}
  toJSON(): string {
    return `EUR ${this.cents / 100}`;
  }
}

describe('D-PARAM-1 the key of a params set', () => {
  it.each<[string, unknown, string]>([
    ['no params', undefined, '{}'],
    ['null', null, '{}'],
    ['an empty object', {}, '{}'],
    ['only undefined members', { a: undefined, b: undefined }, '{}'],
    ['sorted keys', { b: 1, a: 2 }, '{"a":2,"b":1}'],
    ['sorted keys at every depth', { z: [{ b: 1, a: { d: 1, c: 2 } }] }, '{"z":[{"a":{"c":2,"d":1},"b":1}]}'],
    ['nested undefined members', { a: { b: undefined, c: 1 } }, '{"a":{"c":1}}'],
    ['a Date', { since: new Date(0) }, '{"since":"1970-01-01T00:00:00.000Z"}'],
    ['a value with toJSON', { price: new Money(150) }, '{"price":"EUR 1.5"}'],
    ['null members, which stay', { a: null }, '{"a":null}'],
    ['negative zero, which JSON does not know', { a: -0 }, '{"a":0}'],
    ['strings with quotes', { 'a"b': 'c\nd' }, '{"a\\"b":"c\\nd"}'],
    ['an object without a prototype', Object.assign(Object.create(null), { a: 1 }), '{"a":1}'],
    [
      'an own __proto__',
      parsed('{"__proto__":{"a":1},"constructor":2}'),
      '{"__proto__":{"a":1},"constructor":2}',
    ],
    ['the same object twice', ((o) => ({ a: o, b: o }))({ x: 1 }), '{"a":{"x":1},"b":{"x":1}}'],
  ])('writes %s', (_, params, key) => {
    expect(paramsKey(params)).toBe(key);
  });

  const cycle: { list: unknown[] } = { list: [] };
  cycle.list.push({ back: cycle });
  let deep: Record<string, unknown> = {};
  for (let i = 0; i < 100_000; i++) deep = { deep };

  it.each<[string, unknown, string]>([
    ['an array', [1], 'params must be a plain object, got an array'],
    ['a string', 'open', 'params must be a plain object, got "open"'],
    ['a number', 5, 'params must be a plain object, got 5'],
    ['a Map', new Map(), 'params must be a plain object, got an instance of Map'],
    [
      'URLSearchParams',
      new URLSearchParams(),
      'params must be a plain object, got an instance of URLSearchParams',
    ],
    [
      'a nested function',
      { filter: { tags: [1, 2, () => 3] } },
      'params.filter.tags[2] must have a JSON form, got a function',
    ],
    ['a symbol', { a: Symbol('s') }, 'params.a must have a JSON form, got Symbol(s)'],
    ['a bigint', { a: 10n }, 'params.a must have a JSON form, got the bigint 10n'],
    ['NaN', { a: Number.NaN }, 'params.a must have a JSON form, got NaN'],
    ['Infinity', { a: Infinity }, 'params.a must have a JSON form, got Infinity'],
    ['a Set', { 'my tags': new Set() }, 'params["my tags"] must have a JSON form, got an instance of Set'],
    [
      'an instance of a class',
      { a: new (class Filter {})() },
      'params.a must have a JSON form, got an instance of Filter',
    ],
    ['undefined in a list', { a: [undefined] }, 'params.a[0] must have a JSON form, got undefined'],
    // oxlint-disable-next-line no-sparse-arrays
    ['a hole in a list', { a: [1, , 2] }, 'params.a[1] must have a JSON form, got undefined'],
    ['an invalid Date', { a: new Date(Number.NaN) }, 'params.a must have a JSON form, got an invalid Date'],
    ['a cycle', cycle, 'params.list[0].back must not contain itself'],
    ['a nesting without end', deep, 'be nested at most 200 deep'],
  ])('refuses %s and names its path', (_, params, message) => {
    expect(() => paramsKey(params)).toThrow(TypeError);
    expect(() => paramsKey(params)).toThrow(message);
  });

  it('is the same for the same JSON, whatever the order of the keys, and different for different JSON', () => {
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
        expect(paramsKey(shuffled(one))).toBe(paramsKey(one));
        expect(JSON.parse(paramsKey(one))).toEqual(plain);
        expect(paramsKey(JSON.parse(paramsKey(one)))).toBe(paramsKey(one));
        let isSame = true;
        try {
          expect(JSON.parse(JSON.stringify(other))).toEqual(plain);
        } catch {
          isSame = false;
        }
        expect(paramsKey(one) === paramsKey(other)).toBe(isSame);
      }),
      runs(500),
    );
  });
});

describe('D-PARAM-2 the snapshot of a params set', () => {
  it('is undefined when there are none', () => {
    expect(paramsSnapshot('{}')).toBeUndefined();
  });

  it('is a copy that is frozen at every depth', () => {
    const params = { a: [{ b: 1 }], c: { d: 2 } };
    const copy = paramsSnapshot(paramsKey(params)) as typeof params;
    expect(copy).toEqual(params);
    expect(copy).not.toBe(params);
    for (const part of [copy, copy.a, copy.a[0], copy.c]) expect(Object.isFrozen(part)).toBe(true);
  });

  it('touches no prototype', () => {
    const copy = paramsSnapshot(paramsKey(JSON.parse('{"__proto__":{"polluted":true}}')));
    expect(Object.getPrototypeOf(copy)).toBe(Object.prototype);
    expect(Object.isFrozen(Object.prototype)).toBe(false);
    expect(({} as { polluted?: true }).polluted).toBeUndefined();
  });
});

describe('D-PARAM-3 contains', () => {
  it.each<[object | undefined, object | undefined, boolean]>([
    [{ a: 1, b: 2 }, { a: 1 }, true],
    [{ a: 1, b: 2 }, { a: 1, b: 2 }, true],
    [{ a: 1 }, { a: 1, b: 2 }, false],
    [{ a: 1 }, { a: '1' }, false],
    [{ a: '1' }, { a: 1 }, false],
    [{ a: { x: 1, y: [2] } }, { a: { y: [2], x: 1 } }, true],
    [{ a: { x: 1, y: 2 } }, { a: { x: 1 } }, false],
    [{ a: [1, 2] }, { a: [1] }, false],
    [{ a: null }, { a: null }, true],
    [{}, { a: null }, false],
    [{ a: 1 }, {}, true],
    [{ a: 1 }, undefined, true],
    [undefined, {}, true],
    [undefined, undefined, true],
    [undefined, { a: 1 }, false],
    [{ a: 1 }, { b: undefined }, true],
    [{ a: 1 }, { toString: 1 }, false],
    [{ a: 1 }, parsed('{"__proto__":{}}') as object, false],
  ])('of %j and %j is %s', (entry, wanted, expected) => {
    expect(paramsFilter(wanted)(entry)).toBe(expected);
  });
});
