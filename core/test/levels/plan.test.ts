// Levels that the request of another level is expected to return.

import { createSimulation } from '@edict/core/testing';
import { describe, expect, it } from 'vitest';

describe('a level that the request of another level was expected to return', () => {
  it('D-LEVEL-3 is fetched itself if an older response returned it and the newer response lacks it', async () => {
    const sim = createSimulation();
    const server = { v: 1, draft: 'first' as string | undefined };
    const draftOf = (): object => (server.draft === undefined ? {} : { draft: server.draft });
    const dl = sim.createDataLayer({ sse: { enabled: false } });
    dl.createType('ticket', {
      fetch: (id) => ({ id }),
      levels: {
        full: {
          async fetch(id) {
            const answer = { id, v: server.v, ...draftOf() };
            await sim.sleep(100);
            return answer;
          },
        },
        draft: {
          fetch: (id) => ({ id, draft: server.draft ?? null }),
          checkIfExists: (data) => Object.hasOwn(data as object, 'draft'),
        },
      },
      levelConversionMap: { full: ['draft'] },
    });
    const ref = dl.fetchItem('ticket', 1, 'full');
    await sim.advance(70);
    Object.assign(server, { v: 2, draft: undefined });
    void dl.applyDirectives([{ op: 'refresh_item', name: 'ticket', id: 1 }]); // The draft is not cached yet.
    await sim.settled();
    expect(ref.data).toEqual({ id: 1, v: 2, draft: null });
    expect(ref.meta.isStale).toBe(false);
  });

  it('D-LEVEL-3 is fetched again after its own request in flight if that is older than the directive', async () => {
    const sim = createSimulation();
    const server = { v: 1 };
    const dl = sim.createDataLayer();
    dl.createType('ticket', {
      fetch: (id) => ({ id }),
      levels: {
        // Its payload never contains the body, although the conversion map declares it.
        full: { fetch: (id) => ({ id, v: server.v }) },
        mid: {
          async fetch(id) {
            const { v } = server;
            await sim.sleep(1000);
            return { id, v, body: v };
          },
          checkIfExists: (data) => typeof data === 'object' && data !== null && 'body' in data,
        },
      },
      levelConversionMap: { full: ['mid'] },
    });
    const ref = dl.fetchItem('ticket', 1, 'full');
    dl.fetchItem('ticket', 1, 'mid');
    await sim.advance(100);
    server.v = 2;
    sim.hub.emit([{ op: 'refresh_item', name: 'ticket', id: 1 }]);
    await sim.advance(5000);
    expect(ref.data).toEqual({ id: 1, v: 2, body: 2 });
    expect(ref.meta.isStale).toBe(false);
  });
});

describe('a level that a failed request was expected to return', () => {
  it('D-LEVEL-5 is returned by the follow-up, without its own request', async () => {
    const sim = createSimulation();
    const dl = sim.createDataLayer({ sse: { enabled: false } });
    const asked: string[] = [];
    const fetch = async (id: unknown, { level }: { level: string }): Promise<unknown> => {
      asked.push(level);
      const isFirst = asked.length === 1;
      await sim.sleep(100);
      if (isFirst) throw new Error('refused');
      return { id };
    };
    dl.createType('doc', {
      fetch,
      levelConversionMap: { full: ['default'] },
      levels: { full: { fetch } },
    });
    const ref = dl.fetchItem('doc', 1, 'full');
    dl.fetchItem('doc', 1);
    void dl.applyDirectives([{ op: 'refresh_item', name: 'doc', id: 1 }]);
    await sim.settled();
    expect(asked).toEqual(['full', 'full']);
    expect(ref.meta.levelStamps['default']).not.toBeNull();
    expect(ref.meta.isStale).toBe(false);
  });
});

