// Hub processes.

import { spawn, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** A node that can be killed and started again on its port. */
export interface HubNode {
  readonly port: () => number;
  readonly isUp: () => boolean;
  readonly kill: () => Promise<void>;
  readonly start: () => Promise<void>;
  readonly metrics: () => Promise<{ replayHits: number; replayMisses: number }>;
}

const program = fileURLToPath(new URL('./hubProcess.ts', import.meta.url));

/** Starts a node on Redis at `redisUrl`. */
export async function startNode(redisUrl: string, timeoutMs: number): Promise<HubNode> {
  let child: ChildProcess | null = null;
  let port = 0;
  let isUp = false;

  async function start(): Promise<void> {
    const started = spawn(
      process.execPath,
      ['--conditions=source', '--import', 'tsx', program, redisUrl, String(port), String(timeoutMs)],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    );
    child = started;
    port = await new Promise<number>((done, fail) => {
      started.stdout.on('data', (data: Buffer) => {
        const said = /listening on (\d+)/.exec(data.toString())?.[1];
        if (said !== undefined) done(Number(said));
      });
      started.once('exit', (code, signal) => fail(new Error(`A hub process ended with ${code ?? signal}.`)));
    });
    isUp = true;
  }

  await start();
  return {
    port: () => port,
    isUp: () => isUp,
    start,
    async kill() {
      const running = child;
      isUp = false;
      child = null;
      if (running === null) return;
      const gone = new Promise((done) => running.once('exit', done));
      running.kill('SIGKILL');
      await gone;
    },
    async metrics() {
      const response = await fetch(`http://127.0.0.1:${port}/metrics`);
      return (await response.json()) as { replayHits: number; replayMisses: number }; // As the hub process answers.
    },
  };
}
