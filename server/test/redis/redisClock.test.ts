import { describe, expect, it } from 'vitest';
import { createRedisClock } from '../../src/redis/redisClock.ts';

describe('the clock of Redis', () => {
  it('equals the clock of the node before the first sample', () => {
    const clock = createRedisClock();
    expect([clock.ahead(), clock.aheadAtLeast()]).toEqual([0, 0]);
  });

  it('becomes more precise with each sample', () => {
    const clock = createRedisClock();
    clock.sample(1000, 1099, 2_050_000);
    expect([clock.ahead(), clock.aheadAtLeast()]).toEqual([1000, 950]);
    clock.sample(2000, 2009, 3_002_000);
    expect([clock.ahead(), clock.aheadAtLeast()]).toEqual([997, 992]);
    clock.sample(3000, 3500, 4_300_000);
    expect([clock.ahead(), clock.aheadAtLeast()]).toEqual([997, 992]);
  });

  it('replaces the estimate when a clock was set', () => {
    const clock = createRedisClock();
    clock.sample(1000, 1009, 2_005_000);
    clock.sample(2000, 2009, 2_005_000);
    expect([clock.ahead(), clock.aheadAtLeast()]).toEqual([0, -5]);
  });
});
