// What was asked for before something changed and comes after it, on ways that are slow.

import { dehydrate, hydrate, readDehydrated } from '@edict/core/hydration';
import { describe, expect, it } from 'vitest';
import { createDataLayer } from '@edict/core';
import { createSimulation } from '@edict/core/testing';

describe('a stream that takes long to open', () => {
  it.each([1000, 2500, 20_000])(
    'D-SSE-8 shows what changed between the first request and its subscription: %d ms on the way',
    async (ms) => {
      const sim = createSimulation();
      let truth = 1;
      const dl = createDataLayer({
        env: {
          ...sim.env,
          // Six connections to a host, all taken: the request of the stream waits for one.
          async fetch(input, init) {
            if (typeof input === 'string' && input.includes('/api/events')) await sim.sleep(ms);
            return sim.env.fetch(input, init);
          },
        },
      });
      dl.createType('ticket', { fetch: () => ({ truth }), stalenessMs: 3_600_000 });
      dl.init();
      const gaps: unknown[] = [];
      dl.onLifecycle('sse:gap', ({ detail }) => gaps.push(detail));
      const ref = dl.fetchItem('ticket', 1);
      dl.onRefChange(ref, () => {});
      await sim.advance(400);
      truth = 2;
      sim.hub.emit([{ op: 'refresh_item', name: 'ticket', id: 1 }]);
      await sim.advance(60_000);
      expect(ref.data).toEqual({ truth: 2 });
      expect(gaps).toEqual(
        ms > 2000
          ? [{ audience: 'global', lastSeq: null, incomingSeq: expect.any(Number), reason: 'replay-miss' }]
          : [],
      );
      dl.dispose();
    },
  );

  it('D-SSE-8 is no gap where the page itself was late to ask for it', async () => {
    const sim = createSimulation();
    const dl = createDataLayer({ env: sim.env });
    dl.createType('ticket', { fetch: () => ({}) });
    const gaps: unknown[] = [];
    dl.onLifecycle('sse:gap', ({ detail }) => gaps.push(detail));
    dl.fetchItem('ticket', 1);
    await sim.advance(60_000);
    dl.init();
    await sim.advance(10_000);
    expect(dl.state().sse.status).toBe('open');
    expect(gaps).toEqual([]);
    dl.dispose();
  });
});

describe('a mutation that is sent before the stream is there and answered after', () => {
  it.each([
    ['with numbers, the stream before the change of another', true, 0],
    ['with numbers, the stream after it', true, 200],
    ['without numbers, the stream before it', false, 0],
    ['without numbers, the stream after it', false, 200],
  ])('D-DIR-9 does not show its result over what came later: %s', async (_, isNumbered, connectedAt) => {
    const sim = createSimulation();
    let truth = 0;
    sim.route('POST /tickets/:id', async ({ clientId }) => {
      truth = 1;
      const sent = sim.hub.emit([{ op: 'refresh_item', name: 'ticket', id: 1, result: { truth } }], {
        source: clientId,
      });
      await sim.sleep(300);
      return { directives: isNumbered ? sent : sent.map(({ seq: __, ...rest }) => rest) };
    });
    const dl = sim.createDataLayer({ sse: { connectOnInit: false } });
    dl.createType('ticket', { fetch: () => ({ truth }), stalenessMs: 3_600_000 });
    void dl.fetch('/tickets/1', { method: 'POST' });
    if (connectedAt === 0) dl.connectSse();
    await sim.advance(100);
    truth = 2;
    sim.hub.emit([{ op: 'refresh_item', name: 'ticket', id: 1 }]);
    await sim.advance(100);
    if (connectedAt > 0) dl.connectSse();
    await sim.advance(1000);
    const ref = dl.fetchItem('ticket', 1);
    await sim.advance(60_000);
    expect(ref.data).toEqual({ truth: 2 });
  });
});

