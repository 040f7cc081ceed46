// The ids of items: which ones name the same item, and which ones are valid.

import type { Id } from '@edict/core';
import { createSimulation } from '@edict/core/testing';
import { describe, expect, it } from 'vitest';
import { refreshItem } from '../directives.ts';
import { createWorld, untyped } from '../world.ts';

function setup() {
  const world = createWorld();
  const one = world.held();
  world.dl.createType('ticket', { fetch: one.fetch });
  return { ...world, one };
}

describe('D-REG-5 §2.6 ids', () => {
  it.each<[Id, Id]>([
    [42, '42'],
    ['42', 42],
    [0, '0'],
    [-7, '-7'],
    [1.5, '1.5'],
    [1e21, '1e+21'],
    [Number.MAX_SAFE_INTEGER, '9007199254740991'],
  ])(
    '%o and %o are the same item, whose fetch receives the form that was used first',
    async (first, second) => {
      const { dl, one, sim } = setup();
      const ref = dl.fetchItem('ticket', first);
      expect(dl.fetchItem('ticket', second)).toBe(ref);
      expect(dl.getItemRef('ticket', second)).toBe(ref);
      expect(dl.isItemLoading('ticket', second)).toBe(true);
      await one.last().answer({ id: first });
      dl.fetchItem('ticket', second, null, { force: true });
      await one.last().answer({ id: first });
      void dl.applyDirectives([refreshItem('ticket', second)]);
      await sim.advance(50);
      expect(one.calls.map(({ asked }) => asked)).toEqual([first, first, first]);
    },
  );

  it.each<[Id, Id]>([
    ['7', '07'],
    ['7', '7.0'],
    ['7', ' 7'],
    ['042', 42],
    ['42 ', 42],
    ['4.20', 4.2],
    ['', '0'],
    ['1e3', '1000'],
    ['9007199254740993', '9007199254740992'],
    ['constructor', '__proto__'],
    ['a', 'A'],
  ])('%o and %o are different items', (first, second) => {
    const { dl } = setup();
    expect(dl.fetchItem('ticket', first)).not.toBe(dl.fetchItem('ticket', second));
  });

  it('bulkFetch receives ids in the form that was used first, and its result can use any form', async () => {
    const { dl, rest } = createWorld();
    const asked: Id[][] = [];
    dl.createType('ticket', {
      fetch: (id) => ({ id }),
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

  it.each(['NaN', 'Infinity'])('may be the string "%s"', async (id) => {
    const sim = createSimulation();
    const dl = sim.createDataLayer();
    let version = 1;
    dl.createType('ticket', { fetch: () => ({ id, version }) });
    dl.createCollection('tickets', {
      of: 'ticket',
      async fetch() {
        const items = [{ id, version }];
        await sim.sleep(1000);
        return { items };
      },
    });
    dl.fetchCollection('tickets');
    await sim.advance(500);
    version = 2;
    void dl.applyDirectives([{ op: 'refresh_item', name: 'ticket', id }]); // The list was requested before the directive.
    await sim.settled();
    expect(dl.getItemRef('ticket', id).meta.isStale).toBe(true);
  });

  it.each<[unknown, string]>([
    [undefined, 'undefined'],
    [null, 'null'],
    [{}, 'an object'],
    [true, 'true'],
    [NaN, 'NaN'],
    [Infinity, 'Infinity'],
    [-Infinity, '-Infinity'],
  ])('D-REG-1 %o throws a TypeError', (id, shown) => {
    const { dl, one } = setup();
    const error = new TypeError(
      `[edict] an id of "ticket" must be a string or a finite number, but it is ${shown}.`,
    );
    for (const operation of [dl.fetchItem, dl.getItemRef, dl.isItemLoading])
      expect(() => operation('ticket', untyped(id))).toThrow(error);
    expect(one.calls).toHaveLength(0);
  });
});
