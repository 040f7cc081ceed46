// Results that arrive late are not cached over newer data, and nothing older is called fresh.

import { createSimulation } from '@edict/core/testing';
import { describe, expect, it } from 'vitest';

/** A client that shows version 1 of a ticket. */
async function shown(audience: string | string[]) {
  const sim = createSimulation();
  const server = { v: 1, isDown: false };
  const dl = sim.createDataLayer({ sse: { connectOnInit: false, audience } });
  dl.createType('ticket', {
    fetch: (id) => (server.isDown ? Promise.reject(new Error('down')) : { id, v: server.v }),
    stalenessMs: Infinity,
  });
  const ref = dl.fetchItem('ticket', 1);
  await sim.settled();
  const named = { op: 'refresh_item', name: 'ticket', id: 1 };
  return { sim, server, dl, ref, named };
}

describe('D-DIR-9 a late inline result', () => {
  it('of an older change is refetched when another audience delivers the newer one again', async () => {
    const { sim, server, dl, ref, named } = await shown(['fast', 'slow']);
    const push = (audience: string, seq: number, v: number): void => {
      const directive = { ...named, result: { id: 1, v }, idempotency_key: `change-${v}` };
      dl.ingestEnvelope({ type: 'directives', seq, audience, directives: [directive] });
    };
    server.v = 3;
    push('fast', 8, 3);
    await sim.advance(30_000);
    push('slow', 20, 2); // This change was emitted to one audience.
    push('slow', 21, 3);
    await sim.settled();
    expect(ref.data).toEqual({ id: 1, v: 3 });
    expect(ref.meta.isStale).toBe(false);
  });

  it('that applyResponse receives is refetched after a push, if nothing has a sequence number', async () => {
    const { sim, server, dl, ref, named } = await shown('team');
    const directives = [{ ...named, result: { id: 1, v: 2 }, idempotency_key: 'mine' }];
    server.v = 3;
    const theirs = { ...named, idempotency_key: 'theirs' };
    dl.ingestEnvelope({ type: 'directives', audience: 'team', directives: [theirs] });
    await sim.settled();
    await dl.applyResponse(
      Response.json({ directives: directives.map((one) => ({ ...one, audience: 'team' })) }),
    );
    await sim.settled();
    expect(ref.data).toEqual({ id: 1, v: 3 });
    expect(ref.meta.isStale).toBe(false);
  });

  it('D-FETCH-3 does not leave the error of a request that began after its mutation', async () => {
    const { sim, server, dl, ref, named } = await shown('team');
    sim.route('POST /tickets/1', async () => {
      await sim.sleep(1000);
      server.v = 2;
      return { directives: [{ ...named, result: { id: 1, v: 2 } }] };
    });
    const sent = dl.fetch('/tickets/1', { method: 'POST' });
    await sim.advance(100);
    server.isDown = true;
    dl.fetchItem('ticket', 1, null, { force: true });
    await sim.advance(100);
    expect(ref.meta.error).toBe('down');
    server.isDown = false;
    await Promise.all([sent, sim.advance(2000)]);
    expect(ref.data).toEqual({ id: 1, v: 2 });
    expect(ref.meta.error).toBeNull();
  });
});

describe('D-SSE-9 a list that was requested before a resync', () => {
  it('does not make an item fresh whose reference existed before', async () => {
    const sim = createSimulation();
    const server = { v: 1 };
    const dl = sim.createDataLayer();
    dl.createType('ticket', { fetch: (id) => ({ id, v: server.v }), stalenessMs: Infinity });
    dl.createCollection('tickets', {
      of: 'ticket',
      timeoutMs: 0,
      fetch: async () => {
        const items = [{ id: 1, v: server.v }];
        await sim.sleep(40_000);
        return { items };
      },
    });
    dl.init();
    await sim.advance(1000);
    const ref = dl.getItemRef('ticket', 1);
    dl.fetchCollection('tickets');
    await sim.advance(100);
    server.v = 2;
    sim.link.drop();
    sim.hub.emit([{ op: 'refresh_item', name: 'ticket', id: 1 }]);
    await sim.advance(60_000);
    expect(ref.data).toEqual({ id: 1, v: 1 });
    expect(ref.meta.isStale).toBe(true);
  });
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
