// Which directives are malformed, which issues the rejection reports, and the limits of a list.

import { createDataLayer } from '@edict/core';
import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { refreshItem, refreshList } from '../directives.ts';
import { nearDirective } from '../protocol/arbitraries.ts';
import { runs } from '../seed.ts';
import { createCachedStage, createStage, untyped } from '../world.ts';
import { apply } from './setup.ts';

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
function outcome(...list: unknown[]): { issues: string[]; processed: number } {
  issues = [];
  processed = skipped = 0;
  void dl.applyDirectives(list);
  return { issues, processed };
}

function wrapped(times: number, inner: unknown = { op: 'refresh_item', name: 'a', id: 1 }): unknown {
  let directive = inner;
  for (let i = 0; i < times; i++) directive = { op: 'invalidate', targets: [directive] };
  return directive;
}

describe('§2.1 D-DIR-2 a malformed directive', () => {
  const notEmpty = 'must be a string that is not empty, but it is';
  const anId = 'must be a string or a finite number, but it is';
  const anOp =
    'op: must be one of refresh_collection, refresh_item, invalidate, force_reload_page, refresh, but it is';

  it.each<[unknown, string[]]>([
    [null, [': must be an object, but it is null']],
    ['refresh', [': must be an object, but it is "refresh"']],
    [5, [': must be an object, but it is 5']],
    [[], [': must be an object, but it is an empty array']],
    [{}, [`${anOp} undefined`]],
    [{ name: 'ticket', id: 7 }, [`${anOp} undefined`]],
    [{ op: 'delete' }, [`${anOp} "delete"`]],
    [{ op: 'constructor' }, [`${anOp} "constructor"`]],
    [{ op: 1, name: 'tickets' }, [`${anOp} 1`]],
    [{ op: 'refresh_collection' }, [`name: ${notEmpty} undefined`]],
    [{ op: 'refresh_collection', name: '' }, [`name: ${notEmpty} ""`]],
    [{ op: 'refresh_collection', name: 5 }, [`name: ${notEmpty} 5`]],
    [refreshList('tickets', { params: [1] }), ['params: must be an object, but it is an array']],
    [refreshList('tickets', { params: 'page=1' }), ['params: must be an object, but it is "page=1"']],
    [refreshList('tickets', { params: 5 }), ['params: must be an object, but it is 5']],
    [
      refreshList('tickets', { params: { a: [() => 1] } }),
      ['params: [edict] params.a[0] must have a JSON form, but it is a function.'],
    ],
    [
      refreshList('tickets', { params: {}, params_mode: 'some' }),
      ['params_mode: must be "exact" or "contains", but it is "some"'],
    ],
    [{ op: 'refresh_item' }, [`name: ${notEmpty} undefined`, `id: ${anId} undefined`]],
    [{ op: 'refresh_item', id: 7 }, [`name: ${notEmpty} undefined`]],
    [{ op: 'refresh_item', name: 'ticket' }, [`id: ${anId} undefined`]],
    [{ op: 'refresh_item', name: 'ticket', id: null }, [`id: ${anId} null`]],
    [{ op: 'refresh_item', name: 'ticket', id: Number.NaN }, [`id: ${anId} NaN`]],
    [{ op: 'refresh_item', name: 'ticket', id: true }, [`id: ${anId} true`]],
    [{ op: 'refresh_item', name: 'ticket', id: {} }, [`id: ${anId} an object`]],
    [refreshItem('ticket', 7, { level: 5 }), [`level: ${notEmpty} 5`]],
    [{ op: 'force_reload_page', hard: 'yes' }, ['hard: must be true or false, but it is "yes"']],
    [{ op: 'force_reload_page', idempotency_key: 5 }, ['idempotency_key: must be a string, but it is 5']],
    [{ op: 'force_reload_page', idempotency_key: 'k', key: 5 }, ['key: must be a string, but it is 5']],
    [{ op: 'force_reload_page', key: {} }, ['key: must be a string, but it is an object']],
    [{ op: 'refresh', name: 'ticket', id: 7, key: 5 }, ['key: must be a string, but it is 5']],
    [{ op: 'force_reload_page', timestamp: 'now' }, ['timestamp: must be a finite number, but it is "now"']],
    [{ op: 'force_reload_page', seq: Infinity }, ['seq: must be a finite number, but it is Infinity']],
    [refreshItem('ticket', 7, { seq: '5' }), ['seq: must be a finite number, but it is "5"']],
    [
      refreshItem('ticket', 7, { source: 1, audience: 2 }),
      ['audience: must be a string, but it is 2', 'source: must be a string, but it is 1'],
    ],
    [{ op: 'invalidate' }, ['targets: must be an array, but it is undefined']],
    [{ op: 'invalidate', targets: {} }, ['targets: must be an array, but it is an object']],
    [
      { op: 'invalidate', targets: refreshItem('ticket', 7) },
      ['targets: must be an array, but it is an object'],
    ],
    [{ op: 'invalidate', name: 5 }, [`name: ${notEmpty} 5`]],
    [{ op: 'refresh' }, [`name: ${notEmpty} undefined`]],
    [{ op: 'refresh', kind: 'collection' }, [`name: ${notEmpty} undefined`]],
    [
      { op: 'refresh', name: 'tickets', kind: 'both' },
      ['kind: must be "collection" or "item", but it is "both"'],
    ],
    [{ op: 'refresh', name: 'ticket', kind: 'item' }, [`id: ${anId} undefined`]],
    [{ op: 'refresh', name: 'ticket' }, ['id: "ticket" is a type: a refresh of it needs an id']],
    [{ op: 'refresh', name: 'tickets', params: 'open' }, ['params: must be an object, but it is "open"']],
  ])(
    'is rejected with the path of each issue and logged once, and the directives around it are applied: %o',
    async (directive, expected) => {
      const stage = await createCachedStage();
      await apply(stage, refreshItem('ticket', 7), directive, refreshList('tickets'));
      const found = expected.map((text) => text.split(/: (.*)/s, 2));
      expect(stage.of('directive:rejected')).toEqual([
        { directive, issues: found.map(([path, message]) => ({ path, message })) },
      ]);
      const texts = expected.map((text) => text.replace(/^: /, '')).join('; ');
      expect(stage.sim.log).toMatchObject([{ level: 'warn', message: `a directive was rejected: ${texts}` }]);
      expect(stage.of('directive:processed')).toHaveLength(2);
      expect(stage.taken().toSorted()).toEqual(['ticket 7', 'tickets {}']);
      expect(stage.sim.reloads).toEqual([]);
    },
  );

  it.each([[{ op: 'refresh_collection', name: 'tickets' }], [null], ['[]'], [undefined]])(
    'in place of the list of directives is rejected: %j',
    async (notAList) => {
      const { sim, dl, of, taken } = await createCachedStage();
      await dl.applyDirectives(untyped(notAList));
      await sim.advance(100);
      expect(of('directive:rejected')).toMatchObject([{ issues: [{ path: '' }] }]);
      expect(sim.log.map(({ level }) => level)).toEqual(['warn']);
      expect(taken()).toEqual([]);
    },
  );

  it('among the targets of a wrapper does not affect the other targets', async () => {
    const stage = await createCachedStage();
    const targets = [
      { op: 'refresh_item', name: 'ticket' },
      refreshList('tickets'),
      { op: 'invalidate', targets: [5] },
    ];
    await apply(stage, { op: 'invalidate', targets });
    expect(stage.of('directive:rejected').flatMap((each) => each.issues)).toEqual([
      { path: 'targets[0].id', message: `${anId} undefined` },
      { path: 'targets[2].targets[0]', message: 'must be an object, but it is 5' },
    ]);
    expect(stage.of('directive:processed')).toHaveLength(3); // Two wrappers, and the one valid target.
    expect(stage.taken()).toEqual(['tickets {}']);
  });

  it('that is a wrapper with invalid metadata is rejected with all its targets', () => {
    expect(outcome({ op: 'invalidate', seq: 'x', targets: [wrapped(0)] })).toEqual({
      issues: ['seq: must be a finite number, but it is "x"'],
      processed: 0,
    });
  });

  describe('on the console', () => {
    afterEach(() => {
      vi.unstubAllEnvs();
      vi.restoreAllMocks();
    });

    it.each([
      ['development', 1],
      ['production', 0],
    ])('in %s mode causes %d warnings', async (mode, count) => {
      vi.stubEnv('NODE_ENV', mode);
      const warn = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
      const ofPlatform = createDataLayer();
      await ofPlatform.applyDirectives([{ op: 'explode' }]);
      expect(warn).toHaveBeenCalledTimes(count);
      ofPlatform.dispose();
    });
  });
});

