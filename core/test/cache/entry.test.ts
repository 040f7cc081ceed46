import { createDataLayer, type ItemReference } from '@edict/core';
import { createSimulation } from '@edict/core/testing';
import { describe, expect, it } from 'vitest';

/** The references of `id` and `other` in one new data layer. */
function refs<A extends string | number, B extends string | number>(
  id: A,
  other: B,
): [ItemReference, ItemReference] {
  const dl = createDataLayer();
  dl.createType('ticket', { fetch: (asked) => Promise.resolve({ id: asked }) });
  return [dl.getItemRef('ticket', id), dl.getItemRef('ticket', other)];
}

describe('D-REG-5 a numeric id and a string id', () => {
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

  it.each([
    [42, '42'],
    [0, '0'],
    [-7, '-7'],
    [Number.MAX_SAFE_INTEGER, '9007199254740991'],
    [1.5, '1.5'],
    [1e21, '1e+21'],
  ])('are one item: the number %s and the string "%s"', (number, text) => {
    const [one, other] = refs(number, text);
    expect(one).toBe(other);
  });

  it.each([
    ['7', '07'],
    ['7', '7.0'],
    ['7', ' 7'],
    ['', '0'],
    ['1e3', '1000'],
    ['9007199254740993', '9007199254740992'],
    ['constructor', '__proto__'],
  ])('are two items: "%s" and "%s"', (first, second) => {
    const [one, other] = refs(first, second);
    expect(one).not.toBe(other);
  });
});
