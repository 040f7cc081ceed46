import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { levelGraph, levelName, smallestCover, type LevelGraph } from '../../src/levels/graph.ts';
import { runs } from '../seed.ts';

const levels = ['default', 'full', 'expanded', 'simplified'];

const reachOf = (graph: LevelGraph): Record<string, string[]> =>
  Object.fromEntries([...graph].map(([level, reached]) => [level, [...reached].sort()]));

describe('D-REG-6 level names', () => {
  it.each([
    [undefined, 'default'],
    [null, 'default'],
    ['default', 'default'],
    ['full', 'full'],
    ['__proto__', '__proto__'],
  ])('%s is %s', (level, name) => {
    expect(levelName(level)).toBe(name);
  });
});

describe('D-LEVEL-2 the conversion graph', () => {
  it('reads from → to, merges all maps and is transitive', () => {
    const graph = levelGraph(levels, [
      { full: ['expanded'] },
      { expanded: ['simplified'] },
      { full: ['default'] },
    ]);
    expect([...graph.keys()]).toEqual(levels);
    expect(reachOf(graph)).toEqual({
      default: [],
      full: ['default', 'expanded', 'simplified'],
      expanded: ['simplified'],
      simplified: [],
    });
  });

  it('bears cycles and self edges, and a level does not reach itself', () => {
    const graph = levelGraph(levels, [{ full: ['expanded', 'full'], expanded: ['full'] }]);
    expect(reachOf(graph)).toEqual({ default: [], full: ['expanded'], expanded: ['full'], simplified: [] });
  });

  it('leaves out names that are not registered, also as steps in between', () => {
    const graph = levelGraph(levels, [{ full: ['nowhere'], nowhere: ['simplified'] }]);
    expect([...graph.keys()]).toEqual(levels);
    expect(reachOf(graph)['full']).toEqual([]);
  });

  it('takes names of prototypes for data', () => {
    const map = JSON.parse('{"__proto__":["constructor"],"constructor":["toString"]}') as Record<
      string,
      string[]
    >;
    expect(reachOf(levelGraph(['default'], [map]))).toEqual({ default: [] });
    const graph = levelGraph(['__proto__', 'constructor', 'toString'], [map]);
    expect([...(graph.get('__proto__') ?? [])]).toEqual(['constructor', 'toString']);
  });
});

describe('D-LEVEL-5 the smallest cover', () => {
  const line = levelGraph(levels, [{ full: ['expanded'], expanded: ['simplified'] }]);
  const ring = levelGraph(levels, [{ full: ['expanded'], expanded: ['simplified'], simplified: ['full'] }]);
  const fork = levelGraph(levels, [{ full: ['simplified'], expanded: ['simplified'] }]);

  it.each<[string, string[], LevelGraph, string[]]>([
    ['nothing', [], line, []],
    ['one level', ['simplified'], line, ['simplified']],
    ['what the highest converts to', ['simplified', 'expanded', 'full'], line, ['full']],
    ['a way through a level that is not needed', ['simplified', 'full'], line, ['full']],
    ['never a level outside', ['simplified', 'expanded'], line, ['expanded']],
    ['levels that do not convert', ['default', 'expanded'], line, ['default', 'expanded']],
    ['of a cycle the first registered', ['simplified', 'expanded', 'full'], ring, ['full']],
    ['of a part of a cycle the first registered', ['simplified', 'expanded'], ring, ['expanded']],
    ['two that share what they convert to', ['simplified', 'expanded', 'full'], fork, ['full', 'expanded']],
    ['the same level twice', ['full', 'full'], line, ['full']],
  ])('%s', (_, needed, graph, cover) => {
    expect(smallestCover(needed, graph)).toEqual(cover);
  });

  it('covers, holds only needed levels, and no smaller choice covers', () => {
    const names = ['a', 'b', 'c', 'd', 'e'];
    const name = fc.constantFrom(...names);
    fc.assert(
      fc.property(fc.dictionary(name, fc.array(name)), fc.uniqueArray(name), (map, needed) => {
        const graph = levelGraph(names, [map]);
        const covers = (choice: readonly string[]): boolean =>
          needed.every(
            (level) => choice.includes(level) || choice.some((from) => graph.get(from)?.has(level)),
          );
        const cover = smallestCover(needed, graph);
        expect(needed).toEqual(expect.arrayContaining(cover));
        expect(covers(cover)).toBe(true);
        const choices = Array.from({ length: 2 ** needed.length }, (_, bits) =>
          needed.filter((_level, at) => (bits & (1 << at)) !== 0),
        );
        expect(Math.min(...choices.filter(covers).map((choice) => choice.length))).toBe(cover.length);
      }),
      runs(500),
    );
  });
});
