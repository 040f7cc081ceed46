import { describe, expect, it } from 'vitest';
import {
  checkCollectionConfig,
  checkTypeConfig,
  defaultSettings,
  mergeSettings,
} from '../../src/config/options.ts';

const fetcher = async (): Promise<unknown> => ({});
const ms = (min: number): string => `must be a number of milliseconds from ${min} to 2147483647, got`;

describe('§2.8 defaults', () => {
  it('are those of the document and of D-REG-3', () => {
    expect(defaultSettings()).toEqual({
      sse: {
        enabled: true,
        url: '/api/events',
        baseUrl: '',
        audience: 'global',
        clientIdParam: 'client_id',
        audienceParam: 'audience',
        withCredentials: false,
        connectOnInit: true,
        initialRetryMs: 2000,
        maxRetryMs: 30000,
        backoffMultiplier: 2,
        resyncOnGap: true,
        resyncJitterMinMs: 1500,
        resyncJitterMaxMs: 3500,
        headers: {},
      },
      memory: {
        enabled: true,
        maxItemsPerType: 512,
        itemEntryTtlMs: 900000,
        maxCollectionRefsPerCollection: 12,
        collectionEntryTtlMs: 600000,
        pruneIntervalMs: 60000,
      },
      bulk: {
        delayMs: 50,
        maxBatchSize: 100,
        readWindowMs: 0,
        jitterMs: 0,
        refetch: 'held',
        retryFailedMs: 0,
      },
      fetchOrigins: [],
    });
  });

  it('pass their own checks', () => {
    expect(mergeSettings(defaultSettings(), defaultSettings())).toEqual(defaultSettings());
  });
});

