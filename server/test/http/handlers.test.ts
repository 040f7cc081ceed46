import { readFileSync } from 'node:fs';
import { createServer, get, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import {
  connect as connectHttp2,
  constants,
  createServer as createHttp2Server,
  type ClientHttp2Session,
} from 'node:http2';
import { connect as connectSocket, type AddressInfo, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import compression from 'compression';
import express from 'express';
import fastify from 'fastify';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Hub, HubOptions } from '../../src/index.ts';
import { sendRaw } from '../support/requests.ts';
import { hubForTest, listen, serveHttp, serveHub, subscribe } from '../support/servers.ts';
import { simulate } from '../support/simulated.ts';
import { idsOf, readStream } from '../support/stream.ts';

interface Recipe {
  readonly hub: Hub;
  readonly server: Server;
  readonly stop: () => Promise<void>;
}

const recipes: [string, () => Promise<Recipe>][] = [
  ['node', () => import('../recipes/node.ts')],
  ['express', () => import('../recipes/express.ts')],
  ['fastify', () => import('../recipes/fastify.ts')],
  ['hono', () => import('../recipes/hono.ts')],
];
const guide = readFileSync(new URL('../../../docs/server/frameworks.md', import.meta.url), 'utf8');

describe.each(recipes)('the recipe for %s', (name, load) => {
  it('is in the guide exactly as this test runs it', () => {
    const source = readFileSync(new URL(`../recipes/${name}.ts`, import.meta.url), 'utf8');
    expect(guide).toContain(`\`\`\`ts\n${source}\`\`\``);
  });

  it('streams immediately, returns directives in a mutation response, pushes them with the source, and stops', async () => {
    const { hub, server, stop } = await load();
    const url = await listen(server);
    const streams = [await subscribe(url, '?client_id=a'), await subscribe(url, '?client_id=b')];
    for (const { response } of streams) {
      expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
      expect(response.headers.get('cache-control')).toContain('no-transform');
      expect(response.headers.get('x-accel-buffering')).toBe('no');
      expect(response.headers.get('content-encoding')).toBeNull();
    }
    await Promise.all(streams.map(({ atLeast }) => atLeast(1)));

    const response = await fetch(`${url}/api/tickets/1`, {
      method: 'PUT',
      headers: { 'x-service-client-id': 'a', 'x-service-directive-request': 'send me directives' },
    });
    const answer = (await response.json()) as { ok: boolean; directives: unknown[] };
    expect(answer).toMatchObject({
      ok: true,
      directives: [{ op: 'refresh_item', id: 1, source: 'a', audience: 'global' }],
    });
    // The stream of the author receives the directives too (D-HUB-4). Its client recognizes them by the source.
    for (const stream of streams) {
      const [, pushed] = await stream.atLeast(2);
      expect(pushed?.envelope?.directives).toEqual(answer.directives);
    }

    const leaving = get(`${url}/api/events`);
    await new Promise((done) => leaving.once('response', done));
    expect(hub.metrics().connections).toBe(3);
    leaving.destroy();
    await expect.poll(() => hub.metrics().connections).toBe(2);
    const closed = new Promise((done) => server.once('close', done));
    await stop();
    await closed;
    for (const stream of streams) {
      expect(await stream.ended).toBeNull();
      expect(stream.frames.at(-1)?.retry).toBeGreaterThanOrEqual(500);
    }
  });
});

describe('compression', () => {
  it.each(['gzip', 'br'])(
    'D-HUB-4 does not delay an event behind Express if the client accepts %s',
    async (encoding) => {
      const hub = hubForTest();
      const app = express();
      app.use(compression({ threshold: 0 }));
      app.get('/api/events', hub.nodeHandler);
      app.get('/text', (_, res) => void res.json({ compressed: true }));
      const { url } = await serveHttp(app);
      const headers = { 'accept-encoding': encoding };
      expect((await fetch(`${url}/text`, { headers })).headers.get('content-encoding')).toBe(encoding);
      const stream = await subscribe(url, '', headers);
      for (let id = 1; id <= 3; id += 1) {
        await hub.emit([{ op: 'refresh_item', name: 'ticket', id }]);
        await stream.atLeast(1 + id);
      }
      expect(idsOf(stream.frames)).toEqual([1, 2, 3]);
    },
  );

  it('does not stop the stream after a full socket behind Express', async () => {
    const hub = hubForTest({ replay: { maxBytes: 100_000_000 } });
    const app = express();
    app.use(compression());
    app.get('/api/events', hub.nodeHandler);
    const { url } = await serveHttp(app);
    const stream = await subscribe(url);
    for (let id = 1; id <= 100; id += 1) {
      await hub.emit([{ op: 'refresh_item', name: 'ticket', id, result: 'x'.repeat(60_000) }]);
    }
    await stream.atLeast(101);
    expect(idsOf(stream.frames)).toEqual(Array.from({ length: 100 }, (_, index) => index + 1));
  });
});

describe('a response of node:http', () => {
  /** Ways in which middleware, frameworks and monitoring tools wrap a response. */
  const wrappings: [string, (res: ServerResponse, see: (bytes: unknown) => void) => void][] = [
    [
      'an own property',
      (res, see) => {
        const write = res.write.bind(res);
        res.write = (bytes: unknown) => {
          see(bytes);
          return write(bytes);
        };
      },
    ],
    [
      'a new prototype',
      (res, see) => {
        const before = Object.getPrototypeOf(res) as ServerResponse; // The prototype of a response has its methods.
        const wrapped = Object.create(before) as ServerResponse; // The new object inherits from it.
        wrapped.write = function (this: ServerResponse, bytes: unknown): boolean {
          see(bytes);
          return Boolean(Reflect.apply(before.write, this, [bytes]));
        };
        Object.setPrototypeOf(res, wrapped);
      },
    ],
  ];

  it.each(wrappings)('D-HUB-4 receives every frame through a wrapped write method: %s', async (_, wrap) => {
    const hub = hubForTest();
    const seen: string[] = [];
    const { url } = await serveHttp((req, res) => {
      wrap(res, (bytes) => seen.push(Buffer.from(bytes as Uint8Array).toString())); // The hub writes only bytes.
      hub.nodeHandler(req, res);
    });
    const stream = await subscribe(url);
    for (let id = 1; id <= 3; id += 1) {
      await hub.emit([{ op: 'refresh_item', name: 'ticket', id }]);
      await stream.atLeast(1 + id);
    }
    expect(idsOf(stream.frames)).toEqual([1, 2, 3]);
    expect(seen.join('').match(/^id: /gm)).toHaveLength(4);
  });

  it('sends headers and greeting in one packet and frames without chunked encoding if it is not wrapped', async () => {
    const { hub, url } = await serveHub();
    const socket = connectSocket(Number(new URL(url).port), '127.0.0.1');
    onTestFinished(() => void socket.destroy());
    const pieces: string[] = [];
    let look = (): void => {};
    socket.setEncoding('utf8').on('data', (piece) => {
      pieces.push(String(piece));
      look();
    });
    const atLeast = (count: number): Promise<void> =>
      new Promise((done) => {
        look = () => {
          if (pieces.length >= count) done();
        };
        look();
      });
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    await atLeast(1);
    expect(pieces[0]).toMatch(
      /^HTTP\/1\.1 200 OK\r\n[^]*\r\n\r\nid: \d+\nevent: message\ndata: .*"recovered":true.*\n\n$/,
    );
    expect(pieces[0]?.toLowerCase()).not.toContain('transfer-encoding');
    await hub.emit([{ op: 'refresh_item', name: 'ticket', id: 1 }]);
    await atLeast(2);
    expect(pieces[1]).toMatch(/^id: \d+\nevent: message\ndata: .*\n\n$/);
  });
});

describe('the headers of a response', () => {
  it.each<[string, RequestInit, number]>([
    ['a stream', {}, 200],
    ['a refusal', { method: 'POST' }, 405],
    [
      'a preflight',
      { method: 'OPTIONS', headers: { origin: 'https://a.test', 'access-control-request-method': 'GET' } },
      204,
    ],
  ])(
    'D-HUB-2 keep browsers from guessing the content type of %s, and other sites from embedding it, on both platforms',
    async (_, init, status) => {
      const { hub, url } = await serveHub({ cors: { origin: 'https://a.test' } });
      for (const response of [await fetch(url, init), await hub.fetchHandler(new Request(url, init))]) {
        expect(response.status).toBe(status);
        expect(response.headers.get('x-content-type-options')).toBe('nosniff');
        expect(response.headers.get('cross-origin-resource-policy')).toBe('same-origin');
        expect(response.headers.get('content-security-policy')).toBe("frame-ancestors 'none'");
        await response.body?.cancel();
      }
    },
  );

  it('D-HUB-4 D-SSE-5 announce the heartbeat interval, and so does the greeting', async () => {
    const { hub, url } = await serveHub({ heartbeatMs: 4000 });
    const stream = await subscribe(url);
    expect(stream.response.headers.get('x-service-heartbeat-ms')).toBe('4000');
    expect((await stream.atLeast(1))[0]?.envelope?.heartbeat_ms).toBe(4000);
    const response = await hub.fetchHandler(new Request(url));
    expect(response.headers.get('x-service-heartbeat-ms')).toBe('4000');
    await response.body?.cancel();
  });
});

describe('both handlers', () => {
  it.each(['nodeHandler', 'fetchHandler'] as const)(
    'D-HUB-3 close an audience after its last stream: %s',
    async (name) => {
      const { hub, world, open } = simulate({ replay: { maxAgeMs: 1000 } });
      const stream =
        name === 'fetchHandler' ? await open() : await subscribe((await serveHttp(hub.nodeHandler)).url);
      await stream.atLeast(1);
      await stream.cancel();
      await expect.poll(() => hub.metrics().connections).toBe(0);
      await world.advance(1000);
      expect(hub.metrics().audiences).toBe(0);
    },
  );
});

describe('a handler without a valid request or response', () => {
  it('throws an error that names the value and the property of the framework to pass', async () => {
    const { hub } = simulate();
    const request = { raw: {}, headers: {} } as never; // Like a request of Fastify.
    expect(() => hub.nodeHandler(request, {} as never)).toThrow(
      new TypeError(
        '[edict] nodeHandler: req must be an IncomingMessage (request.raw of Fastify), not an object.',
      ),
    );
    expect(() => hub.nodeHandler({ rawHeaders: [] } as never, { raw: {} } as never)).toThrow(
      new TypeError(
        '[edict] nodeHandler: res must be a ServerResponse (reply.raw of Fastify), not an object.',
      ),
    );
    for (const wrong of [{ raw: {} }, { headers: { host: 'a request of node:http' } }]) {
      await expect(hub.fetchHandler(wrong as never)).rejects.toThrow(
        new TypeError(
          '[edict] fetchHandler: the request must be a Request (c.req.raw of Hono; Express needs nodeHandler), not an object.',
        ),
      );
    }
  });
});

describe('the Node handler', () => {
  it('reads the query behind a router that mounts it', async () => {
    const hub = hubForTest({ authorize: ({ url }) => url.includes('/api/events?') });
    const app = express();
    app.use('/api/events', (req, res) => hub.nodeHandler(req, res));
    const { url } = await serveHttp(app);
    const stream = await subscribe(url, '?audience=a');
    expect((await stream.atLeast(1))[0]?.envelope?.audience).toBe('a');
  });

  it('notices that a client left even if the body of its request was read before', async () => {
    const hub = hubForTest();
    const { url } = await serveHttp((req, res) => {
      req.resume().once('end', () => hub.nodeHandler(req, res));
    });
    const stream = await subscribe(url);
    await stream.cancel();
    await expect.poll(() => hub.metrics().connections).toBe(0);
  });

  it('D-HUB-2 refuses requests that are pipelined behind a stream, so that a socket counts as one connection', async () => {
    const { hub, url } = await serveHub({ limits: { maxConnections: 3 } });
    const { port } = new URL(url);
    const socket = connectSocket(Number(port), '127.0.0.1', () =>
      socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(20)),
    );
    onTestFinished(() => void socket.destroy());
    await expect.poll(() => hub.metrics().refusals).toEqual({ pipelined_request: 19 });
    await subscribe(url);
    expect(hub.metrics().connections).toBe(2);
    socket.destroy();
    await expect.poll(() => hub.metrics().connections).toBe(1);
  });

  it('D-HUB-2 responds 429 to a stream request that is pipelined behind an ordinary response', async () => {
    const hub = hubForTest();
    const { url } = await serveHttp((req, res) => {
      if (req.url === '/slow') setImmediate(() => res.end('slow'));
      else hub.nodeHandler(req, res);
    });
    let text = '';
    const socket = connectSocket(Number(new URL(url).port), '127.0.0.1', () =>
      socket.write('GET /slow HTTP/1.1\r\nHost: x\r\n\r\nGET / HTTP/1.1\r\nHost: x\r\n\r\n'),
    );
    socket.setEncoding('utf8').on('data', (piece) => (text += String(piece)));
    await new Promise((done) => socket.once('close', done));
    expect(text).toContain('HTTP/1.1 429');
    expect(text).toMatch(/retry-after: \d+/i);
    expect(text).toContain('A stream needs a connection of its own.');
  });

  it('opens no connection for a client that left before it was admitted', async () => {
    let admit: ((isAllowed: boolean) => void) | null = null;
    const hub = hubForTest({ authorize: () => new Promise<boolean>((done) => (admit = done)) });
    let onClose = (): void => {};
    const closed = new Promise<void>((done) => (onClose = done));
    const { url } = await serveHttp((req, res) => {
      res.once('close', onClose);
      hub.nodeHandler(req, res);
    });
    const leaving = new AbortController();
    const asked = fetch(url, { signal: leaving.signal });
    await expect.poll(() => admit).not.toBeNull();
    leaving.abort();
    await expect(asked).rejects.toThrow('abort');
    await closed;
    const allow = admit as ((isAllowed: boolean) => void) | null; // The compiler does not see the assignment above.
    allow?.(true);
    await new Promise((done) => setImmediate(done));
    expect(hub.metrics()).toMatchObject({ connects: 0, connections: 0, audiences: 0 });
  });

  it('ends a response that a middleware has already started, logs that, and counts no stream', async () => {
    const logged: unknown[] = [];
    const log = (_level: string, _message: string, detail: unknown): void => void logged.push(String(detail));
    const hub = hubForTest({ limits: { maxConnections: 1 }, log });
    const { url } = await serveHttp((req, res) => {
      if (req.url?.startsWith('/started')) res.writeHead(200).write('mine');
      hub.nodeHandler(req, res);
    });
    for (const query of ['', '?audience=refused'])
      await expect(fetch(`${url}/started${query}`).then((response) => response.text())).rejects.toThrow();
    const error = expect.stringContaining('the response was sent before the hub could send it');
    expect(logged).toEqual([error, error]);
    expect(hub.metrics().connections).toBe(0);
    await subscribe(url);
    expect(hub.metrics().connections).toBe(1);
  });

  it('continues a stream whose socket was full, and leaves no listener on it', async () => {
    const { hub, server, url } = await serveHub({ replay: { maxBytes: 100_000_000 } });
    const sockets: Socket[] = [];
    server.on('connection', (socket: Socket) => sockets.push(socket));
    const { body } = await fetch(url);
    const listeners = (): number[] => sockets.map((socket) => socket.listenerCount('drain'));
    const before = listeners();
    const ids = Array.from({ length: 300 }, (_, index) => index + 1);
    for (const id of ids)
      await hub.emit([{ op: 'refresh_item', name: 'ticket', id, result: 'x'.repeat(60_000) }]);
    expect(hub.metrics().deliveries).toBeLessThan(300);
    const stream = readStream(body);
    onTestFinished(() => stream.cancel());
    expect(idsOf(await stream.atLeast(301))).toEqual(ids);
    expect(listeners()).toEqual(before);
  });

  it('keeps a quiet stream open if the server closes idle sockets', async () => {
    const hub = hubForTest();
    const timeouts: (() => number | undefined)[] = [];
    const { server, url } = await serveHttp((req, res) => {
      timeouts.push(() => req.socket.timeout);
      hub.nodeHandler(req, res);
    });
    server.setTimeout(60_000);
    await (await subscribe(url)).atLeast(1);
    expect(timeouts.map((read) => read())).toEqual([0]);
  });

  it('passes on the whole URL, and reads headers however they are written', async () => {
    const urls: string[] = [];
    const { hub, url } = await serveHub({ authorize: (request) => urls.push(request.url) > 0 });
    const [directive] = await hub.emit([{ op: 'refresh_item', name: 'ticket', id: 1 }]);
    const { host } = new URL(url);
    const response = await sendRaw(
      url,
      `GET /events?audience=global HTTP/1.1\r\nHOST: ${host}\r\nLAST-EVENT-ID: ${directive?.seq}\r\n\r\n`,
    );
    expect(response).toContain('"recovered":true');
    expect(urls).toEqual([`${url}/events?audience=global`]);
  });

  it.each([
    ['no Host', 'GET /events HTTP/1.0', false, 'http://localhost/events'],
    ['a Host that contains a path', 'GET /events HTTP/1.1\r\nHost: a/b?', false, 'http://localhost/events'],
    ['the whole URL as its target', 'GET http://a.test/ HTTP/1.1\r\nHost: b', false, 'http://a.test/'],
    ['TLS', 'GET /events HTTP/1.1\r\nHost: a.test', true, 'https://a.test/events'],
  ])('passes on the absolute URL of a request with %s', async (_, head, encrypted, expected) => {
    const urls: string[] = [];
    const hub = hubForTest({ authorize: (request) => urls.push(request.url) > 0 });
    const { url } = await serveHttp((req, res) => {
      Object.assign(req.socket, { encrypted }); // As a socket with TLS is.
      hub.nodeHandler(req, res);
    });
    expect(await sendRaw(url, `${head}\r\n\r\n`)).toContain('200 OK');
    expect(urls).toEqual([expected]);
  });

  it.each([
    ['alone', ''],
    ['pipelined behind another request', 'GET /first HTTP/1.1\r\nHost: x\r\n\r\n'],
  ])('opens no stream for a client that left before the handler was called, %s', async (_, first) => {
    const hub = hubForTest();
    let onArrival = (): void => {};
    let onHandled = (): void => {};
    const arrived = new Promise<void>((done) => (onArrival = done));
    const handled = new Promise<void>((done) => (onHandled = done));
    const { url } = await serveHttp((req, res) => {
      if (req.url === '/first') return;
      onArrival();
      req.socket.once('close', () => {
        hub.nodeHandler(req, res);
        onHandled();
      });
    });
    const socket = connectSocket(Number(new URL(url).port), '127.0.0.1');
    socket.write(`${first}GET / HTTP/1.1\r\nHost: x\r\n\r\n`);
    await arrived;
    socket.destroy();
    await handled;
    const { connects, refusals } = hub.metrics();
    expect({ connects, refusals }).toEqual({ connects: 0, refusals: {} });
  });

  it('survives a middleware that ends the response of a stream during a write', async () => {
    const hub = hubForTest();
    let isOver = false;
    const { url } = await serveHttp((req, res) => {
      const write = res.write.bind(res);
      res.write = (bytes: unknown) => {
        if (isOver) res.end();
        return write(bytes);
      };
      hub.nodeHandler(req, res);
    });
    await (await subscribe(url)).atLeast(1);
    isOver = true;
    await hub.emit([{ op: 'refresh_item', name: 'ticket', id: 1 }]);
    await expect.poll(() => hub.metrics().connections).toBe(0);
  });

  it.each([
    ['immediately', () => true],
    ['never', () => new Promise<boolean>(() => undefined)],
  ])(
    'logs that an async handler of Fastify must hijack its reply, with a client that is %s admitted',
    async (_, authorize) => {
      const logged: unknown[] = [];
      const hub = hubForTest({ authorize, log: (_level, _message, detail) => void logged.push(detail) });
      const app = fastify();
      app.get('/api/events', async (request, reply) => hub.nodeHandler(request.raw, reply.raw));
      await app.ready();
      const url = await listen(app.server);
      await fetch(`${url}/api/events`).catch(() => undefined);
      await expect
        .poll(() => String(logged))
        .toContain('With Fastify, call reply.hijack() before nodeHandler.');
      expect(logged).toHaveLength(1);
      expect(hub.metrics().connections).toBe(0);
    },
  );

  describe('over HTTP/2', () => {
    async function setup(
      options?: HubOptions,
    ): Promise<{ hub: Hub; client: ClientHttp2Session; url: string }> {
      const hub = hubForTest(options);
      // HTTP/2's compatibility interface has the shape of node:http, by Node's documentation.
      const server = createHttp2Server((req, res) =>
        hub.nodeHandler(req as unknown as IncomingMessage, res as unknown as ServerResponse),
      );
      await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // A TCP server has a port.
      const client = connectHttp2(url);
      onTestFinished(() => {
        client.destroy();
        server.close();
      });
      return { hub, client, url };
    }

    it('passes on the absolute URL', async () => {
      const urls: string[] = [];
      const { client, url } = await setup({ authorize: (request) => urls.push(request.url) > 0 });
      const asked = client.request({ ':path': '/api/events' });
      await new Promise((done) => asked.once('response', done));
      expect(urls).toEqual([`${url}/api/events`]);
    });

    it('streams without a Connection header, which HTTP/2 does not have', async () => {
      const { hub, client } = await setup();
      const asked = client.request({ ':path': '/api/events' });
      const head = await new Promise<Record<string, unknown>>((done) => asked.once('response', done));
      expect(head).toMatchObject({ ':status': 200, 'content-type': 'text/event-stream; charset=utf-8' });
      expect(head['connection']).toBeUndefined();
      // Node's and the DOM's stream types differ in name only.
      const stream = readStream(Readable.toWeb(asked) as unknown as ReadableStream<Uint8Array>);
      await stream.atLeast(1);
      await hub.emit([{ op: 'refresh_item', name: 'ticket', id: 1 }]);
      expect(idsOf(await stream.atLeast(2))).toEqual([1]);
    });

    it('notices a client that leaves during a write', async () => {
      const { hub, client } = await setup();
      for (const id of [1, 2, 3]) {
        const asked = client.request({ ':path': '/api/events' });
        await new Promise((done) => asked.once('data', done));
        asked.close(constants.NGHTTP2_NO_ERROR);
        await hub.emit([{ op: 'refresh_item', name: 'ticket', id }]);
      }
      await expect.poll(() => hub.metrics().connections).toBe(0);
    });
  });

  it('has no connections left after 2,000 connects and disconnects', async () => {
    const hub = hubForTest();
    const server = createServer(hub.nodeHandler);
    const url = await listen(server);
    for (let round = 0; round < 20; round += 1) {
      const streams = await Promise.all(Array.from({ length: 100 }, () => fetch(url)));
      await Promise.all(streams.map(async ({ body }) => body?.cancel()));
    }
    await expect.poll(() => hub.metrics().connections).toBe(0);
    expect(hub.metrics().connects).toBe(2000);
  });
});

