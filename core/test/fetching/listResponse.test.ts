// Valid and invalid responses of the fetch function of a collection.

import { createDataLayer, defineCollection, defineItem } from '@edict/core';
import { dehydrate, hydrate, readDehydrated } from '@edict/core/hydration';
import { describe, expect, it } from 'vitest';
import { refreshList } from '../directives.ts';
import { createStage } from '../world.ts';
import { rows, setup, type Options } from './lists.ts';

/** A collection without `of`. */
const plain: Options = { of: null };
const must = '[edict] Collection "tickets": fetch must return { ids, count? } or { items }, but returned';
const setOf = 'To return items, set "of" to their type.';

describe('§2.5 §2.7 D-FETCH-6 the response of a collection', () => {
  it.each<[name: string, options: Options, response: unknown, data: object, stored: boolean]>([
    ['ids without `of`', plain, { ids: [1, 2] }, { ids: [1, 2], count: 2 }, false],
    ['ids and count', plain, { ids: [1], count: 90 }, { ids: [1], count: 90 }, false],
    ['ids and count 0', plain, { ids: [], count: 0 }, { ids: [], count: 0 }, false],
    ['ids and undefined as count', plain, { ids: ['a'], count: undefined }, { ids: ['a'], count: 1 }, false],
    ['ids and info without `of`', plain, { ids: [1], info: null }, { ids: [1], count: 1, info: null }, false],
    ['undefined info', plain, { ids: [1], info: undefined }, { ids: [1], count: 1 }, false],
    [
      'ids and other fields, which are dropped',
      plain,
      { ids: [1], next: 'x', items: [{ id: 1 }] },
      { ids: [1], count: 1 },
      false,
    ],
    ['ids', {}, { ids: [1, 2] }, { ids: [1, 2], count: 2 }, false],
    ['ids, count, and info', {}, { ids: [1], count: 9, info: 'b' }, { ids: [1], count: 9, info: 'b' }, false],
    ['an array of items', {}, rows(1, 1, 2), { ids: [1, 2], count: 2 }, true],
    ['an empty array', {}, [], { ids: [], count: 0 }, false],
    ['items', {}, { items: rows(1, 1, 2) }, { ids: [1, 2], count: 2 }, true],
    [
      'items, count, and info',
      {},
      { items: rows(1, 1), count: 9, info: { next: 'b' } },
      { ids: [1], count: 9, info: { next: 'b' } },
      true,
    ],
  ])('may be %s', async (_, options, response, data, stored) => {
    const { dl, list } = setup(options);
    const ref = dl.fetchCollection('tickets');
    await list.last().answer(response);
    expect(ref.meta.error).toBeNull();
    expect(ref.data).toStrictEqual(data);
    expect(dl.getItemRef('ticket', 1).data).toEqual(stored ? { id: 1, version: 1 } : null);
  });

  it.each<[options: Options, response: unknown, message: string]>([
    [plain, undefined, `${must} undefined.`],
    [plain, null, `${must} null.`],
    [plain, '1,2', `${must} "1,2".`],
    [plain, 7, `${must} 7.`],
    [plain, {}, `${must} an object.`],
    [plain, { ids: null }, `${must} an object with ids.`],
    [plain, { ids: '1' }, `${must} an object with ids.`],
    [plain, { ids: new Set([1]) }, `${must} an object with ids.`],
    [
      plain,
      rows(1, 1),
      `${must} an array. Return { items: rows } or { ids: rows.map((row) => row.id) }. ${setOf}`,
    ],
    [
      plain,
      { items: rows(1, 1) },
      `${must} an object with items. Return { items: items } or { ids: items.map((row) => row.id) }. ${setOf}`,
    ],
    [
      {},
      { tickets: [], total: 0 },
      `${must} an object with tickets, total. Return { items: tickets } or { ids: tickets.map((row) => row.id) }. ${setOf}`,
    ],
    [{}, 'x', `${must} "x".`],
    [
      plain,
      { ids: [1, null] },
      '[edict] Collection "tickets": ids[1] must be a string or a finite number, but it is null.',
    ],
    [
      plain,
      { ids: [{ id: 1 }] },
      '[edict] Collection "tickets": ids[0] must be a string or a finite number, but it is an object.',
    ],
    [
      plain,
      { ids: [1], count: '1' },
      '[edict] Collection "tickets": count must be a finite number, but it is "1".',
    ],
    [
      plain,
      { ids: [1], count: NaN },
      '[edict] Collection "tickets": count must be a finite number, but it is NaN.',
    ],
    [
      plain,
      { ids: [1], count: Infinity },
      '[edict] Collection "tickets": count must be a finite number, but it is Infinity.',
    ],
    [
      {},
      { items: rows(1, 1), count: '9' },
      '[edict] Collection "tickets": count must be a finite number, but it is "9".',
    ],
    [
      {},
      [{ id: 1 }, {}],
      '[edict] Collection "tickets": item 1 has no id. Return items with an "id", set getId of type "ticket", or return { ids } for ids alone.',
    ],
    [
      {},
      [7, 8],
      '[edict] Collection "tickets": item 0 has no id. Return items with an "id", set getId of type "ticket", or return { ids } for ids alone.',
    ],
    [
      {},
      [{ id: 1 }, null],
      '[edict] Collection "tickets": item 1 has no id. Return items with an "id", set getId of type "ticket", or return { ids } for ids alone.',
    ],
  ])('with the options %j fails with %o', async (options, response, message) => {
    const { dl, list, of } = setup(options);
    const ref = dl.fetchCollection('tickets');
    await list.last().answer(response);
    expect(ref.data).toEqual({ ids: [], count: 0 });
    expect(ref.meta.error).toBe(message);
    expect(ref.meta.cause).toBeInstanceOf(TypeError);
    expect(of('collection:fetch:error')).toHaveLength(1);
  });

  it('logs the error of a getId that throws', async () => {
    const { sim, dl } = createStage();
    const thrown = new Error('no key');
    const getId = (): never => {
      throw thrown;
    };
    dl.createType('ticket', { fetch: async (id) => ({ id }), getId });
    dl.createCollection('tickets', { of: 'ticket', fetch: async () => rows(1, 1) });
    const ref = dl.fetchCollection('tickets');
    await sim.settled();
    expect(ref.meta.error).toContain('[edict] Collection "tickets": item 0 has no id.');
    expect(sim.log).toMatchObject([{ message: 'getId of type "ticket" failed.', detail: thrown }]);
  });

  it.each<[Options, string]>([
    [
      { of: 'card' },
      '[edict] type "card" is not registered (registered: "ticket"). Call register or createType',
    ],
    [{ level: 'wide' }, '[edict] level "wide" of type "ticket" is not registered (registered: "default"'],
  ])('with items fails for the options %j, whose level is not registered', async (options, message) => {
    const { dl, list } = setup(options);
    const ref = dl.fetchCollection('tickets');
    await list.last().answer(rows(1, 1));
    expect(ref.data).toEqual({ ids: [], count: 0 });
    expect(ref.meta.error).toContain(message);
  });

  it.each(['synchronous', 'asynchronous'])(
    'fails if an item does not fit the %s schema of its level',
    async (kind) => {
      const { dl, list, one } = setup();
      const validate = (
        value: unknown,
      ): { value: unknown } | { issues: { message: string; path: string[] }[] } =>
        (value as { title?: string }).title === undefined
          ? { issues: [{ message: 'is missing', path: ['title'] }] }
          : { value: { ...(value as object), isValid: true } };
      const schema = {
        '~standard': {
          version: 1,
          vendor: 'test',
          validate: kind === 'synchronous' ? validate : (value: unknown) => Promise.resolve(validate(value)),
        },
      } as const;
      dl.createType('ticket', { fetch: one.fetch, schema });
      const ref = dl.fetchCollection('tickets');
      await list.last().answer([{ id: 1, title: 'a' }, { id: 2 }]);
      expect(ref.meta.error).toBe(
        '[edict] Collection "tickets": item 1 does not fit its schema: title: is missing',
      );
      dl.fetchCollection('tickets', { force: true });
      await list.last().answer([{ id: 1, title: 'a' }]);
      expect(dl.getItemRef('ticket', 1).data).toEqual({ id: 1, title: 'a', isValid: true });
    },
  );

  it('is read with getId, and accepts a definition as `of`', async () => {
    const dl = createDataLayer();
    const card = defineItem('card', {
      fetch: (key: string): { key: string } => ({ key }),
      getId: (item) => item.key,
    });
    const cards = defineCollection('cards', { of: card, fetch: () => [{ key: 'a' }, { key: 'b' }] });
    dl.register(card, cards);
    expect((await dl.ensureCollection(cards)).ids).toEqual(['a', 'b']);
    expect(dl.getItemRef(card, 'b').data).toEqual({ key: 'b' });
    dl.dispose();
  });
});

