import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  countDirectives,
  maxDepth,
  maxDirectives,
  normalize,
  type NormalDirective,
} from '../../src/directives/normalize.ts';
import { nearDirective } from '../protocol/arbitraries.ts';
import { runs } from '../seed.ts';

const facts = { key: null, audience: null, source: null, seq: null };
const named = { id: null, level: null, params: null, mode: 'exact', result: null, legacy: false };
const collection = { ...named, kind: 'collection' };
const item = { ...named, kind: 'item' };

function read(input: unknown): NormalDirective {
  const answer = normalize(input);
  if (answer.directive === null) throw new Error(JSON.stringify(answer.issues));
  return answer.directive;
}

function issuesOf(input: unknown): string[] {
  const answer = normalize(input);
  return answer.issues.map(({ path, message }) => `${path}: ${message}`);
}

function wrapped(times: number, inner: unknown = { op: 'force_reload_page' }): unknown {
  let directive = inner;
  for (let i = 0; i < times; i++) directive = { op: 'invalidate', targets: [directive] };
  return directive;
}

describe('D-DIR-1 both shapes become one', () => {
  it.each<[string, object, object]>([
    ['refresh_collection', { op: 'refresh_collection', name: 'a' }, { ...collection, name: 'a' }],
    [
      'refresh_collection with all it may have',
      { op: 'refresh_collection', name: 'a', params: { p: 1 }, params_mode: 'contains', result: { ids: [] } },
      { ...collection, name: 'a', params: { p: 1 }, mode: 'contains', result: { value: { ids: [] } } },
    ],
    [
      'params {}, which are not none',
      { op: 'refresh_collection', name: 'a', params: {} },
      { ...collection, name: 'a', params: {} },
    ],
    [
      'params with a Date and an undefined member',
      { op: 'refresh_collection', name: 'a', params: { since: new Date(0), q: undefined } },
      { ...collection, name: 'a', params: { since: '1970-01-01T00:00:00.000Z' } },
    ],
    ['refresh_item', { op: 'refresh_item', name: 'a', id: 1 }, { ...item, name: 'a', id: 1 }],
    ['refresh_item of id 0', { op: 'refresh_item', name: 'a', id: 0 }, { ...item, name: 'a', id: 0 }],
    [
      'refresh_item with all it may have',
      { op: 'refresh_item', name: 'a', id: '1', level: 'full', result: 5 },
      { ...item, name: 'a', id: '1', level: 'full', result: { value: 5 } },
    ],
    [
      'level default, which is named',
      { op: 'refresh_item', name: 'a', id: 1, level: 'default' },
      { ...item, name: 'a', id: 1, level: 'default' },
    ],
    ['force_reload_page', { op: 'force_reload_page' }, { kind: 'reload', hard: false }],
    ['force_reload_page, hard', { op: 'force_reload_page', hard: true }, { kind: 'reload', hard: true }],
    ['an empty wrapper', { op: 'invalidate', targets: [] }, { kind: 'wrapper', targets: [] }],
    [
      '§2.2 refresh of a collection',
      { op: 'refresh', kind: 'collection', name: 'a', params: { p: 1 } },
      { ...collection, name: 'a', params: { p: 1 } },
    ],
    [
      '§2.2 refresh of an item',
      { op: 'refresh', kind: 'item', name: 'a', id: 1, level: 'full' },
      { ...item, name: 'a', id: 1, level: 'full' },
    ],
    [
      '§2.2 refresh with an id and no kind',
      { op: 'refresh', name: 'a', id: 0 },
      { ...item, name: 'a', id: 0 },
    ],
    [
      '§2.2 refresh with a name alone',
      { op: 'refresh', name: 'a', level: 'full', params: { p: 1 } },
      { ...named, kind: 'named', name: 'a', level: 'full', params: { p: 1 } },
    ],
    [
      'legacy invalidate of a name',
      { op: 'invalidate', name: 'a' },
      { ...named, kind: 'named', name: 'a', legacy: true },
    ],
    [
      'legacy invalidate of a collection',
      { op: 'invalidate', kind: 'collection', name: 'a', id: 4 },
      { ...collection, name: 'a', legacy: true },
    ],
    [
      'legacy invalidate of one item',
      { op: 'invalidate', kind: 'item', name: 'a', id: 1 },
      { ...item, name: 'a', id: 1, legacy: true },
    ],
    [
      'legacy invalidate of every item',
      { op: 'invalidate', kind: 'item', name: 'a' },
      { ...item, name: 'a', id: null, legacy: true },
    ],
    [
      'targets null, which are none',
      { op: 'invalidate', name: 'a', targets: null },
      { ...named, kind: 'named', name: 'a', legacy: true },
    ],
    [
      '§2.2 result, which it does not have',
      { op: 'refresh', kind: 'item', name: 'a', id: 1, result: 5 },
      { ...item, name: 'a', id: 1 },
    ],
    [
      'names of prototypes',
      { op: 'refresh_item', name: '__proto__', id: 'constructor' },
      { ...item, name: '__proto__', id: 'constructor' },
    ],
    [
      'fields that nobody knows',
      { op: 'refresh_item', name: 'a', id: 1, extra: {} },
      { ...item, name: 'a', id: 1 },
    ],
  ])('%s', (_, input, expected) => {
    expect(normalize(input)).toStrictEqual({
      directive: { ...expected, ...facts, raw: input },
      issues: [],
    });
  });

  it('a wrapper with a name too is a wrapper, of targets of either shape', () => {
    const targets = [{ op: 'refresh_item', name: 'a', id: 1 }, { op: 'refresh', name: 'b' }, wrapped(1)];
    const wrapper = read({ op: 'invalidate', name: 'x', targets });
    expect(wrapper).toMatchObject({
      kind: 'wrapper',
      targets: [{ kind: 'item' }, { kind: 'named' }, { kind: 'wrapper' }],
    });
  });
});

