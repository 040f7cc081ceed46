// Inline results: the levels and entries that they cover, and those that are invalid.

import { describe, expect, it } from 'vitest';
import { refreshItem, refreshList } from '../directives.ts';
import { type Stage, createCachedStage, createStage } from '../world.ts';
import { apply } from './setup.ts';

/** A schema that returns what a test needs, even if the Standard Schema types do not allow it. */
const schemaOf = (validate: (value: object) => unknown) => ({
  '~standard': { version: 1, vendor: 'test', validate } as never,
});

describe('§4.5 D-DIR-3 D-DIR-4 D-DIR-8 the inline result of an item', () => {
  interface Case {
    type: string;
    /** The cached levels. */
    cached: string[];
    level?: string;
    result: object | null;
    /** The levels that the result updates. They are fresh. */
    covered: string[];
    refetched: string[];
    data: object | null;
  }

  it.each<[title: string, one: Case]>([
    [
      'without a level, the default level if no level is cached',
      { type: 'card', cached: [], result: { x: 1 }, covered: ['default'], refetched: [], data: { x: 1 } },
    ],
    [
      'without a level, every cached level whose checkIfExists accepts it',
      {
        type: 'card',
        cached: ['head', 'body'],
        result: { head: 'h', body: 'b' },
        covered: ['head', 'body', 'default'],
        refetched: [],
        data: { head: 'h', body: 'b' },
      },
    ],
    [
      'without a level, no cached level whose checkIfExists refuses it',
      {
        type: 'card',
        cached: ['head', 'body'],
        result: { head: 'h' },
        covered: ['head', 'default'],
        refetched: ['body'],
        data: { head: 'h', body: 1 },
      },
    ],
    [
      'without a level, not the only cached level if its checkIfExists refuses it',
      {
        type: 'card',
        cached: ['body'],
        result: { other: 1 },
        covered: ['default'],
        refetched: ['body'],
        data: { other: 1, body: 1 },
      },
    ],
    [
      'without a level, the only cached level instead of the default if it has no checkIfExists',
      {
        type: 'doc',
        cached: ['simplified'],
        result: { s: 2 },
        covered: ['simplified'],
        refetched: [],
        data: { s: 2 },
      },
    ],
    [
      'without a level, the default if several levels without checkIfExists are cached',
      {
        type: 'doc',
        cached: ['simplified', 'expanded'],
        result: { d: 2 },
        covered: ['default'],
        refetched: ['expanded'],
        data: { d: 2, expanded: 1 },
      },
    ],
    [
      'with a level, that level',
      {
        type: 'card',
        cached: ['head'],
        level: 'body',
        result: { body: 'b' },
        covered: ['body'],
        refetched: ['head'],
        data: { head: 1, body: 'b' },
      },
    ],
    [
      'with a level, not the other cached levels',
      {
        type: 'card',
        cached: ['head', 'body'],
        level: 'head',
        result: { head: 'h', body: 'b' },
        covered: ['head'],
        refetched: ['body'],
        data: { head: 'h', body: 1 },
      },
    ],
    [
      'with a level, the cached levels that it converts to',
      {
        type: 'doc',
        cached: ['simplified'],
        level: 'full',
        result: { f: 2 },
        covered: ['simplified', 'full', 'expanded'],
        refetched: [],
        data: { f: 2 },
      },
    ],
    [
      'null, which is data',
      { type: 'ticket', cached: ['default'], result: null, covered: ['default'], refetched: [], data: null },
    ],
  ])('covers its levels: %s', async (_title, { type, cached, level, result, covered, refetched, data }) => {
    const stage = createStage();
    for (const each of cached) await stage.hold(() => stage.item(type, 7, each));
    await stage.sim.advance(20_000);
    const ref = stage.dl.getItemRef(type, 7);
    const targets = (levels: string[]): object[] =>
      levels.map((each) => ({ kind: 'item', type, id: 7, level: each }));
    const directive = refreshItem(type, 7, { level, result });
    void stage.dl.applyDirectives([directive]);
    expect(stage.of('directive:processed')).toEqual([
      { directive, triggered: targets(refetched), satisfied: targets(covered) },
    ]);
    if (result === null) expect(ref.data).toBeNull();
    else expect(ref.data).toMatchObject(result);
    expect(ref.meta.isStale).toBe(refetched.length > 0);
    expect(Object.keys(ref.meta.levelStamps).toSorted()).toEqual(
      [...new Set([...cached, ...covered])].toSorted(),
    );
    await stage.sim.advance(100);
    for (const each of covered) stage.item(type, 7, each);
    await stage.sim.advance(100);
    expect(stage.taken()).toEqual(refetched.map((each) => `${type} 7 ${each}`));
    if (data === null) expect(ref.data).toBeNull();
    else expect(ref.data).toMatchObject(data);
    expect(ref.meta.isStale).toBe(false);
  });

  it('without a level does not cover a level that is no longer registered', async () => {
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

  describe('without a level, when the default level has a schema', () => {
    /** The schema of the default level keeps only the title. */
    const stripping = schemaOf((value) => ({ value: { title: (value as { title: unknown }).title } }));

    async function applied(head: object): Promise<{ stage: Stage; data: unknown }> {
      const stage = createStage();
      const { dl, hold, calls, server } = stage;
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
      await apply(stage, refreshItem('page', 7, { result: { title: 'new', head: 2 } }));
      return { stage, data: dl.getItemRef('page', 7).data };
    }

    it('does not cover a level whose checkIfExists refuses the validated value', async () => {
      const { stage, data } = await applied({});
      expect(stage.taken()).toEqual(['head']);
      expect(data).toMatchObject({ head: 2 });
    });

    it.each([
      [
        'does not cover a level that has another schema',
        { schema: schemaOf((value) => ({ value })) },
        ['head'],
      ],
      ['covers a level that has the same schema', { schema: stripping }, []],
      ['covers a level that has no schema', {}, []],
    ])('%s', async (_title, head, taken) => {
      const { stage } = await applied({ ...head, checkIfExists: (value: object) => 'title' in value });
      expect(stage.taken()).toEqual(taken);
    });
  });

  it.each<[state: string, meta: object, prepare: (stage: Stage) => Promise<void>]>([
    ['fresh', { isLoading: false, isStale: false }, ({ sim }) => sim.advance(100)],
    ['stale', { isLoading: false, isStale: true }, ({ sim }) => sim.advance(20_000)],
    ['loading', { isLoading: true }, ({ sim }) => sim.advance(5)],
    [
      'failed',
      { error: 'down', failedLevels: { default: true } },
      ({ sim, server }) => {
        server.item = () => {
          throw new Error('down');
        };
        return sim.advance(100);
      },
    ],
  ])(
    '§3 makes an item fresh for its stalenessMs, without a request, even if it is %s',
    async (_, meta, prepare) => {
      const stage = createStage();
      const { dl, sim, item, iso, taken } = stage;
      const ref = item('ticket', 7);
      await prepare(stage);
      expect(ref.meta).toMatchObject(meta);
      void dl.applyDirectives([refreshItem('ticket', 7, { result: { id: 7, inline: true } })]);
      expect(ref.meta).toMatchObject({ error: null, isStale: false, lastFetchedAny: iso() });
      expect(ref.meta.failedLevels['default'] ?? false).toBe(false);
      await sim.advance(14_999);
      expect(ref.meta.isStale).toBe(false);
      await sim.advance(1);
      expect(ref.meta.isStale).toBe(true);
      expect(ref.data).toEqual({ id: 7, inline: true });
      expect(taken()).toEqual(['ticket 7']); // The read.
    },
  );

  it('that is undefined counts as absent', async () => {
    const stage = await createCachedStage();
    await apply(stage, refreshItem('ticket', 7, { result: undefined }));
    expect(stage.taken()).toEqual(['ticket 7']);
  });

  it("is applied to an entry that bulk.refetch 'watched' would not refetch", async () => {
    const { dl } = await createCachedStage({
      init: { sse: { enabled: false }, bulk: { refetch: 'watched' } },
    });
    void dl.applyDirectives([refreshItem('ticket', 7, { result: { title: 'inline' } })]);
    expect(dl.getItemRef('ticket', 7).data).toEqual({ title: 'inline' });
    expect(dl.getItemRef('ticket', 7).meta.isStale).toBe(false);
  });

  it('D-DIR-7 serves a read that waits for its window, which then sends no request', async () => {
    const { sim, dl, item, taken } = createStage();
    for (const id of [1, 2, 3]) item('note', id);
    void dl.applyDirectives([refreshItem('note', 1, { result: { id: 1, title: 'inline' } })]);
    await sim.advance(100);
    expect(taken()).toEqual(['note 2,3']);
    expect(dl.getItemRef('note', 1).data).toEqual({ id: 1, title: 'inline' });
    expect(dl.isItemLoading('note', 1)).toBe(false);
  });
});

describe('D-DIR-3 D-DIR-4 D-DIR-8 the inline result of a collection', () => {
  const page = (more: object = {}): object => ({ page: 1, ...more });

  it.each<
    [
      title: string,
      cached: (object | undefined)[],
      more: object,
      covered: object | undefined,
      refetched: object[],
    ]
  >([
    [
      'is applied to the entry whose params equal those of the directive',
      [undefined, page(), page({ q: 'x' })],
      { params: page() },
      page(),
      [],
    ],
    [
      'without params is applied to the entry without params, and every other entry is refetched',
      [undefined, page(), { page: 2 }],
      {},
      undefined,
      [page(), { page: 2 }],
    ],
    [
      'with contains is applied to the entry with equal params, and every other match is refetched',
      [page(), page({ q: 'x' }), { page: 2 }],
      { params: page(), params_mode: 'contains' },
      page(),
      [page({ q: 'x' })],
    ],
    ['creates a params set that is not cached', [], { params: { page: 9 } }, { page: 9 }, []],
  ])('%s', async (_title, cached, more, covered, refetched) => {
    const stage = createStage();
    const { dl } = stage;
    await stage.hold(...cached.map((params) => () => stage.list('tickets', params)));
    await stage.sim.advance(20_000);
    const target = (params: object | undefined): object => ({ kind: 'collection', name: 'tickets', params });
    const directive = refreshList('tickets', { ...more, result: { ids: [8, 9], count: 40 } });
    void dl.applyDirectives([directive]);
    expect(stage.of('directive:processed')).toEqual([
      { directive, triggered: refetched.map(target), satisfied: [target(covered)] },
    ]);
    await stage.sim.advance(100);
    const ref = stage.list('tickets', covered); // It is fresh, so this is no request.
    await stage.sim.advance(100);
    expect(ref.data).toEqual({ ids: [8, 9], count: 40 });
    expect(ref.meta.isStale).toBe(false);
    expect(stage.taken()).toEqual(refetched.map((params) => `tickets ${JSON.stringify(params)}`));
    const shown = cached.map((params) => dl.getCollectionRef('tickets', { params: params ?? {} }).data.ids);
    expect(shown.filter((ids) => ids[0] !== 8)).toEqual(cached.slice(1).map(() => [1]));
    expect(dl.state().collections['tickets']?.refCount).toBe(Math.max(cached.length, 1));
  });

  it('without a count has as many as its ids', () => {
    const { dl } = createStage();
    void dl.applyDirectives([refreshList('tickets', { result: { ids: [1, 2] } })]);
    expect(dl.getCollectionRef('tickets').data).toEqual({ ids: [1, 2], count: 2 });
  });
});

describe('D-DIR-8 an invalid inline result', () => {
  it.each([
    ['a list instead of an object', [1, 2]],
    ['an object without ids', { items: [] }],
    ['ids that are not a list', { ids: 'all' }],
    ['a string', 'ids'],
    ['a number', 5],
  ])(
    'of a collection, %s, is rejected and creates no entry, and a cached entry is refetched instead',
    async (_title, result) => {
      const stage = await createCachedStage();
      const directives = [refreshList('tickets', { result }), refreshList('notes', { result })];
      await apply(stage, ...directives);
      expect(stage.of('directive:rejected').map((each) => each.directive)).toEqual(directives);
      expect(stage.taken()).toEqual(['tickets {}']);
      expect(stage.dl.getCollectionRef('tickets').data.ids).toEqual([1]);
      expect(stage.dl.state().collections['notes']?.refCount).toBe(0);
    },
  );

  it.each<[string, () => unknown, string]>([
    [
      'refuses it',
      () => ({ issues: [{ message: 'no title', path: ['full', { key: 'title' }] }] }),
      '[edict] A payload of "strict" does not fit its schema: full.title: no title',
    ],
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
      'an inline result needs a schema that validates synchronously, and ids instead of items',
    ],
  ])(
    'of an item whose schema %s is rejected, and the item is refetched instead',
    async (_title, judge, message) => {
      for (const level of ['default', 'full']) {
        const stage = createStage();
        const { dl } = stage;
        const own = {
          fetch: (_id: unknown, ctx: { level: string }) => (stage.calls.push(ctx.level), { title: 'ok' }),
          schema: schemaOf((value) => ('title' in value ? { value } : judge())),
        };
        // Only the schema of the named level counts.
        if (level === 'default') dl.createType('strict', { ...own });
        else dl.createType('strict', { fetch: () => ({ x: 1 }), levels: { full: own } });
        await stage.hold(() => dl.fetchItem('strict', 7, level));
        const named = level === 'default' ? {} : { level };
        const directive = refreshItem('strict', 7, { ...named, result: { other: 1 } });
        void dl.applyDirectives([directive]);
        expect(stage.of('directive:rejected')).toEqual([
          { directive, issues: [{ path: 'result', message }] },
        ]);
        expect(dl.getItemRef('strict', 7).data).toEqual({ title: 'ok' });
        await stage.sim.advance(100);
        expect(stage.taken()).toEqual([level]);
        expect(dl.getItemRef('strict', 7).data).toEqual({ title: 'ok' });
      }
    },
  );
});
