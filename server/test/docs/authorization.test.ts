// Runs the code blocks of docs/server/authorization.md with real sockets.

import type { DataLayer } from '@edict/core';
import express, { type Response, type Router } from 'express';
import { expect, it, onTestFinished, vi } from 'vitest';
import { createHub, type Hub } from '../../src/index.ts';
import { openPage, visit } from '../support/pages.ts';
import { serveHttp, subscribe } from '../support/servers.ts';

const guide = 'docs/server/authorization.md';

/** The type of a session, which the guide leaves to the application. */
interface Session {
  readonly userId: string;
  readonly teamIds: readonly string[];
  readonly expiresAt: number;
}

const inAnHour = (): number => Date.now() + 3_600_000;

/** Serves the guide's hub, which reads these sessions. */
async function setup(sessions: Readonly<Record<string, Session>>): Promise<{ hub: Hub; url: string }> {
  vi.stubGlobal('sessionOf', async (cookie = '') => sessions[cookie.replace('session=', '')] ?? null);
  onTestFinished(() => void vi.unstubAllGlobals());
  const { hub } = await openPage(guide).run<{ hub: Hub }>('hub.ts');
  onTestFinished(() => hub.close({ retryMs: [0, 0] }));
  const { url } = await serveHttp(hub.nodeHandler);
  return { hub, url };
}

/** The data layer of the page. */
async function pageLayer(): Promise<DataLayer> {
  const { DL } = await import('@edict/core');
  onTestFinished(() => DL.dispose());
  return DL;
}

it('“On the server”: a session may subscribe to its own audiences, and one forbidden audience refuses the request', async () => {
  const { url } = await setup({ ann: { userId: '12', teamIds: ['7'], expiresAt: inAnHour() } });
  const ask = async (query: string, cookie = 'session=ann'): Promise<number> => {
    const response = await fetch(`${url}/api/events?${query}`, { headers: { cookie } });
    await response.body?.cancel();
    return response.status;
  };
  expect(await ask('audience=global')).toBe(200);
  expect(await ask('audience=global&audience=user-12&audience=team-7')).toBe(200);
  expect(await ask('audience=team-8')).toBe(403);
  expect(await ask('audience=global&audience=team-7&audience=team-8')).toBe(403);
  // `authorize` decides about `global` too.
  expect(await ask('audience=global', 'session=nobody')).toBe(401);
});

it('“On the server”: a session is looked up once per request, for all its audiences', async () => {
  const { url } = await setup({ ann: { userId: '12', teamIds: ['7'], expiresAt: inAnHour() } });
  const lookUp = vi.fn(async () => ({ userId: '12', teamIds: ['7'], expiresAt: inAnHour() }));
  vi.stubGlobal('sessionOf', lookUp);
  for (const times of [1, 2]) {
    const stream = await subscribe(url, '?audience=global&audience=user-12&audience=team-7');
    await stream.atLeast(3);
    expect(lookUp).toHaveBeenCalledTimes(times);
  }
});

it('“On the server”: the stream ends when its session expires, and an expired session is refused', async () => {
  const session = { userId: '12', teamIds: [], expiresAt: 0 };
  const { url } = await setup({});
  // The session begins with the first request.
  vi.stubGlobal('sessionOf', async () => {
    session.expiresAt ||= Date.now() + 1000;
    return session;
  });
  const headers = { cookie: 'session=ann' };
  const stream = await subscribe(url, '?audience=user-12', headers);
  expect(await stream.ended).toBeNull();
  expect(Date.now()).toBeGreaterThanOrEqual(session.expiresAt);
  expect((await fetch(`${url}/api/events?audience=user-12`, { headers })).status).toBe(403);
});

it('“On the server”: without `authorize`, only `global` is allowed', async () => {
  const hub = createHub();
  onTestFinished(() => hub.close({ retryMs: [0, 0] }));
  const { url } = await serveHttp(hub.nodeHandler);
  await (await subscribe(url)).atLeast(1);
  expect((await fetch(`${url}/api/events?audience=team-7`)).status).toBe(403);
});

