// Inline results that are older than other changes when they arrive.

import type { DataLayer } from '@edict/core';
import { createSimulation } from '@edict/core/testing';
import { describe, expect, it } from 'vitest';

describe('a mutation that is sent before the stream connects', () => {
  it.each([
    ['with sequence numbers, connected before the change of another user', true, 0],
    ['with sequence numbers, connected after it', true, 200],
    ['without sequence numbers, connected before it', false, 0],
    ['without sequence numbers, connected after it', false, 200],
  ])('D-DIR-9 does not replace newer data with its result: %s', async (_, isNumbered, connectedAt) => {
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

describe('an inline result that arrived before the stream connected', () => {
  it.each(['push', 'pull'] as const)(
    'D-SSE-8 is replaced by a change from before the stream opened (%s)',
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

describe('the replay of a new audience', () => {
  it('D-DIR-9 does not replace newer data of the previous audience with an inline result', async () => {
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

describe('an inline result that arrives too late', () => {
  it('D-DIR-9 refetches every cached level, including those that it does not cover', async () => {
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

describe('a directive that a new connection replays', () => {
  /** A ticket that is watched over an open connection. */
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

  /** The same after the connection has missed two changes, the first one with a result, and the ticket was read. */
  async function readWhileAway() {
    const watched = await watching();
    const { sim, dl, change } = watched;
    sim.link.cut();
    await sim.advance(100);
    change(true);
    change(false);
    dl.fetchItem('ticket', 7, null, { force: true });
    await sim.advance(100);
    return watched;
  }

  it('D-FETCH-3 does not replace data that was read while the connection was lost', async () => {
    const { sim, ref, shown } = await readWhileAway();
    sim.link.restore();
    await sim.advance(60_000);
    expect(shown).toEqual([1, 3]);
    expect(ref.meta.isStale).toBe(false);
  });

  it('D-FETCH-3 does not replace that data if the connection is lost again during the replay', async () => {
    const { sim, dl, ref, shown } = await readWhileAway();
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

  it('D-DIR-9 is a plain refresh, and an inline result after the replay is fresh', async () => {
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

describe('D-DIR-9 an inline result in the last envelope of its audience, which a custom source delivers again', () => {
  const named = { op: 'refresh_item', name: 'ticket', id: 1 };

  it.each<[string, (dl: DataLayer) => void]>([
    [
      'on another audience',
      (dl) => dl.ingestEnvelope({ type: 'directives', seq: 5, audience: 'team', directives: [named] }),
    ],
    ['in a response without a sequence number', (dl) => void dl.applyDirectives([named], { path: 'pull' })],
  ])('does not replace a later change that arrived %s', async (_, changeLater) => {
    const sim = createSimulation();
    const server = { v: 1 };
    const dl = sim.createDataLayer({ sse: { connectOnInit: false, audience: ['me', 'team'] } });
    dl.createType('ticket', { fetch: (id) => ({ id, v: server.v }), stalenessMs: Infinity });
    const ref = dl.fetchItem('ticket', 1);
    await sim.settled();
    const directives = [{ ...named, result: { id: 1, v: 2 } }];
    const deliver = (): void => dl.ingestEnvelope({ type: 'directives', seq: 5, audience: 'me', directives });
    deliver();
    expect(ref.data).toEqual({ id: 1, v: 2 });
    await sim.advance(20_000);
    server.v = 3;
    changeLater(dl);
    await sim.advance(20_000);
    deliver();
    await sim.settled();
    expect(ref.data).toEqual({ id: 1, v: 3 });
  });
});

/** A client that shows version 1 of a ticket. */
async function showVersion1(audience: string | string[]) {
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
    const { sim, server, dl, ref, named } = await showVersion1(['fast', 'slow']);
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
    const { sim, server, dl, ref, named } = await showVersion1('team');
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
    const { sim, server, dl, ref, named } = await showVersion1('team');
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
