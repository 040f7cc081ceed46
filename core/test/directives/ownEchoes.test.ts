// Own echoes of mutations whose response is in flight or lost.

import { describe, expect, it } from 'vitest';
import { envelope, refreshItem, refreshList } from '../directives.ts';
import { type Stage, createCachedStage } from '../world.ts';
import { apply, createTracked, own, reasons, result, ticket } from './setup.ts';

const send = ({ dl }: Stage, init: RequestInit = {}): Promise<unknown> =>
  dl.fetch('/tickets', { method: 'POST', ...init }).then(
    (response) => response.status,
    (error: unknown) => error,
  );
const echo = (stage: Stage, more: object = {}): void => void stage.dl.applyDirectives([own(stage, more)]);

/** A mutation that receives this response. */
async function answered(stage: Stage, response: Response): Promise<void> {
  stage.sim.route('POST /tickets', () => response);
  await Promise.all([send(stage), stage.sim.advance(10)]);
}

/** A mutation whose response is lost. */
async function lost(stage: Stage): Promise<void> {
  stage.sim.link.loseAnswers();
  await Promise.all([send(stage), stage.sim.advance(10)]);
}

/** A mutation that takes 100 ms. While it is in flight, `act` is called, which returns its response. */
function sendSlowly(stage: Stage, act: () => unknown): Promise<unknown> {
  stage.sim.link.delay(50);
  stage.sim.route('POST /tickets', act);
  return send(stage);
}

const json = (body: string): Response =>
  new Response(body, { headers: { 'content-type': 'application/json' } });

describe('D-SRC-4 an own echo', () => {
  it.each<[title: string, mutate: (stage: Stage) => Promise<unknown>]>([
    ...['null', '"created"', '7', 'true', '[]', '{}'].map(
      (body): [string, (stage: Stage) => Promise<unknown>] => [
        `a response with the body ${body}`,
        (stage) => answered(stage, json(body)),
      ],
    ),
    ['a 409 without directives', (stage) => answered(stage, new Response(null, { status: 409 }))],
    ['a 500 with directives', (stage) => answered(stage, Response.json({ directives: [] }, { status: 500 }))],
    [
      'a 500 with directives in its header',
      (stage) =>
        answered(stage, new Response(null, { status: 500, headers: { 'x-service-directives': '[]' } })),
    ],
    ...['GET', 'HEAD', 'options'].map((method): [string, (stage: Stage) => Promise<unknown>] => [
      `a lost response to a ${method}, which changed nothing`,
      (stage) => {
        stage.sim.link.loseAnswers();
        return send(stage, { method });
      },
    ]),
  ])('is ignored after %s', async (_title, mutate) => {
    const stage = await createCachedStage();
    await mutate(stage);
    echo(stage);
    await stage.sim.advance(100);
    expect(stage.taken()).toEqual([]);
    expect(reasons(stage)).toEqual(['own-source']);
  });

  it.each<[title: string, mutate: (stage: Stage) => Promise<unknown>]>([
    ['a lost response', lost],
    [
      'a lost response to a Request with method POST',
      ({ sim, dl }) => {
        sim.link.loseAnswers();
        return dl.fetch(new Request('https://app.test/tickets', { method: 'POST' })).catch(() => undefined);
      },
    ],
    [
      'an aborted mutation',
      async (stage) => {
        stage.sim.link.delay(50);
        const stop = new AbortController();
        const sending = send(stage, { signal: stop.signal });
        await stage.sim.advance(60);
        stop.abort();
        await sending;
      },
    ],
    ['a 502 without directives', (stage) => answered(stage, new Response('bad gateway', { status: 502 }))],
    ['a 500 without directives', (stage) => answered(stage, new Response(null, { status: 500 }))],
    [
      'a JSON body that cannot be parsed, whose response is still returned',
      async (stage) => {
        stage.sim.route('POST /tickets', () => json('{"ok": tr'));
        await expect(send(stage)).resolves.toBe(200);
      },
    ],
    ...[10_001, 200_000].map((count): [string, (stage: Stage) => Promise<unknown>] => [
      `a list of ${count} directives, which is rejected, and whose response is still returned`,
      async (stage) => {
        stage.sim.route('POST /tickets', () => ({ directives: Array(count).fill(refreshItem('ticket', 8)) }));
        await expect(send(stage)).resolves.toBe(200);
      },
    ]),
  ])('is applied after %s', async (_title, mutate) => {
    const stage = await createCachedStage();
    await mutate(stage);
    echo(stage);
    await stage.sim.advance(100);
    expect(stage.taken()).toEqual(['ticket 7']);
    expect(reasons(stage)).toEqual([]);
  });

  it.each([
    [59_999, ['ticket 7']],
    [60_000, ['ticket 7']],
    [60_001, []],
  ])('is applied for 60 s after a response was lost: at %d ms', async (ms, calls) => {
    const stage = await createCachedStage();
    stage.sim.link.loseAnswers();
    await send(stage);
    await stage.sim.advance(ms);
    echo(stage);
    await stage.sim.advance(100);
    expect(stage.taken()).toEqual(calls);
  });

  it('is applied for 60 s after the first connection since a response was lost, and not after the second', async () => {
    const stage = await createCachedStage({ init: { sse: {} } });
    await lost(stage);
    for (const calls of [['ticket 7'], []]) {
      await stage.sim.advance(50_000);
      stage.dl.disconnectSse();
      stage.dl.connectSse();
      await stage.sim.advance(50_000);
      echo(stage);
      await stage.sim.advance(100);
      expect(stage.taken()).toEqual(calls);
    }
    stage.dl.dispose();
  });

  it('is ignored without a mutation in flight, whatever the number of echoes', async () => {
    const stage = await createCachedStage();
    await apply(stage, ...Array.from({ length: 1000 }, () => own(stage)));
    await apply(stage, own(stage));
    expect(stage.taken()).toEqual([]);
  });

  it('with an inline result is applied after a lost response', async () => {
    const stage = await createCachedStage();
    await lost(stage);
    echo(stage, { result: { title: 'committed' } });
    expect(stage.dl.getItemRef('ticket', 7).data).toEqual({ title: 'committed' });
  });

  it('in a wrapper that arrives after a lost response is applied and uses up its key', async () => {
    const stage = await createCachedStage();
    await lost(stage);
    const change = {
      op: 'invalidate',
      idempotency_key: 'k',
      source: stage.dl.clientId(),
      targets: [refreshItem('ticket', 7)],
    };
    await apply(stage, change);
    expect(stage.taken()).toEqual(['ticket 7']);
    expect(reasons(stage)).toEqual([]);
    expect(stage.of('directive:processed')).toHaveLength(2);
    await apply(stage, change);
    expect(stage.taken()).toEqual([]);
    expect(reasons(stage)).toEqual(['duplicate']);
  });

  it('is not applied again after a lost response if its key was already applied', async () => {
    const stage = await createCachedStage();
    await answered(stage, Response.json({ directives: [own(stage, { idempotency_key: 'k' })] }));
    await stage.sim.advance(100);
    expect(stage.taken()).toEqual(['ticket 7']);
    await lost(stage);
    echo(stage, { idempotency_key: 'k' });
    await stage.sim.advance(100);
    expect(stage.taken()).toEqual([]);
    expect(reasons(stage)).toEqual(['duplicate']);
  });

  it('does not affect the directives of other clients, which are applied after a lost response', async () => {
    const stage = await createCachedStage();
    await lost(stage);
    echo(stage, { source: 'another' });
    await stage.sim.advance(100);
    expect(stage.taken()).toEqual(['ticket 7']);
  });
});

