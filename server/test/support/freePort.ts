// Ports for servers that must know their port before they listen, or that listen on it again.

import { createServer } from 'node:net';

/** Below the range of outgoing connections, so that no connection takes the port before its server does. */
const first = 20_000;
const count = 12_000;

/** Returns a loopback port without a listener. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = first + Math.floor(Math.random() * count);
    if (await isFree(port)) return port;
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((done) => {
    const server = createServer();
    server.once('error', () => done(false));
    server.listen(port, '127.0.0.1', () => server.close(() => done(true)));
  });
}
