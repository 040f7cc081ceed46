// Hub processes.

import { spawn, type ChildProcess } from 'node:child_process';
import type { HubMetrics } from '../../src/index.ts';
import { freePort } from '../support/freePort.ts';
import { within } from '../support/within.ts';

/** The metrics that the report uses. */
export type NodeMetrics = Pick<HubMetrics, 'replayHits' | 'replayMisses' | 'refusals'>;

/** A node that can be killed and restarted on its port. */
export interface HubNode {
  readonly port: number;
  readonly isUp: () => boolean;
  /** Ends the process: immediately, or with SIGTERM after its hub has closed. */
  readonly kill: (signal?: 'SIGKILL' | 'SIGTERM') => Promise<void>;
  readonly start: () => Promise<void>;
  readonly metrics: () => Promise<NodeMetrics>;
  /** Calls an extra path of the hub process. Resolves to false when the hub failed. */
  readonly act: (path: '/disconnect' | '/limit' | '/clock', body: unknown) => Promise<boolean>;
  /** The number of streams that revocations ended on this node. */
  readonly revoked: () => number;
}

/** Much longer than a process needs to start on an idle machine. */
const startMs = 30_000;

/** Starts a node on Redis at `redisUrl`; `program` is the compiled `hubProcess.ts`. */
export async function startNode(program: string, redisUrl: string, timeoutMs: number): Promise<HubNode> {
  let child: ChildProcess | null = null;
  const port = await freePort();
  let isUp = false;
  let revoked = 0;

  async function start(): Promise<void> {
    const started = spawn(process.execPath, [program, redisUrl, String(port), String(timeoutMs)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    child = started;
    const listening = new Promise<void>((done, fail) => {
      started.stdout.once('data', () => done());
      started.once('exit', (code, signal) => fail(new Error(`A hub process ended with ${code ?? signal}.`)));
    });
    await within(startMs, listening, () => `the hub process ${started.pid} does not listen at ${port}`);
    isUp = true;
  }

  await start();
  return {
    port,
    isUp: () => isUp,
    start,
    async kill(signal = 'SIGKILL') {
      const running = child;
      isUp = false;
      child = null;
      if (running === null || running.exitCode !== null || running.signalCode !== null) return;
      const gone = new Promise((done) => running.once('exit', done));
      running.kill(signal);
      await gone;
    },
    async metrics() {
      const response = await fetch(`http://127.0.0.1:${port}/metrics`);
      return (await response.json()) as NodeMetrics; // The hub process responds with its metrics.
    },
    async act(path, body) {
      const url = `http://127.0.0.1:${port}${path}`;
      const response = await fetch(url, { method: 'POST', body: JSON.stringify(body) });
      const result = await response.text();
      if (response.ok && path === '/disconnect') revoked += Number(result);
      return response.ok;
    },
    revoked: () => revoked,
  };
}
