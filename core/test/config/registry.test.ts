// Registered types and collections: their levels, their names, and a config that replaces another one.

import { createSimulation } from '@edict/core/testing';
import { describe, expect, it } from 'vitest';
import type { DataLayer } from '@edict/core';
import { refreshItem } from '../directives.ts';
import { complaint, createWorld, thrown, untyped } from '../world.ts';

const fetch = (id: unknown): object => ({ id });

describe('D-REG-1 registering again', () => {
  it('replaces the config of a type and keeps the cached data', async () => {
    const { dl, held, sim } = createWorld();
    const one = held();
    const two = held();
    dl.createType('ticket', { fetch: one.fetch });
    const ref = dl.fetchItem('ticket', 1);
    await one.last().answer({ id: 1 });
    dl.createType('ticket', { fetch: two.fetch, stalenessMs: 100, levels: { full: { fetch: two.fetch } } });
    expect(dl.fetchItem('ticket', 1)).toBe(ref);
    expect(ref.data).toEqual({ id: 1 });
    expect(two.calls).toHaveLength(0);
    await sim.advance(100);
    dl.fetchItem('ticket', 1);
    expect([one.calls.length, two.calls.length]).toEqual([1, 1]);
    dl.fetchItem('ticket', 1, 'full');
    expect(two.calls).toHaveLength(2);
  });

  it('replaces the config of a collection and keeps the cached data', async () => {
    const { dl, held, sim } = createWorld();
    const one = held();
    const two = held();
    dl.createCollection('tickets', { fetch: one.fetch });
    const ref = dl.fetchCollection('tickets');
    await one.last().answer({ ids: [1] });
    dl.createCollection('tickets', { fetch: two.fetch, stalenessMs: 100 });
    expect(dl.fetchCollection('tickets')).toBe(ref);
    expect(ref.data.ids).toEqual([1]);
    await sim.advance(100);
    dl.fetchCollection('tickets');
    expect([one.calls.length, two.calls.length]).toEqual([1, 1]);
  });

  it('keeps subscribers and a request in flight', async () => {
    const { dl, held } = createWorld();
    const one = held();
    dl.createType('ticket', { fetch: one.fetch });
    const ref = dl.fetchItem('ticket', 1);
    let calls = 0;
    dl.onRefChange(ref, () => (calls += 1));
    dl.createType('ticket', { fetch });
    await one.last().answer({ id: 1, from: 'one' });
    expect(ref.data).toEqual({ id: 1, from: 'one' });
    expect(calls).toBe(1);
  });

  it('without a level prevents directives from fetching it, and leaves no item loading', async () => {
    const { dl, held, sim } = createWorld();
    const full = held();
    const config = { fetch };
    dl.createType('ticket', { ...config, levels: { full: { fetch: full.fetch } } });
    dl.fetchItem('ticket', 1, 'full');
    await full.last().answer({ id: 1 });
    dl.createType('ticket', config);
    void dl.applyDirectives([refreshItem('ticket', 1)]);
    await sim.advance(1000);
    expect(full.calls).toHaveLength(1);
    expect(dl.getItemRef('ticket', 1).meta.isLoading).toBe(false);
    expect(dl.hasAnyInFlightRequests()).toBe(false);
  });

  it('with an invalid config throws and keeps the first config', async () => {
    const { dl, rest } = createWorld();
    dl.createType('ticket', { fetch });
    expect(thrown(() => dl.createType('ticket', untyped({})))).toBeInstanceOf(TypeError);
    const ref = dl.fetchItem('ticket', 1);
    await rest();
    expect(ref.data).toEqual({ id: 1 });
  });
});

