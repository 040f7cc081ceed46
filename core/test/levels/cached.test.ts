// Which levels are cached: by a request, a conversion, an inline result, or a read that derives them.

import { describe, expect, it } from 'vitest';
import { refreshItem } from '../directives.ts';
import { has, setup } from './setup.ts';

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

  it('a read caches a level without a fetch if its checkIfExists accepts the inline result of another level', async () => {
    const { load, read, refresh, counts, ref } = setup(['a'], {}, { checks: { a: has('title') } });
    await load('default', { title: 't' });
    await refresh({ result: { title: 'u' } });
    read('a');
    expect(counts()).toEqual({ default: 1, a: 0 });
    expect([ref().data, ref().meta.isStale]).toEqual([{ title: 'u' }, false]);
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

  it.each([
    ['that a directive marked stale', 'a'],
    ['that was requested before a directive for the level', 'b'],
  ])('a level is not derived from a payload %s', async (_, stale) => {
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
    await refresh({ level: stale });
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
