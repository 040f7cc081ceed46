// Runs one library in a process of its own. The main program sends orders: prepare a workload, run a round, measure the heap, or run the
// checks of proofs.ts.

import './window.ts';
import { libraries } from './adapters/index.ts';
import { createBackend } from './backend.ts';
import type { Proof } from './proofs.ts';
import { prove } from './proofs.ts';
import type { Options } from './subject.ts';
import type { Scene, Workload } from './workloads.ts';
import { heapWorkloads, workloads } from './workloads.ts';
import { forgetTimers, installVirtualTime, pass } from './world.ts';

export type Order =
  | { do: 'prepare'; workload: string; n: number }
  | { do: 'warm'; ms: number }
  | { do: 'round'; isCold: boolean }
  | { do: 'live' }
  | { do: 'end' }
  | { do: 'heap'; workload: string; n: number }
  | { do: 'prove' };

export interface Round {
  ns: number;
  requests: number;
  told: number;
  fault: string | null;
}

export type Answer = { fault: string } | { ok: Reply };

const [, , key = '', world] = process.argv;
const library = libraries[key];
if (library === undefined) throw new Error(`There is no library "${key}".`);
const { create } = library;
/** Whether the process uses real time. Otherwise it uses virtual time. */
const isLive = world === 'live';
const soon = setImmediate;
/** The least and the greatest number of rounds of a warm-up. */
const warmRounds = { least: 2, most: 1000 };
/** The response time of a nearby server. */
const liveLatencyMs = 5;
/** The pauses after the preparation and after a round, in real time. They let all work end before the next round. */
const restMs = { first: 1000, next: 100 };
const rest = (ms: number): Promise<null> => new Promise((resolve) => setTimeout(resolve, ms, null));
let scene: Scene | null = null;
let prepared: Workload | null = null;

function createScene(n: number, given: Partial<Options> = {}): Scene {
  const options = { bulk: true, held: false, ...given };
  const backend = createBackend();
  const subject = create(backend, options);
  return { subject, backend, n, create, options, told: 0, onTold: null, round: 0, arrivals: [], kept: null };
}

function collect(): void {
  globalThis.gc?.();
  globalThis.gc?.();
}

function end(): void {
  scene?.subject.dispose();
  scene = null;
  pass(0);
  forgetTimers();
  collect();
}

function prepare(name: string, n: number): null | Promise<null> {
  end();
  prepared = workloads[name] ?? null;
  scene = createScene(n, prepared?.options);
  prepared?.prepare(scene);
  return isLive ? rest(restMs.first) : null;
}

function begin(latencyMs?: number): [Workload, Scene] {
  if (scene === null || prepared === null) throw new Error('No workload is prepared.');
  scene.round++;
  prepared.before?.(scene);
  scene.told = 0;
  scene.backend.requests = 0;
  scene.backend.latencyMs = latencyMs ?? prepared.latencyMs ?? 0;
  return [prepared, scene];
}

function finish(ns: number, workload: Workload, now: Scene): Round {
  const { told, backend } = now;
  const { requests } = backend;
  backend.latencyMs = 0;
  return { ns, requests, told, fault: workload.check(now) };
}

/** Runs the work once, and returns its time in nanoseconds. */
function time(workload: Workload, now: Scene): number {
  const usedBefore = process.cpuUsage();
  const began = process.hrtime.bigint();
  workload.run(now);
  const wall = Number(process.hrtime.bigint() - began);
  const { user, system } = process.cpuUsage(usedBefore);
  const used = (user + system) * 1000;
  // On a busy machine, other programs interrupt long work, so its CPU time is more accurate. For short work, CPU time is too coarse, because
  // the system reports it in microseconds.
  return used > 50_000 ? Math.min(wall, used) : wall;
}

function round(isCold: boolean): Round {
  const times = isCold ? 1 : (prepared?.repeat ?? 1);
  let [workload, now] = begin();
  if (!isCold) {
    // The turns of the other libraries have emptied the processor's caches. This run fills them again.
    workload.run(now);
    pass(5000);
    [workload, now] = begin();
  }
  let ns = time(workload, now);
  for (let done = 1; done < times; done++) {
    [workload, now] = begin();
    ns += time(workload, now);
  }
  const result = finish(ns / times / workload.ops(now.n), workload, now);
  // Delayed work of a library ends before the next round.
  pass(5000);
  return result;
}

/**
 * Runs rounds until they have used this CPU time, which does not depend on other programs. Without a warm-up, a round measures the interpreter
 * and the compiler.
 */
function warm(ms: number): null {
  const before = process.cpuUsage();
  for (let done = 0; done < warmRounds.most; done++) {
    const { user, system } = process.cpuUsage(before);
    if (done >= warmRounds.least && user + system > ms * 1000) break;
    round(false);
  }
  return null;
}

/** Runs a round with the timers of Node, and measures it by the wall clock. */
async function live(): Promise<Round> {
  const [workload, now] = begin(liveLatencyMs);
  const began = process.hrtime.bigint();
  await workload.live?.(now);
  const result = finish(Number(process.hrtime.bigint() - began), workload, now);
  await rest(restMs.next);
  return result;
}

/** Returns the heap that one entry needs, in bytes. */
function heap(name: string, n: number): number {
  end();
  const { fill } = heapWorkloads[name] ?? {};
  if (fill === undefined) throw new Error(`There is no measure "${name}".`);
  const measured = createScene(n);
  for (let id = 0; id < n; id++) measured.backend.truth(id);
  for (let i = 0; i < n; i++) measured.backend.listTruth({ team: Math.floor(i / 10), page: i % 10 });
  collect();
  const before = process.memoryUsage().heapUsed;
  fill(measured);
  pass(5000);
  collect();
  const bytes = (process.memoryUsage().heapUsed - before) / n;
  scene = measured;
  end();
  return bytes;
}

type Reply = Round | number | Proof[] | null;

function obey(order: Order): Reply | Promise<Reply> {
  switch (order.do) {
    case 'prepare':
      return prepare(order.workload, order.n);
    case 'warm':
      return warm(order.ms);
    case 'round':
      return round(order.isCold);
    case 'live':
      return live();
    case 'heap':
      return heap(order.workload, order.n);
    case 'prove':
      end();
      return prove(createScene);
    case 'end':
      end();
      return null;
  }
}

// No code awaits the refetches, so their failures would end the process. The checks notice data that is missing.
process.on('unhandledRejection', () => undefined);
if (!isLive) installVirtualTime();
process.on('message', (order: Order) => {
  // Each order runs in a task of its own, because `runMicrotasks` works only outside of a microtask.
  soon(async () => {
    let answer: Answer;
    try {
      answer = { ok: await obey(order) };
    } catch (error) {
      answer = { fault: String(error instanceof Error ? error.stack : error) };
    }
    process.send?.(answer);
  });
});

// The parent process has ended.
process.on('disconnect', () => process.exit());
