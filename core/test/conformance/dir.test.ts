// What remains of D-DIR: the window, bulkFetch, and reads.

import { describe, expect, it } from 'vitest';
import { missOne, refreshItem, refreshList } from '../directives.ts';
import { createCachedStage, createStage } from '../world.ts';

describe('D-DIR-5 the coalescing window', () => {
  it('marks entries stale synchronously and refetches them when it closes', async () => {
    const { sim, dl, calls } = await createCachedStage();
    void dl.applyDirectives([refreshItem('ticket', 7), refreshList('tickets')]);
    expect(dl.getItemRef('ticket', 7).meta.isStale).toBe(true);
    expect(dl.getCollectionRef('tickets').meta.isStale).toBe(true);
    await sim.advance(49);
    expect(calls).toEqual([]);
    await sim.advance(1);
    expect(calls.toSorted()).toEqual(['ticket 7', 'tickets {}']);
  });

  it('starts with the first pending directive and is not extended by later ones', async () => {
    const { sim, dl, hold, item, calls } = createStage();
    await hold(
      () => item('note', 1),
      () => item('note', 2),
      () => item('note', 3),
    );
    void dl.applyDirectives([refreshItem('note', 1)]);
    await sim.advance(25);
    void dl.applyDirectives([refreshItem('note', 2)]);
    await sim.advance(24);
    void dl.applyDirectives([refreshItem('note', 3)]);
    expect(calls).toEqual([]);
    await sim.advance(1);
    expect(calls).toEqual(['note 1,2,3']);
    await sim.advance(200);
    expect(calls).toEqual(['note 1,2,3']);
  });

  it('opens again for a directive that arrives after it closed', async () => {
    const { sim, dl, server, hold, item, taken } = createStage();
    server.latencyMs = 0;
    await hold(() => item('note', 1));
    void dl.applyDirectives([refreshItem('note', 1)]);
    await sim.advance(51);
    expect(taken()).toEqual(['note 1']);
    void dl.applyDirectives([refreshItem('note', 1)]);
    await sim.advance(49);
    expect(taken()).toEqual([]);
    await sim.advance(1);
    expect(taken()).toEqual(['note 1']);
  });

  it('has its full length again after several directives shared the previous one', async () => {
    const { sim, dl, hold, item, taken } = createStage();
    await hold(
      () => item('ticket', 1),
      () => item('ticket', 2),
      () => item('ticket', 3),
    );
    void dl.applyDirectives([refreshItem('ticket', 1)]);
    await sim.advance(30);
    void dl.applyDirectives([refreshItem('ticket', 2)]);
    await sim.advance(30);
    expect(taken()).toEqual(['ticket 1', 'ticket 2']);
    void dl.applyDirectives([refreshItem('ticket', 3)]);
    await sim.advance(49);
    expect(taken()).toEqual([]);
    await sim.advance(1);
    expect(taken()).toEqual(['ticket 3']);
  });

  it('D-SSE-9 passes a pending entry to a resync, which requests it once', async () => {
    const { sim, dl, hold, item, taken } = createStage({ env: () => ({ random: () => 0 }) });
    await hold(() => item('ticket', 1));
    dl.onRefChange(dl.getItemRef('ticket', 1), () => undefined);
    missOne(dl);
    await sim.advance(1490);
    void dl.applyDirectives([refreshItem('ticket', 1)]);
    await sim.advance(2500);
    expect(taken()).toEqual(['ticket 1']);
    expect(dl.getItemRef('ticket', 1).meta).toMatchObject({ isStale: false, isLoading: false });
  });

  it('D-SSE-9 a resync includes a silent read that waits in the read window, and its request is not silent', async () => {
    const { sim, dl, hold, item, taken, contexts } = createStage({
      env: () => ({ random: () => 0 }),
      init: { sse: { enabled: false }, bulk: { readWindowMs: 5000 } },
    });
    item('note', 1);
    await sim.advance(5000);
    await hold(() => undefined);
    dl.onRefChange(dl.getItemRef('note', 1), () => undefined);
    await sim.advance(20_000);
    const ref = dl.fetchItem('note', 1, null, { silent: true });
    missOne(dl);
    await sim.advance(1500);
    expect(taken()).toEqual(['note 1']);
    expect(contexts.at(-1)?.force).toBe(true);
    expect(ref.meta.isLoading).toBe(true);
    await sim.advance(10_000);
    expect(taken()).toEqual([]);
  });

  it('requests an entry once, however many directives name it', async () => {
    const { sim, dl, taken } = await createCachedStage();
    for (let count = 0; count < 10; count += 1) {
      void dl.applyDirectives([
        refreshItem('ticket', 7),
        refreshItem('ticket', '7'),
        refreshList('tickets'),
        refreshList('tickets', { params: {} }),
      ]);
      await sim.advance(4);
    }
    await sim.advance(100);
    expect(taken().sort()).toEqual(['ticket 7', 'tickets {}']);
  });

  it('closes at the end of the current task when delayMs is 0', async () => {
    const { sim, dl, hold, item, calls } = createStage({
      init: { sse: { enabled: false }, bulk: { delayMs: 0 } },
    });
    await hold(
      () => item('note', 1),
      () => item('note', 2),
    );
    void dl.applyDirectives([refreshItem('note', 1)]);
    void dl.applyDirectives([refreshItem('note', 2)]);
    expect(calls).toEqual([]);
    await sim.advance(0);
    expect(calls).toEqual(['note 1,2']);
  });

  it.each([
    [0, 50],
    [0.5, 100],
    [0.9, 140],
  ])('is extended by random() · jitterMs: %d of 100 ms makes it %d ms long', async (random, windowMs) => {
    const { sim, dl, hold, item, calls } = createStage({
      init: { sse: { enabled: false }, bulk: { jitterMs: 100 } },
      env: () => ({ random: () => random }),
    });
    await hold(() => item('ticket', 7));
    void dl.applyDirectives([refreshItem('ticket', 7)]);
    await sim.advance(windowMs - 1);
    expect(calls).toEqual([]);
    await sim.advance(1);
    expect(calls).toEqual(['ticket 7']);
  });

  it('a read of a pending entry starts no second request and sets isLoading', async () => {
    const { sim, dl, item, list, calls } = await createCachedStage();
    void dl.applyDirectives([refreshItem('ticket', 7), refreshList('tickets')]);
    await sim.advance(20);
    const ref = item('ticket', 7);
    const listRef = list('tickets');
    await sim.advance(0);
    expect(calls).toEqual([]);
    expect([ref.meta.isLoading, listRef.meta.isLoading]).toEqual([true, true]);
    await sim.advance(30);
    expect(calls.toSorted()).toEqual(['ticket 7', 'tickets {}']);
    await sim.advance(10);
    expect([ref.meta.isLoading, listRef.meta.isLoading]).toEqual([false, false]);
    expect(calls).toHaveLength(2);
  });

  it('a read of another entry does not wait for the window', async () => {
    const { dl, hold, item, list, calls } = createStage();
    await hold(() => item('ticket', 7));
    void dl.applyDirectives([refreshItem('ticket', 7)]);
    item('ticket', 8);
    list('tickets');
    expect(calls).toEqual(['ticket 8', 'tickets {}']);
  });

  it('a level whose first request is in flight when the directive arrives is fetched again', async () => {
    const { sim, dl, server, item, taken } = createStage();
    server.latencyMs = 200;
    const ref = item('ticket', 7);
    await sim.advance(10);
    server.version = 2;
    void dl.applyDirectives([refreshItem('ticket', 7)]);
    await sim.advance(1000);
    expect(taken()).toEqual(['ticket 7', 'ticket 7']);
    expect(ref.data).toEqual({ id: 7, default: 2 });
  });

  it('calls bulkFetch for each type and level, or fetch for each item of a type without bulkFetch', async () => {
    const { sim, dl, hold, item, calls } = createStage();
    dl.createType('paper', {
      fetch: () => ({}),
      bulkFetch: (ids, level) => {
        calls.push(`paper ${ids.join(',')} ${level}`);
        return ids.map((id) => ({ id }));
      },
      levels: { full: { fetch: () => ({}) } },
    });
    await hold(
      () => item('note', 1),
      () => item('note', 2),
      () => item('paper', 1),
      () => item('paper', 2),
      () => item('paper', 1, 'full'),
      () => item('paper', 2, 'full'),
      () => item('ticket', 1),
      () => item('ticket', 2),
    );
    void dl.applyDirectives(
      ['note', 'paper', 'ticket'].flatMap((name) => [refreshItem(name, 1), refreshItem(name, 2)]),
    );
    await sim.advance(100);
    expect(calls.toSorted()).toEqual([
      'note 1,2',
      'paper 1,2 default',
      'paper 1,2 full',
      'ticket 1',
      'ticket 2',
    ]);
  });

  it.each([
    [100, [100]],
    [101, [100, 1]],
    [250, [100, 100, 50]],
  ])('splits %d items into batches of at most 100', async (count, sizes) => {
    const { sim, dl, hold, item, taken, of } = createStage();
    const ids = Array.from({ length: count }, (_, index) => index);
    await hold(...ids.map((id) => () => item('note', id)));
    void dl.applyDirectives(ids.map((id) => refreshItem('note', id)));
    await sim.advance(100);
    const asked = taken().map((call) => call.slice('note '.length).split(','));
    expect(asked.map((batch) => batch.length)).toEqual(sizes);
    expect(new Set(asked.flat()).size).toBe(count);
    expect(of('item:fetch:success')).toHaveLength(count);
  });
});