describe('D-REG-1 a level that is no longer registered', () => {
  /** `full` converts to `short` while it is registered. */
  function setupLevels() {
    const sim = createSimulation();
    const dl = sim.createDataLayer({ sse: { enabled: false }, bulk: { readWindowMs: 100 } });
    const asked: string[] = [];
    const fetch = async (_id: unknown, { level }: { level: string }): Promise<unknown> => {
      asked.push(level);
      await sim.sleep(200);
      return { [level]: true };
    };
    const bulkFetch = (ids: readonly unknown[]): unknown[] => ids.map((id) => ({ id }));
    const register = (hasFull: boolean): void =>
      dl.createType('doc', {
        fetch,
        levelConversionMap: hasFull ? { full: ['short'] } : {},
        levels: { short: { fetch }, ...(hasFull ? { full: { fetch }, bulk: { fetch, bulkFetch } } : {}) },
      });
    register(true);
    return { sim, dl, asked, register };
  }

  it('D-FETCH-2 no longer refetches the levels that it converted to, which refetch themselves', async () => {
    const { sim, dl, asked, register } = setupLevels();
    dl.fetchItem('doc', 1, 'short');
    await sim.settled();
    dl.fetchItem('doc', 1, 'full');
    void dl.applyDirectives([{ op: 'refresh_item', name: 'doc', id: 1 }]);
    await sim.advance(100); // The window has closed, and a follow-up of `full` would return both levels.
    register(false);
    asked.length = 0;
    await sim.settled();
    expect(asked).toEqual(['short']);
  });

  it('fails the read that waits for it', async () => {
    const { sim, dl, register } = setupLevels();
    const ref = dl.fetchItem('doc', 1, 'bulk');
    register(false);
    await sim.settled();
    expect(ref.meta.isLoading).toBe(false);
    expect(ref.meta.levelErrors).toEqual({
      bulk: '[edict] level "bulk" of type "doc" is not registered (registered: "default", "short"). Add it to the "levels" of the type.',
    });
  });
});

describe('D-REG-1 an unregistered name', () => {
  function registered(): DataLayer {
    const { dl } = createWorld();
    dl.createType('ticket', { fetch, levels: { full: { fetch } } });
    dl.createType('user', { fetch });
    dl.createCollection('tickets', { fetch: () => ({ ids: [] }) });
    dl.createCollection('users', { fetch: () => ({ ids: [] }) });
    return dl;
  }
  const remedy = (operation: string): string =>
    `Call register or ${operation} on this data layer, or select another with <DLProvider>.`;

  it.each<[string, (dl: DataLayer) => unknown]>([
    ['fetchItem', (dl) => dl.fetchItem('tickets', 1)],
    ['getItemRef', (dl) => dl.getItemRef('tickets', 1)],
    ['isItemLoading', (dl) => dl.isItemLoading('tickets', 1)],
    ['prefetchItem', (dl) => dl.prefetchItem('tickets', 1)],
  ])('of a type makes %s throw an Error that lists the types', (_, read) => {
    expect(() => read(registered())).toThrow(
      new Error(
        `[edict] type "tickets" is not registered (registered: "ticket", "user"). ${remedy('createType')}`,
      ),
    );
  });

  it.each<[string, (dl: DataLayer) => unknown]>([
    ['fetchCollection', (dl) => dl.fetchCollection('ticket')],
    ['getCollectionRef', (dl) => dl.getCollectionRef('ticket')],
    ['isCollectionLoading', (dl) => dl.isCollectionLoading('ticket')],
    ['prefetchCollection', (dl) => dl.prefetchCollection('ticket')],
  ])('of a collection makes %s throw an Error that lists the collections', (_, read) => {
    expect(() => read(registered())).toThrow(
      new Error(
        `[edict] collection "ticket" is not registered (registered: "tickets", "users"). ${remedy('createCollection')}`,
      ),
    );
  });

  it.each<[string, (dl: DataLayer) => unknown]>([
    ['fetchItem', (dl) => dl.fetchItem('ticket', 1, 'ful')],
    ['isItemLoading', (dl) => dl.isItemLoading('ticket', 1, 'ful')],
    ['prefetchItem', (dl) => dl.prefetchItem('ticket', 1, 'ful')],
  ])('of a level makes %s throw an Error that lists the levels of the type', (_, read) => {
    const dl = registered();
    expect(() => read(dl)).toThrow(
      new Error(
        '[edict] level "ful" of type "ticket" is not registered (registered: "default", "full"). Add it to the "levels" of the type.',
      ),
    );
    expect(dl.state().types['ticket']?.itemCount).toBe(0);
  });

  it('throws an Error that states when no name is registered yet', () => {
    const { dl } = createWorld();
    expect(() => dl.fetchItem('ticket', 1)).toThrow(
      'type "ticket" is not registered (registered: none). Call',
    );
    expect(() => dl.fetchCollection('tickets')).toThrow(
      'collection "tickets" is not registered (registered: none). Call',
    );
  });
});

