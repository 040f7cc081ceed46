// D-DIR-8 and D-DIR-9: inline results, and when they are outdated.

import { describe, expect, it } from 'vitest';
import { refreshItem, refreshList } from '../directives.ts';
import { type Stage, createCachedStage, createStage } from '../world.ts';

const levelsIn = ({ dl }: Stage, type: string, id: number): Record<string, string | null> =>
  dl.getItemRef(type, id).meta.levelStamps;

describe('D-DIR-8 the inline result of an item', () => {
  it('replaces the data of the item', async () => {
    const { dl, hold, item } = createStage();
    await hold(() => item('ticket', 7));
    await dl.applyDirectives([refreshItem('ticket', 7, { result: { title: 'new' } })]);
    expect(dl.getItemRef('ticket', 7).data).toEqual({ title: 'new' });
  });

  it('marks the item fresh, so a read fetches nothing', async () => {
    const { sim, dl, hold, item, taken } = createStage();
    await hold(() => item('ticket', 7));
    await sim.advance(20_000);
    expect(dl.getItemRef('ticket', 7).meta.isStale).toBe(true);
    await dl.applyDirectives([refreshItem('ticket', 7, { result: { title: 'new' } })]);
    expect(dl.getItemRef('ticket', 7).meta.isStale).toBe(false);
    item('ticket', 7);
    await sim.advance(100);
    expect(taken()).toEqual([]);
  });

  it('with a level updates that level', async () => {
    const stage = createStage();
    const { sim, dl, hold, item, taken } = stage;
    await hold(() => item('card', 7, 'head'));
    void dl.applyDirectives([refreshItem('card', 7, { level: 'body', result: { body: 'b' } })]);
    await sim.advance(100);
    expect(Object.keys(levelsIn(stage, 'card', 7)).toSorted()).toEqual(['body', 'head']);
    item('card', 7, 'body');
    await sim.advance(100);
    expect(taken()).not.toContain('card 7 body');
    expect(dl.getItemRef('card', 7).data).toMatchObject({ head: 1, body: 'b' });
  });

  it('without a level updates the default level when no level is cached', async () => {
    const stage = createStage();
    await stage.dl.applyDirectives([refreshItem('card', 7, { result: { x: 1 } })]);
    expect(Object.keys(levelsIn(stage, 'card', 7))).toEqual(['default']);
  });

  it('without a level also updates every cached level whose checkIfExists accepts it', async () => {
    const stage = createStage();
    const { sim, dl, hold, item, taken, of } = stage;
    await hold(
      () => item('card', 7, 'head'),
      () => item('card', 7, 'body'),
    );
    await dl.applyDirectives([refreshItem('card', 7, { result: { head: 'h', body: 'b' } })]);
    const [{ satisfied, triggered } = { satisfied: [], triggered: [] }] = of('directive:processed');
    expect(satisfied.map((target) => ('level' in target ? target.level : '')).toSorted()).toEqual([
      'body',
      'default',
      'head',
    ]);
    expect(triggered).toEqual([]);
    await sim.advance(100);
    expect(taken()).toEqual([]);
    expect(dl.getItemRef('card', 7).data).toMatchObject({ head: 'h', body: 'b' });
  });

  it('without a level refetches the cached levels that it does not cover', async () => {
    const { sim, dl, hold, item, taken, of } = createStage();
    await hold(
      () => item('card', 7, 'head'),
      () => item('card', 7, 'body'),
    );
    void dl.applyDirectives([refreshItem('card', 7, { result: { head: 'h' } })]);
    expect(of('directive:processed')[0]?.triggered).toEqual([
      { kind: 'item', type: 'card', id: 7, level: 'body' },
    ]);
    await sim.advance(100);
    expect(taken()).toEqual(['card 7 body']);
  });

  it('without a level updates the only cached level instead of the default if it has no checkIfExists', async () => {
    const stage = createStage();
    const { sim, dl, hold, item, taken } = stage;
    await hold(() => item('doc', 7, 'simplified'));
    await dl.applyDirectives([refreshItem('doc', 7, { result: { s: 2 } })]);
    await sim.advance(100);
    expect(taken()).toEqual([]);
    expect(Object.keys(levelsIn(stage, 'doc', 7))).toEqual(['simplified']);
    expect(dl.getItemRef('doc', 7).data).toEqual({ s: 2 });
  });

  it('without a level does not update a level that is no longer registered', async () => {
    const { sim, dl, hold, item, of } = createStage();
    await hold(() => item('doc', 7, 'simplified'));
    const needed: string[] = [];
    dl.createType('doc', { fetch: (id, { level }) => ({ id, needed: needed.push(level) }) });
    void dl.applyDirectives([refreshItem('doc', 7, { result: { title: 'new' } })]);
    expect(of('directive:processed')[0]?.satisfied).toMatchObject([{ id: 7, level: 'default' }]);
    item('doc', 7);
    await sim.advance(100);
    expect(needed).toEqual([]);
  });

  it('without a level updates the default and refetches the only cached level if its checkIfExists refuses it', async () => {
    const stage = createStage();
    const { sim, dl, hold, item, taken } = stage;
    await hold(() => item('card', 7, 'body'));
    void dl.applyDirectives([refreshItem('card', 7, { result: { other: 1 } })]);
    await sim.advance(100);
    expect(taken()).toEqual(['card 7 body']);
    expect(Object.keys(levelsIn(stage, 'card', 7)).toSorted()).toEqual(['body', 'default']);
  });

  describe('without a level, when the default level has a schema', () => {
    const schema = (validate: (value: unknown) => { value: unknown }) => ({
      '~standard': { version: 1 as const, vendor: 'test', validate },
    });
    /** The schema of the default level keeps only the title. */
    const stripping = schema((value) => ({ value: { title: (value as { title: unknown }).title } }));

    async function applied(head: object): Promise<{ stage: Stage; data: unknown }> {
      const stage = createStage();
      const { sim, dl, hold, calls, server } = stage;
      const fetch = async (_id: unknown, { level }: { level: string }): Promise<object> => {
        calls.push(level);
        return { title: 'old', [level]: server.version };
      };
      const checkIfExists = (data: unknown): boolean => 'head' in (data as object);
      dl.createType('page', {
        fetch,
        schema: stripping,
        levels: { head: { fetch, checkIfExists, ...head } },
      });
      await hold(
        () => dl.fetchItem('page', 7),
        () => dl.fetchItem('page', 7, 'head'),
      );
      server.version = 2;
      void dl.applyDirectives([refreshItem('page', 7, { result: { title: 'new', head: 2 } })]);
      await sim.advance(100);
      return { stage, data: dl.getItemRef('page', 7).data };
    }

    it('does not update a level whose checkIfExists refuses the validated value', async () => {
      const { stage, data } = await applied({});
      expect(stage.taken()).toEqual(['head']);
      expect(data).toMatchObject({ head: 2 });
    });

    it('does not update a level that has another schema', async () => {
      const { stage } = await applied({ schema: schema((value) => ({ value: value as object })) });
      expect(stage.taken()).toEqual(['head']);
    });

    it('updates a level that has the same schema', async () => {
      const { stage, data } = await applied({
        schema: stripping,
        checkIfExists: (value: object) => 'title' in value,
      });
      expect(stage.taken()).toEqual([]);
      expect(data).toEqual({ title: 'new' });
    });
  });

  it('without a level updates the default level when several levels without checkIfExists are cached', async () => {
    const stage = createStage();
    const { sim, dl, hold, item, taken } = stage;
    await hold(() => item('doc', 7, 'simplified'));
    await hold(() => item('doc', 7, 'expanded'));
    void dl.applyDirectives([refreshItem('doc', 7, { result: { d: 2 } })]);
    expect(Object.keys(levelsIn(stage, 'doc', 7)).toSorted()).toEqual(['default', 'expanded', 'simplified']);
    await sim.advance(100);
    expect(taken()).toEqual(['doc 7 expanded']);
  });

  it('with a level refetches the other cached levels', async () => {
    const { sim, dl, hold, item, taken } = createStage();
    await hold(
      () => item('card', 7, 'head'),
      () => item('card', 7, 'body'),
    );
    void dl.applyDirectives([refreshItem('card', 7, { level: 'head', result: { head: 'h' } })]);
    await sim.advance(100);
    expect(taken()).toEqual(['card 7 body']);
  });

  it('updates the cached levels that its level converts to', async () => {
    const { sim, dl, hold, item, taken, of } = createStage();
    await hold(() => item('doc', 7, 'simplified'));
    await dl.applyDirectives([refreshItem('doc', 7, { level: 'full', result: { f: 2 } })]);
    await sim.advance(100);
    expect(taken()).toEqual([]);
    expect(of('directive:processed')[0]?.triggered).toEqual([]);
    expect(dl.getItemRef('doc', 7).data).toEqual({ f: 2 });
  });

  it('can be null, which is data', async () => {
    const { sim, dl, hold, item, taken } = createStage();
    await hold(() => item('ticket', 7));
    await dl.applyDirectives([refreshItem('ticket', 7, { result: null })]);
    await sim.advance(100);
    expect(dl.getItemRef('ticket', 7).data).toBeNull();
    expect(taken()).toEqual([]);
  });

  it('clears the error of its level', async () => {
    const { sim, dl, server, item } = createStage();
    server.item = () => {
      throw new Error('down');
    };
    const ref = item('ticket', 7);
    await sim.advance(100);
    expect(ref.meta.error).toBe('down');
    await dl.applyDirectives([refreshItem('ticket', 7, { result: { id: 7 } })]);
    expect([ref.meta.error, ref.meta.failedLevels['default'] ?? false]).toEqual([null, false]);
    expect(ref.data).toEqual({ id: 7 });
  });
});

