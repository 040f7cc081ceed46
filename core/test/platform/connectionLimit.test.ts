import { describe, expect, it } from 'vitest';
import { queuedMs } from '../../src/platform/connectionLimit.ts';

describe('how long a request waited for a connection', () => {
  const timing = {
    workerStart: 0,
    fetchStart: 100,
    domainLookupStart: 100,
    connectEnd: 100,
    requestStart: 100,
  };

  it.for<[what: string, differing: Partial<typeof timing>, waitedMs: number]>([
    ['none, with a connection that is free', {}, 0],
    ['until a connection became free', { requestStart: 3100 }, 3000],
    ['until it could open one', { domainLookupStart: 3100, connectEnd: 3150, requestStart: 3150 }, 3000],
    ['none, with a connection that took long', { connectEnd: 3100, requestStart: 3100 }, 0],
    ['unknown, if the server hides the times', { requestStart: 0 }, 0],
    ['unknown, with a service worker', { workerStart: 100, requestStart: 3100 }, 0],
  ])('%s', ([, differing, waitedMs]) => {
    expect(queuedMs({ ...timing, ...differing })).toBe(waitedMs);
  });
});
