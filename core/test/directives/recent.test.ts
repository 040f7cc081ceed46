// Responses of mutations whose directives have no sequence number, as an outbox returns them, and their echoes, which have one.

import { describe, expect, it } from 'vitest';
import { envelope } from '../directives.ts';
import { createTracked, result, ticket } from './setup.ts';

describe('a response that arrives after its echo and after a newer directive', () => {
  it.each<[how: string, directive: object, isByHand: boolean]>([
    ['in a wrapper', { op: 'invalidate', targets: [result(1)], idempotency_key: 'own' }, false],
    ['by applyResponse', { ...result(1), idempotency_key: 'own' }, true],
    [
      'in a wrapper by applyResponse',
      { op: 'invalidate', targets: [result(1)], idempotency_key: 'own' },
      true,
    ],
  ])('D-DIR-9 D-DIR-10 is stale, %s', async (_how, directive, isByHand) => {
    const { sim, dl, server, push, send } = createTracked();
    if (!isByHand) send('/change', 1000, [directive]);
    await sim.advance(100);
    push(5, { ...directive, source: dl.clientId() });
    server.v = 2;
    push(6, { ...ticket, idempotency_key: 'theirs' });
    await sim.advance(2000);
    if (isByHand) await dl.applyResponse(Response.json({ directives: [directive] }));
    await sim.advance(1000);
    const ref = dl.fetchItem('ticket', 1);
    await sim.advance(1000);
    expect(ref.data).toEqual({ v: 2 });
  });

  it('D-DIR-9 is stale if the response does not name its audience', async () => {
    const { sim, dl, server, push } = createTracked({ enabled: false, audience: 'team' });
    const ref = dl.fetchItem('ticket', 1);
    dl.onRefChange(ref, () => undefined);
    const own = { ...result(1), idempotency_key: 'own' };
    push(5, { ...own, source: dl.clientId() }, 'team');
    server.v = 2;
    push(6, { ...ticket, idempotency_key: 'theirs' }, 'team');
    await sim.advance(20_000);
    await dl.applyResponse(Response.json({ directives: [own] }));
    await sim.advance(1000);
    expect(ref.data).toEqual({ v: 2 });
  });

  it('D-DIR-9 is stale if it names no audience and is old in any of its audiences', async () => {
    const { sim, dl, server, push } = createTracked({ enabled: false, audience: ['a', 'b'] });
    const own = { ...result(1), idempotency_key: 'own' };
    push(5, { ...own, source: dl.clientId() }, 'a');
    push(900, { ...own, source: dl.clientId() }, 'b');
    server.v = 2;
    push(901, { ...ticket, idempotency_key: 'theirs' }, 'b');
    await sim.advance(20_000);
    await dl.applyResponse(Response.json({ directives: [own] }));
    const ref = dl.fetchItem('ticket', 1);
    await sim.advance(1000);
    expect(ref.data).toEqual({ v: 2 });
  });

  it('D-DIR-9 does not affect the sequence of an audience that it was not sent to', async () => {
    const { sim, dl, push, send } = createTracked({ enabled: false, audience: ['team', 'global'] });
    const skipped: string[] = [];
    const own = { ...ticket, idempotency_key: 'own' };
    send('/change', 1000, [own]);
    await sim.advance(100);
    push(5, { ...ticket, id: 9 }, 'global');
    push(900, { ...own, source: dl.clientId() }, 'team');
    await sim.advance(20_000);
    dl.onLifecycle('directive:skipped', ({ detail }) => skipped.push(detail.reason));
    push(6, { ...result(2), id: 2 }, 'global');
    expect(skipped).toEqual([]);
    expect(dl.getItemRef('ticket', 2).data).toEqual({ v: 2 });
  });

  it('D-DIR-9 is stale even if its echo was delivered again', async () => {
    const { sim, dl, server, push } = createTracked();
    const own = { ...result(1), idempotency_key: 'own' };
    push(5, { ...own, source: dl.clientId() });
    server.v = 2;
    push(6, { ...ticket, idempotency_key: 'theirs' });
    push(7, { ...own, source: dl.clientId() });
    await sim.advance(2000);
    await dl.applyResponse(Response.json({ directives: [own] }));
    const ref = dl.fetchItem('ticket', 1);
    await sim.advance(1000);
    expect(ref.data).toEqual({ v: 2 });
  });

  it('D-DIR-9 for two audiences has the sequence number of each', async () => {
    const { sim, dl, push, send } = createTracked({ enabled: false, audience: ['a', 'b'] });
    const skipped: string[] = [];
    dl.onLifecycle('directive:skipped', ({ detail }) => skipped.push(detail.reason));
    const own = { ...ticket, idempotency_key: 'own', source: dl.clientId() };
    send('/change', 1000, [
      { ...own, audience: 'a' },
      { ...own, audience: 'b' },
    ]);
    await sim.advance(100);
    push(900, own, 'b');
    push(5, own, 'a');
    await sim.advance(20_000);
    skipped.length = 0;
    push(6, { ...result(2), id: 2 }, 'a');
    expect(skipped).toEqual([]);
    expect(dl.getItemRef('ticket', 2).data).toEqual({ v: 2 });
  });
});