describe('D-DIR-8 an inline result', () => {
  it('that is undefined counts as absent', async () => {
    const { sim, dl, hold, item, taken } = createStage();
    await hold(() => item('ticket', 7));
    void dl.applyDirectives([refreshItem('ticket', 7, { result: undefined })]);
    await sim.advance(100);
    expect(taken()).toEqual(['ticket 7']);
  });

  it("is applied to an entry that bulk.refetch 'watched' would not refetch", async () => {
    const { dl, hold, item } = createStage({
      init: { sse: { enabled: false }, bulk: { refetch: 'watched' } },
    });
    await hold(() => item('ticket', 7));
    void dl.applyDirectives([refreshItem('ticket', 7, { result: { title: 'inline' } })]);
    expect(dl.getItemRef('ticket', 7).data).toEqual({ title: 'inline' });
    expect(dl.getItemRef('ticket', 7).meta.isStale).toBe(false);
  });
});

describe('D-DIR-8 the inline result of a collection', () => {
  it('is applied to the entry whose params equal those of the directive', async () => {
    const { sim, dl, hold, list, taken } = createStage();
    await hold(
      () => list('tickets'),
      () => list('tickets', { page: 1 }),
      () => list('tickets', { page: 1, q: 'x' }),
    );
    await dl.applyDirectives([refreshList('tickets', { params: { page: 1 }, result: { ids: [8, 9] } })]);
    await sim.advance(100);
    expect(dl.getCollectionRef('tickets', { params: { page: 1 } }).data).toEqual({ ids: [8, 9], count: 2 });
    expect(dl.getCollectionRef('tickets').data.ids).toEqual([1]);
    expect(taken()).toEqual([]);
  });

  it('without params is applied to the entry without params, and every other entry is refetched', async () => {
    const { sim, dl, hold, list, taken } = createStage();
    await hold(
      () => list('tickets'),
      () => list('tickets', { page: 1 }),
      () => list('tickets', { page: 2 }),
    );
    void dl.applyDirectives([refreshList('tickets', { result: { ids: [8], count: 40 } })]);
    expect(dl.getCollectionRef('tickets').data).toEqual({ ids: [8], count: 40 });
    await sim.advance(100);
    expect(taken()).toEqual(['tickets {"page":1}', 'tickets {"page":2}']);
  });

  it('with contains is applied to the entry with equal params, and every other match is refetched', async () => {
    const { sim, dl, hold, list, taken } = createStage();
    await hold(
      () => list('tickets', { page: 1 }),
      () => list('tickets', { page: 1, q: 'x' }),
      () => list('tickets', { page: 2 }),
    );
    void dl.applyDirectives([
      refreshList('tickets', { params: { page: 1 }, params_mode: 'contains', result: { ids: [8] } }),
    ]);
    await sim.advance(100);
    expect(dl.getCollectionRef('tickets', { params: { page: 1 } }).data.ids).toEqual([8]);
    expect(taken()).toEqual(['tickets {"page":1,"q":"x"}']);
  });

  it('marks the entry fresh', async () => {
    const { sim, dl, hold, list, taken } = createStage();
    await hold(() => list('tickets'));
    await sim.advance(20_000);
    await dl.applyDirectives([refreshList('tickets', { result: { ids: [8] } })]);
    list('tickets');
    await sim.advance(100);
    expect(taken()).toEqual([]);
  });
});

