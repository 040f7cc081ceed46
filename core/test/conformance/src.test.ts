// D-SRC: how a client treats the directives of its own mutations, and the pull path.

import { describe, expect, it } from 'vitest';
import { refreshItem, refreshList } from '../directives.ts';
import { type Stage, createCachedStage, untyped } from '../world.ts';

const own = ({ dl }: Stage, more: object = {}): object =>
  refreshItem('ticket', 7, { source: dl.clientId(), ...more });

const envelope = (seq: number, ...directives: object[]): object => ({
  type: 'directives',
  seq,
  audience: 'global',
  directives,
});

describe('D-SRC-1 directives of own mutations', () => {
  it.each([[undefined], [null], [{}]])(
    'in applyDirectives with the options %j are ignored',
    async (options) => {
      const stage = await createCachedStage();
      await stage.dl.applyDirectives([own(stage)], untyped(options));
      expect(stage.of('directive:skipped')).toMatchObject([{ reason: 'own-source' }]);
    },
  );

  it('in applyDirectives are ignored and leave the entry fresh', async () => {
    const stage = await createCachedStage();
    void stage.dl.applyDirectives([own(stage)]);
    await stage.sim.advance(100);
    expect(stage.taken()).toEqual([]);
    expect(stage.of('directive:skipped').map(({ reason }) => reason)).toEqual(['own-source']);
    expect(stage.dl.getItemRef('ticket', 7).meta.isStale).toBe(false);
  });

  it("in applyDirectives with path 'push' are ignored", async () => {
    const stage = await createCachedStage();
    void stage.dl.applyDirectives([own(stage)], { path: 'push' });
    await stage.sim.advance(100);
    expect(stage.taken()).toEqual([]);
  });

  it('in the client shape are ignored', async () => {
    const stage = await createCachedStage();
    const source = stage.dl.clientId();
    void stage.dl.applyDirectives([{ op: 'refresh', name: 'tickets', source }]);
    await stage.sim.advance(100);
    expect(stage.taken()).toEqual([]);
  });

  it('from the stream are ignored, and those of other clients are applied', async () => {
    const stage = await createCachedStage({ init: { sse: {} } });
    const { sim, dl, taken } = stage;
    await sim.advance(10);
    sim.hub.emit([{ op: 'refresh_item', name: 'ticket', id: 7 }], { source: dl.clientId() });
    await sim.advance(100);
    expect(taken()).toEqual([]);
    sim.hub.emit([{ op: 'refresh_item', name: 'ticket', id: 7 }], { source: 'another' });
    await sim.advance(100);
    expect(taken()).toEqual(['ticket 7']);
    dl.dispose();
  });

  it('from a custom transport are ignored', async () => {
    const stage = await createCachedStage();
    const { sim, dl, taken } = stage;
    dl.configureDirectiveSource({
      type: 'test',
      connect: (api) => {
        void api.applyDirectives([own(stage)]);
        api.ingestEnvelope(envelope(1, own(stage)));
      },
    });
    await sim.advance(100);
    expect(taken()).toEqual([]);
    expect(stage.of('directive:skipped')).toHaveLength(2);
  });

  it('with an inline result are ignored', async () => {
    const stage = await createCachedStage();
    await stage.dl.applyDirectives([own(stage, { result: { id: 7, mine: true } })]);
    expect(stage.dl.getItemRef('ticket', 7).data).toEqual({ id: 7, default: 1 });
  });
});

