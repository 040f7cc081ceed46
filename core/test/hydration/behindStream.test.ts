// A state with cursors and a client whose stream is further: only entries that a directive named since then are stale.

import { hydrate } from '@edict/core/hydration';
import { describe, expect, it } from 'vitest';
import { envelope, refreshItem, refreshList } from '../directives.ts';
import { type Stage, createStage } from '../world.ts';
import { cursor, itemState, rendered, stateOf } from './setup.ts';

const state = (seq: number) => itemState('ticket', {}, [cursor(seq)]);
const isStale = ({ dl }: Stage): boolean => dl.getItemRef('ticket', 7).meta.isStale;
const withoutResync = { init: { sse: { enabled: false, resyncOnGap: false } } };

describe('D-REACT-10 D-SSE-6 a state behind the stream', () => {
  const refs = ({ dl }: Stage): readonly { meta: { isStale: boolean } }[] => [
    dl.getItemRef('ticket', 7),
    dl.getItemRef('doc', 7),
    dl.getCollectionRef('tickets'),
    dl.getCollectionRef('tickets', { params: { page: 1 } }),
  ];

  it.each<[string, object[], boolean[]]>([
    [
      'a directive for another item',
      [envelope(5), envelope(6, [refreshItem('ticket', 8)])],
      [false, false, false, false],
    ],
    [
      'a directive for another collection',
      [envelope(5), envelope(6, [refreshList('notes')])],
      [false, false, false, false],
    ],
    [
      'a directive for an item by a string id',
      [envelope(5), envelope(6, [refreshItem('ticket', '7')])],
      [true, false, false, false],
    ],
    [
      'a directive for one of its levels',
      [envelope(5), envelope(6, [refreshItem('doc', 7, { level: 'simplified' })])],
      [false, true, false, false],
    ],
    [
      'a directive for a list with other params',
      [envelope(5), envelope(6, [refreshList('tickets', { params: { page: 9 } })])],
      [false, false, false, false],
    ],
    [
      'a directive for a list with its params',
      [envelope(5), envelope(6, [refreshList('tickets', { params: { page: 1 } })])],
      [false, false, false, true],
    ],
    [
      'a directive for all params sets of a list that contain some params',
      [envelope(5), envelope(6, [refreshList('tickets', { params: { page: 9 }, params_mode: 'contains' })])],
      [false, false, true, true],
    ],
    [
      'a directive for all items of a type, in the legacy form',
      [envelope(5), envelope(6, [{ op: 'invalidate', kind: 'item', name: 'ticket' }])],
      [true, false, false, false],
    ],
    [
      'a directive for an item at the sequence number of the cursor',
      [envelope(4), envelope(5, [refreshItem('ticket', 7)]), envelope(6, [refreshList('notes')])],
      [false, false, false, false],
    ],
    [
      'a directive for an item, followed by a late envelope from before the cursor',
      [envelope(5), envelope(6, [refreshItem('ticket', 7)]), envelope(4, [refreshItem('ticket', 7)])],
      [true, false, false, false],
    ],
    [
      'a directive for an item that this client changed after another one',
      [envelope(5, [refreshItem('ticket', 7)]), envelope(6, [refreshItem('ticket', 7)], { source: 'own' })],
      [true, false, false, false],
    ],
    [
      'a directive for an item, repeated from an envelope without a sequence number',
      [
        envelope(5),
        { type: 'directives', directives: [refreshItem('ticket', 7, { idempotency_key: 'k' })] },
        envelope(6, [refreshItem('ticket', 7, { idempotency_key: 'k' })]),
      ],
      [true, false, false, false],
    ],
    ['a missed sequence number', [envelope(5), envelope(7)], [true, true, true, true]],
    ['a failed replay', [envelope(5), envelope(6, [], { recovered: false })], [true, true, true, true]],
    ['a first sequence number after the cursor', [envelope(6)], [true, true, true, true]],
    [
      'a restarted count that exceeds the cursor',
      [envelope(5), envelope(2), ...[3, 4, 5, 6].map((seq) => envelope(seq, [refreshList('notes')]))],
      [true, true, true, true],
    ],
  ])('marks only entries stale that may have changed, after %s', async (_title, envelopes, stale) => {
    const server = await rendered();
    const client = createStage(withoutResync);
    for (const each of envelopes) {
      const isOwn = 'source' in each;
      client.dl.ingestEnvelope(isOwn ? { ...each, source: client.dl.clientId() } : each);
    }
    await client.sim.advance(300_000); // A router cached the page for this time, so the state looks younger than it is.
    hydrate(client.dl, stateOf(server, [cursor(5)]));
    expect(refs(client).map(({ meta }) => meta.isStale)).toEqual(stale);
  });

  it('D-SRC-1 is stale in an entry that no own echo named, after more own echoes than the client records', async () => {
    const client = createStage();
    client.dl.ingestEnvelope(envelope(5));
    const echoes = Array.from({ length: 1001 }, (_, id) => refreshItem('note', id));
    client.dl.ingestEnvelope(envelope(6, echoes, { source: client.dl.clientId() }));
    hydrate(client.dl, stateOf(await rendered(), [cursor(5)]));
    expect(isStale(client)).toBe(true);
  });

  it.each<[seq: number, stale: boolean]>([
    [5, true],
    [6, false],
  ])(
    'is compared with directives that are no longer recorded: cursor %d, directive 6',
    async (seq, stale) => {
      const client = createStage();
      client.dl.ingestEnvelope(envelope(5));
      client.dl.ingestEnvelope(envelope(6, [refreshItem('ticket', 7)]));
      await client.sim.advance(300_000);
      const others = Array.from({ length: 1000 }, (_, id) => refreshItem('note', id));
      client.dl.ingestEnvelope(envelope(7, others));
      hydrate(client.dl, stateOf(await rendered(), [cursor(seq)]));
      expect(isStale(client)).toBe(stale);
    },
  );

  it.each([
    ['first', [cursor(5), cursor(7)]],
    ['last', [cursor(7), cursor(5)]],
  ])('is stale after the older one of two cursors of an audience, which comes %s', (_, cursors) => {
    const client = createStage();
    for (const [at, name] of ['note', 'ticket', 'note'].entries())
      client.dl.ingestEnvelope(envelope(5 + at, [refreshItem(name, 7)]));
    hydrate(client.dl, itemState('ticket', {}, cursors));
    expect(isStale(client)).toBe(true);
  });

  it('is stale if changes after one of its cursors are unknown', () => {
    const client = createStage({ init: { sse: { enabled: false, audience: ['global', 'team'] } } });
    client.dl.ingestEnvelope(envelope(6));
    client.dl.ingestEnvelope(envelope(5, [], { audience: 'team' }));
    hydrate(client.dl, itemState('ticket', {}, [cursor(5), cursor(5, 'team')]));
    expect(isStale(client)).toBe(true);
  });

  it('refetches stale entries with a subscriber', async () => {
    const server = await rendered();
    const client = createStage();
    client.server.item = () => {
      throw new Error('down');
    };
    client.dl.onRefChange(client.item('ticket', 7), () => {});
    await client.sim.advance(100);
    expect(client.taken()).toEqual(['ticket 7']);
    client.server.item = (_type, id) => ({ id, isNew: true });
    client.dl.ingestEnvelope(envelope(6));
    hydrate(client.dl, stateOf(server, [cursor(5)]));
    await client.sim.advance(100);
    expect(client.taken()).toEqual(['ticket 7']);
    expect(client.dl.getItemRef('ticket', 7).data).toEqual({ id: 7, isNew: true });
  });

  it('does not replace an inline result of the same millisecond', () => {
    const client = createStage();
    client.dl.ingestEnvelope(envelope(6, [refreshItem('note', 1)]));
    client.dl.ingestEnvelope(envelope(7, [refreshItem('ticket', 7, { result: 'inline' })]));
    hydrate(client.dl, state(6));
    expect(client.dl.getItemRef('ticket', 7).data).toBe('inline');
    expect(isStale(client)).toBe(false);
  });

  it.each([
    ['before its refetch', 0],
    ['after its refetch', 1000],
  ])('does not revert a change whose mutation response is ahead of the stream, %s', async (_, waitMs) => {
    const client = createStage();
    await client.hold(() => client.item('ticket', 7));
    await client.sim.advance(1000);
    client.dl.ingestEnvelope(envelope(5));
    client.server.item = () => 'newer';
    const source = client.dl.clientId();
    const own = refreshItem('ticket', 7, { seq: 6, audience: 'global', source, idempotency_key: 'its own' });
    void client.dl.applyDirectives([own], { path: 'pull' });
    await client.sim.advance(waitMs);
    hydrate(client.dl, state(5));
    client.dl.ingestEnvelope(envelope(6, [own], { source })); // Ignored as an own echo.
    await client.sim.advance(1000);
    expect(client.dl.getItemRef('ticket', 7)).toMatchObject({
      data: 'newer',
      meta: { isStale: false, error: null },
    });
  });
});

