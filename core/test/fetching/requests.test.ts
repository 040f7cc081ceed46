// Requests that overlap with directives, inline results and each other.

import type { FetchContext } from '@edict/core';
import { createSimulation } from '@edict/core/testing';
import { describe, expect, it } from 'vitest';

describe('the signal of a fetch function', () => {
  it('D-REG-2 is copied with its context, and is aborted even if it is first read after the time limit', async () => {
    const sim = createSimulation();
    const dl = sim.createDataLayer({ sse: { enabled: false } });
    const contexts: FetchContext[] = [];
    dl.createType('ticket', {
      timeoutMs: 100,
      fetch: (_, ctx) => {
        contexts.push(ctx);
        return new Promise(() => undefined);
      },
    });
    dl.fetchItem('ticket', 1);
    await sim.advance(100);
    const { signal, ...others } = { ...contexts[0] };
    expect(signal?.reason).toMatchObject({ name: 'TimeoutError' });
    expect(others).toEqual({ level: 'default', qid: 'q1', force: false });
  });
});