it('“What to emit”: only the team receives its directives, and a directive for another audience rejects the call', async () => {
  const { hub, url } = await setup({
    ann: { userId: '12', teamIds: ['7'], expiresAt: inAnHour() },
    bob: { userId: '13', teamIds: ['8'], expiresAt: inAnHour() },
  });
  const { teamTicketChanged } = await openPage(guide).run<{
    teamTicketChanged: (hub: Hub, teamId: string, id: number) => Promise<void>;
  }>('teamTicketChanged');
  const ann = await subscribe(url, '?audience=team-7&audience=global', { cookie: 'session=ann' });
  const bob = await subscribe(url, '?audience=team-8&audience=global', { cookie: 'session=bob' });
  await Promise.all([ann.atLeast(2), bob.atLeast(2)]);
  await teamTicketChanged(hub, '7', 1);
  // Every client receives this later directive, so it shows that bob received no directive of team 7.
  await hub.emit([{ op: 'refresh_item', name: 'news', id: 1 }]);
  const ofAnn = (await ann.atLeast(4)).slice(2).map(({ envelope }) => String(envelope?.audience));
  expect(ofAnn.toSorted()).toEqual(['global', 'team-7']);
  expect((await bob.atLeast(3))[2]?.envelope?.audience).toBe('global');

  const wrong = hub.emit([{ op: 'refresh_item', name: 'ticket', id: 1, audience: 'team-8' }], {
    audience: 'team-7',
  });
  await expect(wrong).rejects.toThrow('audience');
  const moved = await hub.emit([{ op: 'refresh_item', name: 'ticket', id: 1 }], {
    audience: ['team-7', 'team-8'],
  });
  expect(moved.map(({ audience }) => audience)).toEqual(['team-7', 'team-8']);
});

it('“On the client”: one stream with cookies carries all audiences', async () => {
  const { hub, url } = await setup({ ann: { userId: '12', teamIds: ['7'], expiresAt: inAnHour() } });
  const visited = visit(url);
  visited.cookie = 'session=ann';
  const dl = await pageLayer();
  const heard: unknown[] = [];
  dl.onLifecycle('directive:received', ({ detail }) => void heard.push(detail.audience));
  await openPage(guide).run("const me = { id: '12'");
  await expect.poll(() => Object.keys(dl.state().sse.lastSeq).length).toBe(3);
  expect(visited.streams.map(({ credentials }) => credentials)).toEqual(['include']);
  expect(visited.streams[0]?.url.searchParams.getAll('audience')).toEqual(['global', 'user-12', 'team-7']);
  await hub.emit([{ op: 'refresh_item', name: 'ticket', id: 1 }], { audience: 'team-7' });
  await expect.poll(() => heard).toEqual(['team-7']);
});

it('“Tokens”: each attempt has a fresh token, and a refusal stops attempts until `connectSse`', async () => {
  const hub = createHub({ authorize: ({ headers }) => headers['authorization'] === 'Bearer token 2' });
  onTestFinished(() => hub.close({ retryMs: [0, 0] }));
  const visited = visit((await serveHttp(hub.nodeHandler)).url);
  const dl = await pageLayer();
  let made = 0;
  vi.stubGlobal('freshToken', async () => `token ${++made}`);
  const refused = new Promise((done) => dl.onLifecycle('sse:error', ({ detail }) => done(detail)));
  await openPage(guide).run('freshToken');
  expect(await refused).toMatchObject({ status: 403, retryInMs: null });
  expect(dl.state().sse.status).toBe('off');
  dl.connectSse();
  await expect.poll(() => dl.state().sse.status).toBe('open');
  expect(visited.streams.map(({ headers }) => headers.get('authorization'))).toEqual([
    'Bearer token 1',
    'Bearer token 2',
  ]);
});

