// Reads and failures of a level while the request of another level converts to it.

import type { LevelConversionMap } from '@edict/core';
import { describe, expect, it } from 'vitest';
import { refreshItem } from '../directives.ts';
import { createWorld, type Held } from '../world.ts';
import { has, setup } from './setup.ts';

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

  it('D-FETCH-9 a read that joined is served by its response, even with stalenessMs 0', async () => {
    const { dl, held } = createWorld();
    const [brief, full] = [held(), held()];
    const levels = { full: { fetch: full.fetch } };
    const levelConversionMap = { full: ['default'] };
    dl.createType('doc', { fetch: brief.fetch, stalenessMs: 0, levels, levelConversionMap });
    dl.fetchItem('doc', 1, 'full');
    dl.fetchItem('doc', 1);
    await full.last().answer({ id: 1 });
    expect(brief.calls).toEqual([]);
    expect(dl.getItemRef('doc', 1).meta.isLoading).toBe(false);
  });

  it('D-FETCH-4 a read that serves a directive in its window has ctx.force', async () => {
    const { dl, sim, held, rest } = createWorld();
    const [brief, full] = [held(), held()];
    const levels = { full: { fetch: full.fetch } };
    dl.createType('doc', { fetch: brief.fetch, levels, levelConversionMap: { full: ['default'] } });
    dl.onRefChange(dl.fetchItem('doc', 1), () => undefined);
    await brief.last().answer({ id: 1 });
    void dl.applyDirectives([refreshItem('doc', 1)]);
    dl.fetchItem('doc', 1, 'full');
    await rest();
    expect(full.last().ctx.force).toBe(true);
    await full.last().answer({ id: 1 });
    await sim.advance(100);
    expect([brief.calls.length, full.calls.length]).toEqual([1, 1]);
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

  it('is reported if a directive requested it after the other level, whose response does not clear the error', async () => {
    const { read, refresh, level, of, ref } = setup(['brief', 'full'], { full: ['brief'] });
    read('full');
    read('brief');
    await refresh({ level: 'brief' });
    await level('brief').last().fail(new Error('down'));
    expect(of('item:fetch:error')).toMatchObject([{ level: 'brief' }]);
    expect(ref().meta.error).toBe('down');
    await level('full').last().answer({ v: 1 });
    expect(ref().data).toEqual({ v: 1 });
    expect(ref().meta).toMatchObject({ error: 'down', isStale: true });
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
