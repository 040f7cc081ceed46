// Changes before the first connection of the stream.

import { createDataLayer } from '@edict/core';
import { createSimulation } from '@edict/core/testing';
import { describe, expect, it } from 'vitest';

/** One item that another client changes, and its current version on the server. */
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
  it('D-SSE-8 a request in the same millisecond as the connection attempt causes a replay', async () => {
    const { sim, dl, change } = setup();
    sim.link.delay(100);
    const ref = dl.fetchItem('ticket', 1);
    await sim.advance(0);
    dl.connectSse();
    change();
    await sim.advance(1000);
    expect(ref.data).toEqual({ id: 1, v: 2 });
  });

  it('D-SSE-8 a mutation whose response contained directives counts as a request', async () => {
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

  it('D-SSE-8 a mutation in flight counts as a request, so its late result is not called fresh', async () => {
    const { sim, dl, server, change } = setup();
    sim.route('POST /tickets/1', async () => {
      server.v += 1;
      const result = { id: 1, v: server.v };
      await sim.sleep(10_000);
      return { directives: [{ op: 'refresh_item', name: 'ticket', id: 1, result }] };
    });
    const sent = dl.fetch('/tickets/1', { method: 'POST' });
    await sim.advance(100);
    change();
    await sim.advance(5000);
    dl.connectSse();
    await sim.advance(5000);
    await sent;
    const ref = dl.fetchItem('ticket', 1);
    await sim.advance(100);
    expect(ref.data).toEqual({ id: 1, v: 3 });
  });
});

describe('a stream that takes long to open', () => {
  it.each([1000, 2500, 20_000])(
    'D-SSE-8 shows changes between the first request and the subscription: %d ms to open',
    async (ms) => {
      const sim = createSimulation();
      let truth = 1;
      const dl = createDataLayer({
        env: {
          ...sim.env,
          // All six connections to the host are in use, so the request of the stream waits for one.
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

  it('D-SSE-8 is not reported as a gap if init was called late', async () => {
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
