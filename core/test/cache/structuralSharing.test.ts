import { createDataLayer } from '@edict/core';
import { deepEqual } from '@edict/core/internal';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { refreshItem } from '../directives.ts';
import { setup } from '../levels/setup.ts';
import { runs } from '../seed.ts';
import { createWorld } from '../world.ts';

/** The data of an item that was fetched as `previous`, then as `next`. */
async function share<T>(previous: unknown, next: T): Promise<T> {
  const answers = [previous, next];
  const dl = createDataLayer();
  dl.createType('thing', { fetch: () => Promise.resolve(answers.shift()) });
  const thing = dl.fetchItem('thing', 1);
  await dl.whenSettled(thing);
  dl.fetchItem('thing', 1, null, { force: true });
  await dl.whenSettled(thing);
  dl.dispose();
  return thing.data as T; // The last response.
}

/** A copy that shares nothing with the original. */
const copyOf = <T>(value: T): T => structuredClone(value);

const parts = (value: unknown): object[] =>
  typeof value === 'object' && value !== null ? [value, ...Object.values(value).flatMap(parts)] : [];

function freeze<T>(value: T): T {
  for (const part of parts(value)) Object.freeze(part);
  return value;
}

/** People who refer to each other, so the data has cycles. */
function circle(): object {
  const people = [0, 1, 2, 3].map((id) => ({ id, friends: [] as unknown[] }));
  for (const one of people) one.friends.push(...people);
  return { people };
}

describe('D-LEVEL-7 deep equality', () => {
  const same = Symbol('same');
  const map = new Map([['a', 1]]);

  it.each<[unknown, unknown, boolean]>([
    [1, 1, true],
    [1, '1', false],
    [Number.NaN, Number.NaN, true],
    [0, -0, false],
    [null, undefined, false],
    [null, {}, false],
    [[], {}, false],
    [{}, [], false],
    [{ a: undefined }, {}, false],
    [{ a: undefined }, { b: undefined }, false],
    [{ a: 1, b: [{ c: 2 }] }, { b: [{ c: 2 }], a: 1 }, true],
    [{ a: 1, b: [{ c: 2 }] }, { b: [{ c: 3 }], a: 1 }, false],
    [[1, 2], [1, 2, 3], false],
    [[1, 2, 3], [1, 2], false],
    [new Date(5), new Date(5), true],
    [new Date(5), new Date(6), false],
    [new Date(5), 5, false],
    [map, map, true],
    [new Map(), new Map(), false],
    [new Set(), new Set(), false],
    [same, same, true],
    [Object.create(null), {}, true],
    [JSON.parse('{"__proto__":1}'), {}, false],
    [JSON.parse('{"__proto__":1}'), JSON.parse('{"__proto__":1}'), true],
    [{ hasOwnProperty: 1 }, { hasOwnProperty: 1 }, true],
  ])('case %#: %o and %o is %s', (a, b, expected) => {
    expect(deepEqual(a, b)).toBe(expected);
    expect(deepEqual(b, a)).toBe(expected);
  });

  it('compares class instances by identity', () => {
    class Point {
      x = 1;
    }
    const point = new Point();
    expect(deepEqual({ point }, { point })).toBe(true);
    expect(deepEqual({ point }, { point: new Point() })).toBe(false);
  });

  it('returns false for cyclic and too deeply nested data', () => {
    expect(deepEqual(circle(), circle())).toBe(false);
    const nest = (): unknown => {
      let deep: unknown = null;
      for (let i = 0; i < 100_000; i++) deep = [deep];
      return deep;
    };
    expect(deepEqual(nest(), nest())).toBe(false);
    const own = circle();
    expect(deepEqual(own, own)).toBe(true);
  });

  it('compares a hundred thousand rows', () => {
    const rows = Array.from({ length: 100_000 }, (_, id) => ({ id }));
    expect(deepEqual(rows, copyOf(rows))).toBe(true);
  });
});

