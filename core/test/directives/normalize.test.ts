// Which directives are malformed, and which issues the rejection reports.

import { createDataLayer } from '@edict/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nearDirective } from '../protocol/arbitraries.ts';
import { runs } from '../seed.ts';

const dl = createDataLayer({ env: { log: () => undefined } });
let issues: string[] = [];
let processed = 0;
let skipped = 0;
dl.onLifecycle('directive:rejected', ({ detail }) => {
  for (const { path, message } of detail.issues) issues.push(`${path}: ${message}`);
});
dl.onLifecycle('directive:processed', () => void (processed += 1));
dl.onLifecycle('directive:skipped', () => void (skipped += 1));

/** Applies a list. Returns what is wrong with it, and how many directives were applied. */
function apply(...list: unknown[]): { issues: string[]; processed: number } {
  issues = [];
  processed = skipped = 0;
  void dl.applyDirectives(list);
  return { issues, processed };
}
const issuesOf = (input: unknown): string[] => apply(input).issues;

function wrapped(times: number, inner: unknown = { op: 'refresh_item', name: 'a', id: 1 }): unknown {
  let directive = inner;
  for (let i = 0; i < times; i++) directive = { op: 'invalidate', targets: [directive] };
  return directive;
}

describe('D-DIR-2 a malformed directive is rejected with the path of each issue', () => {
  const notEmpty = 'must be a string that is not empty, but it is';
  const anId = 'must be a string or a finite number, but it is';

  it.each<[unknown, string[]]>([
    [null, [': must be an object, but it is null']],
    ['refresh', [': must be an object, but it is "refresh"']],
    [[], [': must be an object, but it is an empty array']],
    [
      {},
      [
        'op: must be one of refresh_collection, refresh_item, invalidate, force_reload_page, refresh, but it is undefined',
      ],
    ],
    [
      { op: 'delete' },
      [
        'op: must be one of refresh_collection, refresh_item, invalidate, force_reload_page, refresh, but it is "delete"',
      ],
    ],
    [
      { op: 'constructor' },
      [
        'op: must be one of refresh_collection, refresh_item, invalidate, force_reload_page, refresh, but it is "constructor"',
      ],
    ],
    [{ op: 'refresh_collection' }, [`name: ${notEmpty} undefined`]],
    [{ op: 'refresh_collection', name: '' }, [`name: ${notEmpty} ""`]],
    [{ op: 'refresh_collection', name: 'a', params: [1] }, ['params: must be an object, but it is an array']],
    [
      { op: 'refresh_collection', name: 'a', params: { a: [() => 1] } },
      ['params: [edict] params.a[0] must have a JSON form, but it is a function.'],
    ],
    [
      { op: 'refresh_collection', name: 'a', params_mode: 'some' },
      ['params_mode: must be "exact" or "contains", but it is "some"'],
    ],
    [{ op: 'refresh_item' }, [`name: ${notEmpty} undefined`, `id: ${anId} undefined`]],
    [{ op: 'refresh_item', name: 'a', id: null }, [`id: ${anId} null`]],
    [{ op: 'refresh_item', name: 'a', id: Number.NaN }, [`id: ${anId} NaN`]],
    [{ op: 'refresh_item', name: 'a', id: true }, [`id: ${anId} true`]],
    [{ op: 'refresh_item', name: 'a', id: 1, level: 5 }, [`level: ${notEmpty} 5`]],
    [{ op: 'force_reload_page', hard: 'yes' }, ['hard: must be true or false, but it is "yes"']],
    [{ op: 'force_reload_page', idempotency_key: 5 }, ['idempotency_key: must be a string, but it is 5']],
    [{ op: 'force_reload_page', idempotency_key: 'k', key: 5 }, ['key: must be a string, but it is 5']],
    [{ op: 'force_reload_page', key: {} }, ['key: must be a string, but it is an object']],
    [{ op: 'force_reload_page', timestamp: 'now' }, ['timestamp: must be a finite number, but it is "now"']],
    [{ op: 'force_reload_page', seq: Infinity }, ['seq: must be a finite number, but it is Infinity']],
    [
      { op: 'force_reload_page', source: 1, audience: 2 },
      ['audience: must be a string, but it is 2', 'source: must be a string, but it is 1'],
    ],
    [{ op: 'invalidate' }, ['targets: must be an array, but it is undefined']],
    [{ op: 'invalidate', targets: {} }, ['targets: must be an array, but it is an object']],
    [{ op: 'invalidate', name: 5 }, [`name: ${notEmpty} 5`]],
    [{ op: 'refresh' }, [`name: ${notEmpty} undefined`]],
    [{ op: 'refresh', name: 'a', kind: 'both' }, ['kind: must be "collection" or "item", but it is "both"']],
    [{ op: 'refresh', name: 'a', kind: 'item' }, [`id: ${anId} undefined`]],
    [{ op: 'refresh', name: 'a', params: 'open' }, ['params: must be an object, but it is "open"']],
  ])('case %#: %o', (input, expected) => {
    expect(apply(input)).toEqual({ issues: expected, processed: 0 });
  });

  it('an invalid target does not affect the other targets', () => {
    const targets = [
      { op: 'refresh_item', name: 'a' },
      { op: 'refresh_collection', name: 'b' },
      { op: 'invalidate', targets: [5] },
    ];
    // Two wrappers, and the one valid target.
    expect(apply({ op: 'invalidate', targets })).toEqual({
      issues: [`targets[0].id: ${anId} undefined`, 'targets[2].targets[0]: must be an object, but it is 5'],
      processed: 3,
    });
  });

  it('invalid metadata of a wrapper rejects all its targets', () => {
    expect(apply({ op: 'invalidate', seq: 'x', targets: [wrapped(0)] })).toEqual({
      issues: ['seq: must be a finite number, but it is "x"'],
      processed: 0,
    });
  });
});

