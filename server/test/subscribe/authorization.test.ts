import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { createHubWith } from '../../src/hub.ts';
import type { Authorization, HubOptions } from '../../src/index.ts';
import { requestJson, type ErrorBody } from '../support/requests.ts';
import { serveHub, subscribe } from '../support/servers.ts';
import { simulate } from '../support/simulated.ts';
import { idsOf } from '../support/stream.ts';
import { createWorld } from '../support/world.ts';

/** A hub whose `authorize` returns a fixed value, or what a function returns for an audience. */
function hubWith(authorize: (audience: string) => unknown) {
  const simulated = simulate({ authorize: (_, { audience }) => authorize(audience) as Authorization });
  async function request(query = '?audience=payroll') {
    const response = await simulated.hub.fetchHandler(new Request(`http://hub.test/api/events${query}`));
    const { status, headers } = response;
    if (status === 200) {
      await response.body?.cancel();
      return { status, headers, error: null };
    }
    return { status, headers, error: ((await response.json()) as ErrorBody).error };
  }
  const errors = (): string[] =>
    simulated.world.logged.filter(({ level }) => level === 'error').map(({ message }) => message);
  return { ...simulated, request, errors };
}

const fail = (): never => {
  throw new Error('secret detail');
};

describe('authorize', () => {
  it('D-HUB-2 is not needed for global, and every other audience is refused without it', async () => {
    const { url } = await serveHub();
    expect((await fetch(`${url}/?audience=global`)).status).toBe(200);
    const { status, body } = await requestJson(`${url}/?audience=global&audience=team-7`);
    expect(status).toBe(403);
    expect(body.error).toEqual({
      code: 'audience_refused',
      message: 'The audience was refused, because createHub has no authorize.',
      audience: 'team-7',
    });
  });

  it('D-HUB-2 is called for every audience, and one refusal refuses the connection', async () => {
    const asked: unknown[] = [];
    const { hub, url } = await serveHub({
      authorize(_, ask) {
        asked.push(ask);
        return ask.audience !== 'b';
      },
    });
    const { status, body } = await requestJson(`${url}/?client_id=me&audience=global&audience=b`);
    expect([status, body.error.audience]).toEqual([403, 'b']);
    expect(asked).toEqual([
      { audience: 'global', clientId: 'me' },
      { audience: 'b', clientId: 'me' },
    ]);
    expect(hub.metrics()).toMatchObject({ connections: 0, connects: 0, audiences: 0 });
  });

  it.each<[unknown, number, code?: string]>([
    [true, 200],
    [{ expiresAt: Number.MAX_SAFE_INTEGER }, 200],
    [{ expiresAt: Infinity }, 200],
    [{ user: '7' }, 200],
    [{ expiresAt: Number.MAX_SAFE_INTEGER, user: '7' }, 200],
    [false, 403, 'audience_refused'],
    [{ expiresAt: 1 }, 403, 'audience_refused'],
    [{ expiresAt: 1, user: '7' }, 403, 'audience_refused'],
    ['unauthenticated', 401, 'unauthenticated'],
  ])('D-HUB-2 decides about the request when it returns %o: %i', async (result, status, code) => {
    const { request, errors } = hubWith(() => result);
    const response = await request();
    expect(response.status).toBe(status);
    if (code !== undefined) expect(response.error).toMatchObject({ code, audience: 'payroll' });
    expect(response.headers.get('retry-after')).toBeNull();
    expect(errors()).toEqual([]);
  });

  it.each<[string, unknown]>([
    ['nothing', undefined],
    ['null', null],
    ['a truthy number', 1],
    ['a string', 'yes'],
    ['an empty object', {}],
    ['an unknown field', { allowed: false }],
    ['an unknown field beside a valid one', { user: '7', role: 'admin' }],
    ['a misspelled field', { expires_at: Number.MAX_SAFE_INTEGER }],
    ['an expiry that is missing', { expiresAt: undefined }],
    ['an expiry that is missing, with a user', { expiresAt: undefined, user: '7' }],
    ['an expiry that is a text', { expiresAt: 'tomorrow' }],
    ['an expiry that is not a number', { expiresAt: Number.NaN }],
    ['an expiry that is a date', { expiresAt: new Date() }],
    ['an expiry in seconds', { expiresAt: Math.floor(Date.now() / 1000) + 3600 }],
    ['an expiry that is a duration', { expiresAt: 3_600_000 }],
    ['a user that is missing', { user: undefined }],
    ['a user that is empty', { user: '' }],
    ['a user that is a number', { user: 7 }],
    ['the rows of a query', []],
    ['an Error', new Error('denied')],
    ['a Response', new Response('no', { status: 403 })],
    ['a function', () => true],
    ['a field that cannot be read', Object.defineProperty({}, 'user', { enumerable: true, get: fail })],
  ])('D-HUB-2 refuses with 403 and logs an error when it returns %s', async (_, result) => {
    const { request, errors } = hubWith(() => result);
    expect((await request()).status).toBe(403);
    expect(errors()).toEqual([expect.stringMatching(/^authorize: .*"payroll" is refused with 403$/)]);
  });

  it.each<[string, () => unknown]>([
    ['throws', fail],
    ['rejects', () => Promise.reject(new Error('secret detail'))],
  ])('D-HUB-2 responds 503 with Retry-After and without detail when it %s', async (_, authorize) => {
    const { request, errors, hub } = hubWith(authorize);
    const { status, headers, error } = await request();
    expect([status, error?.code]).toEqual([503, 'authorization_failed']);
    expect(Number(headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    expect(JSON.stringify(error)).not.toContain('secret');
    expect(errors()).toEqual(['authorize failed, so the stream is refused for now with 503']);
    expect(hub.metrics().refusals).toEqual({ authorization_failed: 1 });
  });

  it('D-HUB-2 responds 503 with Retry-After when it takes longer than 10 s', async () => {
    const world = createWorld();
    const hub = createHubWith(world, { authorize: () => new Promise(() => {}) });
    let response: Response | null = null;
    void hub.fetchHandler(new Request('http://hub.test/?audience=a')).then((it) => (response = it));
    await world.advance(9999);
    expect(response).toBeNull();
    await world.advance(1);
    expect(response).toMatchObject({ status: 503 });
    expect(hub.metrics().refusals).toEqual({ authorization_timeout: 1 });
  });

  it.each<[string, Record<string, () => unknown>, number, audience?: string]>([
    ['401 before 403', { a: () => false, b: () => 'unauthenticated' }, 401, 'b'],
    ['403 before 503', { a: fail, b: () => false }, 403, 'b'],
    ['403 before a permission', { a: () => true, b: () => false }, 403, 'b'],
    ['503 before a permission', { a: () => true, b: fail }, 503],
  ])('D-HUB-2 decides about several audiences: %s', async (_, results, status, audience) => {
    const { request } = hubWith((name) => results[name]?.());
    const response = await request('?audience=a&audience=b');
    expect([response.status, response.error?.audience]).toEqual([status, audience]);
  });

  it('D-HUB-2 admits audiences of which only some have a user', async () => {
    const { request } = hubWith((audience) => audience === 'a' || { user: '7' });
    expect((await request('?audience=a&audience=b')).status).toBe(200);
  });

  it('D-HUB-2 refuses audiences that belong to different users', async () => {
    const { request, errors } = hubWith((user) => ({ user }));
    expect((await request('?audience=a&audience=b')).status).toBe(403);
    expect(errors()[0]).toContain('different users');
  });

  it('D-HUB-2 ends the stream at the earliest expiry', async () => {
    const world = createWorld();
    const { open } = simulate(
      { authorize: (_, { audience }) => ({ expiresAt: world.now() + (audience === 'a' ? 60_000 : 90_000) }) },
      world,
    );
    const stream = await open('?audience=a&audience=b');
    await world.advance(59_999);
    expect(stream.isEnded()).toBe(false);
    await world.advance(1);
    expect(stream.isEnded()).toBe(true);
  });

  it('D-HUB-2 receives the headers, the URL and the platform’s own request, on both platforms', async () => {
    const seen: unknown[] = [];
    const options: HubOptions = {
      authorize({ headers, url, raw }) {
        const { pathname } = new URL(url);
        seen.push([headers['x-token'], headers.get('X-Token'), headers.get('x-none'), pathname, typeof raw]);
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

  it('D-HUB-2 receives one URL when the target of the request is a whole URL', async () => {
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

  it('D-SSE-8 does not shorten the replay, however long it takes', async () => {
    const world = createWorld();
    const { hub, emit, open } = simulate(
      { authorize: () => new Promise((done) => void world.setTimeout(() => done(true), 5000)) },
      world,
    );
    await emit(1);
    await world.advance(5000);
    const opened = [open('?since_ms=4000'), open('?since_ms=100'), open('?since_ms=0')];
    await world.advance(200);
    await emit(2);
    await world.advance(5000);
    const streams = await Promise.all(opened);
    expect(streams.map(({ frames }) => idsOf(frames))).toEqual([[1, 2], [2], []]);
    await hub.close();
  });
});

describe('log', () => {
  it.each<[string, HubOptions['log']]>([
    [
      'throws',
      () => {
        throw new Error('disk full');
      },
    ],
    ['rejects', () => Promise.reject(new Error('disk full'))],
  ])('D-NAME-5 falls back to the log of the platform, without losing a message, if it %s', async (_, log) => {
    const world = createWorld();
    const { hub } = simulate({ authorize: fail, log }, world);
    const response = await hub.fetchHandler(new Request('http://hub.test/?audience=a'));
    expect(response.status).toBe(503);
    await world.drain();
    expect(world.logged.map(({ message }) => message)).toEqual([
      'The option "log" failed',
      'authorize failed, so the stream is refused for now with 503',
    ]);
  });
});
