// The life of the client's connection in simulated time: open, disconnected, configured again, disposed.

import { hydrate, type DehydratedState } from '@edict/core/hydration';
import { describe, expect, it } from 'vitest';
import { begin, directive, envelope, greeting, setup, type Setup } from './setup.ts';

describe('an open connection', () => {
  it('§6.2 is reported with its audience and URL', async () => {
    const { opened, sse, of, world } = setup();
    await opened();
    expect(of('sse:connecting')).toEqual([
      { attempt: 1, url: expect.stringContaining('/api/events?') as string },
    ]);
    expect(of('sse:open')).toEqual([
      { audience: 'global', url: expect.stringContaining('/api/events?') as string },
    ]);
    expect(sse()).toMatchObject({
      connected: true,
      status: 'open',
      url: '/api/events',
      audience: 'global',
    });
    expect(world.sim.pendingTimers()).toBe(1); // It waits for the first byte.
  });

  it('D-SSE-10 is reported with the list of audiences', async () => {
    const { opened, of } = setup({ audience: ['global', 'team-7'] });
    await opened();
    expect(of('sse:open')).toMatchObject([{ audience: ['global', 'team-7'] }]);
  });

  it('D-SSE-3 stays the only connection when connectSse is called again', async () => {
    const { opened, dl, world } = setup();
    await opened();
    dl.connectSse();
    expect(world.connections).toHaveLength(1);
  });

  it('§4.2 passes on its directives', async () => {
    const { opened, received, world } = setup();
    await opened();
    await world.last().envelope({ ...envelope(41), source: 'other' });
    expect(received).toEqual([{ id: 41, audience: 'global', source: 'other' }]);
  });

  it('§6.1 reads only events that are unnamed or named message', async () => {
    const { opened, received, world } = setup();
    await opened();
    const data = `data: ${JSON.stringify(envelope(null))}\n\n`;
    await world.last().send(`event: message\n${data}event: other\n${data}${data}`);
    expect(received).toHaveLength(2);
  });

  it('reads no further frames after an envelope that closed it', async () => {
    const { opened, dl, sse, received, world } = setup();
    await opened();
    dl.onLifecycle('sse:gap', () => dl.disconnectSse());
    const frames = [41, 50, 51].map((seq) => `data: ${JSON.stringify(envelope(seq))}\n\n`).join('');
    await world.last().send(frames);
    expect(received.map(({ id }) => id)).toEqual([41, 50]);
    expect(sse().lastSeq).toEqual({ global: 50 });
  });
});

describe('disconnectSse', () => {
  it('D-SSE-2 closes the connection and emits sse:close', async () => {
    const { opened, dl, sse, of, world } = setup();
    await opened();
    dl.disconnectSse();
    await world.rest();
    expect(of('sse:close')).toEqual([{ reason: 'disconnect' }]);
    expect(of('sse:error')).toEqual([]);
    expect(world.last().isAborted()).toBe(true);
    expect(sse()).toMatchObject({ status: 'off', connected: false });
  });

  it('is not undone by a second init', async () => {
    const { opened, dl, sse, world } = setup();
    await opened();
    dl.disconnectSse();
    dl.init();
    await world.rest();
    expect(sse().status).toBe('off');
  });

  it('D-SSE-3 cancels a pending reconnect', async () => {
    const { dl, world } = setup();
    await begin(dl);
    await world.last().fail(new TypeError('refused'));
    dl.disconnectSse();
    expect(world.sim.pendingTimers()).toBe(0);
    await world.sim.advance(60_000);
    expect(world.connections).toHaveLength(1);
  });

  it('ignores and cancels the response of a fetch that ignores its signal', async () => {
    const { dl, of, received, world } = setup({}, { heedsAbort: false });
    await begin(dl);
    const [early] = world.connections;
    dl.disconnectSse();
    await early?.open();
    dl.connectSse();
    await world.rest();
    await world.last().open();
    dl.disconnectSse();
    await world.rest();
    expect(early?.isReleased()).toBe(true);
    expect(world.last().isReleased()).toBe(true);
    expect(of('sse:open')).toHaveLength(1);
    expect(received).toEqual([]);
  });

  it('leaves one connection when it alternates with connectSse', async () => {
    const { opened, dl, of, world } = setup();
    await opened();
    for (let i = 0; i < 5; i++) {
      dl.disconnectSse();
      dl.connectSse();
    }
    await world.rest();
    expect(world.connections.filter((connection) => !connection.isAborted())).toHaveLength(1);
    await world.last().open();
    expect(of('sse:open')).toHaveLength(2);
  });

  it('from a listener of sse:error stops the retries', async () => {
    const { dl, world } = setup();
    dl.onLifecycle('sse:error', () => dl.disconnectSse());
    await begin(dl);
    await world.last().fail(new TypeError('refused'));
    await world.sim.advance(60_000);
    expect(world.connections).toHaveLength(1);
    expect(world.sim.pendingTimers()).toBe(0);
  });

  it('from a listener of sse:connecting prevents the request', async () => {
    const { dl, world } = setup();
    dl.onLifecycle('sse:connecting', () => dl.disconnectSse());
    await begin(dl);
    await world.rest();
    expect(world.connections).toHaveLength(0);
  });
});