describe('info', () => {
  it('is replaced by an inline result, and removed by one without info', async () => {
    const { dl, list } = setup();
    const ref = dl.fetchCollection('tickets');
    await list.last().answer({ ids: [1], info: 'a' });
    void dl.applyDirectives([refreshList('tickets', { result: { ids: [2], count: 5, info: 'b' } })]);
    expect(ref.data).toStrictEqual({ ids: [2], count: 5, info: 'b' });
    void dl.applyDirectives([refreshList('tickets', { result: { ids: [3] } })]);
    expect(ref.data).toStrictEqual({ ids: [3], count: 1 });
  });

  it('an inline result with items is rejected, and the list is refetched', async () => {
    const { dl, list, sim, of } = setup();
    dl.fetchCollection('tickets');
    await list.last().answer([]);
    void dl.applyDirectives([refreshList('tickets', { result: rows(2, 1) })]);
    await sim.advance(50);
    expect(of('directive:rejected')).toHaveLength(1);
    expect(list.calls).toHaveLength(2);
  });

  it('and the items of a list are part of a dehydrated state', async () => {
    const server = setup();
    server.dl.fetchCollection('tickets');
    await server.list.last().answer({ items: rows(1, 7), count: 3, info: { next: 'b' } });
    const state = dehydrate(server.dl);
    const browser = setup();
    const data = { ids: [7], count: 3, info: { next: 'b' } };
    expect(readDehydrated(browser.dl, state, { name: 'tickets' })?.data).toStrictEqual(data);
    hydrate(browser.dl, structuredClone(state));
    expect(browser.dl.fetchCollection('tickets').data).toStrictEqual(data);
    expect(browser.dl.fetchItem('ticket', 7).data).toEqual({ id: 7, version: 1 });
    expect(browser.asked()).toEqual([]);
  });
});
