import { describe, expect, it } from 'vitest';
import { defaultSettings } from '../../src/config/options.ts';
import { retryAfterMs, streamUrl } from '../../src/stream/request.ts';
import type { SseOptions } from '../../src/types/options.ts';

const known: Readonly<Record<string, number>> = { global: 41, 'team-7': 0 };
const url = (options: Partial<SseOptions> = {}, ageMs = 0): string =>
  streamUrl({ ...defaultSettings().sse, ...options }, 'me', (audience) => known[audience] ?? null, ageMs);

describe('the address of the stream', () => {
  it.each<[clause: string, options: Partial<SseOptions>, expected: string]>([
    ['§4.2 has client id and audience', {}, '/api/events?client_id=me&audience=global&last_seq=41'],
    [
      '§4.2 has the names that are configured',
      { clientIdParam: 'c', audienceParam: 'a' },
      '/api/events?c=me&a=global&last_seq=41',
    ],
    [
      '§4.2 starts with the base',
      { baseUrl: 'https://api.test' },
      'https://api.test/api/events?client_id=me&audience=global&last_seq=41',
    ],
    [
      '§4.2 has one slash behind the base, where both have one',
      { baseUrl: 'https://api.test/v1/' },
      'https://api.test/v1/api/events?client_id=me&audience=global&last_seq=41',
    ],
    [
      '§4.2 and where neither has',
      { baseUrl: 'https://api.test', url: 'events' },
      'https://api.test/events?client_id=me&audience=global&last_seq=41',
    ],
    [
      '§4.2 has no base before an address of its own',
      { baseUrl: 'https://api.test', url: 'https://events.test/e' },
      'https://events.test/e?client_id=me&audience=global&last_seq=41',
    ],
    [
      '§4.2 keeps the query of the option',
      { url: '/e?k=1#top' },
      '/e?k=1&client_id=me&audience=global&last_seq=41',
    ],
    ['§4.2 keeps an open query', { url: '/e?' }, '/e?client_id=me&audience=global&last_seq=41'],
    [
      '§4.2 escapes',
      { audience: 'a&b=ü' },
      '/api/events?client_id=me&audience=a%26b%3D%C3%BC&last_seq=&since_ms=7',
    ],
    [
      'D-SSE-8 has since_ms while a number is unknown',
      { audience: 'new' },
      '/api/events?client_id=me&audience=new&last_seq=&since_ms=7',
    ],
    [
      'D-SSE-10 repeats both, empty where unknown',
      { audience: ['new', 'global', 'team-7'] },
      '/api/events?client_id=me&audience=new&audience=global&audience=team-7&last_seq=&last_seq=41&last_seq=0&since_ms=7',
    ],
    [
      'D-SSE-10 has no since_ms when all are known',
      { audience: ['global', 'team-7'] },
      '/api/events?client_id=me&audience=global&audience=team-7&last_seq=41&last_seq=0',
    ],
  ])('%s', (_clause, options, expected) => {
    expect(url(options, 7)).toBe(expected);
  });

  it.each([
    [-5, '1'],
    [0, '1'],
    [0.2, '1'],
    [1e9, '1000000000'],
  ])('D-SSE-8 has an age of %d as since_ms=%s', (ageMs, expected) => {
    expect(new URL(url({ audience: 'new' }, ageMs), 'http://page.test').searchParams.get('since_ms')).toBe(
      expected,
    );
  });
});

describe('Retry-After', () => {
  const now = 1_445_412_420_000;
  it.each([
    [null, null],
    ['7', 7000],
    [' 0 ', 0],
    ['Wed, 21 Oct 2015 07:28:00 GMT', 1_445_412_480_000 - now],
    ['Wed, 21 Oct 2015 07:26:00 GMT', null],
    ['soon', null],
    ['', null],
  ])('D-SSE-4 of %j is a wait of %j ms', (value, expected) => {
    expect(retryAfterMs(value ?? '', now)).toBe(expected);
  });
});
