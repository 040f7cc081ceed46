import { describe, expect, it } from 'vitest';
import { createRetries } from '../../src/postgres/retries.ts';

describe('an audience that failed', () => {
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
});
