// Registration and configuration.

import { describe, expect, it } from 'vitest';
import type { Id, InitOptions } from '@edict/core';
import { refreshItem } from '../directives.ts';
import { complaint, createWorld, thrown, untyped } from '../world.ts';

const fetch = (id: unknown): object => ({ id });

describe('D-REG-1 an invalid config', () => {
  it.each<[string, unknown, RegExp]>([
    ['no config', undefined, /config.*object.*undefined/],
    ['null', null, /config.*object.*null/],
    ['a function', () => 1, /config.*object.*function/],
    ['no fetch', {}, /\bfetch\b.*function.*undefined/],
    ['a fetch that is not a function', { fetch: '/tickets' }, /\bfetch\b.*function.*"\/tickets"/],
    ['a bulkFetch that is not a function', { fetch, bulkFetch: true }, /bulkFetch.*function.*true/],
    ['stalenessMs as a string', { fetch, stalenessMs: '5' }, /stalenessMs.*number.*"5"/],
    ['stalenessMs below 0', { fetch, stalenessMs: -1 }, /stalenessMs.*-1/],
    ['stalenessMs NaN', { fetch, stalenessMs: NaN }, /stalenessMs.*NaN/],
    ['timeoutMs below 0', { fetch, timeoutMs: -1 }, /timeoutMs.*-1/],
    ['timeoutMs NaN', { fetch, timeoutMs: NaN }, /timeoutMs.*NaN/],
    ['a getId that is not a function', { fetch, getId: 'id' }, /getId.*function.*"id"/],
    ['a schema that is not a Standard Schema', { fetch, schema: {} }, /schema.*Standard Schema/],
    ['levels as a list', { fetch, levels: ['full'] }, /levels.*object.*array/],
    ['a level that is a function', { fetch, levels: { full: fetch } }, /levels\.full.*object.*function/],
    ['a level without fetch', { fetch, levels: { full: {} } }, /levels\.full\.fetch.*function.*undefined/],
    [
      'a default level with an invalid fetch',
      { fetch, levels: { default: { fetch: 1 } } },
      /levels\.default\.fetch.*1/,
    ],
    [
      'a checkIfExists that is not a function',
      { fetch, levels: { full: { fetch, checkIfExists: 'x' } } },
      /levels\.full\.checkIfExists.*function.*"x"/,
    ],
    [
      'an invalid stalenessMs of a level',
      { fetch, levels: { full: { fetch, stalenessMs: null } } },
      /levels\.full\.stalenessMs.*null/,
    ],
    [
      'an invalid timeoutMs of a level',
      { fetch, levels: { full: { fetch, timeoutMs: '1s' } } },
      /levels\.full\.timeoutMs.*"1s"/,
    ],
    [
      'an invalid bulkFetch of a level',
      { fetch, levels: { full: { fetch, bulkFetch: 1 } } },
      /levels\.full\.bulkFetch/,
    ],
    [
      'an invalid schema of a level',
      { fetch, levels: { full: { fetch, schema: 1 } } },
      /levels\.full\.schema/,
    ],
    [
      'an invalid levelConversionMap of a level',
      { fetch, levels: { full: { fetch, levelConversionMap: 5 } } },
      /levels\.full\.levelConversionMap.*5/,
    ],
    [
      'a levelConversionMap that is not an object',
      { fetch, levelConversionMap: [] },
      /levelConversionMap.*object/,
    ],
    [
      'a conversion to a string instead of a list',
      { fetch, levelConversionMap: { a: 'b' } },
      /levelConversionMap\.a.*list.*"b"/,
    ],
    [
      'a conversion to numbers',
      { fetch, levelConversionMap: { a: ['b', 1] } },
      /levelConversionMap\.a.*level names/,
    ],
    [
      'a misspelled option',
      { fetch, bulkFecth: fetch },
      /bulkFecth is not an option. Use one of: fetch, .*bulkFetch/,
    ],
    ['an option that only levels have', { fetch, checkIfExists: fetch }, /checkIfExists is not an option/],
    [
      'a misspelled option of a level',
      { fetch, levels: { full: { fetch, stalenesMs: 5 } } },
      /levels\.full\.stalenesMs is not an option. Use one of: fetch, stalenessMs/,
    ],
    [
      'a misspelled option of the default level',
      { fetch, levels: { default: { chekIfExists: fetch } } },
      /levels\.default\.chekIfExists is not an option/,
    ],
    ['a property name of Object.prototype', { fetch, constructor: 1 }, /constructor is not an option/],
  ])(
    '%s makes createType throw a TypeError with the name, the path and the expected value',
    (_, config, message) => {
      const { dl } = createWorld();
      const text = complaint(TypeError, () => dl.createType('ticket', untyped(config)));
      expect(text).toContain('"ticket"');
      expect(text).toMatch(message);
      expect(dl.state().types['ticket']).toBeUndefined();
    },
  );

  it.each<[string, unknown, RegExp]>([
    ['no config', undefined, /config.*object.*undefined/],
    ['no fetch', {}, /\bfetch\b.*function.*undefined/],
    ['stalenessMs below 0', { fetch, stalenessMs: -5 }, /stalenessMs.*-5/],
    ['stalenessMs as a string', { fetch, stalenessMs: '5' }, /stalenessMs.*"5"/],
    ['timeoutMs as a string', { fetch, timeoutMs: '5' }, /timeoutMs.*"5"/],
    ['a schema that is not a Standard Schema', { fetch, schema: null }, /schema.*Standard Schema.*null/],
    [
      'a misspelled option',
      { fetch, stalenesMs: 5 },
      /stalenesMs is not an option. Use one of: fetch, stalenessMs, schema, timeoutMs/,
    ],
    ['an option that only types have', { fetch, bulkFetch: fetch }, /bulkFetch is not an option/],
  ])(
    '%s makes createCollection throw a TypeError with the name, the path and the expected value',
    (_, config, message) => {
      const { dl } = createWorld();
      const text = complaint(TypeError, () => dl.createCollection('tickets', untyped(config)));
      expect(text).toContain('"tickets"');
      expect(text).toMatch(message);
      expect(dl.state().collections['tickets']).toBeUndefined();
    },
  );

  it('an option that is undefined counts as omitted', () => {
    const { dl } = createWorld();
    const nothing = { bulkFetch: undefined, stalenessMs: undefined, schema: undefined, timeoutMs: undefined };
    const level = { ...nothing, levelConversionMap: undefined, checkIfExists: undefined };
    dl.createType(
      'ticket',
      untyped({
        ...nothing,
        fetch,
        levelConversionMap: undefined,
        getId: undefined,
        levels: { full: { ...level, fetch }, default: { ...level, fetch: undefined } },
      }),
    );
    dl.createType('note', untyped({ fetch, levels: undefined }));
    dl.createCollection(
      'tickets',
      untyped({ fetch, schema: undefined, stalenessMs: undefined, timeoutMs: undefined }),
    );
    expect(Object.keys(dl.state().types)).toEqual(['ticket', 'note']);
  });

  it.each([[undefined], [null], [5], [''], [{}]])('a name that is %o throws a TypeError', (name) => {
    const { dl } = createWorld();
    expect(complaint(TypeError, () => dl.createType(untyped(name), { fetch }))).toMatch(/name of a type/);
    expect(
      complaint(TypeError, () => dl.createCollection(untyped(name), { fetch: () => ({ ids: [] }) })),
    ).toMatch(/name of a collection/);
  });
});

