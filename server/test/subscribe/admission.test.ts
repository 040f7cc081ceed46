import { connect } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { memoryBackplane, type Backplane, type HubOptions } from '../../src/index.ts';
import { createHubWith } from '../../src/hub.ts';
import { hubForTest, serveHttp, serveHub, subscribe } from '../support/servers.ts';
import { simulate } from '../support/simulated.ts';
import { idsOf } from '../support/stream.ts';
import { createWorld } from '../support/world.ts';

interface ErrorBody {
  error: { code: string; message: string };
}

async function ask(
  url: string,
  init: RequestInit = {},
): Promise<{ status: number; body: ErrorBody; headers: Headers }> {
  const response = await fetch(url, init);
  const body = (await response.json()) as ErrorBody; // The tests look at what is in it.
  return { status: response.status, body, headers: response.headers };
}

/** Sends bytes as they are and resolves to the beginning of what comes back. */
function sendRaw(url: string, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1', () => socket.write(text));
    socket.once('data', (data) => resolve(data.toString('latin1')));
    socket.once('close', () => reject(new Error('The server hung up.'))).on('error', reject);
    onTestFinished(() => void socket.destroy());
  });
}

const everyone: HubOptions = { authorize: () => true };
const long = 'x'.repeat(129);

describe('parameters', () => {
  it.each([
    ['?client_id=', 'client_id'],
    [`?client_id=${long}`, 'client_id'],
    ['?client_id=a%0ab', 'client_id'],
    ['?client_id=a%7fb', 'client_id'],
    ['?client_id=a%C2%85b', 'client_id'],
    ['?client_id=a&client_id=b', 'client_id'],
    ['?audience=', 'audience'],
    [`?audience=${long}`, 'audience'],
    ['?audience=a&audience=', 'audience'],
    ['?audience=a%00b', 'audience'],
    ['?audience=a%0d%0aid:1', 'audience'],
    ['?audience=a&audience=b&audience=a', 'audience'],
    ['?audience=a&audience=b&audience=c&audience=d', 'audiences'],
    ['?audience=a&last_seq=1&last_seq=2', 'last_seq'],
    ['?last_seq=1&last_seq=', 'last_seq'],
    ['?last_seq=abc', 'last_seq'],
    ['?last_seq=-1', 'last_seq'],
    ['?last_seq=1.5', 'last_seq'],
    ['?last_seq=1e3', 'last_seq'],
    ['?last_seq=99999999999999999', 'last_seq'],
    ['?since_ms=', 'since_ms'],
    ['?since_ms=-5', 'since_ms'],
    ['?since_ms=soon', 'since_ms'],
    ['?since_ms=1&since_ms=2', 'since_ms'],
  ])('D-HUB-2 answers 400 to %s', async (query, named) => {
    const { hub, url } = await serveHub({ ...everyone, limits: { maxAudiencesPerConnection: 3 } });
    const { status, body, headers } = await ask(`${url}/api/events${query}`);
    expect(status).toBe(400);
    expect(headers.get('content-type')).toContain('application/json');
    expect(body.error.code).toBe('bad_parameters');
    expect(body.error.message).toContain(named);
    expect(hub.metrics().refusals).toEqual({ bad_parameters: 1 });
  });

  it.each([
    `?client_id=${'x'.repeat(128)}&audience=${'ü'.repeat(128)}`,
    '?audience=a&audience=b&audience=c&last_seq=&last_seq=5',
    '?unknown=1&since_ms=0&last_seq=',
    '',
  ])('D-HUB-2 takes %s', async (query) => {
    const { url } = await serveHub({ ...everyone, limits: { maxAudiencesPerConnection: 3 } });
    const stream = await subscribe(url, query);
    expect((await stream.atLeast(1))[0]?.envelope?.directives).toEqual([]);
  });

  it('reads the parameters under the names of the options', async () => {
    const { url } = await serveHub({ ...everyone, params: { clientId: 'cid', audience: 'room' } });
    const stream = await subscribe(url, '?cid=me&room=lobby');
    expect((await stream.atLeast(1))[0]?.envelope?.audience).toBe('lobby');
    expect((await ask(`${url}/api/events?cid=`)).status).toBe(400);
  });

  it.each(['POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH'])(
    'D-HUB-2 answers 405 with Allow to %s',
    async (method) => {
      const { url } = await serveHub();
      const { status, headers, body } = await ask(`${url}/api/events`, { method });
      expect([status, headers.get('allow'), body.error.code]).toEqual([405, 'GET', 'method_not_allowed']);
    },
  );

  it('D-HUB-2 answers HEAD with 405 and no body', async () => {
    const { url } = await serveHub();
    const response = await fetch(url, { method: 'HEAD' });
    expect([response.status, await response.text()]).toEqual([405, '']);
  });

  it('D-HUB-2 answers 413 to a target above 8 KiB, not below', async () => {
    const { url } = await serveHub();
    const at = (length: number): string => `${url}/?pad=`.padEnd(url.length + length, 'x');
    expect((await ask(at(8193))).status).toBe(413);
    const response = await fetch(at(8192));
    expect(response.status).toBe(200);
    await response.body?.cancel();
  });

  it('survives a request whose query and host cannot be decoded', async () => {
    const { url } = await serveHub({ authorize: ({ url: asked }) => URL.canParse(asked) });
    const answer = await sendRaw(
      url,
      'GET /?audience=%E0%A4%A&client_id=%ff HTTP/1.1\r\nHost: [}{]\r\n\r\n'.replace('%A&', '%A4&'),
    );
    expect(answer).toMatch(/^HTTP\/1.1 (200|400|403) /);
  });
});

