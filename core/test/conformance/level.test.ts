// Levels of an item: merging, conversion, caching, and which levels are fetched.

import { describe, expect, it } from 'vitest';
import type { LevelConfig, LevelConversionMap, TypeConfig } from '@edict/core';
import { missOne, refreshItem } from '../directives.ts';
import { type Held, createWorld } from '../world.ts';

type Checks = Readonly<Record<string, (data: unknown) => boolean>>;

/** A type `doc` with these levels and `default`. The test responds to each request. */
function setup(
  names: readonly string[],
  map: LevelConversionMap = {},
  {
    checks = {},
    bulk = false,
    own = {},
  }: { checks?: Checks; bulk?: boolean; own?: Record<string, LevelConversionMap> } = {},
) {
  const world = createWorld();
  const fetchers = new Map<string, Held>(['default', ...names].map((name) => [name, world.held()]));
  const level = (name: string): Held => {
    const held = fetchers.get(name);
    if (held === undefined) throw new Error(`no level ${name}`);
    return held;
  };
  const many = world.held();
  const levels: Record<string, LevelConfig> = {};
  for (const name of names) {
    levels[name] = {
      fetch: level(name).fetch,
      ...(checks[name] === undefined ? {} : { checkIfExists: checks[name] }),
      ...(own[name] === undefined ? {} : { levelConversionMap: own[name] }),
    };
  }
  const config: TypeConfig = {
    fetch: level('default').fetch,
    levelConversionMap: map,
    levels,
    ...(bulk ? { bulkFetch: many.bulkFetch } : {}),
  };
  world.dl.createType('doc', config);
  const read = (name?: string, options?: { force?: boolean; silent?: boolean }) =>
    world.dl.fetchItem('doc', 1, name, options);
  return {
    ...world,
    level,
    many,
    read,
    ref: () => world.dl.getItemRef('doc', 1),
    /** Reads a level and responds to its request, if the read sends one. */
    async load(name: string, payload: unknown, force = false): Promise<void> {
      const before = level(name).calls.length;
      read(name, { force });
      if (level(name).calls.length > before) await level(name).last().answer(payload);
    },
    /** How often each level was fetched. */
    counts: () => Object.fromEntries([...fetchers].map(([name, { calls }]) => [name, calls.length])),
    async refresh(more: object = {}): Promise<void> {
      void world.dl.applyDirectives([refreshItem('doc', 1, more)]);
      await world.sim.advance(50);
    },
  };
}

const has =
  (...fields: string[]) =>
  (data: unknown): boolean =>
    typeof data === 'object' && data !== null && fields.every((field) => field in data);

describe('D-LEVEL-1 merging', () => {
  it('data is the shallow merge of the cached payloads from oldest to newest', async () => {
    const { load, ref } = setup(['a', 'b']);
    await load('a', { id: 1, name: 'of a', x: { a: 1 } });
    await load('b', { id: 1, name: 'of b', x: { b: 1 } });
    expect(ref().data).toEqual({ id: 1, name: 'of b', x: { b: 1 } });
    await load('a', { id: 1, name: 'of a again' }, true);
    expect(ref().data).toEqual({ id: 1, name: 'of a again', x: { b: 1 } });
  });

  it('each level keeps its own payload and timestamp', async () => {
    const { load, ref, sim, iso } = setup(['a', 'b']);
    await load('a', { a: 1 });
    const first = iso();
    await sim.advance(100);
    await load('b', { b: 1 });
    expect(ref().meta.levelStamps).toMatchObject({ a: first, b: iso() });
    expect(ref().meta.lastFetchedAny).toBe(iso());
  });

  it('a field that the server dropped disappears when the level is fetched again', async () => {
    const { load, ref } = setup([]);
    await load('default', { id: 1, old: true });
    await load('default', { id: 1 }, true);
    expect(ref().data).toEqual({ id: 1 });
    expect(Object.keys(ref().data as object)).toEqual(['id']);
  });

  it('a dropped field stays if another level still has it', async () => {
    const { load, ref } = setup(['a']);
    await load('a', { id: 1, title: 'of a' });
    await load('default', { id: 1, title: 'newer', extra: 1 });
    await load('default', { id: 1 }, true);
    expect(ref().data).toEqual({ id: 1, title: 'of a' });
  });

  it('a new payload replaces the payloads of the levels that it converts to', async () => {
    const { load, ref } = setup(['brief', 'full'], { full: ['brief'] });
    await load('brief', { id: 1, old: true });
    await load('full', { id: 1, body: 'b' });
    expect(ref().data).toEqual({ id: 1, body: 'b' });
    await load('full', { id: 1 }, true);
    expect(ref().data).toEqual({ id: 1 });
  });

  it('a level fetched after the level it was derived from overrides its own fields and keeps the rest', async () => {
    const { load, ref } = setup(['brief', 'full'], { full: ['brief'] });
    await load('full', { id: 1, title: 'of full', body: 'b' });
    await load('brief', { id: 1, title: 'of brief' }, true);
    expect(ref().data).toEqual({ id: 1, title: 'of brief', body: 'b' });
  });

  class Doc {
    readonly title = 'an instance';
  }
  const instance = new Doc();
  it.each<[string, unknown, unknown]>([
    ['a list over an object', { a: 1 }, [1]],
    ['an object over a list', [1], { a: 1 }],
    ['a string over an object', { a: 1 }, 'text'],
    ['a number over a string', 'text', 7],
    ['null over an object', { a: 1 }, null],
    ['an object over null', null, { a: 1 }],
    ['an instance over an object', { a: 1 }, instance],
  ])(
    'payloads that are not plain objects are not merged and the newest wins: %s',
    async (_, older, newer) => {
      const { load, ref } = setup(['a']);
      await load('a', older);
      await load('default', newer);
      expect(ref().data).toEqual(newer);
    },
  );

  it('a merge does not mutate the object that the fetch function returned', async () => {
    const { load, ref } = setup(['a']);
    const own = Object.freeze({ id: 1, list: Object.freeze([1]) });
    await load('a', own);
    await load('default', { id: 2 });
    expect(own).toEqual({ id: 1, list: [1] });
    expect(ref().data).toEqual({ id: 2, list: [1] });
  });

  it('fields named like members of Object.prototype are plain data', async () => {
    const { load, ref } = setup(['a']);
    await load('a', JSON.parse('{"__proto__":{"polluted":1},"constructor":2}'));
    await load('default', { id: 1 });
    const data = ref().data as Record<string, unknown>;
    expect(data['polluted']).toBeUndefined();
    expect(data['constructor']).toBe(2);
    expect(Object.getOwnPropertyDescriptor(data, '__proto__')?.value).toEqual({ polluted: 1 });
  });
});

