// The config of a type or collection: what is accepted, and what the error names.

import { createDataLayer } from '@edict/core';
import { describe, expect, it } from 'vitest';
import { createWorld, untyped } from '../world.ts';

const fetch = async (): Promise<unknown> => ({});

class FullLevel {
  readonly full = { fetch };
}

const ms = 'must be a number of milliseconds, at least 0, but it is';
const wait = 'must be a number of milliseconds from 0 to 2147483647, but it is';
const aFunction = 'must be a function, but it is';
const schemaFault = "schema must be a Standard Schema (with '~standard'.validate), but it is";
const levelNames = 'must be a list of level names, but it is';
const typeOptions =
  'fetch, stalenessMs, schema, timeoutMs, retry, bulkFetch, levelConversionMap, getId, levels';
const levelOptions =
  'fetch, stalenessMs, schema, timeoutMs, retry, bulkFetch, levelConversionMap, checkIfExists';

describe('D-REG-1 the config of a type', () => {
  const standard = { '~standard': { version: 1, vendor: 'test', validate: (value: unknown) => ({ value }) } };
  const noOptions = { bulkFetch: undefined, stalenessMs: undefined, schema: undefined, timeoutMs: undefined };
  const noLevelOptions = { ...noOptions, levelConversionMap: undefined, checkIfExists: undefined };

  it.each<object>([
    { fetch },
    { fetch, levels: {} },
    { fetch, levels: new FullLevel(), levelConversionMap: Object.create({}) as object },
    { fetch, levels: { default: { checkIfExists: () => true } } },
    { fetch, levels: { full: { fetch, bulkFetch: fetch, levelConversionMap: { full: ['x'] } } } },
    { fetch, stalenessMs: Infinity, timeoutMs: 0, bulkFetch: fetch, getId: () => 1 },
    { fetch, schema: standard },
    { fetch, schema: Object.assign(() => undefined, standard) },
    { fetch, ...noOptions, levelConversionMap: undefined, getId: undefined, levels: undefined },
    {
      fetch,
      levels: { full: { ...noLevelOptions, fetch }, default: { ...noLevelOptions, fetch: undefined } },
    },
  ])('case %# is accepted', (config) => {
    const { dl } = createWorld();
    dl.createType('ticket', untyped(config));
    expect(Object.keys(dl.state().types)).toEqual(['ticket']);
  });

  it.each<[unknown, string]>([
    [undefined, 'the config must be an object, but it is undefined.'],
    [null, 'the config must be an object, but it is null.'],
    [fetch, 'the config must be an object, but it is a function.'],
    [{}, `fetch ${aFunction} undefined.`],
    [{ fetch: '/api' }, `fetch ${aFunction} "/api".`],
    [{ fetch, bulkFetch: [] }, `bulkFetch ${aFunction} an empty array.`],
    [{ fetch, stalenessMs: -1 }, `stalenessMs ${ms} -1.`],
    [{ fetch, stalenessMs: '5' }, `stalenessMs ${ms} "5".`],
    [{ fetch, stalenessMs: NaN }, `stalenessMs ${ms} NaN.`],
    [{ fetch, timeoutMs: -1 }, `timeoutMs ${wait} -1.`],
    [{ fetch, timeoutMs: NaN }, `timeoutMs ${wait} NaN.`],
    [{ fetch, timeoutMs: Infinity }, `timeoutMs ${wait} Infinity.`],
    [{ fetch, getId: 'id' }, `getId ${aFunction} "id".`],
    [{ fetch, schema: {} }, `${schemaFault} an object.`],
    [
      { fetch, levelConversionMap: [] },
      'levelConversionMap must be an object keyed by level, but it is an empty array.',
    ],
    [
      { fetch, levelConversionMap: new Map([['full', ['default']]]) },
      'levelConversionMap must be an object keyed by level, but it is an instance of Map.',
    ],
    [{ fetch, levelConversionMap: { full: 'brief' } }, `levelConversionMap.full ${levelNames} "brief".`],
    [{ fetch, levelConversionMap: { a: ['b', 1] } }, `levelConversionMap.a ${levelNames} an array.`],
    [{ fetch, levels: [] }, 'levels must be an object keyed by level, but it is an empty array.'],
    [{ fetch, levels: ['full'] }, 'levels must be an object keyed by level, but it is an array.'],
    [
      { fetch, levels: new Map([['full', { fetch }]]) },
      'levels must be an object keyed by level, but it is an instance of Map.',
    ],
    [{ fetch, levels: { full: fetch } }, 'levels.full must be an object, but it is a function.'],
    [{ fetch, levels: { full: {} } }, `levels.full.fetch ${aFunction} undefined.`],
    [{ fetch, levels: { full: { fetch: '/x' } } }, `levels.full.fetch ${aFunction} "/x".`],
    [{ fetch, levels: { default: { fetch: null } } }, `levels.default.fetch ${aFunction} null.`],
    [
      { fetch, levels: { full: { fetch, checkIfExists: true } } },
      `levels.full.checkIfExists ${aFunction} true.`,
    ],
    [{ fetch, levels: { full: { fetch, stalenessMs: null } } }, `levels.full.stalenessMs ${ms} null.`],
    [{ fetch, levels: { full: { fetch, timeoutMs: '1s' } } }, `levels.full.timeoutMs ${wait} "1s".`],
    [{ fetch, levels: { full: { fetch, bulkFetch: 1 } } }, `levels.full.bulkFetch ${aFunction} 1.`],
    [{ fetch, levels: { full: { fetch, schema: 1 } } }, `levels.full.${schemaFault} 1.`],
    [
      { fetch, levels: { full: { fetch, levelConversionMap: 5 } } },
      'levels.full.levelConversionMap must be an object keyed by level, but it is 5.',
    ],
    [
      { fetch, levels: { full: { fetch, levelConversionMap: { full: [1] } } } },
      `levels.full.levelConversionMap.full ${levelNames} an array.`,
    ],
    [{ fetch, bulkFecth: fetch }, `bulkFecth is not an option. Use one of: ${typeOptions}.`],
    [{ fetch, checkIfExists: fetch }, `checkIfExists is not an option. Use one of: ${typeOptions}.`],
    [{ fetch, constructor: 1 }, `constructor is not an option. Use one of: ${typeOptions}.`],
    [
      { fetch, levels: { full: { fetch, stalenesMs: 5 } } },
      `levels.full.stalenesMs is not an option. Use one of: ${levelOptions}.`,
    ],
    [
      { fetch, levels: { default: { chekIfExists: fetch } } },
      `levels.default.chekIfExists is not an option. Use one of: ${levelOptions}.`,
    ],
  ])('is refused by path and what was expected, case %#: %o', (config, message) => {
    const dl = createDataLayer();
    expect(() => dl.createType('ticket', untyped(config))).toThrow(
      new TypeError(`[edict] type "ticket": ${message}`),
    );
    expect(dl.state().types).toEqual({});
  });

  it('is refused by its name in quotes', () => {
    expect(() => createDataLayer().createType('a"b', untyped({}))).toThrow(
      '[edict] type "a\\"b": fetch must',
    );
  });
});