describe('D-DIR-6 the result of bulkFetch', () => {
  const answers: [string, (ids: readonly (string | number)[]) => unknown][] = [
    ['a list in another order', (ids) => ids.toReversed().map((id) => ({ id, v: `v${id}` }))],
    ['a list with ids as strings', (ids) => ids.map((id) => ({ id: String(id), v: `v${id}` }))],
    ['a Map', (ids) => new Map(ids.map((id) => [id, { v: `v${id}` }]))],
    ['a Map with ids as strings', (ids) => new Map(ids.map((id) => [String(id), { v: `v${id}` }]))],
    ['an object', (ids) => Object.fromEntries(ids.map((id) => [id, { v: `v${id}` }]))],
  ];
  it.each(answers)('is matched by id in %s', async (_title, answer) => {
    const { sim, dl, server, item, taken } = createStage();
    server.bulk = (_type, ids) => answer(ids);
    const refs = [1, 2, 3].map((id) => item('note', id));
    await sim.advance(100);
    expect(taken()).toEqual(['note 1,2,3']);
    expect(refs.map(({ data }) => (data as { v: string }).v)).toEqual(['v1', 'v2', 'v3']);
    expect(dl.getItemRef('note', 2).meta.error).toBeNull();
  });

  it.each([
    ['has items without ids', (ids: readonly (string | number)[]) => ids.map((key) => ({ key })), 1],
    [
      'lacks some of the requested ids',
      (ids: readonly (string | number)[]) => ids.slice(1).map((id) => ({ id })),
      0,
    ],
    ['is empty because the items were deleted', () => [], 0],
    ['has ids that were not requested', () => [{ id: 8 }, { id: 9 }], 1],
    [
      'has an unknown shape',
      (ids: readonly (string | number)[]) => ({ items: ids.map((id) => ({ id })) }),
      1,
    ],
  ])('that %s is logged only if it contains none of the requested ids', async (_title, answer, told) => {
    const { sim, server, item } = createStage();
    server.bulk = (_type, ids) => answer(ids);
    for (const id of [1, 2, 3]) item('note', id);
    await sim.advance(100);
    const message = 'bulkFetch of "note" returned none of its ids, so each is fetched singly. Check getId.';
    expect(sim.log.filter((line) => line.message === message)).toHaveLength(told);
  });

  it('is matched by getId', async () => {
    const { sim, dl, calls } = createStage();
    dl.createType('user', {
      fetch: (id) => (calls.push(`single ${id}`), { login: id }),
      bulkFetch: (ids) => ids.toReversed().map((login) => ({ login })),
      getId: (user: { login: string }) => user.login,
    });
    const refs = [dl.fetchItem('user', 'ann'), dl.fetchItem('user', 'bob')];
    await sim.advance(100);
    expect(refs.map(({ data }) => data)).toEqual([{ login: 'ann' }, { login: 'bob' }]);
    expect(calls).toEqual([]);
  });

  it('lacks an item for which getId throws, and only this item is fetched singly', async () => {
    const { sim, dl, calls } = createStage();
    dl.createType('user', {
      fetch: (id) => (calls.push(`single ${id}`), { login: { name: id } }),
      bulkFetch: (ids) => ids.map((id) => (id === 2 ? {} : { login: { name: id } })),
      getId: (user: { login: { name: number } }) => user.login.name,
    });
    const refs = [1, 2, 3].map((id) => dl.fetchItem('user', id));
    await sim.advance(100);
    expect(refs.map(({ data }) => data)).toEqual([1, 2, 3].map((name) => ({ login: { name } })));
    expect(calls).toEqual(['single 2']);
  });

  it('as an object is read by its own properties only', async () => {
    const { sim, server, item, taken } = createStage();
    server.bulk = () => ({});
    const refs = ['constructor', 'toString', '__proto__'].map((id) => item('note', id));
    await sim.advance(100);
    expect(taken()).toEqual([
      'note constructor,toString,__proto__',
      'note constructor',
      'note toString',
      'note __proto__',
    ]);
    expect(refs.map(({ meta }) => meta.error)).toEqual([null, null, null]);
    expect(refs[0]?.data).toEqual({ id: 'constructor', default: 1 });
  });

  it('can be a list with null, items that were not requested and items without an id', async () => {
    const { sim, server, item, taken } = createStage();
    server.bulk = () => [null, { title: 'who' }, { id: 99 }, { id: 2, v: 'two' }, 5];
    const refs = [1, 2].map((id) => item('note', id));
    await sim.advance(100);
    expect(taken()).toEqual(['note 1,2', 'note 1']);
    expect(refs.map(({ data }) => data)).toEqual([
      { id: 1, default: 1 },
      { id: 2, v: 'two' },
    ]);
  });

  it('can contain null for an id, which is data and not a missing id', async () => {
    const { sim, server, item, taken } = createStage();
    server.bulk = (_type, ids) => new Map(ids.map((id) => [id, null]));
    const refs = [1, 2].map((id) => item('note', id));
    await sim.advance(100);
    expect(taken()).toEqual(['note 1,2']);
    expect(refs.map(({ data, meta }) => [data, meta.error, meta.lastFetchedAny !== null])).toEqual([
      [null, null, true],
      [null, null, true],
    ]);
  });

  it.each<[string, unknown]>([
    ['a list', [{ id: 1 }]],
    ['a Map', new Map([[1, { id: 1 }]])],
    [
      'a Map that has undefined for them',
      new Map([1, 2, 3].map((id) => [id, id === 1 ? { id } : undefined])),
    ],
    ['an object that has undefined for them', { 1: { id: 1 }, 2: undefined, 3: undefined }],
  ])('ids that are missing in %s are fetched singly, in parallel', async (_title, answer) => {
    const { sim, server, item, taken, of } = createStage();
    server.bulk = () => answer;
    const refs = [1, 2, 3].map((id) => item('note', id));
    await sim.advance(10);
    expect(taken()).toEqual(['note 1,2,3', 'note 2', 'note 3']);
    await sim.advance(10);
    expect(refs.map(({ data }) => data)).toEqual([{ id: 1 }, { id: 2, default: 1 }, { id: 3, default: 1 }]);
    expect(of('item:fetch:success').map(({ id, strategy }) => [id, strategy])).toEqual([
      [1, 'bulk'],
      [2, 'direct'],
      [3, 'direct'],
    ]);
  });

  it('a missing id whose own fetch fails does not affect the other ids', async () => {
    const { sim, server, item } = createStage();
    server.bulk = (_type, ids) => ids.filter((id) => id === 1).map((id) => ({ id }));
    server.item = (_type, id) => {
      if (id === 2) throw new Error('gone');
      return { id };
    };
    const refs = [1, 2, 3].map((id) => item('note', id));
    await sim.advance(100);
    expect(refs.map(({ meta }) => meta.error)).toEqual([null, 'gone', null]);
  });

  it('a call that rejects fails every id of its batch with its error, and no id is fetched singly', async () => {
    const { sim, server, item, taken } = createStage();
    const reason = new Error('no bulk today');
    server.bulk = () => {
      throw reason;
    };
    const refs = [1, 2, 3].map((id) => item('note', id));
    await sim.advance(100);
    expect(refs.map(({ meta }) => [meta.error, meta.cause, meta.isLoading])).toEqual(
      Array.from({ length: 3 }, () => ['no bulk today', reason, false]),
    );
    expect(taken()).toEqual(['note 1,2,3']);
  });

  it('a batch that rejects does not affect the other batches', async () => {
    const { sim, server, item } = createStage({
      init: { sse: { enabled: false }, bulk: { maxBatchSize: 2 } },
    });
    server.bulk = (_type, ids) => {
      if (ids.includes(1)) throw new Error('no');
      return ids.map((id) => ({ id }));
    };
    const refs = [1, 2, 3, 4].map((id) => item('note', id));
    await sim.advance(100);
    expect(refs.map(({ meta }) => meta.error)).toEqual(['no', 'no', null, null]);
  });
});

