// The cursors of a state: where the stream starts, and what the first cursor of an audience marks stale.

import { hydrate, type DehydratedState } from '@edict/core/hydration';
import { describe, expect, it } from 'vitest';
import { envelope, refreshList } from '../directives.ts';
import { type Stage, createStage } from '../world.ts';
import { cursor, itemState, rendered, stateOf } from './setup.ts';

const offline = { init: { sse: { connectOnInit: false } } };

/** A state without entries. */
const cursorsOnly = (...cursors: DehydratedState['cursors']): DehydratedState => ({
  v: 1,
  items: [],
  collections: [],
  cursors,
});

describe('D-REACT-10 the cursors of a state', () => {
  const streamOf = ({ sim }: Stage): URLSearchParams =>
    sim.requests.findLast(({ isStream }) => isStream)?.url.searchParams ?? new URLSearchParams();

  it('are where the stream starts, so later directives are replayed', async () => {
    const { sim } = createStage();
    sim.hub.emit([{ op: 'refresh_collection', name: 'notes' }]);
    const cursors = [sim.hub.cursor('global')];
    const state = stateOf(await rendered({ sim }), cursors);
    sim.hub.emit([{ op: 'refresh_item', name: 'ticket', id: 7 }]);

    const client = createStage({ sim, ...offline });
    hydrate(client.dl, state);
    client.dl.connectSse();
    await sim.advance(200);
    expect(streamOf(client).getAll('last_seq')).toEqual([String(cursors[0]?.seq)]);
    expect(client.taken()).toEqual(['ticket 7']);
    expect(client.of('sse:gap')).toEqual([]);
    client.dl.dispose();
  });

  it('cause no request if nothing changed', async () => {
    const { sim } = createStage();
    const cursors = [sim.hub.cursor('global')];
    const server = await rendered({ sim });
    const client = createStage({ sim, ...offline });
    hydrate(client.dl, stateOf(server, cursors));
    client.dl.connectSse();
    await sim.advance(10_000);
    expect(client.taken()).toEqual([]);
    expect(client.of('sse:gap')).toEqual([]);
    client.dl.dispose();
  });

  it('set the sequence numbers of the stream', async () => {
    const { dl, of } = createStage(offline);
    hydrate(dl, cursorsOnly(cursor(41)));
    expect(dl.state().sse.lastSeq).toEqual({ global: 41 });
    dl.ingestEnvelope(envelope(42, [refreshList('tickets')]));
    expect(of('sse:gap')).toEqual([]);
    dl.ingestEnvelope(envelope(44, [refreshList('tickets')]));
    expect(of('sse:gap')).toMatchObject([{ lastSeq: 42, incomingSeq: 44 }]);
    dl.dispose();
  });

  it('are kept per audience', async () => {
    const client = createStage({ init: { sse: { connectOnInit: false, audience: ['global', 'team'] } } });
    hydrate(client.dl, cursorsOnly(cursor(7, 'team'), cursor(41)));
    client.dl.connectSse();
    await client.sim.advance(10);
    expect(streamOf(client).getAll('audience')).toEqual(['global', 'team']);
    expect(streamOf(client).getAll('last_seq')).toEqual(['41', '7']);
    client.dl.dispose();
  });

  it('never rewind the stream, so data read at an earlier position is stale', async () => {
    const { sim } = createStage();
    const cursors = [sim.hub.cursor('global')];
    const state = stateOf(await rendered({ sim }), cursors);

    const client = createStage({ sim, init: { sse: {} } });
    await sim.advance(100);
    sim.hub.emit([{ op: 'refresh_item', name: 'ticket', id: 7 }]);
    await sim.advance(100);
    const at = client.dl.state().sse.lastSeq['global'];
    hydrate(client.dl, state);
    expect(client.dl.state().sse.lastSeq['global']).toBe(at);
    client.item('ticket', 7);
    await sim.advance(100);
    expect(client.taken()).toEqual(['ticket 7']);
    client.dl.dispose();
  });
});