describe('D-DIR-10, D-DIR-11 metadata', () => {
  const op = { op: 'force_reload_page' };

  it('is read from every directive', () => {
    const meta = { idempotency_key: 'k', timestamp: 5, audience: 'team-7', source: 'me', seq: 9 };
    const own = { key: 'k', audience: 'team-7', source: 'me', seq: 9 };
    expect(read({ ...op, ...meta })).toMatchObject(own);
  });

  it.each([
    [{ key: 'k' }, 'k'],
    [{ idempotency_key: 'i', key: 'k' }, 'i'],
    [{ idempotency_key: null, key: 'k' }, 'k'],
    [{ idempotency_key: '', key: 'k' }, 'k'],
    [{ idempotency_key: '' }, null],
    [{}, null],
  ])('of %j has the key %j', (meta, key) => {
    expect(read({ ...op, ...meta }).key).toBe(key);
  });

  it('is the own of each: nothing is inherited here', () => {
    const wrapper = read({ op: 'invalidate', targets: [op], idempotency_key: 'k', seq: 3 });
    expect(wrapper.kind === 'wrapper' && wrapper.targets[0]).toMatchObject({ key: null, seq: null });
  });

  it('null is absent in every optional field, except that a null result of an item is a payload', () => {
    const nulls = {
      idempotency_key: null,
      key: null,
      timestamp: null,
      audience: null,
      source: null,
      seq: null,
    };
    expect(read({ op: 'refresh_item', name: 'a', id: 1, level: null, result: null, ...nulls })).toMatchObject(
      {
        ...item,
        ...facts,
        id: 1,
        result: { value: null },
      },
    );
    expect(
      read({ op: 'refresh_collection', name: 'a', params: null, params_mode: null, result: null, ...nulls }),
    ).toMatchObject({ ...collection, ...facts });
    expect(read({ ...op, hard: null })).toMatchObject({ hard: false });
    expect(read({ op: 'refresh', kind: null, name: 'a', id: null, level: null, params: null })).toMatchObject(
      {
        kind: 'named',
        level: null,
        params: null,
      },
    );
  });
});

