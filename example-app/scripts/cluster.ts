// Two server processes behind one port: npm run start:cluster
// They share a PostgreSQL (DATABASE_URL) and a Redis (REDIS_URL). Without them, each process would be a separate desk.

import { spawn, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { createFrontDoor } from './frontDoor.ts';

const { DATABASE_URL, REDIS_URL, PORT = '8787' } = process.env;
if (DATABASE_URL === undefined || REDIS_URL === undefined) {
  console.error('Several processes need a common database and a common Redis, for example:');
  console.error(
    '  DATABASE_URL=postgres://localhost/desk REDIS_URL=redis://localhost:6379 npm run start:cluster',
  );
  process.exit(1);
}

const root = fileURLToPath(new URL('..', import.meta.url));
const places = [1, 2];
const running = new Set<ChildProcess>();

/** Starts one process. Resolves to its port when it is open. */
async function startProcess(place: number): Promise<number> {
  const child = spawn(process.execPath, ['--import', 'tsx', '--conditions=source', 'server/main.ts'], {
    cwd: root,
    // If the front door uses any free port (0), each process does too.
    env: {
      ...process.env,
      PORT: String(PORT === '0' ? 0 : Number(PORT) + place),
      DESK_PROCESS: String(place),
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  running.add(child);
  console.log(`[${place}] Process ${child.pid} starts.`);
  child.once('exit', (code, signal) => {
    running.delete(child);
    console.log(`[${place}] Process ${child.pid} has ended (${signal ?? code}).`);
    if (running.size === 0) process.exit(code ?? 1);
  });
  return await new Promise((resolve) => {
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => {
      process.stdout.write(`[${place}] ${chunk.toString()}`);
      output += chunk.toString();
      const port = /http:\/\/localhost:(\d+)/.exec(output)?.[1];
      if (port !== undefined) resolve(Number(port));
    });
  });
}

const ports = await Promise.all(places.map(startProcess));
const door = createFrontDoor(ports);
door.listen(Number(PORT), '127.0.0.1', () => {
  const address = door.address();
  const port = typeof address === 'object' && address !== null ? address.port : PORT;
  console.log(`Both are behind http://localhost:${port}`);
});

const close = (): void => {
  door.close();
  // This process ends with the last of them.
  for (const child of running) child.kill('SIGTERM');
  setTimeout(() => process.exit(0), 5000).unref();
};
process.on('SIGTERM', close);
process.on('SIGINT', close);
