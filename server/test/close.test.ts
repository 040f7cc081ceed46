import { once } from 'node:events';
import {
  connect,
  createServer,
  type ClientHttp2Session,
  type ClientHttp2Stream,
  type Http2Server,
  type Http2ServerRequest,
  type Http2ServerResponse,
} from 'node:http2';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { memoryBackplane, type Backplane, type Hub } from '../src/index.ts';
import { hubForTest, serveHttp, subscribe } from './support/servers.ts';
import { simulate } from './support/simulated.ts';
import { createWorld, type World } from './support/world.ts';

describe('close', () => {
  it('D-HUB-6 ends every stream with a retry in the given range, after the pending envelopes', async () => {
    let chance = 0;
    const world = createWorld(undefined, () => chance);
    const { hub, open } = simulate({}, world);
    const streams = await Promise.all(Array.from({ length: 600 }, () => open()));
    await hub.emit([{ op: 'refresh_item', name: 'ticket', id: 1 }]);
    chance = 0.999;
    const closed = hub.close({ retryMs: [1000, 2000] });
    await world.drain();
    await closed;
    for (const stream of streams) {
      expect(stream.isEnded()).toBe(true);
      expect(stream.frames.at(-2)?.envelope?.directives).toHaveLength(1);
      expect(stream.frames.at(-1)?.retry).toBe(1999);
    }
    expect(hub.metrics().connections).toBe(0);
    expect(world.timers()).toBe(0);
  });

  it('D-HUB-6 lets emit work until it resolves, because other processes have clients', async () => {
    const world = createWorld();
    const backplane = memoryBackplane();
    const { hub, open } = simulate({ backplane }, world);
    const other = await simulate({ backplane }, world).open();
    await open();
    const closed = hub.close();
    await emit(hub);
    await world.drain();
    expect(other.frames.at(-1)?.envelope?.directives).toHaveLength(1);
    await closed;
    await expect(emit(hub)).rejects.toThrow('emit: the hub is closed.');
    await expect(hub.disconnect({ all: true })).rejects.toThrow('disconnect: the hub is closed.');
    await expect(hub.cursor()).rejects.toThrow('cursor: the hub is closed.');
  });

  it('D-HUB-6 lets the backplane confirm what was called before, for up to 5 s', async () => {
    for (const [delayMs, isConfirmed] of [
      [2000, true],
      [6000, false],
    ] as const) {
      const world = createWorld();
      const { hub } = simulate({ backplane: slowBackplane(delayMs, world) }, world);
      let outcomes: unknown[] = [];
      const calls = [
        hub.emit([{ op: 'refresh_item', name: 'ticket', id: 1 }]),
        hub.disconnect({ all: true }),
        hub.cursor(),
      ];
      void Promise.allSettled(calls).then((all) => (outcomes = all.map(({ status }) => status)));
      let isClosed = false;
      void hub.close().then(() => (isClosed = true));
      await world.advance(1900);
      expect([isClosed, outcomes]).toEqual([false, []]);
      await world.advance(3100);
      expect(isClosed).toBe(true);
      expect(outcomes).toEqual(isConfirmed ? ['fulfilled', 'fulfilled', 'fulfilled'] : []);
      await world.advance(5000);
    }
  });

  it('D-HUB-6 waits for a list that is emitted while it waits for an earlier one', async () => {
    const world = createWorld();
    const { hub } = simulate({ backplane: slowBackplane(2000, world) }, world);
    const first = emit(hub);
    const closed = hub.close();
    await world.advance(1000);
    const second = emit(hub);
    await world.advance(4000);
    await expect(Promise.all([first, second, closed])).resolves.toHaveLength(3);
  });

  it('D-HUB-6 spreads the retry over 500 to 5,000 ms by default', async () => {
    for (const [chance, retry] of [
      [0, 500],
      [0.5, 2750],
    ] as const) {
      const world = createWorld(undefined, () => chance);
      const { hub, open } = simulate({}, world);
      const stream = await open();
      await hub.close();
      await world.drain();
      expect(stream.frames.at(-1)?.retry).toBe(retry);
    }
  });

  it('D-HUB-6 refuses new and waiting requests with 503 and Retry-After', async () => {
    const { hub, world } = simulate({ authorize: () => new Promise(() => {}) });
    const waiting = hub.fetchHandler(new Request('http://hub.test/'));
    await world.drain();
    const closed = hub.close();
    const answers = [await waiting, await hub.fetchHandler(new Request('http://hub.test/'))];
    for (const { status, headers } of answers) {
      expect(status).toBe(503);
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    }
    expect(hub.metrics().refusals).toEqual({ closing: 2 });
    await closed;
  });

  it.each(['authorize', 'connectionKey'])(
    'D-HUB-6 refuses the request whose %s closes the hub',
    async (name) => {
      const { hub } = simulate({
        [name]() {
          void hub.close();
          return name === 'authorize' || 'key';
        },
      });
      expect((await hub.fetchHandler(new Request('http://hub.test/'))).status).toBe(503);
      expect(hub.metrics()).toMatchObject({ connects: 0, refusals: { closing: 1 } });
    },
  );

  it('D-HUB-6 leaves no stream open, at whatever step its admission is', async () => {
    const statuses = new Set<number>();
    for (let steps = 0; steps < 20; steps += 1) {
      let admit: (isAllowed: boolean) => void = () => {};
      const { hub, world } = simulate({ authorize: () => new Promise<boolean>((done) => (admit = done)) });
      const opening = hub.fetchHandler(new Request('http://hub.test/'));
      await world.drain();
      admit(true);
      for (let step = 0; step < steps; step += 1) await Promise.resolve();
      const closed = hub.close();
      const response = await opening;
      await response.text(); // Both a refusal and a stream end.
      await closed;
      await world.drain();
      statuses.add(response.status);
      expect(hub.metrics().connections).toBe(0);
      expect(world.timers()).toBe(0);
    }
    expect(statuses).toEqual(new Set([503, 200]));
  });

  it('D-HUB-6 lets a server.close() of the same turn finish', async () => {
    const hub = hubForTest();
    const { server, url } = await serveHttp(hub.nodeHandler);
    const streams = await Promise.all([subscribe(url), subscribe(url), subscribe(url)]);
    const serverClosed = new Promise((done) => server.close(done));
    const hubClosed = hub.close({ retryMs: [10, 20] });
    await Promise.all([serverClosed, hubClosed]);
    expect(hub.metrics().destroyed).toBe(0);
    for (const stream of streams) {
      expect(await stream.ended).toBeNull();
      expect(stream.frames.at(-1)?.retry).toBeGreaterThanOrEqual(10);
    }
  });

  it('D-HUB-6 lets server.close() of the same turn finish over HTTP/2, and closes the session', async () => {
    const hub = hubForTest();
    const { server, session, stream } = await requestHttp2(hub);
    let text = '';
    await new Promise<void>((done) => stream.on('data', (data) => done(void (text += String(data)))));
    const streamEnded = new Promise((done) => stream.on('end', done));
    const serverClosed = new Promise((done) => server.close(done));
    await Promise.all([serverClosed, streamEnded, hub.close({ retryMs: [10, 19] })]);
    expect(text).toMatch(/retry: ?1\d/);
    expect(hub.metrics().destroyed).toBe(0);
    expect(session.closed).toBe(true);
  });

  it('D-HUB-6 lets server.close() of the same turn finish over HTTP/2 if the client does not read', async () => {
    const hub = hubForTest();
    const { server, stream } = await requestHttp2(hub);
    await once(stream, 'response'); // The body is not read, so the client does not close its half of the socket.
    const serverClosed = new Promise((done) => server.close(done));
    await Promise.all([serverClosed, hub.close()]);
    expect(stream.destroyed).toBe(false);
  });

  it('D-HUB-6 lets the other requests of an HTTP/2 session finish', async () => {
    let respond = (): void => {};
    const hub = hubForTest();
    const { server, session, stream } = await requestHttp2(hub, (_req, res) => {
      respond = () => res.end('saved');
    });
    const mutation = session.request({ ':path': '/api/tickets', ':method': 'POST' }).setEncoding('utf8');
    await once(stream.resume(), 'response');
    const serverClosed = new Promise((done) => server.close(done));
    await hub.close();
    respond();
    expect(await once(mutation, 'data')).toEqual(['saved']);
    await serverClosed;
  });

  it('D-HUB-6 closes an HTTP/2 session whose request it refuses, but only while it closes', async () => {
    let isAllowed = true;
    const hub = hubForTest({ authorize: () => isAllowed });
    const { session, stream } = await requestHttp2(hub);
    const sessionClosed = once(session, 'close');
    await once(stream.resume(), 'response');
    isAllowed = false;
    await Promise.all([once(stream, 'end'), hub.disconnect({ all: true })]);
    const statuses: unknown[] = [];
    for (const close of [null, null, () => hub.close()]) {
      await close?.();
      const asked = session.request({ ':path': '/api/events' }).resume();
      asked.once('response', (head) => statuses.push(head[':status']));
      await once(asked, 'end');
    }
    expect(statuses).toEqual([403, 403, 503]);
    await sessionClosed;
  });

  it('D-HUB-6 sends Connection: close over HTTP/1, so that no client reconnects on the same socket', async () => {
    const hub = hubForTest();
    const { url } = await serveHttp(hub.nodeHandler);
    const stream = await subscribe(url);
    expect(stream.response.headers.get('connection')).toBe('close');
    // Browsers use HTTP/2 with TLS, which has no such header.
    const overTls = async (): Promise<unknown[]> => {
      const { status, headers } = await hub.fetchHandler(new Request('https://hub.test/'));
      return [status, headers.get('connection')];
    };
    expect(await overTls()).toEqual([200, null]);
    await hub.close();
    for (const refused of [await fetch(url), await hub.fetchHandler(new Request(url))])
      expect([refused.status, refused.headers.get('connection')]).toEqual([503, 'close']);
    expect(await overTls()).toEqual([503, null]);
  });

  it('D-HUB-6 resolves within 5 s even if a stream is not read', async () => {
    const { hub, world } = simulate({ limits: { maxEnvelopeBytes: 200_000 } });
    const response = await hub.fetchHandler(new Request('http://hub.test/')); // The body is not read.
    await hub.emit([{ op: 'refresh_item', name: 'ticket', id: 1, result: 'x'.repeat(100_000) }]);
    await world.drain();
    let isClosed = false;
    void hub.close().then(() => (isClosed = true));
    await world.advance(5000);
    expect(isClosed).toBe(true);
    expect(hub.metrics().connections).toBe(0);
    await response.body?.cancel().catch(() => {});
  });

  it('returns the same promise when it is called again', async () => {
    const { hub } = simulate();
    expect(hub.close()).toBe(hub.close());
    await hub.close();
  });

  it('accepts null as no options', async () => {
    const { hub } = simulate();
    await expect(hub.close(null as never)).resolves.toBeUndefined();
  });

  it('rejects an invalid range', async () => {
    const { hub } = simulate();
    const must = 'retryMs must be [min, max] in milliseconds, 0 or more, not';
    await expect(hub.close({ retryMs: [5, 1] })).rejects.toThrow(`${must} [5, 1]`);
    await expect(hub.close({ retryMs: [0, Infinity] })).rejects.toThrow(`${must} [0, Infinity]`);
    await expect(hub.close({ retryMs: [-1, 5] })).rejects.toThrow(`${must} [-1, 5]`);
    await expect(hub.close({ retryMs: [1, 5, 9] as never })).rejects.toThrow(`${must} [1, 5, 9]`);
    await expect(hub.close({ retryMs: 'soon' as never })).rejects.toThrow(`${must} "soon"`);
    await expect(hub.close({ retryMs: 5 as never })).rejects.toThrow(`${must} 5`);
    const misspelt = { retryMS: [1, 5] } as object;
    await expect(hub.close(misspelt)).rejects.toThrow(
      'close: retryMS is not an option. Use one of: retryMs.',
    );
  });
});

