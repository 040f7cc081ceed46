// Document §5, §7, §8 and §9: credentials and audiences, errors, limits, the two shapes.

import { describe, expect, it } from 'vitest';
import { refreshItem, refreshList } from '../directives.ts';
import { type Stage, createStage } from '../world.ts';

const envelope = (seq: number): object => ({
  type: 'directives',
  seq,
  audience: 'global',
  directives: [refreshList('notes')],
});

describe('§5 cookies', () => {
  it.each([
    ['not by default', {}, 'omit'],
    ['not when withCredentials is false', { withCredentials: false }, 'omit'],
    ['when withCredentials is true', { withCredentials: true }, 'include'],
  ])('are sent on the stream %s', async (_title, sse, credentials) => {
    const { sim, dl } = createStage({ init: { sse } });
    await sim.advance(10);
    expect(sim.requests.filter(({ isStream }) => isStream).map((each) => each.credentials)).toEqual([
      credentials,
    ]);
    dl.dispose();
  });
});

describe('§5 audiences', () => {
  it.each(['user-7', 'team-7', 'global'])('%s scopes the delivery of directives', async (audience) => {
    const stage = createStage({ init: { sse: { audience } } });
    await stage.hold(() => stage.list('tickets'));
    for (const other of ['user-7', 'team-7', 'global'].filter((each) => each !== audience)) {
      stage.sim.hub.emit([{ op: 'refresh_collection', name: 'tickets' }], { audience: other });
    }
    await stage.sim.advance(100);
    expect(stage.taken()).toEqual([]);
    stage.sim.hub.emit([{ op: 'refresh_collection', name: 'tickets' }], { audience });
    await stage.sim.advance(100);
    expect(stage.taken()).toEqual(['tickets {}']);
    stage.dl.dispose();
  });
});

