// Directives with this client's own source: ignored by push, applied by pull.

import { describe, expect, it } from 'vitest';
import { envelope, refreshItem, refreshList } from '../directives.ts';
import { type Stage, createCachedStage, untyped } from '../world.ts';
import { apply, own, reasons } from './setup.ts';

describe('§4.6 D-SRC-1 directives with the source of this client', () => {
  const item = (source: string): object => refreshItem('ticket', 7, { source });

  it.each<[title: string, send: (stage: Stage, source: string) => unknown]>([
    ['in applyDirectives', ({ dl }, source) => dl.applyDirectives([item(source)])],
    ['in applyDirectives with null', ({ dl }, source) => dl.applyDirectives([item(source)], untyped(null))],
    ['in applyDirectives with {}', ({ dl }, source) => dl.applyDirectives([item(source)], {})],
    ['by push', ({ dl }, source) => dl.applyDirectives([item(source)], { path: 'push' })],
    [
      'in the client shape',
      ({ dl }, source) => dl.applyDirectives([{ op: 'refresh', name: 'tickets', source }]),
    ],
    [
      'with an inline result',
      ({ dl }, source) => dl.applyDirectives([{ ...item(source), result: { id: 7, isInline: true } }]),
    ],
    [
      'from the stream',
      ({ sim }, source) => sim.hub.emit([{ op: 'refresh_item', name: 'ticket', id: 7 }], { source }),
    ],
    [
      'from a custom transport',
      ({ dl }, source) =>
        dl.configureDirectiveSource({
          type: 'test',
          connect: (api) => void api.applyDirectives([item(source)]),
        }),
    ],
    [
      'in an envelope of a custom transport',
      ({ dl }, source) =>
        dl.configureDirectiveSource({
          type: 'test',
          connect: (api) => api.ingestEnvelope(envelope(1, [item(source)])),
        }),
    ],
  ])('%s are ignored, and those of other clients are applied', async (title, send) => {
    const stage = await createCachedStage({ init: { sse: { enabled: title === 'from the stream' } } });
    const { sim, dl } = stage;
    void send(stage, dl.clientId());
    await sim.advance(100);
    expect(reasons(stage)).toEqual(['own-source']);
    expect(stage.of('directive:processed')).toEqual([]);
    expect(stage.taken()).toEqual([]);
    expect(dl.getItemRef('ticket', 7).data).toEqual({ id: 7, default: 1 });
    expect([dl.getItemRef('ticket', 7), dl.getCollectionRef('tickets')].some((ref) => ref.meta.isStale)).toBe(
      false,
    );
    void send(stage, 'another');
    await sim.advance(100);
    expect(stage.of('directive:processed')).toHaveLength(1);
    expect(reasons(stage)).toEqual(['own-source']);
    dl.dispose();
  });
});

describe('D-SRC-2 the pull path', () => {
  it.each<[title: string, pull: (stage: Stage, directives: object[]) => Promise<unknown>]>([
    [
      'with DL.fetch',
      ({ sim, dl }, directives) => {
        sim.route('POST /tickets', () => ({ directives }));
        return dl.fetch('/tickets', { method: 'POST' });
      },
    ],
    ['with applyResponse', ({ dl }, directives) => dl.applyResponse(Response.json({ directives }))],
    [
      "with applyDirectives and path 'pull'",
      ({ dl }, directives) => dl.applyDirectives(directives, { path: 'pull' }),
    ],
  ])('%s applies directives whatever their source', async (_title, pull) => {
    const stage = await createCachedStage();
    const directives = [own(stage), refreshList('tickets', { source: 'another' })];
    await Promise.all([pull(stage, directives), stage.sim.advance(100)]);
    expect(stage.taken().toSorted()).toEqual(['ticket 7', 'tickets {}']);
  });

  it('and the echo over the stream cause a single refetch, in either order', async () => {
    const stage = await createCachedStage({ init: { sse: {} } });
    const { sim, dl, taken } = stage;
    let late = false;
    sim.route('POST /tickets', async ({ clientId }) => {
      const directives = sim.hub.emit([{ op: 'refresh_item', name: 'ticket', id: 7 }], { source: clientId });
      if (late) await sim.sleep(30);
      return { directives };
    });
    await Promise.all([dl.fetch('/tickets', { method: 'POST' }), sim.advance(200)]);
    expect(taken()).toEqual(['ticket 7']);
    late = true;
    await Promise.all([dl.fetch('/tickets', { method: 'POST' }), sim.advance(200)]);
    expect(taken()).toEqual(['ticket 7']);
    dl.dispose();
  });
});

