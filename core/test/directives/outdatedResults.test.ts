// The conditions under which an inline result is the newest. In every other case it is outdated: a plain refresh.

import { describe, expect, it } from 'vitest';
import { envelope, refreshItem, refreshList } from '../directives.ts';
import { type Stage, createCachedStage, createStage } from '../world.ts';
import { apply, own, reasons } from './setup.ts';

const title = (value: string, more: object = {}): object =>
  refreshItem('ticket', 7, { result: { title: value }, ...more });

const ticket = ({ dl }: Stage): unknown => dl.getItemRef('ticket', 7).data;

describe('D-DIR-9 an inline result', () => {
  it.each([
    ['lower than', 4, false],
    ['equal to', 5, true],
    ['higher than', 6, true],
  ])('whose seq is %s the highest seen (seq %s) is applied: %s', async (_title, seq, isApplied) => {
    const stage = await createCachedStage();
    void stage.dl.applyDirectives([refreshItem('ticket', 99, { seq: 5 })]);
    void stage.dl.applyDirectives([title('late', { seq })]);
    expect(reasons(stage)).toEqual(isApplied ? [] : ['outdated']);
    expect(ticket(stage)).toEqual(isApplied ? { title: 'late' } : { id: 7, default: 1 });
    await stage.sim.advance(100);
  });

  it.each<[string, (stage: Stage) => unknown]>([
    [
      'a directive passed to applyDirectives',
      ({ dl }) => dl.applyDirectives([refreshItem('ticket', 99, { seq: 5 })]),
    ],
    [
      'a directive of the pull path',
      ({ dl }) => dl.applyDirectives([refreshItem('ticket', 99, { seq: 5 })], { path: 'pull' }),
    ],
    ['an envelope', ({ dl }) => dl.ingestEnvelope(envelope(5, [refreshItem('ticket', 99)]))],
    ['a position without directives', ({ dl }) => dl.ingestEnvelope(envelope(5))],
    [
      'an envelope, also after an older one has arrived again',
      ({ dl }) => [5, 2].forEach((seq) => dl.ingestEnvelope(envelope(seq, [refreshItem('ticket', 99)]))),
    ],
    [
      'a directive of the own client, which is not applied',
      (stage) => stage.dl.applyDirectives([own(stage, { id: 99, seq: 5 })]),
    ],
    [
      'a duplicate, which is not applied',
      ({ dl }) =>
        dl.applyDirectives([
          refreshItem('ticket', 99, { seq: 3, idempotency_key: 'k' }),
          refreshItem('ticket', 99, { seq: 5, idempotency_key: 'k' }),
        ]),
    ],
    [
      'the wrapper of a target',
      ({ dl }) => dl.applyDirectives([{ op: 'invalidate', seq: 5, targets: [refreshItem('ticket', 99)] }]),
    ],
    [
      'a wrapper whose only target has a lower seq',
      ({ dl }) =>
        dl.applyDirectives([{ op: 'invalidate', seq: 5, targets: [refreshItem('ticket', 99, { seq: 2 })] }]),
    ],
    [
      'another inline result',
      ({ dl }) => dl.applyDirectives([refreshItem('ticket', 99, { seq: 5, result: {} })]),
    ],
    [
      'a directive in the client shape',
      ({ dl }) => dl.applyDirectives([{ op: 'refresh', name: 'tickets', seq: 5 }]),
    ],
  ])('is outdated by the higher seq of %s', async (_title, see) => {
    const stage = await createCachedStage();
    void see(stage);
    void stage.dl.applyDirectives([title('late', { seq: 4 })]);
    expect(reasons(stage).at(-1)).toBe('outdated');
    expect(ticket(stage)).toEqual({ id: 7, default: 1 });
  });

  it.each<[title: string, subscribed: string | string[], seen: object, late: object, skipped: string[]]>([
    ['not by another audience', ['global', 'team'], { audience: 'team' }, { audience: 'global' }, []],
    [
      'by its own audience, even if that is not the global one',
      ['global', 'team'],
      { audience: 'team' },
      { audience: 'team' },
      ['outdated'],
    ],
    ['by the audience global if it has none', 'global', { audience: 'global' }, {}, ['outdated']],
  ])('is outdated by the higher seq of its audience: %s', async (_title, audience, seen, late, skipped) => {
    const stage = await createCachedStage({ init: { sse: { enabled: false, audience } } });
    void stage.dl.applyDirectives([
      refreshItem('ticket', 99, { seq: 50, ...seen }),
      title('late', { seq: 4, ...late }),
    ]);
    expect(reasons(stage)).toEqual(skipped);
    expect(ticket(stage)).toEqual(skipped.length === 0 ? { title: 'late' } : { id: 7, default: 1 });
  });

  it('in a target without a seq uses the seq of its wrapper, or else of its envelope', async () => {
    const stage = await createCachedStage();
    const { dl } = stage;
    void dl.applyDirectives([refreshItem('ticket', 99, { seq: 5 })]);
    void dl.applyDirectives([{ op: 'invalidate', seq: 4, targets: [title('late')] }]);
    expect(reasons(stage)).toEqual(['outdated']);
    dl.ingestEnvelope(envelope(3, [{ op: 'invalidate', targets: [title('later')] }]));
    expect(reasons(stage)).toEqual(['outdated', 'outdated']);
    void dl.applyDirectives([{ op: 'invalidate', seq: 4, targets: [title('in time', { seq: 6 })] }]);
    expect(ticket(stage)).toEqual({ title: 'in time' });
  });

  it('is outdated after a response with a higher seq, even while the stream catches up', async () => {
    const stage = await createCachedStage();
    const { dl } = stage;
    dl.ingestEnvelope(envelope(1, [refreshItem('ticket', 99)]));
    void dl.applyDirectives([title('mine', { seq: 5 })], { path: 'pull' });
    dl.ingestEnvelope(envelope(2, [refreshItem('ticket', 99)]));
    dl.ingestEnvelope(envelope(3, [refreshItem('ticket', 99)]));
    dl.ingestEnvelope(envelope(4, [title('late')]));
    expect(reasons(stage)).toEqual(['outdated']);
    expect(ticket(stage)).toEqual({ title: 'mine' });
  });

  it('D-SSE-6 is compared with the new sequence after the server restarted its counter', async () => {
    const stage = await createCachedStage({ init: { sse: { enabled: false, resyncOnGap: false } } });
    const { dl } = stage;
    dl.ingestEnvelope(envelope(5000, [refreshItem('ticket', 99)]));
    dl.ingestEnvelope(envelope(1)); // A greeting or a heartbeat, with the current seq of the server.
    dl.ingestEnvelope(envelope(3, [title('of the new one')]));
    dl.ingestEnvelope(envelope(2, [title('late')]));
    await stage.sim.advance(0);
    expect(reasons(stage)).toEqual(['outdated']);
    expect(ticket(stage)).toEqual({ title: 'of the new one' });
  });

  it('that is outdated is a plain refresh: the cached entries that it names are refetched', async () => {
    const stage = await createCachedStage();
    await apply(
      stage,
      refreshItem('ticket', 99, { seq: 5 }),
      title('late', { seq: 4 }),
      refreshList('tickets', { seq: 4, result: { ids: [9] } }),
    );
    expect(stage.taken().toSorted()).toEqual(['ticket 7', 'tickets {}']);
    expect(stage.dl.getCollectionRef('tickets').data.ids).toEqual([1]);
  });

  it('that is outdated creates no entry and fetches nothing that is not cached', async () => {
    const stage = createStage();
    await apply(
      stage,
      refreshItem('ticket', 99, { seq: 5 }),
      title('late', { seq: 4 }),
      refreshList('tickets', { seq: 4, result: { ids: [9] } }),
    );
    expect(stage.taken()).toEqual([]);
    expect(stage.dl.state().memory).toMatchObject({ items: 0, collections: 0 });
    expect(reasons(stage)).toEqual(['outdated', 'outdated']);
  });

  it('that is outdated causes no second refetch of an entry whose refetch is pending', async () => {
    const stage = await createCachedStage();
    void stage.dl.applyDirectives([refreshItem('ticket', 7, { seq: 5 })]);
    await stage.sim.advance(20);
    await apply(stage, title('late', { seq: 4 }));
    await stage.sim.advance(100);
    expect(stage.taken()).toEqual(['ticket 7']);
  });

  it('that is outdated and has a level is a plain refresh of every cached level', async () => {
    const stage = createStage();
    await stage.hold(() => stage.item('doc', 7, 'full'));
    stage.server.version = 2;
    const late = refreshItem('doc', 7, { level: 'simplified', result: { simplified: 2 }, seq: 4 });
    await apply(stage, refreshItem('doc', 99, { seq: 5 }), late);
    expect(stage.taken()).toEqual(['doc 7 full']);
    expect(stage.dl.getItemRef('doc', 7).data).toEqual({ id: 7, full: 2 });
    expect(stage.dl.getItemRef('doc', 7).meta.isStale).toBe(false);
  });

  it('without a seq is a plain refresh after any directive had a seq', async () => {
    const stage = await createCachedStage();
    await apply(stage, title('first'));
    expect(ticket(stage)).toEqual({ title: 'first' });
    void stage.dl.applyDirectives([refreshItem('ticket', 99, { seq: 5 }), title('second')]);
    expect(reasons(stage)).toEqual(['outdated']);
    expect(ticket(stage)).toEqual({ title: 'first' });
    await stage.sim.advance(100);
    expect(stage.taken()).toEqual(['ticket 7']);
  });

  it.each([
    [9999, ['outdated']],
    [10_000, []],
  ])(
    'that arrives %i ms after a directive without a seq named its record is skipped with: %j',
    async (ms, skipped) => {
      const stage = await createCachedStage();
      void stage.dl.applyDirectives([refreshItem('ticket', 7)]);
      await stage.sim.advance(ms);
      void stage.dl.applyDirectives([title('numbered', { seq: 5 })]);
      expect(reasons(stage)).toEqual(skipped);
    },
  );

  it('for an audience that the client does not subscribe to is a plain refresh', async () => {
    const stage = await createCachedStage();
    await stage.dl.applyResponse(
      Response.json({ directives: [title('theirs', { audience: 'team-1', seq: 1 })] }),
    );
    await stage.sim.advance(100);
    expect(stage.taken()).toEqual(['ticket 7']);
  });

  it('is not outdated by a later timestamp', async () => {
    const stage = await createCachedStage();
    const [first, second] = [title('first', { timestamp: 2000 }), title('second', { timestamp: 1000 })];
    void stage.dl.applyDirectives([first, second]);
    expect(reasons(stage)).toEqual([]);
    expect(ticket(stage)).toEqual({ title: 'second' });
  });
});

