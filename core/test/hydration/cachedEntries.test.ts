// A state whose entries the client has cached already: which data stays, and whether it is fresh.

import { hydrate } from '@edict/core/hydration';
import { describe, expect, it } from 'vitest';
import { envelope, refreshItem, refreshList } from '../directives.ts';
import { createStage } from '../world.ts';
import { cursor, itemState, reads, rendered, stateOf } from './setup.ts';

describe('D-REACT-10 newer data of the client', () => {
  it('is kept', async () => {
    const server = await rendered();
    await server.sim.advance(60_000);
    const client = createStage();
    client.server.version = 2;
    await client.hold(...reads(client));
    hydrate(client.dl, stateOf(server));
    expect(client.dl.getItemRef('ticket', 7).data).toEqual({ id: 7, default: 2 });
    expect(client.dl.getCollectionRef('tickets').data.ids).toEqual([2]);
  });

  it('D-FETCH-3 is kept if the same state is hydrated again', async () => {
    const state = itemState('ticket');
    const client = createStage();
    hydrate(client.dl, state);
    await client.sim.advance(1000);
    client.server.item = () => 'newer';
    await client.hold(() => client.dl.fetchItem('ticket', 7, null, { force: true }));
    hydrate(client.dl, state);
    expect(client.dl.getItemRef('ticket', 7).data).toBe('newer');
  });

  it.each([[['full', 'expanded', 'simplified']], [['full']]])(
    'is kept at a level that the state converts to with levels %j',
    async (levels) => {
      const client = createStage();
      client.server.item = () => ({ v: 2 });
      await client.hold(() => client.item('doc', 7, 'simplified'));
      hydrate(client.dl, itemState('doc', { levels, data: { v: 1 }, ageMs: 5000 }));
      expect(client.dl.getItemRef('doc', 7).data).toEqual({ v: 2 });
    },
  );

  it('is kept at a level that a state behind the stream converts to', async () => {
    const client = createStage();
    client.server.item = () => ({ v: 2 });
    await client.hold(() => client.item('doc', 7, 'simplified'));
    client.dl.ingestEnvelope(envelope(6));
    hydrate(client.dl, itemState('doc', { levels: ['full'], data: { v: 1, body: 'b' } }, [cursor(5)]));
    expect(client.dl.getItemRef('doc', 7).data).toEqual({ v: 2, body: 'b' });
  });

  it.each([
    ['behind the stream', [cursor(5)]],
    ['without cursors', []],
  ])(
    'is kept fresh if directives refetched it, even if a state %s looks younger by its age',
    async (_, cursors) => {
      const server = await rendered();
      const client = createStage();
      await client.hold(...reads(client));
      client.server.version = 2;
      client.dl.ingestEnvelope(envelope(6, [refreshItem('ticket', 7), refreshList('tickets')]));
      await client.sim.advance(10_000); // The page was in transit for this time.
      hydrate(client.dl, stateOf(server, cursors));
      expect(client.dl.getItemRef('ticket', 7).data).toEqual({ id: 7, default: 2 });
      expect(client.dl.getItemRef('ticket', 7).meta.isStale).toBe(false);
      expect(client.dl.getCollectionRef('tickets').data.ids).toEqual([2]);
      expect(client.dl.getCollectionRef('tickets').meta.isStale).toBe(false);
    },
  );
});

describe('D-REACT-10 older data of the client', () => {
  it.each([
    ['a fresh state without cursors', false, []],
    ['a stale state without cursors', true, []],
    ['a stale state with cursors', true, [cursor(9)]],
  ])('is replaced by %s', async (_, isStale, cursors) => {
    const client = createStage();
    await client.hold(...reads(client));
    await client.sim.advance(1000);
    const server = await rendered({ version: 5 });
    const directives = [refreshItem('ticket', 7), refreshList('tickets', { params: {} })];
    if (isStale) void server.dl.applyDirectives(directives);
    hydrate(client.dl, stateOf(server, cursors));
    const refs = [client.dl.getItemRef('ticket', 7), client.dl.getCollectionRef('tickets')];
    expect(refs.map(({ data }) => data)).toMatchObject([{ default: 5 }, { ids: [5] }]);
    expect(refs.map(({ meta }) => meta.isStale)).toEqual([isStale, isStale]);
  });

  it('is replaced by a state behind the stream if a directive marked it stale', async () => {
    const server = await rendered();
    const client = createStage({ init: { bulk: { refetch: 'watched' } } });
    await client.hold(...reads(client));
    client.dl.ingestEnvelope(envelope(6, [refreshItem('ticket', 7)]));
    await client.sim.advance(10_000);
    server.server.version = 3;
    await server.sim.advance(20_000);
    await server.hold(() => server.item('ticket', 7));
    hydrate(client.dl, stateOf(server, [cursor(5)]));
    expect(client.dl.getItemRef('ticket', 7).data).toEqual({ id: 7, default: 3 });
    expect(client.dl.getItemRef('ticket', 7).meta.isStale).toBe(true);
  });

  it('becomes fresh if a directive marked it stale and the state is not behind the stream', async () => {
    const client = createStage({ init: { bulk: { refetch: 'watched' } } });
    await client.hold(...reads(client));
    const server = await rendered();
    await client.sim.advance(1000);
    client.dl.ingestEnvelope(envelope(6, [refreshItem('ticket', 7), refreshList('tickets')]));
    hydrate(client.dl, stateOf(server, [cursor(6)]));
    expect(client.dl.getItemRef('ticket', 7).meta.isStale).toBe(false);
    expect(client.dl.getCollectionRef('tickets').meta.isStale).toBe(false);
  });
});

describe('D-REACT-10 two states of the same age', () => {
  it('with different data and without cursors leave the first one, marked stale', () => {
    const { dl } = createStage();
    for (const v of [1, 2]) hydrate(dl, itemState('ticket', { data: { v } }));
    expect(dl.getItemRef('ticket', 7)).toMatchObject({ data: { v: 1 }, meta: { isStale: true } });
  });

  it.each([
    ['before', [1, 2]],
    ['after', [2, 1]],
  ])('leave the one with cursors if the other is hydrated %s it', (_title, order) => {
    const { dl } = createStage();
    for (const v of order) hydrate(dl, itemState('ticket', { data: { v } }, v === 2 ? [cursor(5)] : []));
    expect(dl.getItemRef('ticket', 7).data).toEqual({ v: 2 });
  });

  it('with different data and without cursors are stale at a level that only one of them contains', async () => {
    const { dl, sim, item, taken } = createStage();
    hydrate(dl, itemState('card', { levels: ['head'], data: { head: 1 } }));
    hydrate(dl, itemState('card', { levels: ['head', 'body'], data: { head: 2, body: 2 } }));
    item('card', 7, 'body');
    await sim.advance(100);
    expect(taken()).toEqual(['card 7 body']);
  });
});