describe('D-REACT-10 cursors that are the first sequence number of their audience', () => {
  /** A client that is not connected yet reads before or after a change, then hydrates a state rendered after the change. */
  async function late(readAt: 'before' | 'after'): Promise<Stage> {
    const { sim } = createStage();
    const client = createStage({ sim, ...offline });
    const read = async (): Promise<void> => {
      client.dl.onRefChange(client.item('ticket', 7), () => {});
      client.dl.onRefChange(client.item('note', 3), () => {});
      client.item('ticket', 8);
      await sim.advance(20);
    };
    if (readAt === 'before') await read();
    sim.hub.emit([7, 8].map((id) => ({ op: 'refresh_item', name: 'ticket', id })));
    await sim.advance(100);
    const cursors = [sim.hub.cursor('global')];
    const state = stateOf(await rendered({ sim }), cursors);
    if (readAt === 'after') await read();
    client.taken();
    hydrate(client.dl, state);
    return client;
  }

  it('D-SSE-8 mark earlier reads stale because the changes in between are not replayed', async () => {
    const client = await late('before');
    const { sim, dl } = client;
    dl.connectSse();
    await sim.advance(200);
    expect(client.taken()).toEqual(['note 3']); // `note 3` has a subscriber. The state contains `ticket 7`.
    expect(dl.getItemRef('ticket', 7).meta.isStale).toBe(false);
    expect(dl.getItemRef('ticket', 8).meta.isStale).toBe(true);
    expect(dl.getItemRef('note', 3).meta.isStale).toBe(false);
    await sim.advance(4000);
    expect(client.taken()).toEqual([]);
    dl.dispose();
  });

  it('mark an entry with a request in flight stale because its response may be older', async () => {
    const { sim } = createStage();
    const client = createStage({ sim, ...offline });
    client.server.latencyMs = 500;
    client.dl.onRefChange(client.item('note', 3), () => {});
    await sim.advance(100);
    const cursors = [sim.hub.cursor('global')];
    const state = stateOf(await rendered({ sim }), cursors);
    client.taken();
    hydrate(client.dl, state);
    await sim.advance(400);
    expect(client.dl.getItemRef('note', 3).meta.isStale).toBe(true);
    await sim.advance(600);
    expect(client.taken()).toEqual(['note 3']);
    expect(client.dl.getItemRef('note', 3).meta.isStale).toBe(false);
  });

  it('leave entries fresh that were read after the cursors', async () => {
    const client = await late('after');
    const { sim, dl } = client;
    dl.connectSse();
    await sim.advance(4000);
    expect(client.taken()).toEqual([]);
    expect(dl.getItemRef('ticket', 8).meta.isStale).toBe(false);
    dl.dispose();
  });

  it.each([
    ['an item', 100, 0],
    ['a list', 0, 500],
  ])('leave entries fresh that were not requested before the oldest data: %s', async (_, itemMs, listMs) => {
    const { dl, item, hold } = createStage();
    await hold(() => item('note', 3)); // Requested 100 ms ago.
    const collections = [{ name: 'tickets', ids: [1], count: 1, ageMs: listMs }];
    hydrate(dl, { ...itemState('ticket', { ageMs: itemMs }, [cursor(41)]), collections });
    expect(dl.getItemRef('note', 3).meta.isStale).toBe(false);
  });

  it('mark an item stale that an earlier request for a list returns later', async () => {
    const { dl, sim, list } = createStage();
    dl.createCollection('mine', { of: 'ticket', fetch: () => sim.sleep(10).then(() => [{ id: 8 }]) });
    list('mine');
    await sim.advance(5);
    hydrate(dl, itemState('ticket', {}, [cursor(41)]));
    await sim.advance(5);
    expect(dl.getItemRef('ticket', 8)).toMatchObject({ data: { id: 8 }, meta: { isStale: true } });
  });

  it('mark earlier reads stale in a state without entries, also beside an earlier state', async () => {
    const client = createStage(offline);
    await client.hold(() => client.item('ticket', 7));
    hydrate(client.dl, itemState('note'));
    hydrate(client.dl, cursorsOnly(cursor(41)));
    expect(client.dl.getItemRef('ticket', 7).meta.isStale).toBe(true);
  });

  it.each([
    ['later', [cursorsOnly(cursor(41)), itemState('ticket')]],
    ['earlier', [itemState('ticket'), cursorsOnly(cursor(41))]],
  ])('leave %s states fresh if they come in a state without entries', (_, states) => {
    const { dl } = createStage();
    for (const state of states) hydrate(dl, state);
    expect(dl.getItemRef('ticket', 7).meta.isStale).toBe(false);
  });

  it('mark an older state without cursors stale that is hydrated later', async () => {
    const early = await rendered();
    await early.sim.advance(5000);
    const server = await rendered();
    const client = createStage();
    hydrate(client.dl, { ...stateOf(server, [cursor(41)]), collections: [] });
    hydrate(client.dl, { ...stateOf(early), items: [] });
    expect(client.dl.getItemRef('ticket', 7).meta.isStale).toBe(false);
    expect(client.dl.getCollectionRef('tickets').meta.isStale).toBe(true);
  });

  it('leave a state without cursors fresh that is equally old', async () => {
    const server = await rendered();
    const client = createStage();
    const { items, collections } = stateOf(server);
    hydrate(client.dl, { v: 1, items, collections: [], cursors: [cursor(41)] });
    hydrate(client.dl, { v: 1, items: [], collections, cursors: [] });
    expect(client.dl.getCollectionRef('tickets').meta.isStale).toBe(false);
  });
});