describe('D-DIR-2 what is malformed is refused with its path', () => {
  const notEmpty = 'must be a string that is not empty, got';
  const anId = 'must be a string or a finite number, got';

  it.each<[unknown, string[]]>([
    [null, [': must be an object, got null']],
    ['refresh', [': must be an object, got "refresh"']],
    [[], [': must be an object, got an empty array']],
    [
      {},
      [
        'op: must be one of refresh_collection, refresh_item, invalidate, force_reload_page, refresh, got undefined',
      ],
    ],
    [
      { op: 'delete' },
      [
        'op: must be one of refresh_collection, refresh_item, invalidate, force_reload_page, refresh, got "delete"',
      ],
    ],
    [
      { op: 'constructor' },
      [
        'op: must be one of refresh_collection, refresh_item, invalidate, force_reload_page, refresh, got "constructor"',
      ],
    ],
    [{ op: 'refresh_collection' }, [`name: ${notEmpty} undefined`]],
    [{ op: 'refresh_collection', name: '' }, [`name: ${notEmpty} ""`]],
    [{ op: 'refresh_collection', name: 'a', params: [1] }, ['params: must be an object, got an array']],
    [
      { op: 'refresh_collection', name: 'a', params: { a: [() => 1] } },
      ['params: params.a[0] must have a JSON form, got a function'],
    ],
    [
      { op: 'refresh_collection', name: 'a', params_mode: 'some' },
      ['params_mode: must be "exact" or "contains", got "some"'],
    ],
    [{ op: 'refresh_item' }, [`name: ${notEmpty} undefined`, `id: ${anId} undefined`]],
    [{ op: 'refresh_item', name: 'a', id: null }, [`id: ${anId} null`]],
    [{ op: 'refresh_item', name: 'a', id: Number.NaN }, [`id: ${anId} NaN`]],
    [{ op: 'refresh_item', name: 'a', id: true }, [`id: ${anId} true`]],
    [{ op: 'refresh_item', name: 'a', id: 1, level: 5 }, [`level: ${notEmpty} 5`]],
    [{ op: 'force_reload_page', hard: 'yes' }, ['hard: must be true or false, got "yes"']],
    [{ op: 'force_reload_page', idempotency_key: 5 }, ['idempotency_key: must be a string, got 5']],
    [{ op: 'force_reload_page', idempotency_key: 'k', key: 5 }, ['key: must be a string, got 5']],
    [{ op: 'force_reload_page', key: {} }, ['key: must be a string, got an object']],
    [{ op: 'force_reload_page', timestamp: 'now' }, ['timestamp: must be a finite number, got "now"']],
    [{ op: 'force_reload_page', seq: Infinity }, ['seq: must be a finite number, got Infinity']],
    [
      { op: 'force_reload_page', source: 1, audience: 2 },
      ['audience: must be a string, got 2', 'source: must be a string, got 1'],
    ],
    [{ op: 'invalidate' }, ['targets: must be an array, got undefined']],
    [{ op: 'invalidate', targets: {} }, ['targets: must be an array, got an object']],
    [{ op: 'invalidate', name: 5 }, [`name: ${notEmpty} 5`]],
    [{ op: 'refresh' }, [`name: ${notEmpty} undefined`]],
    [{ op: 'refresh', name: 'a', kind: 'both' }, ['kind: must be "collection" or "item", got "both"']],
    [{ op: 'refresh', name: 'a', kind: 'item' }, [`id: ${anId} undefined`]],
    [{ op: 'refresh', name: 'a', params: 'open' }, ['params: must be an object, got "open"']],
  ])('case %#: %o', (input, issues) => {
    const answer = normalize(input);
    expect(answer.directive).toBeNull();
    expect(issuesOf(input)).toEqual(issues);
  });

  it('a wrong target does not take its neighbours with it', () => {
    const targets = [
      { op: 'refresh_item', name: 'a' },
      { op: 'refresh', name: 'b' },
      { op: 'invalidate', targets: [5] },
    ];
    const input = { op: 'invalidate', targets };
    expect(read(input)).toMatchObject({
      targets: [
        { kind: 'named', name: 'b' },
        { kind: 'wrapper', targets: [] },
      ],
    });
    expect(issuesOf(input)).toEqual([
      `targets[0].id: ${anId} undefined`,
      'targets[2].targets[0]: must be an object, got 5',
    ]);
  });

  it('wrong metadata of a wrapper refuses it with all its targets', () => {
    const input = { op: 'invalidate', seq: 'x', targets: [{ op: 'force_reload_page' }] };
    expect(normalize(input)).toEqual({
      directive: null,
      issues: [{ path: 'seq', message: 'must be a finite number, got "x"' }],
    });
  });
});