describe('D-LEVEL-7 structural sharing', () => {
  it('returns the previous value when nothing changed', async () => {
    const previous = { a: [{ b: 1 }], c: new Date(0), d: null };
    expect(await share(previous, copyOf(previous))).toBe(previous);
  });

  it('keeps the identity of the parts that did not change', async () => {
    const previous = {
      rows: [
        { id: 1, tags: ['a'] },
        { id: 2, tags: ['b'] },
      ],
      page: { of: 3 },
      at: new Date(0),
    };
    const next = copyOf(previous);
    next.rows.splice(1, 1, { id: 2, tags: ['c'] }, { id: 3, tags: [] });
    const result = await share(previous, next);
    expect(result).toEqual(next);
    expect(result).not.toBe(previous);
    expect(result.rows).not.toBe(previous.rows);
    expect(result.rows[0]).toBe(previous.rows[0]);
    expect(result.rows[1]).not.toBe(previous.rows[1]);
    expect(result.page).toBe(previous.page);
    expect(result.at).toBe(previous.at);
  });

  it.each<[string, unknown, unknown]>([
    ['an added field', { a: 1 }, { a: 1, b: 2 }],
    ['a removed field', { a: 1, b: 2 }, { a: 1 }],
    ['undefined instead of absent', { a: 1 }, { a: 1, b: undefined }],
    ['undefined in place of another field', { a: 1, b: 2 }, { a: 1, c: undefined }],
    ['a shorter list', [{ a: 1 }, { b: 1 }], [{ a: 1 }]],
    ['a longer list', [{ a: 1 }], [{ a: 1 }, { b: 1 }]],
    ['another order of a list', { l: [1, 2] }, { l: [2, 1] }],
    ['a list and an object', { l: [] }, { l: {} }],
    ['a number and its string', { n: 1 }, { n: '1' }],
    ['null and undefined', { n: null }, { n: undefined }],
  ])('applies a change: %s', async (_, previous, next) => {
    const result = await share(previous, next);
    expect(result).not.toBe(previous);
    expect(result).toStrictEqual(next);
  });

  it('returns the next value unchanged when it contains no part of the previous one', async () => {
    const next = { a: [{ b: 1 }] };
    expect(await share({ a: [{ b: 2 }] }, next)).toBe(next);
    expect(await share(null, next)).toBe(next);
    expect(await share([1], next)).toBe(next);
    expect(await share({ a: 1 }, null)).toBeNull();
  });

  it('keeps class instances unchanged', async () => {
    const next = { map: new Map([['a', 1]]), same: { x: 1 } };
    const result = await share({ map: new Map([['a', 1]]), same: { x: 1 } }, next);
    expect(result.map).toBe(next.map);
  });

  it('returns data whose getter throws unchanged', async () => {
    const thrown = new Error('not loaded');
    const lazy = (): object => ({
      id: 1,
      get body(): string {
        throw thrown;
      },
    });
    const next = lazy();
    const data = await share(lazy(), next);
    expect(data).toBe(next);
    expect(() => (data as { body: string }).body).toThrow(thrown);
  });

  it('returns cyclic data unchanged', async () => {
    const next = circle();
    expect(await share(circle(), next)).toBe(next);
    expect(await share(next, next)).toBe(next);
  });

  it('copies an own __proto__ as data', async () => {
    const previous: unknown = JSON.parse('{"__proto__":{"a":{"x":1},"b":1},"c":{"y":1}}');
    const next: unknown = JSON.parse('{"__proto__":{"a":{"x":1},"b":2},"c":{"y":1}}');
    const result = (await share(previous, next)) as { c: unknown };
    expect(JSON.stringify(result)).toBe(JSON.stringify(next));
    expect(Object.getPrototypeOf(result)).toBe(Object.prototype);
    expect(result.c).toBe((previous as { c: unknown }).c);
  });

  it('equals the next value, changes neither value, and shares every equal part', async () => {
    const data = fc.jsonValue({ maxDepth: 4 });
    const pair = fc.oneof(
      fc.tuple(data, data),
      // Nearly equal: with one additional or different member.
      fc
        .tuple(fc.dictionary(fc.constantFrom('a', 'b', 'c', '__proto__'), data), data)
        .map(([base, other]) => [base, { ...copyOf(base), b: other }]),
    );
    const check = (result: unknown, previous: unknown): void => {
      if (deepEqual(result, previous)) expect(result).toBe(previous);
      else if (
        typeof result === 'object' &&
        result !== null &&
        typeof previous === 'object' &&
        previous !== null
      ) {
        if (Array.isArray(result) !== Array.isArray(previous)) return;
        for (const [key, part] of Object.entries(result)) {
          if (Object.hasOwn(previous, key)) check(part, (previous as Record<string, unknown>)[key]);
        }
      }
    };
    await fc.assert(
      fc.asyncProperty(pair, async ([one, other]) => {
        const previous = freeze(copyOf(one));
        const next = freeze(copyOf(other));
        const result = await share(previous, next);
        expect(JSON.stringify(result)).toBe(JSON.stringify(deepEqual(result, previous) ? previous : next));
        expect(deepEqual(result, next)).toBe(true);
        check(result, previous);
      }),
      runs(200),
    );
  });
});

describe('D-LEVEL-7 data that another level, an inline result, or a collection returns', () => {
  const payload = (): object => ({ id: 1, tags: ['a', { deep: [1, 2] }], author: { name: 'n' }, at: null });

  it('a response of one level that does not change the merged data keeps the identity of data', async () => {
    const { load, ref } = setup(['a']);
    await load('default', payload());
    const { data } = ref();
    await load('a', { id: 1, author: { name: 'n' } });
    expect(ref().data).toBe(data);
  });

  it('a derived level and an inline result keep the identity of data too', async () => {
    const { dl, load, ref } = setup(['brief', 'full'], { full: ['brief'] });
    await load('brief', payload());
    const { data } = ref();
    await load('full', payload());
    expect(ref().data).toBe(data);
    void dl.applyDirectives([refreshItem('doc', 1, { level: 'full', result: payload() })]);
    expect(ref().data).toBe(data);
  });

  it('the data of a collection stays the same object when ids and count are equal', async () => {
    const { dl, held } = createWorld();
    const list = held();
    dl.createCollection('docs', { fetch: list.fetch });
    const ref = dl.fetchCollection('docs');
    await list.last().answer({ ids: [1, 2], count: 9 });
    const { data } = ref;
    dl.fetchCollection('docs', { force: true });
    await list.last().answer({ ids: [1, 2], count: 9 });
    expect(ref.data).toBe(data);
    dl.fetchCollection('docs', { force: true });
    await list.last().answer({ ids: [1, 2], count: 10 });
    expect(ref.data).not.toBe(data);
    expect(ref.data.ids).toBe(data.ids);
  });
});
