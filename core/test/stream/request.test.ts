import type { DataLayer, SseOptions } from '@edict/core';
import { hydrate } from '@edict/core/hydration';
import { describe, expect, it } from 'vitest';
import { createWorld } from '../world.ts';
import { begin, setup } from './setup.ts';

/** The URL of the first request, with known sequence numbers of two audiences, `ageMs` after a request for an item. */
async function address(options: Partial<SseOptions>, ageMs: number): Promise<string> {
  const { dl, world } = setup({ connectOnInit: false, ...options });
  const cursors = [
    { audience: 'global', seq: 41 },
    { audience: 'team-7', seq: 0 },
  ];
  hydrate(dl, { v: 1, items: [], collections: [], cursors });
  dl.createType('ticket', { fetch: (id) => ({ id }) });
  dl.init();
  dl.fetchItem('ticket', 1);
  world.jump(ageMs); // Some are fractions of a millisecond, which no timer has.
  dl.connectSse();
  await world.rest();
  return world.last().url.href.replace('https://app.test', '').replace(dl.clientId(), 'me');
}

describe('§2.8 the URL of the stream', () => {
  it.each<[clause: string, options: Partial<SseOptions>, expected: string]>([
    ['§4.2 has client id and audience', {}, '/api/events?client_id=me&audience=global&last_seq=41'],
    [
      '§4.2 has the configured names',
      { clientIdParam: 'c', audienceParam: 'a' },
      '/api/events?c=me&a=global&last_seq=41',
    ],
    [
      '§4.2 starts with baseUrl',
      { baseUrl: 'https://api.test' },
      'https://api.test/api/events?client_id=me&audience=global&last_seq=41',
    ],
    [
      '§4.2 has one slash after baseUrl if both have one',
      { baseUrl: 'https://api.test/v1/' },
      'https://api.test/v1/api/events?client_id=me&audience=global&last_seq=41',
    ],
    [
      '§4.2 has one slash after baseUrl if neither has one',
      { baseUrl: 'https://api.test', url: 'events' },
      'https://api.test/events?client_id=me&audience=global&last_seq=41',
    ],
    [
      '§4.2 ignores baseUrl if url is absolute',
      { baseUrl: 'https://api.test', url: 'https://events.test/e' },
      'https://events.test/e?client_id=me&audience=global&last_seq=41',
    ],
    [
      '§4.2 keeps the query of the option',
      { url: '/e?k=1#top' },
      '/e?k=1&client_id=me&audience=global&last_seq=41',
    ],
    ['§4.2 keeps an empty query', { url: '/e?' }, '/e?&client_id=me&audience=global&last_seq=41'],
    [
      '§4.2 escapes values',
      { audience: 'a&b=ü' },
      '/api/events?client_id=me&audience=a%26b%3D%C3%BC&last_seq=&since_ms=7',
    ],
    [
      'D-SSE-8 has since_ms while a sequence number is unknown',
      { audience: 'new' },
      '/api/events?client_id=me&audience=new&last_seq=&since_ms=7',
    ],
    [
      'D-SSE-10 repeats audience and last_seq, which is empty if unknown',
      { audience: ['new', 'global', 'team-7'] },
      '/api/events?client_id=me&audience=new&audience=global&audience=team-7&last_seq=&last_seq=41&last_seq=0&since_ms=7',
    ],
    [
      'D-SSE-10 has no since_ms if all sequence numbers are known',
      { audience: ['global', 'team-7'] },
      '/api/events?client_id=me&audience=global&audience=team-7&last_seq=41&last_seq=0',
    ],
  ])('%s', async (_clause, options, expected) => {
    expect(await address(options, 7)).toBe(expected);
  });

  it('D-REG-3 is complete with baseUrl, as is needed outside a browser', async () => {
    const { sim, rest } = createWorld({
      isBrowser: false,
      init: { sse: { enabled: true, baseUrl: 'https://app.test' } },
    });
    await rest();
    const [request] = sim.requests.filter(({ isStream }) => isStream);
    expect(request?.url.href).toMatch(/^https:\/\/app\.test\/api\/events\?/);
  });

  it.each([
    [0, '1'],
    [0.2, '1'],
    [7.2, '8'],
    [1e6, '1000000'],
  ])('D-SSE-8 sends an age of %d ms as since_ms=%s', async (ageMs, expected) => {
    expect(await address({ audience: 'new' }, ageMs)).toContain(`&since_ms=${expected}`);
  });
});

describe('Retry-After', () => {
  // The clock starts on Thu, 01 Jan 2026, at 00:00:00.
  it.each([
    [null, null],
    ['7', 7000],
    [' 0 ', 0],
    ['Thu, 01 Jan 2026 00:01:00 GMT', 60_000],
    ['Wed, 31 Dec 2025 23:59:00 GMT', null],
    ['soon', null],
    ['', null],
  ])('D-SSE-4 of %j is a wait of %j ms', async (value, expected) => {
    const { world, dl, of } = setup({ initialRetryMs: 1234 });
    dl.init();
    await world.rest();
    await world.last().refuse(503, value === null ? {} : { 'retry-after': value });
    expect(of('sse:error')).toMatchObject([{ retryInMs: expected ?? 1234 }]);
  });
});

