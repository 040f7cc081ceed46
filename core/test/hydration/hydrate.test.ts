// A state in an empty cache: its data, its ages, its levels, and the parts of it that are skipped.

import { hydrate, readDehydrated } from '@edict/core/hydration';
import { describe, expect, it } from 'vitest';
import { envelope, refreshItem, refreshList } from '../directives.ts';
import { type Stage, type StageOptions, createStage, untyped } from '../world.ts';
import { cursor, itemState, reads, rendered, stateOf, travelled } from './setup.ts';

/** A client that hydrated the state of a server. */
function hydrated(server: Stage, options?: StageOptions): Stage {
  const client = createStage(options);
  hydrate(client.dl, stateOf(server));
  return client;
}

describe('D-REACT-10 hydrate', () => {
  it('makes the data of the server available immediately', async () => {
    const { dl } = hydrated(await rendered());
    expect(dl.getItemRef('ticket', 7).data).toEqual({ id: 7, default: 1 });
    expect(dl.getItemRef('doc', 7).data).toEqual({ id: 7, full: 1 });
    expect(dl.getCollectionRef('tickets').data).toEqual({ ids: [1], count: 40 });
    expect(dl.getCollectionRef('tickets', { params: { page: 1 } }).data.ids).toEqual([1]);
  });

  it('does not refetch fresh entries or their derived levels, even if the clocks differ by hours', async () => {
    const server = await rendered({ startAt: Date.UTC(2026, 0, 1, 12) });
    const client = hydrated(server, { startAt: Date.UTC(2026, 0, 1, 9) });
    for (const read of reads(client)) read();
    await client.sim.advance(100);
    expect(client.taken()).toEqual([]);
    expect(client.dl.getCollectionRef('tickets').meta.lastFetched).toBe('2026-01-01T08:59:59.910Z');
  });

  it.each([
    ['1 ms before stalenessMs', 14_999, []],
    ['at exactly stalenessMs', 15_000, ['tickets {}']],
  ])('continues the age of the server: %s', async (_title, age, calls) => {
    const server = await rendered();
    await server.sim.advance(5000 - 90);
    const client = hydrated(server);
    await client.sim.advance(age - 5000);
    client.list('tickets');
    await client.sim.advance(100);
    expect(client.taken()).toEqual(calls);
  });

  it('counts the age of a state that is hydrated again from the first time', async () => {
    const state = itemState('ticket');
    const client = createStage();
    hydrate(client.dl, state);
    await client.sim.advance(14_000);
    hydrate(client.dl, state);
    await client.sim.advance(1000);
    expect(client.dl.getItemRef('ticket', 7).meta.isStale).toBe(true);
  });

  it('does not restore the data of a state that was hydrated before a reset', () => {
    const state = itemState('ticket');
    const { dl } = createStage();
    hydrate(dl, state);
    dl.reset();
    hydrate(dl, state);
    expect(dl.getItemRef('ticket', 7).data).toBeNull();
    hydrate(dl, travelled(state));
    expect(dl.getItemRef('ticket', 7).data).not.toBeNull();
  });

  it('keeps entries stale that are stale on the server', async () => {
    const server = await rendered();
    void server.dl.applyDirectives([refreshItem('ticket', 7), refreshList('tickets', { params: {} })]);
    const client = hydrated(server);
    expect(client.dl.getItemRef('ticket', 7).meta.isStale).toBe(true);
    for (const read of reads(client)) read();
    await client.sim.advance(100);
    expect(client.taken().toSorted()).toEqual(['ticket 7', 'tickets {}']);
    server.dl.dispose();
  });

  it('notifies subscribers of changed entries', async () => {
    const server = await rendered();
    const client = createStage();
    let told = 0;
    client.dl.onRefChange(client.dl.getItemRef('ticket', 7), () => (told += 1));
    hydrate(client.dl, stateOf(server));
    expect(told).toBe(1);
  });

  it('notifies no subscriber of an equal state and keeps the identity of the data', async () => {
    const state = stateOf(await rendered());
    const client = createStage();
    hydrate(client.dl, state);
    const ref = client.dl.getItemRef('ticket', 7);
    const listRef = client.dl.getCollectionRef('tickets');
    const before = [ref.data, listRef.data];
    let told = 0;
    client.dl.onRefChange(ref, () => (told += 1));
    client.dl.onRefChange(listRef, () => (told += 1));
    hydrate(client.dl, travelled(state));
    expect(told).toBe(0);
    expect(ref.data).toBe(before[0]);
    expect(listRef.data).toBe(before[1]);
  });

  it('D-MEM-1 hydrated entries do not count toward the maximum until they are read', async () => {
    const server = createStage({ isBrowser: false });
    const readAll = ({ item, list }: Stage): void => {
      for (const n of [1, 2, 3]) {
        item('ticket', n);
        list('tickets', { page: n });
      }
    };
    await server.hold(() => readAll(server));
    const memory = { maxItemsPerType: 1, maxCollectionRefsPerCollection: 2, pruneIntervalMs: 500 };
    const client = hydrated(server, { init: { sse: { enabled: false }, memory } });
    await client.sim.advance(2000);
    expect(client.dl.state().memory).toMatchObject({ items: 3, collections: 3 });
    readAll(client);
    await client.sim.advance(2000);
    expect(client.dl.state().memory).toMatchObject({ items: 1, collections: 2 });
  });
});

