// A state without cursors: its age and the longest transit of a page decide which directives may be newer.

import { hydrate, type DehydratedState } from '@edict/core/hydration';
import { describe, expect, it } from 'vitest';
import { envelope, refreshItem, refreshList } from '../directives.ts';
import { type Stage, type StageOptions, createStage } from '../world.ts';
import { cursor, itemState, reads, rendered, stateOf } from './setup.ts';

const old: DehydratedState = {
  ...itemState('ticket'),
  collections: [{ name: 'tickets', ids: [1], count: 1, ageMs: 0 }],
};
const directives = [refreshItem('ticket', 7), refreshList('tickets')];
const isStale = ({ dl }: Pick<Stage, 'dl'>): boolean => dl.getItemRef('ticket', 7).meta.isStale;
const watchedOnly = { init: { sse: { enabled: false }, bulk: { refetch: 'watched' } } } as const;

describe('D-REACT-10 a state without cursors, after directives for entries that were not cached', () => {
  it.each<[string, object[], isItemStale: boolean, isListStale: boolean]>([
    ['its entries', directives, true, true],
    ['all items of a type', [{ op: 'invalidate', name: 'ticket', kind: 'item' }], true, false],
    ['another item', [refreshItem('ticket', 8)], false, false],
    ['a name that is not registered', [refreshItem('nothing', 7)], false, false],
  ])('is stale where they name it: %s', async (_title, list, isItemStale, isListStale) => {
    const client = createStage();
    await client.dl.applyDirectives(list);
    hydrate(client.dl, old);
    expect(isStale(client)).toBe(isItemStale);
    expect(client.dl.getCollectionRef('tickets').meta.isStale).toBe(isListStale);
  });

  it.each([
    ['10 ms', 10, true],
    ['nearly a minute, the longest transit of a state', 59_000, true],
    ['a minute', 60_000, false],
  ])('is refetched by reads if they may be newer: they arrived %s before', async (_title, ms, stale) => {
    const client = createStage();
    await client.dl.applyDirectives(directives);
    await client.sim.advance(ms);
    hydrate(client.dl, old);
    expect(client.dl.getItemRef('ticket', 7).data).toBe('old');
    expect(isStale(client)).toBe(stale);
    expect(client.dl.getCollectionRef('tickets').meta.isStale).toBe(stale);
    client.taken();
    client.item('ticket', 7);
    client.list('tickets');
    expect(client.taken()).toEqual(stale ? ['ticket 7', 'tickets {}'] : []);
  });

  it('is stale even after thousands of other directives within a minute', async () => {
    const client = createStage();
    await client.dl.applyDirectives(directives);
    for (let i = 0; i < 50; i++) {
      await client.sim.advance(1000);
      void client.dl.applyDirectives(
        Array.from({ length: 100 }, (_, at) => refreshItem('ticket', 100 * i + at + 100)),
      );
    }
    hydrate(client.dl, old);
    expect(isStale(client)).toBe(true);
  });

  it.each([0, 3000])(
    'is stale if its age and transit may reach back to them, with %s other directives',
    async (others) => {
      const client = createStage();
      await client.dl.applyDirectives(directives);
      await client.sim.advance(70_000);
      void client.dl.applyDirectives(Array.from({ length: others }, (_, at) => refreshItem('note', at)));
      hydrate(client.dl, itemState('ticket', { ageMs: 12_000 }));
      expect(isStale(client)).toBe(true);
    },
  );

  it('is stale if it may be older than the recorded directives', async () => {
    const client = createStage();
    client.dl.createType('ticket', { fetch: () => 'newer', stalenessMs: 900_000 });
    await client.dl.applyDirectives(directives);
    await client.sim.advance(130_000);
    void client.dl.applyDirectives(Array.from({ length: 3000 }, (_, at) => refreshItem('note', at)));
    hydrate(client.dl, itemState('ticket', { ageMs: 140_000 }));
    expect(isStale(client)).toBe(true);
  });
});

