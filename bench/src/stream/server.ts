// Runs one server in a process of its own.

import { setImmediate as turn, setTimeout as wait } from 'node:timers/promises';
import { createOnRedis, feeds } from './adapters/index.ts';
import type { Feed } from './feed.ts';
import type { Emitting, Memory, ServerOrder, Steady } from './orders.ts';

let feed: Feed | null = null;
/** A sequence number with as many digits as those of a hub, so that the frames of all servers have the same length. */
let seq = Date.now() * 1000;
/** The interval at which the CPU time is read. */
const lookMs = 10;
/** The loop is at rest after this many quiet intervals in a row. */
const quietLooks = 2;
/** An interval with less CPU time than this is quiet. */
const quietMicros = 800;
/** A wait in which the slowest watched fan-out ends. */
const settleMs = 500;

const micros = (since?: NodeJS.CpuUsage): number => {
  const { user, system } = process.cpuUsage(since);
  return user + system;
};

/**
 * Returns the longest time between two phases of the loop, until `isOver` returns true. Each time is the lesser of the elapsed time and the CPU
 * time. So it includes neither the time of other processes on the core, nor the time of other threads of this process.
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
  // Collects the garbage of earlier work, which must not count. The collection of garbage from this work counts.
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
  await wait(settleMs); // `rest` would never return, because the watch uses CPU time.
  isOver = true;
  return hold;
}

/** The most lists that are emitted in one turn of the loop. In a real server, the requests that emit arrive in many turns. */
const maxPerTurn = 100;

/** Emits the lists that are due, every 2 ms. A server that is late catches up. */
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