describe('authorisation', () => {
  it('D-HUB-2 allows only global without authorize', async () => {
    const { url } = await serveHub();
    expect((await fetch(`${url}/?audience=global`)).status).toBe(200);
    const { status, body } = await ask(`${url}/?audience=global&audience=team-7`);
    expect([status, body.error.code]).toEqual([403, 'audience_refused']);
  });

  it('D-HUB-2 asks for every audience, global too, and one refusal refuses all', async () => {
    const asked: unknown[] = [];
    const { hub, url } = await serveHub({
      authorize(_, question) {
        asked.push(question);
        return question.audience !== 'b';
      },
    });
    expect((await ask(`${url}/?client_id=me&audience=global&audience=b`)).status).toBe(403);
    expect(asked).toEqual([
      { audience: 'global', clientId: 'me' },
      { audience: 'b', clientId: 'me' },
    ]);
    expect(hub.metrics()).toMatchObject({ connections: 0, connects: 0, audiences: 0 });
  });

  it('D-HUB-2 shows authorize the headers, the url and the platform’s own request, on both platforms', async () => {
    const seen: unknown[] = [];
    const options: HubOptions = {
      authorize({ headers, url, raw }) {
        seen.push([
          headers['x-token'],
          headers.get('X-Token'),
          headers.get('x-none'),
          new URL(url).pathname,
          typeof raw,
        ]);
        return true;
      },
    };
    const { url, hub } = await serveHub(options);
    await subscribe(url, '?audience=a', { 'x-token': 'secret' });
    const request = new Request(`${url}/api/events?audience=a`, { headers: { 'x-token': 'secret' } });
    await (await hub.fetchHandler(request)).body?.cancel();
    const expected = ['secret', 'secret', null, '/api/events', 'object'];
    expect(seen).toEqual([expected, expected]);
  });

  it('D-HUB-2 shows authorize one URL where the target of the request is a whole one', async () => {
    const seen: string[] = [];
    const { url } = await serveHub({
      authorize: (request) => {
        seen.push(request.url);
        return false;
      },
    });
    const target = 'http://app.example.com/api/events?audience=a';
    const socket = connect(Number(new URL(url).port), '127.0.0.1', () =>
      socket.write(`GET ${target} HTTP/1.1\r\nHost: app.example.com\r\n\r\n`),
    );
    socket.resume();
    await new Promise((done) => socket.once('close', done));
    expect(seen).toEqual([target]);
  });

  it.each([
    ['no', () => false],
    ['an end in the past', () => ({ expiresAt: Date.now() - 1 })],
    ['nothing', () => undefined],
    ['a truthy value that is no permission', () => 1],
    ['a list, such as the rows of a query that found none', () => []],
    [
      'a throw',
      () => {
        throw new Error('secret detail');
      },
    ],
    ['a rejection', () => Promise.reject(new Error('secret detail'))],
  ])('D-HUB-2 refuses with 403 when authorize answers %s, without detail', async (_, authorize) => {
    const logged: unknown[] = [];
    const { url } = await serveHub({ authorize, log: (...line) => void logged.push(line) } as HubOptions);
    const { status, body } = await ask(`${url}/?audience=a`);
    expect(status).toBe(403);
    expect(JSON.stringify(body)).not.toContain('secret');
    expect(logged).toHaveLength(String(authorize).includes('secret') ? 1 : 0);
  });

  it.each<[unknown, string]>([
    ['tomorrow', '"tomorrow"'],
    [Number.NaN, 'NaN'],
    [new Date(), 'an object'],
    [null, 'null'],
  ])(
    'D-HUB-2 refuses with 403 when authorize names %o as the end, and logs why',
    async (expiresAt, shown) => {
      const logged: unknown[] = [];
      const log: HubOptions['log'] = (_level, _message, detail) => void logged.push(detail);
      const { url } = await serveHub({ authorize: () => ({ expiresAt }) as never, log });
      const { status } = await ask(`${url}/?audience=a`);
      expect(status).toBe(403);
      expect(logged).toEqual([
        new TypeError(`authorize: expiresAt must be a number of milliseconds since the epoch, not ${shown}.`),
      ]);
    },
  );

  it('D-HUB-2 refuses with 403 when authorize throws and the log does too; both go to the platform’s log', async () => {
    const world = createWorld();
    const { hub } = simulate(
      {
        authorize() {
          throw new Error('no session');
        },
        log() {
          throw new Error('disk full');
        },
      },
      world,
    );
    const response = await hub.fetchHandler(new Request('http://hub.test/?audience=a'));
    expect(response.status).toBe(403);
    expect(world.logged.map(({ message }) => message)).toEqual([
      'The option "log" threw',
      'authorize failed; the stream is refused',
    ]);
  });

  it('D-HUB-2 answers 503 when authorize hangs for 10 s', async () => {
    const world = createWorld();
    const hub = createHubWith(world, { authorize: () => new Promise(() => {}) });
    let answer: Response | null = null;
    void hub.fetchHandler(new Request('http://hub.test/?audience=a')).then((response) => (answer = response));
    await world.advance(9999);
    expect(answer).toBeNull();
    await world.advance(1);
    expect(answer).toMatchObject({ status: 503 });
    expect(hub.metrics().refusals).toEqual({ authorization_timeout: 1 });
  });

  it('D-SSE-8 replays by the age that a request had when it came, however long authorize takes', async () => {
    const world = createWorld();
    const { hub, emit, open } = simulate(
      { authorize: () => new Promise((done) => void world.setTimeout(() => done(true), 5000)) },
      world,
    );
    await world.advance(1000);
    const opened = open('?since_ms=100');
    await world.advance(200);
    await emit(1);
    await world.advance(5000);
    expect(idsOf((await opened).frames)).toEqual([1]);
    await hub.close();
  });

  it('D-HUB-2 frees the place of a client that left while authorize hangs', async () => {
    let onAsked = (): void => {};
    const isAsked = new Promise<void>((done) => (onAsked = done));
    const hub = hubForTest({
      limits: { maxConnections: 1 },
      authorize: (_, { clientId }) => clientId !== 'slow' || new Promise<boolean>(() => onAsked()),
    });
    let onLeft = (): void => {};
    const hasLeft = new Promise<void>((done) => (onLeft = done));
    const { url } = await serveHttp((req, res) => {
      res.once('close', onLeft);
      hub.nodeHandler(req, res);
    });
    const leaving = new AbortController();
    const slow = fetch(`${url}/?client_id=slow`, { signal: leaving.signal });
    await isAsked;
    expect((await ask(url)).status).toBe(503);
    leaving.abort();
    await expect(slow).rejects.toThrow('abort');
    await hasLeft;
    await subscribe(url);
  });

  it('D-HUB-2 frees the place of a Request that was aborted while authorize hangs', async () => {
    const { hub, open } = simulate({
      limits: { maxConnections: 1 },
      authorize: (_, { clientId }) => clientId !== 'slow' || new Promise<boolean>(() => {}),
    });
    const leaving = new AbortController();
    void hub.fetchHandler(new Request('http://hub.test/?client_id=slow', { signal: leaving.signal }));
    await expect(open()).rejects.toThrow('503');
    leaving.abort();
    await open();
    expect(hub.metrics().connections).toBe(1);
  });
});