it('“Client ids”: an id belongs to its first user, and no other user can open streams or emit with it', async () => {
  const { claim, sourceOf } = await openPage(guide).run<{
    claim: (clientId: string | null, userId: string) => boolean;
    sourceOf: (clientId: string | null, userId: string) => string | null;
  }>('clients.ts');
  const hub = createHub({
    authorize: ({ headers }, { clientId }) => claim(clientId, headers.cookie ?? ''),
    limits: { maxConnectionsPerClient: 1 },
  });
  onTestFinished(() => hub.close({ retryMs: [0, 0] }));
  const { url } = await serveHttp(hub.nodeHandler);
  const stream = await subscribe(url, '?client_id=of-ann', { cookie: 'ann' });
  await stream.atLeast(1);
  const ask = async (query: string, cookie: string): Promise<number> => {
    const response = await fetch(`${url}${query}`, { headers: { cookie } });
    await response.body?.cancel();
    return response.status;
  };
  expect(await ask('?client_id=of-bob', 'bob')).toBe(200);
  expect(await ask('', 'bob')).toBe(200);
  await stream.cancel();
  await expect.poll(() => hub.metrics().connections).toBe(0);
  expect(await ask('?client_id=of-ann', 'bob')).toBe(403);
  expect(await ask('?client_id=of-ann', 'ann')).toBe(200);
  expect(sourceOf('of-ann', 'bob')).toBeNull();
  expect(sourceOf('of-ann', 'ann')).toBe('of-ann');
  expect(sourceOf('not-seen-yet', 'bob')).toBe('not-seen-yet');
  expect(sourceOf(null, 'bob')).toBeNull();
});

it('“Responses”: a client does not apply directives that a user wrote into a document', async () => {
  const { respond } = await openPage(guide).run<{
    respond: (res: Response, document: Record<string, unknown>) => void;
  }>('documents.ts');
  const directives = [{ op: 'force_reload_page' }];
  const { url } = await serveHttp(express().put('/api/documents', (_, res) => respond(res, { directives })));
  const received = vi.fn();
  const dl = await pageLayer();
  dl.onLifecycle('directive:received', received);
  dl.init({ sse: { enabled: false }, fetchOrigins: [url] });
  expect(await dl.json(`${url}/api/documents`, { method: 'PUT' })).toEqual({ document: { directives } });
  expect(received).not.toHaveBeenCalled();
});

it('“Other sites”: only the listed origin may read with cookies, and a star is not allowed', async () => {
  const { hub } = await openPage(guide).run<{ hub: Hub }>('cors:');
  onTestFinished(() => hub.close({ retryMs: [0, 0] }));
  const { url } = await serveHttp(hub.nodeHandler);
  const ask = async (origin: string): Promise<Headers> => {
    const response = await fetch(`${url}/api/events`, { headers: { origin } });
    await response.body?.cancel();
    return response.headers;
  };
  const named = await ask('https://app.example.com');
  expect(named.get('access-control-allow-origin')).toBe('https://app.example.com');
  expect(named.get('access-control-allow-credentials')).toBe('true');
  expect((await ask('https://evil.example')).get('access-control-allow-origin')).toBeNull();
  expect(() => createHub({ cors: { origin: '*', credentials: true } })).toThrow(TypeError);
});

it('“Other sites”: the preflight request of a stream with a token reaches the hub, which allows the token', async () => {
  const page = openPage(guide);
  const { hub } = await page.run<{ hub: Hub }>('cors:');
  onTestFinished(() => hub.close({ retryMs: [0, 0] }));
  const { streams } = await page.run<{ streams: (hub: Hub) => Router }>('streams.ts');
  const { url } = await serveHttp(express().use(streams(hub)));
  const headers = { origin: 'https://app.example.com' };
  const answer = await fetch(`${url}/api/events`, {
    method: 'OPTIONS',
    headers: {
      ...headers,
      'access-control-request-method': 'GET',
      'access-control-request-headers': 'authorization',
    },
  });
  expect(answer.ok).toBe(true);
  expect(answer.headers.get('access-control-allow-origin')).toBe('https://app.example.com');
  expect(answer.headers.get('access-control-allow-headers')).toBe('authorization');
  await (await subscribe(url, '', { ...headers, authorization: 'Bearer token 1' })).atLeast(1);
  expect((await fetch(`${url}/api/events`, { method: 'POST' })).status).toBe(405);
});
