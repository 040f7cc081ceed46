// Which levels a level converts to.

import type { LevelConversionMap } from '@edict/core';
import { describe, expect, it } from 'vitest';
import { setup } from './setup.ts';

describe('D-LEVEL-2 §2.6 levelConversionMap', () => {
  const names = ['a', 'b', 'c', 'd'];
  it.each<[string, LevelConversionMap, Record<string, LevelConversionMap>, string[]]>([
    ['on the type', { a: ['b', 'c'] }, {}, ['a', 'b', 'c']],
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
    const { load, read, counts, ref, sim } = setup(['a', 'b'], map, { own });
    const message = `level "${stranger}" in a levelConversionMap of type "doc" is not registered (registered: "default", "a", "b"). Add it to the "levels" of the type.`;
    expect(sim.log).toEqual([{ at: sim.now(), level: 'warn', message, detail: undefined }]);
    await load('a', { id: 1 });
    read('b');
    expect(counts()).toEqual({ default: 0, a: 1, b: 0 });
    expect(ref().meta.isStale).toBe(false);
  });
});