describe('D-SRC-1 an inline result of another client', () => {
  const theirs = (seq: number): object =>
    envelope(seq, [refreshItem('ticket', 7, { result: { title: 'theirs' } })]);

  it.each<[title: string, act: (stage: Stage) => unknown]>([
    [
      'an own echo before the response',
      (stage) => {
        stage.dl.ingestEnvelope(theirs(1));
        stage.dl.ingestEnvelope(envelope(2, [own(stage, { idempotency_key: 'mine' })]));
      },
    ],
    [
      'an own echo with a lower seq',
      (stage) => {
        stage.dl.ingestEnvelope(theirs(5));
        return stage.dl.applyDirectives([own(stage, { seq: 4 })]);
      },
    ],
    [
      'a repeated directive of another client',
      async (stage) => {
        const change = refreshItem('ticket', 7, { source: 'another', idempotency_key: 'theirs' });
        await apply(stage, change);
        stage.taken();
        return stage.dl.applyDirectives([refreshItem('ticket', 7, { result: { title: 'theirs' } }), change]);
      },
    ],
    [
      'a directive for another audience',
      (stage) => {
        stage.dl.ingestEnvelope(theirs(1));
        return stage.dl.applyDirectives([refreshItem('ticket', 7, { audience: 'team-1' })]);
      },
    ],
    [
      'a response that is applied twice',
      async (stage) => {
        const change = own(stage, { idempotency_key: 'mine' });
        void stage.dl.applyDirectives([change], { path: 'pull' });
        await stage.sim.advance(10_000);
        stage.taken();
        stage.dl.ingestEnvelope(theirs(1));
        void stage.dl.applyDirectives([change], { path: 'pull' });
      },
    ],
  ])('stays fresh after %s', async (_title, act) => {
    const stage = await createCachedStage();
    await act(stage);
    await stage.sim.advance(100);
    expect(stage.taken()).toEqual([]);
    expect(stage.dl.getItemRef('ticket', 7).data).toEqual({ title: 'theirs' });
    expect(stage.dl.getItemRef('ticket', 7).meta.isStale).toBe(false);
  });

  it('whose entry is being refetched is not requested a second time for an own echo', async () => {
    const stage = await createCachedStage();
    stage.server.latencyMs = 200;
    stage.dl.ingestEnvelope(theirs(1));
    stage.dl.ingestEnvelope(envelope(2, [refreshItem('ticket', 7)]));
    await stage.sim.advance(100);
    stage.dl.ingestEnvelope(envelope(3, [own(stage)]));
    await stage.sim.advance(1000);
    expect(stage.taken()).toEqual(['ticket 7']);
    expect(stage.dl.getItemRef('ticket', 7).meta.isStale).toBe(false);
  });

  it.each([
    ['a key', { idempotency_key: 'mine' }, {}],
    ['a target that has a key', {}, { idempotency_key: 'mine' }],
    ['a key and a target that has another key', { idempotency_key: 'other' }, { idempotency_key: 'mine' }],
  ])(
    'after the response is refetched for the own echo, in a wrapper with %s',
    async (_title, ofWrapper, ofTarget) => {
      const stage = await createCachedStage();
      const change = {
        op: 'invalidate',
        source: stage.dl.clientId(),
        ...ofWrapper,
        targets: [refreshItem('ticket', 7, ofTarget)],
      };
      stage.sim.route('POST /tickets', () => ({ directives: [change] }));
      await Promise.all([stage.dl.fetch('/tickets', { method: 'POST' }), stage.sim.advance(100)]);
      await stage.sim.advance(10_000); // Before that, the inline result itself would be a plain refresh.
      stage.taken();
      stage.dl.ingestEnvelope(theirs(1));
      expect(stage.dl.getItemRef('ticket', 7).data).toEqual({ title: 'theirs' });
      stage.dl.ingestEnvelope(envelope(2, [change]));
      expect(stage.of('directive:processed').at(-1)?.triggered).toHaveLength(1);
      await stage.sim.advance(100);
      expect(stage.taken()).toEqual(['ticket 7']);
    },
  );
});