describe('D-SRC-4 an own echo that arrives while its mutation is in flight', () => {
  it.each<[title: string, respond: null | (() => Response), calls: string[]]>([
    ['is applied when the mutation rejects', null, ['ticket 7']],
    [
      'is applied when the header of the response cannot be read',
      () => new Response('', { headers: { 'X-Service-Directives': '[{"op":"refresh_item","na' } }),
      ['ticket 7'],
    ],
    [
      'is applied when the body of the response has no list',
      () => Response.json({ directives: 'all' }),
      ['ticket 7'],
    ],
    ['is ignored when the response arrives', () => Response.json({}), []],
  ])('%s', async (_title, respond, calls) => {
    const stage = await createCachedStage();
    if (respond === null) stage.sim.link.loseAnswers();
    const sending = sendSlowly(stage, () => {
      echo(stage);
      return respond?.() ?? {};
    });
    await stage.sim.advance(60);
    expect(reasons(stage)).toEqual(['own-source']);
    expect(stage.dl.getItemRef('ticket', 7).meta.isStale).toBe(false);
    await Promise.all([sending, stage.sim.advance(300)]);
    expect(stage.taken()).toEqual(calls);
  });

  it.each([
    ['is refetched when its window closes', false, ['ticket 7']],
    ['causes neither a request nor an event after a reset', true, []],
  ])('D-DIR-5 %s', async (_title, isReset, calls) => {
    const stage = await createCachedStage({ init: { sse: { enabled: false }, bulk: { delayMs: 500 } } });
    stage.sim.link.loseAnswers();
    const sending = sendSlowly(stage, () => (echo(stage), {}));
    await stage.sim.advance(60);
    if (isReset) stage.dl.reset();
    await Promise.all([sending, stage.sim.advance(400)]);
    expect(stage.taken()).toEqual([]);
    await stage.sim.advance(200);
    expect(stage.taken()).toEqual(calls);
    expect(stage.of('directive:processed')).toHaveLength(calls.length);
  });

  it('D-DIR-10 is applied when the response is lost, as a target of a wrapper that has only a key', async () => {
    const stage = await createCachedStage();
    stage.sim.link.loseAnswers();
    const change = { op: 'invalidate', idempotency_key: 'k', targets: [own(stage)] };
    const sending = sendSlowly(stage, () => (void stage.dl.applyDirectives([change]), {}));
    await Promise.all([sending, stage.sim.advance(300)]);
    expect(stage.taken()).toEqual(['ticket 7']);
  });

  it('is not applied if its key was applied before the response was lost', async () => {
    const stage = await createCachedStage();
    const change = own(stage, { idempotency_key: 'k' });
    stage.sim.link.loseAnswers();
    const sending = sendSlowly(stage, () => {
      void stage.dl.applyDirectives([change]);
      void stage.dl.applyDirectives([change], { path: 'pull' });
      return {};
    });
    await Promise.all([sending, stage.sim.advance(300)]);
    expect(stage.taken()).toEqual(['ticket 7']);
  });

  it('and again after the response was lost is applied once', async () => {
    const stage = await createCachedStage();
    stage.sim.link.loseAnswers();
    const sending = sendSlowly(stage, () => (echo(stage, { idempotency_key: 'k' }), {}));
    await Promise.all([sending, stage.sim.advance(300)]);
    echo(stage, { idempotency_key: 'k' });
    await stage.sim.advance(100);
    expect(stage.taken()).toEqual(['ticket 7']);
  });

  it('in a wrapper is applied once for each target', async () => {
    const stage = await createCachedStage();
    stage.sim.link.loseAnswers();
    const targets = [refreshItem('ticket', 7), refreshList('tickets')];
    const change = { op: 'invalidate', source: stage.dl.clientId(), targets };
    const sending = sendSlowly(stage, () => (void stage.dl.applyDirectives([change]), {}));
    await Promise.all([sending, stage.sim.advance(300)]);
    expect(stage.taken()).toEqual(['ticket 7', 'tickets {}']);
    expect(stage.of('directive:processed')).toHaveLength(2);
  });

  it('causes no warning when it was applied and a later mutation completes', async () => {
    const stage = await createCachedStage();
    stage.sim.route('POST /later', () => ({ directives: [] }));
    const first = sendSlowly(stage, () => {
      echo(stage, { idempotency_key: 'lost' });
      return new Response('', { status: 502 });
    });
    await stage.sim.advance(10);
    const later = stage.dl.fetch('/later', { method: 'POST' });
    await Promise.all([first, later, stage.sim.advance(300)]);
    expect(stage.taken()).toEqual(['ticket 7']);
    expect(stage.sim.log).toEqual([]);
  });

  it('does not replace the inline result of a newer directive, but is refetched', async () => {
    const stage = await createCachedStage();
    stage.sim.link.loseAnswers();
    const sending = sendSlowly(stage, () => {
      stage.dl.ingestEnvelope(envelope(4, [own(stage, { result: { title: 'mine' } })]));
      stage.dl.ingestEnvelope(envelope(5, [refreshItem('ticket', 7, { result: { title: 'newer' } })]));
      return {};
    });
    await Promise.all([sending, stage.sim.advance(200)]);
    expect(reasons(stage)).toEqual(['own-source']);
    expect(stage.taken()).toEqual(['ticket 7']);
    expect(stage.dl.getItemRef('ticket', 7).data).toEqual({ id: 7, default: 1 });
  });

  it('and while another one is in flight is applied when one of the two is lost', async () => {
    const stage = await createCachedStage();
    stage.sim.link.loseAnswers(1);
    const first = sendSlowly(stage, async () => {
      await stage.sim.sleep(20);
      echo(stage);
      return {};
    });
    await Promise.all([first, send(stage), stage.sim.advance(300)]);
    expect(stage.taken()).toEqual(['ticket 7']);
  });

  it.each([
    ['is ignored when the earlier mutation succeeds', 1, []],
    ['is applied when the earlier mutation is lost too', 2, ['ticket 7']],
  ])('and before another one is sent and lost %s', async (_title, losses, calls) => {
    const stage = await createCachedStage();
    const { sim, dl } = stage;
    if (losses === 2) sim.link.loseAnswers(2);
    sim.route('POST /slow', () => sim.sleep(100).then(() => ({})));
    const slow = dl.fetch('/slow', { method: 'POST' }).catch(() => undefined);
    await sim.advance(10);
    echo(stage);
    await sim.advance(10);
    if (losses === 1) sim.link.loseAnswers(1);
    await send(stage);
    await sim.advance(60);
    expect(stage.taken()).toEqual([]);
    await Promise.all([slow, sim.advance(200)]);
    expect(stage.taken()).toEqual(calls);
  });
});