describe('D-DIR-8 an invalid inline result', () => {
  /** A schema that returns what a test needs, even if the Standard Schema types do not allow it. */
  const schemaOf = (
    validate: () => { issues: { message: string; path?: unknown[] }[] } | Promise<never>,
  ) => ({
    '~standard': { version: 1, vendor: 'test', validate } as never,
  });

  it.each([
    ['a list instead of an object', [1, 2]],
    ['an object without ids', { items: [] }],
    ['ids that are not a list', { ids: 'all' }],
    ['a string', 'ids'],
    ['a number', 5],
  ])('of a collection, %s, is rejected, and the entry is refetched instead', async (_title, result) => {
    const { sim, dl, hold, list, taken, of } = createStage();
    await hold(() => list('tickets'));
    const directive = refreshList('tickets', { result });
    void dl.applyDirectives([directive]);
    await sim.advance(100);
    expect(of('directive:rejected').map((each) => each.directive)).toEqual([directive]);
    expect(taken()).toEqual(['tickets {}']);
    expect(dl.getCollectionRef('tickets').data.ids).toEqual([1]);
  });

  it('of an item, which fails its schema, is rejected, and the item is refetched instead', async () => {
    const { sim, dl, hold, taken, of, calls } = createStage();
    dl.createType('strict', {
      fetch: (id) => (calls.push(`strict ${id}`), { title: 'ok' }),
      schema: {
        '~standard': {
          version: 1,
          vendor: 'test',
          validate: (value) =>
            typeof value === 'object' && value !== null && 'title' in value
              ? { value }
              : { issues: [{ message: 'no title' }] },
        },
      },
    });
    await hold(() => dl.fetchItem('strict', 7));
    void dl.applyDirectives([refreshItem('strict', 7, { result: { other: 1 } })]);
    await sim.advance(100);
    expect(of('directive:rejected')).toHaveLength(1);
    expect(taken()).toEqual(['strict 7']);
    expect(dl.getItemRef('strict', 7).data).toEqual({ title: 'ok' });
  });

  it('with a level is validated by the schema of that level', async () => {
    const { sim, dl, hold, taken, of, calls } = createStage();
    dl.createType('strict', {
      fetch: () => ({ x: 1 }),
      levels: {
        full: {
          fetch: (id) => (calls.push(`strict ${id} full`), { title: 'ok' }),
          schema: schemaOf(() => ({ issues: [{ message: 'no title', path: ['full', { key: 'title' }] }] })),
        },
      },
    });
    await hold(() => dl.fetchItem('strict', 7));
    const directive = refreshItem('strict', 7, { level: 'full', result: { other: 1 } });
    void dl.applyDirectives([directive]);
    await sim.advance(100);
    const message = '[edict] A payload of "strict" does not fit its schema: full.title: no title';
    expect(of('directive:rejected')).toEqual([{ directive, issues: [{ path: 'result', message }] }]);
    expect(taken()).toEqual(['strict 7 full']);
  });

  it.each<[string, () => never | Promise<never>, string]>([
    [
      'throws a value that is not an Error',
      () => {
        throw 'not today'; // oxlint-disable-line typescript/only-throw-error -- The schema of an application can throw any value.
      },
      'not today',
    ],
    [
      'validates asynchronously',
      () => Promise.reject(new Error('never heard')),
      'an inline result needs a schema that validates synchronously',
    ],
  ])(
    'of an item whose schema %s is rejected, and the item is refetched instead',
    async (_title, judge, message) => {
      const { sim, dl, hold, taken, of, calls } = createStage();
      dl.createType('strict', { fetch: (id) => (calls.push(`strict ${id}`), { title: 'ok' }) });
      await hold(() => dl.fetchItem('strict', 7));
      dl.createType('strict', {
        fetch: (id) => (calls.push(`strict ${id}`), { title: 'ok' }),
        schema: schemaOf(judge),
      });
      const directive = refreshItem('strict', 7, { result: { title: 'inline' } });
      void dl.applyDirectives([directive]);
      expect(of('directive:rejected')).toEqual([{ directive, issues: [{ path: 'result', message }] }]);
      expect(dl.getItemRef('strict', 7).data).toEqual({ title: 'ok' });
      await sim.advance(100);
      expect(taken()).toEqual(['strict 7']);
    },
  );

  it('creates no entry', async () => {
    const { dl } = createStage();
    await dl.applyDirectives([refreshList('tickets', { result: { nothing: 1 } })]);
    expect(dl.state().collections['tickets']?.refCount).toBe(0);
  });

  it('that is null counts as absent for a collection', async () => {
    const { sim, dl, hold, list, taken, of } = createStage();
    await hold(() => list('tickets'));
    void dl.applyDirectives([refreshList('tickets', { result: null })]);
    await sim.advance(100);
    expect(of('directive:rejected')).toEqual([]);
    expect(taken()).toEqual(['tickets {}']);
  });
});

