import { describe, expect, it } from 'vitest';
import { createGrouping } from '../../src/redis/grouping.ts';

interface Item {
  readonly key: string;
  readonly payload: string;
}

/** Appends in one turn. The store resolves to the payloads, and rejects those that contain "bad". */
function setup() {
  const calls: string[] = [];
  const append = createGrouping<Item, string>({ nextTurn: setImmediate }, async (items) => {
    const payloads = items.map(({ payload }) => payload);
    calls.push(payloads.join(''));
    if (payloads.includes('bad')) throw new Error('refused');
    return payloads;
  });
  const list = (...items: [key: string, payload: string][]): Promise<readonly string[]> =>
    append(items.map(([key, payload]) => ({ key, payload })));
  return { calls, list };
}

describe('lists that are appended in one turn', () => {
  it('are joined when they are for the same logs, and each receives its own results', async () => {
    const { calls, list } = setup();
    const results = await Promise.all([
      list(['a', '1'], ['b', '2']),
      list(['b', '3'], ['a', '4']),
      list(['a', '5'], ['b', '6'], ['a', '7']),
    ]);
    expect(calls).toEqual(['1234567']);
    expect(results).toEqual([
      ['1', '2'],
      ['3', '4'],
      ['5', '6', '7'],
    ]);
  });

  it('D-HUB-5 keep the order of the calls when lists for other logs are between them', async () => {
    const { calls, list } = setup();
    await Promise.all([list(['a', '1']), list(['a', '2'], ['b', '3']), list(['a', '4']), list(['a', '5'])]);
    expect(calls).toEqual(['1', '23', '45']);
  });

  it('are rejected alone when their log is refused', async () => {
    const { list } = setup();
    const outcomes = await Promise.allSettled([list(['a', '1']), list(['b', 'bad']), list(['a', '2'])]);
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  });

  it('are split into calls of at most 64 lists and 262,144 UTF-16 code units', async () => {
    const { calls, list } = setup();
    await Promise.all(Array.from({ length: 65 }, () => list(['a', '1'])));
    expect(calls.map(({ length }) => length)).toEqual([64, 1]);
    const half = 'x'.repeat(131_072);
    await Promise.all([half, half, '1'].map((payload) => list(['a', payload])));
    expect(calls.slice(2).map(({ length }) => length)).toEqual([262_144, 1]);
  });
});
