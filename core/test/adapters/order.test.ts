// The later directive also wins in the cache of another library (D-DIR-9).

import type { DataLayer } from '@edict/core';
import { createDataLayer } from '@edict/core';
import { connectQueryClient } from '@edict/core/adapters/tanstack-query';
import { createSimulation } from '@edict/core/testing';
import { QueryClient, QueryObserver } from '@tanstack/query-core';
import { describe, expect, it } from 'vitest';

/** One ticket that is shown, and the data of the server. */
function setup(audience: string[], sse: { enabled?: boolean } = {}) {
  const sim = createSimulation();
  const dl: DataLayer = createDataLayer({ env: sim.env });
  const server = { truth: 0 };
  const client = new QueryClient({ defaultOptions: { queries: { retry: false, staleTime: Infinity } } });
  connectQueryClient(dl, client, { env: sim.env, itemData: (_type, _id, _level, result) => result });
  const observer = new QueryObserver(client, { queryKey: ['ticket', 7], queryFn: () => server.truth });
  observer.subscribe(() => undefined);
  dl.init({ sse: { audience, ...sse } });
  return { sim, dl, server, shown: () => observer.getCurrentResult().data };
}

const ticket = { op: 'refresh_item', name: 'ticket', id: 7 } as const;

describe('D-ADAPT-2, D-DIR-9 an inline result that arrives after a later change', () => {
  it.each<[how: string, directive: object, hasSource: boolean]>([
    ['by its source', ticket, true],
    ['by its key', ticket, false],
    ['by its key, in a wrapper', { op: 'invalidate', targets: [ticket] }, false],
    ['by its source, of all items', { op: 'invalidate', kind: 'item', name: 'ticket' }, true],
    ['by its source, of everything with a name', { op: 'invalidate', name: 'ticket' }, true],
  ])(
    'is replaced after the echo, recognized %s, of an own change whose response had no sequence number',
    async (_how, directive, hasSource) => {
      const { sim, dl, server, shown } = setup(['global']);
      const own = { ...directive, idempotency_key: 'own', ...(hasSource && { source: dl.clientId() }) };
      sim.route('POST /change', () => {
        server.truth = 2;
        return { directives: [own] };
      });
      await sim.advance(1000);
      server.truth = 1;
      void dl.fetch('/change', { method: 'POST' });
      await sim.advance(1000);
      expect(shown()).toBe(2);
      sim.hub.emit([{ ...ticket, result: 1, idempotency_key: 'theirs' }]);
      sim.hub.emit([own] as never); // A server may send any directive that clients accept.
      await sim.advance(60_000);
      expect(shown()).toBe(2);
    },
  );

  it('is refetched when it is the echo of an own change whose response was lost later', async () => {
    const { sim, dl, server, shown } = setup(['me', 'team']);
    sim.route('POST /change', async ({ clientId }) => {
      sim.hub.emit([{ ...ticket, result: 1 }], { audience: 'me', source: clientId });
      await sim.sleep(20_000);
    });
    await sim.advance(60_000);
    sim.link.loseAnswers();
    void dl.fetch('/change', { method: 'POST' }).catch(() => undefined);
    await sim.advance(1000);
    server.truth = 2;
    sim.hub.emit([ticket], { audience: 'team' });
    await sim.advance(60_000);
    expect(shown()).toBe(2);
  });

  it('is refetched when a replay delivers it and another audience named the record', async () => {
    const audience = ['a', 'b'];
    const { sim, dl, server, shown } = setup(audience);
    await sim.advance(60_000);
    sim.hub.emit([{ ...ticket, name: 'other' }], { audience });
    await sim.advance(1000);
    sim.link.cut();
    sim.hub.emit([{ ...ticket, result: 1 }], { audience: 'b' });
    server.truth = 2;
    sim.hub.emit([ticket], { audience: 'a' });
    await sim.advance(1000);
    sim.link.restore();
    await sim.advance(60_000);
    expect(dl.state().sse.status).toBe('open');
    expect(shown()).toBe(2);
  });

  it('is refetched when a replay delivers it', async () => {
    const { sim, server, shown } = setup(['global']);
    await sim.advance(60_000);
    sim.link.cut();
    sim.hub.emit([{ ...ticket, result: 1 }]);
    server.truth = 2; // The server may announce this after the replay.
    await sim.advance(1000);
    sim.link.restore();
    await sim.advance(60_000);
    expect(shown()).toBe(2);
  });

  it.each<[when: string, waitMs: number, expected: number]>([
    ['is refetched when a directive without a sequence number named the record before', 9000, 2],
    ['is used 10 seconds after a directive without a sequence number', 10_000, 1],
  ])('%s', async (_when, waitMs, expected) => {
    const { sim, dl, server, shown } = setup(['global']);
    await sim.advance(1000);
    server.truth = 2;
    void dl.applyDirectives([ticket]);
    await sim.advance(waitMs);
    sim.hub.emit([{ ...ticket, result: 1 }]);
    await sim.advance(1000);
    expect(shown()).toBe(expected);
  });

  it('is refetched when this client does not subscribe to its audience', async () => {
    const { sim, dl, server, shown } = setup(['global']);
    await sim.advance(1000);
    server.truth = 2;
    const directives = [{ ...ticket, result: 1, seq: 5, audience: 'team-7' }];
    await dl.applyResponse(Response.json({ directives }));
    await sim.advance(1000);
    expect(shown()).toBe(2);
  });

  it('is used when no other audience named the record', async () => {
    const { sim, shown, server } = setup(['a', 'b']);
    await sim.advance(60_000);
    server.truth = -1; // A request would show it.
    sim.hub.emit([{ ...ticket, id: 8 }], { audience: 'a' });
    sim.hub.emit([{ ...ticket, result: 1 }], { audience: 'b' });
    await sim.advance(60_000);
    expect(shown()).toBe(1);
  });
});

describe('D-ADAPT-2, D-DIR-9 the sequence number of an envelope', () => {
  /** A server that numbers envelopes, and not what is in them. */
  async function unnumbered() {
    const { sim, dl, server, shown } = setup(['global'], { enabled: false });
    await sim.advance(100);
    const envelope = (seq: number, ...directives: object[]): void =>
      dl.ingestEnvelope({ type: 'directives', seq, audience: 'global', directives });
    return { sim, dl, server, shown, envelope };
  }

  it('causes a refetch for an older result of a response', async () => {
    const { sim, dl, server, shown, envelope } = await unnumbered();
    server.truth = 2;
    envelope(7, ticket);
    await sim.advance(1000);
    void dl.applyDirectives([{ ...ticket, result: 1, seq: 6 }], { path: 'pull' });
    await sim.advance(1000);
    expect(shown()).toBe(2);
  });

  it('applies to the results in it, even in a wrapper', async () => {
    const { sim, server, shown, envelope } = await unnumbered();
    server.truth = -1; // A request would show it.
    envelope(7, { ...ticket, result: 1 });
    await sim.advance(1000);
    expect(shown()).toBe(1);
    envelope(8, { op: 'invalidate', targets: [{ ...ticket, result: 2 }] });
    await sim.advance(1000);
    expect(shown()).toBe(2);
  });
});
