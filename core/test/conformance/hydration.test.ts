// D-REACT-10 in the core: dehydrate, hydrate, readDehydrated and the cursors of the hub.

import { runInNewContext } from 'node:vm';
import {
  dehydrate,
  escapeState,
  hydrate,
  readDehydrated,
  type DehydratedState,
  type Cursor,
  type DehydratedKey,
} from '@edict/core/hydration';
import { describe, expect, it } from 'vitest';
import { refreshItem, refreshList } from '../directives.ts';
import { type Stage, type StageOptions, createStage } from '../world.ts';

/** The state after it was serialized into a page. */
const travelled = (state: DehydratedState): DehydratedState =>
  JSON.parse(JSON.stringify(state)) as DehydratedState; // The state that was serialized.

/** A server that has rendered two items and two params sets of a list. */
async function rendered(options: StageOptions = {}): Promise<Stage> {
  const stage = createStage({ isBrowser: false, ...options });
  await stage.hold(
    () => stage.item('ticket', 7),
    () => stage.item('doc', 7, 'full'),
    () => stage.list('tickets'),
    () => stage.list('tickets', { page: 1 }),
  );
  return stage;
}

/** The age of the oldest request, which the client sends as `since_ms` when the stream connects. */
async function sinceMs({ dl, sim }: Stage): Promise<number> {
  const urls: string[] = [];
  dl.onLifecycle('sse:connecting', ({ detail }) => urls.push(detail.url));
  dl.connectSse();
  await sim.advance(0);
  dl.dispose();
  return Number(new URL(urls[0] ?? '', 'http://a.test').searchParams.get('since_ms') ?? NaN);
}

const reads = ({ item, list }: Stage): (() => unknown)[] => [
  () => item('ticket', 7),
  () => item('doc', 7, 'full'),
  () => item('doc', 7, 'simplified'),
  () => list('tickets'),
  () => list('tickets', { page: 1 }),
];

describe('D-REACT-10 dehydrate', () => {
  it('returns plain JSON', async () => {
    const { dl } = await rendered();
    const state = dehydrate(dl);
    expect(travelled(state)).toEqual(state);
    expect(state.items.map(({ type, id }) => `${type} ${id}`).toSorted()).toEqual(['doc 7', 'ticket 7']);
    expect(state.collections).toHaveLength(2);
  });

  it('contains ages, not clock times', async () => {
    const { sim, dl } = await rendered({ startAt: Date.UTC(2026, 5, 1) });
    await sim.advance(400);
    const state = dehydrate(dl);
    // Requested at 0 with a response after 10 ms, then dehydrated at 500 ms.
    expect(state.collections.map(({ ageMs }) => ageMs)).toEqual([490, 490]);
    expect(state.items.flatMap(({ payloads }) => payloads.map(({ ageMs }) => ageMs))).toEqual([490, 490]);
    expect(JSON.stringify(state)).not.toContain('2026');
    expect(JSON.stringify(state)).not.toMatch(/1[78]\d{11}/);
  });

  it('contains the payloads of an item in the order of their responses, so the newest wins', async () => {
    const server = createStage({ isBrowser: false });
    server.server.item = (_type, id, level) => ({ id, level });
    await server.hold(() => server.item('card', 7, 'head'));
    await server.hold(() => server.item('card', 7, 'body'));
    await server.hold(() => server.dl.fetchItem('card', 7, 'head', { force: true }));
    const state = travelled(dehydrate(server.dl));
    expect(state.items[0]?.payloads.map(({ levels }) => levels)).toEqual([['body'], ['head']]);
    const client = createStage();
    hydrate(client.dl, state);
    expect(client.dl.getItemRef('card', 7).data).toEqual({ id: 7, level: 'head' });
  });

  it('contains the count of a collection', async () => {
    const server = createStage({ isBrowser: false });
    server.server.collection = () => ({ ids: [1, 2], count: 40 });
    await server.hold(() => server.list('tickets'));
    const client = createStage();
    hydrate(client.dl, travelled(dehydrate(server.dl)));
    expect(client.dl.getCollectionRef('tickets').data).toEqual({ ids: [1, 2], count: 40 });
  });

  it('leaves out entries and levels that have no response yet', async () => {
    const server = createStage({ isBrowser: false });
    await server.hold(() => server.item('card', 7, 'head'));
    server.item('card', 7, 'body');
    server.item('ticket', 7);
    server.list('tickets');
    const state = dehydrate(server.dl);
    expect(state.items.map(({ type }) => type)).toEqual(['card']);
    expect(state.items[0]?.payloads.map(({ levels }) => levels)).toEqual([['head']]);
    expect(state.collections).toEqual([]);
    expect(server.sim.log).toEqual([]);
  });

  it('contains the cursors of the hub', async () => {
    const { dl } = await rendered();
    expect(dehydrate(dl).cursors).toEqual([]);
    const cursors = [{ audience: 'global', seq: 12 }];
    expect(dehydrate(dl, { cursors }).cursors).toEqual(cursors);
  });

  it('returns a copy in JSON form, so changes to the state do not affect the cache', async () => {
    const { dl, server, hold, item, list: tickets } = createStage({ isBrowser: false });
    server.item = () => ({ at: new Date(0), tags: ['a'], left: undefined });
    await hold(
      () => item('ticket', 7),
      () => tickets('tickets', { page: 1 }),
    );
    const state = dehydrate(dl);
    const data = { at: '1970-01-01T00:00:00.000Z', tags: ['a'] };
    expect(state.items[0]?.payloads[0]?.data).toStrictEqual(data);
    const [list] = state.collections;
    Object.assign(state.items[0]?.payloads[0]?.data ?? {}, { tags: ['b'] });
    Object.assign(list?.ids ?? {}, ['b']);
    Object.assign(list?.params ?? {}, { page: 2 });
    expect(dl.getItemRef('ticket', 7).data).toMatchObject({ tags: ['a'] });
    expect(dl.getCollectionRef('tickets', { params: { page: 1 } }).data).toEqual({ ids: [1], count: 1 });
  });

  it('leaves out items that cannot be serialized and logs each with its error', async () => {
    const { sim, dl, server, hold, item } = createStage({ isBrowser: false });
    server.item = (_type, id) => ({ id, size: id === 7 ? 7n : 8 });
    await hold(
      () => item('ticket', 7),
      () => item('ticket', 8),
    );
    expect(dehydrate(dl).items.map(({ id }) => id)).toEqual([8]);
    expect(sim.log).toMatchObject([
      {
        message: 'left out of a dehydrated state: it has no JSON form',
        detail: { type: 'ticket', id: 7, error: expect.any(TypeError) },
      },
    ]);
  });

  it('leaves out entries that were never fetched', () => {
    const { dl } = createStage({ isBrowser: false });
    dl.getItemRef('ticket', 1);
    dl.getCollectionRef('tickets');
    dl.fetchItem('ticket', 2);
    expect(dehydrate(dl)).toEqual({ v: 1, items: [], collections: [], cursors: [] });
    dl.dispose();
  });
});