describe('D-REG-1 the config of a collection', () => {
  const options = 'fetch, stalenessMs, schema, timeoutMs, retry, of, level';

  it('may have options that are undefined', () => {
    const dl = createDataLayer();
    const config = { fetch, schema: undefined, stalenessMs: undefined, timeoutMs: undefined };
    dl.createCollection('tickets', untyped(config));
    expect(Object.keys(dl.state().collections)).toEqual(['tickets']);
  });

  it.each<[unknown, string]>([
    [undefined, 'the config must be an object, but it is undefined.'],
    [null, 'the config must be an object, but it is null.'],
    [{}, `fetch ${aFunction} undefined.`],
    [{ fetch: {} }, `fetch ${aFunction} an object.`],
    [{ fetch, stalenessMs: -5 }, `stalenessMs ${ms} -5.`],
    [{ fetch, stalenessMs: '5' }, `stalenessMs ${ms} "5".`],
    [{ fetch, stalenessMs: NaN }, `stalenessMs ${ms} NaN.`],
    [{ fetch, timeoutMs: -1 }, `timeoutMs ${wait} -1.`],
    [{ fetch, timeoutMs: '5' }, `timeoutMs ${wait} "5".`],
    [{ fetch, schema: 'zod' }, `${schemaFault} "zod".`],
    [{ fetch, schema: null }, `${schemaFault} null.`],
    [{ fetch, stalenesMs: 5 }, `stalenesMs is not an option. Use one of: ${options}.`],
    [{ fetch, bulkFetch: fetch }, `bulkFetch is not an option. Use one of: ${options}.`],
  ])('is refused by path and what was expected, case %#: %o', (config, message) => {
    const dl = createDataLayer();
    expect(() => dl.createCollection('tickets', untyped(config))).toThrow(
      new TypeError(`[edict] collection "tickets": ${message}`),
    );
    expect(dl.state().collections).toEqual({});
  });
});

it.each<[unknown, string]>([
  [undefined, 'undefined'],
  [null, 'null'],
  [5, '5'],
  ['', '""'],
  [{}, 'an object'],
])('D-REG-1 a name that is %o is refused', (name, shown) => {
  const dl = createDataLayer();
  const refused = (kind: string): TypeError =>
    new TypeError(`[edict] the name of a ${kind} must be a string that is not empty, but it is ${shown}.`);
  expect(() => dl.createType(untyped(name), { fetch })).toThrow(refused('type'));
  expect(() => dl.createCollection(untyped(name), { fetch: () => ({ ids: [] }) })).toThrow(
    refused('collection'),
  );
});
