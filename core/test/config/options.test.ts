import { createDataLayer, type InitOptions } from '@edict/core';
import { describe, expect, it } from 'vitest';
import { untyped } from '../world.ts';

/** The error message for invalid milliseconds. */
const ms = (option: string, min: number, value: string): string =>
  `[edict] options: ${option} must be a number of milliseconds from ${min} to 2147483647, but it is ${value}.`;

/** The option names in the error for an unknown option of the stream. */
const sse =
  'enabled, url, baseUrl, audience, clientIdParam, audienceParam, withCredentials, connectOnInit, initialRetryMs, maxRetryMs, ' +
  'backoffMultiplier, retryJitter, resyncOnGap, resyncJitterMinMs, resyncJitterMaxMs, headers, share, pauseHidden';

describe('D-REG-4 options', () => {
  it.each<InitOptions>([
    { sse: { audience: ['a', 'b'], headers: { a: 'b' } } },
    { sse: { headers: () => ({}) } },
    { sse: { initialRetryMs: 500, maxRetryMs: 500, backoffMultiplier: 1 } },
    { sse: { resyncJitterMinMs: 0, resyncJitterMaxMs: 0 } },
    { memory: { maxItemsPerType: Infinity, itemEntryTtlMs: Infinity, maxCollectionRefsPerCollection: 0 } },
    { bulk: { delayMs: 0, maxBatchSize: 1, refetch: 'watched', retryFailedMs: 1000 } },
  ])('accepts %o', (options: InitOptions) => {
    const init = { ...options, sse: { enabled: false, ...options.sse } };
    expect(() => createDataLayer().init(init)).not.toThrow();
  });

  it('start from the defaults of createDataLayer', () => {
    const dl = createDataLayer({ defaults: { sse: { enabled: false, url: '/stream', audience: 'team-7' } } });
    dl.init({ sse: { audience: 'team-8' } });
    expect(dl.state().sse).toMatchObject({ enabled: false, url: '/stream', audience: 'team-8' });
    expect(() => createDataLayer({ defaults: { sse: { url: '' } } })).toThrow('sse.url must be');
  });

  it.each<[unknown, string]>([
    [null, '[edict] options: the value must be an object, but it is null.'],
    [[], '[edict] options: the value must be an object, but it is an empty array.'],
    ['sse', '[edict] options: the value must be an object, but it is "sse".'],
    [{ see: {} }, '[edict] options: see is not an option. Use one of: sse, memory, bulk, fetchOrigins.'],
    [{ sse: null }, '[edict] options: sse must be an object, but it is null.'],
    [{ memory: [] }, '[edict] options: memory must be an object, but it is an empty array.'],
    [{ bulk: 50 }, '[edict] options: bulk must be an object, but it is 50.'],
    [{ sse: { retryMs: 1 } }, `[edict] options: sse.retryMs is not an option. Use one of: ${sse}.`],
    [
      JSON.parse('{"sse":{"__proto__":1}}'),
      `[edict] options: sse.__proto__ is not an option. Use one of: ${sse}.`,
    ],
    [{ sse: { constructor: 1 } }, `[edict] options: sse.constructor is not an option. Use one of: ${sse}.`],
    [{ sse: { enabled: 1 } }, '[edict] options: sse.enabled must be true or false, but it is 1.'],
    [{ sse: { url: '' } }, '[edict] options: sse.url must be a string that is not empty, but it is "".'],
    [{ sse: { url: null } }, '[edict] options: sse.url must be a string that is not empty, but it is null.'],
    [
      { sse: { baseUrl: 5 } },
      '[edict] options: sse.baseUrl must be a string that is empty, or begins with / or a scheme such as https://, but it is 5.',
    ],
    [
      { sse: { baseUrl: new URL('https://api.example.com') } },
      '[edict] options: sse.baseUrl must be a string that is empty, or begins with / or a scheme such as https://, but it is an instance of URL.',
    ],
    [
      { sse: { audience: [] } },
      '[edict] options: sse.audience must be a string that is not empty, or a list of different ones, but it is an empty array.',
    ],
    [
      { sse: { audience: ['a', 'a'] } },
      '[edict] options: sse.audience must be a string that is not empty, or a list of different ones, but it is an array.',
    ],
    [
      { sse: { clientIdParam: 1 } },
      '[edict] options: sse.clientIdParam must be a string that is not empty, but it is 1.',
    ],
    [
      { sse: { audienceParam: '' } },
      '[edict] options: sse.audienceParam must be a string that is not empty, but it is "".',
    ],
    [
      { sse: { audienceParam: 'last_seq' } },
      '[edict] options: sse.audienceParam must be another name than last_seq and since_ms, but it is "last_seq".',
    ],
    [
      { sse: { clientIdParam: 'since_ms' } },
      '[edict] options: sse.clientIdParam must be another name than last_seq and since_ms, but it is "since_ms".',
    ],
    [
      { sse: { url: '/events?audience=team-7' } },
      '[edict] options: sse.url must not contain "audience", which the client adds, but it is "/events?audience=team-7".',
    ],
    [
      { sse: { baseUrl: 'api.example.com' } },
      '[edict] options: sse.baseUrl must be a string that is empty, or begins with / or a scheme such as https://, but it is "api.example.com".',
    ],
    [
      { sse: { baseUrl: 'localhost:3000' } },
      '[edict] options: sse.baseUrl must be a string that is empty, or begins with / or a scheme such as https://, but it is "localhost:3000".',
    ],
    [
      { sse: { withCredentials: 'include' } },
      '[edict] options: sse.withCredentials must be true or false, but it is "include".',
    ],
    [
      { sse: { connectOnInit: null } },
      '[edict] options: sse.connectOnInit must be true or false, but it is null.',
    ],
    [{ sse: { initialRetryMs: 0 } }, ms('sse.initialRetryMs', 1, '0')],
    [{ sse: { initialRetryMs: '2000' } }, ms('sse.initialRetryMs', 1, '"2000"')],
    [{ sse: { maxRetryMs: -1 } }, ms('sse.maxRetryMs', 1, '-1')],
    [{ sse: { maxRetryMs: Infinity } }, ms('sse.maxRetryMs', 1, 'Infinity')],
    [
      { sse: { maxRetryMs: 1000 } },
      '[edict] options: sse.maxRetryMs must be at least sse.initialRetryMs (2000), but it is 1000.',
    ],
    [
      { sse: { initialRetryMs: 40000 } },
      '[edict] options: sse.maxRetryMs must be at least sse.initialRetryMs (40000), but it is 30000.',
    ],
    [
      { sse: { backoffMultiplier: 0.5 } },
      '[edict] options: sse.backoffMultiplier must be a number, at least 1, but it is 0.5.',
    ],
    [
      { sse: { backoffMultiplier: Number.NaN } },
      '[edict] options: sse.backoffMultiplier must be a number, at least 1, but it is NaN.',
    ],
    [
      { sse: { backoffMultiplier: Infinity } },
      '[edict] options: sse.backoffMultiplier must be a number, at least 1, but it is Infinity.',
    ],
    [
      { sse: { resyncOnGap: 'yes' } },
      '[edict] options: sse.resyncOnGap must be true or false, but it is "yes".',
    ],
    [{ sse: { resyncJitterMinMs: -1 } }, ms('sse.resyncJitterMinMs', 0, '-1')],
    [{ sse: { resyncJitterMaxMs: 2 ** 31 } }, ms('sse.resyncJitterMaxMs', 0, '2147483648')],
    [
      { sse: { resyncJitterMaxMs: 1000 } },
      '[edict] options: sse.resyncJitterMaxMs must be at least sse.resyncJitterMinMs (1500), but it is 1000.',
    ],
    [
      { sse: { headers: { a: 1 } } },
      '[edict] options: sse.headers must be an object of strings, or a function that returns one, but it is an object.',
    ],
    [
      { sse: { headers: new Headers() } },
      '[edict] options: sse.headers must be an object of strings, or a function that returns one, but it is an instance of Headers.',
    ],
    [{ memory: { enabled: 'no' } }, '[edict] options: memory.enabled must be true or false, but it is "no".'],
    [
      { memory: { maxItemsPerType: 1.5 } },
      '[edict] options: memory.maxItemsPerType must be a whole number, at least 0, but it is 1.5.',
    ],
    [
      { memory: { itemEntryTtlMs: -5 } },
      '[edict] options: memory.itemEntryTtlMs must be a number of milliseconds, at least 0, but it is -5.',
    ],
    [
      { memory: { maxCollectionRefsPerCollection: -1 } },
      '[edict] options: memory.maxCollectionRefsPerCollection must be a whole number, at least 0, but it is -1.',
    ],
    [
      { memory: { collectionEntryTtlMs: new Date(Number.NaN) } },
      '[edict] options: memory.collectionEntryTtlMs must be a number of milliseconds, at least 0, but it is an invalid Date.',
    ],
    [{ memory: { pruneIntervalMs: 0 } }, ms('memory.pruneIntervalMs', 1, '0')],
    [{ bulk: { delayMs: -1 } }, ms('bulk.delayMs', 0, '-1')],
    [
      { bulk: { maxBatchSize: 0 } },
      '[edict] options: bulk.maxBatchSize must be a whole number, at least 1, but it is 0.',
    ],
    [{ bulk: { readWindowMs: true } }, ms('bulk.readWindowMs', 0, 'true')],
    [{ bulk: { pullDelayMs: -1 } }, ms('bulk.pullDelayMs', 0, '-1')],
    [{ bulk: { jitterMs: 5n } }, ms('bulk.jitterMs', 0, 'the bigint 5n')],
    [
      { bulk: { refetch: 'all' } },
      '[edict] options: bulk.refetch must be "held" or "watched", but it is "all".',
    ],
    [{ bulk: { retryFailedMs: () => 1 } }, ms('bulk.retryFailedMs', 0, 'a function')],
    [
      { fetchOrigins: 'https://api.example.com' },
      '[edict] options: fetchOrigins must be a list of origins such as "https://api.example.com", but it is "https://api.example.com".',
    ],
    [
      { fetchOrigins: ['https://a.example', 'b.example'] },
      '[edict] options: fetchOrigins[1] must be an origin such as "https://api.example.com", but it is "b.example".',
    ],
    [
      { fetchOrigins: ['https://a.example/v1'] },
      '[edict] options: fetchOrigins[0] must be an origin such as "https://api.example.com", but it is "https://a.example/v1".',
    ],
    [
      { fetchOrigins: ['https://*.example'] },
      '[edict] options: fetchOrigins[0] must be an origin such as "https://api.example.com", but it is "https://*.example".',
    ],
  ])('case %# rejects %o with the option, the expected value, and the received value', (options, message) => {
    expect(() => createDataLayer().init(untyped(options))).toThrow(new TypeError(message));
  });
});
