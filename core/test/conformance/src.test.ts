// D-SRC: what a client does with the directives of its own mutations, and the pull path.

import { describe, expect, it } from 'vitest';
import { createDataLayer } from '@edict/core';
import { refreshItem, refreshList } from './directives.ts';
import { createStage } from './stage.ts';
import type { Stage, StageOptions } from './stage.ts';
import { untyped } from './world.ts';

const own = ({ dl }: Stage, more: object = {}): object =>
  refreshItem('ticket', 7, { source: dl.clientId(), ...more });

async function held(options?: StageOptions): Promise<Stage> {
  const stage = createStage(options);
  await stage.hold(
    () => stage.item('ticket', 7),
    () => stage.list('tickets'),
  );
  return stage;
}

const envelope = (seq: number, ...directives: object[]): object => ({
  type: 'directives',
  seq,
  audience: 'global',
  directives,
});

describe('D-SRC-1 directives of the own source', () => {
  it.each([[undefined], [null], [{}]])('by applyDirectives with options %j are ignored', async (options) => {
    const stage = await held();
    await stage.dl.applyDirectives([own(stage)], untyped(options));
    expect(stage.of('directive:skipped')).toMatchObject([{ reason: 'own-source' }]);
  });

  it('by applyDirectives are ignored', async () => {
    const stage = await held();
    void stage.dl.applyDirectives([own(stage)]);
    await stage.sim.advance(100);
    expect(stage.taken()).toEqual([]);
    expect(stage.of('directive:skipped').map(({ reason }) => reason)).toEqual(['own-source']);
    expect(stage.dl.getItemRef('ticket', 7).meta.isStale).toBe(false);
  });

  it("by applyDirectives with path 'push' are ignored", async () => {
    const stage = await held();
    void stage.dl.applyDirectives([own(stage)], { path: 'push' });
    await stage.sim.advance(100);
    expect(stage.taken()).toEqual([]);
  });

  it('in the client shape are ignored', async () => {
    const stage = await held();
    const source = stage.dl.clientId();
    void stage.dl.applyDirectives([{ op: 'refresh', name: 'tickets', source }]);
    await stage.sim.advance(100);
    expect(stage.taken()).toEqual([]);
  });

  it('by the stream are ignored, and those of others are applied', async () => {
    const stage = await held({ init: { sse: {} } });
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

  it('by a custom transport are ignored', async () => {
    const stage = await held();
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

  it('an own inline result is not applied either', async () => {
    const stage = await held();
    await stage.dl.applyDirectives([own(stage, { result: { id: 7, mine: true } })]);
    expect(stage.dl.getItemRef('ticket', 7).data).toEqual({ id: 7, default: 1 });
  });

  it('do not hold back force_reload_page', async () => {
    const stage = await held();
    await stage.dl.applyDirectives([{ op: 'force_reload_page', source: stage.dl.clientId() }]);
    expect(stage.sim.reloads).toHaveLength(1);
  });

  it('do not hold back a force_reload_page among the targets of an own wrapper', async () => {
    const stage = await held();
    await stage.dl.applyDirectives([
      { op: 'invalidate', source: stage.dl.clientId(), targets: [{ op: 'force_reload_page' }] },
    ]);
    expect(stage.sim.reloads).toHaveLength(1);
  });
});

describe('D-SRC-2 the pull path', () => {
  it('by DL.fetch applies directives whatever their source', async () => {
    const stage = await held();
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

  it('by applyResponse applies directives whatever their source', async () => {
    const stage = await held();
    await stage.dl.applyResponse(Response.json({ directives: [own(stage)] }));
    await stage.sim.advance(100);
    expect(stage.taken()).toEqual(['ticket 7']);
  });

  it("by applyDirectives with path 'pull' is the same by hand", async () => {
    const stage = await held();
    void stage.dl.applyDirectives([own(stage)], { path: 'pull' });
    await stage.sim.advance(100);
    expect(stage.taken()).toEqual(['ticket 7']);
  });

  it('and the echo over the stream makes it one refetch, in either order', async () => {
    const stage = await held({ init: { sse: {} } });
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

describe('D-SRC-1 the echo of an own change', () => {
  const theirs = (seq: number): object =>
    envelope(seq, refreshItem('ticket', 7, { result: { title: 'theirs' } }));

  it('asks for nothing where the answer brought the result itself', async () => {
    const stage = await held();
    const change = own(stage, { idempotency_key: 'mine' });
    stage.sim.route('POST /tickets', () => ({ directives: [{ ...change, result: { title: 'mine' } }] }));
    await Promise.all([stage.dl.fetch('/tickets', { method: 'POST' }), stage.sim.advance(100)]);
    stage.dl.ingestEnvelope(envelope(1, change));
    await stage.sim.advance(100);
    expect(stage.taken()).toEqual([]);
    expect(stage.dl.getItemRef('ticket', 7).data).toEqual({ title: 'mine' });
  });

  it('shows nothing before its answer: a result that the stream brought stays', async () => {
    const stage = await held();
    stage.dl.ingestEnvelope(theirs(1));
    stage.dl.ingestEnvelope(envelope(2, own(stage, { idempotency_key: 'mine' })));
    await stage.sim.advance(100);
    expect(stage.taken()).toEqual([]);
    expect(stage.dl.getItemRef('ticket', 7).meta.isStale).toBe(false);
  });

  it('without a key makes stale a result that the stream brought before it', async () => {
    const stage = await held();
    stage.dl.ingestEnvelope(theirs(1));
    stage.dl.ingestEnvelope(envelope(2, own(stage)));
    expect(stage.dl.getItemRef('ticket', 7).meta.isStale).toBe(true);
    await stage.sim.advance(100);
    expect(stage.taken()).toEqual(['ticket 7']);
  });

  it.each([
    ['without a number', {}],
    ['with a number of another audience', { seq: 1, audience: 'team-1' }],
  ])('%s makes stale a result that has one', async (_title, more) => {
    const stage = await held({ init: { sse: { enabled: false, audience: ['global', 'team-1'] } } });
    stage.dl.ingestEnvelope(theirs(5));
    void stage.dl.applyDirectives([own(stage, more)]);
    await stage.sim.advance(100);
    expect(stage.taken()).toEqual(['ticket 7']);
  });

  it('with a lower number leaves a result as it is', async () => {
    const stage = await held();
    stage.dl.ingestEnvelope(theirs(5));
    void stage.dl.applyDirectives([own(stage, { seq: 4 })]);
    await stage.sim.advance(100);
    expect(stage.taken()).toEqual([]);
  });

  it('asks no more for what is being refetched since that result', async () => {
    const stage = await held();
    stage.server.latencyMs = 200;
    stage.dl.ingestEnvelope(theirs(1));
    stage.dl.ingestEnvelope(envelope(2, refreshItem('ticket', 7)));
    await stage.sim.advance(100);
    stage.dl.ingestEnvelope(envelope(3, own(stage)));
    await stage.sim.advance(1000);
    expect(stage.taken()).toEqual(['ticket 7']);
    expect(stage.dl.getItemRef('ticket', 7).meta.isStale).toBe(false);
  });

  it('is not what somebody else has said twice: a result that the stream brought meanwhile stays', async () => {
    const stage = await held();
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
    ['the key of their wrapper', { idempotency_key: 'mine' }, {}],
    ['a key of their own', {}, { idempotency_key: 'mine' }],
    [
      'a key of their own before that of their wrapper',
      { idempotency_key: 'other' },
      { idempotency_key: 'mine' },
    ],
  ])('in a wrapper is known by %s', async (_title, ofWrapper, ofTarget) => {
    const stage = await held();
    const change = {
      op: 'invalidate',
      source: stage.dl.clientId(),
      ...ofWrapper,
      targets: [refreshItem('ticket', 7, ofTarget)],
    };
    stage.dl.ingestEnvelope(theirs(1));
    stage.dl.ingestEnvelope(envelope(2, change));
    await stage.sim.advance(100);
    expect(stage.taken()).toEqual([]); // Its answer has not come.
    stage.sim.route('POST /tickets', () => ({
      directives: [refreshItem('ticket', 99, { idempotency_key: 'mine' })],
    }));
    await Promise.all([stage.dl.fetch('/tickets', { method: 'POST' }), stage.sim.advance(100)]);
    stage.dl.ingestEnvelope(envelope(3, change));
    await stage.sim.advance(100);
    expect(stage.taken()).toEqual(['ticket 7']);
  });

  it('a directive for another audience is none: a result that the stream brought stays', async () => {
    const stage = await held();
    stage.dl.ingestEnvelope(theirs(1));
    void stage.dl.applyDirectives([refreshItem('ticket', 7, { audience: 'team-1' })]);
    await stage.sim.advance(100);
    expect(stage.taken()).toEqual([]);
    expect(stage.dl.getItemRef('ticket', 7).meta.isStale).toBe(false);
  });

  it('is not the answer that comes a second time: a result that the stream brought stays', async () => {
    const stage = await held();
    const change = own(stage, { idempotency_key: 'mine' });
    void stage.dl.applyDirectives([change], { path: 'pull' });
    await stage.sim.advance(100);
    stage.taken();
    stage.dl.ingestEnvelope(theirs(1));
    void stage.dl.applyDirectives([change], { path: 'pull' });
    await stage.sim.advance(100);
    expect(stage.taken()).toEqual([]);
    expect(stage.dl.getItemRef('ticket', 7).data).toEqual({ title: 'theirs' });
  });

  it('in a wrapper that comes before the answer does not use up the key of the wrapper', async () => {
    const stage = await held();
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

describe('D-SRC-3 DL.fetch', () => {
  const sent = (stage: Stage): (string | null)[] => {
    const headers = stage.sim.requests.findLast(({ isStream }) => !isStream)?.headers;
    return [headers?.get('x-service-client-id') ?? null, headers?.get('x-service-directive-request') ?? null];
  };

  it('adds its headers to a request of the same origin', async () => {
    const stage = createStage();
    await Promise.all([stage.dl.fetch('/x', { method: 'POST' }), stage.sim.advance(10)]);
    expect(sent(stage)).toEqual([stage.dl.clientId(), 'send me directives']);
  });

  it('where nothing is known of an origin, adds them to a relative address alone', async () => {
    const stage = createStage({ env: () => ({ origin: () => null }) });
    await Promise.all([stage.dl.fetch('/x', { method: 'POST' }), stage.sim.advance(10)]);
    expect(sent(stage)).toEqual([stage.dl.clientId(), 'send me directives']);
    await Promise.all([stage.dl.fetch('https://app.test/x', { method: 'POST' }), stage.sim.advance(10)]);
    expect(sent(stage)).toEqual([null, null]);
  });

  it.each<[string, () => [RequestInfo | URL, RequestInit?]]>([
    ['a path', () => ['/x', { headers: { 'x-mine': '1' } }]],
    ['an absolute address', () => ['https://app.test/x', { headers: [['x-mine', '1']] }]],
    ['a URL', () => [new URL('https://app.test/x'), { headers: new Headers({ 'x-mine': '1' }) }]],
    ['a Request', () => [new Request('https://app.test/x', { headers: { 'x-mine': '1' } })]],
    [
      'a Request with an init',
      () => [new Request('https://app.test/x'), { method: 'PUT', headers: { 'x-mine': '1' } }],
    ],
  ])('takes %s as fetch does and keeps its headers', async (_title, args) => {
    const stage = createStage();
    await Promise.all([stage.dl.fetch(...args()), stage.sim.advance(10)]);
    expect(sent(stage)).toEqual([stage.dl.clientId(), 'send me directives']);
    expect(stage.sim.requests.at(-1)?.headers.get('x-mine')).toBe('1');
    expect(stage.sim.requests.at(-1)?.url.pathname).toBe('/x');
  });

  it.each([
    ['another host', 'https://elsewhere.test/x'],
    ['another scheme', 'http://app.test/x'],
    ['another port', 'https://app.test:8443/x'],
    ['a relative scheme', '//elsewhere.test/x'],
    ['a name that only begins the same', 'https://app.test.evil.test/x'],
  ])('sends no headers of its own to %s', async (_title, url) => {
    const stage = createStage();
    await Promise.all([
      stage.dl.fetch(url, { method: 'POST', headers: { 'x-mine': '1' } }),
      stage.sim.advance(10),
    ]);
    expect(sent(stage)).toEqual([null, null]);
    expect(stage.sim.requests.at(-1)?.headers.get('x-mine')).toBe('1');
  });

  it.each([[undefined], [null], [5]])('leaves %j to the fetch of the environment', async (input) => {
    const asked: unknown[] = [];
    const refuse = (target: unknown): Promise<never> => {
      asked.push(target);
      return Promise.reject(new TypeError('no address'));
    };
    const { dl } = createStage({ env: () => ({ fetch: refuse }) });
    await expect(dl.fetch(untyped(input), { method: 'POST' })).rejects.toThrow('no address');
    expect(asked).toEqual([input]);
  });

  it('sends them to the origins of fetchOrigins', async () => {
    const stage = createStage({ init: { sse: { enabled: false }, fetchOrigins: ['https://api.test'] } });
    await Promise.all([stage.dl.fetch('https://api.test/x', { method: 'POST' }), stage.sim.advance(10)]);
    expect(sent(stage)).toEqual([stage.dl.clientId(), 'send me directives']);
    // The scheme is that of the page.
    await Promise.all([stage.dl.fetch('//api.test/x', { method: 'POST' }), stage.sim.advance(10)]);
    expect(sent(stage)).toEqual([stage.dl.clientId(), 'send me directives']);
    await Promise.all([stage.dl.fetch('//api2.test/x', { method: 'POST' }), stage.sim.advance(10)]);
    expect(sent(stage)).toEqual([null, null]);
    await Promise.all([stage.dl.fetch('https://api2.test/x', { method: 'POST' }), stage.sim.advance(10)]);
    expect(sent(stage)).toEqual([null, null]);
  });

  it('outside a browser the origin of sse.baseUrl is the own one', async () => {
    const stage = createStage({
      isBrowser: false,
      init: { sse: { enabled: false, baseUrl: 'https://app.test' } },
    });
    await Promise.all([stage.dl.fetch('https://app.test/x', { method: 'POST' }), stage.sim.advance(10)]);
    expect(sent(stage)).toEqual([stage.dl.clientId(), 'send me directives']);
    await Promise.all([stage.dl.fetch('https://other.test/x', { method: 'POST' }), stage.sim.advance(10)]);
    expect(sent(stage)).toEqual([null, null]);
  });

  it('applies the directives before it returns, and the body is still readable', async () => {
    const stage = await held();
    stage.sim.route('POST /tickets', () => ({ ok: true, directives: [own(stage)] }));
    let staleWhenReturned: boolean | null = null;
    const answer = stage.dl.fetch('/tickets', { method: 'POST' }).then(async (response) => {
      staleWhenReturned = stage.dl.getItemRef('ticket', 7).meta.isStale;
      return response.json();
    });
    await stage.sim.advance(0);
    await expect(answer).resolves.toMatchObject({ ok: true });
    expect(staleWhenReturned).toBe(true);
    expect(stage.calls).toEqual([]);
  });

  it('resolves when they are applied, not refetched', async () => {
    const stage = await held();
    stage.server.latencyMs = 5000;
    stage.sim.route('POST /tickets', () => ({ directives: [own(stage)] }));
    const response = await stage.dl.fetch('/tickets', { method: 'POST' });
    expect(response.status).toBe(200);
    expect(stage.dl.hasAnyInFlightRequests()).toBe(false);
    await stage.sim.advance(50);
    expect(stage.dl.hasAnyInFlightRequests()).toBe(true);
  });

  it.each([
    ['application/json-seq', '\u001e{}\n'],
    ['application/stream+json', '{"token": 1}\n'],
    ['multipart/mixed; boundary=json', '--json\n'],
    ['text/plain; charset=utf-8', 'one word'],
    ['text/plain', '{"token": 1}\n'],
    ['', '\n[1'],
  ])('does not wait for the end of a stream, of %s with %j', async (type, text) => {
    const stage = createStage();
    stage.sim.route('POST /follow', () => {
      const body = new ReadableStream({ start: (stream) => stream.enqueue(new TextEncoder().encode(text)) });
      return new Response(body, { headers: { 'content-type': type } });
    });
    const answer = stage.dl.fetch('/follow', { method: 'POST' });
    const late = stage.sim.sleep(1000).then(() => null);
    const [response] = await Promise.all([Promise.race([answer, late]), stage.sim.advance(1000)]);
    expect(response?.headers.get('content-type')).toBe(type);
    expect(response?.bodyUsed).toBe(false);
    expect(stage.sim.log).toEqual([]);
  });

  it('leaves the body of which nothing is said to the application', async () => {
    const stage = createStage();
    stage.sim.route('POST /tickets', () => new Response('{"id": 7}'));
    const answer = stage.dl.fetch('/tickets', { method: 'POST' });
    await stage.sim.advance(100);
    expect(await (await answer).json()).toEqual({ id: 7 });
  });

  it('takes a body of which nothing is said, and that breaks off, for an answer that was lost', async () => {
    const stage = await held();
    stage.sim.route('POST /tickets', () => {
      const text = new TextEncoder().encode('{"directives": [');
      const body = new ReadableStream({
        start: (stream) => stream.enqueue(text),
        pull: (stream) => stream.error(new Error('cut')),
      });
      return new Response(body);
    });
    void stage.dl.fetch('/tickets', { method: 'POST' });
    await stage.sim.advance(100);
    void stage.dl.applyDirectives([own(stage)]);
    await stage.sim.advance(100);
    expect(stage.taken()).toEqual(['ticket 7']);
  });

  it.each<[string, object]>([
    ['no headers', { ok: true, json: () => Promise.resolve({}) }],
    ['headers that are a plain object', { status: 200, headers: { 'content-type': 'application/json' } }],
    ['headers that are a Map', { status: 200, headers: new Map([['content-type', 'text/plain']]) }],
  ])(
    'returns what stands in for fetch answers, with %s, and takes it for an answer',
    async (_title, answer) => {
      const dl = createDataLayer({ env: { fetch: () => Promise.resolve(answer as Response) } }); // As in a test of an application.
      const heard: string[] = [];
      dl.onLifecycle('*', ({ event }) => heard.push(event));
      await expect(dl.fetch('/tickets/7', { method: 'POST' })).resolves.toBe(answer);
      void dl.applyDirectives([refreshItem('ticket', 7, { source: dl.clientId() })]);
      expect(heard).toEqual(['directive:received', 'directive:skipped']);
      dl.dispose();
    },
  );

  it('rejects as fetch does', async () => {
    const stage = createStage();
    stage.sim.link.loseRequests();
    await expect(stage.dl.fetch('/x', { method: 'POST' })).rejects.toThrow('fetch failed');
    const stop = new AbortController();
    stop.abort(new Error('changed my mind'));
    await expect(stage.dl.fetch('/x', { signal: stop.signal })).rejects.toThrow('changed my mind');
  });
});

describe('D-SRC-3 the answer of a GET', () => {
  it('is searched for directives as any other', async () => {
    const stage = await held();
    stage.sim.route('GET /report', () => ({ directives: [refreshItem('ticket', 7)] }));
    await Promise.all([stage.dl.fetch('/report'), stage.sim.advance(100)]);
    expect(stage.taken()).toEqual(['ticket 7']);
  });
});

describe('D-SRC-3 applyResponse', () => {
  /** In two pieces, of which the first could be all. */
  const unsaid = (stage: Stage, headers: HeadersInit): Response => {
    const bytes = new TextEncoder().encode(JSON.stringify({ nested: {}, directives: [own(stage)] }));
    const body = new ReadableStream({
      start(stream) {
        stream.enqueue(bytes.slice(0, '{"nested":{}'.length));
        stream.enqueue(bytes.slice('{"nested":{}'.length));
        stream.close();
      },
    });
    return new Response(body, { headers });
  };

  const inHeader = (directives: unknown, body: BodyInit | null = null, init: ResponseInit = {}): Response =>
    new Response(body, {
      ...init,
      headers: {
        'x-service-directives': typeof directives === 'string' ? directives : JSON.stringify(directives),
        ...(body === null ? {} : { 'content-type': 'application/json' }),
      },
    });

  it.each<[string, (stage: Stage) => Response]>([
    ['a JSON body', (stage) => Response.json({ ok: 1, directives: [own(stage)] })],
    [
      'a body of a JSON type of its own',
      (stage) =>
        new Response(JSON.stringify({ directives: [own(stage)] }), {
          headers: { 'content-type': 'application/problem+json; charset=utf-8' },
        }),
    ],
    ['the header', (stage) => inHeader([own(stage)])],
    ['the header beside a body that is no JSON', (stage) => inHeader([own(stage)], 'not json')],
    ['the header beside a JSON body without directives', (stage) => inHeader([own(stage)], '{"ok":1}')],
    ['the header beside a JSON body that is a list', (stage) => inHeader([own(stage)], '[1]')],
    ['a body of which nothing is said', (stage) => unsaid(stage, {})],
    ['a body that is said to be text', (stage) => unsaid(stage, { 'content-type': 'text/plain' })],
    ['a status of 201', (stage) => Response.json({ directives: [own(stage)] }, { status: 201 })],
    ['a status of 409', (stage) => Response.json({ directives: [own(stage)] }, { status: 409 })],
    ['a status of 500', (stage) => Response.json({ directives: [own(stage)] }, { status: 500 })],
    ['a status of 204, in the header', (stage) => inHeader([own(stage)], null, { status: 204 })],
  ])('takes directives from %s', async (_title, make) => {
    const stage = await held();
    await stage.dl.applyResponse(make(stage));
    await stage.sim.advance(100);
    expect(stage.taken()).toEqual(['ticket 7']);
  });

  it.each<[string, BodyInit | null]>([
    ['a text', 'Done, {"directives": []}'],
    ['what only begins as an object', '{"directives": [{]'],
    ['nothing', null],
    ['a list', '[{"directives": [{}]}]'],
  ])('finds no directives in %s of which nothing is said, and no fault', async (_title, body) => {
    const stage = await held();
    await stage.dl.applyResponse(new Response(body));
    expect(stage.of('directive:received')).toEqual([]);
    expect(stage.sim.log).toEqual([]);
  });

  it.each<[string, (stage: Stage) => Response]>([
    ['in the body', () => Response.json({ ok: 1, directives: null })],
    ['in the header', () => inHeader('null')],
    ['in an empty header', () => inHeader('')],
  ])('takes null %s for no directives', async (_title, make) => {
    const stage = await held();
    await stage.dl.applyResponse(make(stage));
    expect(stage.of('directive:rejected')).toEqual([]);
    expect(stage.sim.log).toEqual([]);
  });

  it('of the body leaves out each that stands anywhere in the header', async () => {
    const stage = await held();
    const [a, b] = [refreshItem('ticket', 7), refreshList('tickets')];
    const headers = { 'X-Service-Directives': JSON.stringify([a, b]) };
    await stage.dl.applyResponse(Response.json({ directives: [b, a] }, { headers }));
    expect(stage.of('directive:processed')).toHaveLength(2);
  });

  it('says what could not be read', async () => {
    const stage = await held();
    const headers = { 'X-Service-Directives': '[', 'content-type': 'application/json' };
    await stage.dl.applyResponse(new Response('{', { headers }));
    expect(stage.sim.log.map(({ message }) => message)).toEqual([
      'the header X-Service-Directives is no JSON',
      'the JSON body of a response could not be read',
      expect.stringContaining('a directive was rejected'),
    ]);
  });

  it('says that a body was read before, unless the header has the directives', async () => {
    const stage = await held();
    const response = Response.json({ directives: [own(stage)] });
    await response.json();
    await stage.dl.applyResponse(response);
    expect(stage.sim.log.map(({ message }) => message)).toEqual([
      'the JSON body of a response could not be read',
    ]);
    const other = inHeader([own(stage)], '{}');
    await other.json();
    await stage.dl.applyResponse(other);
    expect(stage.sim.log).toHaveLength(1);
    await stage.sim.advance(100);
    expect(stage.taken()).toEqual(['ticket 7']);
  });

  it('an empty JSON body is no fault', async () => {
    const stage = await held();
    await stage.dl.applyResponse(new Response(' ', { headers: { 'content-type': 'application/json' } }));
    expect(stage.sim.log).toEqual([]);
  });

  it('takes what only the header has and what only the body has', async () => {
    const stage = await held();
    await stage.dl.applyResponse(
      inHeader([own(stage)], JSON.stringify({ directives: [refreshList('tickets')] })),
    );
    await stage.sim.advance(100);
    expect(stage.taken().toSorted()).toEqual(['ticket 7', 'tickets {}']);
  });

  it.each([
    ['without a key', {}],
    ['with a key', { idempotency_key: 'k' }],
  ])('applies the same directive in both once, %s', async (_title, more) => {
    const stage = await held();
    const directive = own(stage, more);
    await stage.dl.applyResponse(inHeader([directive], JSON.stringify({ directives: [directive] })));
    await stage.sim.advance(100);
    expect(stage.of('directive:processed')).toHaveLength(1);
    expect(stage.taken()).toEqual(['ticket 7']);
  });

  it('whenSettled waits for those of both', async () => {
    const stage = await held();
    stage.server.latencyMs = 500;
    const response = inHeader([own(stage)], JSON.stringify({ directives: [refreshList('tickets')] }));
    await stage.dl.applyResponse(response);
    await stage.sim.advance(200);
    void stage.dl.applyDirectives([own(stage, { result: { id: 7 }, source: null })]); // The item has its answer, the list has not.
    let isSettled = false;
    void stage.dl.whenSettled(response).then(() => (isSettled = true));
    await stage.sim.advance(200);
    expect(isSettled).toBe(false);
    await stage.sim.advance(200);
    expect(isSettled).toBe(true);
  });

  it('applies two equal directives of one body as often as they stand there', async () => {
    const stage = await held();
    await stage.dl.applyResponse(Response.json({ directives: [own(stage), own(stage)] }));
    await stage.sim.advance(100);
    expect(stage.of('directive:processed')).toHaveLength(2);
  });

  it('leaves the body readable', async () => {
    const stage = await held();
    const response = Response.json({ ok: 1, directives: [own(stage)] });
    await stage.dl.applyResponse(response);
    await expect(response.json()).resolves.toMatchObject({ ok: 1 });
  });

  it('still takes the header when the body was read before', async () => {
    const stage = await held();
    const response = inHeader([own(stage)], '{"ok":1}');
    await response.text();
    await stage.dl.applyResponse(response);
    await stage.sim.advance(100);
    expect(stage.taken()).toEqual(['ticket 7']);
  });

  it.each<[string, () => Response]>([
    ['a header that is no JSON', () => inHeader('[nonsense')],
    ['a header that is no list', () => inHeader({ op: 'refresh_item' })],
    ['a body with directives that are no list', () => Response.json({ directives: 'all' })],
  ])('says so of %s, and does not throw', async (_title, make) => {
    const stage = await held();
    await expect(stage.dl.applyResponse(make())).resolves.toBeUndefined();
    expect(stage.of('directive:rejected')).toHaveLength(1);
    expect(stage.of('directive:processed')).toEqual([]);
  });

  it.each<[string, () => Response]>([
    ['a response without directives', () => Response.json({ ok: 1 })],
    ['an empty response', () => new Response(null, { status: 204 })],
    [
      'a page',
      () =>
        new Response('{"directives":[{"op":"refresh_collection","name":"tickets"}]}', {
          headers: { 'content-type': 'text/html' },
        }),
    ],
    ['a JSON null', () => Response.json(null)],
    ['an empty list', () => Response.json({ directives: [] })],
  ])('does nothing for %s', async (_title, make) => {
    const stage = await held();
    await stage.dl.applyResponse(make());
    await stage.sim.advance(100);
    expect(stage.taken()).toEqual([]);
    expect(stage.of('directive:rejected')).toEqual([]);
  });

  it('has no audience filter', async () => {
    const stage = await held({ init: { sse: { connectOnInit: false } } });
    await stage.dl.applyResponse(Response.json({ directives: [own(stage, { audience: 'user-9' })] }));
    await stage.sim.advance(100);
    expect(stage.taken()).toEqual(['ticket 7']);
    expect(stage.of('directive:skipped')).toEqual([]);
  });
});

describe('D-SRC-4 own echoes when the answer was lost', () => {
  const send = ({ dl }: Stage, init: RequestInit = {}): Promise<unknown> =>
    dl.fetch('/tickets', { method: 'POST', ...init }).then(
      (response) => response.status,
      (error: unknown) => error,
    );
  const echo = (stage: Stage, more: object = {}): void => void stage.dl.applyDirectives([own(stage, more)]);

  it.each(['null', '"created"', '7', 'true', '[]'])('%s is a body that was read', async (body) => {
    const stage = await held();
    stage.sim.route(
      'POST /tickets',
      () => new Response(body, { headers: { 'content-type': 'application/json' } }),
    );
    await Promise.all([send(stage), stage.sim.advance(10)]);
    echo(stage);
    await stage.sim.advance(100);
    expect(stage.taken()).toEqual([]);
    expect(stage.of('directive:skipped')).toHaveLength(1);
  });

  it('a mutation that rejected: echoes that arrive afterwards are applied', async () => {
    const stage = await held();
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
  ])('they are applied within 60 s: %s', async (_title, ms, calls) => {
    const stage = await held();
    stage.sim.link.loseAnswers();
    await send(stage);
    await stage.sim.advance(ms);
    echo(stage);
    await stage.sim.advance(100);
    expect(stage.taken()).toEqual(calls);
  });

  it('echoes that arrived while it was under way are applied when the loss is known', async () => {
    const stage = await held();
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

  it('echoes that were applied because an answer was lost are not held against a mutation that ends later', async () => {
    const stage = await held();
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

  it('echoes in a wrapper that arrived while it was under way are applied once each', async () => {
    const stage = await held();
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

  it('a wrapper that arrives afterwards is applied, and uses up its key', async () => {
    const stage = await held();
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

  it('an inline result of such an echo is applied', async () => {
    const stage = await held();
    stage.sim.link.loseAnswers();
    await send(stage);
    echo(stage, { result: { title: 'committed' } });
    await stage.sim.advance(0);
    expect(stage.dl.getItemRef('ticket', 7).data).toEqual({ title: 'committed' });
  });

  it('of more than a thousand under one mutation the rest is applied as it comes', async () => {
    const stage = await held();
    stage.sim.route('POST /tickets', () => new Promise(() => undefined));
    void send(stage);
    await stage.sim.advance(10);
    void stage.dl.applyDirectives(Array.from({ length: 1000 }, () => own(stage)));
    await stage.sim.advance(100);
    expect(stage.taken()).toEqual([]);
    echo(stage);
    await stage.sim.advance(100);
    expect(stage.taken()).toEqual(['ticket 7']);
    stage.dl.dispose();
  });

  it('of any number without a mutation under way none is applied', async () => {
    const stage = await held();
    void stage.dl.applyDirectives(Array.from({ length: 1000 }, () => own(stage)));
    echo(stage);
    await stage.sim.advance(100);
    expect(stage.taken()).toEqual([]);
  });

  it('D-DIR-9 an inline result of such an echo is outdated by what the stream has brought since', async () => {
    const stage = await held();
    stage.sim.link.delay(50);
    stage.sim.link.loseAnswers();
    stage.sim.route('POST /tickets', () => {
      stage.dl.ingestEnvelope(envelope(4, own(stage, { result: { title: 'mine' } })));
      stage.dl.ingestEnvelope(envelope(5, refreshItem('ticket', 7, { result: { title: 'newer' } })));
      return {};
    });
    await Promise.all([send(stage), stage.sim.advance(200)]);
    expect(stage.of('directive:skipped').map(({ reason }) => reason)).toEqual(['own-source', 'outdated']);
    expect(stage.taken()).toEqual(['ticket 7']);
    expect(stage.dl.getItemRef('ticket', 7).data).toEqual({ id: 7, default: 1 });
  });

  it('D-DIR-9 an answer without a number has that of its own echo', async () => {
    const stage = await held();
    const { dl, sim } = stage;
    sim.route('POST /tickets', () => {
      dl.ingestEnvelope(envelope(4, own(stage, { idempotency_key: 'a' })));
      dl.ingestEnvelope(envelope(5, refreshItem('ticket', 99)));
      dl.ingestEnvelope(envelope(6, own(stage, { idempotency_key: 'b' })));
      return { directives: [own(stage, { idempotency_key: 'b', result: { title: 'mine' } })] };
    });
    await Promise.all([send(stage), sim.advance(10)]);
    expect(dl.getItemRef('ticket', 7).data).toEqual({ title: 'mine' });
  });

  it('D-DIR-9 an answer without a number and without a key has none', async () => {
    const stage = await held();
    const { dl, sim } = stage;
    sim.route('POST /tickets', () => {
      dl.ingestEnvelope(envelope(4, own(stage)));
      dl.ingestEnvelope(envelope(5, refreshItem('ticket', 99)));
      return { directives: [own(stage, { result: { title: 'mine' } })] };
    });
    await Promise.all([send(stage), sim.advance(10)]);
    expect(dl.getItemRef('ticket', 7).data).toEqual({ title: 'mine' });
  });

  it('an aborted mutation counts as lost', async () => {
    const stage = await held();
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

  it('a JSON body that cannot be read counts as lost, and the response is still returned', async () => {
    const stage = await held();
    stage.sim.route(
      'POST /tickets',
      () => new Response('{"ok": tr', { headers: { 'content-type': 'application/json' } }),
    );
    await expect(send(stage)).resolves.toBe(200);
    echo(stage);
    await stage.sim.advance(100);
    expect(stage.taken()).toEqual(['ticket 7']);
  });

  it('a body that breaks off counts as lost, and the response is still returned', async () => {
    const stage = await held();
    stage.sim.route(
      'POST /tickets',
      () =>
        new Response(
          new ReadableStream({
            start(body) {
              body.enqueue(new TextEncoder().encode('{"directives":['));
              body.error(new TypeError('network error'));
            },
          }),
          { headers: { 'content-type': 'application/json' } },
        ),
    );
    await expect(send(stage)).resolves.toBe(200);
    echo(stage);
    await stage.sim.advance(100);
    expect(stage.taken()).toEqual(['ticket 7']);
  });

  it.each<[string, () => Response, string[]]>([
    ['502 without directives', () => new Response('bad gateway', { status: 502 }), ['ticket 7']],
    ['500 without directives', () => new Response(null, { status: 500 }), ['ticket 7']],
    ['500 with directives', () => Response.json({ directives: [] }, { status: 500 }), []],
    ['409 without directives', () => new Response(null, { status: 409 }), []],
  ])('whether an answer was lost, %s', async (_title, answer, calls) => {
    const stage = await held();
    stage.sim.route('POST /tickets', answer);
    await send(stage);
    echo(stage);
    await stage.sim.advance(100);
    expect(stage.taken()).toEqual(calls);
  });

  it.each(['GET', 'HEAD', 'options'])(
    'a %s that is lost has changed nothing: echoes are ignored',
    async (method) => {
      const stage = await held();
      stage.sim.link.loseAnswers();
      await stage.dl.fetch('/tickets', { method }).catch(() => undefined);
      echo(stage);
      await stage.sim.advance(100);
      expect(stage.taken()).toEqual([]);
    },
  );

  it('a Request has its own method', async () => {
    const stage = await held();
    stage.sim.link.loseAnswers();
    await stage.dl.fetch(new Request('https://app.test/tickets', { method: 'POST' })).catch(() => undefined);
    echo(stage);
    await stage.sim.advance(100);
    expect(stage.taken()).toEqual(['ticket 7']);
  });

  it('not applied again when their key was applied already', async () => {
    const stage = await held();
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

  it('an echo that was kept and then arrives again is applied once', async () => {
    const stage = await held();
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

  it('a mutation that was answered lets no echo pass', async () => {
    const stage = await held();
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

  it('of two mutations under way, the lost one lets the echoes of its own time pass', async () => {
    const stage = await held();
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

  it('of two mutations under way, the lost one lets no echo pass that arrived before it was sent', async () => {
    const stage = await held();
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

  it('of two lost mutations, the first lost one leaves the echoes of before its time to the other', async () => {
    const stage = await held();
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

  it('directives of others are applied as ever', async () => {
    const stage = await held();
    stage.sim.link.loseAnswers();
    await send(stage);
    echo(stage, { source: 'another' });
    await stage.sim.advance(100);
    expect(stage.taken()).toEqual(['ticket 7']);
  });
});

describe('D-SRC-1 an answer without the directives that the stream brings', () => {
  const key = { idempotency_key: 'k' };
  const warnings = ({ sim }: Stage): string[] => sim.log.map(({ message }) => message);
  /** Answers a mutation; before that the stream brings its echo, as from a hub. */
  const answering = (stage: Stage, body: object): Promise<unknown> => {
    stage.sim.route('POST /tickets', () => {
      void stage.dl.applyDirectives([own(stage, key)]);
      return body;
    });
    return Promise.all([stage.dl.fetch('/tickets', { method: 'POST' }), stage.sim.advance(100)]);
  };

  it('is told to the developer, and nothing is applied', async () => {
    const stage = await held();
    await answering(stage, { ok: true });
    expect(stage.taken()).toEqual([]);
    expect(warnings(stage)).toEqual([
      expect.stringContaining('answer a mutation with what emit resolves to'),
    ]);
  });

  it('is none where the answer brings them', async () => {
    const stage = await held();
    await answering(stage, { directives: [own(stage, key)] });
    expect(stage.taken()).toEqual(['ticket 7']);
    expect(warnings(stage)).toEqual([]);
  });

  it('is not told while the answer of another mutation may bring them', async () => {
    const stage = await held();
    stage.sim.route('POST /other', () => new Promise(() => undefined));
    const other = stage.dl.fetch('/other', { method: 'POST' }).catch(() => undefined);
    await answering(stage, { ok: true });
    expect(warnings(stage)).toEqual([]);
    stage.dl.dispose();
    await other;
  });
});
