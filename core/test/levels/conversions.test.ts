// A payload that arrives for one level counts for the levels that it converts to.

import { describe, expect, it } from 'vitest';
import { refreshItem } from '../directives.ts';
import { has, setup } from './setup.ts';

describe('D-LEVEL-3 §2.6 when a payload arrives', () => {
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
    ['returns a promise', (() => Promise.resolve(false)) as never, false],
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

  const doc = { kind: 'item', name: 'doc', id: 1 };
  it.each([
    ['watched', { op: 'refresh_item', ...doc }],
    ['watched', { op: 'refresh_item', ...doc, level: 'b' }],
    ['watched', { op: 'refresh_item', ...doc, level: 'side' }],
    ['held', { op: 'invalidate', ...doc }],
    ['held', { op: 'invalidate', ...doc, level: 'b' }],
  ] as const)(
    'D-FETCH-2 a level is stale if a directive arrived while the payload was in flight: refetch: %s, %j',
    async (refetch, directive) => {
      const { dl, sim, read, level, counts, ref } = setup(['a', 'b', 'c', 'side'], {
        a: ['b'],
        b: ['c'],
        side: ['b'],
      });
      dl.init({ bulk: { refetch } });
      read('a');
      void dl.applyDirectives([directive]);
      await sim.advance(50);
      await level('a').last().answer({ v: 1 });
      read('c');
      expect(counts()).toMatchObject({ a: 1, b: 0, c: 1 });
      await level('c').last().answer({ v: 2 });
      expect(ref().data).toEqual({ v: 2 });
    },
  );

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