describe('D-REG-1 registering again', () => {
  it('replaces the config of a type and keeps the cached data', async () => {
    const { dl, held, sim } = createWorld();
    const one = held();
    const two = held();
    dl.createType('ticket', { fetch: one.fetch });
    const ref = dl.fetchItem('ticket', 1);
    await one.last().answer({ id: 1 });
    dl.createType('ticket', { fetch: two.fetch, stalenessMs: 100, levels: { full: { fetch: two.fetch } } });
    expect(dl.fetchItem('ticket', 1)).toBe(ref);
    expect(ref.data).toEqual({ id: 1 });
    expect(two.calls).toHaveLength(0);
    await sim.advance(100);
    dl.fetchItem('ticket', 1);
    expect([one.calls.length, two.calls.length]).toEqual([1, 1]);
    dl.fetchItem('ticket', 1, 'full');
    expect(two.calls).toHaveLength(2);
  });

  it('replaces the config of a collection and keeps the cached data', async () => {
    const { dl, held, sim } = createWorld();
    const one = held();
    const two = held();
    dl.createCollection('tickets', { fetch: one.fetch });
    const ref = dl.fetchCollection('tickets');
    await one.last().answer({ ids: [1] });
    dl.createCollection('tickets', { fetch: two.fetch, stalenessMs: 100 });
    expect(dl.fetchCollection('tickets')).toBe(ref);
    expect(ref.data.ids).toEqual([1]);
    await sim.advance(100);
    dl.fetchCollection('tickets');
    expect([one.calls.length, two.calls.length]).toEqual([1, 1]);
  });

  it('keeps subscribers and a request in flight', async () => {
    const { dl, held } = createWorld();
    const one = held();
    dl.createType('ticket', { fetch: one.fetch });
    const ref = dl.fetchItem('ticket', 1);
    let calls = 0;
    dl.onRefChange(ref, () => (calls += 1));
    dl.createType('ticket', { fetch });
    await one.last().answer({ id: 1, from: 'one' });
    expect(ref.data).toEqual({ id: 1, from: 'one' });
    expect(calls).toBe(1);
  });

  it('without a level prevents directives from fetching it, and leaves no item loading', async () => {
    const { dl, held, sim } = createWorld();
    const full = held();
    const config = { fetch };
    dl.createType('ticket', { ...config, levels: { full: { fetch: full.fetch } } });
    dl.fetchItem('ticket', 1, 'full');
    await full.last().answer({ id: 1 });
    dl.createType('ticket', config);
    void dl.applyDirectives([refreshItem('ticket', 1)]);
    await sim.advance(1000);
    expect(full.calls).toHaveLength(1);
    expect(dl.getItemRef('ticket', 1).meta.isLoading).toBe(false);
    expect(dl.hasAnyInFlightRequests()).toBe(false);
  });

  it('with an invalid config throws and keeps the first config', async () => {
    const { dl, rest } = createWorld();
    dl.createType('ticket', { fetch });
    expect(thrown(() => dl.createType('ticket', untyped({})))).toBeInstanceOf(TypeError);
    const ref = dl.fetchItem('ticket', 1);
    await rest();
    expect(ref.data).toEqual({ id: 1 });
  });
});