describe('D-LEVEL-2 levelConversionMap', () => {
  const names = ['a', 'b', 'c', 'd'];
  it.each<[string, LevelConversionMap, Record<string, LevelConversionMap>, string[]]>([
    ['on the type', { a: ['b'] }, {}, ['a', 'b']],
    ['inside the level itself', {}, { a: { a: ['b'] } }, ['a', 'b']],
    ['inside another level', {}, { c: { a: ['b'] } }, ['a', 'b']],
    ['merged from all positions', { a: ['b'] }, { a: { a: ['c'] }, d: { a: ['d'] } }, ['a', 'b', 'c', 'd']],
    ['transitive', { a: ['b'], b: ['c'], c: ['d'] }, {}, ['a', 'b', 'c', 'd']],
    ['transitive across positions', { a: ['b'] }, { d: { b: ['c'] } }, ['a', 'b', 'c']],
    ['from → to, not the reverse', { b: ['a'] }, {}, ['a']],
    ['with a cycle', { a: ['b'], b: ['a', 'c'] }, {}, ['a', 'b', 'c']],
    ['with a self edge', { a: ['a', 'b'], b: ['b'] }, {}, ['a', 'b']],
    ['to the default level', { a: ['default'] }, {}, ['a', 'default']],
    ['with a level that is listed twice', { a: ['b', 'b'] }, { a: { a: ['b'] } }, ['a', 'b']],
    ['empty lists', { a: [] }, { a: {} }, ['a']],
  ])('marks the reachable levels fetched: %s', async (_, map, own, fresh) => {
    const { load, read, counts } = setup(names, map, { own });
    await load('a', { id: 1 });
    for (const name of ['default', ...names]) read(name);
    const expected = Object.fromEntries(
      ['default', ...names].map((name) => [name, name === 'a' || !fresh.includes(name) ? 1 : 0]),
    );
    expect(counts()).toEqual(expected);
  });
});

describe('D-LEVEL-2 a conversion of a level that is not registered', () => {
  it.each<[string, LevelConversionMap, Record<string, LevelConversionMap>, string]>([
    ['to it, on the type', { a: ['b', 'bb'] }, {}, 'bb'],
    ['from it, on the type', { a: ['b'], aa: ['b'] }, {}, 'aa'],
    ['to it, inside a level', { a: ['b'] }, { b: { b: ['__proto__'] } }, '__proto__'],
  ])('%s, is skipped with a warning', async (_, map, own, stranger) => {
    const { load, read, counts, sim } = setup(['a', 'b'], map, { own });
    const message = `level "${stranger}" in a levelConversionMap of type "doc" is not registered (registered: "default", "a", "b"). Add it to the "levels" of the type.`;
    expect(sim.log).toEqual([{ at: sim.now(), level: 'warn', message, detail: undefined }]);
    await load('a', { id: 1 });
    read('b');
    expect(counts()).toEqual({ default: 0, a: 1, b: 0 });
  });
});