describe('D-REACT-10 the levels of a hydrated item', () => {
  it('are refetched by a directive', async () => {
    const client = hydrated(await rendered());
    void client.dl.applyDirectives([refreshItem('doc', 7), refreshList('tickets')]);
    await client.sim.advance(100);
    expect(client.taken().toSorted()).toEqual(['doc 7 full', 'tickets {"page":1}', 'tickets {}']);
  });

  it('stay separate if they were fetched at the same time', async () => {
    const server = createStage({ isBrowser: false });
    await server.hold(
      () => server.item('card', 7, 'head'),
      () => server.item('card', 7, 'body'),
    );
    expect(hydrated(server).dl.getItemRef('card', 7).data).toEqual({ id: 7, head: 1, body: 1 });
  });

  it('are stale without the others that share their payload', async () => {
    const server = createStage({ isBrowser: false });
    await server.hold(() => server.item('doc', 7, 'full'));
    void server.dl.applyDirectives([
      { op: 'invalidate', kind: 'item', name: 'doc', id: 7, level: 'simplified' },
    ]);
    const client = hydrated(server);
    client.item('doc', 7, 'full');
    client.item('doc', 7, 'expanded');
    await client.sim.advance(100);
    expect(client.taken()).toEqual([]);
    client.item('doc', 7, 'simplified');
    await client.sim.advance(100);
    expect(client.taken()).toEqual(['doc 7 simplified']);
  });

  describe.each([
    ['that contains the level', ['full', 'expanded', 'simplified']],
    ['that only the client converts to the level', ['full']],
  ])('D-LEVEL-3 do not become fresh from a payload %s', (_, levels) => {
    it.each([
      ['was marked stale', { stale: true as const }, []],
      ['is older than the stream', {}, [cursor(5)]],
    ])('and %s', async (_title, mark, cursors) => {
      const { dl, sim, item, taken } = createStage();
      dl.ingestEnvelope(envelope(6));
      hydrate(dl, itemState('doc', { levels, data: { v: 1 }, ageMs: 5, ...mark }, cursors));
      item('doc', 7, 'simplified');
      await sim.advance(100);
      expect(taken()).toEqual(['doc 7 simplified']);
    });
  });

  it('are ignored if they are not registered on the client', () => {
    const { dl } = createStage();
    hydrate(dl, itemState('ticket', { levels: ['gone', 'default'] }));
    expect(dl.getItemRef('ticket', 7).meta.levelStamps).toEqual({ default: expect.any(String) as string });
    hydrate(dl, itemState('note', { levels: ['gone'] }));
    expect(dl.state().memory.items).toBe(1);
  });
});

describe('D-REACT-10 a part of a state that the client cannot read', () => {
  const lists = { items: 5, collections: 'x', cursors: null };
  const unread = { type: 'ticket', id: 1, payloads: [{}] };
  const unknown = { type: 'nothing', id: 1, payloads: [{ levels: ['default'], data: 1, ageMs: 0 }] };
  const nowhere = { name: 'nowhere', ids: [], count: 0, ageMs: 0 };

  it.each<[string, state: unknown, skipped: unknown[]]>([
    ['null', null, [null]],
    ['a string', 'state', ['state']],
    ['a state of another version', { ...itemState('ticket'), v: 2 }, [{ ...itemState('ticket'), v: 2 }]],
    ['lists that are not arrays', { v: 1, ...lists }, [null, 5, 'x']],
    [
      'malformed entries',
      {
        v: 1,
        items: [null, { type: 'ticket' }, unread],
        collections: [{}, 5, 'x'],
        cursors: [{}],
      },
      [null, { type: 'ticket' }, unread, 5, 'x', {}],
    ],
    [
      'names that are not registered',
      { v: 1, items: [unknown], collections: [nowhere], cursors: [] },
      [unknown, nowhere],
    ],
  ])('is ignored with a warning: %s', (_title, state, skipped) => {
    const { dl, sim, taken } = createStage();
    hydrate(dl, untyped(state)); // A page may contain any value.
    expect(dl.state().memory).toMatchObject({ items: 0, collections: 0 });
    expect(taken()).toEqual([]);
    const message = 'skipped in a dehydrated state: not registered, or malformed';
    expect(sim.log).toEqual(skipped.map((detail) => ({ at: sim.now(), level: 'warn', message, detail })));
  });

  it.each([[{ audience: 'global' }], [{ audience: 5, seq: 9 }], [{ seq: 9 }], [null]])(
    'is ignored if it is a malformed cursor such as %j',
    (malformed) => {
      const { dl } = createStage();
      hydrate(dl, { v: 1, items: [], collections: [], cursors: [untyped(malformed)] });
      expect(dl.state().sse.lastSeq).toEqual({});
    },
  );

  it.each([1e300, Infinity, -1, NaN, '5'])('is ignored if its age is %j', (ageMs) => {
    const { dl } = createStage();
    const state = itemState('ticket', { ageMs: untyped(ageMs) });
    hydrate(dl, state);
    expect(dl.getItemRef('ticket', 7).meta.lastFetchedAny).toBeNull();
    expect(readDehydrated(dl, state, { type: 'ticket', id: 7 })).toBeNull();
  });
});
