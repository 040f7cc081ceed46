// The servers, in the order of the rows. Add a new server here.

import { createServer } from 'node:http';
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createHub, type HubOptions } from '@edict/server';
import { redisBackplane } from '@edict/server/redis';
import type { Feed } from '../feed.ts';
import { envelopeOf, stamp } from '../feed.ts';
import { createRing } from './ring.ts';

/** The length of the queue for connections that the server has not accepted yet. It is enough for 10,000 clients. */
const backlog = 8192;

function listen(server: Server): Promise<number> {
  return new Promise((resolve) => {
    server.listen({ port: 0, host: '127.0.0.1', backlog }, () => {
      resolve((server.address() as AddressInfo).port); // It listens on a port.
    });
  });
}

const serve =
  (handler: RequestListener): (() => Promise<number>) =>
  () =>
    listen(createServer(handler));

function createEdict(options?: HubOptions): Feed {
  const hub = createHub({ limits: { maxConnections: 100_000 }, ...options });
  return {
    listen: serve(hub.nodeHandler),
    emit: (seq, body) =>
      void hub.emit([{ op: 'refresh_item', name: 'ticket', id: seq, result: body, timestamp: stamp() }]),
    connections: () => hub.metrics().connections,
  };
}

/** A hub on the Redis whose URL is in `BENCH_REDIS`. Its log keeps one second of what the benchmark emits. */
export const createOnRedis = async (): Promise<Feed> =>
  createEdict({
    backplane: redisBackplane({ url: process.env['BENCH_REDIS'] ?? '' }),
    replay: { maxEnvelopes: 20_000, maxBytes: 20_000_000 },
  });

/** A server by hand: one frame, and one `write` for each client. It has no log, no replay, and no limit for slow clients. */
async function createPlain(): Promise<Feed> {
  const clients = new Set<ServerResponse>();
  return {
    listen: serve((_request: IncomingMessage, response) => {
      response.writeHead(200, {
        'Content-Type': 'text/event-stream',
        'Cache-Control': 'no-cache, no-transform',
      });
      response.flushHeaders();
      clients.add(response);
      response.on('close', () => clients.delete(response));
    }),
    emit(seq, body) {
      const frame = Buffer.from(
        `id: ${seq}\nevent: message\ndata: ${JSON.stringify(envelopeOf(seq, body))}\n\n`,
      );
      for (const client of clients) client.write(frame);
    },
    connections: () => clients.size,
  };
}

async function createBetterSse(): Promise<Feed> {
  const { createChannel, createSession } = await import('better-sse');
  const channel = createChannel();
  return {
    listen: serve((request, response) => {
      void createSession(request, response).then((session) => channel.register(session));
    }),
    emit: (seq, body) => void channel.broadcast(envelopeOf(seq, body), 'message'),
    connections: () => channel.sessionCount,
  };
}

async function createFastify(): Promise<Feed> {
  const { fastify } = await import('fastify');
  const { default: sse } = await import('@fastify/sse');
  const app = fastify();
  await app.register(sse as never); // The types may come from another copy of fastify.
  interface Stream {
    keepAlive: () => void;
    send: (message: { id: string; event: string; data: unknown }) => Promise<void>;
    onClose: (run: () => void) => void;
  }
  const clients = new Set<Stream>();
  app.get('/api/events', { sse: 'only' } as never, async (_request, reply) => {
    const { sse: stream } = reply as unknown as { sse: Stream };
    stream.keepAlive();
    // Without a first message, the headers would wait for the first event or the heartbeat.
    await stream.send({ id: '0', event: 'hello', data: '' });
    clients.add(stream);
    stream.onClose(() => clients.delete(stream));
  });
  return {
    async listen() {
      await app.ready();
      return listen(app.server);
    },
    emit(seq, body) {
      const message = { id: String(seq), event: 'message', data: envelopeOf(seq, body) };
      for (const client of clients) client.send(message).catch(() => undefined);
    },
    connections: () => clients.size,
  };
}

async function createHono(): Promise<Feed> {
  const { Hono } = await import('hono');
  const { streamSSE } = await import('hono/streaming');
  const { getRequestListener } = await import('@hono/node-server');
  interface Stream {
    writeSSE: (message: { id: string; event: string; data: string }) => Promise<void>;
    onAbort: (run: () => void) => void;
  }
  const clients = new Set<Stream>();
  const app = new Hono();
  app.get('/api/events', (context) =>
    streamSSE(
      context,
      (stream) =>
        new Promise<void>((resolve) => {
          clients.add(stream);
          stream.onAbort(() => {
            clients.delete(stream);
            resolve();
          });
          // Without a first byte, the headers would wait for the first event.
          void stream.writeSSE({ id: '0', event: 'hello', data: '' });
        }),
    ),
  );
  return {
    listen: serve(getRequestListener(app.fetch) as RequestListener),
    emit(seq, body) {
      const message = { id: String(seq), event: 'message', data: JSON.stringify(envelopeOf(seq, body)) };
      for (const client of clients) client.writeSSE(message).catch(() => undefined);
    },
    connections: () => clients.size,
  };
}

export const feeds: Readonly<Record<string, { title: string; create: () => Promise<Feed> }>> = {
  edict: { title: 'Edict hub', create: async () => createEdict() },
  plain: { title: 'node:http by hand', create: createPlain },
  ring: { title: 'a ring by hand', create: async () => createRing(serve) },
  betterSse: { title: 'better-sse', create: createBetterSse },
  fastify: { title: '@fastify/sse', create: createFastify },
  hono: { title: 'Hono streamSSE', create: createHono },
};