describe('D-REACT-10 a state without cursors, after directives for cached entries', () => {
  it.each<[string, StageOptions, boolean]>([
    ['which are refetched when their window closes', {}, false],
    ['which stay stale without a subscriber', { init: { bulk: { refetch: 'watched' } } }, true],
  ])('does not make entries fresh that they marked stale, %s', async (_, options, stays) => {
    const client = createStage(options);
    await client.hold(...reads(client));
    const server = await rendered();
    await client.sim.advance(1000);
    client.server.version = 2;
    void client.dl.applyDirectives([...directives, refreshItem('doc', 7)]);
    // Without cursors the client cannot know whether the server read the data before or after the change.
    hydrate(client.dl, stateOf(server));
    const refs = [
      client.dl.getItemRef('ticket', 7),
      client.dl.getItemRef('doc', 7),
      client.dl.getCollectionRef('tickets'),
    ];
    expect(refs.map(({ meta }) => meta.isStale)).toEqual([true, true, true]);
    await client.sim.advance(1000);
    expect(refs.map(({ meta }) => meta.isStale)).toEqual([stays, stays, stays]);
    expect(client.dl.getCollectionRef('tickets').data.ids).toEqual([stays ? 1 : 2]);
  });

  it('is refetched in an entry whose first request failed', async () => {
    const client = createStage();
    client.server.item = () => {
      throw new Error('down');
    };
    client.item('ticket', 7);
    await client.sim.advance(1000);
    client.server.item = () => 'newer';
    void client.dl.applyDirectives([refreshItem('ticket', 7)]);
    hydrate(client.dl, itemState('ticket'));
    await client.sim.advance(1000);
    expect(client.dl.getItemRef('ticket', 7)).toMatchObject({
      data: 'newer',
      meta: { isStale: false, error: null },
    });
  });

  it('does not make a level fresh that they marked stale and another level converts to', async () => {
    const client = createStage(watchedOnly);
    await client.hold(
      () => client.item('doc', 7, 'simplified'),
      () => client.item('doc', 7, 'full'),
    );
    await client.sim.advance(1000);
    void client.dl.applyDirectives([refreshItem('doc', 7, { level: 'simplified' })]);
    hydrate(client.dl, itemState('doc', { levels: ['full'], data: { v: 1 } }));
    client.taken();
    client.item('doc', 7, 'simplified');
    expect(client.taken()).toEqual(['doc 7 simplified']);
  });

  it('D-LEVEL-3 is stale at levels that were not cached when they arrived', async () => {
    const server = await rendered();
    const client = createStage(watchedOnly);
    await client.hold(() => client.item('doc', 7, 'simplified'));
    void client.dl.applyDirectives([refreshItem('doc', 7)]);
    await client.sim.advance(10_000);
    hydrate(client.dl, stateOf(server));
    expect(client.dl.getItemRef('doc', 7).data).toMatchObject({ full: 1 });
    for (const level of ['expanded', 'simplified', 'full']) {
      client.item('doc', 7, level);
      await client.sim.advance(100);
    }
    expect(client.taken()).toEqual(['doc 7 expanded', 'doc 7 full']);
  });
});

describe('D-REACT-10 D-SSE-8 a state that is hydrated before the stream opens', () => {
  it.each([
    ['without cursors', 'global'],
    ['without a cursor for an audience that init adds', 'team-7'],
  ])('%s is followed by the changes during its transfer', async (_title, audience) => {
    const { sim } = createStage();
    await sim.advance(120_000); // The log of the hub reaches back far enough.
    const server = await rendered({ sim });
    const state = stateOf(server, audience === 'global' ? [] : [sim.hub.cursor('global')]);
    sim.hub.emit([{ op: 'refresh_item', name: 'ticket', id: 7 }], { audience });
    await sim.advance(10_000);
    const client = createStage({ sim, init: { sse: { connectOnInit: false } } });
    hydrate(client.dl, state);
    client.dl.configureSse({ audience: [...new Set(['global', audience])] });
    client.dl.connectSse();
    await sim.advance(200);
    expect(client.taken()).toEqual(['ticket 7']);
    client.dl.dispose();
  });

  it('does not count as a request if it is ignored, so the stream starts where it would without it', async () => {
    const { dl, sim, hold, item } = createStage({ init: { sse: { connectOnInit: false } } });
    await hold(() => item('ticket', 7));
    hydrate(dl, itemState('ticket', { ageMs: 50_000 }));
    const urls: string[] = [];
    dl.onLifecycle('sse:connecting', ({ detail }) => urls.push(detail.url));
    dl.connectSse();
    await sim.advance(0);
    dl.dispose();
    const sinceMs = new URL(urls[0] ?? '', 'http://a.test').searchParams.get('since_ms');
    expect(Number(sinceMs ?? NaN)).toBeLessThan(1000);
  });
});

