import { createDataLayer } from '@edict/core';
import { describe, expect, it } from 'vitest';
import { untyped } from '../world.ts';

const fetcher = async (): Promise<unknown> => ({});

class FullLevel {
  readonly full = { fetch: fetcher };
}

describe('D-REG-1 the config of a type', () => {
  const standard = { '~standard': { version: 1, vendor: 'test', validate: (value: unknown) => ({ value }) } };

  it.each<object>([
    { fetch: fetcher },
    { fetch: fetcher, levels: {} },
    { fetch: fetcher, levels: new FullLevel(), levelConversionMap: Object.create({}) as object },
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
    ['', {}, '[edict] the name of a type must be a string that is not empty, but it is "".'],
    [undefined, {}, '[edict] the name of a type must be a string that is not empty, but it is undefined.'],
    ['ticket', undefined, '[edict] type "ticket": the config must be an object, but it is undefined.'],
    ['ticket', fetcher, '[edict] type "ticket": the config must be an object, but it is a function.'],
    ['ticket', {}, '[edict] type "ticket": fetch must be a function, but it is undefined.'],
    ['a"b', {}, '[edict] type "a\\"b": fetch must be a function, but it is undefined.'],
    ['ticket', { fetch: '/api' }, '[edict] type "ticket": fetch must be a function, but it is "/api".'],
    [
      'ticket',
      { fetch: fetcher, bulkFetch: [] },
      '[edict] type "ticket": bulkFetch must be a function, but it is an empty array.',
    ],
    [
      'ticket',
      { fetch: fetcher, stalenessMs: -1 },
      '[edict] type "ticket": stalenessMs must be a number of milliseconds, at least 0, but it is -1.',
    ],
    [
      'ticket',
      { fetch: fetcher, timeoutMs: Infinity },
      '[edict] type "ticket": timeoutMs must be a number of milliseconds from 0 to 2147483647, but it is Infinity.',
    ],
    [
      'ticket',
      { fetch: fetcher, getId: 'id' },
      '[edict] type "ticket": getId must be a function, but it is "id".',
    ],
    [
      'ticket',
      { fetch: fetcher, schema: {} },
      `[edict] type "ticket": schema must be a Standard Schema (with '~standard'.validate), but it is an object.`,
    ],
    [
      'ticket',
      { fetch: fetcher, levelConversionMap: { full: 'simplified' } },
      '[edict] type "ticket": levelConversionMap.full must be a list of level names, but it is "simplified".',
    ],
    [
      'ticket',
      { fetch: fetcher, levels: [] },
      '[edict] type "ticket": levels must be an object keyed by level, but it is an empty array.',
    ],
    [
      'ticket',
      { fetch: fetcher, levels: new Map([['full', { fetch: fetcher }]]) },
      '[edict] type "ticket": levels must be an object keyed by level, but it is an instance of Map.',
    ],
    [
      'ticket',
      { fetch: fetcher, levelConversionMap: new Map([['full', ['default']]]) },
      '[edict] type "ticket": levelConversionMap must be an object keyed by level, but it is an instance of Map.',
    ],
    [
      'ticket',
      { fetch: fetcher, levels: { full: fetcher } },
      '[edict] type "ticket": levels.full must be an object, but it is a function.',
    ],
    [
      'ticket',
      { fetch: fetcher, levels: { full: {} } },
      '[edict] type "ticket": levels.full.fetch must be a function, but it is undefined.',
    ],
    [
      'ticket',
      { fetch: fetcher, levels: { default: { fetch: null } } },
      '[edict] type "ticket": levels.default.fetch must be a function, but it is null.',
    ],
    [
      'ticket',
      { fetch: fetcher, levels: { full: { fetch: fetcher, checkIfExists: true } } },
      '[edict] type "ticket": levels.full.checkIfExists must be a function, but it is true.',
    ],
    [
      'ticket',
      { fetch: fetcher, levels: { full: { fetch: fetcher, stalenessMs: '5' } } },
      '[edict] type "ticket": levels.full.stalenessMs must be a number of milliseconds, at least 0, but it is "5".',
    ],
    [
      'ticket',
      { fetch: fetcher, levels: { full: { fetch: fetcher, levelConversionMap: { full: [1] } } } },
      '[edict] type "ticket": levels.full.levelConversionMap.full must be a list of level names, but it is an array.',
    ],
  ])('of name %o in case %# is refused by name, path and what was expected', (name, config, message) => {
    expect(() => createDataLayer().createType(untyped(name), untyped(config))).toThrow(
      new TypeError(message),
    );
  });
});

describe('D-REG-1 the config of a collection', () => {
  it.each<[unknown, unknown, string]>([
    [5, {}, '[edict] the name of a collection must be a string that is not empty, but it is 5.'],
    ['tickets', null, '[edict] collection "tickets": the config must be an object, but it is null.'],
    ['tickets', {}, '[edict] collection "tickets": fetch must be a function, but it is undefined.'],
    [
      'tickets',
      { fetch: fetcher, stalenessMs: Number.NaN },
      '[edict] collection "tickets": stalenessMs must be a number of milliseconds, at least 0, but it is NaN.',
    ],
    [
      'tickets',
      { fetch: fetcher, timeoutMs: -1 },
      '[edict] collection "tickets": timeoutMs must be a number of milliseconds from 0 to 2147483647, but it is -1.',
    ],
    [
      'tickets',
      { fetch: fetcher, schema: 'zod' },
      `[edict] collection "tickets": schema must be a Standard Schema (with '~standard'.validate), but it is "zod".`,
    ],
  ])('of name %o in case %# is refused by name, path and what was expected', (name, config, message) => {
    expect(() => createDataLayer().createCollection(untyped(name), untyped(config))).toThrow(
      new TypeError(message),
    );
  });
});