describe('D-REG-1 reading an unregistered name', () => {
  const registered = () => {
    const world = createWorld();
    world.dl.createType('ticket', { fetch, levels: { full: { fetch } } });
    world.dl.createType('user', { fetch });
    world.dl.createCollection('tickets', { fetch: () => ({ ids: [] }) });
    world.dl.createCollection('users', { fetch: () => ({ ids: [] }) });
    return world.dl;
  };
  type Layer = ReturnType<typeof registered>;

  it.each<[string, (dl: Layer) => unknown]>([
    ['fetchItem', (dl) => dl.fetchItem('tickte', 1)],
    ['getItemRef', (dl) => dl.getItemRef('tickte', 1)],
  ])('%s of an unknown type throws an Error that lists the types', (_, read) => {
    const text = complaint(Error, () => read(registered()));
    for (const name of ['tickte', 'ticket', 'user']) expect(text).toContain(`"${name}"`);
    expect(text).not.toContain('"tickets"');
  });

  it.each<[string, (dl: Layer) => unknown]>([
    ['fetchCollection', (dl) => dl.fetchCollection('tickte')],
    ['getCollectionRef', (dl) => dl.getCollectionRef('tickte')],
  ])('%s of an unknown collection throws an Error that lists the collections', (_, read) => {
    const text = complaint(Error, () => read(registered()));
    for (const name of ['tickte', 'tickets', 'users']) expect(text).toContain(`"${name}"`);
    expect(text).not.toContain('"user"');
  });

  it('an unknown level throws an Error that names the type and lists its levels', () => {
    const dl = registered();
    const text = complaint(Error, () => dl.fetchItem('ticket', 1, 'ful'));
    for (const name of ['ful', 'ticket', 'full', 'default']) expect(text).toContain(`"${name}"`);
    expect(dl.state().types['ticket']?.itemCount).toBe(0);
  });

  it.each<[string, (dl: Layer) => Promise<void>]>([
    ['prefetchItem', (dl) => dl.prefetchItem('tickte', 1)],
    ['prefetchCollection', (dl) => dl.prefetchCollection('tickte')],
  ])('%s rejects with an Error that lists the registered names', async (_, read) => {
    const dl = registered();
    await expect((async () => read(dl))()).rejects.toThrow(/"tickte".*"tickets?"/);
  });

  it('throws an Error that states when no name is registered yet', () => {
    const { dl } = createWorld();
    expect(complaint(Error, () => dl.fetchItem('ticket', 1))).toMatch(/"ticket".*none.*createType/);
    expect(complaint(Error, () => dl.fetchCollection('tickets'))).toMatch(
      /"tickets".*none.*createCollection/,
    );
  });

  it.each([[undefined], [null], [{}], [true]])('an id that is %o throws a TypeError', (id) => {
    const dl = registered();
    expect(complaint(TypeError, () => dl.fetchItem('ticket', untyped(id)))).toMatch(/id.*"ticket"/);
  });
});

