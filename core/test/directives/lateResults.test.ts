// Inline results that are older than other changes when they arrive: replays, connections, and several audiences.

import type { DataLayer } from '@edict/core';
import { describe, expect, it } from 'vitest';
import { envelope } from '../directives.ts';
import { createTracked, result, ticket } from './setup.ts';

describe('before the stream connects', () => {
  it.each([
    ['with sequence numbers, connected before the change of another user', true, 0],
    ['with sequence numbers, connected after it', true, 200],
    ['without sequence numbers, connected before it', false, 0],
    ['without sequence numbers, connected after it', false, 200],
  ])(
    'D-DIR-9 the result of a mutation does not replace newer data: %s',
    async (_, isNumbered, connectedAt) => {
      const { sim, server, dl } = createTracked({ connectOnInit: false });
      sim.route('POST /tickets/1', async ({ clientId }) => {
        const sent = sim.hub.emit([result(1)], { source: clientId });
        await sim.sleep(300);
        return { directives: isNumbered ? sent : sent.map(({ seq: __, ...rest }) => rest) };
      });
      void dl.fetch('/tickets/1', { method: 'POST' });
      if (connectedAt === 0) dl.connectSse();
      await sim.advance(100);
      server.v = 2;
      sim.hub.emit([ticket]);
      await sim.advance(100);
      if (connectedAt > 0) dl.connectSse();
      await sim.advance(1000);
      const ref = dl.fetchItem('ticket', 1);
      await sim.advance(60_000);
      expect(ref.data).toEqual({ v: 2 });
    },
  );

  it.each(['push', 'pull'] as const)(
    'D-SSE-8 an inline result that arrived is replaced by a change from before the stream opened (%s)',
    async (path) => {
      const { sim, server, dl } = createTracked({ connectOnInit: false });
      void dl.applyDirectives([result(1)], { path });
      await sim.advance(1000);
      server.v = 2;
      sim.hub.emit([ticket]);
      await sim.advance(1000);
      dl.connectSse();
      await sim.advance(1000);
      const ref = dl.fetchItem('ticket', 1);
      await sim.advance(1000);
      expect(ref.data).toEqual({ v: 2 });
    },
  );
});

it('D-DIR-9 the replay of a new audience does not replace newer data of the previous audience with an inline result', async () => {
  const { sim, server, dl, show } = createTracked({ audience: 'a' });
  const ref = await show();
  await sim.advance(20_000);
  sim.hub.emit([result(1)], { audience: 'b' });
  await sim.advance(20_000);
  server.v = 2;
  sim.hub.emit([ticket], { audience: 'a' });
  await sim.advance(20_000);
  dl.configureSse({ audience: 'b' });
  await sim.advance(20_000);
  expect(ref.data).toEqual({ v: 2 });
});

describe('a directive that a new connection replays', () => {
  /** A ticket that is watched over an open connection. */
  async function watching() {
    const tracked = createTracked({});
    const { sim, server, dl, show } = tracked;
    const ref = await show();
    const shown: unknown[] = [1];
    dl.onRefChange(ref, () => {
      const { v } = ref.data as { v: number };
      if (shown.at(-1) !== v) shown.push(v);
    });
    const change = (isInline: boolean): void => {
      server.v += 1;
      sim.hub.emit([isInline ? result(server.v) : ticket]);
    };
    return { ...tracked, ref, shown, change };
  }

  /** The same after the connection has missed two changes, the first one with a result, and the ticket was read. */
  async function readWhileAway() {
    const watched = await watching();
    const { sim, dl, change } = watched;
    sim.link.cut();
    await sim.advance(100);
    change(true);
    change(false);
    dl.fetchItem('ticket', 1, null, { force: true });
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
    const { sim, server, shown, change } = await watching();
    sim.link.cut();
    await sim.advance(100);
    change(true);
    sim.link.restore();
    await sim.advance(60_000);
    expect([shown, server.requests]).toEqual([[1, 2], 2]);
    change(true);
    await sim.advance(1000);
    expect([shown, server.requests]).toEqual([[1, 2, 3], 2]);
  });
});

describe('D-DIR-9 an inline result in the last envelope of its audience, which a custom source delivers again', () => {
  it.each<[string, (dl: DataLayer) => void]>([
    ['on another audience', (dl) => dl.ingestEnvelope(envelope(5, [ticket], { audience: 'team' }))],
    ['in a response without a sequence number', (dl) => void dl.applyDirectives([ticket], { path: 'pull' })],
  ])('does not replace a later change that arrived %s', async (_, changeLater) => {
    const { sim, server, dl, show } = createTracked({ connectOnInit: false, audience: ['me', 'team'] });
    const ref = await show();
    const deliver = (): void => dl.ingestEnvelope(envelope(5, [result(2)], { audience: 'me' }));
    deliver();
    expect(ref.data).toEqual({ v: 2 });
    await sim.advance(20_000);
    server.v = 3;
    changeLater(dl);
    await sim.advance(20_000);
    deliver();
    await sim.settled();
    expect(ref.data).toEqual({ v: 3 });
  });
});

describe('D-DIR-9 a late inline result', () => {
  it('of an older change is refetched when another audience delivers the newer one again', async () => {
    const { sim, server, show, push } = createTracked({ connectOnInit: false, audience: ['fast', 'slow'] });
    const ref = await show();
    const change = (v: number): object => ({ ...result(v), idempotency_key: `change-${v}` });
    server.v = 3;
    push(8, change(3), 'fast');
    await sim.advance(30_000);
    push(20, change(2), 'slow'); // This change was emitted to one audience.
    push(21, change(3), 'slow');
    await sim.settled();
    expect(ref.data).toEqual({ v: 3 });
    expect(ref.meta.isStale).toBe(false);
  });

  it('that applyResponse receives is refetched after a push, if nothing has a sequence number', async () => {
    const { sim, server, dl, show, push } = createTracked({ connectOnInit: false, audience: 'team' });
    const ref = await show();
    server.v = 3;
    push(undefined, { ...ticket, idempotency_key: 'theirs' }, 'team');
    await sim.settled();
    const mine = { ...result(2), idempotency_key: 'mine', audience: 'team' };
    await dl.applyResponse(Response.json({ directives: [mine] }));
    await sim.settled();
    expect(ref.data).toEqual({ v: 3 });
    expect(ref.meta.isStale).toBe(false);
  });

  it('D-FETCH-3 does not leave the error of a request that began after its mutation', async () => {
    const { sim, server, dl, show } = createTracked({ connectOnInit: false });
    const ref = await show();
    sim.route('POST /tickets/1', async () => {
      await sim.sleep(1000);
      server.v = 2;
      return { directives: [result(2)] };
    });
    const sent = dl.fetch('/tickets/1', { method: 'POST' });
    await sim.advance(100);
    server.isDown = true;
    dl.fetchItem('ticket', 1, null, { force: true });
    await sim.advance(100);
    expect(ref.meta.error).toBe('down');
    server.isDown = false;
    await Promise.all([sent, sim.advance(2000)]);
    expect(ref.data).toEqual({ v: 2 });
    expect(ref.meta.error).toBeNull();
  });
});