describe('the Web handler', () => {
  it('works in an edge runtime, whose process has nothing but its environment', async () => {
    vi.stubGlobal('process', Object.create(process, { versions: {} }));
    onTestFinished(() => void vi.unstubAllGlobals());
    vi.resetModules();
    const { createHub } = await import('../../src/index.ts');
    const response = await createHub().fetchHandler(new Request('http://hub.test/'));
    expect(response.status).toBe(200);
    await response.body?.cancel();
  });

  setFlagsFromString('--expose-gc');
  const collectGarbage = runInNewContext('gc') as () => void; // The flag provides it.

  /** Opens a stream without keeping a reference to its Request. */
  async function openAndForget(hub: Hub, signal: AbortSignal): Promise<ReadableStream<Uint8Array> | null> {
    const response = await hub.fetchHandler(new Request('http://hub.test/api/events', { signal }));
    return response.body;
  }

  async function collect(): Promise<void> {
    for (let round = 0; round < 5; round += 1) {
      collectGarbage();
      await new Promise((done) => setImmediate(done));
    }
  }

  it('notices the abort signal after the Request was garbage-collected', async () => {
    const { hub } = simulate();
    const leaving = new AbortController();
    const body = await openAndForget(hub, leaving.signal);
    await collect();
    leaving.abort();
    expect(hub.metrics().connections).toBe(0);
    expect(body).not.toBeNull();
  });

  it('notices a canceled body if the abort signal never fires', async () => {
    const { hub } = simulate();
    const body = await openAndForget(hub, new AbortController().signal);
    await collect();
    await body?.cancel();
    expect(hub.metrics().connections).toBe(0);
  });

  it('ends the body of an aborted request for a reader that continues', async () => {
    const { hub } = simulate();
    const leaving = new AbortController();
    const body = await openAndForget(hub, leaving.signal);
    const reader = body?.getReader();
    expect((await reader?.read())?.done).toBe(false);
    const next = reader?.read();
    leaving.abort();
    expect((await next)?.done).toBe(true);
  });

  it('refuses a request that was aborted before it arrived', async () => {
    const { hub, open } = simulate();
    await (await open()).cancel(); // From now on, the hub admits a request in one step.
    const request = new Request('http://hub.test/', { signal: AbortSignal.abort() });
    expect((await hub.fetchHandler(request)).ok).toBe(false);
    expect(hub.metrics()).toMatchObject({ connections: 0, connects: 1 });
  });

  it('leaves no connection for a request that is aborted at any step of its admission', async () => {
    for (let steps = 0; steps < 40; steps += 1) {
      const { hub } = simulate();
      const leaving = new AbortController();
      const asked = hub.fetchHandler(new Request('http://hub.test/', { signal: leaving.signal }));
      for (let step = 0; step < steps; step += 1) await Promise.resolve();
      leaving.abort();
      await asked;
      expect(hub.metrics().connections, `after ${steps} microtasks`).toBe(0);
    }
  });
});