describe('the logs of a Request', () => {
  it('D-HUB-3 are let go, at whatever moment of its admission it is aborted', async () => {
    const left: number[] = [];
    for (let steps = 0; steps < 40; steps += 1) {
      const inner = memoryBackplane();
      const open = new Set<object>();
      const backplane: Backplane = {
        connect(node) {
          const link = inner.connect(node);
          return {
            ...link,
            open(audience, sink) {
              const reader = link.open(audience, sink);
              open.add(reader);
              return {
                ...reader,
                close() {
                  open.delete(reader);
                  reader.close();
                },
              };
            },
          };
        },
      };
      const { hub, world } = simulate({ backplane });
      const leaving = new AbortController();
      const asked = hub.fetchHandler(new Request('http://hub.test/', { signal: leaving.signal }));
      for (let step = 0; step < steps; step += 1) await Promise.resolve();
      leaving.abort();
      await asked;
      await world.drain();
      await world.advance(10_000_000);
      if (open.size > 0) left.push(steps);
    }
    expect(left).toEqual([]);
  });
});

describe('limits', () => {
  it('D-HUB-2 refuses the newcomer with 503 when all places are taken, and evicts nobody', async () => {
    const { hub, url } = await serveHub({ limits: { maxConnections: 2 } });
    const streams = [await subscribe(url), await subscribe(url)];
    const { status, headers, body } = await ask(url);
    expect([status, body.error.code]).toEqual([503, 'too_many_connections']);
    expect(Number(headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    expect(streams.some(({ isEnded }) => isEnded())).toBe(false);
    expect(hub.metrics().refusals).toEqual({ too_many_connections: 1 });
  });

  it('D-HUB-2 refuses with 429 the stream that is one too many for its client, and takes others', async () => {
    const { open, hub } = simulate({ limits: { maxConnectionsPerClient: 2 } });
    const first = await open('?client_id=a');
    await open('?client_id=a');
    await expect(open('?client_id=a')).rejects.toThrow('429');
    await open('?client_id=b');
    await open();
    await first.cancel();
    await open('?client_id=a');
    await expect(open('?client_id=a')).rejects.toThrow('429');
    expect(hub.metrics().connections).toBe(4);
  });

  it('D-HUB-2 spreads Retry-After', async () => {
    const seconds = await Promise.all(
      [0, 0.5, 0.999].map(async (chance) => {
        const { hub, open } = simulate(
          { limits: { maxConnections: 1 } },
          createWorld(undefined, () => chance),
        );
        await open();
        return (await hub.fetchHandler(new Request('http://hub.test/'))).headers.get('retry-after');
      }),
    );
    expect(seconds).toEqual(['1', '6', '10']);
  });

  it('D-HUB-2 counts those at the door', async () => {
    const { hub } = simulate({ limits: { maxConnections: 1 }, authorize: () => new Promise(() => {}) });
    void hub.fetchHandler(new Request('http://hub.test/'));
    expect((await hub.fetchHandler(new Request('http://hub.test/'))).status).toBe(503);
  });
});

describe('other origins', () => {
  const cors = { origin: ['https://a.test', 'https://b.test'], credentials: true };

  it('D-HUB-2 lets pages of the listed origins read, errors too', async () => {
    const { url } = await serveHub({ cors });
    const stream = await subscribe(url, '', { origin: 'https://b.test' });
    expect(stream.response.headers.get('access-control-allow-origin')).toBe('https://b.test');
    expect(stream.response.headers.get('access-control-allow-credentials')).toBe('true');
    expect(stream.response.headers.get('vary')).toBe('Origin');
    const { headers } = await ask(`${url}?client_id=`, { headers: { origin: 'https://a.test' } });
    expect(headers.get('access-control-allow-origin')).toBe('https://a.test');
  });

  it('D-HUB-2 says nothing to pages of other origins', async () => {
    const { url } = await serveHub({ cors });
    const stream = await subscribe(url, '', { origin: 'https://c.test' });
    expect(stream.response.headers.get('access-control-allow-origin')).toBeNull();
  });

  it('D-HUB-2 echoes in a preflight the headers asked for', async () => {
    const { url } = await serveHub({ cors });
    const response = await fetch(url, {
      method: 'OPTIONS',
      headers: {
        origin: 'https://a.test',
        'access-control-request-method': 'GET',
        'access-control-request-headers': 'authorization,x-tenant',
      },
    });
    expect(response.status).toBe(204);
    expect(response.headers.get('access-control-allow-headers')).toBe('authorization,x-tenant');
    expect(response.headers.get('access-control-allow-methods')).toBe('GET');
  });

  it('D-HUB-2 allows everyone with a star', async () => {
    const { url } = await serveHub({ cors: { origin: '*' } });
    const stream = await subscribe(url, '', { origin: 'https://any.test' });
    expect(stream.response.headers.get('access-control-allow-origin')).toBe('*');
  });
});