describe('D-REG-4 merging options', () => {
  it('changes what is given, keeps the rest, and touches neither side', () => {
    const current = defaultSettings();
    const audience = ['global', 'team-7'];
    const merged = mergeSettings(current, { sse: { audience, maxRetryMs: 9000 }, bulk: { delayMs: 0 } });
    expect(merged.sse).toEqual({ ...current.sse, audience: ['global', 'team-7'], maxRetryMs: 9000 });
    expect(merged.bulk).toEqual({ ...current.bulk, delayMs: 0 });
    expect(current).toEqual(defaultSettings());
    audience.push('more');
    expect(merged.sse.audience).toEqual(['global', 'team-7']);
  });

  it('takes undefined for not given', () => {
    const current = mergeSettings(defaultSettings(), { bulk: { delayMs: 5 } });
    expect(mergeSettings(current, undefined)).toEqual(current);
    expect(mergeSettings(current, { bulk: { delayMs: undefined }, sse: undefined })).toEqual(current);
  });

  it('merges a second call into the first', () => {
    const first = mergeSettings(defaultSettings(), { sse: { url: '/one' }, memory: { maxItemsPerType: 1 } });
    const second = mergeSettings(first, { sse: { withCredentials: true } });
    expect(second.sse).toMatchObject({ url: '/one', withCredentials: true });
    expect(second.memory.maxItemsPerType).toBe(1);
  });

  it('writes origins as the platform does', () => {
    const given = ['https://API.example.com/', 'http://localhost:3000'];
    expect(mergeSettings(defaultSettings(), { fetchOrigins: given }).fetchOrigins).toEqual([
      'https://api.example.com',
      'http://localhost:3000',
    ]);
  });

  it.each<object>([
    { sse: { audience: ['a', 'b'], headers: { a: 'b' } } },
    { sse: { headers: () => ({}) } },
    { sse: { initialRetryMs: 500, maxRetryMs: 500, backoffMultiplier: 1 } },
    { sse: { resyncJitterMinMs: 0, resyncJitterMaxMs: 0 } },
    { memory: { maxItemsPerType: Infinity, itemEntryTtlMs: Infinity, maxCollectionRefsPerCollection: 0 } },
    { bulk: { delayMs: 0, maxBatchSize: 1, refetch: 'watched', retryFailedMs: 1000 } },
  ])('accepts %o', (options) => {
    expect(() => mergeSettings(defaultSettings(), options)).not.toThrow();
  });

  const sse = Object.keys(defaultSettings().sse).join(', ');
  it.each<[unknown, string]>([
    [null, 'options must be an object, got null'],
    [[], 'options must be an object, got an empty array'],
    ['sse', 'options must be an object, got "sse"'],
    [{ see: {} }, 'see is not an option; known are sse, memory, bulk, fetchOrigins'],
    [{ sse: null }, 'sse must be an object, got null'],
    [{ memory: [] }, 'memory must be an object, got an empty array'],
    [{ bulk: 50 }, 'bulk must be an object, got 50'],
    [{ sse: { retryMs: 1 } }, `sse.retryMs is not an option; known are ${sse}`],
    [JSON.parse('{"sse":{"__proto__":1}}'), `sse.__proto__ is not an option; known are ${sse}`],
    [{ sse: { constructor: 1 } }, `sse.constructor is not an option; known are ${sse}`],
    [{ sse: { enabled: 1 } }, 'sse.enabled must be true or false, got 1'],
    [{ sse: { url: '' } }, 'sse.url must be a string that is not empty, got ""'],
    [{ sse: { url: null } }, 'sse.url must be a string that is not empty, got null'],
    [{ sse: { baseUrl: 5 } }, 'sse.baseUrl must be a string, got 5'],
    [
      { sse: { audience: [] } },
      'sse.audience must be a string that is not empty, or a list of different ones, got an empty array',
    ],
    [
      { sse: { audience: ['a', 'a'] } },
      'sse.audience must be a string that is not empty, or a list of different ones, got an array',
    ],
    [{ sse: { clientIdParam: 1 } }, 'sse.clientIdParam must be a string that is not empty, got 1'],
    [{ sse: { audienceParam: '' } }, 'sse.audienceParam must be a string that is not empty, got ""'],
    [{ sse: { withCredentials: 'include' } }, 'sse.withCredentials must be true or false, got "include"'],
    [{ sse: { connectOnInit: null } }, 'sse.connectOnInit must be true or false, got null'],
    [{ sse: { initialRetryMs: 0 } }, `sse.initialRetryMs ${ms(1)} 0`],
    [{ sse: { initialRetryMs: '2000' } }, `sse.initialRetryMs ${ms(1)} "2000"`],
    [{ sse: { maxRetryMs: -1 } }, `sse.maxRetryMs ${ms(1)} -1`],
    [{ sse: { maxRetryMs: Infinity } }, `sse.maxRetryMs ${ms(1)} Infinity`],
    [{ sse: { maxRetryMs: 1000 } }, 'sse.maxRetryMs must be at least sse.initialRetryMs (2000), got 1000'],
    [
      { sse: { initialRetryMs: 40000 } },
      'sse.maxRetryMs must be at least sse.initialRetryMs (40000), got 30000',
    ],
    [{ sse: { backoffMultiplier: 0.5 } }, 'sse.backoffMultiplier must be a number, at least 1, got 0.5'],
    [
      { sse: { backoffMultiplier: Number.NaN } },
      'sse.backoffMultiplier must be a number, at least 1, got NaN',
    ],
    [
      { sse: { backoffMultiplier: Infinity } },
      'sse.backoffMultiplier must be a number, at least 1, got Infinity',
    ],
    [{ sse: { resyncOnGap: 'yes' } }, 'sse.resyncOnGap must be true or false, got "yes"'],
    [{ sse: { resyncJitterMinMs: -1 } }, `sse.resyncJitterMinMs ${ms(0)} -1`],
    [{ sse: { resyncJitterMaxMs: 2 ** 31 } }, `sse.resyncJitterMaxMs ${ms(0)} 2147483648`],
    [
      { sse: { resyncJitterMaxMs: 1000 } },
      'sse.resyncJitterMaxMs must be at least sse.resyncJitterMinMs (1500), got 1000',
    ],
    [
      { sse: { headers: { a: 1 } } },
      'sse.headers must be an object of strings, or a function that returns one, got an object',
    ],
    [
      { sse: { headers: new Headers() } },
      'sse.headers must be an object of strings, or a function that returns one, got an instance of Headers',
    ],
    [{ memory: { enabled: 'no' } }, 'memory.enabled must be true or false, got "no"'],
    [
      { memory: { maxItemsPerType: 1.5 } },
      'memory.maxItemsPerType must be a whole number, at least 0, got 1.5',
    ],
    [
      { memory: { itemEntryTtlMs: -5 } },
      'memory.itemEntryTtlMs must be a number of milliseconds, at least 0, got -5',
    ],
    [
      { memory: { maxCollectionRefsPerCollection: -1 } },
      'memory.maxCollectionRefsPerCollection must be a whole number, at least 0, got -1',
    ],
    [
      { memory: { collectionEntryTtlMs: new Date(Number.NaN) } },
      'memory.collectionEntryTtlMs must be a number of milliseconds, at least 0, got an invalid Date',
    ],
    [{ memory: { pruneIntervalMs: 0 } }, `memory.pruneIntervalMs ${ms(1)} 0`],
    [{ bulk: { delayMs: -1 } }, `bulk.delayMs ${ms(0)} -1`],
    [{ bulk: { maxBatchSize: 0 } }, 'bulk.maxBatchSize must be a whole number, at least 1, got 0'],
    [{ bulk: { readWindowMs: true } }, `bulk.readWindowMs ${ms(0)} true`],
    [{ bulk: { jitterMs: 5n } }, `bulk.jitterMs ${ms(0)} the bigint 5n`],
    [{ bulk: { refetch: 'all' } }, "bulk.refetch must be 'held' or 'watched', got \"all\""],
    [{ bulk: { retryFailedMs: () => 1 } }, `bulk.retryFailedMs ${ms(0)} a function`],
    [
      { fetchOrigins: 'https://api.example.com' },
      'fetchOrigins must be a list of origins such as "https://api.example.com", got "https://api.example.com"',
    ],
    [
      { fetchOrigins: ['https://a.example', 'b.example'] },
      'fetchOrigins[1] must be an origin such as "https://api.example.com", got "b.example"',
    ],
    [
      { fetchOrigins: ['https://a.example/v1'] },
      'fetchOrigins[0] must be an origin such as "https://api.example.com", got "https://a.example/v1"',
    ],
    [
      { fetchOrigins: ['https://*.example'] },
      'fetchOrigins[0] must be an origin such as "https://api.example.com", got "https://*.example"',
    ],
  ])('case %# refuses %o with the option, what was expected and what came', (options, message) => {
    const current = defaultSettings();
    expect(() => mergeSettings(current, options)).toThrow(new TypeError(message));
    expect(current).toEqual(defaultSettings());
  });
});

