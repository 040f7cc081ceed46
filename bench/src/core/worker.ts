// One library in a process of its own, driven by the program that compares: prepare a workload, run a round, measure heap,
// prove what must hold.

import './window.ts';
import { libraries } from './adapters/index.ts';
import { createBackend } from './backend.ts';
import type { Proof } from './proofs.ts';
import { prove } from './proofs.ts';
import type { Options } from './subject.ts';
import type { Scene } from './workloads.ts';
import { heapWorkloads, workloads } from './workloads.ts';
import { forgetTimers, installVirtualTime, pass } from './world.ts';

export type Order =
  | { do: 'prepare'; workload: string; n: number }
  | { do: 'round' }
  | { do: 'end' }
  | { do: 'heap'; workload: string; n: number }
  | { do: 'prove' };

export interface Round {
  ns: number;
  requests: number;
  told: number;
  fault: string | null;
}

export type Answer = { fault: string } | { ok: Round | number | Proof[] | null };

const library = libraries[process.argv[2] ?? ''];
if (library === undefined) throw new Error(`There is no library "${process.argv[2]}".`);
const { create } = library;
const soon = setImmediate;
let scene: Scene | null = null;
let workload: (typeof workloads)[string] | null = null;

function createScene(n: number, given: Partial<Options> = {}): Scene {
  const options = { bulk: true, held: false, ...given };
  const backend = createBackend();
  const subject = create(backend, options);
  return { subject, backend, n, create, options, told: 0, calls: 0, round: 0, kept: null };
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

function prepare(name: string, n: number): null {
  end();
  workload = workloads[name] ?? null;
  scene = createScene(n, workload?.options);
  workload?.prepare(scene);
  return null;
}

function round(): Round {
  if (scene === null || workload === null) throw new Error('nothing is prepared');
  scene.round++;
  workload.before?.(scene);
  scene.told = 0;
  scene.backend.requests = 0;
  const usedBefore = process.cpuUsage();
  const began = process.hrtime.bigint();
  workload.run(scene);
  const wall = Number(process.hrtime.bigint() - began);
  const { user, system } = process.cpuUsage(usedBefore);
  const used = (user + system) * 1000;
  // On a busy machine a long round is interrupted; the time on a core is not. It counts in microseconds: too coarse for a short one.
  const ns = used > 50_000 ? Math.min(wall, used) : wall;
  const { told } = scene;
  const { requests } = scene.backend;
  const fault = workload.check(scene);
  // What a library puts off, such as forgetting that it has just fetched, is over before the next round.
  pass(5000);
  return { ns: ns / workload.ops(scene.n), requests, told, fault };
}

/** Bytes an entry. */
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

function obey(order: Order): Round | number | Proof[] | null {
  switch (order.do) {
    case 'prepare':
      return prepare(order.workload, order.n);
    case 'round':
      return round();
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

// Refetches whose answers nobody waits for; the checks see what they should have shown.
process.on('unhandledRejection', () => undefined);
installVirtualTime();
process.on('message', (order: Order) => {
  // In a task of its own: microtasks can only be run from outside of one.
  soon(() => {
    let answer: Answer;
    try {
      answer = { ok: obey(order) };
    } catch (error) {
      answer = { fault: String(error instanceof Error ? error.stack : error) };
    }
    process.send?.(answer);
  });
});

// Whoever asked is gone.
process.on('disconnect', () => process.exit());