describe('D-LEVEL-3 when a payload arrives', () => {
  it('every level reachable from it counts as fetched, with the same timestamp', async () => {
    const { load, ref, iso, sim } = setup(['a', 'b', 'c'], { a: ['b'], b: ['c'] });
    await sim.advance(77);
    await load('a', { id: 1 });
    expect(ref().meta.levelStamps).toEqual({ a: iso(), b: iso(), c: iso() });
  });

  it('these levels become stale together', async () => {
    const { load, read, counts, sim } = setup(['a', 'b'], { a: ['b'] });
    await load('a', { id: 1 });
    await sim.advance(14_999);
    read('b');
    expect(counts()).toMatchObject({ a: 1, b: 0 });
    await sim.advance(1);
    read('b');
    expect(counts()).toMatchObject({ a: 1, b: 1 });
  });

  it.each<[string, (data: unknown) => boolean, boolean]>([
    ['returns true', () => true, true],
    ['returns false', () => false, false],
    [
      'throws',
      () => {
        throw new Error('check');
      },
      false,
    ],
    ['finds what it needs', has('b'), true],
    ['does not find what it needs', has('other'), false],
  ])(
    'a level counts as fetched only if its checkIfExists accepts the payload: it %s',
    async (_, check, counted) => {
      const { load, read, counts, ref } = setup(['a', 'b'], { a: ['b'] }, { checks: { b: check } });
      await load('a', { id: 1, b: 1 });
      expect(ref().meta.levelStamps['b'] ?? null).toEqual(counted ? expect.any(String) : null);
      expect(counts()).toMatchObject({ a: 1, b: 0 });
      read('b');
      expect(counts()).toMatchObject({ a: 1, b: counted ? 0 : 1 });
    },
  );

  it('checkIfExists receives the new payload, not the merged data', async () => {
    const seen: unknown[] = [];
    const check = (data: unknown): boolean => {
      seen.push(data);
      return has('title')(data);
    };
    const { load, ref } = setup(['a', 'b'], { a: ['b'] }, { checks: { b: check } });
    await load('default', { title: 'merged' });
    seen.length = 0;
    await load('a', { id: 1 });
    expect(seen).toEqual([{ id: 1 }]);
    expect(ref().data).toEqual({ id: 1, title: 'merged' });
    expect(ref().meta.levelStamps['b'] ?? null).toBeNull();
  });

  it('each reachable level is checked by its own checkIfExists, not by those in between', async () => {
    const { load, ref } = setup(['a', 'b', 'c'], { a: ['b'], b: ['c'] }, { checks: { b: () => false } });
    await load('a', { id: 1 });
    expect(ref().meta.levelStamps['b'] ?? null).toBeNull();
    expect(ref().meta.levelStamps['c']).toEqual(expect.any(String));
  });

  it('a level that the payload lacks keeps its own payload and timestamp', async () => {
    const { load, ref, sim } = setup(['a', 'b'], { a: ['b'] }, { checks: { b: has('b') } });
    await load('b', { b: 'own' });
    const stamp = ref().meta.levelStamps['b'];
    await sim.advance(100);
    await load('a', { id: 1 });
    expect(ref().meta.levelStamps['b']).toBe(stamp);
    expect(ref().data).toEqual({ id: 1, b: 'own' });
  });

  it('a level that the payload lacks is fetched itself if a directive refetched it', async () => {
    const { dl, load, refresh, counts, level, ref, sim } = setup(
      ['a', 'b'],
      { a: ['b'] },
      { checks: { b: has('b') } },
    );
    await load('b', { b: 1 });
    await load('a', { id: 1, b: 1 });
    expect(counts()).toMatchObject({ a: 1, b: 1 });
    await refresh();
    expect(counts()).toMatchObject({ a: 2, b: 1 });
    let isSettled = false;
    void dl.whenSettled(ref()).then(() => (isSettled = true));
    await level('a').last().answer({ id: 1 });
    expect(counts()).toMatchObject({ a: 2, b: 2 });
    expect(level('b').last().ctx.force).toBe(true);
    expect(ref().meta).toMatchObject({ isLoading: true, isStale: true });
    expect(isSettled).toBe(false);
    await level('b').last().answer({ b: 2 });
    expect(ref().data).toEqual({ id: 1, b: 2 });
    expect(ref().meta).toMatchObject({ isLoading: false, isStale: false });
    expect(isSettled).toBe(true);
    await sim.advance(1000);
    expect(counts()).toMatchObject({ a: 2, b: 2 });
  });

  it('the promise of applyDirectives waits for the fetch of a level that the payload lacks', async () => {
    const { dl, load, level, sim } = setup(['a', 'b'], { a: ['b'] }, { checks: { b: has('b') } });
    await load('b', { b: 1 });
    await load('a', { id: 1, b: 1 });
    let isDone = false;
    void dl.applyDirectives([refreshItem('doc', 1)]).then(() => (isDone = true));
    await sim.advance(50);
    await level('a').last().answer({ id: 1 });
    expect(isDone).toBe(false);
    await level('b').last().answer({ b: 2 });
    expect(isDone).toBe(true);
  });

  it('a level that the payload lacks is not fetched if no read or directive needs it', async () => {
    const { load, counts, sim } = setup(['a', 'b'], { a: ['b'] }, { checks: { b: has('b') } });
    await load('a', { id: 1 });
    await sim.advance(1000);
    expect(counts()).toMatchObject({ a: 1, b: 0 });
  });

  it('a level that the payload lacks is fetched itself if a read waits for it', async () => {
    const { read, counts, level, ref } = setup(['a', 'b'], { a: ['b'] }, { checks: { b: has('b') } });
    read('a');
    read('b');
    expect(counts()).toMatchObject({ a: 1, b: 0 });
    await level('a').last().answer({ id: 1 });
    expect(counts()).toMatchObject({ a: 1, b: 1 });
    expect(ref().meta.isLoading).toBe(true);
    await level('b').last().answer({ b: 1 });
    expect(ref().data).toEqual({ id: 1, b: 1 });
    expect(ref().meta.isLoading).toBe(false);
  });

  it('a read that joined the request of another level is fetched itself when that request fails', async () => {
    const { read, counts, level, ref } = setup(['a', 'b'], { a: ['b'] });
    read('a');
    read('b');
    await level('a').last().fail(new Error('down'));
    expect(counts()).toMatchObject({ a: 1, b: 1 });
    await level('b').last().answer({ b: 1 });
    expect(ref().data).toEqual({ b: 1 });
    expect(ref().meta).toMatchObject({ isLoading: false, failedLevels: { a: true } });
  });

  it('a conversion clears an error of the derived level', async () => {
    const { load, read, level, ref } = setup(['a', 'b'], { a: ['b'] });
    read('b');
    await level('b').last().fail(new Error('b broke'));
    await load('a', { id: 1 });
    expect(ref().meta.error).toBeNull();
    expect(ref().meta.failedLevels['b'] ?? false).toBe(false);
  });

  it('an inline result is converted too', async () => {
    const { dl, read, counts, sim } = setup(['a', 'b'], { a: ['b'] });
    void dl.applyDirectives([refreshItem('doc', 1, { level: 'a', result: { id: 1 } })]);
    read('a');
    read('b');
    await sim.advance(1000);
    expect(counts()).toMatchObject({ a: 0, b: 0 });
  });
});