describe('D-DIR-9 D-FETCH-3 an inline result in the response of DL.fetch', () => {
  /** Sends a mutation whose response contains these directives, 30 ms later. */
  function mutate({ sim, dl }: Stage, ...directives: object[]): Promise<unknown> {
    sim.route('PATCH /tickets/7', async () => {
      await sim.sleep(30);
      return { directives };
    });
    return dl.fetch('/tickets/7', { method: 'PATCH' });
  }

  it('is a plain refresh after another directive has named the record', async () => {
    const stage = await createCachedStage();
    const { sim, dl } = stage;
    const mutation = mutate(stage, title('from the mutation'));
    await sim.advance(10);
    void dl.applyDirectives([refreshItem('ticket', 7, { source: 'another' })]);
    await Promise.all([mutation, sim.advance(20)]);
    expect(ticket(stage)).toEqual({ id: 7, default: 1 });
    expect(dl.getItemRef('ticket', 7).meta.isStale).toBe(true);
    await sim.advance(100);
    expect(stage.taken()).toEqual(['ticket 7']);
  });

  it('is fresh although another directive named the record before the mutation was sent', async () => {
    const stage = await createCachedStage();
    await apply(stage, refreshItem('ticket', 7, { source: 'another' }));
    stage.taken();
    await Promise.all([mutate(stage, title('from the mutation')), stage.sim.advance(100)]);
    expect(stage.taken()).toEqual([]);
  });

  it('is a plain refresh after a request for any level of the record began', async () => {
    const stage = createStage();
    const { sim, dl, server, hold, item, taken } = stage;
    await hold(
      () => item('card', 7, 'head'),
      () => item('card', 7, 'body'),
    );
    server.latencyMs = 20;
    const mutation = mutate(stage, refreshItem('card', 7, { level: 'head', result: { head: 'new' } }));
    await sim.advance(20);
    dl.fetchItem('card', 7, 'body', { force: true });
    await Promise.all([mutation, sim.advance(10)]);
    expect(dl.getItemRef('card', 7).data).not.toMatchObject({ head: 'new' });
    await sim.advance(200);
    expect(taken()).toEqual(['card 7 body', 'card 7 head', 'card 7 body']);
    expect(dl.getItemRef('card', 7).meta.isStale).toBe(false);
  });

  it('replaces an earlier one for the same item', async () => {
    const stage = await createCachedStage();
    await Promise.all([mutate(stage, title('first'), title('second')), stage.sim.advance(100)]);
    expect(reasons(stage)).toEqual([]);
    expect(ticket(stage)).toEqual({ title: 'second' });
  });

  it.each([
    ['of a level that converts to its own', 'full', { expanded: 'second' }, 'expanded', ['doc 7 full']],
    ['of the same level, which is covered again', 'expanded', { expanded: 'second' }, 'expanded', []],
  ])(
    'leaves no level that an earlier result covered fresh: %s',
    async (_title, first, result, second, requests) => {
      const stage = createStage();
      const { sim, dl, item, hold, taken } = stage;
      await hold(() => item('doc', 7, first));
      const docs = [
        refreshItem('doc', 7, { level: first, result: { expanded: 'first' } }),
        refreshItem('doc', 7, { level: second, result }),
      ];
      await Promise.all([mutate(stage, ...docs), sim.advance(30)]);
      expect(dl.getItemRef('doc', 7).meta.isStale).toBe(requests.length > 0);
      await sim.advance(200);
      expect(taken()).toEqual(requests);
      expect(dl.getItemRef('doc', 7).meta.isStale).toBe(false);
    },
  );

  it('refetches a level that only an earlier result contained', async () => {
    const stage = createStage();
    const { sim, dl, item, hold } = stage;
    dl.createType('part', {
      fetch: async () => ({}),
      levelConversionMap: { full: ['head'] },
      levels: {
        full: { fetch: async () => ({ full: 2, head: 2 }) },
        head: { fetch: async () => ({ head: 2 }), checkIfExists: (data) => 'head' in (data as object) },
      },
    });
    await hold(() => item('part', 7, 'full'));
    const results = [{ full: 1, head: 1 }, { full: 2 }];
    const parts = results.map((result) => refreshItem('part', 7, { level: 'full', result }));
    await Promise.all([mutate(stage, ...parts), sim.advance(200)]);
    expect(dl.getItemRef('part', 7).data).toEqual({ full: 2, head: 2 });
    expect(dl.getItemRef('part', 7).meta.isStale).toBe(false);
  });
});