describe('a response to a change for several audiences, one of which the client subscribes to', () => {
  const copies = (n: number, seqs: (number | undefined)[]): object[] =>
    ['a', 'b'].map((audience, at) => ({
      ...result(n),
      audience,
      seq: seqs[at],
      idempotency_key: `own ${n}`,
    }));

  it.each([
    ['with sequence numbers', [5, 900]],
    ['without sequence numbers', []],
  ])('D-DIR-9 is stale if that audience received a newer directive, %s', async (_how, seqs) => {
    const { sim, dl, server, push } = createTracked({ enabled: false, audience: 'b' });
    const [, own = {}] = copies(1, [5, 900]);
    push(900, { ...own, source: dl.clientId() }, 'b');
    server.v = 2;
    push(901, { ...ticket, idempotency_key: 'theirs' }, 'b');
    await sim.advance(1000);
    await dl.applyResponse(Response.json({ directives: copies(1, seqs) }));
    const ref = dl.fetchItem('ticket', 1);
    await sim.advance(1000);
    expect(ref.data).toEqual({ v: 2 });
  });

  it('D-DIR-9 is older than another response whose echo arrives later', async () => {
    const { sim, dl, server, push } = createTracked({ enabled: false, audience: 'b' });
    server.v = 2;
    for (const n of [2, 1]) await dl.applyResponse(Response.json({ directives: copies(n, []) }));
    const ref = dl.fetchItem('ticket', 1);
    for (const n of [1, 2]) push(899 + n, { ...copies(n, [])[1], source: dl.clientId() }, 'b');
    dl.onRefChange(ref, () => undefined);
    await sim.advance(1000);
    expect(ref.data).toEqual({ v: 2 });
  });

  it('D-SRC-1 causes no request if that audience receives nothing else', async () => {
    const { sim, dl, server, push, send } = createTracked({ enabled: false, audience: 'b' });
    send('/change', 10, copies(1, [5, 900]));
    await sim.advance(100);
    push(900, { ...copies(1, [5, 900])[1], source: dl.clientId() }, 'b');
    await sim.advance(1000);
    dl.fetchItem('ticket', 1);
    await sim.advance(1000);
    expect(server.requests).toBe(0);
  });
});

