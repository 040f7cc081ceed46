// Faults that the properties and other random runs found, each as small as it could be made.

import { describe, expect, it } from 'vitest';
import type { DataLayer } from '@edict/core';
import { createSimulation } from '@edict/core/testing';

/** One item that others change, and the number it was changed to. */
function setup() {
  const sim = createSimulation();
  const server = { v: 1 };
  const dl = sim.createDataLayer({ sse: { connectOnInit: false } });
  dl.createType('ticket', { fetch: (id) => ({ id, v: server.v }) });
  const change = (): void => {
    server.v += 1;
    sim.hub.emit([{ op: 'refresh_item', name: 'ticket', id: 1 }]);
  };
  return { sim, dl, server, change };
}

describe('before the first open of the stream', () => {
  it('D-SSE-8 a request of the same millisecond as the attempt is old enough for a replay', async () => {
    const { sim, dl, change } = setup();
    sim.link.delay(100);
    const ref = dl.fetchItem('ticket', 1);
    await sim.advance(0);
    dl.connectSse();
    change();
    await sim.advance(1000);
    expect(ref.data).toEqual({ id: 1, v: 2 });
  });

  it('D-SSE-8 a mutation whose answer carried directives counts as a request', async () => {
    const { sim, dl, server, change } = setup();
    sim.route('POST /tickets/1', () => {
      server.v += 1;
      const result = { id: 1, v: server.v };
      return { directives: sim.hub.emit([{ op: 'refresh_item', name: 'ticket', id: 1, result }]) };
    });
    await dl.fetch('/tickets/1', { method: 'POST' });
    change();
    await sim.advance(500);
    dl.connectSse();
    await sim.advance(1000);
    expect(dl.getItemRef('ticket', 1).data).toEqual({ id: 1, v: 3 });
  });
});