describe('§7 errors', () => {
  const failing = (stage: Stage, error: unknown): void => {
    const fail = (): never => {
      throw error;
    };
    stage.server.item = fail;
    stage.server.collection = fail;
  };

  it('1 a fetch of an item that rejects stands in meta', async () => {
    const stage = createStage();
    failing(stage, new Error('no connection'));
    const ref = stage.item('doc', 7, 'full');
    await stage.sim.advance(100);
    expect(ref.meta.error).toBe('no connection');
    expect(ref.meta.failedLevels['full']).toBe(true);
    expect(ref.meta.levelErrors['full']).toBe('no connection');
    expect(ref.meta.isLoading).toBe(false);
    expect(ref.data).toBeNull();
  });

  it('1 a fetch of a collection that rejects stands in meta', async () => {
    const stage = createStage();
    failing(stage, new Error('no connection'));
    const ref = stage.list('tickets');
    await stage.sim.advance(100);
    expect(ref.meta.error).toBe('no connection');
    expect(ref.meta.isLoading).toBe(false);
    expect(ref.data).toEqual({ ids: [], count: 0 });
  });

  it.each<[string, () => unknown]>([
    [
      'throws',
      () => {
        throw new Error('at once');
      },
    ],
    ['rejects', () => Promise.reject(new Error('at once'))],
  ])('1 a fetch function that %s at once fails the same way', async (_title, fetch) => {
    const { sim, dl } = createStage();
    dl.createType('odd', { fetch });
    dl.createCollection('odds', { fetch: fetch as () => never }); // It never returns.
    const ref = dl.fetchItem('odd', 1);
    const listRef = dl.fetchCollection('odds');
    await sim.advance(0);
    expect([ref.meta.error, listRef.meta.error]).toEqual(['at once', 'at once']);
  });

  it.each<[unknown, string]>([
    ['a text', 'a text'],
    [new TypeError('wrong'), 'wrong'],
    [404, '404'],
    [null, 'null'],
  ])('1 the error is a string whatever was thrown: %s', async (thrown, text) => {
    const stage = createStage();
    failing(stage, thrown);
    const ref = stage.item('ticket', 7);
    await stage.sim.advance(100);
    expect(ref.meta.error).toBe(text);
    expect(ref.meta.levelErrors['default']).toBe(text);
  });

  it('1 other levels keep their data and are not failed', async () => {
    const stage = createStage();
    await stage.hold(() => stage.item('card', 7, 'head'));
    failing(stage, new Error('down'));
    const ref = stage.item('card', 7, 'body');
    await stage.sim.advance(100);
    expect(ref.data).toEqual({ id: 7, head: 1 });
    expect(ref.meta.failedLevels['head'] ?? false).toBe(false);
    expect(ref.meta.error).toBe('down');
  });

  it('2 ordinary reads do not retry a failed fetch, not even when it grows old', async () => {
    const stage = createStage();
    failing(stage, new Error('down'));
    const ref = stage.item('ticket', 7);
    const listRef = stage.list('tickets');
    await stage.sim.advance(100);
    stage.taken();
    for (const ms of [0, 1000, 60_000]) {
      await stage.sim.advance(ms);
      expect(stage.item('ticket', 7)).toBe(ref);
      expect(stage.list('tickets')).toBe(listRef);
    }
    await stage.sim.advance(100);
    expect(stage.taken()).toEqual([]);
  });

  it.each<[string, (stage: Stage) => void]>([
    [
      'force: true',
      ({ dl }) => {
        dl.fetchItem('ticket', 7, null, { force: true });
        dl.fetchCollection('tickets', { force: true });
      },
    ],
    [
      'a server refresh directive',
      ({ dl }) => void dl.applyDirectives([refreshItem('ticket', 7), refreshList('tickets')]),
    ],
  ])('2 %s retries, and success clears the error', async (_title, retry) => {
    const stage = createStage();
    const { item, collection } = stage.server;
    failing(stage, new Error('down'));
    const ref = stage.item('ticket', 7);
    const listRef = stage.list('tickets');
    await stage.sim.advance(100);
    stage.taken();
    Object.assign(stage.server, { item, collection });
    retry(stage);
    await stage.sim.advance(100);
    expect(stage.taken().toSorted()).toEqual(['ticket 7', 'tickets {}']);
    expect([ref.meta.error, listRef.meta.error]).toEqual([null, null]);
    expect([ref.meta.failedLevels['default'] ?? false, ref.meta.levelErrors['default'] ?? null]).toEqual([
      false,
      null,
    ]);
    expect(ref.data).not.toBeNull();
  });

  it('2 a failed refetch keeps the data', async () => {
    const stage = createStage();
    await stage.hold(
      () => stage.item('ticket', 7),
      () => stage.list('tickets'),
    );
    failing(stage, new Error('down'));
    void stage.dl.applyDirectives([refreshItem('ticket', 7), refreshList('tickets')]);
    await stage.sim.advance(100);
    expect(stage.dl.getItemRef('ticket', 7).data).toEqual({ id: 7, default: 1 });
    expect(stage.dl.getCollectionRef('tickets').data.ids).toEqual([1]);
    expect(stage.dl.getItemRef('ticket', 7).meta.error).toBe('down');
  });

  it('3 a failure of the stream emits sse:error and reconnects with backoff', async () => {
    const { sim, dl, of } = createStage({ init: { sse: { connectOnInit: false, retryJitter: 0 } } });
    sim.hub.refuse({ status: 500 });
    dl.connectSse();
    await sim.advance(20_000);
    expect(of('sse:error').map(({ retryInMs }) => retryInMs)).toEqual([2000, 4000, 8000, 16_000]);
    sim.hub.accept();
    await sim.advance(16_000);
    expect(dl.state().sse.connected).toBe(true);
    dl.dispose();
  });

  it('4 a gap of the sequence emits sse:gap and triggers a resync', async () => {
    const stage = createStage();
    await stage.hold(() => stage.list('tickets'));
    stage.dl.onRefChange(stage.list('tickets'), () => undefined);
    stage.dl.ingestEnvelope(envelope(1));
    stage.dl.ingestEnvelope(envelope(3));
    expect(stage.of('sse:gap')).toHaveLength(1);
    await stage.sim.advance(3600);
    expect(stage.taken()).toEqual(['tickets {}']);
  });

  it('4 resync force-refreshes: also what is fresh, and marks stale what is not on screen', async () => {
    const stage = createStage();
    await stage.hold(
      () => stage.list('tickets'),
      () => stage.list('tickets', { page: 1 }),
    );
    stage.dl.onRefChange(stage.dl.getCollectionRef('tickets'), () => undefined);
    stage.dl.ingestEnvelope(envelope(1));
    stage.dl.ingestEnvelope(envelope(3));
    await stage.sim.advance(3600);
    expect(stage.taken()).toEqual(['tickets {}']);
    expect(stage.dl.getCollectionRef('tickets', { params: { page: 1 } }).meta.isStale).toBe(true);
    stage.list('tickets', { page: 1 });
    expect(stage.taken()).toEqual(['tickets {"page":1}']);
  });

  it('6 a malformed or unknown directive is dropped with directive:rejected, without a throw', async () => {
    const stage = createStage();
    await expect(stage.dl.applyDirectives([{ op: 'explode' }, null])).resolves.toBeUndefined();
    expect(stage.of('directive:rejected')).toHaveLength(2);
  });
});