describe('D-REG-1 the config of a type', () => {
  const standard = { '~standard': { version: 1, vendor: 'test', validate: (value: unknown) => ({ value }) } };

  it.each<object>([
    { fetch: fetcher },
    { fetch: fetcher, levels: {} },
    { fetch: fetcher, levels: { default: { checkIfExists: () => true } } },
    {
      fetch: fetcher,
      levels: { full: { fetch: fetcher, bulkFetch: fetcher, levelConversionMap: { full: ['x'] } } },
    },
    { fetch: fetcher, stalenessMs: Infinity, timeoutMs: 0, bulkFetch: fetcher, getId: () => 1 },
    { fetch: fetcher, schema: standard },
    { fetch: fetcher, schema: Object.assign(() => undefined, standard) },
    { fetch: fetcher, stalenessMs: undefined, levels: undefined },
  ])('case %# is accepted', (config) => {
    expect(() => checkTypeConfig('ticket', config)).not.toThrow();
  });

  it.each<[unknown, unknown, string]>([
    ['', {}, 'createType: the name must be a string that is not empty, got ""'],
    [undefined, {}, 'createType: the name must be a string that is not empty, got undefined'],
    ['ticket', undefined, 'createType("ticket"): the config must be an object, got undefined'],
    ['ticket', fetcher, 'createType("ticket"): the config must be an object, got a function'],
    ['ticket', {}, 'createType("ticket"): fetch must be a function, got undefined'],
    ['a"b', {}, 'createType("a\\"b"): fetch must be a function, got undefined'],
    ['ticket', { fetch: '/api' }, 'createType("ticket"): fetch must be a function, got "/api"'],
    [
      'ticket',
      { fetch: fetcher, bulkFetch: [] },
      'createType("ticket"): bulkFetch must be a function, got an empty array',
    ],
    [
      'ticket',
      { fetch: fetcher, stalenessMs: -1 },
      'createType("ticket"): stalenessMs must be a number of milliseconds, at least 0, got -1',
    ],
    ['ticket', { fetch: fetcher, timeoutMs: Infinity }, `createType("ticket"): timeoutMs ${ms(0)} Infinity`],
    ['ticket', { fetch: fetcher, getId: 'id' }, 'createType("ticket"): getId must be a function, got "id"'],
    [
      'ticket',
      { fetch: fetcher, schema: {} },
      `createType("ticket"): schema must be a Standard Schema (with '~standard'.validate), got an object`,
    ],
    [
      'ticket',
      { fetch: fetcher, levelConversionMap: { full: 'simplified' } },
      'createType("ticket"): levelConversionMap.full must be a list of levels, got "simplified"',
    ],
    [
      'ticket',
      { fetch: fetcher, levels: [] },
      'createType("ticket"): levels must be an object, got an empty array',
    ],
    [
      'ticket',
      { fetch: fetcher, levels: { full: fetcher } },
      'createType("ticket"): levels.full must be an object, got a function',
    ],
    [
      'ticket',
      { fetch: fetcher, levels: { full: {} } },
      'createType("ticket"): levels.full.fetch must be a function, got undefined',
    ],
    [
      'ticket',
      { fetch: fetcher, levels: { default: { fetch: null } } },
      'createType("ticket"): levels.default.fetch must be a function, got null',
    ],
    [
      'ticket',
      { fetch: fetcher, levels: { full: { fetch: fetcher, checkIfExists: true } } },
      'createType("ticket"): levels.full.checkIfExists must be a function, got true',
    ],
    [
      'ticket',
      { fetch: fetcher, levels: { full: { fetch: fetcher, stalenessMs: '5' } } },
      'createType("ticket"): levels.full.stalenessMs must be a number of milliseconds, at least 0, got "5"',
    ],
    [
      'ticket',
      { fetch: fetcher, levels: { full: { fetch: fetcher, levelConversionMap: { full: [1] } } } },
      'createType("ticket"): levels.full.levelConversionMap.full[0] must be the name of a level, got 1',
    ],
  ])('of name %o in case %# is refused by name, path and what was expected', (name, config, message) => {
    expect(() => checkTypeConfig(name, config)).toThrow(new TypeError(message));
  });
});

