// The client's connection in simulated time: D-SSE-1 to -5.

import type { DataLayer, SseOptions } from '@edict/core';
import { hydrate, type DehydratedState } from '@edict/core/hydration';
import type { Simulation } from '@edict/core/testing';
import { describe, expect, it } from 'vitest';
import { createWorld } from '../world.ts';
import { begin, directive, envelope, greeting, position, setup, type Setup } from './setup.ts';

function becomeVisible({ page }: Simulation): void {
  page.setVisible(false);
  page.setVisible(true);
}
function comeOnline({ page }: Simulation): void {
  page.setOnline(false);
  page.setOnline(true);
}

describe('the request', () => {
  it('§2.8 §4.2 by default, init requests an event stream for the global audience, without cookies', async () => {
    const { dl, world, opened, sse } = setup();
    await opened();
    expect(world.connections).toHaveLength(1);
    const { url, init } = world.last();
    expect(url.pathname).toBe('/api/events');
    expect(url.searchParams.get('client_id')).toBe(dl.clientId());
    expect(url.searchParams.getAll('audience')).toEqual(['global']);
    expect(init.method ?? 'GET').toBe('GET');
    expect(init.credentials).toBe('omit');
    expect(new Headers(init.headers).get('accept')).toBe('text/event-stream');
    expect(init.cache).toBe('no-store');
    expect(sse()).toMatchObject({ enabled: true, connected: true, audience: 'global' });
  });

  it.each([
    [true, 'include'],
    [false, 'omit'],
  ])('D-SSE-1 with withCredentials: %s has credentials: %s', async (withCredentials, credentials) => {
    const { dl, world } = setup({ withCredentials });
    await begin(dl);
    expect(world.last().init.credentials).toBe(credentials);
  });

  it('§2.8 is not sent with enabled: false', async () => {
    const { dl, sse, world } = setup({ enabled: false });
    await begin(dl);
    dl.connectSse();
    expect(world.connections).toHaveLength(0);
    expect(sse()).toMatchObject({ enabled: false, status: 'off' });
  });

  it.each([
    ['configureSse', (dl: DataLayer) => dl.configureSse({ enabled: true })],
    ['a second init', (dl: DataLayer) => dl.init({ sse: { enabled: true } })],
  ])('§2.8 is sent when %s enables a stream that init left disabled', async (_, enable) => {
    const { dl, world } = setup({ enabled: false });
    await begin(dl);
    enable(dl);
    await world.rest();
    expect(world.connections).toHaveLength(1);
  });

  it('§2.8 waits for connectSse with connectOnInit: false, even if the stream is enabled later', async () => {
    const { dl, world } = setup({ enabled: false, connectOnInit: false });
    await begin(dl);
    dl.configureSse({ enabled: true });
    await world.rest();
    expect(world.connections).toHaveLength(0);
    dl.connectSse();
    await world.rest();
    expect(world.connections).toHaveLength(1);
  });

  it('§2.8 waits for connectSse with connectOnInit: false', async () => {
    const { dl, world } = setup({ connectOnInit: false });
    await begin(dl);
    expect(world.connections).toHaveLength(0);
    expect(world.sim.page.listeners()).toBe(0);
    dl.connectSse();
    await world.rest();
    expect(world.connections).toHaveLength(1);
  });

  it('D-SSE-1 has the configured headers', async () => {
    const { dl, world } = setup({ headers: { Authorization: 'Bearer a' } });
    await begin(dl);
    expect(new Headers(world.last().init.headers).get('authorization')).toBe('Bearer a');
  });

  it.each<[string, () => unknown]>([
    ['Headers', () => new Headers({ authorization: 'Bearer a' })],
    ['a list of pairs', () => Promise.resolve([['authorization', 'Bearer a']])],
  ])('D-SSE-4 has the headers of a function that returns %s', async (_, make) => {
    const { dl, world } = setup({ headers: make as () => Record<string, string> });
    await begin(dl);
    await world.rest();
    const sent = new Headers(world.last().init.headers);
    expect([sent.get('authorization'), sent.get('accept')]).toEqual(['Bearer a', 'text/event-stream']);
  });

  it('D-SSE-4 has new headers from the function for each attempt', async () => {
    let token = 0;
    const { dl, world } = setup({ headers: () => Promise.resolve({ Authorization: `Bearer ${++token}` }) });
    await begin(dl);
    await world.rest();
    await world.last().fail(new TypeError('refused'));
    await world.sim.advance(2000);
    const sent = world.connections.map(({ init }) => new Headers(init.headers).get('authorization'));
    expect(sent).toEqual(['Bearer 1', 'Bearer 2']);
  });

  it('D-SSE-4 is retried when the headers function rejects', async () => {
    let calls = 0;
    const headers = (): Promise<Record<string, string>> =>
      ++calls === 1 ? Promise.reject(new Error('no token')) : Promise.resolve({});
    const { dl, of, world } = setup({ headers });
    await begin(dl);
    await world.rest();
    expect(of('sse:error')).toEqual([{ retryInMs: 2000, error: new Error('no token') }]);
    await world.sim.advance(2000);
    expect(world.connections).toHaveLength(1);
  });

  it('D-SSE-4 is retried when the headers function throws', async () => {
    const { dl, of, world } = setup({
      headers: () => {
        throw new Error('no token');
      },
    });
    await begin(dl);
    await world.rest();
    expect(of('sse:error')).toMatchObject([{ retryInMs: 2000 }]);
  });

  it('D-SSE-4 is retried when the headers function never settles', async () => {
    let calls = 0;
    const headers = (): Promise<Record<string, string>> =>
      ++calls === 1 ? new Promise(() => undefined) : Promise.resolve({});
    const { dl, of, world } = setup({ headers });
    await begin(dl);
    await world.sim.advance(60_000);
    expect(of('sse:error')).toMatchObject([{ retryInMs: 2000 }]);
    await world.sim.advance(2000);
    expect(world.connections).toHaveLength(1);
  });

  it('is not sent when the headers arrive after disconnectSse', async () => {
    let resolve!: (headers: Record<string, string>) => void;
    const { dl, world } = setup({ headers: () => new Promise((done) => void (resolve = done)) });
    await begin(dl);
    dl.disconnectSse();
    resolve({});
    await world.rest();
    expect(world.connections).toHaveLength(0);
  });

  it('is aborted and retried when no response arrives, and suggests a buffering proxy', async () => {
    const { dl, of, world } = setup();
    await begin(dl);
    await world.sim.advance(60_000);
    expect(world.last().isAborted()).toBe(true);
    expect(of('sse:error')).toMatchObject([{ reason: 'silent', retryInMs: 2000 }]);
    expect(world.sim.log).toMatchObject([{ level: 'warn', message: expect.stringContaining('buffering') }]);
  });
});

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

