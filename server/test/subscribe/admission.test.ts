import { describe, expect, it } from 'vitest';
import { controlAudience, memoryBackplane, type Backplane, type HubOptions } from '../../src/index.ts';
import type { Channel } from '../../src/deliver/channel.ts';
import { describeRequest } from '../../src/http/fetchHandler.ts';
import { readOptions } from '../../src/options.ts';
import { createAdmission, type Outcome } from '../../src/subscribe/admission.ts';
import { createKeyLimits } from '../../src/subscribe/keyLimits.ts';
import { requestJson } from '../support/requests.ts';
import { hubForTest, serveHttp, serveHub, subscribe } from '../support/servers.ts';
import { simulate, type Simulated } from '../support/simulated.ts';
import { idsOf } from '../support/stream.ts';
import { createWorld } from '../support/world.ts';

const pending = (): Promise<boolean> => new Promise(() => {});

/** Returns the status of a request and the code of its refusal. */
async function statusOf(
  { hub }: Simulated,
  query = '',
  headers: HeadersInit = {},
): Promise<[number, string?]> {
  const response = await hub.fetchHandler(new Request(`http://hub.test/${query}`, { headers }));
  if (response.status === 200) return [200];
  const { error } = (await response.json()) as { error: { code: string } };
  return [response.status, error.code];
}

describe('a Request that is aborted while it is admitted', () => {
  it('D-HUB-3 leaves no open log, at whatever step it is aborted', async () => {
    const left: number[] = [];
    for (let steps = 0; steps < 40; steps += 1) {
      const inner = memoryBackplane();
      const open = new Set<object>();
      const backplane: Backplane = {
        connect(node) {
          const link = inner.connect(node);
          return {
            ...link,
            open(audience, sink) {
              const reader = link.open(audience, sink);
              if (audience !== controlAudience) open.add(reader);
              return {
                ...reader,
                close() {
                  open.delete(reader);
                  reader.close();
                },
              };
            },
          };
        },
      };
      const { hub, world } = simulate({ backplane });
      const leaving = new AbortController();
      const asked = hub.fetchHandler(new Request('http://hub.test/', { signal: leaving.signal }));
      for (let step = 0; step < steps; step += 1) await Promise.resolve();
      leaving.abort();
      await asked;
      await world.drain();
      await world.advance(10_000_000);
      if (open.size > 0) left.push(steps);
    }
    expect(left).toEqual([]);
  });
});

