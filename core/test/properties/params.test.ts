// Which lists a directive refetches, for any params. The expectation compares JSON values and knows no keys.

import { isDeepStrictEqual } from 'node:util';
import { createSimulation } from '@edict/core/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parameters } from './runs.ts';

type Params = Record<string, unknown>;

/** Some look alike. Others are the JSON form of another one. */
const scalars = [1, '1', 0, -0, '', null, 'null', true, undefined, new Date(0), new Date(0).toJSON()];
const keys = ['a', 'b', '10', '9', '__proto__', 'toString'];
const { params } = fc.letrec<{ value: unknown; params: Params }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 2 },
    { weight: 3, arbitrary: fc.constantFrom(...scalars) },
    { weight: 1, arbitrary: fc.array(fc.constantFrom(1, '1', null), { maxLength: 2 }) },
    { weight: 1, arbitrary: tie('params') },
  ),
  params: fc.dictionary(fc.constantFrom(...keys), tie('value'), { maxKeys: 3 }),
}));
const lists = fc.array(fc.option(params, { nil: undefined }), { minLength: 1, maxLength: 12 });
const change = fc.record({
  /** The index of a list. The directive has the first `length` of its params, in reverse order. Null: it has no params. */
  at: fc.nat(11),
  length: fc.option(fc.nat(3), { freq: 6 }),
  mode: fc.constantFrom('exact' as const, 'contains' as const),
  times: fc.constantFrom(1, 3),
});
const changes = fc.array(change, { minLength: 1, maxLength: 4 });

const jsonOf = (given: unknown): Params => JSON.parse(JSON.stringify(given ?? {})) as Params; // It was an object.

const includes = (all: Params, some: Params): boolean =>
  Object.keys(some).every((key) => Object.hasOwn(all, key) && isDeepStrictEqual(all[key], some[key]));

describe('lists with any params', () => {
  it('D-PARAM-1 D-PARAM-3 are refetched once if a directive names them, and no others are', async () => {
    await fc.assert(
      fc.asyncProperty(lists, changes, async (asked, directives) => {
        const sim = createSimulation();
        const dl = sim.createDataLayer({ sse: { enabled: false } });
        const requests: Params[] = [];
        dl.createCollection('lists', {
          fetch(given) {
            requests.push(jsonOf(given));
            return { ids: [] };
          },
        });
        const cached: Params[] = [];
        for (const given of asked) {
          dl.fetchCollection('lists', { params: given });
          const json = jsonOf(given);
          if (!cached.some((other) => isDeepStrictEqual(other, json))) cached.push(json);
        }
        await sim.settled();
        expect(requests.splice(0)).toEqual(cached);

        const named = new Set<Params>();
        for (const { at, length, mode, times } of directives) {
          const all = Object.entries(asked[at % asked.length] ?? {});
          const given = length === null ? null : Object.fromEntries(all.slice(0, length).reverse());
          const directive = { op: 'refresh_collection', name: 'lists', params: given, params_mode: mode };
          for (let time = 0; time < times; time++) void dl.applyDirectives([directive]);
          const json = jsonOf(given);
          const isNamed = mode === 'contains' ? includes : isDeepStrictEqual;
          for (const list of cached) if (given === null || isNamed(list, json)) named.add(list);
        }
        await sim.settled();
        expect(new Set(requests)).toEqual(named);
        expect(requests).toHaveLength(named.size);
      }),
      parameters(300),
    );
  });
});
