// One server in a process of its own.

import { setImmediate as turn, setTimeout as wait } from 'node:timers/promises';
import { createOnRedis, feeds } from './adapters/index.ts';
import type { Feed } from './feed.ts';
import type { Emitting, Memory, ServerOrder, Steady } from './orders.ts';

let feed: Feed | null = null;
/** As long as a hub's numbers, so that every server's frames have the same bytes. */
let seq = Date.now() * 1000;
/** The loop counts as at rest once it used less than this between two looks, and again between the next two. */
const lookMs = 10;
const quietLooks = 2;
const quietMicros = 800;
/** Long enough for the slowest fan-out that is watched to end. */
const settleMs = 500;

const micros = (since?: NodeJS.CpuUsage): number => {
  const { user, system } = process.cpuUsage(since);
  return user + system;
};

/**
 * The longest time between two phases of the loop, as long as `isOver` does not say so. What other processes take of the core does not
 * count, nor do threads beside the loop's: the lesser of the clock's time and the process's on its cores.
 */
async function longestHold(isOver: () => boolean): Promise<number> {
  let held = 0;
  let lastCpu = micros() / 1000;
  let last = performance.now();
  while (!isOver()) {
    await turn();
    const cpu = micros() / 1000;
    const now = performance.now();
    held = Math.max(held, Math.min(cpu - lastCpu, now - last));
    lastCpu = cpu;
    last = now;
  }
  return held;
}

async function rest(): Promise<void> {
  let last = micros();
  for (let quiet = 0; quiet < quietLooks;) {
    await wait(lookMs);
    const now = micros();
    quiet = now - last < quietMicros ? quiet + 1 : 0;
    last = now;
  }
}

async function emit({ turns, burst, pauseMs, bytes }: Emitting): Promise<void> {
  const body = 'x'.repeat(bytes);
  for (let i = 0; i < turns; i++) {
    for (let j = 0; j < burst; j++) feed?.emit(++seq, body);
    await (pauseMs === null ? rest() : wait(pauseMs));
  }
}

let emitBegan = process.cpuUsage();

async function emitMeasured(emitting: Emitting): Promise<void> {
  // What earlier work left is nobody's; what this work leaves and has to be collected within it counts.
  globalThis.gc?.();
  await rest();
  emitBegan = process.cpuUsage();
  await emit(emitting);
  await rest();
}

async function watch(emitting: Emitting): Promise<number> {
  globalThis.gc?.();
  await rest();
  let isOver = false;
  const hold = longestHold(() => isOver);
  await emit(emitting);
  await wait(settleMs); // Who watches is never at rest.
  isOver = true;
  return hold;
}

/** The most lists in one turn of the loop, as requests arrive. */
const maxPerTurn = 100;

/** Emits what is due every 2 ms, so a server that is late catches up. */
async function steady({ rate, seconds, bytes }: Steady): Promise<void> {
  const body = 'x'.repeat(bytes);
  const startedAt = performance.now();
  for (let sent = 0; sent < rate * seconds; await wait(2)) {
    const due = Math.min(seconds, (performance.now() - startedAt) / 1000) * rate;
    for (const most = sent + maxPerTurn; sent < Math.min(due, most); sent++) feed?.emit(++seq, body);
  }
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
      const name = process.argv[2] ?? '';
      const create = name === 'redis' ? createOnRedis : feeds[name]?.create;
      feed = (await create?.()) ?? null;
      return feed?.listen();
    }
    case 'connections':
      return feed?.connections() ?? 0;
    case 'cpu':
      return micros();
    case 'emit':
      return emitMeasured(order);
    case 'spent':
      await rest();
      return micros(emitBegan);
    case 'watch':
      return watch(order);
    case 'steady':
      return steady(order);
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

// The parent process has ended.
process.on('disconnect', () => process.exit());
