// Starts a separate desk for a test run on a free port, with data in memory or in a temporary folder.

import { spawn, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';

export interface DeskServer {
  url: string;
  /** Kills the process immediately, like a crash. */
  kill: () => Promise<void>;
  /** Stops the process after it has closed its streams and its database. */
  stop: () => Promise<void>;
}

const root = fileURLToPath(new URL('..', import.meta.url));
const startsWithinMs = 150_000;

export async function startDesk(
  env: Record<string, string> = {},
  program = 'server/main.ts',
): Promise<DeskServer> {
  const child = spawn(process.execPath, ['--import', 'tsx', '--conditions=source', program], {
    cwd: root,
    env: { ...process.env, PORT: '0', DATA_FOLDER: 'memory', SEED_TICKETS: '1200', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const url = await addressOf(child);
  return {
    url,
    kill: async () => await end(child, 'SIGKILL'),
    stop: async () => await end(child, 'SIGTERM'),
  };
}

async function addressOf(child: ChildProcess): Promise<string> {
  let output = '';
  return await new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      child.kill('SIGKILL');
      reject(new Error(`The desk did not open:\n${output}`));
    }, startsWithinMs);
    const listen = (chunk: Buffer): void => {
      output += chunk.toString();
      const url = /http:\/\/localhost:\d+/.exec(output)?.[0];
      if (url === undefined) return;
      clearTimeout(timer);
      resolve(url.replace('localhost', '127.0.0.1'));
    };
    child.stdout?.on('data', listen);
    child.stderr?.on('data', listen);
    child.once('exit', (code) => {
      clearTimeout(timer);
      reject(new Error(`The desk ended with ${code}:\n${output}`));
    });
  });
}

/** Ends a process, and waits for the end. */
export async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill(signal);
  await ended;
}