describe('D-DIR-9 an inline result', () => {
  const title = (value: string, more: object = {}): object =>
    refreshItem('ticket', 7, { result: { title: value }, ...more });

  it.each([
    ['lower than', 4, false],
    ['equal to', 5, true],
    ['higher than', 6, true],
  ])('whose seq is %s the highest seen (seq %s) is applied: %s', async (_title, seq, isApplied) => {
    const { sim, dl, hold, item, of } = createStage();
    await hold(() => item('ticket', 7));
    void dl.applyDirectives([refreshItem('ticket', 99, { seq: 5 })]);
    void dl.applyDirectives([title('late', { seq })]);
    expect(of('directive:skipped').map(({ reason }) => reason)).toEqual(isApplied ? [] : ['outdated']);
    expect(dl.getItemRef('ticket', 7).data).toEqual(isApplied ? { title: 'late' } : { id: 7, default: 1 });
    await sim.advance(100);
  });

  it('is outdated after a response with a higher seq, even while the stream catches up', async () => {
    const { dl, hold, item, of } = createStage();
    const streamed = (seq: number, directive: object): void =>
      dl.ingestEnvelope({ type: 'directives', audience: 'global', seq, directives: [directive] });
    await hold(() => item('ticket', 7));
    streamed(1, refreshItem('ticket', 99));
    void dl.applyDirectives([title('mine', { seq: 5 })], { path: 'pull' });
    streamed(2, refreshItem('ticket', 99));
    streamed(3, refreshItem('ticket', 99));
    streamed(4, title('late'));
    expect(of('directive:skipped').map(({ reason }) => reason)).toEqual(['outdated']);
    expect(dl.getItemRef('ticket', 7).data).toEqual({ title: 'mine' });
  });

  it('that is outdated is a plain refresh: the cached entries that it names are refetched', async () => {
    const { sim, dl, taken } = await createCachedStage();
    void dl.applyDirectives([
      refreshItem('ticket', 99, { seq: 5 }),
      title('late', { seq: 4 }),
      refreshList('tickets', { seq: 4, result: { ids: [9] } }),
    ]);
    await sim.advance(100);
    expect(taken().toSorted()).toEqual(['ticket 7', 'tickets {}']);
    expect(dl.getCollectionRef('tickets').data.ids).toEqual([1]);
  });

  it('that is outdated creates no entry and fetches nothing that is not cached', async () => {
    const { sim, dl, taken, of } = createStage();
    void dl.applyDirectives([
      refreshItem('ticket', 99, { seq: 5 }),
      title('late', { seq: 4 }),
      refreshList('tickets', { seq: 4, result: { ids: [9] } }),
    ]);
    await sim.advance(100);
    expect(taken()).toEqual([]);
    expect([dl.state().memory.items, dl.state().memory.collections]).toEqual([0, 0]);
    expect(of('directive:skipped').map(({ reason }) => reason)).toEqual(['outdated', 'outdated']);
  });

  it('that is outdated causes no second refetch of an entry whose refetch is pending', async () => {
    const { sim, dl, hold, item, taken } = createStage();
    await hold(() => item('ticket', 7));
    void dl.applyDirectives([refreshItem('ticket', 7, { seq: 5 })]);
    await sim.advance(20);
    void dl.applyDirectives([title('late', { seq: 4 })]);
    await sim.advance(200);
    expect(taken()).toEqual(['ticket 7']);
  });

  it('D-SSE-6 is compared with the new sequence after the server restarted its counter', async () => {
    const { sim, dl, hold, item, of } = createStage({
      init: { sse: { enabled: false, resyncOnGap: false } },
    });
    await hold(() => item('ticket', 7));
    dl.ingestEnvelope({ type: 'directives', seq: 5000, directives: [refreshItem('ticket', 99)] });
    dl.ingestEnvelope({ type: 'directives', seq: 1, directives: [] }); // A greeting or a heartbeat, with the current seq of the server.
    dl.ingestEnvelope({ type: 'directives', seq: 3, directives: [title('of the new one')] });
    dl.ingestEnvelope({ type: 'directives', seq: 2, directives: [title('late')] });
    await sim.advance(0);
    expect(of('directive:skipped').map(({ reason }) => reason)).toEqual(['outdated']);
    expect(dl.getItemRef('ticket', 7).data).toEqual({ title: 'of the new one' });
  });

  it('is not outdated by a higher seq of another audience', async () => {
    const { dl, hold, item, of } = createStage({
      init: { sse: { enabled: false, audience: ['global', 'team'] } },
    });
    await hold(() => item('ticket', 7));
    void dl.applyDirectives([
      refreshItem('ticket', 99, { seq: 50, audience: 'team' }),
      title('on time', { seq: 4, audience: 'global' }),
    ]);
    expect(of('directive:skipped')).toEqual([]);
    expect(dl.getItemRef('ticket', 7).data).toEqual({ title: 'on time' });
  });

  it('is outdated by a higher seq of its own audience, even if that is not the global one', async () => {
    const { dl, hold, item, of } = createStage({
      init: { sse: { enabled: false, audience: ['global', 'team'] } },
    });
    await hold(() => item('ticket', 7));
    void dl.applyDirectives([
      refreshItem('ticket', 99, { seq: 50, audience: 'team' }),
      title('late', { seq: 4, audience: 'team' }),
    ]);
    expect(of('directive:skipped').map(({ reason }) => reason)).toEqual(['outdated']);
  });

  it('without an audience belongs to the audience global', async () => {
    const { dl, hold, item, of } = createStage();
    await hold(() => item('ticket', 7));
    void dl.applyDirectives([
      refreshItem('ticket', 99, { seq: 5, audience: 'global' }),
      title('late', { seq: 4 }),
    ]);
    expect(of('directive:skipped').map(({ reason }) => reason)).toEqual(['outdated']);
  });

  it.each<[string, (stage: Stage) => void]>([
    [
      'a directive passed to applyDirectives',
      ({ dl }) => void dl.applyDirectives([refreshItem('ticket', 99, { seq: 5 })]),
    ],
    [
      'a directive of the pull path',
      ({ dl }) => void dl.applyDirectives([refreshItem('ticket', 99, { seq: 5 })], { path: 'pull' }),
    ],
    [
      'an envelope',
      ({ dl }) =>
        dl.ingestEnvelope({
          type: 'directives',
          seq: 5,
          audience: 'global',
          directives: [refreshItem('ticket', 99)],
        }),
    ],
    [
      'a directive of the own client, which is not applied',
      ({ dl }) => void dl.applyDirectives([refreshItem('ticket', 99, { seq: 5, source: dl.clientId() })]),
    ],
    [
      'a duplicate, which is not applied',
      ({ dl }) =>
        void dl.applyDirectives([
          refreshItem('ticket', 99, { seq: 3, idempotency_key: 'k' }),
          refreshItem('ticket', 99, { seq: 5, idempotency_key: 'k' }),
        ]),
    ],
    [
      'the wrapper of a target',
      ({ dl }) =>
        void dl.applyDirectives([{ op: 'invalidate', seq: 5, targets: [refreshItem('ticket', 99)] }]),
    ],
    [
      'a wrapper whose only target has a lower seq',
      ({ dl }) =>
        void dl.applyDirectives([
          { op: 'invalidate', seq: 5, targets: [refreshItem('ticket', 99, { seq: 2 })] },
        ]),
    ],
    [
      'another inline result',
      ({ dl }) => void dl.applyDirectives([refreshItem('ticket', 99, { seq: 5, result: {} })]),
    ],
    [
      'a directive in the client shape',
      ({ dl }) => void dl.applyDirectives([{ op: 'refresh', name: 'tickets', seq: 5 }]),
    ],
  ])('is outdated by the higher seq of %s', async (_title, see) => {
    const stage = createStage();
    const { dl, hold, item, of } = stage;
    await hold(() => item('ticket', 7));
    see(stage);
    void dl.applyDirectives([title('late', { seq: 4 })]);
    expect(of('directive:skipped').at(-1)?.reason).toBe('outdated');
    expect(dl.getItemRef('ticket', 7).data).toEqual({ id: 7, default: 1 });
  });

  it('in a target without a seq uses the seq of its wrapper, or else of its envelope', async () => {
    const { dl, hold, item, of } = createStage();
    await hold(() => item('ticket', 7));
    void dl.applyDirectives([refreshItem('ticket', 99, { seq: 5 })]);
    void dl.applyDirectives([{ op: 'invalidate', seq: 4, targets: [title('late')] }]);
    expect(of('directive:skipped').map(({ reason }) => reason)).toEqual(['outdated']);
    dl.ingestEnvelope({
      type: 'directives',
      seq: 3,
      audience: 'global',
      directives: [{ op: 'invalidate', targets: [title('later')] }],
    });
    expect(of('directive:skipped').map(({ reason }) => reason)).toEqual(['outdated', 'outdated']);
    void dl.applyDirectives([{ op: 'invalidate', seq: 4, targets: [title('in time', { seq: 6 })] }]);
    expect(dl.getItemRef('ticket', 7).data).toEqual({ title: 'in time' });
  });

  it('without a seq is a plain refresh after any directive had a seq', async () => {
    const { sim, dl, hold, item, of, taken } = createStage();
    await hold(() => item('ticket', 7));
    void dl.applyDirectives([title('first')]);
    expect(dl.getItemRef('ticket', 7).data).toEqual({ title: 'first' });
    void dl.applyDirectives([refreshItem('ticket', 99, { seq: 5 }), title('second')]);
    expect(of('directive:skipped').map(({ reason }) => reason)).toEqual(['outdated']);
    expect(dl.getItemRef('ticket', 7).data).toEqual({ title: 'first' });
    await sim.advance(100);
    expect(taken()).toEqual(['ticket 7']);
  });

  it.each([
    [9999, 'outdated'],
    [10_000, undefined],
  ])(
    'that arrives %i ms after a directive without a seq named its record is skipped with reason: %s',
    async (ms, reason) => {
      const { sim, dl, hold, item, of } = createStage();
      await hold(() => item('ticket', 7));
      void dl.applyDirectives([refreshItem('ticket', 7)]);
      await sim.advance(ms);
      void dl.applyDirectives([title('numbered', { seq: 5 })]);
      expect(of('directive:skipped').at(-1)?.reason).toBe(reason);
    },
  );

  it('for an audience that the client does not subscribe to is a plain refresh', async () => {
    const { sim, dl, hold, item, taken } = createStage();
    await hold(() => item('ticket', 7));
    sim.route('PATCH /tickets/7', () => ({ directives: [title('theirs', { audience: 'team-1', seq: 1 })] }));
    const response = await Promise.all([sim.env.fetch('/tickets/7', { method: 'PATCH' }), sim.advance(10)]);
    await dl.applyResponse(response[0]);
    await sim.advance(100);
    expect(taken()).toEqual(['ticket 7']);
  });

  it('is not outdated by a later timestamp', async () => {
    const { dl, hold, item, of } = createStage();
    await hold(() => item('ticket', 7));
    void dl.applyDirectives([title('first', { timestamp: 2000 }), title('second', { timestamp: 1000 })]);
    expect(of('directive:skipped')).toEqual([]);
    expect(dl.getItemRef('ticket', 7).data).toEqual({ title: 'second' });
  });

  it('in the response of DL.fetch is a plain refresh after another directive has named the record', async () => {
    const { sim, dl, hold, item, taken } = createStage();
    await hold(() => item('ticket', 7));
    sim.route('PATCH /tickets/7', async () => {
      await sim.sleep(30);
      return { directives: [title('from the mutation')] };
    });
    const mutation = dl.fetch('/tickets/7', { method: 'PATCH' });
    await sim.advance(10);
    void dl.applyDirectives([refreshItem('ticket', 7, { source: 'another' })]);
    await Promise.all([mutation, sim.advance(20)]);
    expect(dl.getItemRef('ticket', 7).data).toEqual({ id: 7, default: 1 });
    expect(dl.getItemRef('ticket', 7).meta.isStale).toBe(true);
    await sim.advance(100);
    expect(taken()).toEqual(['ticket 7']);
  });

  it('in the response of DL.fetch is a plain refresh after a request for any level of the record began', async () => {
    const { sim, dl, server, hold, item, taken } = createStage();
    await hold(
      () => item('card', 7, 'head'),
      () => item('card', 7, 'body'),
    );
    sim.route('PATCH /cards/7', async () => {
      await sim.sleep(30);
      return { directives: [refreshItem('card', 7, { level: 'head', result: { head: 'new' } })] };
    });
    server.latencyMs = 20;
    const mutation = dl.fetch('/cards/7', { method: 'PATCH' });
    await sim.advance(20);
    dl.fetchItem('card', 7, 'body', { force: true });
    await Promise.all([mutation, sim.advance(10)]);
    expect(dl.getItemRef('card', 7).data).not.toMatchObject({ head: 'new' });
    await sim.advance(200);
    expect(taken()).toEqual(['card 7 body', 'card 7 head', 'card 7 body']);
    expect(dl.getItemRef('card', 7).meta.isStale).toBe(false);
  });

  it('in the response of DL.fetch replaces an earlier one for the same item', async () => {
    const { sim, dl, hold, item, of } = createStage();
    await hold(() => item('ticket', 7));
    sim.route('PATCH /tickets/7', () => ({ directives: [title('first'), title('second')] }));
    await Promise.all([dl.fetch('/tickets/7', { method: 'PATCH' }), sim.advance(100)]);
    expect(of('directive:skipped')).toEqual([]);
    expect(dl.getItemRef('ticket', 7).data).toEqual({ title: 'second' });
  });
});