describe('configureSse', () => {
  it('D-SSE-3 keeps a pending reconnect if no option of the request changes', async () => {
    const { dl, world } = setup();
    await begin(dl);
    await world.last().fail(new TypeError('refused'));
    await world.sim.advance(1000);
    dl.configureSse({ maxRetryMs: 60_000 });
    await world.sim.advance(999);
    expect(world.connections).toHaveLength(1);
    await world.sim.advance(1);
    expect(world.connections).toHaveLength(2);
  });

  it('D-SSE-3 keeps the connection if the headers function is the same', async () => {
    const headers = (): Record<string, string> => ({ 'x-token': 'a' });
    const { dl, world, of } = setup({ headers });
    await begin(dl);
    await world.last().open();
    dl.configureSse({ headers, maxRetryMs: 60_000 });
    await world.sim.advance(1000);
    expect(world.connections).toHaveLength(1);
    expect(of('sse:close')).toEqual([]);
  });

  it.each([
    ['url', { url: '/other' }],
    ['baseUrl', { baseUrl: 'https://api.test' }],
    ['audience', { audience: 'team-7' }],
    ['audience as a list', { audience: ['global', 'team-7'] }],
    ['clientIdParam', { clientIdParam: 'c' }],
    ['audienceParam', { audienceParam: 'a' }],
    ['withCredentials', { withCredentials: true }],
    ['headers', { headers: { 'x-token': 'b' } }],
    ['headers function', { headers: () => ({}) }],
  ])('D-SSE-3 reconnects immediately for a new %s', async (_what, change) => {
    const { opened, dl, of, world } = setup();
    await opened();
    dl.configureSse(change);
    await world.rest();
    expect(of('sse:close')).toEqual([{ reason: 'configure' }]);
    expect(of('sse:error')).toEqual([]);
    expect(world.connections.map((connection) => connection.isAborted())).toEqual([true, false]);
  });

  it('D-SSE-3 reconnects immediately for another headers function', async () => {
    const { dl, world } = setup({ headers: () => ({}) });
    await begin(dl);
    await world.rest();
    dl.configureSse({ headers: () => ({ 'x-token': 'b' }) });
    await world.rest();
    expect(world.connections).toHaveLength(2);
  });

  it.each([
    ['the same url', { url: '/api/events' }],
    ['other retry delays', { initialRetryMs: 10, maxRetryMs: 20 }],
    ['equal headers', { headers: {} }],
  ])('D-SSE-3 keeps the connection for %s', async (_what, change) => {
    const { opened, dl, sse, world } = setup();
    await opened();
    dl.configureSse(change);
    await world.rest();
    expect(world.connections).toHaveLength(1);
    expect(sse().connected).toBe(true);
  });

  it('does not connect a stream that was not connected', async () => {
    const { dl, world } = setup({ connectOnInit: false });
    await begin(dl);
    dl.configureSse({ url: '/other' });
    expect(world.connections).toHaveLength(0);
  });

  it('does not connect after disconnectSse', async () => {
    const { opened, dl, world } = setup();
    await opened();
    dl.disconnectSse();
    dl.configureSse({ url: '/other' });
    expect(world.connections).toHaveLength(1);
  });

  it('closes with enabled: false and connects again with true', async () => {
    const { opened, dl, of, world } = setup();
    await opened();
    dl.configureSse({ enabled: false });
    await world.rest();
    expect(of('sse:close')).toEqual([{ reason: 'configure' }]);
    dl.configureSse({ enabled: true });
    await world.rest();
    expect(world.connections).toHaveLength(2);
  });

  it('replaces a pending reconnect to the old URL', async () => {
    const { dl, sse, world } = setup();
    await begin(dl);
    await world.last().fail(new TypeError('refused'));
    dl.configureSse({ url: '/other' });
    await world.rest();
    expect(world.last().url.pathname).toBe('/other');
    expect(sse()).toMatchObject({ status: 'connecting', attempt: 1 });
  });
});

describe('dispose', () => {
  it.each<[when: string, reach: (one: ReturnType<typeof setup>) => Promise<void>]>([
    ['connecting', async ({ dl }) => dl.init()],
    ['open', ({ opened }) => opened()],
    [
      'open with an interval and a pending resync',
      async ({ opened, world }) => {
        await opened();
        await world.last().envelope(greeting(41, { recovered: false }));
      },
    ],
    [
      'waiting',
      async ({ dl, world }) => {
        await begin(dl);
        await world.last().fail(new TypeError('refused'));
      },
    ],
    [
      'offline',
      async ({ dl, world }) => {
        world.sim.page.setOnline(false);
        await begin(dl);
        await world.rest();
      },
    ],
  ])('while %s leaves no timer, no listener and no request', async (_when, reach) => {
    const one = setup();
    const { dl, of, world } = one;
    await reach(one);
    dl.dispose();
    await world.rest();
    expect(world.sim.pendingTimers()).toBe(0);
    expect(world.sim.page.listeners()).toBe(0);
    expect(world.connections.filter((connection) => !connection.isAborted())).toEqual([]);
    expect(of('sse:close')).toEqual([{ reason: 'dispose' }]);
    dl.connectSse();
    dl.configureSse({ url: '/other' });
    dl.ingestEnvelope(greeting(99, { recovered: false }));
    expect(world.sim.pendingTimers()).toBe(0);
    await world.sim.advance(600_000);
    expect(world.connections.filter((connection) => !connection.isAborted())).toEqual([]);
    expect(world.sim.pendingTimers()).toBe(0);
    expect(of('sse:resync-dispatch')).toEqual([]);
  });
});

