import { createDataLayer } from '@edict/core';
import { describe, expect, it } from 'vitest';
import { untyped } from '../world.ts';

const fetcher = async (): Promise<unknown> => ({});

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
    expect(() => createDataLayer().createType('ticket', untyped(config))).not.toThrow();
  });

  it.each<[unknown, unknown, string]>([
    ['', {}, '[edict] createType: the name must be a string that is not empty, but it is "".'],
    [undefined, {}, '[edict] createType: the name must be a string that is not empty, but it is undefined.'],
    ['ticket', undefined, '[edict] createType("ticket"): the config must be an object, but it is undefined.'],
    ['ticket', fetcher, '[edict] createType("ticket"): the config must be an object, but it is a function.'],
    ['ticket', {}, '[edict] createType("ticket"): fetch must be a function, but it is undefined.'],
    ['a"b', {}, '[edict] createType("a\\"b"): fetch must be a function, but it is undefined.'],
    [
      'ticket',
      { fetch: '/api' },
      '[edict] createType("ticket"): fetch must be a function, but it is "/api".',
    ],
    [
      'ticket',
      { fetch: fetcher, bulkFetch: [] },
      '[edict] createType("ticket"): bulkFetch must be a function, but it is an empty array.',
    ],
    [
      'ticket',
      { fetch: fetcher, stalenessMs: -1 },
      '[edict] createType("ticket"): stalenessMs must be a number of milliseconds, at least 0, but it is -1.',
    ],
    [
      'ticket',
      { fetch: fetcher, timeoutMs: Infinity },
      '[edict] createType("ticket"): timeoutMs must be a number of milliseconds from 0 to 2147483647, but it is Infinity.',
    ],
    [
      'ticket',
      { fetch: fetcher, getId: 'id' },
      '[edict] createType("ticket"): getId must be a function, but it is "id".',
    ],
    [
      'ticket',
      { fetch: fetcher, schema: {} },
      `[edict] createType("ticket"): schema must be a Standard Schema (with '~standard'.validate), but it is an object.`,
    ],
    [
      'ticket',
      { fetch: fetcher, levelConversionMap: { full: 'simplified' } },
      '[edict] createType("ticket"): levelConversionMap.full must be a list of level names, but it is "simplified".',
    ],
    [
      'ticket',
      { fetch: fetcher, levels: [] },
      '[edict] createType("ticket"): levels must be an object, but it is an empty array.',
    ],
    [
      'ticket',
      { fetch: fetcher, levels: { full: fetcher } },
      '[edict] createType("ticket"): levels.full must be an object, but it is a function.',
    ],
    [
      'ticket',
      { fetch: fetcher, levels: { full: {} } },
      '[edict] createType("ticket"): levels.full.fetch must be a function, but it is undefined.',
    ],
    [
      'ticket',
      { fetch: fetcher, levels: { default: { fetch: null } } },
      '[edict] createType("ticket"): levels.default.fetch must be a function, but it is null.',
    ],
    [
      'ticket',
      { fetch: fetcher, levels: { full: { fetch: fetcher, checkIfExists: true } } },
      '[edict] createType("ticket"): levels.full.checkIfExists must be a function, but it is true.',
    ],
    [
      'ticket',
      { fetch: fetcher, levels: { full: { fetch: fetcher, stalenessMs: '5' } } },
      '[edict] createType("ticket"): levels.full.stalenessMs must be a number of milliseconds, at least 0, but it is "5".',
    ],
    [
      'ticket',
      { fetch: fetcher, levels: { full: { fetch: fetcher, levelConversionMap: { full: [1] } } } },
      '[edict] createType("ticket"): levels.full.levelConversionMap.full must be a list of level names, but it is an array.',
    ],
  ])('of name %o in case %# is refused by name, path and what was expected', (name, config, message) => {
    expect(() => createDataLayer().createType(untyped(name), untyped(config))).toThrow(
      new TypeError(message),
    );
  });
});

describe('D-REG-1 the config of a collection', () => {
  it.each<[unknown, unknown, string]>([
    [5, {}, '[edict] createCollection: the name must be a string that is not empty, but it is 5.'],
    ['tickets', null, '[edict] createCollection("tickets"): the config must be an object, but it is null.'],
    ['tickets', {}, '[edict] createCollection("tickets"): fetch must be a function, but it is undefined.'],
    [
      'tickets',
      { fetch: fetcher, stalenessMs: Number.NaN },
      '[edict] createCollection("tickets"): stalenessMs must be a number of milliseconds, at least 0, but it is NaN.',
    ],
    [
      'tickets',
      { fetch: fetcher, timeoutMs: -1 },
      '[edict] createCollection("tickets"): timeoutMs must be a number of milliseconds from 0 to 2147483647, but it is -1.',
    ],
    [
      'tickets',
      { fetch: fetcher, schema: 'zod' },
      `[edict] createCollection("tickets"): schema must be a Standard Schema (with '~standard'.validate), but it is "zod".`,
    ],
  ])('of name %o in case %# is refused by name, path and what was expected', (name, config, message) => {
    expect(() => createDataLayer().createCollection(untyped(name), untyped(config))).toThrow(
      new TypeError(message),
    );
  });
});
