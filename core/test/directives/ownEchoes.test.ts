// Own changes whose response has no number or is lost, and the echoes of them.

import type { DataLayer } from '@edict/core';
import { createSimulation } from '@edict/core/testing';
import { describe, expect, it } from 'vitest';

/** One item, and its present version on the server. */
function setup() {
  const sim = createSimulation();
  const server = { v: 1 };
  const dl = sim.createDataLayer({ sse: { connectOnInit: false } });
  dl.createType('ticket', { fetch: (id) => ({ id, v: server.v }) });
  return { sim, dl, server };
}

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
