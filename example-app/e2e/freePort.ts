// Ports for servers that have to know theirs before they listen, or listen on it again.

import { createServer } from 'node:net';

/** Below the ports that systems give to outgoing connections, so that none of these takes it before its server does. */
const first = 20_000;
const count = 12_000;

/** A port of the loopback that nobody listens on. */
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