it.each(['directive:received', 'directive:processed'] as const)(
  'D-DIR-2 a list that a listener of %s empties is applied as it was passed',
  async (event) => {
    const { dl, of } = createStage();
    const list = [refreshItem('ticket', 1), refreshItem('ticket', 2)];
    dl.onLifecycle(event, ({ detail }) => {
      list.length = 0;
      if ('directives' in detail) (detail.directives as unknown[]).length = 0;
    });
    await dl.applyDirectives(list);
    expect(of('directive:processed')).toHaveLength(2);
  },
);

describe('D-DIR-10 null in an optional field means absent', () => {
  it.each([
    ['params', refreshList('tickets', { params: null }), ['tickets {"page":1}', 'tickets {}']],
    [
      'params_mode',
      refreshList('tickets', { params: { page: 1 }, params_mode: null }),
      ['tickets {"page":1}'],
    ],
    [
      'result of a collection',
      refreshList('tickets', { params: { page: 1 }, result: null }),
      ['tickets {"page":1}'],
    ],
    ['level', refreshItem('ticket', 7, { level: null }), ['ticket 7']],
    ['idempotency_key', refreshItem('ticket', 7, { idempotency_key: null }), ['ticket 7']],
    ['timestamp', refreshItem('ticket', 7, { timestamp: null }), ['ticket 7']],
    ['audience', refreshItem('ticket', 7, { audience: null }), ['ticket 7']],
    ['source', refreshItem('ticket', 7, { source: null }), ['ticket 7']],
    ['seq', refreshItem('ticket', 7, { seq: null }), ['ticket 7']],
    ['kind', { op: 'refresh', kind: null, name: 'ticket', id: 7 }, ['ticket 7']],
    ['id', { op: 'refresh', name: 'tickets', id: null }, ['tickets {"page":1}', 'tickets {}']],
    ['key', { op: 'refresh', name: 'ticket', id: 7, key: null }, ['ticket 7']],
  ])('%s', async (_title, directive, calls) => {
    const stage = await createCachedStage();
    await stage.hold(() => stage.list('tickets', { page: 1 }));
    await apply(stage, directive);
    expect(stage.taken().toSorted()).toEqual(calls);
    expect(stage.of('directive:rejected')).toEqual([]);
  });
});