describe('D-REG-1 the config of a collection', () => {
  it.each<[unknown, unknown, string]>([
    [5, {}, 'createCollection: the name must be a string that is not empty, got 5'],
    ['tickets', null, 'createCollection("tickets"): the config must be an object, got null'],
    ['tickets', {}, 'createCollection("tickets"): fetch must be a function, got undefined'],
    [
      'tickets',
      { fetch: fetcher, stalenessMs: Number.NaN },
      'createCollection("tickets"): stalenessMs must be a number of milliseconds, at least 0, got NaN',
    ],
    ['tickets', { fetch: fetcher, timeoutMs: -1 }, `createCollection("tickets"): timeoutMs ${ms(0)} -1`],
    [
      'tickets',
      { fetch: fetcher, schema: 'zod' },
      `createCollection("tickets"): schema must be a Standard Schema (with '~standard'.validate), got "zod"`,
    ],
  ])('of name %o in case %# is refused by name, path and what was expected', (name, config, message) => {
    expect(() => checkCollectionConfig(name, config)).toThrow(new TypeError(message));
  });

  it('is accepted with a fetch alone', () => {
    expect(() =>
      checkCollectionConfig('tickets', { fetch: fetcher, stalenessMs: 0, timeoutMs: 5 }),
    ).not.toThrow();
  });
});
