// `readDehydrated`: the references that the entries of a state would have.

import { hydrate, readDehydrated, type DehydratedKey, type DehydratedState } from '@edict/core/hydration';
import { describe, expect, it } from 'vitest';
import { createStage, untyped } from '../world.ts';
import { rendered, stateOf } from './setup.ts';

describe('D-REACT-10 readDehydrated', () => {
  const empty: DehydratedState = { v: 1, items: [], collections: [], cursors: [] };

  it('ignores malformed entries', () => {
    const { dl } = createStage();
    const state = { v: 1, items: [null], collections: [5], cursors: [] } as unknown as DehydratedState;
    expect(readDehydrated(dl, state, { type: 'ticket', id: 7 })).toBeNull();
    expect(readDehydrated(dl, state, { name: 'tickets' })).toBeNull();
  });

  it('returns a reference for an item', async () => {
    const server = await rendered();
    const ref = readDehydrated(server.dl, stateOf(server), { type: 'ticket', id: 7 });
    expect(ref?.data).toEqual({ id: 7, default: 1 });
    expect(ref?.meta).toMatchObject({ isLoading: false, error: null, failedLevels: {}, isStale: false });
    expect(Object.keys(ref?.meta.levelStamps ?? {})).toEqual(['default']);
  });

  it('returns a reference for a params set', async () => {
    const server = await rendered();
    const state = stateOf(server);
    expect(readDehydrated(server.dl, state, { name: 'tickets' })?.data).toEqual({ ids: [1], count: 40 });
    const ref = readDehydrated(server.dl, state, { name: 'tickets', params: { page: 1 } });
    expect(ref?.meta).toMatchObject({
      isLoading: false,
      error: null,
      paramsKey: '{"page":1}',
      paramsSnapshot: { page: 1 },
    });
  });

  it.each<[string, DehydratedKey, boolean]>([
    ['an id of the other type', { type: 'ticket', id: '7' }, true],
    ['the level by name', { type: 'doc', id: 7, level: 'full' }, true],
    ['a level derived from it', { type: 'doc', id: 7, level: 'simplified' }, true],
    ['a level that is not in the state', { type: 'doc', id: 7, level: 'default' }, false],
    ['an item that is not in the state', { type: 'ticket', id: 8 }, false],
    ['a type that is not in the state', { type: 'nothing', id: 7 }, false],
    ['null params', { name: 'tickets', params: null }, true],
    ['empty params', { name: 'tickets', params: {} }, true],
    ['params that are not in the state', { name: 'tickets', params: { page: 2 } }, false],
    ['a collection that is not in the state', { name: 'nowhere' }, false],
  ])('finds only entries of the state: %s', async (_title, key, isThere) => {
    const server = await rendered();
    const ref = readDehydrated(server.dl, stateOf(server), key);
    expect(ref !== null).toBe(isThere);
  });

  it.each([
    ['younger than the registered stalenessMs', 14_999, {}, false],
    ['as old as the registered stalenessMs', 15_000, {}, true],
    ['marked stale', 0, { stale: true as const }, true],
  ])(
    'computes isStale of an entry that is %s, by the clock of the data layer',
    (_title, ageMs, mark, isStale) => {
      const { dl } = createStage({ startAt: Date.UTC(2026, 5, 1, 12) });
      const state: DehydratedState = {
        v: 1,
        items: [{ type: 'ticket', id: 7, payloads: [{ levels: ['default'], data: 1, ageMs, ...mark }] }],
        collections: [{ name: 'tickets', ids: [1], count: 1, ageMs, ...mark }],
        cursors: [],
      };
      const item = readDehydrated(dl, state, { type: 'ticket', id: 7 });
      const list = readDehydrated(dl, state, { name: 'tickets' });
      const lastFetched = new Date(Date.UTC(2026, 5, 1, 12) - ageMs).toISOString();
      expect(item?.meta).toMatchObject({ isStale, lastFetchedAny: lastFetched });
      expect(list?.meta).toMatchObject({ isStale, lastFetched });
    },
  );

  it('returns the data of the live reference, with merged levels, on the server and after hydrate', async () => {
    const server = await rendered();
    await server.hold(() => server.item('card', 7, 'head'));
    await server.hold(() => server.item('card', 7, 'body'));
    const state = stateOf(server);
    const client = createStage();
    hydrate(client.dl, state);
    for (const { dl } of [server, client]) {
      for (const type of ['card', 'doc'])
        expect(readDehydrated(dl, state, { type, id: 7 })?.data).toEqual(dl.getItemRef(type, 7).data);
      expect(readDehydrated(dl, state, { name: 'tickets' })?.data).toEqual(
        dl.getCollectionRef('tickets').data,
      );
    }
    expect(client.dl.getItemRef('card', 7).data).toEqual({ id: 7, head: 1, body: 1 });
  });

  it.each<[state: unknown, key: unknown, message: string]>([
    [undefined, { name: 'tickets' }, 'the state must be what dehydrate returned, but it is undefined.'],
    [
      { v: 1, items: [] },
      { name: 'tickets' },
      'the state must be what dehydrate returned, but it is an object.',
    ],
    [
      { ...empty, v: 2 },
      { name: 'tickets' },
      'the state must be what dehydrate returned, but it is an object.',
    ],
    [empty, 'tickets', 'the key must be an object, but it is "tickets".'],
  ])('throws a TypeError for the state %o and the key %o', (state, key, message) => {
    expect(() => readDehydrated(createStage().dl, untyped(state), untyped(key))).toThrow(
      new TypeError(`[edict] readDehydrated: ${message}`),
    );
  });
});
