import type { SseOptions } from '@edict/core';
import { hydrate } from '@edict/core/hydration';
import { describe, expect, it } from 'vitest';
import { createWorld } from '../world.ts';
import { setup } from './setup.ts';

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