describe('a response that arrives before its echo', () => {
  it.each([
    [1000, { op: 'invalidate', kind: 'item', name: 'ticket' }],
    [11_000, { op: 'invalidate', name: 'ticket' }],
  ])(
    'D-DIR-9 supersedes the result of another user that arrives %d ms later, before the echo, with %j',
    async (ms, change) => {
      const { sim, dl, server, push } = createTracked();
      const ref = dl.fetchItem('ticket', 1);
      dl.onRefChange(ref, () => undefined);
      await sim.advance(100);
      server.v = 2;
      const own = { ...change, idempotency_key: 'own' };
      await dl.applyResponse(Response.json({ directives: [own] }));
      await sim.advance(ms);
      push(5, result(1));
      push(6, { ...own, source: dl.clientId() });
      await sim.advance(1000);
      expect(ref.data).toEqual({ v: 2 });
    },
  );

  it('D-DIR-9 has the sequence number of its own audience', async () => {
    const { sim, dl, server, push, send } = createTracked({ enabled: false, audience: ['a', 'b'] });
    const source = dl.clientId();
    const ref = dl.fetchItem('ticket', 1);
    dl.onRefChange(ref, () => undefined);
    await sim.advance(20_000);
    const later = { ...result(2), idempotency_key: 'later', source };
    const sooner = { ...result(1), idempotency_key: 'sooner', source };
    server.v = 2;
    send('/later', 500, [{ ...later, audience: 'a' }]);
    await sim.advance(10);
    send('/sooner', 600, [
      { ...sooner, audience: 'a' },
      { ...sooner, audience: 'b' },
    ]);
    await sim.advance(2000);
    push(900, sooner, 'b');
    push(5, sooner, 'a');
    push(6, later, 'a');
    await sim.advance(2000);
    expect(ref.data).toEqual({ v: 2 });
  });

  it('D-DIR-9 has the audience of its echo, so a result for another audience does not replace it', async () => {
    const { sim, dl, server, push, show } = createTracked({ enabled: false, audience: ['global', 'team-1'] });
    const ref = await show();
    server.v = 2;
    const own = { ...ticket, source: dl.clientId(), idempotency_key: 'own' };
    await dl.applyResponse(Response.json({ directives: [own] }));
    push(7, own, 'team-1');
    await sim.advance(1000);
    push(3, result(1));
    await sim.advance(1000);
    expect(ref.data).toEqual({ v: 2 });
  });

  it('D-DIR-9 does not have the sequence number of an echo without a key, which may be that of another change', async () => {
    const { sim, dl, server, push, show } = createTracked();
    const ref = await show();
    server.v = 2;
    const own = { ...ticket, source: dl.clientId() };
    await dl.applyResponse(Response.json({ directives: [own] }));
    push(5, own);
    await sim.advance(1000);
    push(6, result(1));
    await sim.advance(1000);
    expect(ref.data).toEqual({ v: 2 });
  });

  it.each(['DL.fetch', 'applyResponse', 'applyDirectives'])(
    'D-SRC-1 D-SRC-2 causes no request when its echo arrives, by %s',
    async (how) => {
      for (const meta of [{}, { seq: 5, audience: 'global' }]) {
        for (const isInline of [true, false]) {
          const { sim, dl, server, push, send } = createTracked();
          const ref = dl.fetchItem('ticket', 1);
          dl.onRefChange(ref, () => undefined);
          await sim.advance(100);
          const own = { ...result(2), source: dl.clientId(), idempotency_key: 'own', ...meta };
          if (how === 'DL.fetch') send('/change', 10, [own]);
          else if (how === 'applyResponse') await dl.applyResponse(Response.json({ directives: [own] }));
          else void dl.applyDirectives([own], { path: 'pull' });
          await sim.advance(100);
          expect(ref.data).toEqual({ v: 2 });
          push(5, isInline ? own : { ...own, result: undefined });
          expect(ref.meta.isStale).toBe(false);
          await sim.advance(1000);
          expect(server.requests).toBe(1);
          expect(ref.data).toEqual({ v: 2 });
        }
      }
    },
  );
});

describe('a response without a sequence number or an inline result', () => {
  it.each([
    ['waits', 10],
    ['is in flight', 60],
  ])(
    'D-DIR-5 is refetched even if a result of another user arrives while the refetch %s',
    async (_when, ms) => {
      const { sim, dl, server, push, send } = createTracked();
      server.latencyMs = 20;
      const ref = dl.fetchItem('ticket', 1);
      await sim.advance(100);
      server.v = 3;
      send('/change', 0, [ticket]);
      await sim.advance(ms);
      push(10, { ...result(2), source: 'another' });
      expect(ref.meta.isStale).toBe(true);
      await sim.advance(5000);
      expect(ref.data).toEqual({ v: 3 });
      expect(ref.meta.isStale).toBe(false);
    },
  );

  it('D-DIR-9 does not turn an inline result into a plain refresh ten seconds later', async () => {
    const { sim, dl, server, push, send } = createTracked();
    const ref = dl.fetchItem('ticket', 1);
    await sim.advance(10);
    send('/change', 0, [ticket]);
    await sim.advance(11_000);
    push(10, { ...result(2), source: 'another' });
    expect(ref.meta.isStale).toBe(false);
    await sim.advance(5000);
    expect(ref.data).toEqual({ v: 2 });
    expect(server.requests).toBe(2);
  });
});

describe('a response without sequence numbers, with inline results of other users on the stream', () => {
  /** A ticket and a list of them, changed to 2 by another user and then to 3 by this client, whose response has arrived. */
  async function changedTwice() {
    const { sim, dl, server } = createTracked();
    dl.createCollection('tickets', { fetch: () => ({ ids: [server.v] }) });
    const [item, list] = [dl.fetchItem('ticket', 1), dl.fetchCollection('tickets')];
    const tickets = { op: 'refresh_collection', name: 'tickets' };
    const own = [
      { ...ticket, idempotency_key: 'mine-1' },
      { ...tickets, idempotency_key: 'mine-2' },
    ];
    const theirs = [
      { ...result(2), idempotency_key: 'theirs-1' },
      { ...tickets, result: { ids: [2] }, idempotency_key: 'theirs-2' },
    ];
    const push = (seq: number, directives: object[], source?: string): void =>
      dl.ingestEnvelope(envelope(seq, directives, { source }));
    const shown = (): unknown => [item.data, list.data.ids];
    await sim.settled();
    server.v = 3;
    void dl.applyDirectives(own, { path: 'pull' });
    await sim.settled();
    expect(shown()).toEqual([{ v: 3 }, [3]]);
    return {
      sim,
      dl,
      server,
      shown,
      pushTheirs: () => push(10, theirs),
      pushOwn: (source?: string) => push(11, own, source),
    };
  }

  it.each(['source', 'idempotency key'])(
    'D-DIR-9 an echo recognized by its %s shows that the result before it is stale',
    async (how) => {
      const { sim, dl, shown, pushTheirs, pushOwn } = await changedTwice();
      pushTheirs();
      pushOwn(how === 'source' ? dl.clientId() : undefined);
      await sim.settled();
      expect(shown()).toEqual([{ v: 3 }, [3]]);
    },
  );

  it('D-SRC-1 an echo without such a result before it causes no request', async () => {
    const { sim, dl, server, pushOwn } = await changedTwice();
    const { requests } = server;
    pushOwn(dl.clientId());
    await sim.settled();
    expect(server.requests).toBe(requests);
  });
});