describe('D-LEVEL-4 cached levels', () => {
  it('a level counts as cached from its first request, so a directive during its first load refetches it', async () => {
    const { read, refresh, level, counts } = setup(['a']);
    read('a');
    await refresh();
    await level('a').last().answer({ v: 1 });
    expect(counts()).toMatchObject({ a: 2, default: 0 });
  });

  it('a level whose only request failed counts as cached', async () => {
    const { read, refresh, level, counts } = setup(['a']);
    read('a');
    await level('a').last().fail(new Error('x'));
    await refresh();
    expect(counts()).toMatchObject({ a: 2, default: 0 });
  });

  it('a level is cached by its own payload', async () => {
    const { load, refresh, counts } = setup(['a', 'b']);
    await load('a', { id: 1 });
    await refresh();
    expect(counts()).toEqual({ default: 0, a: 2, b: 0 });
  });

  it('a level is cached by a conversion', async () => {
    const { load, refresh, counts } = setup(['a', 'b'], { a: ['b'] });
    await load('a', { id: 1 });
    await refresh({ level: 'b' });
    expect(counts()).toEqual({ default: 0, a: 1, b: 1 });
  });

  it('a level is cached by an inline result', async () => {
    const { refresh, counts } = setup(['a', 'b']);
    await refresh({ level: 'a', result: { id: 1 } });
    expect(counts()).toEqual({ default: 0, a: 0, b: 0 });
    await refresh();
    expect(counts()).toEqual({ default: 0, a: 1, b: 0 });
  });

  it('getItemRef caches no level', async () => {
    const { ref, refresh, counts, of } = setup(['a']);
    ref();
    await refresh();
    expect(counts()).toEqual({ default: 0, a: 0 });
    expect(of('directive:processed').map(({ triggered }) => triggered)).toEqual([[]]);
  });

  it('the data of another level alone does not make a level cached', async () => {
    const { load, refresh, counts, of } = setup(['a'], {}, { checks: { a: () => true } });
    await load('default', { id: 1 });
    await refresh();
    expect(counts()).toEqual({ default: 2, a: 0 });
    expect(of('directive:processed')[0]?.triggered).toEqual([
      { kind: 'item', type: 'doc', id: 1, level: 'default' },
    ]);
  });

  it('a read caches a level without a fetch if its checkIfExists accepts a cached payload', async () => {
    const { load, read, refresh, counts, of, level } = setup(['a'], {}, { checks: { a: has('title') } });
    await load('default', { title: 't' });
    read('a');
    expect(counts()).toEqual({ default: 1, a: 0 });
    expect(of('item:fetch:skip').map(({ reason }) => reason)).toEqual(['derived']);
    await refresh();
    expect(counts()).toEqual({ default: 2, a: 1 });
    await level('default').last().answer({});
    await level('a').last().answer({});
  });

  it('a derived level uses the newest of several accepted payloads', async () => {
    const { sim, load, read, ref } = setup(['a', 'b', 'c', 'd'], {}, { checks: { d: has('d') } });
    for (const name of ['a', 'b', 'c']) await load(name, { d: `of ${name}` });
    await sim.advance(10);
    await load('b', { d: 'newest' }, true);
    read('d');
    const { levelStamps } = ref().meta;
    expect(levelStamps['d']).toBe(levelStamps['b']);
    expect(ref().data).toEqual({ d: 'newest' });
  });

  it('a derived level does not cache the levels that it converts to', async () => {
    const { load, read, ref } = setup(['b', 'c'], { b: ['c'] }, { checks: { b: has('b') } });
    await load('default', { b: 1 });
    read('b');
    expect(Object.keys(ref().meta.levelStamps)).toEqual(['default', 'b']);
  });

  it('a stale level that has its own payload is refetched and not derived', async () => {
    const { sim, load, read, counts } = setup(['a', 'b'], {}, { checks: { b: has('b') } });
    await load('b', { b: 1 });
    await sim.advance(15_000);
    await load('a', { a: 1, b: 2 });
    read('b');
    expect(counts()).toMatchObject({ a: 1, b: 2 });
  });

  it('a level is not derived from a payload that a directive marked stale', async () => {
    const { dl, sim, level, load, read, counts, refresh } = setup(
      ['a', 'b'],
      {},
      { checks: { b: has('b') } },
    );
    dl.init({ bulk: { refetch: 'watched' } });
    read('b');
    await level('b').last().fail(new Error('down'));
    await refresh();
    await load('a', { a: 1, b: 1 });
    await refresh({ level: 'a' });
    await sim.advance(100);
    read('b');
    expect(counts()).toMatchObject({ a: 1, b: 2 });
  });

  it('subscribers are notified when a read derives a level', async () => {
    const { dl, load, read, ref } = setup(['a', 'b'], {}, { checks: { b: has('b') } });
    await load('a', { id: 1, b: 1 });
    let told = 0;
    dl.onRefChange(ref(), () => told++);
    read('b');
    expect(told).toBe(1);
    expect(ref().meta.levelStamps['b']).toBe(ref().meta.levelStamps['a']);
  });

  it('a level is derived from a single payload, not from the merge of two', async () => {
    const { load, read, counts } = setup(['a', 'b', 'c'], {}, { checks: { c: has('x', 'y') } });
    await load('a', { x: 1 });
    await load('b', { y: 1 });
    read('c');
    expect(counts()).toMatchObject({ c: 1 });
  });

  it.each<[string, (data: unknown) => boolean]>([
    ['returns false', () => false],
    [
      'throws',
      () => {
        throw new Error('check');
      },
    ],
  ])('a level whose checkIfExists %s is fetched', async (_, check) => {
    const { load, read, counts } = setup(['a'], {}, { checks: { a: check } });
    await load('default', { id: 1 });
    read('a');
    expect(counts()).toMatchObject({ a: 1 });
  });

  it('a level without checkIfExists is not derived from another payload', async () => {
    const { load, read, counts } = setup(['a']);
    await load('default', { id: 1 });
    read('a');
    expect(counts()).toMatchObject({ a: 1 });
  });

  it('a level is not derived from a stale payload', async () => {
    const timed = setup(['a'], {}, { checks: { a: () => true } });
    await timed.load('default', { id: 1 });
    await timed.sim.advance(15_000);
    timed.read('a');
    expect(timed.counts()).toMatchObject({ a: 1 });
    const told = setup(['a'], {}, { checks: { a: () => true } });
    await told.load('default', { id: 1 });
    void told.dl.applyDirectives([refreshItem('doc', 1)]);
    told.read('a');
    expect(told.counts()).toMatchObject({ a: 1 });
  });

  it('force: true fetches the level even if checkIfExists would accept a payload', async () => {
    const { load, read, counts } = setup(['a'], {}, { checks: { a: () => true } });
    await load('default', { id: 1 });
    read('a', { force: true });
    expect(counts()).toMatchObject({ a: 1 });
  });
});