describe('D-DIR-7 a read that waits for its window', () => {
  it('sends no request when an inline result makes its entry fresh first', async () => {
    const asked: unknown[] = [];
    const { sim, dl } = createStage();
    dl.createType('row', {
      fetch: (id) => ({ id }),
      bulkFetch: (ids) => {
        asked.push(ids);
        return ids.map((id) => ({ id }));
      },
    });
    dl.fetchItem('row', 1);
    dl.fetchItem('row', 2);
    dl.fetchItem('row', 3);
    void dl.applyDirectives([refreshItem('row', 1, { result: { id: 1, title: 'inline' } })]);
    await sim.advance(100);
    expect(asked).toEqual([[2, 3]]);
    expect(dl.getItemRef('row', 1).data).toEqual({ id: 1, title: 'inline' });
    expect(dl.isItemLoading('row', 1)).toBe(false);
  });
});

describe('D-DIR-9 an inline result of a record that a directive of another audience has just named', () => {
  const ofBoth = { init: { sse: { enabled: false, audience: ['team', 'global'] } } };
  const named = (more: object = {}): object =>
    refreshItem('ticket', 7, { audience: 'team', seq: 1, ...more });
  const result = refreshItem('ticket', 7, { audience: 'global', seq: 1, result: { title: 'perhaps older' } });

  it('is a plain refresh, because the order of the two is unknown', async () => {
    const { sim, dl, hold, item, taken, of } = createStage(ofBoth);
    await hold(() => item('ticket', 7));
    void dl.applyDirectives([named(), result]);
    expect(dl.getItemRef('ticket', 7).data).toEqual({ id: 7, default: 1 });
    expect(of('directive:skipped')).toEqual([{ directive: result, reason: 'outdated' }]);
    await sim.advance(100);
    expect(taken()).toEqual(['ticket 7']);
    expect(dl.getItemRef('ticket', 7).meta.isStale).toBe(false);
  });

  it('is a plain refresh even after the refetch for the other directive has completed', async () => {
    const { sim, dl, hold, item, taken } = createStage(ofBoth);
    await hold(() => item('ticket', 7));
    void dl.applyDirectives([named()]);
    await sim.advance(1000);
    void dl.applyDirectives([result]);
    await sim.advance(100);
    expect(taken()).toEqual(['ticket 7', 'ticket 7']);
  });

  it('creates no entry', async () => {
    const { sim, dl, taken } = createStage(ofBoth);
    void dl.applyDirectives([named(), result]);
    await sim.advance(100);
    expect(taken()).toEqual([]);
    expect(dl.state().types['ticket']?.itemCount).toBe(0);
  });

  it.each([
    ['the same params', { page: 2 }, ['tickets {"page":2}']],
    ['other params', { page: 3 }, []],
    ['all params', null, ['tickets {"page":2}']],
  ])(
    'is a plain refresh of a collection only if the other directive covers its params: %s',
    async (_title, params, fetched) => {
      const { sim, dl, hold, list, taken } = createStage(ofBoth);
      await hold(() => list('tickets', { page: 2 }));
      void dl.applyDirectives([
        refreshList('tickets', { params, audience: 'team' }),
        refreshList('tickets', { params: { page: 2 }, audience: 'global', result: { ids: [9] } }),
      ]);
      await sim.advance(100);
      expect(taken()).toEqual(fetched);
    },
  );

  it('is a plain refresh when the other directive named every item of the type', async () => {
    const { sim, dl, hold, item, taken } = createStage(ofBoth);
    await hold(() => item('ticket', 7));
    void dl.applyDirectives([{ op: 'invalidate', kind: 'item', name: 'ticket', audience: 'team' }, result]);
    await sim.advance(100);
    expect(taken()).toEqual(['ticket 7']);
  });

  it.each<[string, object[]]>([
    [
      'when a directive of the same audience named it',
      [refreshItem('ticket', 7, { audience: 'global', seq: 1 }), result],
    ],
    [
      'when the other directive named another record',
      [refreshItem('ticket', 8, { audience: 'team' }), result],
    ],
    [
      'when the other directive is a copy of it',
      [
        { ...result, idempotency_key: 'k' },
        { ...result, idempotency_key: 'k', audience: 'team' },
      ],
    ],
  ])('is applied %s', async (_where, directives) => {
    const { sim, dl, hold, item, taken } = createStage(ofBoth);
    await hold(() => item('ticket', 7));
    void dl.applyDirectives(directives);
    expect(dl.getItemRef('ticket', 7).meta.isStale).toBe(false);
    await sim.advance(100);
    expect(taken()).toEqual([]);
  });

  it('is a plain refresh even when the other audience has named thousands of records since', async () => {
    const { sim, dl, hold, item } = createStage(ofBoth);
    await hold(() => item('ticket', 7));
    void dl.applyDirectives([named()]);
    await sim.advance(9000);
    const others = Array.from({ length: 3000 }, (_, id) =>
      refreshItem('ticket', 100 + id, { audience: 'team' }),
    );
    void dl.applyDirectives([...others, result]);
    expect(dl.getItemRef('ticket', 7).meta.isStale).toBe(true);
  });

  it('is applied when it arrives ten seconds after the other directive', async () => {
    const { sim, dl, hold, item, taken } = createStage(ofBoth);
    await hold(() => item('ticket', 7));
    void dl.applyDirectives([named()]);
    await sim.advance(10_000);
    expect(taken()).toEqual(['ticket 7']);
    void dl.applyDirectives([result]);
    expect(dl.getItemRef('ticket', 7).meta.isStale).toBe(false);
  });
});