describe('D-REG-3 options of bulk', () => {
  function bulkWorld(bulk: InitOptions['bulk'] = {}, random?: () => number) {
    const world = createWorld({
      init: { bulk },
      ...(random === undefined ? {} : { env: () => ({ random }) }),
    });
    const batches: Id[][] = [];
    const singles: Id[] = [];
    world.dl.createType('ticket', {
      fetch: (id) => (singles.push(id), { id }),
      bulkFetch: (ids) => (batches.push(ids), ids.map((id) => ({ id }))),
    });
    const read = (count: number, from = 0) => {
      for (let id = from; id < from + count; id += 1) world.dl.fetchItem('ticket', id);
    };
    return { ...world, batches, singles, read };
  }

  it.each<[string, InitOptions['bulk'], number, number[], number]>([
    ['of 100 by default: 100 reads are one batch', {}, 100, [100], 0],
    ['of 100 by default: the last of 101 reads is fetched singly', {}, 101, [100], 1],
    ['of 100 by default: 102 reads are two batches', {}, 102, [100, 2], 0],
    ['of 3: two reads are one batch', { maxBatchSize: 3 }, 2, [2], 0],
    ['of 3: eight reads are three batches', { maxBatchSize: 3 }, 8, [3, 3, 2], 0],
    ['of 1: no batch is sent', { maxBatchSize: 1 }, 3, [], 3],
  ])('maxBatchSize %s', async (_, bulk, count, sizes, single) => {
    const { batches, singles, read, rest } = bulkWorld(bulk);
    read(count);
    await rest();
    expect(batches.map(({ length }) => length)).toEqual(sizes);
    expect(singles).toHaveLength(single);
  });

  it("refetch: 'watched' with a read of one level does not fetch another level that is stale", async () => {
    const { dl, sim } = createWorld({ init: { bulk: { refetch: 'watched' } } });
    const asked: string[] = [];
    const fetch = (_: Id, { level }: { level: string }): object => (asked.push(level), {});
    dl.createType('doc', {
      fetch,
      levelConversionMap: { full: ['brief'] },
      levels: { full: { fetch }, brief: { fetch, checkIfExists: () => false } },
    });
    dl.fetchItem('doc', 1, 'brief');
    dl.fetchItem('doc', 1, 'full');
    await sim.advance(100);
    void dl.applyDirectives([refreshItem('doc', 1)]);
    await sim.advance(100);
    dl.fetchItem('doc', 1, 'full');
    await sim.advance(100);
    expect(asked).toEqual(['brief', 'full', 'full']);
  });

  it('readWindowMs collects reads and starts with the first one', async () => {
    const { batches, read, sim } = bulkWorld({ readWindowMs: 20 });
    read(1, 0);
    await sim.advance(19);
    read(1, 1);
    expect(batches).toEqual([]);
    await sim.advance(1);
    expect(batches).toEqual([[0, 1]]);
    read(2, 2);
    await sim.advance(20);
    expect(batches[1]).toEqual([2, 3]);
  });

  it.each<[string, InitOptions['bulk'], Id[]]>([
    ['held by default: entries without subscribers are refetched too', {}, [0, 1]],
    ['held', { refetch: 'held' }, [0, 1]],
    ['watched: entries without subscribers are only marked stale', { refetch: 'watched' }, [1]],
  ])('refetch is %s', async (_, bulk, refetched) => {
    const { dl, singles, batches, sim } = bulkWorld(bulk);
    const refs = [0, 1].map((id) => dl.fetchItem('ticket', id));
    await sim.advance(0);
    singles.length = batches.length = 0;
    dl.onRefChange(refs[1]!, () => undefined);
    void dl.applyDirectives([refreshItem('ticket', 0), refreshItem('ticket', 1)]);
    expect(refs.map(({ meta }) => meta.isStale)).toEqual([true, true]);
    await sim.advance(1000);
    expect([...batches.flat(), ...singles]).toEqual(refetched);
    expect(refs[0]?.meta.isStale).toBe(refetched.length === 1);
  });

  it('refetch: watched refetches an entry without subscribers when it is read', async () => {
    const { dl, singles, sim } = bulkWorld({ refetch: 'watched' });
    dl.fetchItem('ticket', 0);
    await sim.advance(0);
    void dl.applyDirectives([refreshItem('ticket', 0)]);
    await sim.advance(1000);
    dl.fetchItem('ticket', 0);
    await sim.advance(0);
    expect(singles).toEqual([0, 0]);
  });

  it('delayMs is 50 and maxBatchSize is 100 by default', () => {
    expect(bulkWorld().dl.state().bulk).toMatchObject({ delayMs: 50, maxBatchSize: 100 });
  });
});

