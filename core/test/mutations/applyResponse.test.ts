// The directives of a response, by `DL.fetch` and by `applyResponse`.

import { describe, expect, it } from 'vitest';
import { own } from '../directives/setup.ts';
import { refreshItem, refreshList } from '../directives.ts';
import { type Stage, createCachedStage, createStage } from '../world.ts';

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

describe('§4.1 the response of a mutation', () => {
  it('after the removal of an item refetches the lists and not the item', async () => {
    const stage = createStage();
    await stage.hold(
      () => stage.list('tickets'),
      () => stage.item('ticket', 7),
    );
    stage.sim.route('DELETE /tickets/7', () => ({ directives: [refreshList('tickets')] }));
    await stage.dl.fetch('/tickets/7', { method: 'DELETE' });
    await stage.sim.advance(100);
    expect(stage.taken()).toEqual(['tickets {}']);
  });

  it('has directives that reach other clients over the stream with the source of the mutation', async () => {
    const a = createStage({ init: { sse: {} } });
    const b = createStage({ sim: a.sim, init: { sse: {} } });
    await a.hold(() => a.list('tickets'));
    await b.hold(() => b.list('tickets'));
    a.sim.route('POST /tickets', ({ clientId }) => ({
      directives: a.sim.hub.emit([{ op: 'refresh_collection', name: 'tickets' }], { source: clientId }),
    }));
    await Promise.all([a.dl.fetch('/tickets', { method: 'POST' }), a.sim.advance(200)]);
    expect([a.taken(), b.taken()]).toEqual([['tickets {}'], ['tickets {}']]);
    expect(b.of('directive:received').at(-1)?.directives).toMatchObject([{ source: a.dl.clientId() }]);
    a.dl.dispose();
    b.dl.dispose();
  });
});