describe('§8 limits and defaults', () => {
  const key = (text: string): object => refreshItem('ticket', 7, { idempotency_key: text });
  const duplicates = ({ of }: Stage): number => of('directive:skipped').length;

  it('an idempotency key is tracked for 5 minutes', async () => {
    const stage = createStage();
    void stage.dl.applyDirectives([key('k')]);
    await stage.sim.advance(299_999);
    void stage.dl.applyDirectives([key('k')]);
    expect(duplicates(stage)).toBe(1);
    const later = createStage();
    void later.dl.applyDirectives([key('k')]);
    await later.sim.advance(300_001);
    void later.dl.applyDirectives([key('k')]);
    expect(duplicates(later)).toBe(0);
  });

  it('the last 1000 idempotency keys are remembered', () => {
    const stage = createStage();
    void stage.dl.applyDirectives(Array.from({ length: 1001 }, (_, index) => key(`k${index}`)));
    expect(duplicates(stage)).toBe(0);
    void stage.dl.applyDirectives([key('k1000'), key('k1')]);
    expect(duplicates(stage)).toBe(2);
    void stage.dl.applyDirectives([key('k0')]);
    expect(duplicates(stage)).toBe(2);
  });

  it('2048 keys of force_reload_page are remembered', () => {
    const stage = createStage();
    for (let index = 0; index < 2049; index += 1) {
      void stage.dl.applyDirectives([{ op: 'force_reload_page', idempotency_key: `k${index}` }]);
    }
    void stage.dl.applyDirectives([{ op: 'force_reload_page', idempotency_key: 'k1' }]);
    expect(stage.sim.reloads).toHaveLength(2049);
    void stage.dl.applyDirectives([{ op: 'force_reload_page', idempotency_key: 'k0' }]);
    expect(stage.sim.reloads).toHaveLength(2050);
  });

  it('the defaults of memory, staleness and bulk', () => {
    const { dl } = createStage();
    const { memory, types, collections, bulk } = dl.state();
    expect(memory).toMatchObject({
      maxItemsPerType: 512,
      maxCollectionRefsPerCollection: 12,
      itemEntryTtlMs: 900_000,
      collectionEntryTtlMs: 600_000,
      pruneIntervalMs: 60_000,
    });
    expect([types['ticket']?.stalenessMs, collections['tickets']?.stalenessMs]).toEqual([15_000, 15_000]);
    expect(bulk.delayMs).toBe(50);
  });

  it.each([
    ['one millisecond before 15000 ms it is fresh', 14_999, []],
    ['at 15000 ms it is stale', 15_000, ['ticket 7', 'tickets {}']],
  ])('stalenessMs: %s', async (_title, ms, calls) => {
    const stage = createStage();
    stage.server.latencyMs = 0;
    stage.item('ticket', 7);
    stage.list('tickets');
    await stage.sim.advance(0);
    stage.taken();
    await stage.sim.advance(ms);
    stage.item('ticket', 7);
    stage.list('tickets');
    expect(stage.taken()).toEqual(calls);
  });

  it.each([
    ['at 49 ms nothing is fetched', 49, []],
    ['at 50 ms it is', 50, ['ticket 7']],
  ])('bulk.delayMs: %s', async (_title, ms, calls) => {
    const stage = createStage();
    await stage.hold(() => stage.item('ticket', 7));
    void stage.dl.applyDirectives([refreshItem('ticket', 7)]);
    await stage.sim.advance(ms);
    expect(stage.taken()).toEqual(calls);
  });

  it('the stream is retried after 2000 ms, doubling up to 30000 ms', async () => {
    const { sim, dl, of } = createStage({ init: { sse: { retryJitter: 0 } } });
    sim.hub.stop();
    await sim.advance(200_000);
    expect(
      of('sse:error')
        .slice(0, 7)
        .map(({ retryInMs }) => retryInMs),
    ).toEqual([2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000]);
    dl.dispose();
  });

  it.each([
    ['at least 1500 ms', 0, 1500],
    ['at most 3500 ms', 0.999_999, 3500],
  ])('the jitter of a resync is %s', (_title, random, limit) => {
    const stage = createStage({ env: () => ({ random: () => random }) });
    stage.dl.ingestEnvelope(envelope(1));
    stage.dl.ingestEnvelope(envelope(3));
    const waitMs = stage.of('sse:resync-scheduled')[0]?.waitMs ?? 0;
    expect(Math.abs(waitMs - limit)).toBeLessThan(1);
    expect(waitMs).toBeGreaterThanOrEqual(1500);
    expect(waitMs).toBeLessThanOrEqual(3500);
    stage.dl.dispose();
  });
});