describe('D-REG-3 options of the stream and of fetch', () => {
  const streamRequests = ({ sim }: ReturnType<typeof createWorld>) =>
    sim.requests.filter(({ isStream }) => isStream);

  it('sse.baseUrl is prepended to the url, as is needed outside a browser', async () => {
    const world = createWorld({
      isBrowser: false,
      init: { sse: { enabled: true, baseUrl: 'https://app.test' } },
    });
    await world.rest();
    expect(streamRequests(world)[0]?.url.href).toMatch(/^https:\/\/app\.test\/api\/events\?/);
  });

  it.each<[string, NonNullable<InitOptions['sse']>['headers']]>([
    ['an object', { Authorization: 'Bearer 1' }],
    ['a function', () => ({ Authorization: 'Bearer 1' })],
    ['an async function', async () => ({ Authorization: 'Bearer 1' })],
  ])('sse.headers can be %s', async (_, headers) => {
    const world = createWorld({ init: { sse: { enabled: true, headers: headers! } } });
    await world.rest();
    expect(streamRequests(world)[0]?.headers.get('authorization')).toBe('Bearer 1');
  });

  it.each<[string, InitOptions, boolean]>([
    ['of another origin by default', {}, false],
    ['of a listed origin', { fetchOrigins: ['https://api.test'] }, true],
    ['of an origin that is not listed', { fetchOrigins: ['https://other.test'] }, false],
  ])('fetchOrigins controls whether headers are sent to a server %s', async (_, init, isSent) => {
    const sent: Headers[] = [];
    const { dl } = createWorld({
      init,
      env: () => ({
        fetch: async (input, options) => {
          sent.push(new Request(input, options).headers);
          return new Response('{}');
        },
      }),
    });
    await dl.fetch('https://api.test/tickets', { method: 'POST' });
    expect(sent[0]?.get('x-service-client-id')).toBe(isSent ? dl.clientId() : null);
    expect(sent[0]?.has('x-service-directive-request')).toBe(isSent);
  });
});

