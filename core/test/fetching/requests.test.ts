// Requests that overlap with directives, inline results and each other.

import type { FetchContext } from '@edict/core';
import { createSimulation } from '@edict/core/testing';
import { describe, expect, it } from 'vitest';

describe('a read while a request that an inline result superseded is in flight', () => {
  it('D-FETCH-3 sends no request, because the inline result is fresh', async () => {
    const sim = createSimulation();
    const calls: string[] = [];
    const fetch = (level: string) => async (id: unknown) => {
      calls.push(level);
      await sim.sleep(200);
      return { id, v: 3 };
    };
    const dl = sim.createDataLayer();
    dl.createType('ticket', {
      fetch: fetch('default'),
      levels: { full: { fetch: fetch('full') } },
      levelConversionMap: { full: ['default'] },
    });
    dl.fetchItem('ticket', 1);
    await sim.advance(0);
    const inline = {
      op: 'refresh_item',
      name: 'ticket',
      id: 1,
      level: 'full',
      result: { id: 1, v: 2 },
    } as const;
    sim.hub.emit([inline]);
    await sim.advance(0);
    dl.fetchItem('ticket', 1);
    sim.hub.emit([{ op: 'refresh_item', name: 'ticket', id: 1 }]);
    await sim.settled();
    expect(calls).toEqual(['default', 'full']);
    expect(dl.getItemRef('ticket', 1).data).toEqual({ id: 1, v: 3 });
  });
});

describe('a refetch that fails while an older request for a converting level is in flight', () => {
  it('D-FETCH-2 is reported, and the older response does not clear its error', async () => {
    const sim = createSimulation();
    const dl = sim.createDataLayer({ sse: { enabled: false } });
    const later = <T>(ms: number, answer: () => T): Promise<T> =>
      new Promise((done, fail) => {
        sim.env.setTimeout(() => {
          try {
            done(answer());
          } catch (error) {
            fail(error as Error);
          }
        }, ms);
      });
    dl.createType('ticket', {
      fetch: () =>
        later(10, () => {
          throw new Error('refused');
        }),
      levels: { full: { fetch: () => later(100, () => ({ id: 1, v: 1 })) } },
      levelConversionMap: { full: ['default'] },
    });
    const ref = dl.fetchItem('ticket', 1, 'full');
    dl.fetchItem('ticket', 1);
    void dl.applyDirectives([{ op: 'refresh_item', name: 'ticket', id: 1, level: 'default' }]);
    await sim.advance(70);
    expect(ref.meta.error).toBe('refused');
    await sim.settled();
    expect(ref.data).toEqual({ id: 1, v: 1 });
    expect(ref.meta.isStale).toBe(true);
    expect(ref.meta.error).toBe('refused');
  });
});

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

describe('a level whose data was requested before a directive', () => {
  const item = { kind: 'item', name: 'doc', id: 1 };

  it.each([
    ['watched', { op: 'refresh_item', ...item }],
    ['watched', { op: 'refresh_item', ...item, level: 'mid' }],
    ['watched', { op: 'refresh_item', ...item, level: 'side' }],
    ['held', { op: 'invalidate', ...item }],
    ['held', { op: 'invalidate', ...item, level: 'mid' }],
  ] as const)('D-FETCH-2 is stale with refetch: %s after %j', async (refetch, directive) => {
    const sim = createSimulation();
    const dl = sim.createDataLayer({ sse: { enabled: false }, bulk: { refetch } });
    let v = 1;
    const fetch = async (id: unknown): Promise<unknown> => {
      const answer = { id, v };
      await sim.sleep(100);
      return answer;
    };
    dl.createType('doc', {
      fetch,
      levelConversionMap: { full: ['mid'], mid: ['default'], side: ['mid'] },
      levels: { side: { fetch }, mid: { fetch }, full: { fetch } },
    });
    void dl.prefetchItem('doc', 1, 'full');
    await sim.advance(50);
    v = 2;
    void dl.applyDirectives([directive]);
    await sim.advance(200);
    const ref = dl.fetchItem('doc', 1);
    await sim.advance(200);
    expect(ref.data).toEqual({ id: 1, v: 2 });
  });

  it('D-LEVEL-4 is not derived from another level that was requested before the directive', async () => {
    const sim = createSimulation();
    const dl = sim.createDataLayer({ sse: { enabled: false }, bulk: { refetch: 'watched' } });
    let v = 1;
    dl.createType('doc', {
      fetch: (id) => ({ id, v }),
      levels: {
        mid: {
          fetch(id) {
            if (v === 1) throw new Error('refused');
            return { id, v };
          },
          checkIfExists: (data) => typeof data === 'object' && data !== null && 'v' in data,
        },
      },
    });
    dl.fetchItem('doc', 1, 'mid');
    await sim.settled();
    dl.fetchItem('doc', 1);
    await sim.settled();
    v = 2;
    void dl.applyDirectives([{ op: 'refresh_item', ...item, level: 'mid' }]);
    const ref = dl.fetchItem('doc', 1, 'mid');
    await sim.settled();
    expect(ref.data).toEqual({ id: 1, v: 2 });
  });
});

describe('a response that is older than the cached data', () => {
  it('does not notify subscribers', async () => {
    const sim = createSimulation();
    const dl = sim.createDataLayer({ sse: { enabled: false } });
    const fetch = async (id: unknown, { level }: { level: string }): Promise<unknown> => {
      await sim.sleep(level === 'full' ? 50 : 100);
      return { id, level };
    };
    dl.createType('doc', {
      fetch,
      levelConversionMap: { full: ['default'] },
      levels: { full: { fetch } },
    });
    const ref = dl.fetchItem('doc', 1, null, { silent: true });
    dl.fetchItem('doc', 1, 'full');
    await sim.advance(60);
    expect(ref.data).toEqual({ id: 1, level: 'full' });
    const { meta } = ref;
    let told = 0;
    dl.onRefChange(ref, () => (told += 1));
    await sim.settled();
    expect(told).toBe(0);
    expect(ref.meta).toBe(meta);
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