describe('D-REACT-10 hydrate', () => {
  it('makes the data of the server available immediately', async () => {
    const server = await rendered();
    const client = createStage();
    hydrate(client.dl, travelled(dehydrate(server.dl)));
    expect(client.dl.getItemRef('ticket', 7).data).toEqual({ id: 7, default: 1 });
    expect(client.dl.getItemRef('doc', 7).data).toEqual({ id: 7, full: 1 });
    expect(client.dl.getCollectionRef('tickets').data).toEqual({ ids: [1], count: 1 });
    expect(client.dl.getCollectionRef('tickets', { params: { page: 1 } }).data.ids).toEqual([1]);
  });

  it('does not refetch fresh entries or their derived levels', async () => {
    const server = await rendered();
    const client = createStage();
    hydrate(client.dl, travelled(dehydrate(server.dl)));
    for (const read of reads(client)) read();
    await client.sim.advance(100);
    expect(client.taken()).toEqual([]);
  });

  it('works with clocks that differ by hours', async () => {
    const server = await rendered({ startAt: Date.UTC(2026, 0, 1, 12) });
    const client = createStage({ startAt: Date.UTC(2026, 0, 1, 9) });
    hydrate(client.dl, travelled(dehydrate(server.dl)));
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
    const client = createStage();
    hydrate(client.dl, travelled(dehydrate(server.dl)));
    await client.sim.advance(age - 5000);
    client.list('tickets');
    await client.sim.advance(100);
    expect(client.taken()).toEqual(calls);
  });

  it('keeps entries stale that are stale on the server', async () => {
    const server = await rendered();
    void server.dl.applyDirectives([refreshItem('ticket', 7), refreshList('tickets', { params: {} })]);
    const client = createStage();
    hydrate(client.dl, travelled(dehydrate(server.dl)));
    expect(client.dl.getItemRef('ticket', 7).meta.isStale).toBe(true);
    for (const read of reads(client)) read();
    await client.sim.advance(100);
    expect(client.taken().toSorted()).toEqual(['ticket 7', 'tickets {}']);
    server.dl.dispose();
  });

  it('caches levels so that a directive refetches them', async () => {
    const server = await rendered();
    const client = createStage();
    hydrate(client.dl, travelled(dehydrate(server.dl)));
    void client.dl.applyDirectives([refreshItem('doc', 7), refreshList('tickets')]);
    await client.sim.advance(100);
    expect(client.taken().toSorted()).toEqual(['doc 7 full', 'tickets {"page":1}', 'tickets {}']);
  });

  it('keeps newer data of the client', async () => {
    const server = await rendered();
    const client = createStage();
    client.server.version = 2;
    const state = travelled(dehydrate(server.dl));
    await client.hold(...reads(client));
    hydrate(client.dl, {
      ...state,
      collections: state.collections.map((each) => ({ ...each, ageMs: 60_000 })),
      items: state.items.map((each) => ({
        ...each,
        payloads: each.payloads.map((payload) => ({ ...payload, ageMs: 60_000 })),
      })),
    });
    expect(client.dl.getItemRef('ticket', 7).data).toEqual({ id: 7, default: 2 });
    expect(client.dl.getCollectionRef('tickets').data.ids).toEqual([2]);
  });

  it.each([[['full', 'expanded', 'simplified']], [['full']]])(
    'keeps a newer level of the client when the state converts to it with levels %j',
    async (levels) => {
      const client = createStage();
      client.server.item = () => ({ v: 2 });
      await client.hold(() => client.item('doc', 7, 'simplified'));
      hydrate(client.dl, {
        v: 1,
        items: [{ type: 'doc', id: 7, payloads: [{ levels, data: { v: 1 }, ageMs: 5000 }] }],
        collections: [],
        cursors: [],
      });
      expect(client.dl.getItemRef('doc', 7).data).toEqual({ v: 2 });
    },
  );

  it('is overridden by the response of a request in flight, including the levels it converts to', async () => {
    const client = createStage();
    client.server.item = () => ({ v: 2 });
    client.item('doc', 7, 'full');
    hydrate(client.dl, {
      v: 1,
      items: [{ type: 'doc', id: 7, payloads: [{ levels: ['simplified'], data: { v: 1 }, ageMs: 5000 }] }],
      collections: [],
      cursors: [],
    });
    await client.sim.advance(100);
    expect(client.dl.getItemRef('doc', 7).data).toEqual({ v: 2 });
  });

  it('is overridden by every response of a request in flight, in any order', async () => {
    const client = createStage();
    client.server.item = (_type, _id, level) => ({ [level]: 'asked here' });
    client.item('card', 7, 'head');
    client.item('card', 7, 'body');
    hydrate(client.dl, {
      v: 1,
      items: [
        {
          type: 'card',
          id: 7,
          payloads: [{ levels: ['head', 'body'], data: { head: 1, body: 1 }, ageMs: 9 }],
        },
      ],
      collections: [],
      cursors: [],
    });
    await client.sim.advance(100);
    expect(client.dl.getItemRef('card', 7).data).toEqual({ head: 'asked here', body: 'asked here' });
  });

  it('is overridden by the response of a request in flight even if another level is already newer', async () => {
    const client = createStage();
    client.server.item = (_type, _id, level) => ({ [level]: 'asked here' });
    client.server.latencyMs = 100;
    client.item('card', 7, 'head');
    client.server.latencyMs = 10;
    client.item('card', 7, 'body');
    await client.sim.advance(10);
    hydrate(client.dl, {
      v: 1,
      items: [{ type: 'card', id: 7, payloads: [{ levels: ['head'], data: { head: 1 }, ageMs: 5000 }] }],
      collections: [],
      cursors: [],
    });
    await client.sim.advance(100);
    expect(client.dl.getItemRef('card', 7).data).toEqual({ head: 'asked here', body: 'asked here' });
  });

  describe('after a directive arrived while a request was in flight', () => {
    const state = (levels: string[]): DehydratedState => ({
      v: 1,
      items: [{ type: 'doc', id: 7, payloads: [{ levels, data: { v: 'theirs' }, ageMs: 9, stale: true }] }],
      collections: [],
      cursors: [],
    });

    it('keeps the refetch pending because the response is older than the directive', async () => {
      const client = createStage();
      await client.hold(() => client.item('doc', 7, 'full'));
      client.server.latencyMs = 200;
      client.dl.fetchItem('doc', 7, 'full', { force: true });
      void client.dl.applyDirectives([refreshItem('doc', 7)]);
      hydrate(client.dl, state(['full']));
      await client.sim.advance(1000);
      expect(client.taken()).toEqual(['doc 7 full', 'doc 7 full']);
      expect(client.dl.getItemRef('doc', 7).meta.isStale).toBe(false);
    });

    it('makes no other level fresh that the response converts to', async () => {
      const client = createStage({ init: { sse: { enabled: false }, bulk: { refetch: 'watched' } } });
      await client.hold(() => client.item('doc', 7));
      client.server.latencyMs = 200;
      client.item('doc', 7, 'full');
      void client.dl.applyDirectives([refreshItem('doc', 7, { level: 'full' })]);
      hydrate(client.dl, state(['default']));
      await client.sim.advance(1000);
      client.taken();
      client.item('doc', 7, 'simplified');
      await client.sim.advance(1000);
      expect(client.taken()).toEqual(['doc 7 simplified']);
    });
  });

  it('replaces older data of the client', async () => {
    const client = createStage();
    await client.hold(...reads(client));
    await client.sim.advance(60_000);
    const server = createStage({ isBrowser: false });
    server.server.version = 5;
    await server.hold(...reads(server));
    hydrate(client.dl, travelled(dehydrate(server.dl)));
    expect(client.dl.getItemRef('ticket', 7).data).toEqual({ id: 7, default: 5 });
    expect(client.dl.getCollectionRef('tickets').data.ids).toEqual([5]);
  });

  it.each<[cursors: Cursor[]]>([[[]], [[{ audience: 'global', seq: 9 }]]])(
    'replaces older data of the client even if a directive marked the server data stale, with cursors %j',
    async (cursors) => {
      const client = createStage();
      await client.hold(...reads(client));
      await client.sim.advance(1000);
      const server = createStage({ isBrowser: false });
      server.server.version = 5;
      await server.hold(...reads(server));
      void server.dl.applyDirectives([refreshItem('ticket', 7), refreshList('tickets', { params: {} })]);
      hydrate(client.dl, travelled(dehydrate(server.dl, { cursors })));
      const refs = [client.dl.getItemRef('ticket', 7), client.dl.getCollectionRef('tickets')];
      expect(refs.map(({ data }) => data)).toMatchObject([{ default: 5 }, { ids: [5] }]);
      expect(refs.map(({ meta }) => meta.isStale)).toEqual([true, true]);
    },
  );

  it('D-FETCH-4 the response of a request in flight emits success, not aborted', async () => {
    const server = await rendered();
    const client = createStage();
    client.item('ticket', 7);
    hydrate(client.dl, travelled(dehydrate(server.dl)));
    await client.sim.advance(100);
    expect(client.of('item:fetch:success')).toHaveLength(1);
    expect(client.of('item:fetch:aborted')).toEqual([]);
  });

  it('keeps levels separate that were fetched at the same time', async () => {
    const server = createStage({ isBrowser: false });
    await server.hold(
      () => server.item('card', 7, 'head'),
      () => server.item('card', 7, 'body'),
    );
    const client = createStage();
    hydrate(client.dl, travelled(dehydrate(server.dl)));
    expect(client.dl.getItemRef('card', 7).data).toEqual({ id: 7, head: 1, body: 1 });
  });

  it('keeps one level stale without the others that share its payload', async () => {
    const server = createStage({ isBrowser: false });
    await server.hold(() => server.item('doc', 7, 'full'));
    void server.dl.applyDirectives([
      { op: 'invalidate', kind: 'item', name: 'doc', id: 7, level: 'simplified' },
    ]);
    const client = createStage();
    hydrate(client.dl, travelled(dehydrate(server.dl)));
    client.item('doc', 7, 'full');
    client.item('doc', 7, 'expanded');
    await client.sim.advance(100);
    expect(client.taken()).toEqual([]);
    client.item('doc', 7, 'simplified');
    await client.sim.advance(100);
    expect(client.taken()).toEqual(['doc 7 simplified']);
  });

  it.each([
    ['was marked stale', { stale: true as const }, []],
    ['is older than the stream', {}, [{ audience: 'global', seq: 5 }]],
  ])(
    'D-LEVEL-3 a payload that %s makes no level fresh that only the client converts it to',
    async (_title, mark, cursors) => {
      const { dl, sim, item, taken } = createStage();
      dl.ingestEnvelope({ type: 'directives', seq: 6, audience: 'global', directives: [] });
      const payloads = [{ levels: ['full'], data: { v: 1 }, ageMs: 5, ...mark }];
      hydrate(dl, { v: 1, items: [{ type: 'doc', id: 7, payloads }], collections: [], cursors });
      item('doc', 7, 'simplified');
      await sim.advance(100);
      expect(taken()).toEqual(['doc 7 simplified']);
    },
  );

  it('D-LEVEL-3 a directive about an item also marks levels stale that a state without cursors contains', async () => {
    const server = await rendered();
    const client = createStage({ init: { sse: { enabled: false }, bulk: { refetch: 'watched' } } });
    await client.hold(() => client.item('doc', 7, 'simplified'));
    void client.dl.applyDirectives([refreshItem('doc', 7)]);
    await client.sim.advance(10_000);
    hydrate(client.dl, travelled(dehydrate(server.dl)));
    expect(client.dl.getItemRef('doc', 7).data).toMatchObject({ full: 1 });
    for (const level of ['expanded', 'simplified', 'full']) {
      client.item('doc', 7, level);
      await client.sim.advance(100);
    }
    expect(client.taken()).toEqual(['doc 7 expanded', 'doc 7 full']);
  });

  it('D-SSE-8 a state without cursors counts as a request of its age', async () => {
    const server = await rendered();
    const client = createStage({ sim: server.sim, init: { sse: { connectOnInit: false } } });
    await server.sim.advance(400);
    hydrate(client.dl, travelled(dehydrate(server.dl)));
    expect(await sinceMs(client)).toBeGreaterThan(400);
  });

  it.each([
    ['without cursors', 'global'],
    ['without a cursor for an audience that init adds', 'team-7'],
  ])('D-SSE-8 a state %s is followed by the changes during its transfer', async (_title, audience) => {
    const { sim } = createStage();
    await sim.advance(120_000); // The log of the hub reaches back far enough.
    const server = await rendered({ sim });
    const cursors = audience === 'global' ? [] : [sim.hub.cursor('global')];
    const state = travelled(dehydrate(server.dl, { cursors }));
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

  it('shows its data while a first request is in flight, until the response replaces it', async () => {
    const server = await rendered();
    const client = createStage();
    client.server.version = 2;
    const ref = client.item('ticket', 7);
    const listRef = client.list('tickets');
    hydrate(client.dl, travelled(dehydrate(server.dl)));
    expect(ref.data).toEqual({ id: 7, default: 1 });
    expect(listRef.data.ids).toEqual([1]);
    await client.sim.advance(100);
    expect(ref.data).toEqual({ id: 7, default: 2 });
    expect(listRef.data.ids).toEqual([2]);
    expect(client.taken()).toEqual(['ticket 7', 'tickets {}']);
    expect([ref.meta.isLoading, listRef.meta.isLoading]).toEqual([false, false]);
  });

  it('notifies no subscriber of an equal state and keeps the identity of the data', async () => {
    const server = await rendered();
    const state = travelled(dehydrate(server.dl));
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

  it('notifies subscribers of changed entries', async () => {
    const server = await rendered();
    const client = createStage();
    let told = 0;
    client.dl.onRefChange(client.dl.getItemRef('ticket', 7), () => (told += 1));
    hydrate(client.dl, travelled(dehydrate(server.dl)));
    expect(told).toBe(1);
  });

  it.each([
    ['null', null],
    ['a string', 'state'],
    ['another version', { v: 2, items: [], collections: [], cursors: [] }],
    ['lists that are not arrays', { v: 1, items: 5, collections: 'x', cursors: null }],
    [
      'malformed entries',
      {
        v: 1,
        items: [null, { type: 'ticket' }, { type: 'ticket', id: 1, payloads: [{}] }],
        collections: [{}, 5],
        cursors: [{}],
      },
    ],
    [
      'names that are not registered',
      {
        v: 1,
        items: [{ type: 'nothing', id: 1, payloads: [{ levels: ['default'], data: 1, ageMs: 0 }] }],
        collections: [{ name: 'nowhere', ids: [], count: 0, ageMs: 0 }],
        cursors: [],
      },
    ],
  ])('ignores %s without throwing', (_title, state) => {
    const { dl, taken } = createStage();
    expect(() => hydrate(dl, state as never)).not.toThrow(); // A page may contain any value.
    expect(dl.state().memory).toMatchObject({ items: 0, collections: 0 });
    expect(taken()).toEqual([]);
  });

  it('ignores levels that are not registered on the client', () => {
    const { dl } = createStage();
    const payloads = [{ levels: ['gone', 'default'], data: { v: 1 }, ageMs: 9 }];
    hydrate(dl, { v: 1, items: [{ type: 'ticket', id: 7, payloads }], collections: [], cursors: [] });
    expect(dl.getItemRef('ticket', 7).meta.levelStamps).toEqual({ default: expect.any(String) as string });
    const unknown = [{ levels: ['gone'], data: { v: 1 }, ageMs: 9 }];
    hydrate(dl, {
      v: 1,
      items: [{ type: 'ticket', id: 8, payloads: unknown }],
      collections: [],
      cursors: [],
    });
    expect(dl.state().memory.items).toBe(1);
  });

  it('D-MEM-1 hydrated entries do not count toward the maximum until they are read', async () => {
    const server = createStage({ isBrowser: false });
    await server.hold(...[1, 2, 3].map((id) => () => server.item('ticket', id)));
    const client = createStage({
      init: { sse: { enabled: false }, memory: { maxItemsPerType: 1, pruneIntervalMs: 500 } },
    });
    hydrate(client.dl, travelled(dehydrate(server.dl)));
    await client.sim.advance(2000);
    expect(client.dl.state().memory.items).toBe(3);
    for (const id of [1, 2, 3]) client.item('ticket', id);
    await client.sim.advance(2000);
    expect(client.dl.state().memory.items).toBe(1);
  });
});

describe('D-REACT-10 escapeState', () => {
  const evaluated = (text: string): unknown => JSON.parse(JSON.stringify(runInNewContext(`(${text})`)));
  const stateOf = (data: unknown): DehydratedState => ({
    v: 1,
    items: [{ type: 'doc', id: 7, payloads: [{ levels: ['full'], data, ageMs: 0 }] }],
    collections: [],
    cursors: [],
  });

  it.each(['</script><script>alert(1)</script>', '<!--<script>', '\u2028\u2029', '"\\\u003c', '\ud800'])(
    'returns the state as JSON and as an expression without <: %j',
    (text) => {
      const state = stateOf({ [text]: text });
      const escaped = escapeState(state);
      expect(escaped).not.toMatch(/[<\u2028\u2029]/);
      expect([JSON.parse(escaped), evaluated(escaped)]).toEqual([state, state]);
    },
  );

  it('names itself when the state is missing', () => {
    expect(() => escapeState(undefined as never)).toThrow(
      new TypeError('[edict] escapeState: the state must be an object, but it is undefined.'),
    );
  });

  it('sets no prototype', () => {
    const escaped = escapeState(stateOf(JSON.parse('{"a":1,"__proto__":{"isAdmin":true}}')));
    expect(runInNewContext(`(${escaped}).items[0].payloads[0].data.isAdmin`)).toBe(undefined);
    expect(evaluated(escaped)).toEqual(stateOf({ a: 1 }));
  });
});

describe('D-REACT-10 cursors', () => {
  const streamOf = ({ sim }: Stage): URLSearchParams =>
    sim.requests.findLast(({ isStream }) => isStream)?.url.searchParams ?? new URLSearchParams();

  it('are where the stream starts, so later directives are replayed', async () => {
    const server = createStage({ isBrowser: false });
    const { sim } = server;
    sim.hub.emit([{ op: 'refresh_collection', name: 'notes' }]);
    const cursors = [sim.hub.cursor('global')];
    await server.hold(...reads(server));
    const state = travelled(dehydrate(server.dl, { cursors }));
    sim.hub.emit([{ op: 'refresh_item', name: 'ticket', id: 7 }]);

    const client = createStage({ sim, init: { sse: { connectOnInit: false } } });
    hydrate(client.dl, state);
    client.dl.connectSse();
    await sim.advance(200);
    expect(streamOf(client).getAll('last_seq')).toEqual([String(cursors[0]?.seq)]);
    expect(client.taken()).toEqual(['ticket 7']);
    expect(client.of('sse:gap')).toEqual([]);
    client.dl.dispose();
  });

  it('cause no request if nothing changed', async () => {
    const server = createStage({ isBrowser: false });
    const { sim } = server;
    const cursors = [sim.hub.cursor('global')];
    await server.hold(...reads(server));
    const client = createStage({ sim, init: { sse: { connectOnInit: false } } });
    hydrate(client.dl, travelled(dehydrate(server.dl, { cursors })));
    client.dl.connectSse();
    await sim.advance(10_000);
    expect(client.taken()).toEqual([]);
    expect(client.of('sse:gap')).toEqual([]);
    client.dl.dispose();
  });

  it('set the sequence numbers of the stream', async () => {
    const client = createStage({ init: { sse: { connectOnInit: false } } });
    hydrate(client.dl, { v: 1, items: [], collections: [], cursors: [{ audience: 'global', seq: 41 }] });
    expect(client.dl.state().sse.lastSeq).toEqual({ global: 41 });
    client.dl.ingestEnvelope({
      type: 'directives',
      seq: 42,
      audience: 'global',
      directives: [refreshList('tickets')],
    });
    expect(client.of('sse:gap')).toEqual([]);
    client.dl.ingestEnvelope({
      type: 'directives',
      seq: 44,
      audience: 'global',
      directives: [refreshList('tickets')],
    });
    expect(client.of('sse:gap')).toMatchObject([{ lastSeq: 42, incomingSeq: 44 }]);
    client.dl.dispose();
  });

  it('never rewind the stream, so data read at an earlier position is stale', async () => {
    const server = createStage({ isBrowser: false });
    const { sim } = server;
    const cursors = [sim.hub.cursor('global')];
    await server.hold(...reads(server));
    const state = travelled(dehydrate(server.dl, { cursors }));

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

  describe('that are the first sequence number of their audience', () => {
    /** A client that is not connected yet reads before or after a change, then hydrates a state rendered after the change. */
    async function late(readAt: 'before' | 'after'): Promise<Stage> {
      const server = createStage({ isBrowser: false });
      const { sim } = server;
      const client = createStage({ sim, init: { sse: { connectOnInit: false } } });
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
      await server.hold(...reads(server));
      const state = travelled(dehydrate(server.dl, { cursors }));
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
      const server = createStage({ isBrowser: false });
      const { sim } = server;
      const client = createStage({ sim, init: { sse: { connectOnInit: false } } });
      client.server.latencyMs = 500;
      client.dl.onRefChange(client.item('note', 3), () => {});
      await sim.advance(100);
      const cursors = [sim.hub.cursor('global')];
      await server.hold(...reads(server));
      client.taken();
      hydrate(client.dl, travelled(dehydrate(server.dl, { cursors })));
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

    it('mark all earlier reads stale in a state without entries', async () => {
      const client = createStage({ init: { sse: { connectOnInit: false } } });
      await client.hold(() => client.item('ticket', 7));
      hydrate(client.dl, { v: 1, items: [], collections: [], cursors: [{ audience: 'global', seq: 41 }] });
      expect(client.dl.getItemRef('ticket', 7).meta.isStale).toBe(true);
    });

    it('leave later states fresh if they come in a state without entries', async () => {
      const server = await rendered();
      const client = createStage();
      hydrate(client.dl, { v: 1, items: [], collections: [], cursors: [{ audience: 'global', seq: 41 }] });
      hydrate(client.dl, dehydrate(server.dl));
      expect(client.dl.getItemRef('ticket', 7).meta.isStale).toBe(false);
    });

    it('mark an older state without cursors stale that is hydrated later', async () => {
      const early = await rendered();
      await early.sim.advance(5000);
      const server = await rendered();
      const client = createStage();
      hydrate(client.dl, {
        ...dehydrate(server.dl, { cursors: [{ audience: 'global', seq: 41 }] }),
        collections: [],
      });
      hydrate(client.dl, { ...dehydrate(early.dl), items: [] });
      expect(client.dl.getItemRef('ticket', 7).meta.isStale).toBe(false);
      expect(client.dl.getCollectionRef('tickets').meta.isStale).toBe(true);
    });

    it('leave a state without cursors fresh that is equally old', async () => {
      const server = await rendered();
      const client = createStage();
      const { items, collections } = dehydrate(server.dl);
      hydrate(client.dl, { v: 1, items, collections: [], cursors: [{ audience: 'global', seq: 41 }] });
      hydrate(client.dl, { v: 1, items: [], collections, cursors: [] });
      expect(client.dl.getCollectionRef('tickets').meta.isStale).toBe(false);
    });
  });

  it('behind the stream refetch stale entries with a subscriber', async () => {
    const server = await rendered();
    const client = createStage();
    client.server.item = () => {
      throw new Error('down');
    };
    client.dl.onRefChange(client.item('ticket', 7), () => {});
    await client.sim.advance(100);
    expect(client.taken()).toEqual(['ticket 7']);
    client.server.item = (_type, id) => ({ id, isNew: true });
    client.dl.ingestEnvelope({ type: 'directives', seq: 6, audience: 'global', directives: [] });
    hydrate(client.dl, travelled(dehydrate(server.dl, { cursors: [{ audience: 'global', seq: 5 }] })));
    await client.sim.advance(100);
    expect(client.taken()).toEqual(['ticket 7']);
    expect(client.dl.getItemRef('ticket', 7).data).toEqual({ id: 7, isNew: true });
  });

  it('equal to the sequence number of the stream leave the state fresh', async () => {
    const server = await rendered();
    const client = createStage();
    client.dl.ingestEnvelope({ type: 'directives', seq: 5, audience: 'global', directives: [] });
    hydrate(client.dl, dehydrate(server.dl, { cursors: [{ audience: 'global', seq: 5 }] }));
    expect(client.dl.getItemRef('ticket', 7).meta.isStale).toBe(false);
    expect(client.dl.getCollectionRef('tickets').meta.isStale).toBe(false);
  });

  it('behind the stream mark items and collections stale', async () => {
    const server = await rendered();
    const client = createStage();
    client.dl.ingestEnvelope({ type: 'directives', seq: 6, audience: 'global', directives: [] });
    hydrate(client.dl, dehydrate(server.dl, { cursors: [{ audience: 'global', seq: 5 }] }));
    expect(client.dl.getItemRef('ticket', 7).meta.isStale).toBe(true);
    expect(client.dl.getCollectionRef('tickets').meta.isStale).toBe(true);
  });

  it('behind the stream mark every level stale, including levels that share a payload', async () => {
    const server = await rendered();
    const client = createStage();
    client.dl.ingestEnvelope({ type: 'directives', seq: 6, audience: 'global', directives: [] });
    hydrate(client.dl, travelled(dehydrate(server.dl, { cursors: [{ audience: 'global', seq: 5 }] })));
    client.item('doc', 7, 'simplified');
    await client.sim.advance(100);
    expect(client.taken()).toEqual(['doc 7 simplified']);
  });

  describe('behind the stream, with all directives since then recorded', () => {
    const at = (seq: number, directives: object[] = [], more: object = {}): object => ({
      type: 'directives',
      audience: 'global',
      seq,
      directives,
      ...more,
    });
    const refs = ({ dl }: Stage): readonly { meta: { isStale: boolean } }[] => [
      dl.getItemRef('ticket', 7),
      dl.getItemRef('doc', 7),
      dl.getCollectionRef('tickets'),
      dl.getCollectionRef('tickets', { params: { page: 1 } }),
    ];

    /** Which of the entries above are stale if a page rendered at `seq` 5 is hydrated after these envelopes. */
    async function staleAfter(envelopes: readonly object[], client: Stage): Promise<boolean[]> {
      const server = await rendered();
      for (const envelope of envelopes) {
        const isOwn = 'source' in envelope;
        client.dl.ingestEnvelope(isOwn ? { ...envelope, source: client.dl.clientId() } : envelope);
      }
      await client.sim.advance(300_000); // A router cached the page for this time, so the state looks younger than it is.
      hydrate(client.dl, travelled(dehydrate(server.dl, { cursors: [{ audience: 'global', seq: 5 }] })));
      return refs(client).map(({ meta }) => meta.isStale);
    }

    it.each<[string, object[], boolean[]]>([
      [
        'a directive for another item',
        [at(5), at(6, [refreshItem('ticket', 8)])],
        [false, false, false, false],
      ],
      [
        'a directive for another collection',
        [at(5), at(6, [refreshList('notes')])],
        [false, false, false, false],
      ],
      [
        'a directive for an item by a string id',
        [at(5), at(6, [refreshItem('ticket', '7')])],
        [true, false, false, false],
      ],
      [
        'a directive for one of its levels',
        [at(5), at(6, [refreshItem('doc', 7, { level: 'simplified' })])],
        [false, true, false, false],
      ],
      [
        'a directive for a list with other params',
        [at(5), at(6, [refreshList('tickets', { params: { page: 9 } })])],
        [false, false, false, false],
      ],
      [
        'a directive for a list with its params',
        [at(5), at(6, [refreshList('tickets', { params: { page: 1 } })])],
        [false, false, false, true],
      ],
      [
        'a directive for all params sets of a list that contain some params',
        [at(5), at(6, [refreshList('tickets', { params: { page: 9 }, params_mode: 'contains' })])],
        [false, false, true, true],
      ],
      [
        'a directive for all items of a type, in the legacy form',
        [at(5), at(6, [{ op: 'invalidate', kind: 'item', name: 'ticket' }])],
        [true, false, false, false],
      ],
      [
        'a directive for an item at the sequence number of the cursor',
        [at(4), at(5, [refreshItem('ticket', 7)]), at(6, [refreshList('notes')])],
        [false, false, false, false],
      ],
      [
        'a directive for an item, followed by a late envelope from before the cursor',
        [at(5), at(6, [refreshItem('ticket', 7)]), at(4, [refreshItem('ticket', 7)])],
        [true, false, false, false],
      ],
      [
        'a directive for an item that this client changed',
        [at(5), at(6, [refreshItem('ticket', 7)], { source: 'own' })],
        [true, false, false, false],
      ],
      [
        'a directive for an item, repeated from an envelope without a sequence number',
        [
          at(5),
          { type: 'directives', directives: [refreshItem('ticket', 7, { idempotency_key: 'k' })] },
          at(6, [refreshItem('ticket', 7, { idempotency_key: 'k' })]),
        ],
        [true, false, false, false],
      ],
      ['a missed sequence number', [at(5), at(7)], [true, true, true, true]],
      ['a failed replay', [at(5), at(6, [], { recovered: false })], [true, true, true, true]],
      ['a first sequence number after the cursor', [at(6)], [true, true, true, true]],
      [
        'a restarted count that exceeds the cursor',
        [at(5), at(2), ...[3, 4, 5, 6].map((seq) => at(seq, [refreshList('notes')]))],
        [true, true, true, true],
      ],
    ])(
      'D-SSE-6 mark only entries stale that may have changed, after an envelope with %s',
      async (_title, envelopes, stale) => {
        const client = createStage({ init: { sse: { enabled: false, resyncOnGap: false } } });
        expect(await staleAfter(envelopes, client)).toEqual(stale);
      },
    );

    it('D-SRC-1 mark an entry stale that no own echo named, after more own echoes than the client records', async () => {
      const client = createStage();
      client.dl.ingestEnvelope(at(5));
      const echoes = Array.from({ length: 1001 }, (_, id) => refreshItem('note', id));
      client.dl.ingestEnvelope(at(6, echoes, { source: client.dl.clientId() }));
      const server = await rendered();
      hydrate(client.dl, travelled(dehydrate(server.dl, { cursors: [{ audience: 'global', seq: 5 }] })));
      expect(client.dl.getItemRef('ticket', 7).meta.isStale).toBe(true);
    });

    it.each<[cursor: number, stale: boolean]>([
      [5, true],
      [6, false],
    ])(
      'D-REACT-10 are compared with directives that are no longer recorded: cursor %d, directive 6',
      async (seq, isStale) => {
        const client = createStage();
        client.dl.ingestEnvelope(at(5));
        client.dl.ingestEnvelope(at(6, [refreshItem('ticket', 7)]));
        await client.sim.advance(300_000);
        const others = Array.from({ length: 1000 }, (_, id) => refreshItem('note', id));
        client.dl.ingestEnvelope(at(7, others));
        const server = await rendered();
        hydrate(client.dl, travelled(dehydrate(server.dl, { cursors: [{ audience: 'global', seq }] })));
        expect(client.dl.getItemRef('ticket', 7).meta.isStale).toBe(isStale);
      },
    );
  });

  describe('behind the stream keep the data of the client', () => {
    const cursors = [{ audience: 'global', seq: 5 }];

    it('if its directives made it newer, even if the state looks younger by its age', async () => {
      const server = await rendered();
      const client = createStage();
      await client.hold(...reads(client));
      client.server.version = 2;
      client.dl.ingestEnvelope({
        type: 'directives',
        seq: 6,
        audience: 'global',
        directives: [refreshItem('ticket', 7), refreshList('tickets')],
      });
      await client.sim.advance(10_000);
      // The page was in transit for long, so the state looks younger by its age.
      hydrate(client.dl, travelled(dehydrate(server.dl, { cursors })));
      expect(client.dl.getItemRef('ticket', 7).data).toEqual({ id: 7, default: 2 });
      expect(client.dl.getItemRef('ticket', 7).meta.isStale).toBe(false);
      expect(client.dl.getCollectionRef('tickets').data.ids).toEqual([2]);
      expect(client.dl.getCollectionRef('tickets').meta.isStale).toBe(false);
    });

    it('in a newer level when the state contains another level that converts to it', async () => {
      const client = createStage();
      client.server.item = () => ({ v: 2 });
      await client.hold(() => client.item('doc', 7, 'simplified'));
      client.dl.ingestEnvelope({ type: 'directives', seq: 6, audience: 'global', directives: [] });
      hydrate(client.dl, {
        v: 1,
        items: [
          { type: 'doc', id: 7, payloads: [{ levels: ['full'], data: { v: 1, body: 'b' }, ageMs: 0 }] },
        ],
        collections: [],
        cursors,
      });
      expect(client.dl.getItemRef('doc', 7).data).toEqual({ v: 2, body: 'b' });
    });

    it('unless a directive marked it stale', async () => {
      const server = await rendered();
      const client = createStage({ init: { bulk: { refetch: 'watched' } } });
      await client.hold(...reads(client));
      client.dl.ingestEnvelope({
        type: 'directives',
        seq: 6,
        audience: 'global',
        directives: [refreshItem('ticket', 7)],
      });
      await client.sim.advance(10_000);
      server.server.version = 3;
      await server.sim.advance(20_000);
      await server.hold(() => server.item('ticket', 7));
      hydrate(client.dl, travelled(dehydrate(server.dl, { cursors })));
      expect(client.dl.getItemRef('ticket', 7).data).toEqual({ id: 7, default: 3 });
      expect(client.dl.getItemRef('ticket', 7).meta.isStale).toBe(true);
    });
  });

  it.each<[string, StageOptions, boolean]>([
    ['is refetched when its window closes', {}, false],
    ['stays stale without a subscriber', { init: { bulk: { refetch: 'watched' } } }, true],
  ])(
    'that are missing do not make an entry fresh that a directive marked stale on the client: it %s',
    async (_, options, isStale) => {
      const client = createStage(options);
      await client.hold(...reads(client));
      const server = await rendered();
      await client.sim.advance(1000);
      client.server.version = 2;
      void client.dl.applyDirectives([
        refreshItem('ticket', 7),
        refreshItem('doc', 7),
        refreshList('tickets'),
      ]);
      // Without cursors the client cannot know whether the server read the data before or after the change.
      hydrate(client.dl, travelled(dehydrate(server.dl)));
      const refs = [
        client.dl.getItemRef('ticket', 7),
        client.dl.getItemRef('doc', 7),
        client.dl.getCollectionRef('tickets'),
      ];
      expect(refs.map(({ meta }) => meta.isStale)).toEqual([true, true, true]);
      await client.sim.advance(1000);
      expect(refs.map(({ meta }) => meta.isStale)).toEqual([isStale, isStale, isStale]);
      expect(client.dl.getCollectionRef('tickets').data.ids).toEqual([isStale ? 1 : 2]);
    },
  );

  it('that are missing do not make an entry fresh that a directive marked stale on the client, even if its refetch fails', async () => {
    const client = createStage();
    await client.hold(...reads(client));
    const server = await rendered();
    await client.sim.advance(1000);
    client.server.item = () => {
      throw new Error('down');
    };
    void client.dl.applyDirectives([refreshItem('ticket', 7)]);
    await client.sim.advance(50);
    const ref = client.dl.getItemRef('ticket', 7);
    expect(ref.meta.isLoading).toBe(true);
    hydrate(client.dl, travelled(dehydrate(server.dl)));
    expect(ref.meta.isStale).toBe(true);
    await client.sim.advance(1000);
    expect([ref.meta.error, ref.meta.isStale]).toEqual(['down', true]);
  });

  it('that are not behind the stream make entries fresh that a directive marked stale on the client', async () => {
    const client = createStage({ init: { bulk: { refetch: 'watched' } } });
    await client.hold(...reads(client));
    const server = await rendered();
    await client.sim.advance(1000);
    client.dl.ingestEnvelope({
      type: 'directives',
      seq: 6,
      audience: 'global',
      directives: [refreshItem('ticket', 7), refreshList('tickets')],
    });
    hydrate(client.dl, travelled(dehydrate(server.dl, { cursors: [{ audience: 'global', seq: 6 }] })));
    expect(client.dl.getItemRef('ticket', 7).meta.isStale).toBe(false);
    expect(client.dl.getCollectionRef('tickets').meta.isStale).toBe(false);
  });

  it('are kept per audience', async () => {
    const client = createStage({ init: { sse: { connectOnInit: false, audience: ['global', 'team'] } } });
    hydrate(client.dl, {
      v: 1,
      items: [],
      collections: [],
      cursors: [
        { audience: 'team', seq: 7 },
        { audience: 'global', seq: 41 },
      ],
    });
    client.dl.connectSse();
    await client.sim.advance(10);
    expect(streamOf(client).getAll('audience')).toEqual(['global', 'team']);
    expect(streamOf(client).getAll('last_seq')).toEqual(['41', '7']);
    client.dl.dispose();
  });
});

describe('D-REACT-10 readDehydrated', () => {
  it('ignores malformed entries', () => {
    const { dl } = createStage();
    const state = { v: 1, items: [null], collections: [5], cursors: [] } as unknown as DehydratedState;
    expect(readDehydrated(dl, state, { type: 'ticket', id: 7 })).toBeNull();
    expect(readDehydrated(dl, state, { name: 'tickets' })).toBeNull();
  });

  it('returns a reference for an item', async () => {
    const { dl } = await rendered();
    const state = travelled(dehydrate(dl));
    const ref = readDehydrated(dl, state, { type: 'ticket', id: 7 });
    expect(ref?.data).toEqual({ id: 7, default: 1 });
    expect(ref?.meta).toMatchObject({ isLoading: false, error: null, failedLevels: {}, isStale: false });
    expect(Object.keys(ref?.meta.levelStamps ?? {})).toEqual(['default']);
  });

  it('returns a reference for a params set', async () => {
    const { dl } = await rendered();
    const state = travelled(dehydrate(dl));
    expect(readDehydrated(dl, state, { name: 'tickets' })?.data).toEqual({ ids: [1], count: 1 });
    const ref = readDehydrated(dl, state, { name: 'tickets', params: { page: 1 } });
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
    const { dl } = await rendered();
    const ref = readDehydrated(dl, travelled(dehydrate(dl)), key);
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
      dl.createType('bare', { fetch: (id) => ({ id }) });
      dl.createCollection('list', { fetch: () => ({ ids: [] }) });
      const state: DehydratedState = {
        v: 1,
        items: [{ type: 'bare', id: 7, payloads: [{ levels: ['default'], data: 1, ageMs, ...mark }] }],
        collections: [{ name: 'list', ids: [1], count: 1, ageMs, ...mark }],
        cursors: [],
      };
      const item = readDehydrated(dl, state, { type: 'bare', id: 7 });
      const list = readDehydrated(dl, state, { name: 'list' });
      const lastFetched = new Date(Date.UTC(2026, 5, 1, 12) - ageMs).toISOString();
      expect(item?.meta).toMatchObject({ isStale, lastFetchedAny: lastFetched });
      expect(list?.meta).toMatchObject({ isStale, lastFetched });
    },
  );

  it('merges the levels as the live reference does', async () => {
    const server = createStage({ isBrowser: false });
    await server.hold(() => server.item('card', 7, 'head'));
    await server.hold(() => server.item('card', 7, 'body'));
    const ref = readDehydrated(server.dl, travelled(dehydrate(server.dl)), { type: 'card', id: 7 });
    expect(ref?.data).toEqual(server.dl.getItemRef('card', 7).data);
  });

  it('returns data that deeply equals the live reference after hydrate', async () => {
    const { dl } = await rendered();
    const state = travelled(dehydrate(dl));
    const client = createStage();
    hydrate(client.dl, state);
    expect(readDehydrated(client.dl, state, { type: 'doc', id: 7 })?.data).toEqual(
      client.dl.getItemRef('doc', 7).data,
    );
    expect(readDehydrated(client.dl, state, { name: 'tickets' })?.data).toEqual(
      client.dl.getCollectionRef('tickets').data,
    );
  });
});

describe('D-REACT-10 a state that may be older than a directive', () => {
  const passed = { cursors: [{ audience: 'global', seq: 5 }] };
  const down = (): never => {
    throw new Error('down');
  };
  const stateOf = (payload: object = {}, more: object = {}): DehydratedState => ({
    v: 1,
    items: [
      {
        type: 'ticket',
        id: 7,
        payloads: [{ levels: ['default'], data: 'of the state', ageMs: 0, ...payload }],
      },
    ],
    collections: [],
    cursors: [],
    ...more,
  });
  const seen = ({ dl }: Stage): unknown[] => {
    const { data, meta } = dl.getItemRef('ticket', 7);
    return [data, meta.isStale, meta.error];
  };
  const directive = (more: object = {}): object => refreshItem('ticket', 7, more);
  const envelope = (seq: number, directives: object[] = [], more: object = {}): object => ({
    type: 'directives',
    seq,
    audience: 'global',
    directives,
    ...more,
  });

  it.each([
    ['a state marked stale', { stale: true }, {}],
    ['a state behind the stream', {}, passed],
  ])(
    '%s is stale while a first request is in flight, until its response arrives',
    async (_, payload, more) => {
      for (const [item, after] of [
        [down, ['of the state', true, 'down']],
        [() => 'newer', ['newer', false, null]],
      ] as const) {
        const client = createStage();
        client.dl.ingestEnvelope(envelope(6, [directive()]));
        client.server.item = item;
        client.item('ticket', 7);
        hydrate(client.dl, stateOf(payload, more));
        expect(seen(client)).toEqual(['of the state', true, null]);
        await client.sim.advance(1000);
        expect(seen(client)).toEqual(after);
        expect(client.taken()).toEqual(['ticket 7']);
      }
    },
  );

  it('a state behind the stream stays stale while the refetch of a directive is in flight', async () => {
    const client = createStage();
    await client.hold(() => client.item('ticket', 7));
    client.server.item = down;
    client.dl.ingestEnvelope(envelope(6, [directive()]));
    await client.sim.advance(50);
    hydrate(client.dl, stateOf({}, passed));
    expect(seen(client)).toEqual(['of the state', true, null]);
    await client.sim.advance(1000);
    expect(seen(client)).toEqual(['of the state', true, 'down']);
  });

  it.each([
    ['before its refetch', 0],
    ['after its refetch', 1000],
  ])('a change whose mutation response is ahead of the stream is not reverted: %s', async (_, waitMs) => {
    const client = createStage();
    await client.hold(() => client.item('ticket', 7));
    await client.sim.advance(1000);
    client.dl.ingestEnvelope(envelope(5));
    client.server.item = () => 'newer';
    const source = client.dl.clientId();
    const own = directive({ seq: 6, audience: 'global', source, idempotency_key: 'its own' });
    void client.dl.applyDirectives([own], { path: 'pull' });
    await client.sim.advance(waitMs);
    hydrate(client.dl, stateOf({}, passed));
    client.dl.ingestEnvelope(envelope(6, [own], { source })); // Ignored as an own echo.
    await client.sim.advance(1000);
    expect(seen(client)).toEqual(['newer', false, null]);
  });

  it('an entry that a directive of an audience without a cursor marked stale is refetched', async () => {
    const client = createStage({ init: { sse: { enabled: false, audience: ['global', 'team'] } } });
    await client.hold(() => client.item('ticket', 7));
    await client.sim.advance(1000);
    client.server.item = () => 'newer';
    client.dl.ingestEnvelope(envelope(60, [directive()], { audience: 'team' }));
    hydrate(client.dl, stateOf({}, passed));
    await client.sim.advance(1000);
    expect(seen(client)).toEqual(['newer', false, null]);
  });

  it('without cursors, an entry whose first request failed is refetched for an earlier directive', async () => {
    const client = createStage();
    client.server.item = down;
    client.item('ticket', 7);
    await client.sim.advance(1000);
    client.server.item = () => 'newer';
    void client.dl.applyDirectives([directive()]);
    hydrate(client.dl, stateOf());
    await client.sim.advance(1000);
    expect(seen(client)).toEqual(['newer', false, null]);
  });

  it('without cursors, a level does not make another level fresh that a directive marked stale', async () => {
    const client = createStage({ init: { bulk: { refetch: 'watched' } } });
    await client.hold(
      () => client.item('doc', 7, 'simplified'),
      () => client.item('doc', 7, 'full'),
    );
    await client.sim.advance(1000);
    void client.dl.applyDirectives([refreshItem('doc', 7, { level: 'simplified' })]);
    hydrate(client.dl, {
      v: 1,
      items: [{ type: 'doc', id: 7, payloads: [{ levels: ['full'], data: { v: 1 }, ageMs: 0 }] }],
      collections: [],
      cursors: [],
    });
    client.taken();
    client.item('doc', 7, 'simplified');
    expect(client.taken()).toEqual(['doc 7 simplified']);
  });
});

describe('D-REACT-10 a state without cursors', () => {
  const old: DehydratedState = {
    v: 1,
    items: [{ type: 'ticket', id: 7, payloads: [{ levels: ['default'], data: 'old', ageMs: 0 }] }],
    collections: [{ name: 'tickets', ids: [1], count: 1, ageMs: 0 }],
    cursors: [],
  };
  const directives = [refreshItem('ticket', 7), refreshList('tickets')];

  it('is stale after another state of the same age with different data', () => {
    const { dl } = createStage();
    for (const v of [1, 2])
      hydrate(dl, {
        v: 1,
        items: [{ type: 'ticket', id: 7, payloads: [{ levels: ['default'], data: { v }, ageMs: 0 }] }],
        collections: [],
        cursors: [],
      });
    expect(dl.getItemRef('ticket', 7)).toMatchObject({ data: { v: 1 }, meta: { isStale: true } });
  });

  it.each([
    ['before', [1, 2]],
    ['after', [2, 1]],
  ])('loses to a state with cursors of the same age when hydrated %s it', (_title, order) => {
    const { dl } = createStage();
    const of = (v: number): DehydratedState => ({
      v: 1,
      items: [{ type: 'ticket', id: 7, payloads: [{ levels: ['default'], data: { v }, ageMs: 0 }] }],
      collections: [],
      cursors: v === 2 ? [{ audience: 'global', seq: 5 }] : [],
    });
    for (const v of order) hydrate(dl, of(v));
    expect(dl.getItemRef('ticket', 7).data).toEqual({ v: 2 });
  });

  it('does not revert data that a directive refetched, even if it looks younger', async () => {
    const client = createStage();
    client.server.item = () => 'newer';
    client.server.version = 2;
    await client.hold(
      () => client.item('ticket', 7),
      () => client.list('tickets'),
    );
    void client.dl.applyDirectives(directives);
    await client.sim.advance(1000);
    hydrate(client.dl, old);
    expect(client.dl.getItemRef('ticket', 7).data).toBe('newer');
    expect(client.dl.getCollectionRef('tickets').data.ids).toEqual([2]);
  });

  it.each([
    ['10 ms', 10],
    ['nearly a minute', 59_000],
  ])('is stale if a directive named its entry, not cached yet, %s before', async (_title, ms) => {
    const client = createStage();
    await client.dl.applyDirectives(directives);
    await client.sim.advance(ms);
    hydrate(client.dl, old);
    expect(client.dl.getItemRef('ticket', 7).data).toBe('old');
    expect(client.dl.getItemRef('ticket', 7).meta.isStale).toBe(true);
    expect(client.dl.getCollectionRef('tickets').meta.isStale).toBe(true);
    client.taken();
    client.item('ticket', 7);
    client.list('tickets');
    expect(client.taken()).toEqual(['ticket 7', 'tickets {}']);
  });

  it.each<[string, object]>([
    ['about another item', refreshItem('ticket', 8)],
    ['about a name that is not registered', refreshItem('nothing', 7)],
  ])('is fresh after a directive %s', async (_title, directive) => {
    const client = createStage();
    await client.dl.applyDirectives([directive]);
    hydrate(client.dl, old);
    expect(client.dl.getItemRef('ticket', 7).meta.isStale).toBe(false);
    expect(client.dl.getCollectionRef('tickets').meta.isStale).toBe(false);
  });

  it('is fresh if the directive is older than the longest transit of a state', async () => {
    const client = createStage();
    await client.dl.applyDirectives(directives);
    await client.sim.advance(60_000);
    hydrate(client.dl, old);
    expect(client.dl.getItemRef('ticket', 7).meta.isStale).toBe(false);
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
    expect(client.dl.getItemRef('ticket', 7).meta.isStale).toBe(true);
  });

  it.each([0, 3000])(
    'is stale if its age and transit may reach back to the directive, with %s other directives',
    async (others) => {
      const client = createStage();
      await client.dl.applyDirectives(directives);
      await client.sim.advance(70_000);
      void client.dl.applyDirectives(Array.from({ length: others }, (_, at) => refreshItem('note', at)));
      hydrate(client.dl, {
        ...old,
        items: [{ type: 'ticket', id: 7, payloads: [{ levels: ['default'], data: 'old', ageMs: 12_000 }] }],
      });
      expect(client.dl.getItemRef('ticket', 7).meta.isStale).toBe(true);
    },
  );

  it('is stale if it may be older than the recorded directives', async () => {
    const client = createStage();
    client.dl.createType('ticket', { fetch: () => 'newer', stalenessMs: 900_000 });
    await client.dl.applyDirectives(directives);
    await client.sim.advance(130_000);
    void client.dl.applyDirectives(Array.from({ length: 3000 }, (_, at) => refreshItem('note', at)));
    const payloads = [{ levels: ['default'], data: 'old', ageMs: 140_000 }];
    hydrate(client.dl, { ...old, items: [{ type: 'ticket', id: 7, payloads }] });
    expect(client.dl.getItemRef('ticket', 7).meta.isStale).toBe(true);
  });

  it('is stale after a directive about all items of a type', async () => {
    const client = createStage();
    await client.dl.applyDirectives([{ op: 'invalidate', name: 'ticket', kind: 'item' }]);
    hydrate(client.dl, old);
    expect(client.dl.getItemRef('ticket', 7).meta.isStale).toBe(true);
  });
});

describe('D-REACT-10 D-SSE-8 a state without cursors that is hydrated while the stream is open', () => {
  it.each([
    ['is stale if it is older than the start of the stream', 33_000, true],
    ['is fresh if it is younger', 1000, false],
  ])('%s', async (_title, ageMs, isStale) => {
    const { sim, dl, item, hold } = createStage({ init: { sse: { connectOnInit: false } } });
    dl.createType('ticket', { stalenessMs: 600_000, fetch: async (id) => ({ id }) });
    await hold(() => item('note', 1));
    await sim.advance(1000);
    dl.connectSse();
    await sim.advance(1000);
    expect(dl.state().sse.connected).toBe(true);
    hydrate(dl, {
      v: 1,
      items: [{ type: 'ticket', id: 7, payloads: [{ levels: ['default'], data: 'old', ageMs }] }],
      collections: [],
      cursors: [],
    });
    expect(dl.getItemRef('ticket', 7).data).toBe('old');
    expect(dl.getItemRef('ticket', 7).meta.isStale).toBe(isStale);
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
    hydrate(dl, {
      v: 1,
      items: [{ type: 'ticket', id: 7, payloads: [{ levels: ['default'], data: 'old', ageMs: 22_000 }] }],
      collections: [],
      cursors: [],
    });
    expect(dl.getItemRef('ticket', 7).meta.isStale).toBe(how !== 'none');
  });

  it('is stale if it was in transit during a gap', async () => {
    const { sim, dl } = createStage({ init: { sse: {} } });
    let truth = 1;
    dl.createType('ticket', { stalenessMs: 3_600_000, fetch: async () => truth });
    await sim.advance(100_000);
    const items = [{ type: 'ticket', id: 7, payloads: [{ levels: ['default'], data: truth, ageMs: 10 }] }];
    await sim.advance(1000);
    truth = 2;
    sim.hub.lose(1); // The lost message is the change of the ticket.
    sim.hub.emit([{ op: 'refresh_item', name: 'ticket', id: 99 }]);
    await sim.advance(20_000);
    hydrate(dl, { v: 1, items, collections: [], cursors: [] });
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
    hydrate(dl, {
      v: 1,
      items: [{ type: 'ticket', id: 7, payloads: [{ levels: ['default'], data: 'old', ageMs: 33_000 }] }],
      collections: [],
      cursors: [],
    });
    expect(dl.getItemRef('ticket', 7).meta.isStale).toBe(false);
  });
});

describe('D-REACT-10 a state that is hydrated again', () => {
  const state: DehydratedState = {
    v: 1,
    items: [{ type: 'ticket', id: 7, payloads: [{ levels: ['default'], data: 'old', ageMs: 0 }] }],
    collections: [],
    cursors: [],
  };

  it('D-FETCH-3 does not revert data that was read since', async () => {
    const client = createStage();
    hydrate(client.dl, state);
    await client.sim.advance(1000);
    client.server.item = () => 'newer';
    await client.hold(() => client.dl.fetchItem('ticket', 7, null, { force: true }));
    hydrate(client.dl, state);
    expect(client.dl.getItemRef('ticket', 7).data).toBe('newer');
  });

  it.each([
    ['', () => undefined],
    [' after a reset', (client: Stage) => client.dl.reset()],
  ])('keeps its age%s', async (_, meanwhile) => {
    const client = createStage();
    hydrate(client.dl, state);
    await client.sim.advance(14_000);
    meanwhile(client);
    hydrate(client.dl, state);
    await client.sim.advance(1000);
    expect(client.dl.getItemRef('ticket', 7).meta.isStale).toBe(true);
  });
});

describe('D-REACT-10 a state that is ignored', () => {
  it('D-SSE-8 does not count as a request, so the stream starts where it would without it', async () => {
    const client = createStage({ init: { sse: { connectOnInit: false } } });
    await client.hold(() => client.item('ticket', 7));
    const payloads = [{ levels: ['default'], data: 'old', ageMs: 50_000 }];
    hydrate(client.dl, { v: 1, items: [{ type: 'ticket', id: 7, payloads }], collections: [], cursors: [] });
    expect(await sinceMs(client)).toBeLessThan(1000);
  });

  it.each<[cursor: unknown]>([[{ audience: 'global' }], [{ audience: 5, seq: 9 }], [{ seq: 9 }], [null]])(
    'a malformed cursor such as %j is ignored',
    (cursor) => {
      const { dl } = createStage();
      hydrate(dl, { v: 1, items: [], collections: [], cursors: [cursor as Cursor] });
      expect(dl.state().sse.lastSeq).toEqual({});
    },
  );
});

describe('D-REACT-10 a state with cursors', () => {
  const state = (seq: number): DehydratedState => ({
    v: 1,
    items: [{ type: 'ticket', id: 7, payloads: [{ levels: ['default'], data: 'old', ageMs: 0 }] }],
    collections: [],
    cursors: [{ audience: 'global', seq }],
  });

  it('is fresh if they cover the directive', () => {
    const client = createStage();
    client.dl.ingestEnvelope({ type: 'directives', seq: 6, directives: [refreshItem('ticket', 7)] });
    hydrate(client.dl, state(6));
    expect(client.dl.getItemRef('ticket', 7).meta.isStale).toBe(false);
  });

  it('is fresh if they are ahead of the stream', () => {
    const client = createStage();
    client.dl.ingestEnvelope({ type: 'directives', seq: 6, directives: [refreshItem('ticket', 7)] });
    hydrate(client.dl, state(8));
    expect(client.dl.getItemRef('ticket', 7).meta.isStale).toBe(false);
  });

  it('behind the stream does not replace an inline result of the same millisecond', () => {
    const client = createStage();
    client.dl.ingestEnvelope({ type: 'directives', seq: 6, directives: [refreshItem('note', 1)] });
    client.dl.ingestEnvelope({
      type: 'directives',
      seq: 7,
      directives: [refreshItem('ticket', 7, { result: 'inline' })],
    });
    hydrate(client.dl, state(6));
    expect(client.dl.getItemRef('ticket', 7).data).toBe('inline');
    expect(client.dl.getItemRef('ticket', 7).meta.isStale).toBe(false);
  });

  it('is stale if the directive had no sequence number, because no cursor covers it', () => {
    const client = createStage();
    void client.dl.applyDirectives([refreshItem('ticket', 7)]);
    hydrate(client.dl, state(6));
    expect(client.dl.getItemRef('ticket', 7).meta.isStale).toBe(true);
  });

  it('D-SSE-6 is stale if its cursor is from before a server restarted its counter', async () => {
    const client = createStage({ init: { sse: { enabled: false, resyncOnGap: false } } });
    client.dl.ingestEnvelope({ type: 'directives', seq: 600, directives: [] });
    client.dl.ingestEnvelope({ type: 'directives', seq: 1, directives: [] });
    client.dl.ingestEnvelope({ type: 'directives', seq: 2, directives: [refreshItem('ticket', 7)] });
    hydrate(client.dl, state(500));
    expect(client.dl.getItemRef('ticket', 7).meta.isStale).toBe(true);
  });

  it.each([
    [2, true],
    [601, false],
  ])(
    'D-SSE-6 shows an entry that a response with the number %d named, after the number 600 in the stream, as stale: %s',
    (seq, isStale) => {
      const client = createStage();
      client.dl.ingestEnvelope({ type: 'directives', seq: 600, directives: [] });
      void client.dl.applyDirectives([{ ...refreshItem('ticket', 7), seq }], { path: 'pull' });
      hydrate(client.dl, state(601));
      expect(client.dl.getItemRef('ticket', 7).meta.isStale).toBe(isStale);
    },
  );

  it('D-SSE-6 is fresh if its cursor is from after a server restarted its counter', async () => {
    const client = createStage({ init: { sse: { enabled: false, resyncOnGap: false } } });
    client.dl.ingestEnvelope({ type: 'directives', seq: 5000, directives: [refreshItem('note', 1)] });
    client.dl.ingestEnvelope({ type: 'directives', seq: 2, directives: [] });
    client.dl.ingestEnvelope({ type: 'directives', seq: 3, directives: [refreshItem('ticket', 7)] });
    hydrate(client.dl, state(3));
    expect(client.dl.getItemRef('ticket', 7).meta.isStale).toBe(false);
  });
});