describe('D-REACT-10 a state that is not behind the stream', () => {
  it.each([
    ['equal to', 6],
    ['ahead of', 8],
  ])('is fresh if its cursors are %s the number of the stream', async (_, seq) => {
    const client = createStage();
    client.dl.ingestEnvelope(envelope(6, [refreshItem('ticket', 7), refreshList('tickets')]));
    hydrate(client.dl, stateOf(await rendered(), [cursor(seq)]));
    expect(isStale(client)).toBe(false);
    expect(client.dl.getCollectionRef('tickets').meta.isStale).toBe(false);
  });

  it('is fresh if the stream began at the cursor of an earlier state, and nothing named it since', () => {
    const client = createStage();
    hydrate(client.dl, itemState('note', {}, [cursor(5)]));
    for (const seq of [6, 7]) client.dl.ingestEnvelope(envelope(seq, [refreshItem('note', 7)]));
    hydrate(client.dl, itemState('ticket', {}, [cursor(6)]));
    expect(isStale(client)).toBe(false);
  });

  it('is stale if the directive had no sequence number, because no cursor covers it', () => {
    const client = createStage();
    void client.dl.applyDirectives([refreshItem('ticket', 7)]);
    hydrate(client.dl, state(6));
    expect(isStale(client)).toBe(true);
  });

  it('is refetched in an entry that a directive of an audience without a cursor marked stale', async () => {
    const client = createStage({ init: { sse: { enabled: false, audience: ['global', 'team'] } } });
    await client.hold(() => client.item('ticket', 7));
    await client.sim.advance(1000);
    client.server.item = () => 'newer';
    client.dl.ingestEnvelope(envelope(60, [refreshItem('ticket', 7)], { audience: 'team' }));
    hydrate(client.dl, state(5));
    await client.sim.advance(1000);
    expect(client.dl.getItemRef('ticket', 7)).toMatchObject({
      data: 'newer',
      meta: { isStale: false, error: null },
    });
  });
});

