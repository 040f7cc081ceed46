import { describe, expect, it } from 'vitest';
import type { HubOptions } from '../../src/index.ts';
import type { AdminSnapshot } from '../../src/admin/snapshot.ts';
import { playedBackplane } from '../support/recordedBackplane.ts';
import { hubForTest, serveHttp } from '../support/servers.ts';
import { simulate } from '../support/simulated.ts';

const asAdmin = { cookie: 'admin=1' };
const admin: HubOptions['admin'] = ({ headers }) => headers['cookie'] === 'admin=1';

/** Requests the page of a simulated hub. */
function pageOf(options: HubOptions) {
  const simulated = simulate({ authorize: () => ({ user: 'Ada <b>' }), ...options });
  const request = (headers: HeadersInit = {}, query = '', method = 'GET'): Promise<Response> =>
    simulated.hub.adminHandler(new Request(`http://hub.test/admin${query}`, { headers, method }));
  return { ...simulated, request };
}

describe('adminHandler', () => {
  it('is off without the option admin', async () => {
    expect((await pageOf({}).request(asAdmin)).status).toBe(404);
  });

  it.each<[number, HubOptions['admin']]>([
    [200, () => true],
    [200, () => Promise.resolve(true)],
    [403, () => false],
    [403, () => ({ allowed: true }) as never],
    [
      503,
      () => {
        throw new Error('no session');
      },
    ],
    [503, () => Promise.reject(new Error('no session'))],
  ])('responds %i after the check %s', async (status, check) => {
    expect((await pageOf({ admin: check }).request()).status).toBe(status);
  });

  it('responds 503 after 10 s if the check does not end', async () => {
    const { request, world } = pageOf({ admin: () => new Promise(() => {}) });
    const response = request();
    await world.advance(10_000);
    expect((await response).status).toBe(503);
  });

  it('responds 503 while an envelope of the backplane cannot be read', async () => {
    const backplane = playedBackplane();
    const { request, open } = pageOf({ admin, backplane });
    await open('?audience=team-7');
    backplane.sink('team-7').entries([{ seq: 101, at: 0, payload: 'no JSON' }]);
    expect((await request(asAdmin)).status).toBe(503);
  });

  it('is read-only, runs no scripts, and cannot be framed or cached', async () => {
    const { request } = pageOf({ admin });
    const refused = await request(asAdmin, '', 'POST');
    expect([refused.status, refused.headers.get('allow')]).toEqual([405, 'GET']);
    const { headers } = await request(asAdmin);
    expect(headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
  });

  it('shows connections, audiences, log lines, and envelopes without results', async () => {
    const { request, open, hub, world } = pageOf({ admin });
    await open('?client_id=me&audience=team-7&audience=global');
    await hub.emit(
      [
        { op: 'refresh_item', name: 'ticket', id: 7, result: { title: 'secret' } },
        { op: 'invalidate', targets: [{ op: 'refresh_item', name: 'ticket', id: 8, result: 'secret' }] },
      ],
      { audience: 'team-7' },
    );
    await world.drain();
    await pageOf({ admin }).request(asAdmin);
    const json = await (await request(asAdmin, '?format=json')).text();
    const snapshot = JSON.parse(json) as AdminSnapshot;
    expect(json).not.toContain('secret');
    expect(snapshot.metrics.connections).toBe(1);
    expect(snapshot.connections).toMatchObject([
      {
        clientId: 'me',
        user: 'Ada <b>',
        key: null,
        audiences: ['team-7', 'global'],
        blockedMs: null,
        behind: 0,
      },
    ]);
    expect(snapshot.audiences).toMatchObject([
      { audience: 'team-7', subscribers: 1, kept: 1, maxBehind: 0 },
      { audience: 'global', subscribers: 1, kept: 0, maxBehind: 0 },
    ]);
    expect(snapshot.envelopes).toMatchObject([
      {
        audience: 'team-7',
        seq: snapshot.audiences[0]?.position,
        directives: [
          { op: 'refresh_item', id: 7 },
          { op: 'invalidate', targets: [{ id: 8 }] },
        ],
      },
    ]);
  });

  it('shows the last warnings and errors without their details', async () => {
    const { request, hub } = pageOf({
      admin,
      authorize() {
        throw new Error('secret');
      },
    });
    await hub.fetchHandler(new Request('http://hub.test/'));
    const text = await (await request(asAdmin, '?format=json')).text();
    expect(text).toContain('authorize failed');
    expect(text).not.toContain('secret');
  });

  it('escapes what clients send', async () => {
    const { request, open } = pageOf({ admin });
    await open(`?client_id=${encodeURIComponent('<script>"&\'')}`);
    const text = await (await request(asAdmin)).text();
    expect(text).toContain('<td>&lt;script&gt;&quot;&amp;&#39;</td>');
    expect(text).toContain('<td>Ada &lt;b&gt;</td>');
    expect(text).not.toContain('<script');
  });

  it('shows only the newest rows and lines', async () => {
    const { request, open, emit } = pageOf({ admin });
    for (let id = 0; id < 110; id += 1) await open(`?client_id=${id}`);
    for (let id = 0; id < 30; id += 1) await emit(id);
    const snapshot = (await (await request(asAdmin, '?format=json')).json()) as AdminSnapshot;
    expect(snapshot.connections.map(({ clientId }) => clientId)).toHaveLength(100);
    expect(snapshot.connections[0]?.clientId).toBe('109');
    expect(snapshot.envelopes).toHaveLength(20);
    expect(snapshot.envelopes[0]?.directives).toMatchObject([{ id: 29 }]);
  });

  it('works behind node:http', async () => {
    const hub = hubForTest({ admin });
    const { url } = await serveHttp(hub.adminHandler);
    expect((await fetch(url)).status).toBe(403);
    const response = await fetch(url, { headers: asAdmin });
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(await response.text()).toContain('<title>Edict hub</title>');
    expect(await (await fetch(`${url}?format=json`, { headers: asAdmin })).json()).toHaveProperty('metrics');
  });

  it('throws an error that names the wrong argument', () => {
    const { hub } = simulate({ admin });
    expect(() => hub.adminHandler({ raw: {} } as never)).toThrow(
      'adminHandler: the request must be a Request',
    );
    expect(() => hub.adminHandler({ raw: {} } as never, {} as never)).toThrow('adminHandler: req must be');
  });
});