describe('D-REG-4 invalid options', () => {
  const wrong: [string, unknown[]][] = [
    ['sse.enabled', [1, 'true', null]],
    ['sse.url', ['', 5, null]],
    ['sse.baseUrl', [5, null]],
    ['sse.audience', ['', 5, null, [], [1], ['']]],
    ['sse.clientIdParam', ['', 5, null]],
    ['sse.audienceParam', ['', 5, null]],
    ['sse.withCredentials', ['include', null]],
    ['sse.connectOnInit', [0, null]],
    ['sse.initialRetryMs', [-1, '1', NaN, null]],
    ['sse.maxRetryMs', [-1, '1', NaN, null]],
    ['sse.backoffMultiplier', [0, -1, '2', NaN, null]],
    ['sse.resyncOnGap', [1, null]],
    ['sse.resyncJitterMinMs', [-1, '1', NaN, null]],
    ['sse.resyncJitterMaxMs', [-1, '1', NaN, null]],
    ['sse.headers', [5, null, 'a: b', { a: 1 }]],
    ['memory.enabled', [1, null]],
    ['memory.maxItemsPerType', [-1, '1', NaN, null]],
    ['memory.itemEntryTtlMs', [-1, '1', NaN, null]],
    ['memory.maxCollectionRefsPerCollection', [-1, '1', NaN, null]],
    ['memory.collectionEntryTtlMs', [-1, '1', NaN, null]],
    ['memory.pruneIntervalMs', [-1, 0, '1', NaN, null]],
    ['bulk.delayMs', [-1, '50', NaN, null]],
    ['bulk.maxBatchSize', [0, -1, 1.5, '1', NaN, null]],
    ['bulk.readWindowMs', [-1, '1', NaN, null]],
    ['bulk.jitterMs', [-1, '1', NaN, null]],
    ['bulk.refetch', ['all', true, null]],
    ['bulk.retryFailedMs', [-1, '1', NaN, null]],
    ['fetchOrigins', ['https://a.test', 5, null]],
    ['fetchOrigins[0]', [['not a url'], [5]]],
  ];

  const optionsFor = (option: string, value: unknown): object => {
    const [group = '', key] = option.replace('[0]', '').split('.');
    return key === undefined ? { [group]: value } : { [group]: { [key]: value } };
  };

  it.each(wrong.flatMap(([option, values]) => values.map((value) => [option, value] as const)))(
    '%s: %o throws a TypeError that names the option, and no option of the call is applied',
    (option, value) => {
      const { dl } = createWorld();
      const before = dl.state();
      const given = { bulk: { delayMs: 7 }, ...optionsFor(option, value) };
      expect(complaint(TypeError, () => dl.init(untyped(given)))).toContain(option);
      expect(dl.state()).toEqual(before);
    },
  );

  it.each([[null], [5], ['sse'], [[]]])('options that are %o throw a TypeError', (options) => {
    const { dl } = createWorld();
    expect(complaint(TypeError, () => dl.init(untyped(options)))).toMatch(/options.*object/);
  });

  it.each<[string, object]>([
    ['sse.retryMs', { sse: { retryMs: 1 } }],
    ['memory.max', { memory: { max: 1 } }],
    ['bulk.delay', { bulk: { delay: 1 } }],
    ['stream', { stream: {} }],
  ])('an unknown option throws a TypeError that lists the valid ones: %s', (name, options) => {
    const { dl } = createWorld();
    expect(complaint(TypeError, () => dl.init(untyped(options)))).toMatch(
      new RegExp(`: ${name.replace('.', '\\.')} .*Use one of: `),
    );
  });

  it.each<[string, InitOptions['sse'], RegExp]>([
    ['in one call', { initialRetryMs: 500, maxRetryMs: 499 }, /maxRetryMs.*initialRetryMs/],
    ['with a default', { maxRetryMs: 1999 }, /maxRetryMs.*initialRetryMs/],
    ['with a default', { initialRetryMs: 30_001 }, /maxRetryMs.*initialRetryMs/],
    ['in one call', { resyncJitterMinMs: 10, resyncJitterMaxMs: 9 }, /resyncJitterMaxMs.*resyncJitterMinMs/],
    ['with a default', { resyncJitterMaxMs: 1499 }, /resyncJitterMaxMs.*resyncJitterMinMs/],
    ['in one call', { clientIdParam: 'who', audienceParam: 'who' }, /audienceParam.*clientIdParam.*"who"/],
    ['with a default', { clientIdParam: 'audience' }, /audienceParam.*clientIdParam/],
  ])('a contradictory pair of options %s throws a TypeError: %o', (_, sse, message) => {
    const { dl } = createWorld();
    expect(complaint(TypeError, () => dl.init({ sse: sse! }))).toMatch(message);
    expect(complaint(TypeError, () => dl.configureSse(sse!))).toMatch(message);
  });

  it.each<[InitOptions['sse']]>([
    [{ initialRetryMs: 500, maxRetryMs: 500 }],
    [{ resyncJitterMinMs: 9, resyncJitterMaxMs: 9 }],
    [{ resyncJitterMinMs: 0, resyncJitterMaxMs: 0 }],
  ])('a pair of equal values is valid: %o', (sse) => {
    const { dl } = createWorld();
    expect(() => dl.init({ sse: { enabled: false, ...sse } })).not.toThrow();
  });

  it('configureSse and configureMemory validate their options too', () => {
    const { dl } = createWorld();
    expect(complaint(TypeError, () => dl.configureSse({ url: untyped(5) }))).toContain('sse.url');
    expect(complaint(TypeError, () => dl.configureMemory({ maxItemsPerType: -1 }))).toContain(
      'memory.maxItemsPerType',
    );
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
    dl.createType('ticket', { fetch });
    const ref = dl.fetchItem('ticket', 1);
    await rest();
    dl.init({ bulk: { delayMs: 5 } });
    expect(dl.getItemRef('ticket', 1)).toBe(ref);
    expect(ref.data).toEqual({ id: 1 });
  });
});