describe('a level that another was to bring', () => {
  it('D-LEVEL-3 is fetched itself when it came with an answer older than the directive, and the newer answer lacks it', async () => {
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
    void dl.applyDirectives([{ op: 'refresh_item', name: 'ticket', id: 1 }]); // Nobody holds the draft yet.
    await sim.settled();
    expect(ref.data).toEqual({ id: 1, v: 2, draft: null });
    expect(ref.meta.isStale).toBe(false);
  });

  it('D-LEVEL-3 is fetched after its own request in flight when that one is older than the directive', async () => {
    const sim = createSimulation();
    const server = { v: 1 };
    const dl = sim.createDataLayer();
    dl.createType('ticket', {
      fetch: (id) => ({ id }),
      levels: {
        // Its payload never has the body, whatever the conversion says.
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

describe('a read beside a request that an inline result has made void', () => {
  it('D-FETCH-3 asks for nothing more: what came inline is fresh', async () => {
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

describe('an inline result that comes too late', () => {
  it('D-DIR-9 refetches every held level, as it would have refetched what it does not cover', async () => {
    const sim = createSimulation();
    const server = { v: 1 };
    const dl = sim.createDataLayer();
    dl.createType('ticket', {
      fetch: (id) => ({ id, v: server.v }),
      levels: { full: { fetch: (id) => ({ id, v: server.v, body: server.v }) } },
      levelConversionMap: { full: ['default'] },
    });
    const ref = dl.fetchItem('ticket', 1, 'full');
    await sim.settled();
    server.v = 2;
    const inline = { op: 'refresh_item', name: 'ticket', id: 1, level: 'default', result: { id: 1, v: 2 } };
    void dl.applyDirectives([
      { op: 'refresh_item', name: 'ticket', id: 9, seq: 5 },
      { ...inline, seq: 4 },
    ]);
    await sim.settled();
    expect(ref.data).toEqual({ id: 1, v: 2, body: 2 });
    expect(ref.meta.isStale).toBe(false);
  });
});

describe('a refetch that fails beside an older request for a level that converts', () => {
  it('D-FETCH-2 is reported, and the older answer resolves nothing', async () => {
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

describe('an own change whose answer had no number, with results of others on the stream', () => {
  /** A ticket and a list of them, changed by somebody else first and by this client afterwards; `v` 3 is the truth. */
  function changedTwice(source: (clientId: string) => string | undefined) {
    const { sim, dl, server } = setup();
    dl.createCollection('tickets', { fetch: () => ({ ids: [server.v] }) });
    const refs = { item: dl.fetchItem('ticket', 1), list: dl.fetchCollection('tickets') };
    const own = [
      { op: 'refresh_item', name: 'ticket', id: 1, idempotency_key: 'mine-1' },
      { op: 'refresh_collection', name: 'tickets', idempotency_key: 'mine-2' },
    ];
    const theirs = [
      { op: 'refresh_item', name: 'ticket', id: 1, result: { id: 1, v: 2 }, idempotency_key: 'theirs-1' },
      { op: 'refresh_collection', name: 'tickets', result: { ids: [2] }, idempotency_key: 'theirs-2' },
    ];
    const push = (seq: number, directives: object[], from?: string): void =>
      dl.ingestEnvelope({ type: 'directives', seq, audience: 'global', source: from, directives });
    const shown = (): unknown => [refs.item.data, refs.list.data.ids];
    return {
      sim,
      dl,
      server,
      shown,
      pull: () => dl.applyDirectives(own, { path: 'pull' }),
      pushTheirs: () => push(10, theirs),
      pushOwn: () => push(11, own, source(dl.clientId())),
    };
  }

  it.each([
    ['by its source', (clientId: string): string | undefined => clientId],
    ['by its key', (): string | undefined => undefined],
  ])('D-DIR-9 an echo that is known %s shows that the result before it is old', async (_title, source) => {
    const { sim, server, shown, pull, pushTheirs, pushOwn } = changedTwice(source);
    await sim.settled();
    server.v = 3;
    void pull();
    await sim.settled();
    expect(shown()).toEqual([{ id: 1, v: 3 }, [3]]);
    pushTheirs();
    pushOwn();
    await sim.settled();
    expect(shown()).toEqual([{ id: 1, v: 3 }, [3]]);
  });

  /** Two changes of its own, to 2 and to 3, which is the truth. Their answers have results and no numbers. */
  async function savesTwice() {
    const { sim, dl, server } = setup();
    const ref = dl.fetchItem('ticket', 1);
    await sim.settled();
    server.v = 3;
    const save = (v: number): object => ({
      op: 'refresh_item',
      name: 'ticket',
      id: 1,
      result: { id: 1, v },
      idempotency_key: `save-${v}`,
    });
    return {
      sim,
      dl,
      ref,
      send(v: number, ms: number): void {
        sim.route(`POST /${v}`, async () => {
          await sim.sleep(ms);
          return { directives: [save(v)] };
        });
        void dl.fetch(`/${v}`, { method: 'POST' });
      },
      /** In the order in which they were committed. */
      async echo(): Promise<void> {
        const envelope = { type: 'directives', audience: 'global', source: dl.clientId() };
        dl.ingestEnvelope({ ...envelope, seq: 10, directives: [save(2)] });
        dl.ingestEnvelope({ ...envelope, seq: 11, directives: [save(3)] });
        await sim.settled();
      },
    };
  }

  it('D-DIR-9 two of its own whose answers come in the other order than they were committed end with the later one', async () => {
    const { sim, ref, send, echo } = await savesTwice();
    send(3, 0); // Sent first, and committed last.
    send(2, 50);
    await sim.settled();
    await echo();
    expect(ref.data).toEqual({ id: 1, v: 3 });
    expect(ref.meta.isStale).toBe(false);
  });

  it('D-DIR-9 two of its own whose answers come in the order in which they were committed ask for nothing', async () => {
    const { sim, dl, ref, send, echo } = await savesTwice();
    for (const v of [2, 3]) {
      send(v, 0);
      await sim.settled();
    }
    const requests: unknown[] = [];
    dl.onLifecycle('item:fetch:intent', ({ detail }) => requests.push(detail));
    await echo();
    expect(ref.data).toEqual({ id: 1, v: 3 });
    expect(requests).toEqual([]);
  });

  it('D-SRC-1 an echo with no such result before it asks for nothing', async () => {
    const { sim, dl, server, pull, pushOwn } = changedTwice((clientId) => clientId);
    await sim.settled();
    server.v = 3;
    void pull();
    await sim.settled();
    const requests: unknown[] = [];
    dl.onLifecycle('item:fetch:intent', ({ detail }) => requests.push(detail));
    pushOwn();
    await sim.settled();
    expect(requests).toEqual([]);
  });
});

describe('an inline result that came with the answer of a mutation', () => {
  /** A mutation whose answer, with a result and its number, is applied in this way; then its echo comes. */
  async function changed(apply: (dl: DataLayer, directives: object[]) => Promise<void>) {
    const { sim, dl, server } = setup();
    const ref = dl.fetchItem('ticket', 1);
    await sim.settled();
    const requests: unknown[] = [];
    dl.onLifecycle('item:fetch:intent', ({ detail }) => requests.push(detail));
    server.v = 2;
    const meta = { idempotency_key: 'mine', source: dl.clientId(), audience: 'global', seq: 10 };
    const own = [{ op: 'refresh_item', name: 'ticket', id: 1, result: { id: 1, v: 2 }, ...meta }];
    await apply(dl, own);
    const push = (seq: number, directives: object[]): void =>
      dl.ingestEnvelope({ type: 'directives', seq, audience: 'global', directives });
    return { sim, server, ref, requests, push, pushOwn: () => push(10, own), source: meta.source };
  }
  const json = { 'content-type': 'application/json' };
  const byHand = (dl: DataLayer, directives: object[]): Promise<void> =>
    dl.applyDirectives(directives, { path: 'pull' });

  it.each([
    ['by hand', byHand],
    [
      'by another HTTP client',
      (dl: DataLayer, directives: object[]): Promise<void> =>
        dl.applyResponse(new Response(JSON.stringify({ directives }), { headers: json })),
    ],
  ])('D-SRC-2 is not fetched again for its own echo when it was applied %s', async (_title, apply) => {
    const { sim, ref, requests, pushOwn } = await changed(apply);
    pushOwn();
    expect(ref.meta.isStale).toBe(false);
    await sim.settled();
    expect(requests).toEqual([]);
    expect(ref.data).toEqual({ id: 1, v: 2 });
  });
});

describe('the id of the latest query', () => {
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

  it('§2.4 is that of a read that waited for its window', async () => {
    const { sim, dl, qids } = queried();
    const ref = dl.fetchItem('ticket', 1);
    expect(ref.meta.activeQueryId).toBeNull();
    await sim.advance(0);
    expect(qids).toHaveLength(1);
    expect(ref.meta.activeQueryId).toBe(qids[0]);
  });

  it('§2.4 is that of a silent request', async () => {
    const { sim, dl, qids } = queried();
    const ref = dl.fetchItem('note', 1);
    await sim.advance(20);
    expect(ref.meta.activeQueryId).toBe(qids[0]);
    dl.fetchItem('note', 1, null, { force: true, silent: true });
    expect(qids).toHaveLength(2);
    expect(ref.meta.activeQueryId).toBe(qids[1]);
  });
});

describe('a request whose answer an inline result has made void', () => {
  it.each([
    ['answers', false],
    ['fails', true],
  ])('D-FETCH-5 ends the loading when it %s, also while a window is open', async (_title, fails) => {
    const sim = createSimulation();
    const dl = sim.createDataLayer({ sse: { enabled: false } });
    dl.createType('ticket', {
      async fetch(id) {
        await sim.sleep(10);
        if (fails) throw new Error('refused');
        return { id, v: 1 };
      },
    });
    const ref = dl.fetchItem('ticket', 1);
    const refresh = { op: 'refresh_item', name: 'ticket', id: 1 };
    void dl.applyDirectives([refresh, { ...refresh, result: { id: 1, v: 2 } }]);
    expect(ref.meta.isLoading).toBe(true);
    await sim.advance(10);
    expect(ref.data).toEqual({ id: 1, v: 2 });
    expect(ref.meta.isLoading).toBe(false);
    expect(dl.isItemLoading('ticket', 1)).toBe(false);
  });
});

describe('a level that comes with an answer from before a directive', () => {
  const item = { kind: 'item', name: 'doc', id: 1 };

  it.each([
    ['watched', { op: 'refresh_item', ...item }],
    ['watched', { op: 'refresh_item', ...item, level: 'mid' }],
    ['watched', { op: 'refresh_item', ...item, level: 'side' }],
    ['held', { op: 'invalidate', ...item }],
    ['held', { op: 'invalidate', ...item, level: 'mid' }],
  ] as const)('D-FETCH-2 is not fresh: refetch %s, after %j', async (refetch, directive) => {
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

  it('D-LEVEL-4 is not derived from what was requested before the directive', async () => {
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

describe('an answer that something newer has overtaken', () => {
  it('is no change: nobody is told of it', async () => {
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

describe('a level that a request was to bring which failed', () => {
  it('D-LEVEL-5 is left to the request that follows and brings it too', async () => {
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

describe('a level that is registered no more', () => {
  /** `full` brings `short` where it is registered. */
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

  it('D-REG-1 D-FETCH-2 leaves the refetch of what counts on it to that level itself', async () => {
    const { sim, dl, asked, register } = setupLevels();
    dl.fetchItem('doc', 1, 'short');
    await sim.settled();
    dl.fetchItem('doc', 1, 'full');
    void dl.applyDirectives([{ op: 'refresh_item', name: 'doc', id: 1 }]);
    await sim.advance(100); // The window has closed: a follow-up of `full` is to bring both.
    register(false);
    asked.length = 0;
    await sim.settled();
    expect(asked).toEqual(['short']);
  });

  it('D-REG-1 is an error for the read that waits for it', async () => {
    const { sim, dl, register } = setupLevels();
    const ref = dl.fetchItem('doc', 1, 'bulk');
    register(false);
    await sim.settled();
    expect(ref.meta.isLoading).toBe(false);
    expect(ref.meta.levelErrors).toEqual({ bulk: 'level "bulk" of type "doc" is not registered any more' });
  });
});