describe('§9 the two shapes', () => {
  it('say the same in the same list', async () => {
    const pairs: [object, object][] = [
      [refreshList('tickets'), { op: 'refresh', kind: 'collection', name: 'tickets' }],
      [
        refreshList('tickets', { params: { page: 1 } }),
        { op: 'refresh', kind: 'collection', name: 'tickets', params: { page: 1 } },
      ],
      [refreshItem('ticket', 7), { op: 'refresh', kind: 'item', name: 'ticket', id: 7 }],
      [
        refreshItem('doc', 7, { level: 'full' }),
        { op: 'refresh', kind: 'item', name: 'doc', id: 7, level: 'full' },
      ],
    ];
    for (const pair of pairs) {
      const outcomes: string[][] = [];
      for (const directive of pair) {
        const stage = createStage();
        await stage.hold(
          () => stage.item('ticket', 7),
          () => stage.item('doc', 7, 'simplified'),
          () => stage.list('tickets'),
          () => stage.list('tickets', { page: 1 }),
        );
        void stage.dl.applyDirectives([directive]);
        await stage.sim.advance(100);
        outcomes.push(stage.taken().toSorted());
      }
      expect(outcomes[1]).toEqual(outcomes[0]);
      expect(outcomes[0]).not.toEqual([]);
    }
  });

  it('invalidate means the wrapper with targets, and the legacy form with a name', async () => {
    const stage = createStage();
    await stage.hold(
      () => stage.item('ticket', 7),
      () => stage.list('tickets'),
    );
    void stage.dl.applyDirectives([
      { op: 'invalidate', targets: [refreshItem('ticket', 7)] },
      { op: 'invalidate', kind: 'collection', name: 'tickets' },
    ]);
    await stage.sim.advance(100);
    expect(stage.taken()).toEqual(['ticket 7']);
    expect(stage.dl.getCollectionRef('tickets').meta.isStale).toBe(true);
    expect(stage.of('directive:rejected')).toEqual([]);
  });
});