describe('D-LEVEL-5 which levels are fetched', () => {
  const chain: LevelConversionMap = { full: ['expanded'], expanded: ['simplified'] };
  it.each<[string, string[], LevelConversionMap, string[], string[]]>([
    ['one level', ['a', 'b'], {}, ['a'], ['a']],
    ['levels that do not convert: all', ['a', 'b'], {}, ['a', 'b', 'default'], ['default', 'a', 'b']],
    [
      'a chain: only its top',
      ['simplified', 'expanded', 'full'],
      chain,
      ['simplified', 'expanded', 'full'],
      ['full'],
    ],
    [
      'a part of a chain: the top of that part, not a level above it',
      ['simplified', 'expanded', 'full'],
      chain,
      ['simplified', 'expanded'],
      ['expanded'],
    ],
    ['the bottom of a chain', ['simplified', 'expanded', 'full'], chain, ['simplified'], ['simplified']],
    [
      'a chain and an unrelated level',
      ['simplified', 'expanded', 'full'],
      chain,
      ['full', 'default'],
      ['default', 'full'],
    ],
    ['two roots of one leaf', ['a', 'b', 'c'], { a: ['c'], b: ['c'] }, ['c', 'a', 'b'], ['a', 'b']],
    ['a diamond', ['a', 'b', 'c', 'd'], { a: ['b', 'c'], b: ['d'], c: ['d'] }, ['d', 'c', 'b', 'a'], ['a']],
    ['a cycle of two: the first registered', ['a', 'b'], { a: ['b'], b: ['a'] }, ['b'], ['a']],
    ['a cycle registered the other way', ['b', 'a'], { a: ['b'], b: ['a'] }, ['a'], ['b']],
    ['a cycle of three', ['a', 'b', 'c'], { a: ['b'], b: ['c'], c: ['a'] }, ['c'], ['a']],
    ['a cycle below a root', ['a', 'b', 'c'], { c: ['a'], a: ['b'], b: ['a'] }, ['c'], ['c']],
    ['a self edge', ['a'], { a: ['a'] }, ['a'], ['a']],
  ])('a directive fetches the fewest cached levels: %s', async (_, names, map, held, fetched) => {
    const { load, refresh, counts, of } = setup(names, map);
    for (const name of held) await load(name, { id: 1 });
    const before = counts();
    await refresh();
    const after = counts();
    const more = Object.keys(after).filter((name) => after[name] !== before[name]);
    expect(more.sort()).toEqual([...fetched].sort());
    expect(
      of('directive:processed')
        .at(-1)
        ?.triggered.map((target) => (target.kind === 'item' ? target.level : null))
        .sort(),
    ).toEqual([...fetched].sort());
  });

  it('a level that is not cached is never fetched in place of the cached ones', async () => {
    const { load, refresh, counts } = setup(['a', 'b', 'top'], { top: ['a', 'b'] });
    await load('a', { a: 1 });
    await load('b', { b: 1 });
    await refresh();
    expect(counts()).toEqual({ default: 0, a: 2, b: 2, top: 0 });
  });

  it('reads of one task through bulkFetch fetch the fewest levels', async () => {
    const { dl, many, counts, rest } = setup(['brief', 'full'], { full: ['brief'] }, { bulk: true });
    for (const id of [1, 2]) {
      dl.fetchItem('doc', id, 'brief');
      dl.fetchItem('doc', id, 'full');
    }
    await rest();
    expect(many.calls.map(({ args }) => args.slice(0, 2))).toEqual([[[1, 2], 'full']]);
    await many.last().answer([{ id: 1 }, { id: 2 }]);
    dl.fetchItem('doc', 1, 'brief');
    await rest();
    expect(many.calls).toHaveLength(1);
    expect(counts()).toEqual({ default: 0, brief: 0, full: 0 });
  });

  it('several directives in one window together fetch the fewest levels', async () => {
    const { dl, load, counts, sim } = setup(['brief', 'full'], { full: ['brief'] });
    await load('full', { id: 1 });
    void dl.applyDirectives([refreshItem('doc', 1, { level: 'brief' })]);
    void dl.applyDirectives([refreshItem('doc', 1, { level: 'full' })]);
    await sim.advance(50);
    expect(counts()).toEqual({ default: 0, brief: 0, full: 2 });
  });

  it('a resync fetches the fewest levels', async () => {
    const { dl, load, counts, ref, sim } = setup(['brief', 'full'], { full: ['brief'] });
    await load('brief', { id: 1 });
    await load('full', { id: 1 });
    dl.onRefChange(ref(), () => undefined);
    missOne(dl);
    await sim.advance(3500);
    expect(counts()).toEqual({ default: 0, brief: 1, full: 2 });
  });
});