describe('D-REG-6 §2.6 levels', () => {
  it.each([[undefined], [null], ['default']])(
    '%o is the default level, in reads and in directives',
    async (level) => {
      const { dl, held, of, sim } = createWorld();
      const one = held();
      dl.createType('ticket', { fetch: one.fetch });
      const ref = dl.fetchItem('ticket', 1);
      dl.fetchItem('ticket', 1, level);
      expect(one.calls).toHaveLength(1);
      expect(dl.isItemLoading('ticket', 1, level)).toBe(true);
      await one.last().answer({ id: 1 });
      dl.fetchItem('ticket', 1, level, { force: true });
      expect(one.calls).toHaveLength(2);
      await one.last().answer({ id: 1 });
      void dl.applyDirectives([refreshItem('ticket', 1, { level })]);
      await sim.advance(50);
      expect(one.calls).toHaveLength(3);
      expect(of('item:fetch:intent').map((detail) => detail.level)).toEqual([
        'default',
        'default',
        'default',
      ]);
      expect(Object.keys(ref.meta.levelStamps)).toEqual(['default']);
    },
  );

  it('D-REG-2 "default" is the level of every event and triggered list when none was passed', async () => {
    const { dl, held, sim, events, of } = createWorld();
    const one = held();
    dl.createType('ticket', { fetch: one.fetch });
    dl.fetchItem('ticket', 1);
    await one.last().answer({ id: 1 });
    dl.fetchItem('ticket', 1);
    void dl.applyDirectives([refreshItem('ticket', 1)]);
    await sim.advance(50);
    await one.last().fail(new Error('x'));
    dl.fetchItem('ticket', 1);
    const items = events.filter(({ event }) => event.startsWith('item:'));
    expect(new Set(items.map(({ event }) => event))).toEqual(
      new Set([
        'item:fetch:intent',
        'item:fetch:success',
        'item:fetch:error',
        'item:fetch:complete',
        'item:fetch:skip',
        'item:cache-hit',
      ]),
    );
    for (const { detail } of items) expect(detail).toMatchObject({ level: 'default' });
    expect(of('directive:processed')[0]?.triggered).toEqual([
      { kind: 'item', type: 'ticket', id: 1, level: 'default' },
    ]);
  });

  it('each level has its own fetch, and its bulkFetch overrides that of the type', async () => {
    const { dl, held, rest } = createWorld();
    const one = held();
    const full = held();
    const many = held();
    const manyFull = held();
    dl.createType('ticket', {
      fetch: one.fetch,
      bulkFetch: many.bulkFetch,
      levels: { full: { fetch: full.fetch, bulkFetch: manyFull.bulkFetch }, brief: { fetch: full.fetch } },
    });
    for (const id of [1, 2]) {
      dl.fetchItem('ticket', id);
      dl.fetchItem('ticket', id, 'full');
      dl.fetchItem('ticket', id, 'brief');
    }
    dl.fetchItem('ticket', 3, 'full');
    await rest();
    expect(many.calls.map(({ args }) => args.slice(0, 2))).toEqual([
      [[1, 2], 'default'],
      [[1, 2], 'brief'],
    ]);
    expect(manyFull.calls.map(({ args }) => args.slice(0, 2))).toEqual([[[1, 2, 3], 'full']]);
    dl.fetchItem('ticket', 9, 'full');
    await rest();
    expect(full.calls.map(({ asked }) => asked)).toEqual([9]);
  });

  it('default is the level when none is given and may be configured in levels', async () => {
    const { dl, held, of } = createWorld();
    const own = held();
    const unused = held();
    dl.createType('ticket', {
      fetch: unused.fetch,
      stalenessMs: 1000,
      levels: { default: { fetch: own.fetch, stalenessMs: 50 } },
    });
    dl.fetchItem('ticket', 1);
    expect([own.calls.length, unused.calls.length]).toEqual([1, 0]);
    expect(of('item:fetch:intent')[0]?.level).toBe('default');
  });

  it('default may have options only, which come first, and then uses the fetch of the type', async () => {
    const { dl, sim, held } = createWorld();
    const own = held();
    const levels = { default: untyped({ stalenessMs: 50 }) };
    dl.createType('ticket', { fetch: own.fetch, stalenessMs: 60_000, levels });
    const ref = dl.fetchItem('ticket', 1);
    await own.last().answer({});
    await sim.advance(50);
    expect(ref.meta.isStale).toBe(true);
  });

  it.each([['constructor'], ['__proto__'], ['toString'], ['hasOwnProperty'], ['']])(
    '%o is an unregistered level like any other',
    async (level) => {
      const { dl, held, sim } = createWorld();
      const one = held();
      dl.createType('ticket', { fetch: one.fetch });
      const ref = dl.fetchItem('ticket', 1);
      await one.last().fail(new Error('x'));
      expect(complaint(Error, () => dl.fetchItem('ticket', 1, level))).toContain(`"${level}"`);
      expect(ref.meta.levelStamps[level]).toBeUndefined();
      expect(ref.meta.levelErrors[level]).toBeUndefined();
      expect(ref.meta.failedLevels[level]).toBeUndefined();
      void dl.applyDirectives([refreshItem('ticket', 1, { level })]);
      await sim.advance(1000);
      expect(one.calls).toHaveLength(1);
    },
  );

  it.each([['constructor'], ['__proto__'], ['toString']])(
    '%o can be registered and read as a level',
    async (level) => {
      const { dl, held, sim } = createWorld();
      const one = held();
      const own = held();
      const levels = Object.fromEntries([[level, { fetch: own.fetch }]]);
      const levelConversionMap = Object.fromEntries([[level, ['default']]]);
      dl.createType('ticket', { fetch: one.fetch, levels, levelConversionMap });
      const ref = dl.fetchItem('ticket', 1, level);
      await own.last().answer({ id: 1 });
      expect(ref.meta.levelStamps[level]).toEqual(expect.any(String));
      expect(ref.meta.levelStamps['default']).toBe(ref.meta.levelStamps[level]);
      void dl.applyDirectives([refreshItem('ticket', 1, { level })]);
      await sim.advance(50);
      expect([own.calls.length, one.calls.length]).toEqual([2, 0]);
      await own.last().fail(new Error('x'));
      expect(ref.meta.failedLevels[level]).toBe(true);
      expect(ref.meta.levelErrors[level]).toBe('x');
    },
  );

  it.each([['constructor'], ['__proto__'], ['toString']])(
    '%o is an ordinary name for a type and a collection',
    async (name) => {
      const { dl, rest } = createWorld();
      expect(thrown(() => dl.fetchItem(name, 1))).toBeInstanceOf(Error);
      expect(thrown(() => dl.fetchCollection(name))).toBeInstanceOf(Error);
      dl.createType(name, { fetch });
      dl.createCollection(name, { fetch: () => ({ ids: [1] }) });
      const ref = dl.fetchItem(name, 1);
      const list = dl.fetchCollection(name);
      await rest();
      expect(ref.data).toEqual({ id: 1 });
      expect(list.data.ids).toEqual([1]);
      expect(Object.keys(dl.state().types)).toEqual([name]);
      expect(Object.keys(dl.state().collections)).toEqual([name]);
    },
  );
});
