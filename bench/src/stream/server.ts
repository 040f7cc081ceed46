// One server in a process of its own.

import { setImmediate as turn, setTimeout as wait } from 'node:timers/promises';
import { feeds } from './adapters/index.ts';
import type { Feed } from './feed.ts';
import type { Emitted, Memory, ServerOrder } from './orders.ts';

let feed: Feed | null = null;
let seq = 0;
/** The loop counts as at rest once it used less than this between two looks. */
const lookMs = 10;
const quietMicros = 800;
/** Long enough for the slowest fan-out that is watched to end. */
const settleMs = 500;

const micros = (since?: NodeJS.CpuUsage): number => {
  const { user, system } = process.cpuUsage(since);
  return user + system;
};

/** The longest time on a core between two phases of the loop, as long as `isOver` does not say so. */
async function longestHold(isOver: () => boolean): Promise<number> {
  let held = 0;
  let last = micros();
  while (!isOver()) {
    await turn();
    const now = micros();
    held = Math.max(held, now - last);
    last = now;
  }
  return held / 1000;
}

async function rest(): Promise<void> {
  let last = micros();
  for (;;) {
    await wait(lookMs);
    const now = micros();
    if (now - last < quietMicros) return;
    last = now;
  }
}

/** Emits that pile up in one turn of the loop where nothing pauses between them. */
const backlog = 50;

async function emit({
  turns,
  pauseMs,
  bytes,
  isWatched,
}: Extract<ServerOrder, { do: 'emit' }>): Promise<Emitted> {
  const body = 'x'.repeat(bytes);
  const began = performance.now();
  const before = process.cpuUsage();
  let isOver = false;
  const hold = isWatched ? longestHold(() => isOver) : Promise.resolve(0);
  for (let i = 0; i < turns; i++) {
    feed?.emit(++seq, body);
    if (pauseMs > 0) await wait(pauseMs);
    else if ((i + 1) % backlog === 0) await turn();
  }
  // Who watches is never at rest.
  await (isWatched ? wait(settleMs) : rest());
  isOver = true;
  return { cpuMicros: micros(before), heldMs: await hold, wallMs: performance.now() - began };
}

async function memory(): Promise<Memory> {
  await wait(100);
  globalThis.gc?.();
  await wait(20);
  globalThis.gc?.();
  const { heapUsed, external, rss } = process.memoryUsage();
  return { heap: heapUsed, all: heapUsed + external, rss };
}

async function obey(order: ServerOrder): Promise<unknown> {
  switch (order.do) {
    case 'listen': {
      const { create } = feeds[process.argv[2] ?? ''] ?? {};
      feed = (await create?.()) ?? null;
      return feed?.listen();
    }
    case 'connections':
      return feed?.connections() ?? 0;
    case 'emit':
      return emit(order);
    case 'memory':
      return memory();
  }
}

process.on('message', (order: ServerOrder) => {
  obey(order).then(
    (ok) => process.send?.({ ok }),
    (error: unknown) => process.send?.({ fault: String(error instanceof Error ? error.stack : error) }),
  );
});

// Whoever asked is gone.
process.on('disconnect', () => process.exit());
