// A server for any runtime, with a ticket and a hub. It uses `node:http` or the server of the runtime. It prints its address, and exits when
// its input ends.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { refreshItem } from '@edict/core/protocol';
import { createHub, directiveRequest, type Hub } from '@edict/server';

/** The global objects of Bun and Deno. */
interface Runtime {
  Bun?: { serve: (options: object) => { port: number } };
  Deno?: {
    serve: (options: object, handler: (request: Request) => Promise<Response>) => { addr: { port: number } };
  };
}
const { Bun, Deno } = globalThis as Runtime;

const hub: Hub = createHub({ heartbeatMs: 1000 });
let version = 0;

/** Returns the response to a request for the ticket. A POST changes the ticket, and its sender is the source of the directive. */
async function answer(method: string, request: IncomingMessage | Request): Promise<unknown> {
  if (method !== 'POST') return { version, connections: hub.metrics().connections };
  version++;
  const { clientId } = directiveRequest(request);
  return { directives: await hub.emit([refreshItem('ticket', 7)], { source: clientId }) };
}

const isStream = (url = ''): boolean => url.includes('/api/events');

async function serveNode(request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (isStream(request.url)) return hub.nodeHandler(request, response);
  const body = await answer(request.method ?? 'GET', request);
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

const serveFetch = async (request: Request): Promise<Response> =>
  isStream(request.url) ? hub.fetchHandler(request) : Response.json(await answer(request.method, request));

const tell = (port: number): void => console.log(`http://127.0.0.1:${port}`);

if (process.argv[2] === 'node') {
  const server = createServer((request, response) => void serveNode(request, response));
  server.listen(0, '127.0.0.1', () => tell((server.address() as AddressInfo).port)); // It listens on a port.
} else if (Bun !== undefined) {
  tell(Bun.serve({ port: 0, hostname: '127.0.0.1', idleTimeout: 0, fetch: serveFetch }).port);
} else if (Deno !== undefined) {
  tell(Deno.serve({ port: 0, hostname: '127.0.0.1', onListen: () => undefined }, serveFetch).addr.port);
}

process.stdin.on('data', () => undefined).on('end', () => process.exit());