describe('D-DIR-9 D-SRC-1 a response without a seq', () => {
  it.each(['before', 'after'])(
    'receives the seq of its echo that arrives %s it, so the next inline result is applied',
    async (when) => {
      const stage = await createCachedStage();
      const { dl, sim } = stage;
      const shown = (): unknown => dl.getItemRef('ticket', 7).data;
      const targets = [refreshItem('ticket', 7, { result: { title: 'mine' } }), refreshItem('note', 7)];
      const change = { op: 'invalidate', targets, idempotency_key: 'b', source: dl.clientId() };
      sim.route('POST /tickets', () => {
        if (when === 'before') dl.ingestEnvelope(envelope(4, [change]));
        return { directives: [change] };
      });
      await Promise.all([send(stage), sim.advance(10)]);
      if (when === 'after') dl.ingestEnvelope(envelope(4, [change]));
      expect(shown()).toEqual({ title: 'mine' });
      dl.ingestEnvelope(envelope(5, [refreshItem('ticket', 7, { result: { title: 'theirs' } })]));
      expect(shown()).toEqual({ title: 'theirs' });
      await sim.advance(100);
      expect(stage.taken()).toEqual([]);
    },
  );

  it('and without a key is a plain refresh after its echo', async () => {
    const stage = await createCachedStage();
    const { dl, sim } = stage;
    sim.route('POST /tickets', () => {
      dl.ingestEnvelope(envelope(4, [own(stage)]));
      return { directives: [own(stage, { result: { title: 'mine' } })] };
    });
    await Promise.all([send(stage), sim.advance(100)]);
    expect(stage.taken()).toEqual(['ticket 7']);
  });
});