describe('D-REG-5 ids', () => {
  function setup() {
    const world = createWorld();
    const one = world.held();
    world.dl.createType('ticket', { fetch: one.fetch });
    return { ...world, one };
  }

  it.each([Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY])(
    '%o has no JSON form and throws a TypeError',
    (id) => {
      const { dl, one } = setup();
      expect(() => dl.fetchItem('ticket', id)).toThrow(TypeError);
      expect(() => dl.getItemRef('ticket', id)).toThrow(/"ticket" must be a string or a finite number/);
      expect(one.calls).toHaveLength(0);
    },
  );

  it.each<[Id, Id]>([
    [42, '42'],
    ['42', 42],
    [0, '0'],
    [-1, '-1'],
    [1.5, '1.5'],
  ])(
    '%o and %o are the same item, and fetch receives the form that was used first',
    async (first, second) => {
      const { dl, one } = setup();
      const ref = dl.fetchItem('ticket', first);
      expect(dl.fetchItem('ticket', second)).toBe(ref);
      expect(dl.getItemRef('ticket', second)).toBe(ref);
      expect(dl.isItemLoading('ticket', second)).toBe(true);
      await one.last().answer({ id: first });
      dl.fetchItem('ticket', second, null, { force: true });
      expect(one.calls.map(({ asked }) => asked)).toEqual([first, first]);
    },
  );

  it.each<[Id, Id]>([
    ['042', 42],
    ['42 ', 42],
    ['4.20', 4.2],
    ['a', 'A'],
  ])('%o and %o are different items', (first, second) => {
    const { dl } = setup();
    expect(dl.fetchItem('ticket', first)).not.toBe(dl.fetchItem('ticket', second));
  });

  it.each<[Id, Id]>([
    [42, '42'],
    ['42', 42],
  ])('a directive for %o applies to the item that was requested as %o', async (told, asked) => {
    const { dl, one, sim } = setup();
    dl.fetchItem('ticket', asked);
    await one.last().answer({ id: asked });
    void dl.applyDirectives([refreshItem('ticket', told)]);
    await sim.advance(50);
    expect(one.calls.map((call) => call.asked)).toEqual([asked, asked]);
  });

  it('bulkFetch receives ids in the form that was used first, and its result can use any form', async () => {
    const { dl, rest } = createWorld();
    const asked: Id[][] = [];
    dl.createType('ticket', {
      fetch,
      bulkFetch: (ids) => (asked.push(ids), [{ id: '1' }, { id: 2 }]),
    });
    const refs = [dl.fetchItem('ticket', 1), dl.fetchItem('ticket', '2')];
    await rest();
    expect(asked).toEqual([[1, '2']]);
    expect(refs.map(({ data }) => data)).toEqual([{ id: '1' }, { id: 2 }]);
  });

  it.each([['__proto__'], ['constructor'], [''], ['a/b:c"d']])('%o is an ordinary id', async (id) => {
    const { dl, one } = setup();
    const ref = dl.fetchItem('ticket', id);
    await one.last().answer({ id });
    expect(dl.getItemRef('ticket', id)).toBe(ref);
    expect(ref.data).toEqual({ id });
  });
});

