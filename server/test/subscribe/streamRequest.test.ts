import { describe, expect, it } from 'vitest';
import type { HubOptions } from '../../src/index.ts';
import { requestJson, sendRaw } from '../support/requests.ts';
import { serveHub, subscribe } from '../support/servers.ts';

const everyone: HubOptions = { authorize: () => true };
const long = 'x'.repeat(129);

describe('a request for a stream', () => {
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
    ['?last_seq=9007199254740992', 'last_seq'],
    ['?last_seq=99999999999999999', 'last_seq'],
    ['?since_ms=', 'since_ms'],
    ['?since_ms=-5', 'since_ms'],
    ['?since_ms=soon', 'since_ms'],
    ['?since_ms=1&since_ms=2', 'since_ms'],
  ])('D-HUB-2 responds 400 to %s', async (query, named) => {
    const { hub, url } = await serveHub({ ...everyone, limits: { maxAudiencesPerConnection: 3 } });
    const { status, body, headers } = await requestJson(`${url}/api/events${query}`);
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
  ])('D-HUB-2 accepts %s', async (query) => {
    const { url } = await serveHub({ ...everyone, limits: { maxAudiencesPerConnection: 3 } });
    const stream = await subscribe(url, query);
    expect((await stream.atLeast(1))[0]?.envelope?.directives).toEqual([]);
  });

  it('uses the parameter names of the options', async () => {
    const { url } = await serveHub({ ...everyone, params: { clientId: 'cid', audience: 'room' } });
    const stream = await subscribe(url, '?cid=me&room=lobby');
    expect((await stream.atLeast(1))[0]?.envelope?.audience).toBe('lobby');
    expect((await requestJson(`${url}/api/events?cid=`)).status).toBe(400);
  });

  it.each(['POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH'])(
    'D-HUB-2 responds 405 with Allow to %s',
    async (method) => {
      const { url } = await serveHub();
      const { status, headers, body } = await requestJson(`${url}/api/events`, { method });
      expect([status, headers.get('allow'), body.error.code]).toEqual([405, 'GET', 'method_not_allowed']);
    },
  );

  it('D-HUB-2 responds 405 without a body to HEAD', async () => {
    const { url } = await serveHub();
    const response = await fetch(url, { method: 'HEAD' });
    expect([response.status, await response.text()]).toEqual([405, '']);
  });

  it('D-HUB-2 responds 413 to a target above 8 KiB', async () => {
    const { url } = await serveHub();
    const at = (length: number): string => `${url}/?pad=`.padEnd(url.length + length, 'x');
    expect((await requestJson(at(8193))).status).toBe(413);
    const response = await fetch(at(8192));
    expect(response.status).toBe(200);
    await response.body?.cancel();
  });

  it('responds to a request whose query and host cannot be decoded', async () => {
    const { url } = await serveHub({ authorize: ({ url: asked }) => URL.canParse(asked) });
    const answer = await sendRaw(
      url,
      'GET /?audience=%E0%A4%A&client_id=%ff HTTP/1.1\r\nHost: [}{]\r\n\r\n'.replace('%A&', '%A4&'),
    );
    expect(answer).toMatch(/^HTTP\/1.1 (200|400|403) /);
  });
});