it('D-SRC-4 a response that was lost with the connection for minutes is replaced by its echo', async () => {
  const { sim, server, dl, show } = createTracked({});
  sim.route('POST /tickets/1', async ({ clientId }) => {
    await sim.sleep(300);
    server.v = 2;
    return { directives: sim.hub.emit([ticket], { source: clientId }) };
  });
  const ref = await show();
  await sim.advance(20_000);
  void dl.fetch('/tickets/1', { method: 'POST' }).catch(() => undefined);
  await sim.advance(100);
  sim.link.cut();
  await sim.advance(120_000);
  sim.link.restore();
  await sim.advance(60_000);
  expect(dl.state().sse.connected).toBe(true);
  expect(ref.data).toEqual({ v: 2 });
});

describe('an own echo with an inline result that is kept until its response is lost', () => {
  /** The echo of a change to 2 has arrived. The response of its mutation is lost later. */
  async function kept(seq?: number) {
    const tracked = createTracked({ connectOnInit: false, audience: ['me', 'team'] });
    const { sim, server, dl, show, push } = tracked;
    sim.route('POST /tickets/1', () => sim.sleep(20_000));
    const ref = await show();
    sim.link.loseAnswers();
    void dl.fetch('/tickets/1', { method: 'POST' }).catch(() => undefined);
    await sim.advance(10);
    function pushOwn(): void {
      server.v = 2;
      push(seq, { ...result(2), source: dl.clientId(), idempotency_key: 'mine' }, 'me');
    }
    function pushTheirs(): void {
      server.v = 3;
      push(seq, { ...ticket, idempotency_key: 'theirs' }, 'team');
    }
    return { ...tracked, ref, pushOwn, pushTheirs };
  }

  it.each([[undefined], [7]])(
    'D-DIR-9 does not replace a later change (sequence number: %s)',
    async (seq) => {
      const { sim, ref, pushOwn, pushTheirs } = await kept(seq);
      pushOwn();
      await sim.advance(100);
      pushTheirs();
      await sim.advance(60_000);
      expect(ref.data).toEqual({ v: 3 });
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
    expect(ref.data).toEqual({ v: 3 });
  });

  it('D-FETCH-3 does not replace a response that was requested later', async () => {
    const { sim, dl, server, ref, pushOwn } = await kept();
    pushOwn();
    server.v = 3;
    dl.fetchItem('ticket', 1, null, { force: true });
    await sim.advance(60_000);
    expect(ref.data).toEqual({ v: 3 });
  });

  it('D-SRC-4 is fetched again', async () => {
    const { sim, server, ref, pushOwn } = await kept(7);
    const { requests } = server;
    pushOwn();
    await sim.advance(60_000);
    expect(ref.data).toEqual({ v: 2 });
    expect(server.requests).toBe(requests + 1);
  });
});