describe('D-REG-6 levels', () => {
  it.each([[undefined], [null], ['default']])('%o is the default level', async (level) => {
    const { dl, held, of } = createWorld();
    const one = held();
    dl.createType('ticket', { fetch: one.fetch });
    const ref = dl.fetchItem('ticket', 1);
    dl.fetchItem('ticket', 1, level);
    expect(one.calls).toHaveLength(1);
    expect(dl.isItemLoading('ticket', 1, level)).toBe(true);
    await one.last().answer({ id: 1 });
    dl.fetchItem('ticket', 1, level, { force: true });
    expect(one.calls).toHaveLength(2);
    expect(of('item:fetch:intent').map((detail) => detail.level)).toEqual(['default', 'default']);
    expect(Object.keys(ref.meta.levelStamps)).toEqual(['default']);
  });

  it.each([[undefined], [null], ['default']])(
    'a directive with level %o means the default level',
    async (level) => {
      const { dl, held, sim } = createWorld();
      const one = held();
      dl.createType('ticket', { fetch: one.fetch });
      dl.fetchItem('ticket', 1);
      await one.last().answer({ id: 1 });
      void dl.applyDirectives([refreshItem('ticket', 1, { level })]);
      await sim.advance(50);
      expect(one.calls).toHaveLength(2);
    },
  );

  it.each([['constructor'], ['__proto__'], ['toString'], ['hasOwnProperty'], ['']])(
    '%o is an unregistered level like any other',
    async (level) => {
      const { dl, held, sim } = createWorld();
      const one = held();
      dl.createType('ticket', { fetch: one.fetch });
      const ref = dl.fetchItem('ticket', 1);
      await one.last().fail(new Error('x'));
      expect(complaint(Error, () => dl.fetchItem('ticket', 1, level))).toContain(`"${level}"`);
      expect(ref.meta.levelStamps[level]).toBeUndefined();
      expect(ref.meta.levelErrors[level]).toBeUndefined();
      expect(ref.meta.failedLevels[level]).toBeUndefined();
      void dl.applyDirectives([refreshItem('ticket', 1, { level })]);
      await sim.advance(1000);
      expect(one.calls).toHaveLength(1);
    },
  );

  it.each([['constructor'], ['__proto__'], ['toString']])(
    '%o can be registered and read as a level',
    async (level) => {
      const { dl, held, sim } = createWorld();
      const one = held();
      const own = held();
      const levels = Object.fromEntries([[level, { fetch: own.fetch }]]);
      const levelConversionMap = Object.fromEntries([[level, ['default']]]);
      dl.createType('ticket', { fetch: one.fetch, levels, levelConversionMap });
      const ref = dl.fetchItem('ticket', 1, level);
      await own.last().answer({ id: 1 });
      expect(ref.meta.levelStamps[level]).toEqual(expect.any(String));
      expect(ref.meta.levelStamps['default']).toBe(ref.meta.levelStamps[level]);
      void dl.applyDirectives([refreshItem('ticket', 1, { level })]);
      await sim.advance(50);
      expect([own.calls.length, one.calls.length]).toEqual([2, 0]);
      await own.last().fail(new Error('x'));
      expect(ref.meta.failedLevels[level]).toBe(true);
      expect(ref.meta.levelErrors[level]).toBe('x');
    },
  );

  it.each([['constructor'], ['__proto__'], ['toString']])(
    '%o is an ordinary name for a type and a collection',
    async (name) => {
      const { dl, rest } = createWorld();
      expect(thrown(() => dl.fetchItem(name, 1))).toBeInstanceOf(Error);
      expect(thrown(() => dl.fetchCollection(name))).toBeInstanceOf(Error);
      dl.createType(name, { fetch });
      dl.createCollection(name, { fetch: () => ({ ids: [1] }) });
      const ref = dl.fetchItem(name, 1);
      const list = dl.fetchCollection(name);
      await rest();
      expect(ref.data).toEqual({ id: 1 });
      expect(list.data.ids).toEqual([1]);
      expect(Object.keys(dl.state().types)).toEqual([name]);
      expect(Object.keys(dl.state().collections)).toEqual([name]);
    },
  );
});