describe('D-SRC-2 the pull path', () => {
  it('with DL.fetch applies directives whatever their source', async () => {
    const stage = await createCachedStage();
    const { sim, dl, taken } = stage;
    sim.route('POST /tickets', ({ clientId }) => ({
      directives: [
        refreshItem('ticket', 7, { source: clientId }),
        refreshList('tickets', { source: 'another' }),
      ],
    }));
    await Promise.all([dl.fetch('/tickets', { method: 'POST' }), sim.advance(100)]);
    expect(taken().toSorted()).toEqual(['ticket 7', 'tickets {}']);
  });

  it('with applyResponse applies directives whatever their source', async () => {
    const stage = await createCachedStage();
    await stage.dl.applyResponse(Response.json({ directives: [own(stage)] }));
    await stage.sim.advance(100);
    expect(stage.taken()).toEqual(['ticket 7']);
  });

  it("with applyDirectives and path 'pull' applies directives whatever their source", async () => {
    const stage = await createCachedStage();
    void stage.dl.applyDirectives([own(stage)], { path: 'pull' });
    await stage.sim.advance(100);
    expect(stage.taken()).toEqual(['ticket 7']);
  });

  it('and the echo over the stream cause a single refetch, in either order', async () => {
    const stage = await createCachedStage({ init: { sse: {} } });
    const { sim, dl, hold, item, taken } = stage;
    await hold(() => item('ticket', 7));
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

describe('D-SRC-1 the echo of an own mutation', () => {
  const theirs = (seq: number): object =>
    envelope(seq, refreshItem('ticket', 7, { result: { title: 'theirs' } }));

  it('causes no request when the response contained an inline result', async () => {
    const stage = await createCachedStage();
    const change = own(stage, { idempotency_key: 'mine' });
    stage.sim.route('POST /tickets', () => ({ directives: [{ ...change, result: { title: 'mine' } }] }));
    await Promise.all([stage.dl.fetch('/tickets', { method: 'POST' }), stage.sim.advance(100)]);
    stage.dl.ingestEnvelope(envelope(1, change));
    await stage.sim.advance(100);
    expect(stage.taken()).toEqual([]);
    expect(stage.dl.getItemRef('ticket', 7).data).toEqual({ title: 'mine' });
  });

  it('before the response leaves an inline result from the stream fresh', async () => {
    const stage = await createCachedStage();
    stage.dl.ingestEnvelope(theirs(1));
    stage.dl.ingestEnvelope(envelope(2, own(stage, { idempotency_key: 'mine' })));
    await stage.sim.advance(100);
    expect(stage.taken()).toEqual([]);
    expect(stage.dl.getItemRef('ticket', 7).meta.isStale).toBe(false);
  });

  it('with a lower seq leaves an inline result fresh', async () => {
    const stage = await createCachedStage();
    stage.dl.ingestEnvelope(theirs(5));
    void stage.dl.applyDirectives([own(stage, { seq: 4 })]);
    await stage.sim.advance(100);
    expect(stage.taken()).toEqual([]);
  });

  it('causes no second request for an entry that is being refetched after an inline result', async () => {
    const stage = await createCachedStage();
    stage.server.latencyMs = 200;
    stage.dl.ingestEnvelope(theirs(1));
    stage.dl.ingestEnvelope(envelope(2, refreshItem('ticket', 7)));
    await stage.sim.advance(100);
    stage.dl.ingestEnvelope(envelope(3, own(stage)));
    await stage.sim.advance(1000);
    expect(stage.taken()).toEqual(['ticket 7']);
    expect(stage.dl.getItemRef('ticket', 7).meta.isStale).toBe(false);
  });

  it('is not a repeated directive of another client, so an inline result stays fresh', async () => {
    const stage = await createCachedStage();
    const change = refreshItem('ticket', 7, { source: 'another', idempotency_key: 'theirs' });
    void stage.dl.applyDirectives([change]);
    await stage.sim.advance(100);
    stage.taken();
    void stage.dl.applyDirectives([refreshItem('ticket', 7, { result: { title: 'theirs' } })]);
    void stage.dl.applyDirectives([change]);
    await stage.sim.advance(100);
    expect(stage.taken()).toEqual([]);
    expect(stage.dl.getItemRef('ticket', 7).meta.isStale).toBe(false);
  });

  it.each([
    ['a key', { idempotency_key: 'mine' }, {}],
    ['a target that has a key', {}, { idempotency_key: 'mine' }],
    ['a key and a target that has another key', { idempotency_key: 'other' }, { idempotency_key: 'mine' }],
  ])(
    'is a plain refresh when an inline result was pushed after the response, in a wrapper with %s',
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
      stage.dl.ingestEnvelope(envelope(2, change));
      expect(stage.of('directive:processed').at(-1)?.triggered).toHaveLength(1);
      await stage.sim.advance(100);
      expect(stage.taken()).toEqual(['ticket 7']);
    },
  );

  it('is not a directive for another audience, so an inline result stays fresh', async () => {
    const stage = await createCachedStage();
    stage.dl.ingestEnvelope(theirs(1));
    void stage.dl.applyDirectives([refreshItem('ticket', 7, { audience: 'team-1' })]);
    await stage.sim.advance(100);
    expect(stage.taken()).toEqual([]);
    expect(stage.dl.getItemRef('ticket', 7).meta.isStale).toBe(false);
  });

  it('is not a response that is applied twice, so an inline result stays', async () => {
    const stage = await createCachedStage();
    const change = own(stage, { idempotency_key: 'mine' });
    void stage.dl.applyDirectives([change], { path: 'pull' });
    await stage.sim.advance(10_000);
    stage.taken();
    stage.dl.ingestEnvelope(theirs(1));
    void stage.dl.applyDirectives([change], { path: 'pull' });
    await stage.sim.advance(100);
    expect(stage.taken()).toEqual([]);
    expect(stage.dl.getItemRef('ticket', 7).data).toEqual({ title: 'theirs' });
  });

  it('in a wrapper that arrives before the response does not use up the key of the wrapper', async () => {
    const stage = await createCachedStage();
    const change = {
      op: 'invalidate',
      idempotency_key: 'mine',
      source: stage.dl.clientId(),
      targets: [refreshItem('ticket', 7)],
    };
    stage.dl.ingestEnvelope(envelope(1, change));
    await stage.sim.advance(100);
    expect(stage.taken()).toEqual([]);
    expect(stage.of('directive:skipped').map(({ reason }) => reason)).toEqual(['own-source', 'own-source']);
    void stage.dl.applyDirectives([change], { path: 'pull' });
    await stage.sim.advance(100);
    expect(stage.taken()).toEqual(['ticket 7']);
  });
});

describe('D-SRC-3 §4.1 applyResponse and DL.fetch', () => {
  const inHeader = (directives: unknown, body: BodyInit | null = null, init: ResponseInit = {}): Response =>
    new Response(body, {
      ...init,
      headers: {
        'x-service-directives': typeof directives === 'string' ? directives : JSON.stringify(directives),
        ...(body === null ? {} : { 'content-type': 'application/json' }),
      },
    });
  const json = (body: BodyInit, type = 'application/json'): Response =>
    new Response(body, { headers: { 'content-type': type } });

  /** The ways in which the data layer receives a response. */
  const ways: [string, (stage: Stage, response: Response) => Promise<unknown>][] = [
    ['applyResponse', ({ dl }, response) => dl.applyResponse(response)],
    [
      'DL.fetch',
      ({ dl, sim }, response) => {
        sim.route('POST /tickets', () => response);
        return Promise.all([dl.fetch('/tickets', { method: 'POST' }), sim.advance(0)]);
      },
    ],
  ];

  describe.each(ways)('by %s', (_way, receive) => {
    it.each<[string, (stage: Stage) => Response]>([
      ['a JSON body', (stage) => Response.json({ ok: 1, directives: [own(stage)] })],
      [
        'a body of a specific JSON type',
        (stage) =>
          json(JSON.stringify({ directives: [own(stage)] }), 'application/problem+json; charset=utf-8'),
      ],
      [
        'a JSON body with a byte order mark',
        (stage) => json(`\uFEFF${JSON.stringify({ directives: [own(stage)] })}`),
      ],
      [
        'a JSON body with white space around it',
        (stage) => json(` \n${JSON.stringify({ directives: [own(stage)] })}\n`),
      ],
      ['the header', (stage) => inHeader([own(stage)])],
      ['the header beside a body that is not JSON', (stage) => inHeader([own(stage)], 'not json')],
      ['the header beside a JSON body without directives', (stage) => inHeader([own(stage)], '{"ok":1}')],
      ['the header beside a JSON body that is a list', (stage) => inHeader([own(stage)], '[1]')],
      ['a response with status 201', (stage) => Response.json({ directives: [own(stage)] }, { status: 201 })],
      ['a response with status 409', (stage) => Response.json({ directives: [own(stage)] }, { status: 409 })],
      ['a response with status 500', (stage) => Response.json({ directives: [own(stage)] }, { status: 500 })],
      ['the header of a response with status 204', (stage) => inHeader([own(stage)], null, { status: 204 })],
    ])('applies the directives in %s', async (_title, make) => {
      const stage = await createCachedStage();
      await receive(stage, make(stage));
      await stage.sim.advance(100);
      expect(stage.taken()).toEqual(['ticket 7']);
    });

    it.each<[string, Response]>([
      ['a response without directives', Response.json({ ok: 1 })],
      ['an empty response', new Response(null, { status: 204 })],
      ['an empty JSON body', json(' ')],
      ['a JSON null', json('null')],
      ['a JSON string', json('"created"')],
      ['a JSON list', json('[{"directives":[{}]}]')],
      ['JSON lines', json('{"directives":[{}]}\n{"directives":[{}]}\n')],
      ['text with a JSON type', json('Done, {"directives": [{}]}')],
      ['an empty list', Response.json({ directives: [] })],
      ['null in the body', Response.json({ ok: 1, directives: null })],
      ['null in the header', inHeader('null')],
      ['an empty header', inHeader('')],
    ])('finds no directives and no error in %s', async (_title, response) => {
      const stage = await createCachedStage();
      await receive(stage, response);
      expect(stage.of('directive:received')).toEqual([]);
      expect(stage.of('directive:rejected')).toEqual([]);
      expect(stage.sim.log).toEqual([]);
    });

    it.each(['', 'text/plain', 'text/html; charset=utf-8', 'application/x-ndjson'])(
      'ignores the directives of a body of type %j, and warns',
      async (type) => {
        const stage = await createCachedStage();
        const bytes = new TextEncoder().encode(JSON.stringify({ directives: [own(stage)] }));
        await receive(stage, new Response(bytes, { headers: type === '' ? {} : { 'content-type': type } }));
        await stage.sim.advance(100);
        expect(stage.taken()).toEqual([]);
        expect(stage.sim.log.map(({ message }) => message)).toEqual([
          expect.stringContaining('no JSON content type'),
        ]);
      },
    );

    it('applies directives once when header and body contain them in a different order', async () => {
      const stage = await createCachedStage();
      const [a, b] = [refreshItem('ticket', 7), refreshList('tickets')];
      const headers = { 'X-Service-Directives': JSON.stringify([a, b]) };
      await receive(stage, Response.json({ directives: [b, a] }, { headers }));
      expect(stage.of('directive:processed')).toHaveLength(2);
    });

    it('applies the directives that only the header or only the body contains', async () => {
      const stage = await createCachedStage();
      await receive(stage, inHeader([own(stage)], JSON.stringify({ directives: [refreshList('tickets')] })));
      await stage.sim.advance(100);
      expect(stage.taken().toSorted()).toEqual(['ticket 7', 'tickets {}']);
    });

    it.each([
      ['without a key', {}],
      ['with a key', { idempotency_key: 'k' }],
    ])('applies a directive once when header and body contain it %s', async (_title, more) => {
      const stage = await createCachedStage();
      const directive = own(stage, more);
      await receive(stage, inHeader([directive], JSON.stringify({ directives: [directive] })));
      await stage.sim.advance(100);
      expect(stage.of('directive:processed')).toHaveLength(1);
      expect(stage.taken()).toEqual(['ticket 7']);
    });

    it('applies two equal directives of one body twice', async () => {
      const stage = await createCachedStage();
      await receive(stage, Response.json({ directives: [own(stage), own(stage)] }));
      await stage.sim.advance(100);
      expect(stage.of('directive:processed')).toHaveLength(2);
    });

    it('leaves the body readable', async () => {
      const stage = await createCachedStage();
      const response = Response.json({ ok: 1, directives: [own(stage)] });
      await receive(stage, response);
      await expect(response.json()).resolves.toMatchObject({ ok: 1 });
    });

    it('logs a header and a body that cannot be parsed', async () => {
      const stage = await createCachedStage();
      await receive(stage, inHeader('[', '{'));
      expect(stage.sim.log.map(({ message }) => message)).toEqual([
        expect.stringContaining('X-Service-Directives is not JSON'),
        expect.stringContaining('could not be read'),
        expect.stringContaining('rejected'),
      ]);
    });

    it.each<[string, () => Response]>([
      ['a header that is not JSON', () => inHeader('[nonsense')],
      ['a header that is not a list', () => inHeader({ op: 'refresh_item', name: 'ticket', id: 7 })],
      ['a body with directives that are not a list', () => Response.json({ directives: 'all' })],
      [
        'a body with a single directive',
        () => Response.json({ directives: { op: 'refresh_item', name: 'ticket', id: 7 } }),
      ],
    ])('D-DIR-2 rejects %s and does not throw', async (_title, make) => {
      const stage = await createCachedStage();
      await receive(stage, make());
      expect(stage.of('directive:rejected')).toHaveLength(1);
      expect(stage.of('directive:processed')).toEqual([]);
    });

    it('applies directives for every audience', async () => {
      const stage = await createCachedStage({ init: { sse: { connectOnInit: false } } });
      await receive(stage, Response.json({ directives: [own(stage, { audience: 'user-9' })] }));
      await stage.sim.advance(100);
      expect(stage.taken()).toEqual(['ticket 7']);
      expect(stage.of('directive:skipped')).toEqual([]);
    });

    it('resolves when the directives are applied, before their refetches complete', async () => {
      const stage = await createCachedStage();
      stage.server.latencyMs = 5000;
      await receive(stage, Response.json({ directives: [own(stage)] }));
      expect(stage.dl.getItemRef('ticket', 7).meta.isStale).toBe(true);
      await stage.sim.advance(4999);
      expect(stage.dl.getItemRef('ticket', 7).meta.isStale).toBe(true);
      await stage.sim.advance(1);
      expect(stage.dl.getItemRef('ticket', 7).meta.isStale).toBe(false);
    });

    it('whenSettled of the response waits for the directives of header and body', async () => {
      const stage = await createCachedStage();
      stage.server.latencyMs = 500;
      const response = inHeader([own(stage)], JSON.stringify({ directives: [refreshList('tickets')] }));
      await receive(stage, response);
      await stage.sim.advance(200);
      void stage.dl.applyDirectives([own(stage, { result: { id: 7 }, source: null })]); // Settles the item, not the list.
      let isSettled = false;
      void stage.dl.whenSettled(response).then(() => (isSettled = true));
      await stage.sim.advance(200);
      expect(isSettled).toBe(false);
      await stage.sim.advance(200);
      expect(isSettled).toBe(true);
    });
  });

  it('applyResponse warns about a body that was already read, unless the header contains directives', async () => {
    const stage = await createCachedStage();
    const response = Response.json({ directives: [own(stage)] });
    await response.json();
    await stage.dl.applyResponse(response);
    expect(stage.sim.log.map(({ message }) => message)).toEqual([
      expect.stringContaining('could not be read'),
    ]);
    const other = inHeader([own(stage)], '{}');
    await other.json();
    await stage.dl.applyResponse(other);
    expect(stage.sim.log).toHaveLength(1);
    await stage.sim.advance(100);
    expect(stage.taken()).toEqual(['ticket 7']);
  });
});

describe('D-SRC-4 own echoes', () => {
  const send = ({ dl }: Stage, init: RequestInit = {}): Promise<unknown> =>
    dl.fetch('/tickets', { method: 'POST', ...init }).then(
      (response) => response.status,
      (error: unknown) => error,
    );
  const echo = (stage: Stage, more: object = {}): void => void stage.dl.applyDirectives([own(stage, more)]);

  it.each(['null', '"created"', '7', 'true', '[]'])(
    'are ignored after a response with the body %s',
    async (body) => {
      const stage = await createCachedStage();
      stage.sim.route(
        'POST /tickets',
        () => new Response(body, { headers: { 'content-type': 'application/json' } }),
      );
      await Promise.all([send(stage), stage.sim.advance(10)]);
      echo(stage);
      await stage.sim.advance(100);
      expect(stage.taken()).toEqual([]);
      expect(stage.of('directive:skipped')).toHaveLength(1);
    },
  );

  it('are applied when they arrive after the mutation rejected', async () => {
    const stage = await createCachedStage();
    stage.sim.link.loseAnswers();
    await Promise.all([send(stage), stage.sim.advance(10)]);
    echo(stage);
    await stage.sim.advance(100);
    expect(stage.taken()).toEqual(['ticket 7']);
    expect(stage.of('directive:skipped')).toEqual([]);
  });

  it.each([
    ['at 59,999 ms', 59_999, ['ticket 7']],
    ['at 60,001 ms', 60_001, []],
  ])('are applied for 60 s after a response was lost: %s', async (_title, ms, calls) => {
    const stage = await createCachedStage();
    stage.sim.link.loseAnswers();
    await send(stage);
    await stage.sim.advance(ms);
    echo(stage);
    await stage.sim.advance(100);
    expect(stage.taken()).toEqual(calls);
  });

  it('that arrived while the mutation was in flight are applied when it rejects', async () => {
    const stage = await createCachedStage();
    stage.sim.link.delay(50);
    stage.sim.link.loseAnswers();
    stage.sim.route('POST /tickets', () => {
      echo(stage);
      return {};
    });
    const sending = send(stage);
    await stage.sim.advance(60);
    expect(stage.of('directive:skipped').map(({ reason }) => reason)).toEqual(['own-source']);
    expect(stage.dl.getItemRef('ticket', 7).meta.isStale).toBe(false);
    await Promise.all([sending, stage.sim.advance(200)]);
    expect(stage.taken()).toEqual(['ticket 7']);
  });

  it.each<[string, () => Response]>([
    [
      'header cannot be read',
      () => new Response('', { headers: { 'X-Service-Directives': '[{"op":"refresh_item","na' } }),
    ],
    ['body has no list', () => Response.json({ directives: 'all' })],
  ])('that arrived while the mutation was in flight are applied when its %s', async (_title, respond) => {
    const stage = await createCachedStage();
    stage.sim.link.delay(50);
    stage.sim.route('POST /tickets', () => {
      echo(stage);
      return respond();
    });
    await Promise.all([send(stage), stage.sim.advance(300)]);
    expect(stage.taken()).toEqual(['ticket 7']);
  });

  it('that were applied after a lost response cause no warning when a later mutation completes', async () => {
    const stage = await createCachedStage();
    stage.sim.link.delay(50);
    stage.sim.route('POST /later', () => ({ directives: [] }));
    stage.sim.route('POST /tickets', () => {
      echo(stage, { idempotency_key: 'lost' });
      return new Response('', { status: 502 });
    });
    const first = send(stage);
    await stage.sim.advance(10);
    const later = stage.dl.fetch('/later', { method: 'POST' });
    await Promise.all([first, later, stage.sim.advance(300)]);
    expect(stage.taken()).toEqual(['ticket 7']);
    expect(stage.sim.log).toEqual([]);
  });

  it('in a wrapper that arrived while the mutation was in flight are applied once each', async () => {
    const stage = await createCachedStage();
    stage.sim.link.delay(50);
    stage.sim.link.loseAnswers();
    stage.sim.route('POST /tickets', () => {
      const targets = [refreshItem('ticket', 7), refreshList('tickets')];
      void stage.dl.applyDirectives([{ op: 'invalidate', source: stage.dl.clientId(), targets }]);
      return {};
    });
    await Promise.all([send(stage), stage.sim.advance(300)]);
    expect(stage.taken()).toEqual(['ticket 7', 'tickets {}']);
    expect(stage.of('directive:processed')).toHaveLength(2);
  });

  it('in a wrapper that arrives after a lost response are applied and use up its key', async () => {
    const stage = await createCachedStage();
    stage.sim.link.loseAnswers();
    await send(stage);
    const change = {
      op: 'invalidate',
      idempotency_key: 'k',
      source: stage.dl.clientId(),
      targets: [refreshItem('ticket', 7)],
    };
    void stage.dl.applyDirectives([change]);
    await stage.sim.advance(100);
    expect(stage.taken()).toEqual(['ticket 7']);
    expect(stage.of('directive:skipped')).toEqual([]);
    expect(stage.of('directive:processed')).toHaveLength(2);
    void stage.dl.applyDirectives([change]);
    await stage.sim.advance(100);
    expect(stage.taken()).toEqual([]);
    expect(stage.of('directive:skipped').map(({ reason }) => reason)).toEqual(['duplicate']);
  });

  it('with an inline result are applied after a lost response', async () => {
    const stage = await createCachedStage();
    stage.sim.link.loseAnswers();
    await send(stage);
    echo(stage, { result: { title: 'committed' } });
    await stage.sim.advance(0);
    expect(stage.dl.getItemRef('ticket', 7).data).toEqual({ title: 'committed' });
  });

  it('are ignored without a mutation in flight, whatever their number', async () => {
    const stage = await createCachedStage();
    void stage.dl.applyDirectives(Array.from({ length: 1000 }, () => own(stage)));
    echo(stage);
    await stage.sim.advance(100);
    expect(stage.taken()).toEqual([]);
  });

  it('that were kept do not replace the inline result of a newer directive, but are refetched', async () => {
    const stage = await createCachedStage();
    stage.sim.link.delay(50);
    stage.sim.link.loseAnswers();
    stage.sim.route('POST /tickets', () => {
      stage.dl.ingestEnvelope(envelope(4, own(stage, { result: { title: 'mine' } })));
      stage.dl.ingestEnvelope(envelope(5, refreshItem('ticket', 7, { result: { title: 'newer' } })));
      return {};
    });
    await Promise.all([send(stage), stage.sim.advance(200)]);
    expect(stage.of('directive:skipped').map(({ reason }) => reason)).toEqual(['own-source']);
    expect(stage.taken()).toEqual(['ticket 7']);
    expect(stage.dl.getItemRef('ticket', 7).data).toEqual({ id: 7, default: 1 });
  });

  it.each(['before', 'after'])(
    'D-DIR-9 that arrive %s a response without a seq give it theirs, so the next inline result is applied',
    async (when) => {
      const stage = await createCachedStage();
      const { dl, sim } = stage;
      const change = own(stage, { idempotency_key: 'b', result: { title: 'mine' } });
      sim.route('POST /tickets', () => {
        if (when === 'before') dl.ingestEnvelope(envelope(4, change));
        return { directives: [change] };
      });
      await Promise.all([send(stage), sim.advance(10)]);
      if (when === 'after') dl.ingestEnvelope(envelope(4, change));
      expect(dl.getItemRef('ticket', 7).data).toEqual({ title: 'mine' });
      dl.ingestEnvelope(envelope(5, refreshItem('ticket', 7, { result: { title: 'theirs' } })));
      expect(dl.getItemRef('ticket', 7).data).toEqual({ title: 'theirs' });
      await sim.advance(100);
      expect(stage.taken()).toEqual([]);
    },
  );

  it('D-DIR-9 make a later response without a seq and a key a plain refresh', async () => {
    const stage = await createCachedStage();
    const { dl, sim } = stage;
    sim.route('POST /tickets', () => {
      dl.ingestEnvelope(envelope(4, own(stage)));
      return { directives: [own(stage, { result: { title: 'mine' } })] };
    });
    await Promise.all([send(stage), sim.advance(100)]);
    expect(stage.taken()).toEqual(['ticket 7']);
  });

  it('are applied after an aborted mutation', async () => {
    const stage = await createCachedStage();
    stage.sim.link.delay(50);
    const stop = new AbortController();
    const sending = send(stage, { signal: stop.signal });
    await stage.sim.advance(60);
    stop.abort();
    await sending;
    echo(stage);
    await stage.sim.advance(100);
    expect(stage.taken()).toEqual(['ticket 7']);
  });

  it('are applied after a JSON body that cannot be parsed, and the response is still returned', async () => {
    const stage = await createCachedStage();
    stage.sim.route(
      'POST /tickets',
      () => new Response('{"ok": tr', { headers: { 'content-type': 'application/json' } }),
    );
    await expect(send(stage)).resolves.toBe(200);
    echo(stage);
    await stage.sim.advance(100);
    expect(stage.taken()).toEqual(['ticket 7']);
  });

  it.each<[string, () => Response, string[]]>([
    [
      'are applied after a 502 without directives',
      () => new Response('bad gateway', { status: 502 }),
      ['ticket 7'],
    ],
    ['are applied after a 500 without directives', () => new Response(null, { status: 500 }), ['ticket 7']],
    ['are ignored after a 500 with directives', () => Response.json({ directives: [] }, { status: 500 }), []],
    ['are ignored after a 409 without directives', () => new Response(null, { status: 409 }), []],
  ])('%s', async (_title, answer, calls) => {
    const stage = await createCachedStage();
    stage.sim.route('POST /tickets', answer);
    await send(stage);
    echo(stage);
    await stage.sim.advance(100);
    expect(stage.taken()).toEqual(calls);
  });

  it.each(['GET', 'HEAD', 'options'])(
    'are ignored after a lost %s response, because the request changed nothing',
    async (method) => {
      const stage = await createCachedStage();
      stage.sim.link.loseAnswers();
      await stage.dl.fetch('/tickets', { method }).catch(() => undefined);
      echo(stage);
      await stage.sim.advance(100);
      expect(stage.taken()).toEqual([]);
    },
  );

  it('are applied after the response to a Request with method POST was lost', async () => {
    const stage = await createCachedStage();
    stage.sim.link.loseAnswers();
    await stage.dl.fetch(new Request('https://app.test/tickets', { method: 'POST' })).catch(() => undefined);
    echo(stage);
    await stage.sim.advance(100);
    expect(stage.taken()).toEqual(['ticket 7']);
  });

  it('are not applied again when their key was already applied', async () => {
    const stage = await createCachedStage();
    stage.sim.route('POST /tickets', () => ({ directives: [own(stage, { idempotency_key: 'k' })] }));
    await Promise.all([send(stage), stage.sim.advance(100)]);
    expect(stage.taken()).toEqual(['ticket 7']);
    stage.sim.link.loseAnswers();
    await send(stage);
    echo(stage, { idempotency_key: 'k' });
    await stage.sim.advance(100);
    expect(stage.taken()).toEqual([]);
    expect(stage.of('directive:skipped').map(({ reason }) => reason)).toEqual(['duplicate']);
  });

  it('that were kept and then arrive again are applied once', async () => {
    const stage = await createCachedStage();
    stage.sim.link.delay(50);
    stage.sim.link.loseAnswers();
    stage.sim.route('POST /tickets', () => {
      echo(stage, { idempotency_key: 'k' });
      return {};
    });
    await Promise.all([send(stage), stage.sim.advance(300)]);
    echo(stage, { idempotency_key: 'k' });
    await stage.sim.advance(100);
    expect(stage.taken()).toEqual(['ticket 7']);
  });

  it('are ignored when the mutation received a response', async () => {
    const stage = await createCachedStage();
    stage.sim.link.delay(50);
    stage.sim.route('POST /tickets', () => {
      echo(stage);
      return {};
    });
    await Promise.all([send(stage), stage.sim.advance(200)]);
    echo(stage);
    await stage.sim.advance(100);
    expect(stage.taken()).toEqual([]);
  });

  it('that arrived while two mutations were in flight are applied when one of them is lost', async () => {
    const stage = await createCachedStage();
    stage.sim.link.delay(50);
    stage.sim.link.loseAnswers(1);
    stage.sim.route('POST /tickets', async () => {
      await stage.sim.sleep(20);
      echo(stage);
      return {};
    });
    const lost = send(stage);
    const answered = send(stage);
    await Promise.all([lost, answered, stage.sim.advance(300)]);
    expect(stage.taken()).toEqual(['ticket 7']);
  });

  it('that arrived before a lost mutation was sent are ignored when an earlier mutation succeeds', async () => {
    const stage = await createCachedStage();
    stage.sim.route('POST /slow', () => stage.sim.sleep(100).then(() => ({})));
    const slow = stage.dl.fetch('/slow', { method: 'POST' });
    await stage.sim.advance(10);
    echo(stage);
    await stage.sim.advance(10);
    stage.sim.link.loseAnswers(1);
    await send(stage);
    await Promise.all([slow, stage.sim.advance(200)]);
    expect(stage.taken()).toEqual([]);
  });

  it('that arrived before a lost mutation was sent are applied when an earlier mutation is lost too', async () => {
    const stage = await createCachedStage();
    stage.sim.link.loseAnswers(2);
    stage.sim.route('POST /slow', () => stage.sim.sleep(100).then(() => ({})));
    const slow = stage.dl.fetch('/slow', { method: 'POST' }).catch(() => undefined);
    await stage.sim.advance(10);
    echo(stage);
    await send(stage);
    await stage.sim.advance(60);
    expect(stage.taken()).toEqual([]);
    await Promise.all([slow, stage.sim.advance(200)]);
    expect(stage.taken()).toEqual(['ticket 7']);
  });

  it('do not affect the directives of other clients, which are applied', async () => {
    const stage = await createCachedStage();
    stage.sim.link.loseAnswers();
    await send(stage);
    echo(stage, { source: 'another' });
    await stage.sim.advance(100);
    expect(stage.taken()).toEqual(['ticket 7']);
  });
});

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

  it('is logged, and nothing is applied', async () => {
    const stage = await createCachedStage();
    await answering(stage, { ok: true });
    expect(stage.taken()).toEqual([]);
    expect(warnings(stage)).toEqual([
      expect.stringContaining('Return what emit resolves to in the response'),
    ]);
  });

  it('is not logged when the response contains them', async () => {
    const stage = await createCachedStage();
    await answering(stage, { directives: [own(stage, key)] });
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