describe('D-DIR-7 reads', () => {
  it('in one task share one bulkFetch request', async () => {
    const { sim, item, taken } = createStage();
    const refs = Array.from({ length: 100 }, (_, id) => item('note', id));
    expect(refs.every(({ meta }) => meta.isLoading)).toBe(true);
    await sim.advance(100);
    expect(taken()).toEqual([`note ${Array.from({ length: 100 }, (_, id) => id).join(',')}`]);
    expect(refs.every(({ data }) => data !== null)).toBe(true);
  });

  it('in different tasks are sent in different requests', async () => {
    const { sim, item, taken } = createStage();
    item('note', 1);
    item('note', 2);
    await sim.advance(0);
    item('note', 3);
    item('note', 4);
    await sim.advance(100);
    expect(taken()).toEqual(['note 1,2', 'note 3,4']);
  });

  it('are sent when the task ends, without a timer', async () => {
    const { item, sim, taken } = createStage();
    item('note', 1);
    item('note', 2);
    expect(taken()).toEqual([]);
    await Promise.resolve();
    expect(taken()).toEqual(['note 1,2']);
    await sim.advance(100);
  });

  it('D-FETCH-5 stay loading when their request also serves a silent read', async () => {
    const { dl, sim, calls } = createStage();
    const [full, brief] = [{ full: 1 }, { brief: 1 }];
    dl.createType('page', {
      fetch: () => full,
      bulkFetch: async (ids, level) => {
        calls.push(`page ${ids.join()} ${level}`);
        await sim.sleep(10);
        return ids.map((id) => ({ id }));
      },
      levelConversionMap: { full: ['brief'] },
      levels: { full: { fetch: () => full }, brief: { fetch: () => brief } },
    });
    const refs = [1, 2].map((id) => {
      dl.fetchItem('page', id, 'brief', { silent: true });
      return dl.fetchItem('page', id, 'full');
    });
    await sim.advance(5);
    expect(calls).toEqual(['page 1,2 full']);
    expect(refs.map(({ meta }) => meta.isLoading)).toEqual([true, true]);
    await sim.advance(100);
  });

  it.each([
    ['a forced read', { force: true }, true, true],
    ['a read', {}, false, true],
    ['a silent read', { silent: true }, false, false],
  ])('%s keeps its options until its window closes', async (_title, options, force, isLoading) => {
    const { dl, sim, contexts } = createStage({
      init: { sse: { enabled: false }, bulk: { readWindowMs: 20 } },
    });
    const ref = dl.fetchItem('note', 1, null, options);
    expect(ref.meta.isLoading).toBe(isLoading);
    expect(dl.isItemLoading('note', 1)).toBe(true);
    await sim.advance(20);
    expect(ref.meta.isLoading).toBe(isLoading);
    expect(contexts[0]?.force).toBe(force);
    await sim.advance(100);
  });

  it.each([
    ['a silent read leaves an earlier read loading', [{}, { silent: true }], true, false],
    ['a read makes an earlier silent read loading', [{ silent: true }, {}], true, false],
    ['two silent reads stay silent', [{ silent: true }, { silent: true }], false, false],
    ['a forced read forces an earlier read', [{ silent: true }, { silent: true, force: true }], false, true],
    ['an ordinary read leaves an earlier forced read forced', [{ force: true }, {}], true, true],
    ['a read makes an earlier silent, forced read loading', [{ force: true, silent: true }, {}], true, true],
  ])('of one entry: %s', async (_title, reads, isLoading, force) => {
    const { dl, sim, contexts, taken } = createStage({
      init: { sse: { enabled: false }, bulk: { readWindowMs: 20 } },
    });
    const ref = dl.getItemRef('note', 1);
    for (const options of reads) dl.fetchItem('note', 1, null, options);
    expect(ref.meta.isLoading).toBe(isLoading);
    await sim.advance(20);
    expect(ref.meta.isLoading).toBe(isLoading);
    expect(contexts[0]?.force).toBe(force);
    await sim.advance(100);
    expect(taken()).toEqual(['note 1']);
  });

  it('that are forced are sent even when an inline result arrives first', async () => {
    const { dl, sim, item, taken } = createStage();
    item('note', 1);
    dl.fetchItem('note', 1, null, { force: true });
    void dl.applyDirectives([refreshItem('note', 1, { result: { id: 1, title: 'inline' } })]);
    await sim.advance(100);
    expect(taken()).toEqual(['note 1']);
  });

  it('D-DIR-5 a directive for an entry in the read window is served by the request of that window', async () => {
    const { dl, sim, hold, item, taken, contexts } = createStage();
    await hold(() => item('note', 1));
    await sim.advance(20_000);
    const ref = dl.fetchItem('note', 1, null, { silent: true });
    expect(ref.meta.isLoading).toBe(false);
    void dl.applyDirectives([refreshItem('note', 1)]);
    expect(ref.meta.isLoading).toBe(true);
    expect(dl.state().bulk.pending).toBe(0);
    await sim.advance(0);
    expect(taken()).toEqual(['note 1']);
    expect(contexts.at(-1)?.force).toBe(true);
    await sim.advance(1000);
    expect(taken()).toEqual([]);
    expect(ref.meta).toMatchObject({ isStale: false, isLoading: false });
  });

  it('without bulkFetch start their requests immediately', () => {
    const { item, list, calls } = createStage({
      init: { sse: { enabled: false }, bulk: { readWindowMs: 20 } },
    });
    item('ticket', 1);
    expect(calls).toEqual(['ticket 1']);
    list('tickets');
    expect(calls).toEqual(['ticket 1', 'tickets {}']);
  });

  it('of a single item use fetch', async () => {
    const { sim, item, taken, of } = createStage();
    item('note', 1);
    await sim.advance(100);
    expect(taken()).toEqual(['note 1']);
    expect(of('item:fetch:success')[0]?.strategy).toBe('direct');
  });

  it('that are forced share one request too', async () => {
    const { sim, dl, hold, item, taken } = createStage();
    await hold(
      () => item('note', 1),
      () => item('note', 2),
    );
    dl.fetchItem('note', 1, null, { force: true });
    dl.fetchItem('note', 2, null, { force: true });
    await sim.advance(100);
    expect(taken()).toEqual(['note 1,2']);
  });
});