describe('the connection attempt of init', () => {
  it('D-SSE-8 continues from cursors that are hydrated in the same task', async () => {
    const { dl, sse, world } = setup();
    dl.init();
    expect(sse().status).toBe('connecting');
    hydrate(dl, { v: 1, items: [], collections: [], cursors: [{ audience: 'global', seq: 41 }] });
    await world.rest();
    expect(world.connections.map(({ url }) => url.searchParams.getAll('last_seq'))).toEqual([['41']]);
  });

  it('D-SSE-3 sends no request when disconnectSse follows in the same task', async () => {
    const { dl, world } = setup();
    dl.init();
    dl.disconnectSse();
    await world.rest();
    expect(world.connections).toEqual([]);
  });
});

describe('D-SSE-8 data that arrives during a connection attempt', () => {
  const item = (ageMs: number, id = 1): DehydratedState['items'][number] => ({
    type: 'ticket',
    id,
    payloads: [{ levels: ['default'], data: { id }, ageMs }],
  });
  /** Connects, runs `act` while the attempt is in flight, and opens. */
  async function opening(act: (one: Setup) => unknown, opensAfterMs = 30): Promise<Setup> {
    const one = setup();
    one.dl.createType('ticket', { fetch: () => ({ id: 1 }) });
    await begin(one.dl);
    await one.world.sim.advance(opensAfterMs);
    await act(one);
    await one.world.last().open();
    await one.world.last().envelope(greeting(41));
    return one;
  }
  const resyncs = ({ of }: Setup): unknown[] =>
    of('sse:resync-scheduled').map(({ context: { reason } }) => reason);

  it.each<[what: string, act: (one: Setup) => unknown]>([
    ['a read', ({ dl }) => dl.fetchItem('ticket', 1)],
    [
      'a response with directives',
      ({ dl }) => dl.applyResponse(Response.json({ directives: [directive()] })),
    ],
    ['nothing', () => undefined],
  ])('is covered by the slack of the hub: %s', async (_what, act) => {
    const one = await opening(act);
    expect(one.world.connections.map(({ url }) => url.searchParams.get('since_ms'))).toEqual(['1']);
    expect(resyncs(one)).toEqual([]);
  });

  it('is refetched when it is older than the attempt', async () => {
    const fetched: unknown[] = [];
    const one = await opening(({ dl }) => {
      dl.createType('ticket', { fetch: (id) => fetched.push(id), stalenessMs: 60_000 });
      dl.onRefChange(dl.getItemRef('ticket', 1), () => undefined);
      hydrate(dl, { v: 1, items: [item(300)], collections: [], cursors: [] });
    });
    await one.world.sim.advance(50);
    expect(fetched).toEqual([1]);
    expect(one.world.connections).toHaveLength(1);
    expect(resyncs(one)).toEqual([]);
  });

  it('is not refetched when it came with cursors', async () => {
    const cursors = [{ audience: 'global', seq: 41 }];
    const one = await opening(({ dl }) =>
      hydrate(dl, { v: 1, items: [item(300)], collections: [], cursors }),
    );
    expect(one.dl.getItemRef('ticket', 1).meta.isStale).toBe(false);
    expect(resyncs(one)).toEqual([]);
  });

  it.each([
    [2000, []],
    [2001, ['replay-miss']],
  ])('with a stream that opens after %d ms causes the resyncs %j', async (ms, expected) => {
    expect(resyncs(await opening(() => undefined, ms))).toEqual(expected);
  });

  it('with a stream that opens late causes one resync, even without a greeting', async () => {
    const one = setup();
    await begin(one.dl);
    await one.world.sim.advance(2001);
    await one.world.last().open();
    await one.world.last().envelope(envelope(42));
    await one.world.last().envelope(envelope(43));
    expect(one.of('sse:gap')).toEqual([
      { audience: 'global', lastSeq: null, incomingSeq: 42, reason: 'replay-miss' },
    ]);
    expect(resyncs(one)).toEqual(['replay-miss']);
  });

  it('causes no resync when all sequence numbers are known', async () => {
    const one = await opening(() => undefined);
    await one.world.last().cut();
    await one.world.sim.advance(2000);
    await one.world.sim.advance(20_000);
    await one.world.last().open();
    await one.world.last().envelope(greeting(41));
    expect(resyncs(one)).toEqual([]);
  });
});
