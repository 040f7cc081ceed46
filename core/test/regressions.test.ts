// Faults that the properties found, each as small as it could be made.

import { describe, expect, it } from 'vitest';
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
    expect(shown()).toEqual([{ id: 1, v: 2 }, [2]]); // Nothing tells yet that it is from before.
    pushOwn();
    await sim.settled();
    expect(shown()).toEqual([{ id: 1, v: 3 }, [3]]);
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
