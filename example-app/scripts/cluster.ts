// Two server processes behind one port: npm run start:cluster
// They share a PostgreSQL (DATABASE_URL) and a Redis (REDIS_URL); without these two each would be a desk of its own.

import { spawn, type ChildProcess } from 'node:child_process';
import { connect, createServer } from 'node:net';
import { fileURLToPath } from 'node:url';

const { DATABASE_URL, REDIS_URL, PORT = '8787' } = process.env;
if (DATABASE_URL === undefined || REDIS_URL === undefined) {
  console.error('Several processes need a common database and a common Redis, for example:');
  console.error(
    '  DATABASE_URL=postgres://localhost/desk REDIS_URL=redis://localhost:6379 npm run start:cluster',
  );
  process.exit(1);
}

const root = fileURLToPath(new URL('..', import.meta.url));
const nodes = [1, 2].map((place) => ({ place, port: Number(PORT) + place }));
const children: ChildProcess[] = nodes.map(({ place, port }) => {
  const child = spawn(process.execPath, ['--import', 'tsx', '--conditions=source', 'server/main.ts'], {
    cwd: root,
    env: { ...process.env, PORT: String(port) },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  child.stdout.on('data', (chunk: Buffer) => process.stdout.write(`[${place}] ${chunk.toString()}`));
  return child;
});

/** Connections go round in turn; one whose process is away goes to the other. */
let turn = 0;
const proxy = createServer((socket) => {
  turn += 1;
  reach([...nodes.slice(turn % 2), ...nodes.slice(0, turn % 2)]);

  function reach([node, ...others]: typeof nodes): void {
    if (node === undefined) {
      socket.destroy();
      return;
    }
    const upstream = connect(node.port, '127.0.0.1');
    upstream.once('connect', () => {
      upstream.off('error', retry);
      upstream.on('error', () => socket.destroy());
      socket.on('error', () => upstream.destroy());
      socket.pipe(upstream).pipe(socket);
    });
    upstream.once('error', retry);
    function retry(): void {
      reach(others);
    }
  }
});
proxy.listen(Number(PORT), '127.0.0.1', () => console.log(`Both behind http://localhost:${PORT}`));

const close = (): void => {
  proxy.close();
  for (const child of children) child.kill('SIGTERM');
  setTimeout(() => process.exit(0), 3000).unref();
};
process.on('SIGTERM', close);
process.on('SIGINT', close);
