// The promises of whenSettled, the prefetch operations, and applyDirectives: what they wait for, and what waiting costs.

import { describe, expect, it } from 'vitest';
import { createDataLayer } from '@edict/core';
import { createSettling } from '../../src/fetching/whenSettled.ts';

/** Counts how often a waiter is asked while entries settle one after the other. */
function questions(count: number, entryOf: (waiter: number) => number): number {
  const settled = new Set<number>();
  let asked = 0;
  const settling = createSettling<number>();
  for (let waiter = 0; waiter < count; waiter++) {
    const entry = entryOf(waiter);
    void settling.until(() => {
      asked++;
      return settled.has(entry) ? null : entry;
    });
  }
  for (let entry = 0; entry < count; entry++) {
    settled.add(entry);
    settling.check([entry]);
  }
  return asked;
}

describe('D-FETCH-8 a waiter costs the same, however many callers wait', () => {
  it.each([2000, 4000, 8000])('%d waiters of as many entries are asked twice each', (count) => {
    expect(questions(count, (waiter) => waiter)).toBe(2 * count);
  });

  it.each([2000, 4000, 8000])('%d waiters of one entry are asked twice each', (count) => {
    expect(questions(count, () => 5)).toBe(2 * count);
  });

  it('a waiter of many entries is asked once for each', async () => {
    const left = Array.from({ length: 8000 }, (_, entry) => entry);
    let asked = 0;
    const settling = createSettling<number>();
    const all = settling.until(() => {
      asked++;
      return left.at(-1) ?? null;
    });
    while (left.length > 0) settling.check([left.pop() as number]); // There is one.
    await all;
    expect(asked).toBe(8001);
  });
});

describe('D-FETCH-8 the public promises', () => {
  it('settle for thousands of references and prefetches in one response each', async () => {
    const dl = createDataLayer();
    dl.createType('ticket', { fetch: (id) => Promise.resolve({ id }) });
    const ids = Array.from({ length: 2000 }, (_, id) => id);
    const prefetched = ids.map((id) => dl.prefetchItem('ticket', id));
    const waiting = ids.map((id) => dl.whenSettled(dl.getItemRef('ticket', id)));
    const idle = dl.whenSettled();
    await Promise.all([...prefetched, ...waiting, idle]);
    expect(ids.every((id) => !dl.isItemLoading('ticket', id))).toBe(true);
    dl.dispose();
  });

  it('settle when the data layer is disposed, and from then on immediately', async () => {
    const dl = createDataLayer();
    dl.createType('ticket', { fetch: () => new Promise(() => undefined) });
    const ticket = dl.fetchItem('ticket', 7);
    const waiting = [dl.whenSettled(ticket), dl.whenSettled(), dl.prefetchItem('ticket', 8)];
    dl.dispose();
    await Promise.all([...waiting, dl.whenSettled(ticket), dl.whenSettled()]);
    expect(ticket.data).toBeNull();
  });
});