describe('what came inline before the stream was there', () => {
  it.each(['push', 'pull'] as const)(
    'D-SSE-8 gives way to what changed before the stream opened, having come by the path %s',
    async (path) => {
      const sim = createSimulation();
      const dl = sim.createDataLayer({ sse: { connectOnInit: false } });
      dl.createType('ticket', { fetch: () => ({ truth: 2 }), stalenessMs: 3_600_000 });
      void dl.applyDirectives([{ op: 'refresh_item', name: 'ticket', id: 1, result: { truth: 1 } }], {
        path,
      });
      await sim.advance(1000);
      sim.hub.emit([{ op: 'refresh_item', name: 'ticket', id: 1 }]);
      await sim.advance(1000);
      dl.connectSse();
      await sim.advance(1000);
      const ref = dl.fetchItem('ticket', 1);
      await sim.advance(1000);
      expect(ref.data).toEqual({ truth: 2 });
    },
  );
});

describe('an answer that was lost with the connection, which comes back after minutes', () => {
  it('D-SRC-4 is replaced by its echo', async () => {
    const sim = createSimulation();
    const dl = sim.createDataLayer();
    let truth = 1;
    dl.createType('ticket', { fetch: () => ({ truth }), stalenessMs: 3_600_000 });
    sim.route('POST /tickets/1', async ({ clientId }) => {
      await sim.sleep(300);
      truth = 2;
      return {
        directives: sim.hub.emit([{ op: 'refresh_item', name: 'ticket', id: 1 }], { source: clientId }),
      };
    });
    const ref = dl.fetchItem('ticket', 1);
    dl.onRefChange(ref, () => {});
    await sim.advance(20_000);
    void dl.fetch('/tickets/1', { method: 'POST' }).catch(() => undefined);
    await sim.advance(100);
    sim.link.cut();
    await sim.advance(120_000);
    sim.link.restore();
    await sim.advance(60_000);
    expect(dl.state().sse.connected).toBe(true);
    expect(ref.data).toEqual({ truth: 2 });
  });
});

describe('a replay of an audience that takes the place of another', () => {
  it('D-DIR-9 shows no inline result over what the audience before it has said since', async () => {
    const sim = createSimulation();
    const dl = sim.createDataLayer({ sse: { audience: 'a' } });
    let truth = 1;
    dl.createType('ticket', { fetch: () => ({ truth }), stalenessMs: 3_600_000 });
    const ref = dl.fetchItem('ticket', 1);
    dl.onRefChange(ref, () => {});
    await sim.advance(20_000);
    sim.hub.emit([{ op: 'refresh_item', name: 'ticket', id: 1, result: { truth } }], { audience: 'b' });
    await sim.advance(20_000);
    truth = 2;
    sim.hub.emit([{ op: 'refresh_item', name: 'ticket', id: 1 }], { audience: 'a' });
    await sim.advance(20_000);
    dl.configureSse({ audience: 'b' });
    await sim.advance(20_000);
    expect(ref.data).toEqual({ truth: 2 });
  });
});

describe('levels of different ages', () => {
  it.each([[{}], [{ full: ['default'] }]])(
    'D-REACT-10 are merged in the same order after hydration as before, with conversions %j',
    async (levelConversionMap) => {
      const sim = createSimulation();
      let title = 'old';
      const config = {
        fetch: () => ({ title }),
        levels: { full: { fetch: () => ({ title, body: 'text' }) } },
        levelConversionMap,
      };
      const server = sim.createDataLayer({ sse: { enabled: false } });
      server.createType('ticket', config);
      server.fetchItem('ticket', 1);
      await sim.advance(10);
      server.fetchItem('ticket', 1, 'full');
      await sim.advance(10);
      title = 'new';
      server.fetchItem('ticket', 1, 'default', { force: true });
      await sim.settled();
      const state = dehydrate(server);
      const client = sim.createDataLayer({ sse: { enabled: false } });
      client.createType('ticket', config);
      hydrate(client, state);
      const whole = { title: 'new', body: 'text' };
      expect(server.getItemRef('ticket', 1).data).toEqual(whole);
      expect(client.getItemRef('ticket', 1).data).toEqual(whole);
      expect(readDehydrated(client, state, { type: 'ticket', id: 1 })?.data).toEqual(whole);
    },
  );
});