describe('two own changes whose responses have inline results and no sequence numbers', () => {
  /** Both responses have arrived, to 2 and to 3. The one to 3 was committed last. */
  async function changedTwice(isInOrder: boolean) {
    const { sim, dl, server, send, push } = createTracked();
    const ref = dl.fetchItem('ticket', 1);
    const save = (n: number): object => ({ ...result(n), idempotency_key: `save-${n}` });
    await sim.settled();
    server.v = 3;
    if (!isInOrder) send('/3', 0, [save(3)]); // Sent first, and committed last.
    send('/2', isInOrder ? 0 : 50, [save(2)]);
    await sim.settled();
    if (isInOrder) send('/3', 0, [save(3)]);
    await sim.settled();
    server.requests = 0;
    for (const n of [2, 3]) push(8 + n, { ...save(n), source: dl.clientId() });
    await sim.settled();
    return { server, ref };
  }

  it('D-DIR-9 that arrive in reverse order end with the one that was committed last', async () => {
    const { ref } = await changedTwice(false);
    expect(ref.data).toEqual({ v: 3 });
    expect(ref.meta.isStale).toBe(false);
  });

  it('D-DIR-9 that arrive in the order of their commits cause no request when their echoes arrive', async () => {
    const { ref, server } = await changedTwice(true);
    expect(ref.data).toEqual({ v: 3 });
    expect(server.requests).toBe(0);
  });
});

describe('D-DIR-9 a directive for a record, followed by more directives for others than the client records', () => {
  type Tracked = ReturnType<typeof createTracked>;
  const other = (n: number): object => ({ ...ticket, id: 100 + n });
  const pull = ({ dl }: Tracked): void =>
    void dl.applyDirectives([{ ...ticket, audience: 'a' }], { path: 'pull' });

  it.each<[string, act: (tracked: Tracked) => void, isNumbered: boolean]>([
    ['arrived in a response', pull, false],
    ['had no sequence number', ({ push }) => push(undefined, ticket, 'a'), true],
    ['was for another audience', ({ push }) => push(5, ticket, 'b'), true],
  ])('makes a pushed result a plain refresh if it %s', async (_, act, isNumbered) => {
    const tracked = createTracked({ enabled: false, audience: ['a', 'b'] });
    const { sim, server, show, push } = tracked;
    const ref = await show();
    server.v = 2;
    act(tracked);
    await sim.settled();
    for (let n = 1; n <= 1001; n++) push(isNumbered ? n : undefined, other(n), 'a');
    push(isNumbered ? 1002 : undefined, result(1), 'a');
    await sim.settled();
    expect(ref.data).toEqual({ v: 2 });
  });

  it('does not hide a later one for the same record', async () => {
    const tracked = createTracked({ enabled: false, audience: 'a' });
    const { sim, server, show, push } = tracked;
    const ref = await show();
    pull(tracked);
    await sim.advance(11_000);
    for (let n = 1; n < 1000; n++) push(undefined, other(n), 'a');
    server.v = 2;
    pull(tracked);
    await sim.settled();
    push(undefined, result(1), 'a');
    await sim.settled();
    expect(ref.data).toEqual({ v: 2 });
  });

  it.each<[string, wrap: (list: object[]) => object[]]>([
    ['', (list) => list],
    [' in a wrapper', (targets) => [{ op: 'invalidate', targets, idempotency_key: 'mine' }]],
  ])('makes a result a plain refresh if the others are in the same response%s', async (_, wrap) => {
    const { sim, dl, server, send } = createTracked();
    send('/mine', 1000, wrap([...Array.from({ length: 1001 }, (__, n) => other(n)), result(1)]));
    await sim.advance(100);
    server.v = 2;
    send('/later', 0, [ticket]);
    await sim.advance(2000);
    const ref = dl.fetchItem('ticket', 1);
    await sim.settled();
    expect(ref.data).toEqual({ v: 2 });
  });
});
