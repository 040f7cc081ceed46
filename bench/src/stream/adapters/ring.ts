// A hand-written ring with the parts that every stream server needs: a check of the request, a bounded log, replay after the last id,
// heartbeats, and a limit for clients that do not read. It has one audience, no authorization, and no metrics.

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Feed } from '../feed.ts';
import { envelopeOf } from '../feed.ts';

interface Client {
  readonly response: ServerResponse;
  /** The last sequence number that was written. */
  position: number;
  isFull: boolean;
}

const maxClients = 100_000;
const maxKept = 1000;
const heartbeatMs = 15_000;
const maxPendingBytes = 1_048_576;
const namePattern = /^[\w-]{1,128}$/;

const headers = {
  'Content-Type': 'text/event-stream; charset=utf-8',
  'Cache-Control': 'no-cache, no-store, no-transform',
  'X-Accel-Buffering': 'no',
};

/** @param serve starts a server with this handler, and resolves to its port */
export function createRing(
  serve: (handler: (request: IncomingMessage, response: ServerResponse) => void) => () => Promise<number>,
): Feed {
  const clients = new Set<Client>();
  /** The newest frames, oldest first. The last one has the number `newest`. */
  const kept: Buffer[] = [];
  let newest = Date.now() * 1000;

  function send(client: Client): void {
    const oldest = newest - kept.length;
    if (client.position < oldest) client.position = newest; // The client sees the gap in the numbers and fetches again.
    while (!client.isFull && client.position < newest) {
      const frame = kept[client.position - oldest];
      client.position += 1;
      if (frame !== undefined) client.isFull = !client.response.write(frame);
    }
    if (client.response.writableLength > maxPendingBytes) client.response.destroy();
  }

  const timer = setInterval(() => {
    for (const { isFull, response } of clients) if (!isFull) response.write(': \n\n');
  }, heartbeatMs);
  timer.unref();

  function refuse(response: ServerResponse, status: number): void {
    response.writeHead(status).end();
  }

  function handle(request: IncomingMessage, response: ServerResponse): void {
    const { searchParams } = new URL(request.url ?? '/', 'http://localhost');
    if (request.method !== 'GET') return refuse(response, 405);
    if (!namePattern.test(searchParams.get('client_id') ?? '')) return refuse(response, 400);
    if ((searchParams.get('audience') ?? 'global') !== 'global') return refuse(response, 403);
    if (clients.size >= maxClients) return refuse(response, 503);
    const last = Number(request.headers['last-event-id'] ?? searchParams.get('last_seq') ?? Number.NaN);
    request.socket.setTimeout(0);
    response.writeHead(200, headers);
    const client = { response, position: last <= newest ? last : newest, isFull: false };
    response.write(`id: ${newest}\nevent: message\ndata: ${greeting(newest)}\n\n`);
    clients.add(client);
    response.on('close', () => clients.delete(client));
    response.on('drain', () => {
      client.isFull = false;
      send(client);
    });
    response.on('error', () => clients.delete(client));
    send(client);
  }

  return {
    listen: serve(handle),
    emit(_seq, body) {
      newest += 1;
      kept.push(
        Buffer.from(`id: ${newest}\nevent: message\ndata: ${JSON.stringify(envelopeOf(newest, body))}\n\n`),
      );
      if (kept.length > maxKept) kept.shift();
      for (const client of clients) send(client);
    },
    connections: () => clients.size,
  };
}

const greeting = (seq: number): string =>
  JSON.stringify({ type: 'directives', seq, audience: 'global', directives: [] });
