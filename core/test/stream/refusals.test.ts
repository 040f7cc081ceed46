// Responses that are not a stream.

import type { SseOptions } from '@edict/core';
import type { Simulation } from '@edict/core/testing';
import { describe, expect, it } from 'vitest';
import { becomeVisible, begin, comeOnline, envelope, setup, type Setup } from './setup.ts';

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