describe('D-REACT-10 D-SSE-8 a state without cursors while the stream is open', () => {
  it.each([
    ['is stale if it is older than the start of the stream', 33_000, true],
    ['is fresh if it is younger', 1000, false],
  ])('%s', async (_title, ageMs, stale) => {
    const { sim, dl, item, hold } = createStage({ init: { sse: { connectOnInit: false } } });
    dl.createType('ticket', { stalenessMs: 600_000, fetch: async (id) => ({ id }) });
    await hold(() => item('note', 1));
    await sim.advance(1000);
    dl.connectSse();
    await sim.advance(1000);
    expect(dl.state().sse.connected).toBe(true);
    hydrate(dl, itemState('ticket', { ageMs }));
    expect(dl.getItemRef('ticket', 7)).toMatchObject({ data: 'old', meta: { isStale: stale } });
  });

  it.each([
    ['is stale if it is older than a failed replay', 'replay-miss'],
    ['is stale if it is older than a gap', 'gap'],
    ['is fresh if no message was missed', 'none'],
  ])('%s', async (_title, how) => {
    const { sim, dl } = createStage({ init: { sse: {} } });
    dl.createType('ticket', { stalenessMs: 3_600_000, fetch: async (id) => ({ id }) });
    const reasons: string[] = [];
    dl.onLifecycle('sse:gap', ({ detail }) => reasons.push(detail.reason ?? 'gap'));
    await sim.advance(100_000);
    if (how === 'replay-miss') {
      sim.hub.stop();
      sim.hub.start({ numbers: 'kept', log: 'lost' });
    }
    if (how !== 'none') sim.hub.lose(1);
    await sim.advance(1000);
    if (how === 'gap') sim.hub.emit([{ op: 'refresh_item', name: 'ticket', id: 99 }]);
    await sim.advance(20_000);
    expect(reasons).toEqual(how === 'none' ? [] : [how]);
    hydrate(dl, itemState('ticket', { ageMs: 22_000 }));
    expect(isStale({ dl })).toBe(how !== 'none');
  });

  it('is stale if it was in transit during a gap', async () => {
    const { sim, dl } = createStage({ init: { sse: {} } });
    let truth = 1;
    dl.createType('ticket', { stalenessMs: 3_600_000, fetch: async () => truth });
    await sim.advance(100_000);
    const state = itemState('ticket', { data: truth, ageMs: 10 });
    await sim.advance(1000);
    truth = 2;
    sim.hub.lose(1); // The lost message is the change of the ticket.
    sim.hub.emit([{ op: 'refresh_item', name: 'ticket', id: 99 }]);
    await sim.advance(20_000);
    hydrate(dl, state);
    const ref = dl.fetchItem('ticket', 7);
    await sim.advance(1000);
    expect(ref.data).toBe(2);
  });

  it('is fresh with a custom transport, which may have delivered its directives', async () => {
    const { sim, dl } = createStage();
    dl.configureDirectiveSource({ type: 'custom', connect: () => () => undefined });
    dl.connectDirectiveSource();
    await sim.advance(1000);
    dl.createType('ticket', { stalenessMs: 600_000, fetch: async (id) => ({ id }) });
    hydrate(dl, itemState('ticket', { ageMs: 33_000 }));
    expect(isStale({ dl })).toBe(false);
  });
});

it.each<[string, DehydratedState[]]>([
  ['', []],
  [
    ', even if an older state with a cursor follows the gap',
    [itemState('note', { ageMs: 100_000 }, [cursor(5, 'team')])],
  ],
])('D-REACT-10 a state without cursors is stale between a gap and its resync%s', (_title, states) => {
  const { dl } = createStage({ init: { sse: { connectOnInit: false, audience: ['global', 'team'] } } });
  for (const seq of [1, 3]) dl.ingestEnvelope(envelope(seq));
  for (const state of [...states, itemState('ticket')]) hydrate(dl, state);
  expect(isStale({ dl })).toBe(true);
  dl.dispose();
});