describe('D-DIR-10 limits', () => {
  it.each<[title: string, list: unknown[], isApplied: boolean]>([
    ['8 levels of nesting', [wrapped(8)], true],
    ['9 levels of nesting', [wrapped(9)], false],
    [
      '9 levels of nesting in one of two targets',
      [{ op: 'invalidate', targets: [wrapped(0), wrapped(8)] }],
      false,
    ],
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
  ])('of nesting and of a list with nested directives: %s', (_title, list, isApplied) => {
    const result = outcome(...list);
    expect(result.issues).toHaveLength(isApplied ? 0 : 1);
    expect(result.processed > 0).toBe(isApplied);
  });

  it('reject a directive that is nested too deeply as a whole and apply the directives around it', () => {
    const deep = wrapped(9);
    let rejected: unknown;
    const stop = dl.onLifecycle('directive:rejected', ({ detail }) => void (rejected = detail.directive));
    expect(outcome(wrapped(0), deep, wrapped(0)).processed).toBe(2);
    expect(rejected).toBe(deep);
    stop();
  });

  it('apply to wrappers that contain themselves', () => {
    const loop = { op: 'invalidate', targets: [] as unknown[] };
    loop.targets.push(loop, loop, loop);
    expect(outcome(loop)).toEqual({
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
    expect(outcome(input).issues.length).toBeGreaterThan(0);
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
        const done = outcome(input);
        expect(done.processed + done.issues.length + skipped).toBeGreaterThan(0);
      }),
      runs(500),
    );
    expect(Object.getOwnPropertyNames(Object.prototype)).toEqual(before);
  });
});