describe('D-REACT-10 D-SSE-6 a state whose server restarted its counter', () => {
  it('is stale if its cursor is from before the restart', () => {
    const client = createStage(withoutResync);
    client.dl.ingestEnvelope(envelope(600));
    client.dl.ingestEnvelope(envelope(1));
    client.dl.ingestEnvelope(envelope(2, [refreshItem('ticket', 7)]));
    hydrate(client.dl, state(500));
    expect(isStale(client)).toBe(true);
  });

  it('is fresh if its cursor is from after the restart', () => {
    const client = createStage(withoutResync);
    client.dl.ingestEnvelope(envelope(5000, [refreshItem('note', 1)]));
    client.dl.ingestEnvelope(envelope(2));
    client.dl.ingestEnvelope(envelope(3, [refreshItem('ticket', 7)]));
    hydrate(client.dl, state(3));
    expect(isStale(client)).toBe(false);
  });

  it.each([
    [2, true],
    [601, false],
  ])(
    'shows an entry that a response with the number %d named, after the number 600 in the stream, as stale: %s',
    (seq, stale) => {
      const client = createStage();
      client.dl.ingestEnvelope(envelope(600));
      void client.dl.applyDirectives([{ ...refreshItem('ticket', 7), seq }], { path: 'pull' });
      hydrate(client.dl, state(601));
      expect(isStale(client)).toBe(stale);
    },
  );
});