describe('D-DIR-10 limits', () => {
  it('reject the whole directive if one target is nested too deeply', () => {
    expect(apply({ op: 'invalidate', targets: [wrapped(0), wrapped(8)] }).processed).toBe(0);
  });

  it.each<[string, unknown[], boolean]>([
    ['10,000 directives', Array(10_000).fill(wrapped(0)), true],
    ['10,001 directives', Array(10_001).fill(wrapped(0)), false],
    ['a wrapper of 9,999', [{ op: 'invalidate', targets: Array(9999).fill(wrapped(0)) }], true],
    ['a wrapper of 10,000', [{ op: 'invalidate', targets: Array(10_000).fill(wrapped(0)) }], false],
    ['wrappers in wrappers of 10,001', [...Array(2500).fill(wrapped(3)), wrapped(0)], false],
    [
      'targets of a directive that is not a wrapper',
      [{ op: 'refresh', name: 'a', id: 1, targets: Array(20_000) }],
      true,
    ],
  ])('of a list include nested directives: %s', (_, list, isApplied) => {
    expect(apply(...list).processed > 0).toBe(isApplied);
  });

  it('apply to wrappers that contain themselves', () => {
    const loop = { op: 'invalidate', targets: [] as unknown[] };
    loop.targets.push(loop, loop, loop);
    expect(apply(loop)).toEqual({
      issues: [expect.stringContaining('is nested deeper than 8')],
      processed: 0,
    });
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
  ])('%s is rejected and does not throw', (_, input) => {
    expect(issuesOf(input).length).toBeGreaterThan(0);
  });

  it('never throws or changes a prototype', () => {
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
        const done = apply(input);
        expect(done.processed + done.issues.length + skipped).toBeGreaterThan(0);
      }),
      runs(500),
    );
    expect(Object.getOwnPropertyNames(Object.prototype)).toEqual(before);
  });
});
