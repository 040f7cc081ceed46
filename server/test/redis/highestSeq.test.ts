import { describe, expect, it } from 'vitest';
import { createHighestSeq } from '../../src/redis/highestSeq.ts';
import { createWorld } from '../support/world.ts';

describe('the highest sequence numbers of a node', () => {
  it('do not decrease when older entries are read', () => {
    const highest = createHighestSeq(createWorld(), 1000);
    for (const seq of [5, 7, 6]) highest.note('a', seq);
    highest.note('b', 3);
    expect([highest.of('a'), highest.of('b'), highest.of('c'), highest.overall()]).toEqual([7, 3, 0, 7]);
  });

  it('of a log are forgotten when Redis no longer keeps the log, so that it does not count as lost', async () => {
    const world = createWorld();
    const highest = createHighestSeq(world, 1000);
    highest.note('a', 5);
    await world.advance(1000);
    expect(highest.of('a')).toBe(5);
    await world.advance(1);
    expect([highest.of('a'), highest.overall()]).toEqual([0, 5]);
  });

  it('are kept for the 10,000 logs that were used last', () => {
    const highest = createHighestSeq(createWorld(), 1000);
    for (let log = 0; log < 10_000; log += 1) highest.note(`log ${log}`, 1);
    highest.note('log 0', 2);
    highest.note('one more', 3);
    expect([highest.of('log 0'), highest.of('log 1'), highest.of('log 2')]).toEqual([2, 0, 1]);
  });
});