describe('the request', () => {
  it('§2.8 §4.2 by default, init requests an event stream for the global audience, without cookies', async () => {
    const { dl, world, opened, sse } = setup();
    await opened();
    expect(world.connections).toHaveLength(1);
    const { url, init } = world.last();
    expect(url.pathname).toBe('/api/events');
    expect(url.searchParams.get('client_id')).toBe(dl.clientId());
    expect(url.searchParams.getAll('audience')).toEqual(['global']);
    expect(init.method ?? 'GET').toBe('GET');
    expect(init.credentials).toBe('omit');
    expect(new Headers(init.headers).get('accept')).toBe('text/event-stream');
    expect(init.cache).toBe('no-store');
    expect(sse()).toMatchObject({ enabled: true, connected: true, audience: 'global' });
  });

  it.each([
    [true, 'include'],
    [false, 'omit'],
  ])('D-SSE-1 with withCredentials: %s has credentials: %s', async (withCredentials, credentials) => {
    const { dl, world } = setup({ withCredentials });
    await begin(dl);
    expect(world.last().init.credentials).toBe(credentials);
  });

  it('§2.8 is not sent with enabled: false', async () => {
    const { dl, sse, world } = setup({ enabled: false });
    await begin(dl);
    dl.connectSse();
    expect(world.connections).toHaveLength(0);
    expect(sse()).toMatchObject({ enabled: false, status: 'off' });
  });

  it.each([
    ['configureSse', (dl: DataLayer) => dl.configureSse({ enabled: true })],
    ['a second init', (dl: DataLayer) => dl.init({ sse: { enabled: true } })],
  ])('§2.8 is sent when %s enables a stream that init left disabled', async (_, enable) => {
    const { dl, world } = setup({ enabled: false });
    await begin(dl);
    enable(dl);
    await world.rest();
    expect(world.connections).toHaveLength(1);
  });

  it('§2.8 waits for connectSse with connectOnInit: false, even if the stream is enabled later', async () => {
    const { dl, world } = setup({ enabled: false, connectOnInit: false });
    await begin(dl);
    dl.configureSse({ enabled: true });
    await world.rest();
    expect(world.connections).toHaveLength(0);
    dl.connectSse();
    await world.rest();
    expect(world.connections).toHaveLength(1);
  });

  it('§2.8 waits for connectSse with connectOnInit: false', async () => {
    const { dl, world } = setup({ connectOnInit: false });
    await begin(dl);
    expect(world.connections).toHaveLength(0);
    expect(world.sim.page.listeners()).toBe(0);
    dl.connectSse();
    await world.rest();
    expect(world.connections).toHaveLength(1);
  });

  it('D-SSE-1 has the configured headers', async () => {
    const { dl, world } = setup({ headers: { Authorization: 'Bearer a' } });
    await begin(dl);
    expect(new Headers(world.last().init.headers).get('authorization')).toBe('Bearer a');
  });

  it.each<[string, () => unknown]>([
    ['Headers', () => new Headers({ authorization: 'Bearer a' })],
    ['a list of pairs', () => Promise.resolve([['authorization', 'Bearer a']])],
  ])('D-SSE-4 has the headers of a function that returns %s', async (_, make) => {
    const { dl, world } = setup({ headers: make as () => Record<string, string> });
    await begin(dl);
    await world.rest();
    const sent = new Headers(world.last().init.headers);
    expect([sent.get('authorization'), sent.get('accept')]).toEqual(['Bearer a', 'text/event-stream']);
  });

  it('D-SSE-4 has new headers from the function for each attempt', async () => {
    let token = 0;
    const { dl, world } = setup({ headers: () => Promise.resolve({ Authorization: `Bearer ${++token}` }) });
    await begin(dl);
    await world.rest();
    await world.last().fail(new TypeError('refused'));
    await world.sim.advance(2000);
    const sent = world.connections.map(({ init }) => new Headers(init.headers).get('authorization'));
    expect(sent).toEqual(['Bearer 1', 'Bearer 2']);
  });

  it('D-SSE-4 is retried when the headers function rejects', async () => {
    let calls = 0;
    const headers = (): Promise<Record<string, string>> =>
      ++calls === 1 ? Promise.reject(new Error('no token')) : Promise.resolve({});
    const { dl, of, world } = setup({ headers });
    await begin(dl);
    await world.rest();
    expect(of('sse:error')).toEqual([{ retryInMs: 2000, error: new Error('no token') }]);
    await world.sim.advance(2000);
    expect(world.connections).toHaveLength(1);
  });

  it('D-SSE-4 is retried when the headers function throws', async () => {
    const { dl, of, world } = setup({
      headers: () => {
        throw new Error('no token');
      },
    });
    await begin(dl);
    await world.rest();
    expect(of('sse:error')).toMatchObject([{ retryInMs: 2000 }]);
  });

  it('D-SSE-4 is retried when the headers function never settles', async () => {
    let calls = 0;
    const headers = (): Promise<Record<string, string>> =>
      ++calls === 1 ? new Promise(() => undefined) : Promise.resolve({});
    const { dl, of, world } = setup({ headers });
    await begin(dl);
    await world.sim.advance(60_000);
    expect(of('sse:error')).toMatchObject([{ retryInMs: 2000 }]);
    await world.sim.advance(2000);
    expect(world.connections).toHaveLength(1);
  });

  it('is not sent when the headers arrive after disconnectSse', async () => {
    let resolve!: (headers: Record<string, string>) => void;
    const { dl, world } = setup({ headers: () => new Promise((done) => void (resolve = done)) });
    await begin(dl);
    dl.disconnectSse();
    resolve({});
    await world.rest();
    expect(world.connections).toHaveLength(0);
  });

  it('is aborted and retried when no response arrives, and suggests a buffering proxy', async () => {
    const { dl, of, world } = setup();
    await begin(dl);
    await world.sim.advance(60_000);
    expect(world.last().isAborted()).toBe(true);
    expect(of('sse:error')).toMatchObject([{ reason: 'silent', retryInMs: 2000 }]);
    expect(world.sim.log).toMatchObject([{ level: 'warn', message: expect.stringContaining('buffering') }]);
  });
});