describe('a level that is no longer registered', () => {
  /** `full` converts to `short` while it is registered. */
  function setupLevels() {
    const sim = createSimulation();
    const dl = sim.createDataLayer({ sse: { enabled: false }, bulk: { readWindowMs: 100 } });
    const asked: string[] = [];
    const fetch = async (_id: unknown, { level }: { level: string }): Promise<unknown> => {
      asked.push(level);
      await sim.sleep(200);
      return { [level]: true };
    };
    const bulkFetch = (ids: readonly unknown[]): unknown[] => ids.map((id) => ({ id }));
    const register = (hasFull: boolean): void =>
      dl.createType('doc', {
        fetch,
        levelConversionMap: hasFull ? { full: ['short'] } : {},
        levels: { short: { fetch }, ...(hasFull ? { full: { fetch }, bulk: { fetch, bulkFetch } } : {}) },
      });
    register(true);
    return { sim, dl, asked, register };
  }

  it('D-REG-1 D-FETCH-2 no longer refetches the levels that it converted to, which refetch themselves', async () => {
    const { sim, dl, asked, register } = setupLevels();
    dl.fetchItem('doc', 1, 'short');
    await sim.settled();
    dl.fetchItem('doc', 1, 'full');
    void dl.applyDirectives([{ op: 'refresh_item', name: 'doc', id: 1 }]);
    await sim.advance(100); // The window has closed, and a follow-up of `full` would return both levels.
    register(false);
    asked.length = 0;
    await sim.settled();
    expect(asked).toEqual(['short']);
  });

  it('D-REG-1 fails the read that waits for it', async () => {
    const { sim, dl, register } = setupLevels();
    const ref = dl.fetchItem('doc', 1, 'bulk');
    register(false);
    await sim.settled();
    expect(ref.meta.isLoading).toBe(false);
    expect(ref.meta.levelErrors).toEqual({
      bulk: '[edict] Level "bulk" of type "doc" is not registered anymore.',
    });
  });
});

it('D-LEVEL-3 a level that only an outdated response contains is requested, if an inline result replaces that response', async () => {
  const sim = createSimulation();
  const dl = sim.createDataLayer({ sse: { enabled: false } });
  const calls: string[] = [];
  let body = 1;
  dl.createType('doc', {
    fetch: (id) => ({ id }),
    levels: {
      full: {
        fetch(id) {
          calls.push('full');
          const doc = { id, title: 1, body };
          return sim.sleep(100).then(() => doc);
        },
      },
      mid: {
        fetch(id) {
          calls.push('mid');
          return { id, body };
        },
        checkIfExists: (data) => 'body' in (data as object),
      },
    },
    levelConversionMap: { full: ['mid'] },
  });
  const ref = dl.fetchItem('doc', 1, 'full');
  dl.onRefChange(ref, () => undefined);
  body = 2;
  const result = { id: 1, title: 2 }; // It has no body anymore.
  void dl.applyDirectives([{ op: 'refresh_item', name: 'doc', id: 1, level: 'full', result }]);
  await sim.settled();
  expect([ref.data, ref.meta.isStale]).toEqual([{ id: 1, title: 2, body: 2 }, false]);
  expect(calls).toEqual(['full', 'mid']);
});

describe('D-LEVEL-3 a forced read that joins the request of another level', () => {
  it.each([true, false])('is sent if the response lacks its level (shared batch: %s)', async (isShared) => {
    const sim = createSimulation();
    const server = { v: 1 };
    const dl = sim.createDataLayer({ sse: { connectOnInit: false } });
    const summary = (id: unknown): object => ({ id, v: server.v });
    const details = (id: unknown): object => ({ id, details: server.v });
    dl.createType('ticket', {
      fetch: summary,
      stalenessMs: Infinity,
      levels: {
        default: {
          fetch: summary,
          bulkFetch: async (ids) => ids.map(summary),
          checkIfExists: (data) => 'v' in (data as object),
        },
        full: {
          fetch: details,
          ...(isShared ? { bulkFetch: async (ids: unknown[]) => ids.map(details) } : null),
        },
      },
      levelConversionMap: { full: ['default'] },
    });
    const ref = dl.fetchItem('ticket', 1);
    await sim.settled();
    server.v = 2;
    dl.fetchItem('ticket', 1, null, { force: true });
    dl.fetchItem('ticket', 1, 'full');
    await sim.settled();
    expect(ref.data).toEqual({ id: 1, v: 2, details: 2 });
  });
});