it.each<[title: string, change: (own: object) => object, skipped: string[]]>([
  ['an own echo', (own) => ({ ...own, targets: [refreshItem('ticket', 7)] }), ['own-source', 'own-source']],
  [
    'with a target that is an own echo',
    (own) => ({ targets: [refreshItem('ticket', 7, own)] }),
    ['own-source'],
  ],
  [
    'with a target for another audience',
    () => ({ targets: [refreshItem('ticket', 7, { audience: 'team' })] }),
    ['audience'],
  ],
  [
    'with a wrapper whose target is an own echo',
    (own) => ({ targets: [{ op: 'invalidate', targets: [refreshItem('ticket', 7, own)] }] }),
    ['own-source'],
  ],
])(
  'D-SRC-1 D-DIR-10 a wrapper, %s, that arrives before the response does not use up its key',
  async (_, changeOf, skipped) => {
    const stage = await createCachedStage();
    const change = {
      op: 'invalidate',
      idempotency_key: 'mine',
      ...changeOf({ source: stage.dl.clientId() }),
    };
    stage.dl.ingestEnvelope(envelope(1, [change]));
    await stage.sim.advance(100);
    expect(stage.taken()).toEqual([]);
    expect(reasons(stage)).toEqual(skipped);
    void stage.dl.applyDirectives([change], { path: 'pull' });
    await stage.sim.advance(100);
    expect(stage.taken()).toEqual(['ticket 7']);
  },
);

describe('D-SRC-1 the warning about a response without the directives that the stream delivers', () => {
  const key = { idempotency_key: 'k' };
  const warnings = ({ sim }: Stage): string[] => sim.log.map(({ message }) => message);
  /** Responds to a mutation after the stream has delivered its echo, as a hub does. */
  const answering = (stage: Stage, body: object): Promise<unknown> => {
    stage.sim.route('POST /tickets', () => {
      void stage.dl.applyDirectives([own(stage, key)]);
      return body;
    });
    return Promise.all([stage.dl.fetch('/tickets', { method: 'POST' }), stage.sim.advance(100)]);
  };

  it.each([
    ['before', (stage: Stage) => answering(stage, { ok: true })],
    ['after', (stage: Stage) => apply(stage, own(stage, key))],
  ])('is logged if they arrive %s the response, and nothing is applied', async (_, act) => {
    const stage = await createCachedStage();
    await act(stage);
    expect(stage.taken()).toEqual([]);
    expect(warnings(stage)).toEqual([
      expect.stringContaining('Return what emit resolves to in the response'),
    ]);
  });

  it('is not logged when the response contains them', async () => {
    const stage = await createCachedStage();
    await answering(stage, { directives: [own(stage, key)] });
    await apply(stage, own(stage, key));
    expect(stage.taken()).toEqual(['ticket 7']);
    expect(warnings(stage)).toEqual([]);
  });

  it('is not logged while the response of another mutation may contain them', async () => {
    const stage = await createCachedStage();
    stage.sim.route('POST /other', () => new Promise(() => undefined));
    const other = stage.dl.fetch('/other', { method: 'POST' }).catch(() => undefined);
    await answering(stage, { ok: true });
    expect(warnings(stage)).toEqual([]);
    stage.dl.dispose();
    await other;
  });
});
