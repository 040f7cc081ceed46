import { describe, expect, it } from 'vitest';
import { createRetries } from '../../src/postgres/retries.ts';

describe('an audience that failed', () => {
  it('waits twice as long after each failure, up to 10 s, until it succeeds', () => {
    const retries = createRetries({ now: () => 0, random: () => 0 }, 1000);
    const away = new Map([['a', new Error('away')]]);
    const waits = Array.from({ length: 5 }, () => {
      retries.record(['a'], away);
      return retries.nextInMs();
    });
    expect(waits).toEqual([1000, 2000, 4000, 5000, 5000]);
    retries.record(['a'], new Map());
    expect([retries.size(), retries.error()]).toEqual([0, null]);
    retries.record(['a'], away);
    expect(retries.nextInMs()).toBe(1000);
  });

  it('D-HUB-11 is tried again immediately after the clock was set back', () => {
    let now = 1_700_000_000_000;
    const retries = createRetries({ now: () => now, random: () => 0.5 }, 1000);
    retries.record(['a'], new Map([['a', new Error('away')]]));
    expect([retries.due(), retries.nextInMs()]).toEqual([[], 1500]);
    now -= 3_600_000;
    expect([retries.due(), retries.nextInMs()]).toEqual([['a'], 0]);
    retries.postpone(['a']);
    expect([retries.due(), retries.nextInMs()]).toEqual([[], 1000]);
  });

  it('waits for the next poll when its wait is over but another relay works on it', () => {
    let now = 0;
    const retries = createRetries({ now: () => now, random: () => 1 }, 60_000);
    retries.record(['a'], new Map([['a', new Error('away')]]));
    now += 5000;
    retries.postpone(['a']);
    expect(retries.nextInMs()).toBe(5000);
    now += 5000;
    retries.postpone(['a']);
    expect([retries.due(), retries.nextInMs()]).toEqual([[], 60_000]);
  });
});
