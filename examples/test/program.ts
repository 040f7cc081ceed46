// An example as its README starts it, on a free port.

import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished } from 'vitest';
import { freePort } from '../../server/test/support/freePort.ts';

export const folderOf = (name: string): string => fileURLToPath(new URL(`../${name}`, import.meta.url));

/** A copy outside of the repository, with the built core as in an installation. */
export function installedCopy(name: string): string {
  const copy = mkdtempSync(join(tmpdir(), `edict-${name}-`));
  cpSync(folderOf(name), copy, { recursive: true });
  mkdirSync(join(copy, 'node_modules/@edict'), { recursive: true });
  symlinkSync(folderOf('../core'), join(copy, 'node_modules/@edict/core'));
  return copy;
}

/** Runs a script of an example to its end. Throws what it printed when it fails. */
export function runScript(name: string, script: string): void {
  const { status, stdout, stderr } = spawnSync('npm', ['run', script], {
    cwd: folderOf(name),
    encoding: 'utf8',
    env: { ...process.env, NODE_ENV: undefined, NEXT_TELEMETRY_DISABLED: '1' },
  });
  if (status !== 0) throw new Error(`npm run ${script} in ${name} failed:\n${stdout}\n${stderr}`);
}

/** Ends the script and what it started, and waits for the end. */
async function end(child: ChildProcess): Promise<void> {
  const ended = new Promise((done) => child.once('exit', done));
  if (child.exitCode !== null || child.pid === undefined) return;
  process.kill(-child.pid, 'SIGKILL'); // The group: npm starts the script in a process of its own.
  await ended;
}

/** Starts a script that serves until the test is finished. Returns its address, when it answers. */
export async function startScript(name: string, script: string, cwd = folderOf(name)): Promise<string> {
  const port = await freePort();
  const child = spawn('npm', ['run', script], {
    cwd,
    detached: true,
    env: {
      ...process.env,
      NODE_ENV: undefined,
      PORT: String(port),
      DATABASE: join(mkdtempSync(join(tmpdir(), 'edict-example-')), 'tickets.db'),
      NEXT_TELEMETRY_DISABLED: '1',
    },
  });
  onTestFinished(async () => await end(child));
  let printed = '';
  child.stdout.on('data', (text) => (printed += String(text)));
  child.stderr.on('data', (text) => (printed += String(text)));
  const url = `http://localhost:${port}`;
  const ended = new Promise<never>((_, reject) =>
    child.once('exit', (code) =>
      reject(new Error(`npm run ${script} in ${name} ended with ${code}:\n${printed}`)),
    ),
  );
  await Promise.race([ended, answers(url)]);
  return url;
}

async function answers(url: string): Promise<void> {
  const statusOf = async (): Promise<number> => (await fetch(url)).status;
  await expect.poll(() => statusOf().catch(() => 500), { timeout: 120_000 }).toBeLessThan(500);
}
