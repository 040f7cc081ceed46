// The worker processes, one for each library, and the orders that they receive.

import type { ChildProcess } from 'node:child_process';
import { fork } from 'node:child_process';
import { libraries } from './adapters/index.ts';
import type { Proof } from './proofs.ts';
import type { Answer, Order, Round } from './worker.ts';

export interface Member {
  readonly key: string;
  readonly title: string;
  readonly role: 'us' | 'peer' | 'reference';
  prepare: (workload: string, n: number) => Promise<unknown>;
  /** Runs rounds without measuring them, until they have used this CPU time. */
  warm: (ms: number) => Promise<unknown>;
  /** Runs a measured round. A cold round is the first one of its process. */
  round: (isCold?: boolean) => Promise<Round>;
  /** Runs a round in real time. The team must have been created for `live`. */
  live: () => Promise<Round>;
  heap: (workload: string, n: number) => Promise<number>;
  prove: () => Promise<Proof[]>;
  end: () => Promise<unknown>;
  leave: () => void;
}

function ask(worker: ChildProcess, title: string, order: Order): Promise<unknown> {
  return new Promise((resolve, reject): void => {
    const gone = (code: number | null): void =>
      reject(new Error(`${title}: the process ended (${code}) during "${order.do}"`));
    if (worker.exitCode !== null || worker.signalCode !== null) return gone(worker.exitCode);
    worker.once('exit', gone);
    worker.once('message', (answer: Answer) => {
      worker.off('exit', gone);
      if ('fault' in answer) reject(new Error(`${title}: ${answer.fault}`));
      else resolve(answer.ok);
    });
    worker.send(order);
  });
}

/**
 * Warm rounds run on one thread, so that their time contains all garbage collection. Cold rounds and rounds in real
 * time use all threads, as in a browser, where the engine compiles on other threads. Their time is the time that a user waits.
 */
type World = 'virtual' | 'cold' | 'live';

/** Starts a process for each library, or only for the libraries in `names`. */
export function createTeam(
  names: readonly string[] = Object.keys(libraries),
  world: World = 'virtual',
): Member[] {
  return names.map((key) => {
    const library = libraries[key];
    if (library === undefined) throw new Error(`There is no library "${key}".`);
    const { title, role } = library;
    const worker = fork(`${process.env['BENCH_ROOT'] ?? '.'}/dist/core/worker.cjs`, [key, world], {
      execArgv: world === 'virtual' ? ['--expose-gc', '--single-threaded'] : ['--expose-gc'],
    });
    const send = (order: Order): Promise<unknown> => ask(worker, title, order);
    return {
      key,
      title,
      role,
      prepare: (workload, n) => send({ do: 'prepare', workload, n }),
      warm: (ms) => send({ do: 'warm', ms }),
      // The function `obey` of worker.ts defines the result of each order.
      round: (isCold = false) => send({ do: 'round', isCold }) as Promise<Round>,
      live: () => send({ do: 'live' }) as Promise<Round>,
      heap: (workload, n) => send({ do: 'heap', workload, n }) as Promise<number>,
      prove: () => send({ do: 'prove' }) as Promise<Proof[]>,
      end: () => send({ do: 'end' }),
      leave: () => worker.kill(),
    };
  });
}
