// Requests that overlap with directives, inline results and each other.

import type { FetchContext } from '@edict/core';
import { createSimulation } from '@edict/core/testing';
import { describe, expect, it } from 'vitest';

describe('meta.activeQueryId', () => {
  function queried() {
    const sim = createSimulation();
    const dl = sim.createDataLayer({ sse: { enabled: false } });
    const fetch = async (id: unknown): Promise<unknown> => {
      await sim.sleep(10);
      return { id };
    };
    dl.createType('ticket', { fetch, bulkFetch: (ids) => Promise.all(ids.map(fetch)) });
    dl.createType('note', { fetch });
    const qids: string[] = [];
    dl.onLifecycle('item:fetch:intent', ({ detail }) => qids.push(detail.qid));
    return { sim, dl, qids };
  }

  it('§2.4 is the id of a read after its window closed', async () => {
    const { sim, dl, qids } = queried();
    const ref = dl.fetchItem('ticket', 1);
    expect(ref.meta.activeQueryId).toBeNull();
    await sim.advance(0);
    expect(qids).toHaveLength(1);
    expect(ref.meta.activeQueryId).toBe(qids[0]);
  });

  it('§2.4 is the id of a silent request', async () => {
    const { sim, dl, qids } = queried();
    const ref = dl.fetchItem('note', 1);
    await sim.advance(20);
    expect(ref.meta.activeQueryId).toBe(qids[0]);
    dl.fetchItem('note', 1, null, { force: true, silent: true });
    expect(qids).toHaveLength(2);
    expect(ref.meta.activeQueryId).toBe(qids[1]);
  });
});

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
