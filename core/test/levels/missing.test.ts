// A level that the response of another level was expected to contain, but lacks. It is requested itself if it is needed.

import { createSimulation } from '@edict/core/testing';
import { describe, expect, it } from 'vitest';
import { refreshItem } from '../directives.ts';
import { has, setup } from './setup.ts';

describe('D-LEVEL-3 a level that the response of another level lacks', () => {
  const lacking = () => setup(['a', 'b', 'c'], { a: ['b', 'c'] }, { checks: { b: has('b'), c: has('c') } });

  /** All three levels are cached, each with its own payload. */
  async function held(): Promise<ReturnType<typeof lacking>> {
    const world = lacking();
    await world.load('b', { b: 1 });
    await world.load('c', { c: 1 });
    await world.load('a', { a: 1 });
    return world;
  }

  it('is fetched itself after a directive, which is settled afterwards', async () => {
    const { dl, counts, level, ref, sim } = await held();
    const ended: string[] = [];
    void dl.applyDirectives([refreshItem('doc', 1)]).then(() => ended.push('directive'));
    await sim.advance(50);
    void dl.whenSettled(ref()).then(() => ended.push('reference'));
    expect(counts()).toMatchObject({ a: 2, b: 1, c: 1 });
    await level('a').last().answer({ a: 2 });
    expect(counts()).toMatchObject({ a: 2, b: 2, c: 2 });
    expect(level('b').last().ctx.force).toBe(true);
    await level('c').last().answer({ c: 2 });
    expect(ref().meta).toMatchObject({ isLoading: true, isStale: true });
    expect(ended).toEqual([]);
    await level('b').last().answer({ b: 2 });
    expect(ref().data).toEqual({ a: 2, b: 2, c: 2 });
    expect(ref().meta).toMatchObject({ isLoading: false, isStale: false });
    expect(ended.toSorted()).toEqual(['directive', 'reference']);
    await sim.advance(1000);
    expect(counts()).toMatchObject({ a: 2, b: 2, c: 2 });
  });

  it('is fetched itself if a read joined the request', async () => {
    const { read, counts, level, ref } = lacking();
    read('a');
    read('b');
    read('c');
    expect(counts()).toMatchObject({ a: 1, b: 0, c: 0 });
    await level('a').last().answer({ a: 1 });
    expect(counts()).toMatchObject({ a: 1, b: 1, c: 1 });
    await level('c').last().answer({ c: 1 });
    expect(ref().meta.isLoading).toBe(true);
    await level('b').last().answer({ b: 1 });
    expect(ref().data).toEqual({ a: 1, b: 1, c: 1 });
    expect(ref().meta.isLoading).toBe(false);
  });

  it('is fetched itself if a read joined the request and the request fails', async () => {
    const { read, counts, level, ref } = setup(['a', 'b'], { a: ['b'] });
    read('a');
    read('b');
    await level('a').last().fail(new Error('down'));
    expect(counts()).toMatchObject({ a: 1, b: 1 });
    await level('b').last().answer({ b: 1 });
    expect(ref().data).toEqual({ b: 1 });
    expect(ref().meta).toMatchObject({ isLoading: false, failedLevels: { a: true } });
  });

  it('D-REG-3 is not fetched with bulk.refetch "watched" if only the other level is read', async () => {
    const { dl, refresh, load, counts } = await held();
    dl.init({ bulk: { refetch: 'watched' } });
    await refresh();
    expect(counts()).toMatchObject({ a: 1, b: 1, c: 1 });
    await load('a', { a: 2 });
    expect(counts()).toMatchObject({ a: 2, b: 1, c: 1 });
  });

  it.each<[string, b: unknown, a: unknown, isWatched: boolean]>([
    ['the response of the other level is not null', { b: 1 }, { a: 2 }, true],
    ['it is null already', null, null, true],
    ['nothing watches the item', { b: 1 }, null, false],
  ])('D-REG-3 is not fetched after a directive without a refetch if %s', async (_title, b, a, isWatched) => {
    const { dl, refresh, load, counts, ref } = setup(['a', 'b']);
    dl.init({ bulk: { refetch: 'watched' } });
    await load('b', b);
    await load('a', { a: 1 });
    await refresh(); // Nothing watches the item.
    if (isWatched) dl.onRefChange(ref(), () => undefined);
    await load('a', a);
    expect(counts()).toMatchObject({ a: 2, b: 1 });
  });

  it('D-REG-3 is not fetched if the response contains it, after a directive without a refetch', async () => {
    const { dl, refresh, read, counts, level, ref } = setup(['a', 'b'], { a: ['b'] });
    dl.init({ bulk: { refetch: 'watched' } });
    read('a');
    await refresh(); // Nothing watches the item.
    dl.onRefChange(ref(), () => undefined);
    await level('a').last().answer({ a: 1 });
    expect(counts()).toMatchObject({ a: 1, b: 0 });
    expect(ref().meta.isStale).toBe(true);
  });

  it('is not fetched if no read or directive needs it', async () => {
    const { load, counts, sim } = setup(['a', 'b'], { a: ['b'] }, { checks: { b: has('b') } });
    await load('a', { id: 1 });
    await sim.advance(1000);
    expect(counts()).toMatchObject({ a: 1, b: 0 });
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

  it.each(['earlier', 'later'])(
    'D-FETCH-1 is not fetched again if its own request fails %s',
    async (when) => {
      const { read, refresh, counts, level, ref } = await held();
      await refresh();
      read('b', { force: true });
      if (when === 'later') await level('a').last().answer({ a: 2, c: 2 });
      await level('b').last().fail(new Error('down'));
      if (when === 'earlier') await level('a').last().answer({ a: 2, c: 2 });
      expect(counts()).toMatchObject({ a: 2, b: 2, c: 1 });
      expect(ref().meta).toMatchObject({ error: 'down', isLoading: false });
    },
  );

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

describe('D-LEVEL-3 a level that the newest response of another level lacks', () => {
  it('is fetched itself if an older response returned it and the newer response lacks it', async () => {
    const sim = createSimulation();
    const server = { v: 1, draft: 'first' as string | undefined };
    const draftOf = (): object => (server.draft === undefined ? {} : { draft: server.draft });
    const dl = sim.createDataLayer({ sse: { enabled: false } });
    dl.createType('ticket', {
      fetch: (id) => ({ id }),
      levels: {
        full: {
          async fetch(id) {
            const answer = { id, v: server.v, ...draftOf() };
            await sim.sleep(100);
            return answer;
          },
        },
        draft: {
          fetch: (id) => ({ id, draft: server.draft ?? null }),
          checkIfExists: (data) => Object.hasOwn(data as object, 'draft'),
        },
      },
      levelConversionMap: { full: ['draft'] },
    });
    const ref = dl.fetchItem('ticket', 1, 'full');
    await sim.advance(70);
    Object.assign(server, { v: 2, draft: undefined });
    void dl.applyDirectives([{ op: 'refresh_item', name: 'ticket', id: 1 }]); // The draft is not cached yet.
    await sim.settled();
    expect(ref.data).toEqual({ id: 1, v: 2, draft: null });
    expect(ref.meta.isStale).toBe(false);
  });

  it('is fetched again after its own request in flight if that is older than the directive', async () => {
    const sim = createSimulation();
    const server = { v: 1 };
    const dl = sim.createDataLayer();
    dl.createType('ticket', {
      fetch: (id) => ({ id }),
      levels: {
        // Its payload never contains the body, although the conversion map declares it.
        full: { fetch: (id) => ({ id, v: server.v }) },
        mid: {
          async fetch(id) {
            const { v } = server;
            await sim.sleep(1000);
            return { id, v, body: v };
          },
          checkIfExists: (data) => typeof data === 'object' && data !== null && 'body' in data,
        },
      },
      levelConversionMap: { full: ['mid'] },
    });
    const ref = dl.fetchItem('ticket', 1, 'full');
    dl.fetchItem('ticket', 1, 'mid');
    await sim.advance(100);
    server.v = 2;
    sim.hub.emit([{ op: 'refresh_item', name: 'ticket', id: 1 }]);
    await sim.advance(5000);
    expect(ref.data).toEqual({ id: 1, v: 2, body: 2 });
    expect(ref.meta.isStale).toBe(false);
  });
});

it('D-LEVEL-3 a level that only an outdated response contains is requested, if an inline result replaces that response', async () => {
  const sim = createSimulation();
  const dl = sim.createDataLayer({ sse: { enabled: false } });
  const calls: string[] = [];
  let body = 1;
  dl.createType('doc', {
    fetch: (id) => ({ id }),
    levels: {
      full: {
        fetch(id) {
          calls.push('full');
          const doc = { id, title: 1, body };
          return sim.sleep(100).then(() => doc);
        },
      },
      mid: {
        fetch(id) {
          calls.push('mid');
          return { id, body };
        },
        checkIfExists: (data) => 'body' in (data as object),
      },
    },
    levelConversionMap: { full: ['mid'] },
  });
  const ref = dl.fetchItem('doc', 1, 'full');
  dl.onRefChange(ref, () => undefined);
  body = 2;
  const result = { id: 1, title: 2 }; // It has no body anymore.
  void dl.applyDirectives([{ op: 'refresh_item', name: 'doc', id: 1, level: 'full', result }]);
  await sim.settled();
  expect([ref.data, ref.meta.isStale]).toEqual([{ id: 1, title: 2, body: 2 }, false]);
  expect(calls).toEqual(['full', 'mid']);
});

describe('D-LEVEL-3 a forced read that joins the request of another level', () => {
  it.each([true, false])('is sent if the response lacks its level (shared batch: %s)', async (isShared) => {
    const sim = createSimulation();
    const server = { v: 1 };
    const dl = sim.createDataLayer({ sse: { connectOnInit: false } });
    const summary = (id: unknown): object => ({ id, v: server.v });
    const details = (id: unknown): object => ({ id, details: server.v });
    dl.createType('ticket', {
      fetch: summary,
      stalenessMs: Infinity,
      levels: {
        default: {
          fetch: summary,
          bulkFetch: async (ids) => ids.map(summary),
          checkIfExists: (data) => 'v' in (data as object),
        },
        full: {
          fetch: details,
          ...(isShared ? { bulkFetch: async (ids: unknown[]) => ids.map(details) } : null),
        },
      },
      levelConversionMap: { full: ['default'] },
    });
    const ref = dl.fetchItem('ticket', 1);
    await sim.settled();
    server.v = 2;
    dl.fetchItem('ticket', 1, null, { force: true });
    dl.fetchItem('ticket', 1, 'full');
    await sim.settled();
    expect(ref.data).toEqual({ id: 1, v: 2, details: 2 });
  });
});
