import { describe, expect, it } from 'vitest';
import { requestJson } from '../support/requests.ts';
import { serveHub, subscribe } from '../support/servers.ts';

describe('other origins', () => {
  const cors = { origin: ['https://a.test', 'https://b.test'], credentials: true };

  it('D-HUB-2 D-HUB-4 lets pages of the listed origins read the stream, errors, and the heartbeat header', async () => {
    const { url } = await serveHub({ cors });
    const stream = await subscribe(url, '', { origin: 'https://b.test' });
    expect(stream.response.headers.get('access-control-allow-origin')).toBe('https://b.test');
    expect(stream.response.headers.get('access-control-allow-credentials')).toBe('true');
    expect(stream.response.headers.get('vary')).toBe('Origin');
    expect(stream.response.headers.get('access-control-expose-headers')).toBe(
      'Retry-After, X-Service-Heartbeat-Ms',
    );
    const { headers } = await requestJson(`${url}?client_id=`, { headers: { origin: 'https://a.test' } });
    expect(headers.get('access-control-allow-origin')).toBe('https://a.test');
  });

  it('D-HUB-2 allows nothing to pages of other origins', async () => {
    const { url } = await serveHub({ cors });
    const stream = await subscribe(url, '', { origin: 'https://c.test' });
    expect(stream.response.headers.get('access-control-allow-origin')).toBeNull();
  });

  it('D-HUB-2 echoes the requested headers in a preflight response', async () => {
    const { hub, url } = await serveHub({ cors });
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
    expect(hub.metrics().refusals).toEqual({});
  });

  it('D-HUB-2 allows every origin with a star', async () => {
    const { url } = await serveHub({ cors: { origin: '*' } });
    const stream = await subscribe(url, '', { origin: 'https://any.test' });
    expect(stream.response.headers.get('access-control-allow-origin')).toBe('*');
  });
});