describe('a clock that is set back', () => {
  it.each([
    ['behind the start', 3_600_000],
    ['by less than the page is open', 30_000],
  ])('D-REG-4 %s does not make anything fresh for longer, nor a request wait for longer', async (_to, ms) => {
    const sim = createSimulation();
    let back = 0;
    const dl = createDataLayer({ env: { ...sim.env, now: () => sim.now() - back } });
    dl.init({ sse: { enabled: false } });
    let isHanging = false;
    dl.createType('ticket', {
      fetch: (id) => (isHanging ? new Promise(() => {}) : { id }),
      stalenessMs: 10_000,
      timeoutMs: 5000,
    });
    await sim.advance(60_000);
    const ref = dl.fetchItem('ticket', 1);
    await sim.advance(1000);
    isHanging = true;
    const other = dl.fetchItem('ticket', 2);
    back = ms;
    await sim.advance(15_000);
    expect(ref.meta.isStale).toBe(true);
    expect(other.meta.error).toContain('5000 ms');
    dl.dispose();
  });
});

describe('a response of another make', () => {
  it('is one that can be waited for, also where the platform has none of its own', async () => {
    const sim = createSimulation();
    const dl = sim.createDataLayer({ sse: { enabled: false } });
    dl.createType('ticket', { fetch: (id) => ({ id }) });
    class Other {
      readonly headers = new Headers();
      get [Symbol.toStringTag](): string {
        return 'Response';
      }
    }
    const own = globalThis.Response;
    Reflect.deleteProperty(globalThis, 'Response');
    try {
      await dl.whenSettled(new Other() as unknown as Response); // As far as it is looked at.
      const settled = dl.whenSettled(dl.fetchItem('ticket', 1));
      await sim.advance(0);
      await settled;
    } finally {
      globalThis.Response = own;
    }
  });

  it('has headers whose entries are sent on', () => {
    const sim = createSimulation();
    const dl = sim.createDataLayer({ sse: { enabled: false } });
    const entries = new Map([['authorization', 'Bearer x']]);
    // Such as that of node-fetch: iterable, and no instance of the platform's own.
    const headers = { [Symbol.iterator]: () => entries[Symbol.iterator]() } as unknown as Headers;
    expect(dl.directiveHeaders(headers)).toMatchObject({ authorization: 'Bearer x' });
  });
});

describe('a resync that is owed over a custom source', () => {
  it('D-SSE-3 is not stopped by ending a stream that is not used', async () => {
    const sim = createSimulation();
    const dl = sim.createDataLayer({ sse: { connectOnInit: false } });
    let fetches = 0;
    dl.createCollection('tickets', { fetch: () => ({ ids: [(fetches += 1)] }) });
    const ref = dl.fetchCollection('tickets');
    dl.onRefChange(ref, () => {});
    await sim.settled();
    let ingest: (envelope: unknown) => void = () => {};
    dl.configureDirectiveSource({
      type: 'socket',
      connect(api) {
        ingest = api.ingestEnvelope;
      },
    });
    const envelope = { type: 'directives', audience: 'global' };
    ingest({ ...envelope, seq: 1, directives: [] });
    ingest({ ...envelope, seq: 5, directives: [{ op: 'refresh_item', name: 'unknown', id: 1 }] });
    dl.disconnectSse();
    await sim.advance(60_000);
    expect(fetches).toBe(2);
  });
});