describe('the limit on all connections', () => {
  it('D-HUB-2 refuses the new connection with 503, and ends no stream', async () => {
    const { hub, url } = await serveHub({ limits: { maxConnections: 2 } });
    const streams = [await subscribe(url), await subscribe(url)];
    const { status, headers, body } = await requestJson(url);
    expect([status, body.error.code]).toEqual([503, 'too_many_connections']);
    expect(Number(headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    expect(streams.some(({ isEnded }) => isEnded())).toBe(false);
    expect(hub.metrics().refusals).toEqual({ too_many_connections: 1 });
  });

  it('D-HUB-2 does not count streams that have ended', async () => {
    const { open, hub } = simulate({ limits: { maxConnections: 1 } });
    await (await open()).cancel();
    await open();
    expect(hub.metrics().refusals).toEqual({});
  });

  it('D-HUB-2 spreads Retry-After', async () => {
    const seconds = await Promise.all(
      [0, 0.5, 0.999].map(async (chance) => {
        const { hub, open } = simulate(
          { limits: { maxConnections: 1 } },
          createWorld(undefined, () => chance),
        );
        await open();
        return (await hub.fetchHandler(new Request('http://hub.test/'))).headers.get('retry-after');
      }),
    );
    expect(seconds).toEqual(['1', '6', '10']);
  });

  it('D-HUB-2 does not count requests that wait for authorize', async () => {
    const simulated = simulate({
      limits: { maxConnections: 1 },
      authorize: (_, { clientId }) => clientId !== 'slow' || pending(),
    });
    for (let i = 0; i < 5; i += 1) void statusOf(simulated, '?client_id=slow');
    expect(await statusOf(simulated)).toEqual([200]);
  });

  it('D-HUB-2 is not exceeded when several requests are admitted at the same time', async () => {
    const simulated = simulate({ limits: { maxConnections: 2 }, authorize: () => Promise.resolve(true) });
    const results = await Promise.all(Array.from({ length: 5 }, () => statusOf(simulated)));
    expect(results.filter(([status]) => status === 200)).toHaveLength(2);
    expect(simulated.hub.metrics().connections).toBe(2);
  });

  it('D-HUB-2 does not count a client that left node:http while authorize ran', async () => {
    let onAsked = (_admit: (isAllowed: boolean) => void): void => {};
    const asked = new Promise<(isAllowed: boolean) => void>((done) => (onAsked = done));
    const hub = hubForTest({
      authorize: (_, { clientId }) => clientId !== 'slow' || new Promise((admit) => onAsked(admit)),
      limits: { maxConnections: 1 },
    });
    let onClosed = (): void => {};
    const closed = new Promise<void>((done) => (onClosed = done));
    const { url } = await serveHttp((req, res) => {
      res.once('close', onClosed);
      hub.nodeHandler(req, res);
    });
    const leaving = new AbortController();
    const slow = fetch(`${url}/?client_id=slow`, { signal: leaving.signal });
    const admit = await asked;
    leaving.abort();
    await expect(slow).rejects.toThrow('abort');
    await closed;
    admit(true);
    await subscribe(url);
    expect(hub.metrics()).toMatchObject({ connections: 1, connects: 1 });
  });

  it('D-HUB-2 does not count a Request that was aborted while authorize ran', async () => {
    let admit = (_isAllowed: boolean): void => {};
    const { hub, open, world } = simulate({
      authorize: (_, { clientId }) => clientId !== 'slow' || new Promise((done) => (admit = done)),
      limits: { maxConnections: 1 },
    });
    const leaving = new AbortController();
    void hub.fetchHandler(new Request('http://hub.test/?client_id=slow', { signal: leaving.signal }));
    leaving.abort();
    admit(true);
    await world.drain();
    await open();
    expect(hub.metrics()).toMatchObject({ connections: 1, connects: 1 });
  });
});

const readChannel = { audience: 'global', ring: () => ({}) } as unknown as Channel; // Only these members are used.

/** Passes a request to an admission with these collaborators. */
function admitWith(
  needs: Partial<Parameters<typeof createAdmission>[0]>,
  target: string,
  onOutcome: (outcome: Outcome) => void,
): void {
  const { admit } = createAdmission({
    env: createWorld(),
    limits: readOptions({}).limits,
    channels: { count: () => 0, acquire: () => readChannel, release: () => {} },
    keyLimits: createKeyLimits({ maxConnections: 1, maxConnectsPerMinute: 1, replayBytesPerMinute: 1 }),
    authorize: undefined,
    connectionKey: undefined,
    rules: { params: { clientId: 'client_id', audience: 'audience' }, maxAudiences: 2 },
    revocationsReady: () => null,
    catchUp: () => null,
    onRefusal: () => {},
    ...needs,
  });
  const request = { method: 'GET', target, lastEventId: null, isPipelined: false };
  const describe = () => describeRequest(new Request(`http://hub.test${target}`));
  admit({ ...request, describe }, onOutcome);
}

describe('the limit on open audiences', () => {
  /** Returns the outcome of a request for one audience in a process with this number of open audiences. */
  function admitAt(openAudiences: number): Outcome {
    let outcome: Outcome = null;
    const channels = { count: () => openAudiences, acquire: () => readChannel, release: () => {} };
    admitWith({ channels }, '/', (result) => (outcome = result));
    return outcome;
  }

  it('D-HUB-2 refuses a stream with 503 that would open one audience too many', () => {
    expect(admitAt(199_999)).toMatchObject({ clientId: null });
    expect(admitAt(200_000)).toMatchObject({ status: 503, code: 'too_many_audiences' });
  });
});

describe('the backplane', () => {
  it('D-HUB-3 is awaited where a cursor is ahead of this node, also beside an audience that was just opened', async () => {
    let caughtUp = (): void => {};
    let ring: object | null = null;
    const read = async (): Promise<void> => void (ring = {});
    const opened = {
      audience: 'a',
      ring: () => ring,
      reader: {
        get ready() {
          return read();
        },
      },
    };
    const acquire = (name: string): Channel => (name === 'a' ? (opened as unknown as Channel) : readChannel); // As above.
    const outcomes: Outcome[] = [];
    admitWith(
      {
        authorize: () => true,
        channels: { count: () => 0, acquire, release: () => {} },
        catchUp: ({ channel }) => (channel === readChannel ? new Promise((done) => (caughtUp = done)) : null),
      },
      '/?audience=a&audience=b',
      (outcome) => outcomes.push(outcome),
    );
    for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
    expect(outcomes).toEqual([]);
    caughtUp();
    for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
    expect(outcomes).toHaveLength(1);
  });

  it('D-HUB-2 does not count for the time limit of authorize', async () => {
    const world = createWorld();
    const never = { audience: 'global', ring: () => null, reader: { ready: pending() } };
    const outcomes: Outcome[] = [];
    admitWith(
      {
        env: world,
        authorize: () => true,
        channels: { count: () => 0, acquire: () => never as unknown as Channel, release: () => {} }, // As above.
      },
      '/',
      (outcome) => outcomes.push(outcome),
    );
    await world.advance(60_000);
    expect(outcomes).toEqual([]);
  });
});

describe('the limit per client', () => {
  const authorize: HubOptions['authorize'] = ({ headers }) => ({ user: headers['x-user'] ?? 'nobody' });

  it('D-HUB-2 ends the oldest stream of a user and client id in favor of the new one', async () => {
    const { open, hub, world } = simulate({ authorize, limits: { maxConnectionsPerClient: 2 } });
    const streams = [await open('?client_id=a'), await open('?client_id=a'), await open('?client_id=a')];
    await world.drain();
    expect(streams.map(({ isEnded }) => isEnded())).toEqual([true, false, false]);
    expect(streams[0]?.frames.at(-1)?.retry).toBeGreaterThanOrEqual(1000);
    expect(hub.metrics()).toMatchObject({ connections: 2, connects: 3, refusals: {} });
    await streams[1]?.cancel();
    await open('?client_id=a');
    expect(streams[2]?.isEnded()).toBe(false);
  });

  it('D-HUB-2 counts no stream that has ended', async () => {
    const { open } = simulate({ limits: { maxConnectionsPerClient: 2 } });
    const leave = await open('?client_id=a');
    await open('?client_id=b'); // Another client, which has its own count.
    const streams = [await open('?client_id=a')];
    await leave.cancel();
    for (let count = 0; count < 4; count += 1) streams.push(await open('?client_id=a'));
    expect(streams.map(({ isEnded }) => isEnded())).toEqual([true, true, true, false, false]);
  });

  it('D-HUB-2 counts every user, every client id, and requests without a client id separately', async () => {
    const { open, hub } = simulate({ authorize, limits: { maxConnectionsPerClient: 1 } });
    const streams = [
      await open('?client_id=a', { 'x-user': '1' }),
      await open('?client_id=a', { 'x-user': '2' }),
      await open('?client_id=b', { 'x-user': '1' }),
      await open(),
      await open(),
    ];
    expect(streams.some(({ isEnded }) => isEnded())).toBe(false);
    expect(hub.metrics().connections).toBe(5);
  });

  it('D-HUB-2 ignores requests that are not authorized', async () => {
    const simulated = simulate({
      limits: { maxConnectionsPerClient: 1 },
      authorize: ({ headers }) => headers['cookie'] === 'session=1' || pending(),
    });
    for (let i = 0; i < 24; i += 1) void statusOf(simulated, '?client_id=shared');
    const stream = await simulated.open('?client_id=shared', { cookie: 'session=1' });
    void statusOf(simulated, '?client_id=shared');
    await simulated.world.drain();
    expect(stream.isEnded()).toBe(false);
  });
});

describe('connectionKey', () => {
  const connectionKey: HubOptions['connectionKey'] = ({ headers }) => headers.get('x-key');
  const a = { 'x-key': 'a' };
  const b = { 'x-key': 'b' };

  it('D-HUB-2 limits the open streams of a key', async () => {
    const simulated = simulate({ connectionKey, limits: { maxConnectionsPerKey: 2 } });
    const stream = await simulated.open('', a);
    await simulated.open('', a);
    expect(await statusOf(simulated, '', a)).toEqual([429, 'too_many_connections_of_key']);
    expect(await statusOf(simulated, '', b)).toEqual([200]);
    expect(await statusOf(simulated)).toEqual([200]);
    await stream.cancel();
    expect(await statusOf(simulated, '', a)).toEqual([200]);
    expect(await statusOf(simulated, '', a)).toEqual([429, 'too_many_connections_of_key']);
  });

  it('D-HUB-2 counts the open streams of a key after authorization', async () => {
    const simulated = simulate({
      connectionKey,
      limits: { maxConnectionsPerKey: 1 },
      authorize: (_, { clientId }) => clientId !== 'slow' || pending(),
    });
    void statusOf(simulated, '?client_id=slow', a);
    expect(await statusOf(simulated, '', a)).toEqual([200]);
  });

  it('D-HUB-2 limits the requests of a key a minute, refused ones included', async () => {
    const simulated = simulate({
      connectionKey,
      limits: { maxConnectsPerMinutePerKey: 3 },
      authorize: () => false,
    });
    const statuses = async (headers: HeadersInit): Promise<number[]> => {
      const seen: number[] = [];
      for (let i = 0; i < 5; i += 1) seen.push((await statusOf(simulated, '', headers))[0]);
      return seen;
    };
    expect(await statuses(a)).toEqual([403, 403, 403, 429, 429]);
    expect(await statuses(b)).toEqual([403, 403, 403, 429, 429]);
    await simulated.world.advance(20_000);
    expect(await statuses(a)).toEqual([403, 429, 429, 429, 429]);
    await simulated.world.advance(600_000);
    expect(await statuses(a)).toEqual([403, 403, 403, 429, 429]);
    expect(simulated.hub.metrics().refusals).toMatchObject({ too_many_connects_of_key: 10 });
  });

  it('D-HUB-2 does not count requests twice when the clock is set back', async () => {
    const world = createWorld();
    let back = 0;
    const simulated = simulate(
      { connectionKey, limits: { maxConnectsPerMinutePerKey: 2 } },
      { ...world, now: () => world.now() - back },
    );
    expect(await statusOf(simulated, '', a)).toEqual([200]);
    back = 3_600_000;
    expect(await statusOf(simulated, '', a)).toEqual([200]);
    expect(await statusOf(simulated, '', a)).toEqual([429, 'too_many_connects_of_key']);
  });

  it('D-HUB-2 limits what is replayed to a key a minute', async () => {
    const maxBytes = 10_000;
    const simulated = simulate({ connectionKey, replay: { maxBytes } });
    const { seq } = await simulated.hub.cursor();
    const result = 'x'.repeat(9000);
    await simulated.hub.emit([{ op: 'refresh_item', name: 'ticket', id: 1, result }]);
    let replays = 0;
    while ((await statusOf(simulated, `?last_seq=${seq}`, a))[0] === 200) replays += 1;
    expect(replays).toBeGreaterThanOrEqual(16);
    expect(replays).toBeLessThan(20);
    expect(await statusOf(simulated, '', a)).toEqual([429, 'too_much_replay_of_key']);
    expect(await statusOf(simulated, `?last_seq=${seq}`, b)).toEqual([200]);
    await simulated.world.advance(10_000);
    expect(await statusOf(simulated, '', a)).toEqual([200]);
  });

  it('D-HUB-2 limits what is replayed to a client a minute when there is no connectionKey', async () => {
    const simulated = simulate({
      replay: { maxBytes: 10_000 },
      authorize: ({ headers }) => ({ user: headers['x-user'] ?? '' }),
    });
    const { seq } = await simulated.hub.cursor();
    await simulated.hub.emit([{ op: 'refresh_item', name: 'ticket', id: 1, result: 'x'.repeat(9000) }]);
    const query = `?client_id=a&last_seq=${seq}`;
    const user = { 'x-user': '1' };
    let replays = 0;
    while ((await statusOf(simulated, query, user))[0] === 200) replays += 1;
    expect(replays).toBeGreaterThanOrEqual(16);
    expect(replays).toBeLessThan(20);
    expect(await statusOf(simulated, query, user)).toEqual([429, 'too_much_replay_of_key']);
    expect(await statusOf(simulated, query, { 'x-user': '2' })).toEqual([200]);
    await simulated.world.advance(10_000);
    expect(await statusOf(simulated, query, user)).toEqual([200]);
  });

  it('D-HUB-2 does not count greetings and what is delivered to open streams as replayed', async () => {
    const simulated = simulate({ replay: { maxBytes: 100 } });
    const stream = await simulated.open('?client_id=a');
    for (let id = 0; id < 20; id += 1) await simulated.emit(id);
    expect(idsOf(stream.frames)).toHaveLength(20);
    for (let count = 0; count < 20; count += 1)
      expect(await statusOf(simulated, '?client_id=a')).toEqual([200]);
  });

  it.each<[string, () => unknown]>([
    [
      'throws',
      () => {
        throw new Error('no session');
      },
    ],
    ['returns nothing', () => undefined],
    ['returns a promise', () => Promise.reject(new Error('no session'))],
  ])('D-HUB-2 refuses the request with 503 and logs an error if it %s', async (_, key) => {
    const simulated = simulate({ connectionKey: key as () => string });
    expect(await statusOf(simulated)).toEqual([503, 'authorization_failed']);
    expect(simulated.world.logged).toMatchObject([{ level: 'error', message: /^connectionKey/ }]);
  });
});
