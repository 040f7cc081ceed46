// Valid and invalid responses of bulkFetch, and the items that it does not return.

import { describe, expect, it } from 'vitest';
import { createStage } from '../world.ts';
import { setup } from './kinds.ts';

describe('D-DIR-6 the result of bulkFetch', () => {
  const answers: [string, (ids: readonly (string | number)[]) => unknown][] = [
    ['a list in another order', (ids) => ids.toReversed().map((id) => ({ id, v: `v${id}` }))],
    ['a list with ids as strings', (ids) => ids.map((id) => ({ id: String(id), v: `v${id}` }))],
    ['a Map', (ids) => new Map(ids.map((id) => [id, { v: `v${id}` }]))],
    ['a Map with ids as strings', (ids) => new Map(ids.map((id) => [String(id), { v: `v${id}` }]))],
    ['an object', (ids) => Object.fromEntries(ids.map((id) => [id, { v: `v${id}` }]))],
  ];
  it.each(answers)('is matched by id in %s', async (_title, answer) => {
    const { sim, dl, server, item, taken } = createStage();
    server.bulk = (_type, ids) => answer(ids);
    const refs = [1, 2, 3].map((id) => item('note', id));
    await sim.advance(100);
    expect(taken()).toEqual(['note 1,2,3']);
    expect(refs.map(({ data }) => (data as { v: string }).v)).toEqual(['v1', 'v2', 'v3']);
    expect(dl.getItemRef('note', 2).meta.error).toBeNull();
  });

  it.each([
    ['has items without ids', (ids: readonly (string | number)[]) => ids.map((key) => ({ key })), 1],
    [
      'lacks some of the requested ids',
      (ids: readonly (string | number)[]) => ids.slice(1).map((id) => ({ id })),
      0,
    ],
    ['is empty because the items were deleted', () => [], 0],
    ['has ids that were not requested', () => [{ id: 8 }, { id: 9 }], 1],
    [
      'has an unknown shape',
      (ids: readonly (string | number)[]) => ({ items: ids.map((id) => ({ id })) }),
      1,
    ],
  ])('that %s is logged only if it contains none of the requested ids', async (_title, answer, told) => {
    const { sim, server, item } = createStage();
    server.bulk = (_type, ids) => answer(ids);
    for (const id of [1, 2, 3]) item('note', id);
    await sim.advance(100);
    const message = 'bulkFetch of "note" returned none of its ids, so each is fetched singly. Check getId.';
    expect(sim.log.filter((line) => line.message === message)).toHaveLength(told);
  });

  it('is matched by getId', async () => {
    const { sim, dl, calls } = createStage();
    dl.createType('user', {
      fetch: (id) => (calls.push(`single ${id}`), { login: id }),
      bulkFetch: (ids) => ids.toReversed().map((login) => ({ login })),
      getId: (user: { login: string }) => user.login,
    });
    const refs = [dl.fetchItem('user', 'ann'), dl.fetchItem('user', 'bob')];
    await sim.advance(100);
    expect(refs.map(({ data }) => data)).toEqual([{ login: 'ann' }, { login: 'bob' }]);
    expect(calls).toEqual([]);
  });

  it('lacks an item for which getId throws, and only this item is fetched singly', async () => {
    const { sim, dl, calls } = createStage();
    dl.createType('user', {
      fetch: (id) => (calls.push(`single ${id}`), { login: { name: id } }),
      bulkFetch: (ids) => ids.map((id) => (id === 2 ? {} : { login: { name: id } })),
      getId: (user: { login: { name: number } }) => user.login.name,
    });
    const refs = [1, 2, 3].map((id) => dl.fetchItem('user', id));
    await sim.advance(100);
    expect(refs.map(({ data }) => data)).toEqual([1, 2, 3].map((name) => ({ login: { name } })));
    expect(calls).toEqual(['single 2']);
  });

  it('as an object is read by its own properties only', async () => {
    const { sim, server, item, taken } = createStage();
    server.bulk = () => ({});
    const refs = ['constructor', 'toString', '__proto__'].map((id) => item('note', id));
    await sim.advance(100);
    expect(taken()).toEqual([
      'note constructor,toString,__proto__',
      'note constructor',
      'note toString',
      'note __proto__',
    ]);
    expect(refs.map(({ meta }) => meta.error)).toEqual([null, null, null]);
    expect(refs[0]?.data).toEqual({ id: 'constructor', default: 1 });
  });

  it('can be a list with null, items that were not requested and items without an id', async () => {
    const { sim, server, item, taken } = createStage();
    server.bulk = () => [null, { title: 'who' }, { id: 99 }, { id: 2, v: 'two' }, 5];
    const refs = [1, 2].map((id) => item('note', id));
    await sim.advance(100);
    expect(taken()).toEqual(['note 1,2', 'note 1']);
    expect(refs.map(({ data }) => data)).toEqual([
      { id: 1, default: 1 },
      { id: 2, v: 'two' },
    ]);
  });

  it.each<[unknown, string]>([
    [null, 'null'],
    [undefined, 'undefined'],
    ['none', '"none"'],
    [5, '5'],
  ])('that is %o fails every item of the batch', async (result, shown) => {
    const { dl, many, rest } = setup();
    const refs = [1, 2].map((id) => dl.fetchItem('note', id));
    await rest();
    await many.last().answer(result);
    for (const { meta } of refs) {
      expect(meta.isLoading).toBe(false);
      expect(meta.error).toBe(
        `[edict] bulkFetch of "note" must return a list, a Map or an object keyed by id, but it is ${shown}.`,
      );
    }
    expect(dl.hasAnyInFlightRequests()).toBe(false);
  });

  it.each<[string, unknown, unknown]>([
    ['a Map', new Map([1, 2].map((id) => [id, null])), null],
    ['an object', { 1: null, 2: { id: 2 } }, { id: 2 }],
  ])(
    'can contain null for an id, which is data and not a missing id: %s',
    async (_title, response, second) => {
      const { sim, server, item, taken } = createStage();
      server.bulk = () => response;
      const refs = [1, 2].map((id) => item('note', id));
      await sim.advance(100);
      expect(taken()).toEqual(['note 1,2']);
      expect(refs.map(({ data, meta }) => [data, meta.error, meta.lastFetchedAny !== null])).toEqual([
        [null, null, true],
        [second, null, true],
      ]);
    },
  );

  it.each<[string, unknown]>([
    ['a list', [{ id: 1 }]],
    ['a Map', new Map([[1, { id: 1 }]])],
    [
      'a Map that has undefined for them',
      new Map([1, 2, 3].map((id) => [id, id === 1 ? { id } : undefined])),
    ],
    ['an object that has undefined for them', { 1: { id: 1 }, 2: undefined, 3: undefined }],
  ])('ids that are missing in %s are fetched singly, in parallel', async (_title, answer) => {
    const { sim, server, item, taken, of } = createStage();
    server.bulk = () => answer;
    const refs = [1, 2, 3].map((id) => item('note', id));
    await sim.advance(10);
    expect(taken()).toEqual(['note 1,2,3', 'note 2', 'note 3']);
    await sim.advance(10);
    expect(refs.map(({ data }) => data)).toEqual([{ id: 1 }, { id: 2, default: 1 }, { id: 3, default: 1 }]);
    expect(of('item:fetch:success').map(({ id, strategy }) => [id, strategy])).toEqual([
      [1, 'bulk'],
      [2, 'direct'],
      [3, 'direct'],
    ]);
  });

  it('a missing id whose own fetch fails does not affect the other ids', async () => {
    const { sim, server, item } = createStage();
    server.bulk = (_type, ids) => ids.filter((id) => id === 1).map((id) => ({ id }));
    server.item = (_type, id) => {
      if (id === 2) throw new Error('gone');
      return { id };
    };
    const refs = [1, 2, 3].map((id) => item('note', id));
    await sim.advance(100);
    expect(refs.map(({ meta }) => meta.error)).toEqual([null, 'gone', null]);
  });

  it('a call that rejects fails every id of its batch with its error, and no id is fetched singly', async () => {
    const { sim, server, item, taken } = createStage();
    const reason = new Error('no bulk today');
    server.bulk = () => {
      throw reason;
    };
    const refs = [1, 2, 3].map((id) => item('note', id));
    await sim.advance(100);
    expect(refs.map(({ meta }) => [meta.error, meta.cause, meta.isLoading])).toEqual(
      Array.from({ length: 3 }, () => ['no bulk today', reason, false]),
    );
    expect(taken()).toEqual(['note 1,2,3']);
  });

  it('a batch that rejects does not affect the other batches', async () => {
    const { sim, server, item } = createStage({ init: { bulk: { maxBatchSize: 2 } } });
    server.bulk = (_type, ids) => {
      if (ids.includes(1)) throw new Error('no');
      return ids.map((id) => ({ id }));
    };
    const refs = [1, 2, 3, 4].map((id) => item('note', id));
    await sim.advance(100);
    expect(refs.map(({ meta }) => meta.error)).toEqual(['no', 'no', null, null]);
  });
});