const emit = (hub: Hub): Promise<unknown> => hub.emit([{ op: 'refresh_item', name: 'ticket', id: 1 }]);

/** Serves the hub over HTTP/2 and requests its stream. Other paths go to `other`. */
async function requestHttp2(
  hub: Hub,
  other?: (req: Http2ServerRequest, res: Http2ServerResponse) => void,
): Promise<{ server: Http2Server; session: ClientHttp2Session; stream: ClientHttp2Stream }> {
  const server = createServer((req, res) => {
    if (req.url === '/api/events') hub.nodeHandler(req as never, res as never); // The handler has the types of HTTP/1.
    else other?.(req, res);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const session = connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  onTestFinished(() => session.destroy());
  return { server, session, stream: session.request({ ':path': '/api/events' }) };
}

/** Confirms each append and reads each position after `ms`, unless the hub has closed its link before. */
const slowBackplane = (ms: number, world: World): Backplane => ({
  connect(node) {
    const link = memoryBackplane().connect(node);
    const late = <T>(call: () => Promise<T>): Promise<T> =>
      new Promise((done) => void world.setTimeout(() => done(call()), ms));
    return {
      ...link,
      append: (items) => late(() => link.append(items)),
      position: (audience) => late(() => link.position(audience)),
    };
  },
});
