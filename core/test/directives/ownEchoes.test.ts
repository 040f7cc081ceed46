// Own changes whose response has no sequence number or is lost, and their echoes.

import type { DataLayer } from '@edict/core';
import { createSimulation } from '@edict/core/testing';
import { describe, expect, it } from 'vitest';

/** One item, and its current version on the server. */
function setup() {
  const sim = createSimulation();
  const server = { v: 1 };
  const dl = sim.createDataLayer({ sse: { connectOnInit: false } });
  dl.createType('ticket', { fetch: (id) => ({ id, v: server.v }) });
  return { sim, dl, server };
}

describe('an own change whose response had no sequence number, with inline results of other users on the stream', () => {
  /** A ticket and a list of them, changed by another user first and then by this client. The server has `v` 3. */
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
    ['its source', (clientId: string): string | undefined => clientId],
    ['its idempotency key', (): string | undefined => undefined],
  ])('D-DIR-9 an echo recognized by %s shows that the result before it is stale', async (_title, source) => {
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

  /** Two own changes, to 2 and then to 3. Their responses have inline results but no sequence numbers. */
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

  it('D-DIR-9 two own changes whose responses arrive in reverse order end with the one that was committed last', async () => {
    const { sim, ref, send, echo } = await savesTwice();
    send(3, 0); // Sent first, and committed last.
    send(2, 50);
    await sim.settled();
    await echo();
    expect(ref.data).toEqual({ id: 1, v: 3 });
    expect(ref.meta.isStale).toBe(false);
  });

  it('D-DIR-9 two own changes whose responses arrive in the order of their commits cause no request', async () => {
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

  it('D-SRC-1 an echo without such a result before it causes no request', async () => {
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

describe('an inline result in the response of a mutation', () => {
  /** Applies the response of a mutation, with an inline result and a sequence number, in this way. */
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
  ])('D-SRC-2 is not refetched for its own echo when it was applied %s', async (_title, apply) => {
    const { sim, ref, requests, pushOwn } = await changed(apply);
    pushOwn();
    expect(ref.meta.isStale).toBe(false);
    await sim.settled();
    expect(requests).toEqual([]);
    expect(ref.data).toEqual({ id: 1, v: 2 });
  });
});

describe('a response that was lost with the connection for minutes', () => {
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

describe('an own echo with an inline result that is kept until its response is lost', () => {
  /** The echo of a change to `v` 2 has arrived. The response of its mutation is lost later. */
  async function kept(seq?: number) {
    const sim = createSimulation();
    const server = { v: 1 };
    const dl = sim.createDataLayer({ sse: { connectOnInit: false, audience: ['me', 'team'] } });
    dl.createType('ticket', { fetch: (id) => ({ id, v: server.v }), stalenessMs: Infinity });
    sim.route('POST /tickets/1', () => sim.sleep(20_000));
    const ref = dl.fetchItem('ticket', 1);
    await sim.settled();
    sim.link.loseAnswers();
    void dl.fetch('/tickets/1', { method: 'POST' }).catch(() => undefined);
    await sim.advance(10);
    function push(directive: object, audience: string, number = seq): void {
      dl.ingestEnvelope({ type: 'directives', seq: number, audience, directives: [directive] });
    }
    const named = { op: 'refresh_item', name: 'ticket', id: 1 };
    function pushOwn(): void {
      server.v = 2;
      push({ ...named, result: { id: 1, v: 2 }, source: dl.clientId(), idempotency_key: 'mine' }, 'me');
    }
    function pushTheirs(): void {
      server.v = 3;
      push({ ...named, idempotency_key: 'theirs' }, 'team');
    }
    return { sim, dl, server, ref, pushOwn, pushTheirs };
  }

  it.each([[undefined], [7]])(
    'D-DIR-9 does not replace a later change (sequence number: %s)',
    async (seq) => {
      const { sim, ref, pushOwn, pushTheirs } = await kept(seq);
      pushOwn();
      await sim.advance(100);
      pushTheirs();
      await sim.advance(60_000);
      expect(ref.data).toEqual({ id: 1, v: 3 });
      expect(ref.meta.isStale).toBe(false);
    },
  );

  it('D-DIR-9 is refetched if the order of the two changes is unknown', async () => {
    const { sim, ref, pushOwn, pushTheirs, server } = await kept(7);
    pushTheirs();
    await sim.advance(100);
    pushOwn();
    server.v = 3;
    await sim.advance(60_000);
    expect(ref.data).toEqual({ id: 1, v: 3 });
  });

  it('D-FETCH-3 does not replace a response that was requested later', async () => {
    const { sim, dl, server, ref, pushOwn } = await kept();
    pushOwn();
    server.v = 3;
    dl.fetchItem('ticket', 1, null, { force: true });
    await sim.advance(60_000);
    expect(ref.data).toEqual({ id: 1, v: 3 });
  });

  it('D-SRC-4 is fetched again', async () => {
    const { sim, dl, ref, pushOwn } = await kept(7);
    const requests: unknown[] = [];
    dl.onLifecycle('item:fetch:intent', ({ detail }) => requests.push(detail));
    pushOwn();
    await sim.advance(60_000);
    expect(ref.data).toEqual({ id: 1, v: 2 });
    expect(requests).toHaveLength(1);
  });
});
