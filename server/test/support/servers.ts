// Real servers on the loopback, closed when the test is over.

import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { createHub, type Hub, type HubOptions } from '../../src/index.ts';
import { readStream, type StreamReader } from './stream.ts';

/** Listens on a free port of the loopback; resolves to the base URL. */
export async function listen(server: Server): Promise<string> {
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo; // A TCP server has an address with a port.
  return `http://127.0.0.1:${port}`;
}

/** Serves a handler. */
export async function serveHttp(handler: RequestListener): Promise<{ server: Server; url: string }> {
  const server = createServer(handler);
  return { server, url: await listen(server) };
}

/** A hub that is closed when the test is over. */
export function hubForTest(options?: HubOptions): Hub {
  const hub = createHub({ log: () => {}, ...options });
  onTestFinished(() => hub.close({ retryMs: [0, 0] }));
  return hub;
}

/** A hub behind node:http. */
export async function serveHub(options?: HubOptions): Promise<{ hub: Hub; server: Server; url: string }> {
  const hub = hubForTest(options);
  return { hub, ...(await serveHttp(hub.nodeHandler)) };
}

/** Opens a stream and waits for its head. */
export async function subscribe(
  url: string,
  query = '',
  headers: HeadersInit = {},
): Promise<StreamReader & { response: Response }> {
  const response = await fetch(`${url}/api/events${query}`, { headers });
  if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`);
  const reader = readStream(response.body);
  onTestFinished(() => reader.cancel().catch(() => {}));
  return { ...reader, response };
}
