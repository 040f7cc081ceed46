// The server of the page. It has tickets and a hub, and it can simulate faults.

import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import { refreshItem } from '@edict/core/protocol';
import { createHub, directiveRequest } from '@edict/server';
import { build } from 'esbuild';

export interface Desk {
  readonly url: string;
  /** The current titles. */
  truth: () => string[];
  /** Changes the first ticket, and emits a directive for it to all clients. */
  change: (more?: { result: boolean }) => Promise<void>;
  connections: () => number;
  /** The ids of each request for tickets since the last call. */
  requests: () => string[];
  /** Destroys all sockets, without a final message. */
  cut: () => void;
  /** Sets whether the server refuses the stream. */
  refuse: (isRefused: boolean) => void;
  /** Replaces the hub with a new one, whose log is empty. */
  restart: () => Promise<void>;
  close: () => Promise<void>;
}

const first = '0';
/** A long title of characters with two to four bytes each. It arrives in pieces, and some of them end within a character. */
const longTitle = (version: number): string => `${version} ${'ä€😀'.repeat(5000)}`;

async function script(): Promise<Uint8Array> {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL('page.tsx', import.meta.url))],
    bundle: true,
    write: false,
    format: 'esm',
    jsx: 'automatic',
    target: 'es2022',
    define: { 'process.env.NODE_ENV': '"production"' },
  });
  return outputFiles[0]?.contents ?? fail();
}

function fail(): never {
  throw new Error('esbuild wrote no file.');
}

export async function openDesk(): Promise<Desk> {
  const code = await script();
  const titles = new Map(Array.from({ length: 100 }, (_, at) => [String(at), `ticket ${at}`]));
  const sockets = new Set<Socket>();
  let hub = createHub();
  let requests: string[] = [];
  let isRefused = false;
  let version = 0;

  const send = (response: ServerResponse, type: string, body: string | Uint8Array): void =>
    void response.writeHead(200, { 'content-type': type, 'cache-control': 'no-cache' }).end(body);
  const sendJson = (response: ServerResponse, body: unknown): void =>
    send(response, 'application/json', JSON.stringify(body));

  const server = createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost');
    if (pathname === '/api/events') {
      if (isRefused) response.writeHead(503).end();
      else await hub.nodeHandler(request, response);
    } else if (pathname === '/api/list') sendJson(response, { ids: [...titles.keys()] });
    else if (pathname === '/api/tickets' && request.method === 'POST') {
      titles.set(first, `renamed ${++version}`);
      const { clientId } = directiveRequest(request);
      sendJson(response, {
        directives: await hub.emit([refreshItem('ticket', first)], { source: clientId }),
      });
    } else if (pathname === '/api/tickets') {
      const ids = searchParams.get('ids') ?? '';
      requests.push(ids);
      sendJson(
        response,
        ids.split(',').map((id) => ({ id, title: titles.get(id) })),
      );
    } else if (pathname === '/page.js') send(response, 'text/javascript', code);
    else if (pathname === '/') {
      send(
        response,
        'text/html',
        '<!doctype html><meta charset="utf-8"><body><script type="module" src="/page.js"></script>',
      );
    } else send(response, 'text/html', '<!doctype html><title>Elsewhere</title>');
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, // It listens on a port.
    truth: () => [...titles.values()],
    async change({ result } = { result: false }) {
      const title = result ? longTitle(++version) : `changed ${++version}`;
      titles.set(first, title);
      await hub.emit([refreshItem('ticket', first, result ? { result: { title } } : {})]);
    },
    connections: () => hub.metrics().connections,
    requests: () => requests.splice(0),
    cut: () => sockets.forEach((socket) => socket.destroy()),
    refuse: (given) => void (isRefused = given),
    async restart() {
      const before = hub;
      hub = createHub();
      await before.close();
    },
    async close() {
      await hub.close();
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
