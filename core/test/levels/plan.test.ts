// Which levels are requested: the fewest that convert to all needed ones.

import type { FetchContext, Id, LevelConversionMap } from '@edict/core';
import { createSimulation } from '@edict/core/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { missOne, refreshItem } from '../directives.ts';
import { runs } from '../seed.ts';
import { setup } from './setup.ts';

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
    await many.last().answer([{ id: 1 }, { id: 2 }]);
    await rest();
    expect([many.calls.length, ref().meta.isLoading]).toEqual([1, false]);
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

describe('D-LEVEL-5 a level that a failed request was expected to return', () => {
  it('is returned by the follow-up, without its own request', async () => {
    const sim = createSimulation();
    const dl = sim.createDataLayer({ sse: { enabled: false } });
    const asked: string[] = [];
    const fetch = async (id: unknown, { level }: { level: string }): Promise<unknown> => {
      asked.push(level);
      const isFirst = asked.length === 1;
      await sim.sleep(100);
      if (isFirst) throw new Error('refused');
      return { id };
    };
    dl.createType('doc', {
      fetch,
      levelConversionMap: { full: ['default'] },
      levels: { full: { fetch } },
    });
    const ref = dl.fetchItem('doc', 1, 'full');
    dl.fetchItem('doc', 1);
    void dl.applyDirectives([{ op: 'refresh_item', name: 'doc', id: 1 }]);
    await sim.settled();
    expect(asked).toEqual(['full', 'full']);
    expect(ref.meta.levelStamps['default']).not.toBeNull();
    expect(ref.meta.isStale).toBe(false);
  });
});

const levels = ['default', 'a', 'b', 'c', 'd'];

/** Caches exactly the `needed` levels of an item, refreshes it, and returns the levels that are requested for the refresh. */
async function refreshed(map: LevelConversionMap, needed: readonly string[]): Promise<string[]> {
  const sim = createSimulation();
  const dl = sim.createDataLayer({ sse: { enabled: false } });
  const requested: string[] = [];
  let isRefresh = false;
  const level = {
    fetch: async (id: Id, ctx: FetchContext): Promise<object> => {
      requested.push(ctx.level);
      return { id };
    },
    // The first payloads convert to no other level, or more levels would be cached than are needed.
    checkIfExists: () => isRefresh,
  };
  dl.createType('doc', {
    fetch: level.fetch,
    levels: Object.fromEntries(levels.map((name) => [name, level])),
    levelConversionMap: map,
  });
  for (const name of needed) dl.fetchItem('doc', 1, name);
  await sim.settled();
  requested.length = 0;
  isRefresh = true;
  void dl.applyDirectives([{ op: 'refresh_item', name: 'doc', id: 1 }]);
  await sim.settled();
  dl.dispose();
  return requested;
}

describe('D-LEVEL-5 the levels that a refresh requests', () => {
  it('cover the needed levels, contain no other level, and are as few as possible', async () => {
    const name = fc.constantFrom(...levels);
    await fc.assert(
      fc.asyncProperty(fc.dictionary(name, fc.array(name)), fc.uniqueArray(name), async (map, needed) => {
        const reach = (from: string, seen = new Set<string>()): Set<string> => {
          for (const to of map[from] ?? []) if (!seen.has(to)) reach(to, seen.add(to));
          return seen;
        };
        const covers = (choice: readonly string[]): boolean =>
          needed.every((level) => choice.includes(level) || choice.some((from) => reach(from).has(level)));
        const requested = await refreshed(map, needed);
        expect(needed).toEqual(expect.arrayContaining(requested));
        expect(covers(requested)).toBe(true);
        const choices = Array.from({ length: 2 ** needed.length }, (_, bits) =>
          needed.filter((_level, at) => (bits & (1 << at)) !== 0),
        );
        expect(requested).toHaveLength(Math.min(...choices.filter(covers).map(({ length }) => length)));
      }),
      runs(200),
    );
  });
});