describe('D-LEVEL-6 a level that the request of another level converts to', () => {
  it.each<[string, LevelConversionMap]>([
    ['directly', { full: ['brief'] }],
    ['through another level', { full: ['middle'], middle: ['brief'] }],
  ])('a read joins the request that converts to it, %s', async (_, map) => {
    const { read, counts, of, level, ref } = setup(['brief', 'middle', 'full'], map);
    read('full');
    read('brief');
    expect(counts()).toMatchObject({ brief: 0, full: 1 });
    expect(of('item:fetch:skip')).toEqual([{ type: 'doc', id: 1, level: 'brief', reason: 'in-flight' }]);
    await level('full').last().answer({ id: 1 });
    expect(ref().meta.levelStamps['brief']).toEqual(expect.any(String));
    read('brief');
    expect(counts()).toMatchObject({ brief: 0, full: 1 });
  });

  it('a request for a level that does not convert to it is not joined', () => {
    const { read, counts } = setup(['brief', 'full'], { full: ['brief'] });
    read('brief');
    read('full');
    read('default');
    expect(counts()).toEqual({ default: 1, brief: 1, full: 1 });
  });

  it('the request of another item is not joined', () => {
    const { dl, read, counts } = setup(['brief', 'full'], { full: ['brief'] });
    dl.fetchItem('doc', 2, 'full');
    read('brief');
    expect(counts()).toEqual({ default: 0, brief: 1, full: 1 });
  });

  it('isItemLoading is true only for the level that is requested', () => {
    const { dl, read } = setup(['brief', 'full'], { full: ['brief'] });
    read('full');
    read('brief');
    expect(dl.isItemLoading('doc', 1, 'full')).toBe(true);
    expect(dl.isItemLoading('doc', 1, 'brief')).toBe(false);
  });

  it('a visible read makes a silent request visible', () => {
    const { read, ref } = setup(['brief', 'full'], { full: ['brief'] });
    read('full', { silent: true });
    expect(ref().meta.isLoading).toBe(false);
    read('brief');
    expect(ref().meta.isLoading).toBe(true);
  });

  it('a silent read that joins a silent request is not loading', () => {
    const { read, ref } = setup(['brief', 'full'], { full: ['brief'] });
    read('full', { silent: true });
    read('brief', { silent: true });
    expect(ref().meta.isLoading).toBe(false);
  });

  it('a read does not retry a failed level while a level that converts to it is in flight', async () => {
    const { read, level, of, counts, events } = setup(
      ['brief', 'full'],
      { full: ['brief'] },
      {
        checks: { brief: has('brief') },
      },
    );
    read('brief');
    await level('brief').last().fail(new Error('down'));
    read('full');
    events.length = 0;
    read('brief');
    expect(of('item:fetch:skip').map(({ reason }) => reason)).toEqual(['failed']);
    await level('full').last().answer({ full: 1 });
    expect(counts()).toMatchObject({ brief: 1, full: 1 });
  });

  it('a read does not join a request that is older than a directive without a refetch', async () => {
    const { dl, read, load, refresh, counts, ref, level } = setup(['brief', 'full'], { full: ['brief'] });
    dl.init({ bulk: { refetch: 'watched' } });
    await load('brief', { v: 1 });
    read('full');
    await refresh({ level: 'brief' });
    read('brief');
    expect(counts()).toMatchObject({ brief: 2, full: 1 });
    await level('full').last().answer({ v: 1 });
    await level('brief').last().answer({ v: 2 });
    expect(ref().data).toEqual({ v: 2 });
  });

  it('a fresh level is served from the cache while a level that converts to it is in flight', async () => {
    const { load, read, of, events } = setup(['brief', 'full'], { full: ['brief'] });
    await load('brief', { id: 1 });
    read('full');
    events.length = 0;
    read('brief');
    expect(of('item:cache-hit').map(({ reason }) => reason)).toEqual(['fresh']);
  });

  it('prefetchItem of the level resolves when that request has settled', async () => {
    const { dl, read, rest, level } = setup(['brief', 'full'], { full: ['brief'] });
    read('full');
    let isDone = false;
    void dl.prefetchItem('doc', 1, 'brief').then(() => (isDone = true));
    await rest();
    expect(isDone).toBe(false);
    await level('full').last().answer({ id: 1 });
    expect(isDone).toBe(true);
  });

  it('a request older than a directive for the level does not make it fresh', async () => {
    const { dl, load, read, level, counts, ref, sim } = setup(['brief', 'full'], { full: ['brief'] });
    await load('brief', { v: 1 });
    read('full');
    void dl.applyDirectives([refreshItem('doc', 1, { level: 'brief' })]);
    await sim.advance(50);
    await level('full').last().answer({ v: 1 });
    expect(ref().meta.isStale).toBe(true);
    expect(counts()).toMatchObject({ brief: 2 });
    await level('brief').last().answer({ v: 2 });
    expect(ref().data).toEqual({ v: 2 });
    expect(ref().meta.isStale).toBe(false);
  });
});