describe('backoff', () => {
  it.each<[string, Partial<SseOptions>, number[]]>([
    ['from 2 s to 30 s', {}, [2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000]],
    [
      'as configured',
      { initialRetryMs: 100, backoffMultiplier: 3, maxRetryMs: 1000 },
      [100, 300, 900, 1000, 1000, 1000, 1000],
    ],
  ])('§7 D-SSE-2 §2.8 §8 grows %s and stays there', async (_, options, waits) => {
    const { dl, of, world } = setup(options);
    await begin(dl);
    for (let attempt = 1; attempt <= 7; attempt++) {
      await world.last().fail(new TypeError('refused'));
      await world.sim.advance(30_000);
    }
    expect(of('sse:error').map(({ retryInMs }) => retryInMs)).toEqual(waits);
    expect(of('sse:connecting').map(({ attempt }) => attempt)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  });

  it('§3 reconnects at the end of the wait, not earlier', async () => {
    const { dl, sse, world } = setup();
    await begin(dl);
    await world.last().fail(new TypeError('refused'));
    expect(sse()).toMatchObject({ status: 'waiting', connected: false, attempt: 1, retryInMs: 2000 });
    expect(world.sim.pendingTimers()).toBe(1);
    await world.sim.advance(1999);
    expect(world.connections).toHaveLength(1);
    await world.sim.advance(1);
    expect(world.connections).toHaveLength(2);
    expect(sse()).toMatchObject({ status: 'connecting', attempt: 2, retryInMs: null });
  });

  it.each<[what: string, frame: string, next: number]>([
    ['starts over after an envelope', `data: ${JSON.stringify(envelope(41))}\n\n`, 2000],
    ['starts over after a position', `data: ${JSON.stringify(position(41))}\n\n`, 2000],
    ['starts over after a greeting', `data: ${JSON.stringify(greeting(41))}\n\n`, 2000],
    ['starts over after a comment line', ': beat\n\n', 2000],
    ['continues after an unreadable frame', 'data: {\n\n', 4000],
    ['continues after half a frame', 'data: {"type":"directives"', 4000],
    ['continues after no byte', '', 4000],
  ])('D-SSE-2 %s', async (_what, frame, next) => {
    const { dl, of, world } = setup();
    await begin(dl);
    await world.last().fail(new TypeError('refused'));
    await world.sim.advance(2000);
    await world.last().open();
    await world.last().send(frame);
    await world.last().cut();
    expect(of('sse:error').map(({ retryInMs }) => retryInMs)).toEqual([2000, next]);
  });

  it.each([
    [1999, 4000],
    [2000, 2000],
  ])('D-SSE-2 after a connection that lived for %d ms waits %d ms', async (lifeMs, next) => {
    const { dl, of, world } = setup();
    await begin(dl);
    await world.last().fail(new TypeError('refused'));
    await world.sim.advance(2000);
    await world.last().open();
    await world.sim.advance(lifeMs);
    await world.last().cut();
    expect(of('sse:error').at(-1)?.retryInMs).toBe(next);
  });

  it('D-SSE-2 uses a retry: once and then continues as without it', async () => {
    const { opened, of, world } = setup();
    await opened();
    await world.last().send('retry: 70\n\n');
    await world.last().cut();
    await world.sim.advance(70);
    await world.last().fail(new TypeError('refused'));
    expect(of('sse:error').map(({ retryInMs }) => retryInMs)).toEqual([70, 4000]);
  });

  it('D-SSE-2 limits a retry: to 5 minutes', async () => {
    const { opened, of, world } = setup();
    await opened();
    await world.last().send('retry: 99999999999999999999\n\n');
    await world.last().cut();
    expect(of('sse:error')).toMatchObject([{ retryInMs: 300_000 }]);
  });

  it('D-SSE-2 treats an end after retry: as a close without an error', async () => {
    const { opened, of, world } = setup();
    await opened();
    await world.last().send('retry: 70\n\n');
    await world.last().end();
    expect(of('sse:close')).toEqual([{ reason: 'server' }]);
    expect(of('sse:error')).toEqual([]);
    await world.sim.advance(70);
    expect(world.connections).toHaveLength(2);
  });

  it('D-SSE-2 treats an end without retry: as an error', async () => {
    const { opened, of, world } = setup();
    await opened();
    await world.last().end();
    expect(of('sse:close')).toEqual([]);
    expect(of('sse:error')).toMatchObject([{ retryInMs: 2000 }]);
  });

  it('D-SSE-2 forgets the retry: of an earlier connection', async () => {
    const { opened, of, world } = setup();
    await opened();
    await world.last().send('retry: 70\n\n');
    await world.last().end();
    await world.sim.advance(70);
    await world.last().open();
    await world.last().end();
    expect(of('sse:close')).toHaveLength(1);
    expect(of('sse:error')).toHaveLength(1);
  });
});

describe('a refusal', () => {
  it.each([204, 401, 403])('D-SSE-2 with %d stops reconnecting', async (status) => {
    const { dl, sse, of, world } = setup();
    await begin(dl);
    await world.last().refuse(status);
    expect(of('sse:error')).toEqual([{ retryInMs: null, status, error: expect.any(Error) as Error }]);
    expect(sse()).toMatchObject({ status: 'off', connected: false, retryInMs: null });
    expect(world.sim.pendingTimers()).toBe(0);
    await world.sim.advance(3_600_000);
    expect(world.connections).toHaveLength(1);
    dl.connectSse();
    await world.rest();
    expect(world.connections).toHaveLength(2);
  });

  it('D-SSE-2 lasts until configureSse is called with any option', async () => {
    const { dl, world } = setup();
    await begin(dl);
    await world.last().refuse(401);
    dl.configureSse({ maxRetryMs: 60_000 });
    await world.rest();
    expect(world.connections).toHaveLength(2);
  });

  it.each([400, 404, 405, 413, 429, 500, 502, 503])('D-SSE-2 with %d is retried', async (status) => {
    const { dl, of, world } = setup();
    await begin(dl);
    await world.last().refuse(status);
    expect(of('sse:error')).toMatchObject([{ retryInMs: 2000, status }]);
    expect(world.last().isAborted()).toBe(true);
    await world.sim.advance(2000);
    expect(world.connections).toHaveLength(2);
  });

  it.each([
    [429, 7000],
    [503, 7000],
    [500, 2000],
  ])('D-SSE-4 with %d and Retry-After: 7 waits %d ms', async (status, retryInMs) => {
    const { dl, of, world } = setup();
    await begin(dl);
    await world.last().refuse(status, { 'retry-after': '7' });
    expect(of('sse:error')).toMatchObject([{ retryInMs }]);
  });

  it('D-SSE-4 with Retry-After waits that long each time', async () => {
    const { dl, of, world } = setup();
    await begin(dl);
    for (let times = 0; times < 3; times += 1) {
      await world.last().refuse(503, { 'retry-after': '7' });
      expect(of('sse:error').at(-1)).toMatchObject({ retryInMs: 7000 });
      await world.sim.advance(7000);
    }
    expect(world.connections).toHaveLength(4);
  });

  it('D-SSE-4 with Retry-After: 0 reconnects immediately, and with the backoff if it is repeated', async () => {
    const { dl, of, world } = setup();
    await begin(dl);
    for (const waitMs of [0, 4000, 8000]) {
      await world.last().refuse(503, { 'retry-after': '0' });
      expect(of('sse:error').at(-1)).toMatchObject({ retryInMs: waitMs });
      await world.sim.advance(waitMs);
    }
    expect(world.connections).toHaveLength(4);
  });

  it.each([
    [401, 1],
    [403, 1],
    [404, 1],
    [204, 0],
    [429, 0],
    [500, 0],
    [503, 0],
  ])('with %d logs this number of warnings: %d', async (status, times) => {
    const { dl, world } = setup();
    await begin(dl);
    await world.last().refuse(status);
    expect(
      world.sim.log.filter(({ level, message }) => level === 'warn' && message.includes(String(status))),
    ).toHaveLength(times);
  });

  it('D-SSE-1 by the status is an error, even if the content type is an event stream', async () => {
    const { dl, of, world } = setup();
    await begin(dl);
    await world.last().refuse(500, { 'content-type': 'text/event-stream' });
    expect(of('sse:open')).toEqual([]);
    expect(of('sse:error')).toMatchObject([{ retryInMs: 2000, status: 500 }]);
  });

  it('D-SSE-2 after an open connection is an error that reports its end, and attempts count from 1 again', async () => {
    const { opened, of, world } = setup();
    await opened();
    await world.last().envelope(envelope(41));
    await world.last().end();
    expect(of('sse:error').map(({ error }) => String(error))).toEqual([
      'Error: [edict] Event stream: the connection ended.',
    ]);
    await world.sim.advance(2000);
    expect(of('sse:connecting').map(({ attempt }) => attempt)).toEqual([1, 1]);
  });

  it('by a headers function that throws is logged once', async () => {
    const error = new Error('no token');
    const headers = (): never => {
      throw error;
    };
    const { dl, of, world } = setup({ headers });
    await begin(dl);
    await world.sim.advance(2000);
    expect(of('sse:error')).toMatchObject([{ error }, { error }]);
    expect(world.sim.log).toMatchObject([
      { level: 'warn', message: 'Event stream: sse.headers failed.', detail: error },
    ]);
  });

  it.each<[string, Partial<SseOptions>, string | null, string[]]>([
    [
      'outside a browser without sse.baseUrl is logged once',
      {},
      null,
      ['outside a browser the event stream needs sse.baseUrl'],
    ],
    ['outside a browser with sse.baseUrl is not logged', { baseUrl: 'https://api.test' }, null, []],
    ['outside a browser with an absolute URL is not logged', { url: 'https://api.test/events' }, null, []],
    ['in a browser is not logged', {}, 'http://page.test', []],
  ])('by a network error %s', async (_, options, origin, told) => {
    const { dl, of, world } = setup(options, { env: { origin: () => origin } });
    await begin(dl);
    await world.last().fail(new TypeError('Failed to parse URL'));
    await world.sim.advance(2000);
    await world.last().fail(new TypeError('Failed to parse URL'));
    expect(of('sse:error')).toHaveLength(2);
    expect(world.sim.log.map(({ message }) => message)).toEqual(told);
  });

  it.each(['text/html', 'text/event-streams'])(
    'D-SSE-1 by the content type "%s" is an error that retries',
    async (type) => {
      const { dl, of, world } = setup();
      await begin(dl);
      await world.last().open({ 'content-type': type });
      expect(of('sse:open')).toEqual([]);
      expect(of('sse:error')).toMatchObject([
        {
          retryInMs: 2000,
          status: 200,
          error: {
            message: `[edict] Event stream: the response has status 200 and type ${type}, not an event stream. Check sse.url and the proxy.`,
          },
        },
      ]);
      expect(world.last().isReleased()).toBe(true);
      expect(world.sim.log).toMatchObject([
        { level: 'warn', message: expect.stringContaining('Check sse.url') },
      ]);
    },
  );

  it('D-SSE-2 by 401 names the option that sends cookies', async () => {
    const { dl, of, world } = setup();
    await begin(dl);
    await world.last().refuse(401);
    expect(of('sse:error')).toMatchObject([{ retryInMs: null, status: 401 }]);
    expect(world.sim.log).toMatchObject([
      {
        level: 'warn',
        message: expect.stringMatching(
          /status 401\. If the request lacks cookies, set sse\.withCredentials\.$/,
        ),
      },
    ]);
  });

  it('D-SSE-1 by a fetch without streams is an error that names the fix', async () => {
    const { dl, of, world } = setup();
    await begin(dl);
    await world.last().openUnread();
    const message =
      'Event stream: the response has status 200 and type text/event-stream, but this fetch cannot stream a body. Set env.fetch to one that can.';
    expect(of('sse:error')).toMatchObject([
      { retryInMs: 2000, status: 200, error: { message: `[edict] ${message}` } },
    ]);
    expect(world.sim.log).toMatchObject([{ level: 'warn', message }]);
  });

  it('D-SSE-1 does not follow from a missing content type', async () => {
    const { dl, of, world } = setup();
    await begin(dl);
    await world.last().open({});
    await world.last().envelope(envelope(41));
    expect(of('sse:open')).toHaveLength(1);
    expect(dl.state().sse.lastSeq).toEqual({ global: 41 });
  });

  it('D-SSE-1 does not follow from a content type with parameters', async () => {
    const { dl, of, world } = setup();
    await begin(dl);
    await world.last().open({ 'content-type': 'Text/Event-Stream; charset=utf-8' });
    expect(of('sse:open')).toHaveLength(1);
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

describe('a page that returns after a refusal', async () => {
  const comesBack: Record<string, (sim: Simulation) => void> = {
    'becomes visible': becomeVisible,
    'comes online': comeOnline,
    'is restored': ({ page }) => page.restore(),
  };
  it.each(
    [401, 403].flatMap((status) =>
      Object.entries(comesBack).map(([how, run]) => [status, how, run] as const),
    ),
  )('D-SSE-2 reconnects once after %d when it %s', async (status, _how, comeBack) => {
    const { dl, of, sse, world } = setup();
    await begin(dl);
    await world.last().refuse(status);
    comeBack(world.sim);
    await world.rest();
    expect(world.connections).toHaveLength(2);
    await world.last().open();
    expect(sse().connected).toBe(true);
    expect(of('sse:connecting').map(({ attempt }) => attempt)).toEqual([1, 1]);
  });

  it('D-SSE-2 reconnects at most once a minute', async () => {
    const { dl, world } = setup();
    await begin(dl);
    await world.last().refuse(401);
    for (const ms of [0, 59_999, 1]) {
      await world.sim.advance(ms);
      becomeVisible(world.sim);
      await world.rest();
      if (!world.last().isAborted()) await world.last().refuse(401);
    }
    expect(world.connections.map(({ at }) => at - (world.connections[0]?.at ?? 0))).toEqual([0, 0, 60_000]);
  });

  it.each([
    ['204', ({ world }: Setup) => world.last().refuse(204)],
    ['disconnectSse', async ({ dl, world }: Setup) => world.last().refuse(401).then(dl.disconnectSse)],
  ])('D-SSE-2 does not reconnect after %s', async (_what, end) => {
    const one = setup();
    await begin(one.dl);
    await end(one);
    becomeVisible(one.world.sim);
    await one.world.rest();
    expect(one.world.connections).toHaveLength(1);
  });
});

describe('the error body of a refusal', () => {
  const refusal = { error: { code: 'audience_refused', message: 'no', audience: 'team-7' } };
  it.each<[what: string, type: string, body: unknown, known: object]>([
    ['a code and an audience', 'application/json', refusal, { code: 'audience_refused', audience: 'team-7' }],
    ['a code alone', 'application/json; charset=utf-8', { error: { code: 'closing' } }, { code: 'closing' }],
    ['neither', 'application/json', { error: 'no' }, {}],
    ['fields of other types', 'application/json', { error: { code: 7, audience: ['a'] } }, {}],
    ['no JSON', 'application/json', undefined, {}],
    ['another type', 'text/html', refusal, {}],
  ])('D-SSE-2 with %s is reported by sse:error', async (_what, type, body, known) => {
    const { dl, of, world } = setup();
    await begin(dl);
    const text = body === undefined ? '<html>' : JSON.stringify(body);
    await world.last().refuse(403, { 'content-type': type }, text);
    expect(of('sse:error')).toEqual([
      { retryInMs: null, status: 403, ...known, error: expect.any(Error) as Error },
    ]);
  });

  it.each([
    [403, refusal, ': audience_refused: team-7: no.'],
    [400, { error: { code: 'bad_parameters' } }, ': bad_parameters.'],
    [400, { error: { code: 'bad_parameters', message: 'Too many.' } }, ': bad_parameters: Too many.'],
    [404, {}, '. Check sse.url and the proxy.'],
  ])('D-SSE-2 with status %d and %j is explained in the log', async (status, body, end) => {
    const { dl, world } = setup();
    await begin(dl);
    await world.last().refuse(status, { 'content-type': 'application/json' }, JSON.stringify(body));
    const message = `Event stream: the response has status ${status}${end}`;
    expect(world.sim.log).toMatchObject([{ level: 'warn', message }]);
  });
});

describe('the reconnect jitter', () => {
  it.each([
    [0.5, 0, 2000],
    [0.5, 0.5, 1500],
    [1, 0.75, 500],
    [0, 0.9, 2000],
  ])(
    'D-SSE-2 with retryJitter %d and a random number %d waits %d ms',
    async (retryJitter, random, waitMs) => {
      const { dl, of, world } = setup({ retryJitter }, { env: { random: () => random } });
      await begin(dl);
      await world.last().fail(new TypeError('refused'));
      expect(of('sse:error')).toMatchObject([{ retryInMs: waitMs }]);
      expect(dl.state().sse.retryInMs).toBe(waitMs);
      await world.sim.advance(waitMs - 1);
      expect(world.connections).toHaveLength(1);
      await world.sim.advance(1);
      expect(world.connections).toHaveLength(2);
    },
  );

  it('D-SSE-2 is up to half of the wait by default, and none if the server set the wait', async () => {
    const { of, sim } = createWorld({ init: { sse: { enabled: true } }, env: () => ({ random: () => 0.5 }) });
    sim.hub.stop();
    await sim.advance(0);
    sim.hub.start();
    sim.hub.refuse({ status: 503, headers: { 'retry-after': '7' } });
    await sim.advance(1500);
    expect(of('sse:error').map(({ retryInMs }) => retryInMs)).toEqual([1500, 7000]);
  });
});

describe('the network', () => {
  it('D-SSE-4 is tried on init even if the browser reports offline', async () => {
    const { dl, sse, world } = setup();
    world.sim.page.setOnline(false);
    await begin(dl);
    await world.last().open();
    expect(sse().connected).toBe(true);
  });

  it('D-SSE-4 is tried by connectSse even if the browser reports offline', async () => {
    const { dl, world } = setup({ connectOnInit: false });
    world.sim.page.setOnline(false);
    await begin(dl);
    dl.connectSse();
    await world.rest();
    expect(world.connections).toHaveLength(1);
  });

  it('D-SSE-4 is retried every maxRetryMs while offline, and immediately when online', async () => {
    const { dl, of, world } = setup({ retryJitter: 0.5 });
    world.sim.page.setOnline(false);
    await begin(dl);
    for (let times = 0; times < 3; times++) {
      await world.last().fail(new TypeError('refused'));
      await world.sim.advance(30_000);
    }
    expect(of('sse:error').map(({ retryInMs }) => retryInMs)).toEqual([30_000, 30_000, 30_000]);
    await world.last().fail(new TypeError('refused'));
    world.sim.page.setOnline(true);
    await world.rest();
    expect(world.connections).toHaveLength(5);
  });

  it('D-SSE-4 is tried immediately when it is back, before the wait is over', async () => {
    const { dl, world } = setup();
    await begin(dl);
    await world.last().fail(new TypeError('refused'));
    comeOnline(world.sim);
    await world.rest();
    expect(world.connections).toHaveLength(2);
    await world.sim.advance(2000);
    expect(world.connections).toHaveLength(2);
  });

  it('D-SSE-4 postpones a wait that ends offline to maxRetryMs after the loss', async () => {
    const { dl, sse, world } = setup();
    await begin(dl);
    await world.last().fail(new TypeError('refused'));
    world.sim.page.setOnline(false);
    await world.rest();
    await world.sim.advance(29_999);
    expect(world.connections).toHaveLength(1);
    expect(sse()).toMatchObject({ status: 'waiting', retryInMs: 30_000 });
    await world.sim.advance(1);
    expect(world.connections).toHaveLength(2);
  });

  it('D-SSE-4 keeps an open stream for one heartbeat interval without a byte', async () => {
    const { opened, of, sse, world } = setup();
    await opened();
    await world.last().envelope(greeting(41));
    world.sim.page.setOnline(false);
    await world.rest();
    await world.sim.advance(14_999);
    expect(sse().connected).toBe(true);
    await world.sim.advance(1);
    expect(of('sse:close')).toEqual([{ reason: 'offline' }]);
    expect(of('sse:error')).toEqual([]);
    expect(sse()).toMatchObject({ status: 'waiting', retryInMs: 30_000 });
    await world.sim.advance(30_000);
    expect(world.connections).toHaveLength(2);
    expect(world.last().url.searchParams.getAll('last_seq')).toEqual(['41']);
  });

  it('D-SSE-4 keeps an open stream as long as bytes arrive', async () => {
    const { opened, of, sse, world } = setup();
    await opened();
    await world.last().envelope(greeting(41));
    world.sim.page.setOnline(false);
    await world.rest();
    for (let beats = 0; beats < 10; beats++) {
      await world.sim.advance(14_000);
      await world.last().envelope(position(41));
    }
    expect(sse().connected).toBe(true);
    await world.sim.advance(37_500);
    expect(of('sse:error')).toMatchObject([{ reason: 'silent', retryInMs: 30_000 }]);
  });

  it('D-SSE-4 keeps an open stream when the browser is online again in time', async () => {
    const { opened, sse, world } = setup();
    await opened();
    await world.last().envelope(greeting(41));
    world.sim.page.setOnline(false);
    await world.rest();
    await world.sim.advance(10_000);
    world.sim.page.setOnline(true);
    await world.rest();
    await world.sim.advance(20_000);
    expect(sse().connected).toBe(true);
    expect(world.connections).toHaveLength(1);
  });

  it.each([
    [37_499, 1],
    [37_500, 2],
  ])('D-SSE-4 that is online again after %d ms of sleep has had %d connections', async (ms, count) => {
    const { opened, world } = setup();
    await opened();
    await world.last().envelope(greeting(41));
    world.jump(ms); // Timers may stand still while the computer sleeps.
    world.sim.page.setOnline(false);
    world.sim.page.setOnline(true);
    await world.rest();
    expect(world.connections).toHaveLength(count);
  });

  it('D-SSE-4 keeps an open stream without a known interval', async () => {
    const { opened, sse, world } = setup();
    await opened();
    await world.last().envelope(envelope(41));
    world.sim.page.setOnline(false);
    await world.rest();
    await world.sim.advance(3_600_000);
    expect(sse().connected).toBe(true);
  });
});

describe('liveness', () => {
  it('D-SSE-5 closes a connection after 2.5 announced intervals of silence', async () => {
    const { opened, of, world } = setup();
    await opened();
    await world.last().envelope(greeting(41));
    await world.sim.advance(37_499);
    expect(of('sse:error')).toEqual([]);
    await world.sim.advance(1);
    expect(of('sse:error')).toMatchObject([{ retryInMs: 2000 }]);
    expect(world.last().isAborted()).toBe(true);
  });

  it('D-SSE-6 uses the heartbeat interval of an envelope whose sequence number is invalid', async () => {
    const { opened, of, world } = setup();
    await opened();
    await world.last().envelope({ ...envelope(-1), heartbeat_ms: 10_000 });
    await world.sim.advance(24_999);
    expect(of('sse:message-error')).toHaveLength(1);
    expect(of('sse:error')).toEqual([]);
    await world.sim.advance(1);
    expect(of('sse:error')).toHaveLength(1);
  });

  it('D-SSE-5 detects silence even if the clock was set back', async () => {
    const { opened, of, world } = setup();
    await opened();
    await world.last().envelope(greeting(1, { heartbeat_ms: 10_000 }));
    await world.sim.advance(10_000);
    world.jump(-3_600_000);
    await world.sim.advance(14_999);
    expect(of('sse:error')).toEqual([]);
    await world.sim.advance(1);
    expect(of('sse:error')).toHaveLength(1);
  });

  it('D-SSE-5 closes a connection without a byte after 60 s and suggests a buffering proxy', async () => {
    const { opened, of, world } = setup();
    await opened();
    await world.sim.advance(59_999);
    expect(of('sse:error')).toEqual([]);
    await world.sim.advance(1);
    expect(of('sse:error')).toMatchObject([{ reason: 'silent', retryInMs: 2000 }]);
    expect(world.sim.log).toMatchObject([{ level: 'warn', message: expect.stringContaining('buffering') }]);
    expect(world.last().isAborted()).toBe(true);
  });

  it.each([
    ['15000', 37_500],
    ['30000', 75_000],
    ['10', 10_000],
    ['0', 60_000],
    ['soon', 60_000],
    ['Infinity', 60_000],
  ])(
    'D-SSE-5 with X-Service-Heartbeat-Ms: %s closes a silent connection after %d ms',
    async (ms, silentMs) => {
      const { dl, of, world } = setup();
      await begin(dl);
      await world.last().open({ 'content-type': 'text/event-stream', 'x-service-heartbeat-ms': ms });
      await world.sim.advance(silentMs - 1);
      expect(of('sse:error')).toEqual([]);
      await world.sim.advance(1);
      expect(of('sse:error')).toMatchObject([{ reason: 'silent' }]);
    },
  );

  it('D-SSE-5 uses the interval of the header if the greeting announces none', async () => {
    const { dl, of, world } = setup();
    await begin(dl);
    await world.last().open({ 'content-type': 'text/event-stream', 'x-service-heartbeat-ms': '15000' });
    await world.last().envelope({ type: 'hello', audience: 'global', last_seq: 41 });
    await world.sim.advance(37_499);
    expect(of('sse:error')).toEqual([]);
    await world.sim.advance(1);
    expect(of('sse:error')).toHaveLength(1);
  });

  it('D-SSE-5 doubles the wait for a server that never sends a byte, up to 15 min', async () => {
    const { dl, of, world } = setup();
    await begin(dl);
    for (const [times, seconds] of [60, 60, 60, 120, 240, 480, 900, 900].entries()) {
      await world.last().open();
      await world.sim.advance(seconds * 1000 - 1);
      expect(of('sse:error')).toHaveLength(times);
      await world.sim.advance(1);
      expect(of('sse:error')).toHaveLength(times + 1);
      await world.sim.advance(2000);
    }
    await world.last().open();
    await world.last().send(': hello\n\n');
    await world.last().cut();
    await world.sim.advance(2000);
    await world.last().open();
    await world.sim.advance(60_000);
    expect(of('sse:error').at(-1)).toMatchObject({ reason: 'silent' });
  });

  it('D-SSE-5 restarts its wait after every byte', async () => {
    const { opened, of, world } = setup();
    await opened();
    await world.last().envelope(greeting(41));
    await world.sim.advance(30_000);
    await world.last().send('x');
    await world.sim.advance(37_499);
    expect(of('sse:error')).toEqual([]);
    await world.sim.advance(1);
    expect(of('sse:error')).toHaveLength(1);
  });

  it('D-SSE-5 learns the interval from comment lines', async () => {
    const { opened, of, world } = setup();
    await opened();
    await world.last().send(': beat\n\n');
    await world.sim.advance(6000);
    await world.last().send(': beat\n\n');
    await world.sim.advance(14_999);
    expect(of('sse:error')).toEqual([]);
    await world.sim.advance(1);
    expect(of('sse:error')).toHaveLength(1);
  });

  it('D-SSE-5 learns the interval from positions', async () => {
    const { opened, of, world } = setup();
    await opened();
    await world.last().envelope(position(41));
    await world.sim.advance(20_000);
    await world.last().envelope(position(41));
    await world.sim.advance(50_000);
    expect(of('sse:error')).toHaveLength(1);
  });

  it('D-SSE-5 does not count directives as heartbeats', async () => {
    const { opened, of, world } = setup();
    await opened();
    await world.last().envelope(envelope(41));
    await world.sim.advance(1000);
    await world.last().envelope(envelope(42));
    await world.sim.advance(3_600_000);
    expect(of('sse:error')).toEqual([]);
  });

  it('D-SSE-5 learns the interval of each audience separately', async () => {
    const { opened, of, world } = setup({ audience: ['a', 'b'] });
    await opened();
    for (let i = 0; i < 3; i++) {
      await world.last().envelope(position(41, 'a'));
      await world.sim.advance(1000);
      await world.last().envelope(position(41, 'b'));
      await world.sim.advance(29_000);
    }
    await world.sim.advance(45_999);
    expect(of('sse:error')).toEqual([]);
    await world.sim.advance(1);
    expect(of('sse:error')).toHaveLength(1);
  });

  it('D-SSE-5 allows 10 s of silence at any interval', async () => {
    const { opened, of, world } = setup();
    await opened();
    await world.last().envelope(greeting(41, { heartbeat_ms: 50 }));
    await world.sim.advance(9999);
    expect(of('sse:error')).toEqual([]);
    await world.sim.advance(1);
    expect(of('sse:error')).toHaveLength(1);
  });

  it('D-SSE-5 does not count a greeting as a heartbeat', async () => {
    const { opened, of, world } = setup();
    await opened();
    await world.last().envelope({ type: 'hello', audience: 'global', last_seq: 41 });
    await world.sim.advance(5000);
    await world.last().envelope(position(41));
    await world.sim.advance(3_600_000);
    expect(of('sse:error')).toEqual([]);
  });

  it('D-SSE-5 is not checked while no interval is known', async () => {
    const { opened, of, world } = setup();
    await opened();
    await world.last().envelope(envelope(41));
    await world.last().send(': hi\n\n');
    await world.sim.advance(24 * 3_600_000);
    expect(of('sse:error')).toEqual([]);
    expect(world.sim.pendingTimers()).toBe(0);
  });

  it('D-SSE-5 uses the interval of the previous connection until the greeting arrives', async () => {
    const { opened, of, world } = setup();
    await opened();
    await world.last().envelope(greeting(41));
    await world.last().cut();
    await world.sim.advance(2000);
    await world.last().open();
    await world.last().envelope(envelope(42)); // The replay has begun.
    await world.sim.advance(37_499);
    expect(of('sse:error')).toHaveLength(1);
    await world.sim.advance(1);
    expect(of('sse:error')).toHaveLength(2);
  });

  it('D-SSE-5 counts silence from the opening of the connection, even if the previous one lasted long', async () => {
    const { opened, of, world } = setup();
    await opened();
    await world.last().envelope(greeting(41));
    for (let beats = 0; beats < 10; beats += 1) {
      await world.sim.advance(15_000);
      await world.last().envelope(position(41));
    }
    await world.last().cut();
    await world.sim.advance(2000);
    await world.last().open();
    await world.sim.advance(37_499);
    expect(of('sse:error')).toHaveLength(1);
    await world.sim.advance(1);
    expect(of('sse:error')).toHaveLength(2);
  });

  it('D-SSE-5 observes the interval of each connection separately', async () => {
    const { opened, of, world } = setup();
    await opened();
    await world.last().send(': beat\n\n');
    await world.sim.advance(6000);
    await world.last().send(': beat\n\n');
    await world.last().cut();
    await world.sim.advance(2000);
    await world.last().open();
    await world.last().send(': beat\n\n');
    await world.sim.advance(3_600_000);
    expect(of('sse:error')).toHaveLength(1);
  });

  it('D-SSE-5 accepts several heartbeats in one write', async () => {
    const { opened, of, world } = setup({ audience: ['a', 'b'] });
    await opened();
    const beats = ['a', 'b']
      .map((audience) => `data: ${JSON.stringify(position(41, audience))}\n\n`)
      .join('');
    for (let i = 0; i < 5; i++) {
      await world.last().send(beats);
      await world.sim.advance(15_000);
    }
    expect(of('sse:error')).toEqual([]);
  });
});

describe('the page', () => {
  it('D-SSE-5 closes the stream on pagehide and reconnects with recovery on pageshow', async () => {
    const { opened, of, world } = setup();
    await opened();
    await world.last().envelope(envelope(41));
    world.sim.page.hide();
    expect(of('sse:close')).toEqual([{ reason: 'pagehide' }]);
    expect(world.last().isAborted()).toBe(true);
    await world.sim.advance(600_000);
    expect(world.connections).toHaveLength(1);
    world.sim.page.restore();
    await world.rest();
    expect(world.connections).toHaveLength(2);
    expect(world.last().url.searchParams.getAll('last_seq')).toEqual(['41']);
  });

  it.each([
    [22_500, 1],
    [22_501, 2],
  ])('D-SSE-5 that becomes visible after %d ms without a byte has had %d connections', async (ms, count) => {
    const { opened, world } = setup();
    await opened();
    await world.last().envelope(greeting(41));
    world.sim.page.setVisible(false);
    await world.rest();
    world.jump(ms);
    world.sim.page.setVisible(true);
    await world.rest();
    expect(world.connections).toHaveLength(count);
    expect(world.sim.log).toEqual([]);
  });

  it('D-SSE-3 has one connection even if a listener reconnects while it is replaced', async () => {
    const { opened, dl, world } = setup();
    await opened();
    await world.last().envelope(greeting(41));
    dl.onLifecycle('sse:error', () => {
      dl.disconnectSse();
      dl.connectSse();
    });
    world.jump(30_000);
    becomeVisible(world.sim);
    await world.rest();
    expect(world.connections.map((connection) => connection.isAborted())).toEqual([true, false]);
  });

  it('D-SSE-5 keeps the connection when it is hidden', async () => {
    const { opened, of, world } = setup();
    await opened();
    await world.last().envelope(greeting(41));
    world.jump(30_000);
    world.sim.page.setVisible(false);
    await world.rest();
    expect(of('sse:error')).toEqual([]);
  });

  it('is not required by the stream', async () => {
    const { opened, of } = setup({}, { env: { page: null } });
    await opened();
    expect(of('sse:open')).toHaveLength(1);
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
