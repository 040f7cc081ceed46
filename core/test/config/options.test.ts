// The options of `init`: which values are accepted, what the error names, and how options are merged.

import { createDataLayer, type InitOptions } from '@edict/core';
import { describe, expect, it } from 'vitest';
import { createWorld, untyped } from '../world.ts';

/** The option names in the error for an unknown option of the stream. */
const sseOptions =
  'enabled, url, baseUrl, audience, clientIdParam, audienceParam, withCredentials, connectOnInit, initialRetryMs, maxRetryMs, ' +
  'backoffMultiplier, retryJitter, resyncOnGap, resyncJitterMinMs, resyncJitterMaxMs, headers, share, pauseHidden';
const memoryOptions =
  'enabled, maxItemsPerType, itemEntryTtlMs, maxCollectionRefsPerCollection, collectionEntryTtlMs, pruneIntervalMs';

describe('D-REG-4 options', () => {
  it.each<InitOptions>([
    { sse: { audience: ['a', 'b'], headers: { a: 'b' } } },
    { sse: { headers: () => ({}) } },
    { sse: { initialRetryMs: 500, maxRetryMs: 500, backoffMultiplier: 1 } },
    { sse: { resyncJitterMinMs: 9, resyncJitterMaxMs: 9 } },
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

  it('configureSse and configureMemory check their options too', () => {
    const { dl } = createWorld();
    expect(() => dl.configureSse({ url: untyped(5) })).toThrow('options: sse.url must be');
    expect(() => dl.configureMemory({ maxItemsPerType: -1 })).toThrow('options: memory.maxItemsPerType must');
  });
});

describe('D-REG-4 a wrong value of an option', () => {
  const flag = 'true or false';
  const name = 'a string that is not empty';
  const audience = 'a string that is not empty, or a list of different ones';
  const baseUrl = 'a string that is empty, or begins with / or a scheme such as https://';
  const headers = 'an object of strings, or a function that returns one';
  const multiplier = 'a number, at least 1';
  const wait = (min: number): string => `a number of milliseconds from ${min} to 2147483647`;
  const age = 'a number of milliseconds, at least 0';
  const count = (min: number): string => `a whole number, at least ${min}`;
  const origins = 'a list of origins such as "https://api.example.com"';
  const origin = 'an origin such as "https://api.example.com"';

  /** Values that no number option accepts, by the text in the error. */
  const notNumbers = { '-1': -1, '"1"': '1', NaN, null: null };
  const notWaits = { ...notNumbers, Infinity, '2147483648': 2 ** 31 };
  const list = 'an array';
  const empty = 'an empty array';

  it.each(
    Object.entries({
      'sse.enabled': [flag, { 1: 1, '"true"': 'true', null: null }],
      'sse.url': [name, { '""': '', 5: 5, null: null }],
      'sse.baseUrl': [
        baseUrl,
        {
          5: 5,
          null: null,
          '"api.example.com"': 'api.example.com',
          '"localhost:3000"': 'localhost:3000',
          'an instance of URL': new URL('https://api.example.com'),
        },
      ],
      'sse.audience': [audience, { '""': '', 5: 5, null: null, [empty]: [], [list]: [1] }],
      'sse.clientIdParam': [name, { '""': '', 5: 5, null: null }],
      'sse.audienceParam': [name, { '""': '', 5: 5, null: null }],
      'sse.withCredentials': [flag, { '"include"': 'include', null: null }],
      'sse.connectOnInit': [flag, { 0: 0, null: null }],
      'sse.initialRetryMs': [wait(1), { 0: 0, ...notWaits }],
      'sse.maxRetryMs': [wait(1), { 0: 0, ...notWaits }],
      'sse.backoffMultiplier': [multiplier, { 0: 0, 0.5: 0.5, Infinity, ...notNumbers }],
      'sse.resyncOnGap': [flag, { 1: 1, '"yes"': 'yes', null: null }],
      'sse.resyncJitterMinMs': [wait(0), notWaits],
      'sse.resyncJitterMaxMs': [wait(0), notWaits],
      'sse.headers': [
        headers,
        {
          5: 5,
          null: null,
          '"a: b"': 'a: b',
          'an object': { a: 1 },
          'an instance of Headers': new Headers(),
        },
      ],
      'memory.enabled': [flag, { 1: 1, '"no"': 'no', null: null }],
      'memory.maxItemsPerType': [count(0), { 1.5: 1.5, ...notNumbers }],
      'memory.itemEntryTtlMs': [age, notNumbers],
      'memory.maxCollectionRefsPerCollection': [count(0), notNumbers],
      'memory.collectionEntryTtlMs': [age, { 'an invalid Date': new Date(NaN), ...notNumbers }],
      'memory.pruneIntervalMs': [wait(1), { 0: 0, ...notWaits }],
      'bulk.delayMs': [wait(0), notWaits],
      'bulk.maxBatchSize': [count(1), { 0: 0, 1.5: 1.5, ...notNumbers }],
      'bulk.readWindowMs': [wait(0), { true: true, ...notWaits }],
      'bulk.pullDelayMs': [wait(0), notWaits],
      'bulk.jitterMs': [wait(0), { 'the bigint 5n': 5n, ...notWaits }],
      'bulk.refetch': ['"held" or "watched"', { '"all"': 'all', true: true, null: null }],
      'bulk.retryFailedMs': [wait(0), { 'a function': () => 1, ...notWaits }],
      fetchOrigins: [origins, { '"https://a.test"': 'https://a.test', 5: 5, null: null }],
    } satisfies Record<string, [rule: string, values: Record<string, unknown>]>).flatMap(
      ([option, [rule, values]]) =>
        Object.entries(values).map(([shown, value]) => [option, shown, rule, value] as const),
    ),
  )('%s: %s is rejected, and no option of the call is applied', (option, shown, rule, value) => {
    const { dl } = createWorld();
    const before = dl.state();
    const [group = '', member] = option.split('.');
    const options = { bulk: { delayMs: 7 }, [group]: member === undefined ? value : { [member]: value } };
    expect(() => dl.init(untyped(options))).toThrow(
      new TypeError(`[edict] options: ${option} must be ${rule}, but it is ${shown}.`),
    );
    expect(dl.state()).toEqual(before);
  });

  it.each<[string[]]>([[['']], [['a', 'a']]])('a list of audiences that is %j is rejected', (given) => {
    expect(() => createDataLayer().init({ sse: { audience: given } })).toThrow(
      new TypeError(`[edict] options: sse.audience must be ${audience}, but it is an array.`),
    );
  });

  it.each<[unknown[], number, string]>([
    [['api'], 0, '"api"'],
    [[5], 0, '5'],
    [['not a url'], 0, '"not a url"'],
    [['https://a.example', 'b.example'], 1, '"b.example"'],
    [['https://a.example/v1'], 0, '"https://a.example/v1"'],
    [['https://*.example'], 0, '"https://*.example"'],
  ])('fetchOrigins that are %o are rejected', (fetchOrigins, at, shown) => {
    expect(() => createDataLayer().init(untyped({ fetchOrigins }))).toThrow(
      new TypeError(`[edict] options: fetchOrigins[${at}] must be ${origin}, but it is ${shown}.`),
    );
  });
});

describe('D-REG-4 wrong options', () => {
  it.each<[unknown, string]>([
    [null, 'the value must be an object, but it is null.'],
    [5, 'the value must be an object, but it is 5.'],
    ['sse', 'the value must be an object, but it is "sse".'],
    [[], 'the value must be an object, but it is an empty array.'],
    [{ see: {} }, 'see is not an option. Use one of: sse, memory, bulk, fetchOrigins.'],
    [{ sse: null }, 'sse must be an object, but it is null.'],
    [{ memory: [] }, 'memory must be an object, but it is an empty array.'],
    [{ bulk: 50 }, 'bulk must be an object, but it is 50.'],
    [{ sse: { retryMs: 1 } }, `sse.retryMs is not an option. Use one of: ${sseOptions}.`],
    [JSON.parse('{"sse":{"__proto__":1}}'), `sse.__proto__ is not an option. Use one of: ${sseOptions}.`],
    [{ sse: { constructor: 1 } }, `sse.constructor is not an option. Use one of: ${sseOptions}.`],
    [{ memory: { max: 1 } }, `memory.max is not an option. Use one of: ${memoryOptions}.`],
    [
      { bulk: { delay: 1 } },
      'bulk.delay is not an option. Use one of: delayMs, maxBatchSize, readWindowMs, jitterMs, pullDelayMs, refetch, retryFailedMs.',
    ],
  ])('%o are rejected', (options, message) => {
    expect(() => createDataLayer().init(untyped(options))).toThrow(
      new TypeError(`[edict] options: ${message}`),
    );
  });

  it.each<[string, InitOptions['sse'], string]>([
    [
      'in one call',
      { initialRetryMs: 500, maxRetryMs: 499 },
      'sse.maxRetryMs must be at least sse.initialRetryMs (500), but it is 499.',
    ],
    [
      'with a default',
      { maxRetryMs: 1999 },
      'sse.maxRetryMs must be at least sse.initialRetryMs (2000), but it is 1999.',
    ],
    [
      'with a default',
      { initialRetryMs: 30_001 },
      'sse.maxRetryMs must be at least sse.initialRetryMs (30001), but it is 30000.',
    ],
    [
      'in one call',
      { resyncJitterMinMs: 10, resyncJitterMaxMs: 9 },
      'sse.resyncJitterMaxMs must be at least sse.resyncJitterMinMs (10), but it is 9.',
    ],
    [
      'with a default',
      { resyncJitterMaxMs: 1499 },
      'sse.resyncJitterMaxMs must be at least sse.resyncJitterMinMs (1500), but it is 1499.',
    ],
    [
      'in one call',
      { clientIdParam: 'who', audienceParam: 'who' },
      'sse.audienceParam must differ from sse.clientIdParam, but it is "who".',
    ],
    [
      'with a default',
      { clientIdParam: 'audience' },
      'sse.audienceParam must differ from sse.clientIdParam, but it is "audience".',
    ],
    [
      'with a name of the protocol',
      { audienceParam: 'last_seq' },
      'sse.audienceParam must be another name than last_seq and since_ms, but it is "last_seq".',
    ],
    [
      'with a name of the protocol',
      { clientIdParam: 'since_ms' },
      'sse.clientIdParam must be another name than last_seq and since_ms, but it is "since_ms".',
    ],
    [
      'with the query of the url',
      { url: '/events?audience=team-7' },
      'sse.url must not contain "audience", which the client adds, but it is "/events?audience=team-7".',
    ],
  ])('a contradiction %s is rejected: %o', (_, sse, message) => {
    const { dl } = createWorld();
    const error = new TypeError(`[edict] options: ${message}`);
    expect(() => dl.init({ sse: sse! })).toThrow(error);
    expect(() => dl.configureSse(sse!)).toThrow(error);
  });
});

describe('D-REG-4 a second init', () => {
  it('merges its options into the first', () => {
    const { dl } = createWorld({
      init: { bulk: { delayMs: 10 }, memory: { maxItemsPerType: 7 }, sse: { audience: 'team-1' } },
    });
    dl.init({ bulk: { maxBatchSize: 5 }, memory: { pruneIntervalMs: 50 }, sse: { url: '/other' } });
    expect(dl.state()).toMatchObject({
      bulk: { delayMs: 10, maxBatchSize: 5 },
      memory: { maxItemsPerType: 7, pruneIntervalMs: 50, itemEntryTtlMs: 900_000 },
      sse: { enabled: false, audience: 'team-1', url: expect.stringContaining('/other') },
    });
  });

  it('does not open a second connection', async () => {
    const { dl, sim, rest } = createWorld({ init: { sse: { enabled: true } } });
    await rest();
    dl.init();
    dl.init({ sse: { enabled: true, connectOnInit: true } });
    await rest();
    expect(sim.hub.connections()).toHaveLength(1);
    expect(sim.requests).toHaveLength(1);
  });

  it('reconnects when the audience changed, as configureSse does', async () => {
    const { dl, sim, rest } = createWorld({ init: { sse: { enabled: true } } });
    await rest();
    dl.init({ sse: { audience: 'team-7' } });
    await rest();
    expect(sim.hub.connections().map(({ audiences }) => audiences)).toEqual([['team-7']]);
  });

  it('keeps cached data', async () => {
    const { dl, rest } = createWorld();
    dl.createType('ticket', { fetch: (id) => ({ id }) });
    const ref = dl.fetchItem('ticket', 1);
    await rest();
    dl.init({ bulk: { delayMs: 5 } });
    expect(dl.getItemRef('ticket', 1)).toBe(ref);
    expect(ref.data).toEqual({ id: 1 });
  });
});