describe('D-LEVEL-3 a level that the response of another level was expected to contain but lacks', () => {
  const lacking = () => setup(['a', 'b', 'c'], { a: ['b', 'c'] }, { checks: { b: has('b'), c: has('c') } });

  /** All three levels are cached, each with its own payload. */
  async function held(): Promise<ReturnType<typeof lacking>> {
    const world = lacking();
    await world.load('b', { b: 1 });
    await world.load('c', { c: 1 });
    await world.load('a', { a: 1 });
    return world;
  }

  it('is fetched itself after a directive, as is every other missing level', async () => {
    const { refresh, counts, level } = await held();
    await refresh();
    expect(counts()).toMatchObject({ a: 2, b: 1, c: 1 });
    await level('a').last().answer({ a: 2 });
    expect(counts()).toMatchObject({ a: 2, b: 2, c: 2 });
  });

  it('is fetched itself after a read joined the request, as is every other missing level', async () => {
    const { read, counts, level } = lacking();
    read('a');
    read('b');
    read('c');
    await level('a').last().answer({ a: 1 });
    expect(counts()).toMatchObject({ a: 1, b: 1, c: 1 });
  });

  it('D-FETCH-2 is fetched itself if only the first of two triggers of a follow-up needed it', async () => {
    const { read, refresh, counts, level } = await held();
    read('a', { force: true });
    await refresh();
    read('a', { force: true });
    await level('a').last().answer({ a: 2 });
    expect(counts()).toMatchObject({ a: 3, b: 1, c: 1 });
    await level('a').last().answer({ a: 3 });
    expect(counts()).toMatchObject({ a: 3, b: 2, c: 2 });
  });

  it('is fetched itself if a third level delivered the other level in between', async () => {
    const { load, read, refresh, counts, level, ref } = setup(
      ['a', 'b', 'top'],
      { top: ['a'], a: ['b'] },
      { checks: { b: has('b') } },
    );
    await load('b', { b: 1 });
    await load('a', { a: 1 });
    read('a', { force: true });
    await refresh();
    read('top');
    await level('top').last().answer({ a: 3 });
    expect(counts()).toMatchObject({ a: 2, b: 2, top: 1 });
    await level('a').last().answer({ a: 2 });
    expect(counts()).toMatchObject({ a: 2, b: 2, top: 1 });
    await level('b').last().answer({ b: 3 });
    expect(ref().data).toEqual({ a: 3, b: 3 });
    expect(ref().meta).toMatchObject({ isStale: false, isLoading: false });
  });

  it('D-FETCH-1 is not fetched a second time while its own request is in flight', async () => {
    const { read, refresh, counts, level, ref } = await held();
    await refresh();
    read('b', { force: true });
    await level('a').last().answer({ a: 2, c: 2 });
    expect(counts()).toMatchObject({ a: 2, b: 2, c: 1 });
    await level('b').last().answer({ b: 2 });
    expect(counts()).toMatchObject({ a: 2, b: 2, c: 1 });
    expect(ref().meta).toMatchObject({ isStale: false, isLoading: false });
  });

  it('D-FETCH-1 is not fetched again if its own request fails', async () => {
    const { read, refresh, counts, level, ref } = await held();
    await refresh();
    read('b', { force: true });
    await level('a').last().answer({ a: 2, c: 2 });
    await level('b').last().fail(new Error('down'));
    expect(counts()).toMatchObject({ a: 2, b: 2, c: 1 });
    expect(ref().meta).toMatchObject({ error: 'down', isLoading: false });
  });

  it('D-FETCH-1 is fetched after its own older request, not in parallel', async () => {
    const { read, refresh, counts, level, ref } = await held();
    read('b', { force: true });
    await refresh();
    await level('a').last().answer({ a: 2, c: 2 });
    expect(counts()).toMatchObject({ a: 2, b: 2, c: 1 });
    await level('b').last().answer({ b: 2 });
    expect(counts()).toMatchObject({ a: 2, b: 3, c: 1 });
    await level('b').last().answer({ b: 3 });
    expect(ref().data).toMatchObject({ b: 3 });
    expect(ref().meta).toMatchObject({ isStale: false, isLoading: false });
  });

  it('D-DIR-5 is fetched when the window closes if a directive named it in between', async () => {
    const { dl, refresh, counts, level, sim } = await held();
    await refresh();
    void dl.applyDirectives([refreshItem('doc', 1, { level: 'b' })]);
    await sim.advance(20);
    await level('a').last().answer({ a: 2, c: 2 });
    expect(counts()).toMatchObject({ a: 2, b: 1, c: 1 });
    await sim.advance(30);
    expect(counts()).toMatchObject({ a: 2, b: 2, c: 1 });
    await level('b').last().answer({ b: 2 });
    expect(counts()).toMatchObject({ a: 2, b: 2, c: 1 });
  });
});

describe('D-FETCH-2 a failure of a level that another level is expected to cover', () => {
  it('is not reported while the request of the other level is in flight', async () => {
    const { read, refresh, level, of, ref } = setup(['brief', 'full'], { full: ['brief'] });
    read('full');
    await level('full').last().answer({ v: 1 });
    read('brief', { force: true });
    await refresh();
    await level('brief').last().fail(new Error('down'));
    expect(of('item:fetch:error')).toEqual([]);
    expect(of('item:fetch:aborted').at(-1)).toMatchObject({ level: 'brief', reason: 'superseded' });
    expect(ref().meta).toMatchObject({ error: null, isLoading: true });
    await level('full').last().answer({ v: 2 });
    expect(ref().meta).toMatchObject({ error: null, isLoading: false, isStale: false });
  });

  it('is not reported while the request of the other level is queued', async () => {
    const { read, refresh, level, of, counts, ref } = setup(['brief', 'full'], { full: ['brief'] });
    read('full');
    await level('full').last().answer({ v: 1 });
    read('full', { force: true });
    read('brief', { force: true });
    await refresh();
    expect(counts()).toMatchObject({ full: 2 });
    await level('brief').last().fail(new Error('down'));
    expect(of('item:fetch:error')).toEqual([]);
    await level('full').last().answer({ v: 2 });
    await level('full').last().answer({ v: 3 });
    expect(ref().meta).toMatchObject({ error: null, isLoading: false, isStale: false });
  });

  it('is reported if the request of the other level is older', async () => {
    const { read, level, of } = setup(
      ['brief', 'full'],
      { full: ['brief'] },
      { checks: { brief: has('b') } },
    );
    read('full');
    read('brief');
    read('brief', { force: true });
    await level('brief').last().fail(new Error('down'));
    expect(of('item:fetch:error')).toMatchObject([{ level: 'brief' }]);
  });

  it('is reported if no read or directive relies on the other level', async () => {
    const { read, level, of } = setup(['brief', 'full'], { full: ['brief'] });
    read('brief');
    read('full');
    await level('brief').last().fail(new Error('down'));
    expect(of('item:fetch:error')).toMatchObject([{ level: 'brief' }]);
  });
});

