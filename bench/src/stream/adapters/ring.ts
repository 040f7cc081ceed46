// A hand-written server with a ring of frames, which a client of Edict can use. It checks the request, and replays a bounded log after a
// sequence number or an age. Its greeting contains the position, and whether the replay is complete. Its heartbeats contain the position. It
// ends connections whose clients do not read. It has one audience. It has no authorization, no metrics, no limit per client, and no maximum age
// of a connection.

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
  'X-Service-Heartbeat-Ms': String(heartbeatMs),
};

/** @param serve starts a server with this handler, and resolves to its port */
export function createRing(
  serve: (handler: (request: IncomingMessage, response: ServerResponse) => void) => () => Promise<number>,
): Feed {
  const clients = new Set<Client>();
  /** The newest frames, oldest first. The last one has the number `newest`. */
  const kept: { readonly frame: Buffer; readonly at: number }[] = [];
  let newest = Date.now() * 1000;

  function send(client: Client): void {
    const oldest = newest - kept.length;
    if (client.position < oldest) client.position = newest; // The client detects the gap in the numbers and fetches again.
    while (!client.isFull && client.position < newest) {
      const entry = kept[client.position - oldest];
      client.position += 1;
      if (entry !== undefined) client.isFull = !client.response.write(entry.frame);
    }
    if (client.response.writableLength > maxPendingBytes) client.response.destroy();
  }

  const timer = setInterval(() => {
    for (const { isFull, position, response } of clients)
      if (!isFull) response.write(positionFrame(position, ''));
  }, heartbeatMs);
  timer.unref();

  function refuse(response: ServerResponse, status: number): void {
    response.writeHead(status).end();
  }

  /** The sequence number after which the replay starts, and whether the replay contains everything that the client missed. */
  function startOf(lastSeq: string, sinceMs: string): { position: number; isComplete: boolean } {
    const last = Number(lastSeq);
    const oldest = newest - kept.length;
    if (lastSeq !== '') {
      const isComplete = last >= oldest && last <= newest;
      return { position: isComplete ? last : newest, isComplete };
    }
    if (sinceMs === '' || sinceMs === '0') return { position: newest, isComplete: true };
    const since = Date.now() - Number(sinceMs);
    const index = kept.findIndex(({ at }) => at >= since);
    return {
      position: index === -1 ? newest : oldest + index,
      isComplete: index !== 0 || kept.length < maxKept,
    };
  }

  function handle(request: IncomingMessage, response: ServerResponse): void {
    const { searchParams } = new URL(request.url ?? '/', 'http://localhost');
    if (request.method !== 'GET') return refuse(response, 405);
    if (!namePattern.test(searchParams.get('client_id') ?? '')) return refuse(response, 400);
    if ((searchParams.get('audience') ?? 'global') !== 'global') return refuse(response, 403);
    if (clients.size >= maxClients) return refuse(response, 503);
    const start = startOf(
      String(request.headers['last-event-id'] ?? searchParams.get('last_seq') ?? ''),
      searchParams.get('since_ms') ?? '',
    );
    request.socket.setTimeout(0);
    response.writeHead(200, headers);
    const client = { response, position: start.position, isFull: false };
    send(client);
    const greeting = `,"recovered":${start.isComplete},"heartbeat_ms":${heartbeatMs}`;
    client.isFull = !response.write(positionFrame(client.position, greeting));
    clients.add(client);
    response.on('close', () => clients.delete(client));
    response.on('drain', () => {
      client.isFull = false;
      send(client);
    });
    response.on('error', () => clients.delete(client));
  }

  return {
    listen: serve(handle),
    emit(_seq, body) {
      newest += 1;
      const frame = `id: ${newest}\nevent: message\ndata: ${JSON.stringify(envelopeOf(newest, body))}\n\n`;
      kept.push({ frame: Buffer.from(frame), at: Date.now() });
      if (kept.length > maxKept) kept.shift();
      for (const client of clients) send(client);
    },
    connections: () => clients.size,
  };
}

/** A position is an envelope without directives. `more` is further members as JSON. */
const positionFrame = (seq: number, more: string): string =>
  `id: ${seq}\nevent: message\ndata: {"type":"directives","seq":${seq},"audience":"global","directives":[]${more}}\n\n`;
