// Every error names the culprit, the expected value, and the received value or a remedy.

import { dehydrate, readDehydrated } from '@edict/core/hydration';
import { describe, expect, it } from 'vitest';
import { createDataLayer } from '@edict/core';
import type { DataLayer } from '@edict/core';
import { createWorld, complaint, untyped } from '../world.ts';

const fetch = (id: unknown): object => ({ id });

/** A data layer with a type `ticket` (levels `default`, `full`), a type `note` with `bulkFetch`, and a collection `tickets`. */
function setup() {
  const world = createWorld();
  const one = world.held();
  const many = world.held();
  const list = world.held();
  const schema = {
    '~standard': {
      version: 1,
      vendor: 'test',
      validate: (value: unknown) =>
        value === 'bad' ? { issues: [{ message: 'no title', path: ['items', 0] }] } : { value },
    },
  } as const;
  world.dl.createType('ticket', { fetch: one.fetch, schema, timeoutMs: 100, levels: { full: { fetch } } });
  world.dl.createType('note', { fetch: one.fetch, bulkFetch: many.bulkFetch });
  world.dl.createCollection('tickets', { fetch: list.fetch });
  return { ...world, one, many, list };
}

describe('D-REG-1 D-REG-4 D-PARAM-1 thrown errors', () => {
  it.each<
    [
      culprit: string,
      expected: string,
      remedy: string,
      kind: ErrorConstructor,
      run: (dl: DataLayer) => unknown,
    ]
  >([
    [
      'type "x": fetch',
      'must be a function',
      'it is undefined',
      TypeError,
      (dl) => dl.createType('x', untyped({})),
    ],
    [
      'type "x": the config',
      'must be an object',
      'it is null',
      TypeError,
      (dl) => dl.createType('x', untyped(null)),
    ],
    [
      'the name of a type',
      'must be a string',
      'it is 5',
      TypeError,
      (dl) => dl.createType(untyped(5), { fetch }),
    ],
    [
      'type "x": levels.full.fetch',
      'must be a function',
      'it is "/x"',
      TypeError,
      (dl) => dl.createType('x', { fetch, levels: { full: untyped({ fetch: '/x' }) } }),
    ],
    [
      'type "x": stalenessMs',
      'must be',
      'it is -1',
      TypeError,
      (dl) => dl.createType('x', { fetch, stalenessMs: -1 }),
    ],
    [
      'type "x": levelConversionMap.a',
      'must be a list of level names',
      'it is "b"',
      TypeError,
      (dl) => dl.createType('x', { fetch, levelConversionMap: { a: untyped('b') } }),
    ],
    [
      'type "x": schema',
      'must be a Standard Schema',
      'it is an object',
      TypeError,
      (dl) => dl.createType('x', { fetch, schema: untyped({}) }),
    ],
    [
      'collection "x": fetch',
      'must be a function',
      'it is an object',
      TypeError,
      (dl) => dl.createCollection('x', { fetch: untyped({}) }),
    ],
    [
      'the name of a collection',
      'must be a string that is not empty',
      'it is ""',
      TypeError,
      (dl) => dl.createCollection('', { fetch: () => ({ ids: [] }) }),
    ],
    [
      'bulk.delayMs',
      'must be a number of milliseconds from 0',
      'it is "50"',
      TypeError,
      (dl) => dl.init({ bulk: { delayMs: untyped('50') } }),
    ],
    [
      'bulk.refetch',
      'must be',
      'it is "all"',
      TypeError,
      (dl) => dl.init({ bulk: { refetch: untyped('all') } }),
    ],
    [
      'memory.maxItems',
      'is not an option',
      'Use one of: enabled, maxItemsPerType',
      TypeError,
      (dl) => dl.init({ memory: untyped({ maxItems: 1 }) }),
    ],
    [
      'sse.maxRetryMs',
      'must be at least sse.initialRetryMs (2000)',
      'it is 10',
      TypeError,
      (dl) => dl.configureSse({ maxRetryMs: 10 }),
    ],
    [
      'fetchOrigins[0]',
      'must be an origin such as "https://api.example.com"',
      'it is "api"',
      TypeError,
      (dl) => dl.init({ fetchOrigins: ['api'] }),
    ],
    [
      'memory.pruneIntervalMs',
      'must be a number of milliseconds',
      'it is -1',
      TypeError,
      (dl) => dl.configureMemory({ pruneIntervalMs: -1 }),
    ],
    [
      'type "tickte"',
      'is not registered (registered: "ticket", "note")',
      'Call register or createType on this data layer, or select another with <DLProvider>.',
      Error,
      (dl) => dl.fetchItem('tickte', 1),
    ],
    [
      'type "tickets"',
      'is not registered',
      'Call register or createType on this data layer, or select another with <DLProvider>.',
      Error,
      (dl) => dl.getItemRef('tickets', 1),
    ],
    [
      'type "tickte"',
      'is not registered',
      'Call register or createType on this data layer, or select another with <DLProvider>.',
      Error,
      (dl) => dl.isItemLoading('tickte', 1),
    ],
    [
      'collection "ticket"',
      'is not registered (registered: "tickets")',
      'Call register or createCollection on this data layer, or select another with <DLProvider>.',
      Error,
      (dl) => dl.fetchCollection('ticket'),
    ],
    [
      'collection "ticket"',
      'is not registered',
      'Call register or createCollection on this data layer, or select another with <DLProvider>.',
      Error,
      (dl) => dl.getCollectionRef('ticket'),
    ],
    [
      'collection "ticket"',
      'is not registered',
      'Call register or createCollection on this data layer, or select another with <DLProvider>.',
      Error,
      (dl) => dl.isCollectionLoading('ticket'),
    ],
    [
      'level "ful" of type "ticket"',
      'is not registered (registered: "default", "full")',
      'Add it to the "levels" of the type.',
      Error,
      (dl) => dl.fetchItem('ticket', 1, 'ful'),
    ],
    [
      'id of "ticket"',
      'must be a string or a finite number',
      'it is undefined',
      TypeError,
      (dl) => dl.fetchItem('ticket', untyped(undefined)),
    ],
    [
      'id of "ticket"',
      'must be a string or a finite number',
      'it is undefined',
      TypeError,
      (dl) => dl.isItemLoading('ticket', untyped(undefined)),
    ],
    [
      'params',
      'must be a plain object',
      'but it is an array',
      TypeError,
      (dl) => dl.fetchCollection('tickets', { params: [1] }),
    ],
    [
      'params.since.at',
      'must have a JSON form',
      'but it is a function',
      TypeError,
      (dl) => dl.fetchCollection('tickets', { params: { since: { at: () => 1 } } }),
    ],
    [
      'onRefChange',
      'must be given a reference, as returned by fetchItem',
      'it is an object',
      TypeError,
      (dl) => dl.onRefChange(untyped({}), () => undefined),
    ],
    [
      'whenSettled',
      'must be given a reference, as returned by fetchItem',
      'it is null',
      TypeError,
      (dl) => dl.whenSettled(untyped(null)),
    ],
    [
      'applyDirectives: the path',
      'must be "push" or "pull"',
      'it is "pul"',
      TypeError,
      (dl) => dl.applyDirectives([], { path: untyped('pul') }),
    ],
    [
      'onRefChange: the callback',
      'must be a function',
      'it is 5',
      TypeError,
      (dl) => dl.onRefChange(dl.getItemRef('ticket', 1), untyped(5)),
    ],
    [
      'onChange: the callback',
      'must be a function',
      'it is undefined',
      TypeError,
      (dl) => dl.onChange(untyped(undefined)),
    ],
    [
      'onLifecycle: the callback',
      'must be a function',
      'it is null',
      TypeError,
      (dl) => dl.onLifecycle('*', untyped(null)),
    ],
    [
      'createDataLayer: env.now',
      'must be a function',
      'it is 5',
      TypeError,
      () => createDataLayer({ env: { now: untyped(5) } }),
    ],
    [
      'createDataLayer: envs',
      'is not an option',
      'Use one of: env',
      TypeError,
      () => createDataLayer(untyped({ envs: {} })),
    ],
    [
      'createDataLayer: the options',
      'must be an object',
      'it is null',
      TypeError,
      () => createDataLayer(untyped(null)),
    ],
    [
      'createDataLayer: env',
      'must be an object',
      'it is null',
      TypeError,
      () => createDataLayer({ env: untyped(null) }),
    ],
    [
      'onLifecycle: the event',
      'must be a string that is not empty',
      'it is undefined',
      TypeError,
      (dl) => dl.onLifecycle(untyped(undefined), () => undefined),
    ],
    [
      'dehydrate: cursor',
      'is not an option',
      'Use one of: cursors',
      TypeError,
      (dl) => dehydrate(dl, untyped({ cursor: [] })),
    ],
    [
      'dehydrate: the options',
      'must be an object',
      'it is null',
      TypeError,
      (dl) => dehydrate(dl, untyped(null)),
    ],
    [
      'readDehydrated: the state',
      'must be what dehydrate returned',
      'it is undefined',
      TypeError,
      (dl) => readDehydrated(dl, untyped(undefined), { name: 'tickets' }),
    ],
    [
      'readDehydrated: the state',
      'must be what dehydrate returned',
      'it is an object',
      TypeError,
      (dl) => readDehydrated(dl, untyped({ v: 1, items: [] }), { name: 'tickets' }),
    ],
    [
      'readDehydrated: the state',
      'must be what dehydrate returned',
      'it is an object',
      TypeError,
      (dl) => readDehydrated(dl, untyped({ ...dehydrate(dl), v: 2 }), { name: 'tickets' }),
    ],
    [
      'readDehydrated: the key',
      'must be an object',
      'it is "tickets"',
      TypeError,
      (dl) => readDehydrated(dl, dehydrate(dl), untyped('tickets')),
    ],
    [
      'dehydrate: cursors',
      'must be a list of { audience, seq }',
      'it is 5',
      TypeError,
      (dl) => dehydrate(dl, { cursors: untyped(5) }),
    ],
    [
      'dehydrate: cursors[1]',
      'must be { audience, seq }',
      'it is an object',
      TypeError,
      (dl) => dehydrate(dl, { cursors: [{ audience: 'a', seq: 1 }, untyped({ audience: 'b' })] }),
    ],
    [
      'configureDirectiveSource',
      'must be given { type, connect(api) }',
      'null to return to the event stream',
      TypeError,
      (dl) => dl.configureDirectiveSource(untyped({ type: 'ws' })),
    ],
    [
      'configureDirectiveSource',
      'must be given { type, connect(api) }',
      'null to return to the event stream',
      TypeError,
      (dl) => dl.configureDirectiveSource(untyped({ type: '', connect: () => undefined })),
    ],
  ])('%s %s, %s', (culprit, expected, remedy, kind, run) => {
    const text = complaint(kind, () => run(setup().dl));
    expect(text).toContain(culprit);
    expect(text).toContain(expected);
    expect(text).toContain(remedy);
  });
});

describe('D-SRC-3 applyResponse', () => {
  it('rejects a value that is not a Response', async () => {
    const { dl } = setup();
    await expect(dl.applyResponse(untyped(5))).rejects.toThrow(
      new TypeError('[edict] applyResponse: it must be given a Response, but it is 5.'),
    );
  });
});