describe('D-FETCH-3 a response that arrives after a newer conversion', () => {
  it.each<[string, (calls: Held) => Promise<void>]>([
    ['ends as aborted', (calls) => calls.last().answer({ v: 1 })],
    ['is not reported as an error if it fails', (calls) => calls.last().fail(new Error('down'))],
  ])('%s', async (_title, end) => {
    const { read, level, of, ref } = setup(['brief', 'full'], { full: ['brief'] });
    read('brief');
    read('full');
    await level('full').last().answer({ v: 2 });
    await end(level('brief'));
    expect(of('item:fetch:aborted')).toMatchObject([{ level: 'brief', reason: 'superseded' }]);
    expect(of('item:fetch:success').map(({ level: name }) => name)).toEqual(['full']);
    expect(of('item:fetch:error')).toEqual([]);
    expect(ref().data).toEqual({ v: 2 });
  });

  it('D-LEVEL-3 still updates a level that the newer response lacked', async () => {
    const { read, level, ref } = setup(
      ['brief', 'mid', 'full'],
      { full: ['mid'], mid: ['brief'] },
      {
        checks: { brief: has('note') },
      },
    );
    read('mid');
    read('full');
    await level('full').last().answer({ v: 2 });
    await level('mid').last().answer({ v: 1, note: 'kept' });
    expect(ref().data).toEqual({ v: 2, note: 'kept' });
    expect(ref().meta.levelStamps['brief']).not.toBeNull();
  });
});

describe('D-LEVEL-6 a request that an inline result superseded', () => {
  it('is not joined by another level, so a level that the result lacks is fetched immediately', async () => {
    const { dl, read, level, ref } = setup(
      ['brief', 'full'],
      { full: ['brief'] },
      { checks: { brief: has('note') } },
    );
    read('full');
    void dl.applyDirectives([refreshItem('doc', 1, { level: 'full', result: { v: 2 } })]);
    read('brief');
    expect(level('brief').calls).toHaveLength(1);
    await level('brief').last().answer({ v: 2, note: 'new' });
    await level('full').last().answer({ v: 1, note: 'old' });
    expect(ref().data).toEqual({ v: 2, note: 'new' });
  });
});

describe('D-LEVEL-5 a level that covers several requests of one window', () => {
  it('is fetched visibly if one of them is visible, and with force if one of them is forced', async () => {
    const { dl, many, rest, ref } = setup(['brief', 'full'], { full: ['brief'] }, { bulk: true });
    dl.fetchItem('doc', 1, 'full', { silent: true });
    dl.fetchItem('doc', 1, 'brief', { force: true });
    dl.fetchItem('doc', 2, 'full', { silent: true });
    await rest();
    expect(many.calls.map(({ args }) => args.slice(0, 2))).toEqual([[[1, 2], 'full']]);
    expect(many.last().ctx.force).toBe(true);
    expect(ref().meta.isLoading).toBe(true);
    expect(dl.getItemRef('doc', 2).meta.isLoading).toBe(false);
  });

  it('is fetched alone for its item even if the window has other entries', async () => {
    const { dl, load, counts, sim, of } = setup(['brief', 'full'], { full: ['brief'] });
    dl.createCollection('docs', { fetch: () => ({ ids: [] }) });
    dl.fetchCollection('docs');
    await load('full', { v: 1 });
    await load('brief', { v: 1 }, true);
    await sim.advance(0);
    void dl.applyDirectives([{ op: 'refresh_collection', name: 'docs' }, refreshItem('doc', 1)]);
    expect(of('directive:processed').at(-1)?.triggered).toMatchObject([{ level: 'full' }]);
    await sim.advance(50);
    expect(counts()).toMatchObject({ full: 2, brief: 1 });
  });
});

describe('D-LEVEL-7 structural sharing', () => {
  const payload = (): object => ({ id: 1, tags: ['a', { deep: [1, 2] }], author: { name: 'n' }, at: null });

  it('a response with equal data keeps the identity of data', async () => {
    const { load, ref } = setup([]);
    await load('default', payload());
    const { data } = ref();
    await load('default', payload(), true);
    expect(ref().data).toBe(data);
  });

  it('parts that are deeply equal keep their identity', async () => {
    const { load, ref } = setup([]);
    await load('default', payload());
    const before = ref().data as { tags: unknown[]; author: object };
    await load('default', { ...payload(), author: { name: 'other' } }, true);
    const after = ref().data as typeof before;
    expect(after).not.toBe(before);
    expect(after.tags).toBe(before.tags);
    expect(after.author).toEqual({ name: 'other' });
    expect(before.author).toEqual({ name: 'n' });
  });

  it('deeply equal members of a list keep their identity', async () => {
    const { load, ref } = setup([]);
    await load('default', { rows: [{ n: 1 }, { n: 2 }] });
    const before = ref().data as { rows: object[] };
    await load('default', { rows: [{ n: 1 }, { n: 3 }, { n: 4 }] }, true);
    const after = ref().data as { rows: object[] };
    expect(after.rows[0]).toBe(before.rows[0]);
    expect(after.rows).toEqual([{ n: 1 }, { n: 3 }, { n: 4 }]);
  });

  it.each<[string, unknown, unknown]>([
    ['an added field', { a: 1 }, { a: 1, b: 2 }],
    ['a removed field', { a: 1, b: 2 }, { a: 1 }],
    ['undefined instead of absent', { a: 1 }, { a: 1, b: undefined }],
    ['another order of a list', { l: [1, 2] }, { l: [2, 1] }],
    ['a list and an object', { l: [] }, { l: {} }],
    ['a number and its string', { n: 1 }, { n: '1' }],
    ['null and undefined', { n: null }, { n: undefined }],
  ])('a change is detected: %s', async (_, older, newer) => {
    const { load, ref } = setup([]);
    await load('default', older);
    const { data } = ref();
    await load('default', newer, true);
    expect(ref().data).not.toBe(data);
    expect(ref().data).toStrictEqual(newer);
  });

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