describe('what a new connection repeats', () => {
  /** A ticket that is watched over a connection that works. */
  async function watching() {
    const sim = createSimulation();
    let version = 1;
    const asked: number[] = [];
    const dl = sim.createDataLayer();
    dl.createType('ticket', {
      stalenessMs: 3_600_000,
      fetch(id) {
        asked.push(version);
        return { id, version };
      },
    });
    dl.init();
    const ref = dl.fetchItem('ticket', 7);
    const shown: unknown[] = [];
    dl.onRefChange(ref, () => {
      const now = (ref.data as { version: number }).version;
      if (shown.at(-1) !== now) shown.push(now);
    });
    await sim.settled();
    const change = (isInline: boolean): void => {
      version += 1;
      const result = isInline ? { result: { id: 7, version } } : {};
      sim.hub.emit([{ op: 'refresh_item', name: 'ticket', id: 7, ...result }]);
    };
    return { sim, dl, ref, shown, asked, change };
  }

  it('D-FETCH-3 does not take the place of what was read while the connection was away', async () => {
    const { sim, dl, ref, shown, change } = await watching();
    sim.link.cut();
    await sim.advance(100);
    change(true);
    change(false);
    dl.fetchItem('ticket', 7, null, { force: true });
    await sim.advance(100);
    sim.link.restore();
    await sim.advance(60_000);
    expect(shown).toEqual([1, 3]);
    expect(ref.meta.isStale).toBe(false);
  });

  it('D-FETCH-3 nor where the connection is lost once more while it repeats', async () => {
    const { sim, dl, ref, shown, change } = await watching();
    sim.link.cut();
    await sim.advance(100);
    change(true);
    change(false);
    dl.fetchItem('ticket', 7, null, { force: true });
    await sim.advance(100);
    const envelopes: unknown[] = [];
    dl.onLifecycle('directive:received', ({ detail }) => {
      envelopes.push(detail);
      if (envelopes.length === 1) dl.disconnectSse();
    });
    sim.link.restore();
    await sim.advance(60_000);
    expect(envelopes).toHaveLength(1);
    expect(shown).toEqual([1, 3]);
    dl.connectSse();
    await sim.advance(60_000);
    expect(envelopes).toHaveLength(2);
    expect(shown).toEqual([1, 3]);
    expect(ref.meta.isStale).toBe(false);
  });

  it('D-DIR-9 is a plain refresh, and a result behind the position is fresh', async () => {
    const { sim, shown, asked, change } = await watching();
    sim.link.cut();
    await sim.advance(100);
    change(true);
    sim.link.restore();
    await sim.advance(60_000);
    expect([shown, asked]).toEqual([
      [1, 2],
      [1, 2],
    ]);
    change(true);
    await sim.advance(1000);
    expect([shown, asked]).toEqual([
      [1, 2, 3],
      [1, 2],
    ]);
  });
});

describe('the timer of a retry', () => {
  it('D-FETCH-10 does not keep a Node process alive once nobody watches', async () => {
    const sim = createSimulation();
    const waits: { readonly ms: number; isIdle: boolean }[] = [];
    const dl = createDataLayer({
      env: {
        ...sim.env,
        setTimeout(run, ms) {
          const wait = { ms, isIdle: false };
          waits.push(wait);
          const handle = sim.env.setTimeout(run, ms);
          return { handle, unref: () => (wait.isIdle = true) };
        },
        clearTimeout: (own) => sim.env.clearTimeout((own as { handle: unknown }).handle), // As made above.
      },
    });
    dl.init({ sse: { enabled: false }, bulk: { retryFailedMs: 1234 } });
    let isDown = false;
    dl.createType('ticket', {
      fetch: (id) => (isDown ? Promise.reject(new Error('down')) : { id }),
    });
    const ref = dl.fetchItem('ticket', 1);
    const stop = dl.onRefChange(ref, () => undefined);
    await sim.advance(0);
    isDown = true;
    void dl.applyDirectives([{ op: 'refresh_item', name: 'ticket', id: 1 }]);
    await sim.advance(100);
    stop();
    await sim.advance(2000);
    expect(waits.filter(({ ms }) => ms === 1234 || ms === 2468)).toEqual([
      { ms: 1234, isIdle: false },
      { ms: 2468, isIdle: true },
    ]);
    dl.dispose();
  });
});