describe('D-DIR-9 an inline result of a record that a directive of another audience has just named', () => {
  const ofBoth = { init: { sse: { enabled: false, audience: ['team', 'global'] } } };
  const named = refreshItem('ticket', 7, { audience: 'team', seq: 1 });
  const result = title('perhaps older', { audience: 'global', seq: 1 });

  it('is a plain refresh, because the order of the two is unknown', async () => {
    const stage = await createCachedStage(ofBoth);
    void stage.dl.applyDirectives([named, result]);
    expect(ticket(stage)).toEqual({ id: 7, default: 1 });
    expect(stage.of('directive:skipped')).toEqual([{ directive: result, reason: 'outdated' }]);
    await stage.sim.advance(100);
    expect(stage.taken()).toEqual(['ticket 7']);
    expect(stage.dl.getItemRef('ticket', 7).meta.isStale).toBe(false);
  });

  it('is a plain refresh even after the refetch for the other directive has completed', async () => {
    const stage = await createCachedStage(ofBoth);
    await apply(stage, named);
    await stage.sim.advance(900);
    await apply(stage, result);
    expect(stage.taken()).toEqual(['ticket 7', 'ticket 7']);
  });

  it('creates no entry', async () => {
    const stage = createStage(ofBoth);
    await apply(stage, named, result);
    expect(stage.taken()).toEqual([]);
    expect(stage.dl.state().types['ticket']?.itemCount).toBe(0);
  });

  it.each([
    ['the same params', { page: 2 }, ['tickets {"page":2}']],
    ['other params', { page: 3 }, []],
    ['all params', null, ['tickets {"page":2}']],
  ])(
    'is a plain refresh of a collection only if the other directive covers its params: %s',
    async (_title, params, fetched) => {
      const stage = createStage(ofBoth);
      await stage.hold(() => stage.list('tickets', { page: 2 }));
      await apply(
        stage,
        refreshList('tickets', { params, audience: 'team' }),
        refreshList('tickets', { params: { page: 2 }, audience: 'global', result: { ids: [9] } }),
      );
      expect(stage.taken()).toEqual(fetched);
    },
  );

  it('is a plain refresh when the other directive named every item of the type', async () => {
    const stage = await createCachedStage(ofBoth);
    await apply(stage, { op: 'invalidate', kind: 'item', name: 'ticket', audience: 'team' }, result);
    expect(stage.taken()).toEqual(['ticket 7']);
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
    const stage = await createCachedStage(ofBoth);
    void stage.dl.applyDirectives(directives);
    expect(stage.dl.getItemRef('ticket', 7).meta.isStale).toBe(false);
    await stage.sim.advance(100);
    expect(stage.taken()).toEqual([]);
  });

  it('is a plain refresh even when the other audience has named thousands of records since', async () => {
    const stage = await createCachedStage(ofBoth);
    void stage.dl.applyDirectives([named]);
    await stage.sim.advance(9000);
    const others = Array.from({ length: 3000 }, (_, id) =>
      refreshItem('ticket', 100 + id, { audience: 'team' }),
    );
    void stage.dl.applyDirectives([...others, result]);
    expect(stage.dl.getItemRef('ticket', 7).meta.isStale).toBe(true);
  });

  it('is applied when it arrives ten seconds after the other directive', async () => {
    const stage = await createCachedStage(ofBoth);
    void stage.dl.applyDirectives([named]);
    await stage.sim.advance(10_000);
    expect(stage.taken()).toEqual(['ticket 7']);
    void stage.dl.applyDirectives([result]);
    expect(stage.dl.getItemRef('ticket', 7).meta.isStale).toBe(false);
  });
});