describe('D-DIR-10 limits', () => {
  it('a directive may stand in 8 wrappers, and not in 9', () => {
    expect(maxDepth).toBe(8);
    expect(issuesOf(wrapped(8))).toEqual([]);
    const answer = normalize(wrapped(9));
    expect(answer.directive).toBeNull();
    expect(issuesOf(wrapped(9))).toEqual([
      `${Array(9).fill('targets[0]').join('.')}: is nested deeper than 8`,
    ]);
    expect(issuesOf(wrapped(100_000))).toHaveLength(1);
  });

  it('what is nested too deep takes the whole directive with it', () => {
    const answer = normalize({ op: 'invalidate', targets: [{ op: 'force_reload_page' }, wrapped(8)] });
    expect(answer.directive).toBeNull();
  });

  it.each<[unknown[], number]>([
    [[], 0],
    [[1, null, 'x'], 3],
    [[wrapped(2)], 3],
    [[{ op: 'invalidate', targets: [wrapped(1), wrapped(0)] }, wrapped(0)], 5],
    [[{ op: 'refresh', name: 'a', targets: [1, 2] }], 1],
    [Array(maxDirectives).fill(wrapped(0)), maxDirectives],
    [Array(maxDirectives + 1).fill(wrapped(0)), maxDirectives + 1],
    [[{ op: 'invalidate', targets: Array(maxDirectives - 1).fill(1) }], maxDirectives],
    [[{ op: 'invalidate', targets: Array(5 * maxDirectives).fill(1) }], maxDirectives + 1],
  ])('case %# counts nested directives', (list, count) => {
    expect(countDirectives(list)).toBe(count);
  });

  it('counting and reading end on wrappers that hold themselves', () => {
    const loop = { op: 'invalidate', targets: [] as unknown[] };
    loop.targets.push(loop, loop, loop);
    expect(countDirectives([loop])).toBe(maxDirectives + 1);
    expect(issuesOf(loop)).toEqual([`${Array(9).fill('targets[0]').join('.')}: is nested deeper than 8`]);
  });
});

describe('D-DIR-2 hostile input', () => {
  const trap = (): never => {
    throw new Error('trap');
  };

  it.each<[string, unknown]>([
    ['a getter that throws', Object.defineProperty({}, 'op', { get: trap })],
    ['a proxy that throws', new Proxy({}, { get: trap, has: trap, getPrototypeOf: trap, ownKeys: trap })],
    ['a revoked proxy', (({ proxy, revoke }) => (revoke(), proxy))(Proxy.revocable({}, {}))],
    [
      'params that throw',
      { op: 'refresh', name: 'a', params: Object.defineProperty({}, 'x', { get: trap, enumerable: true }) },
    ],
    ['params whose toJSON throws', { op: 'refresh', name: 'a', params: { x: { toJSON: trap } } }],
    ['a target that throws', { op: 'invalidate', targets: [new Proxy({}, { get: trap })] }],
    [
      'an error without a message',
      { op: 'refresh', name: Object.create(null, { constructor: { get: trap } }) },
    ],
  ])('%s is refused and does not throw', (_, input) => {
    expect(issuesOf(input).length).toBeGreaterThan(0);
    expect(() => countDirectives([input])).not.toThrow();
  });

  it('never throws and touches no prototype, whatever comes', () => {
    const before = Object.getOwnPropertyNames(Object.prototype);
    const anything = fc.oneof(
      nearDirective,
      fc.anything({
        withBigInt: true,
        withDate: true,
        withMap: true,
        withSet: true,
        withNullPrototype: true,
        withSparseArray: true,
      }),
      fc.record({ op: fc.constant('invalidate'), targets: fc.array(fc.anything()) }),
      fc.record({
        op: fc.constant('refresh_collection'),
        name: fc.string({ minLength: 1 }),
        params: fc.anything(),
      }),
    );
    fc.assert(
      fc.property(anything, (input) => {
        const answer = normalize(input);
        expect(answer.directive !== null || answer.issues.length > 0).toBe(true);
        expect(countDirectives([input])).toBeGreaterThan(0);
      }),
      runs(2000),
    );
    expect(Object.getOwnPropertyNames(Object.prototype)).toEqual(before);
  });
});
