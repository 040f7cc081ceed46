// Tests the built hub and core in Bun and Deno, with real sockets. All other tests of the server run in Node.

import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { createDataLayer, type DataLayer, type ItemReference } from '@edict/core';
import { expect, describe, it, onTestFinished } from 'vitest';

const folder = fileURLToPath(new URL('.', import.meta.url));

type Start = readonly [command: string, ...arguments_: string[]];
const bun: Start = ['node_modules/.bin/bun'];
const deno: Start = ['node_modules/.bin/deno', 'run', '--allow-all', '--no-check'];
const node: Start = [process.execPath, '--import', 'tsx'];

/** Starts a program, and returns the lines of its output. The array grows while the program runs. */
function run([command, ...before]: Start, program: string, argument: string): string[] {
  const lines: string[] = [];
  const child = spawn(command, [...before, program, argument], {
    cwd: folder,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  child.stdout
    .setEncoding('utf8')
    .on('data', (text: string) => lines.push(...text.split('\n').filter(Boolean)));
  onTestFinished(() => {
    child.kill();
  });
  return lines;
}

async function startHub(runtime: Start, handler: string): Promise<string> {
  const lines = run(runtime, 'hub.ts', handler);
  await expect.poll(() => lines).toHaveLength(1);
  return lines[0] ?? '';
}

type Ticket = { version: number };

function openClient(base: string): {
  dl: DataLayer;
  ticket: ItemReference<Partial<Ticket>>;
  fetches: () => number;
} {
  const dl = createDataLayer();
  let fetches = 0;
  dl.createType('ticket', {
    async fetch(id) {
      fetches++;
      return (await fetch(`${base}/api/tickets/${id}`)).json() as Promise<Ticket>;
    },
  });
  dl.init({ sse: { baseUrl: base, initialRetryMs: 100 } });
  const ticket = dl.fetchItem('ticket', 7);
  dl.onRefChange(ticket, () => undefined);
  onTestFinished(() => dl.dispose());
  return { dl, ticket, fetches: () => fetches };
}

const change = (base: string): Promise<Response> => fetch(`${base}/api/tickets/7`, { method: 'POST' });
const connections = async (base: string): Promise<unknown> =>
  ((await (await fetch(`${base}/api/tickets/7`)).json()) as { connections: number }).connections;

describe.each([
  ['Bun', bun],
  ['Deno', deno],
])('%s', (_, runtime) => {
  it.each(['node', 'fetch'])('serves the stream with the %sHandler', async (handler) => {
    const base = await startHub(runtime, handler);
    const { dl, ticket, fetches } = openClient(base);
    await expect.poll(() => dl.state().sse.status).toBe('open');
    await change(base);
    await expect.poll(() => ticket.data?.version).toBe(1);
    await dl.fetch(`${base}/api/tickets/7`, { method: 'POST' });
    await expect.poll(() => ticket.data?.version).toBe(2);
    expect(fetches()).toBe(3);

    dl.disconnectSse();
    await expect.poll(() => connections(base)).toBe(0);
    await change(base);
    dl.connectSse();
    await expect.poll(() => ticket.data?.version).toBe(3);
    expect(dl.devtools().events.map(({ event }) => event)).not.toContain('sse:gap');
  });

  it('runs the core', async () => {
    const base = await startHub(node, 'node');
    const shown = run(runtime, 'client.ts', base);
    await expect.poll(() => shown).toEqual(['0']);
    await expect.poll(() => connections(base)).toBe(1);
    await change(base);
    await expect.poll(() => shown).toEqual(['0', '1']);
  });
});
