// A server and its clients, each in a process of its own.

import type { ChildProcess } from 'node:child_process';
import { fork } from 'node:child_process';
import { setTimeout as wait } from 'node:timers/promises';
import type { ClientOrder, Emitting, Memory, Received, ServerOrder, Steady } from './orders.ts';

/** An order that takes longer has failed. The slowest library needs a minute or two for 50 messages to 10,000 clients. */
const patienceMs = 240_000;

export interface Pair {
  readonly port: number;
  readonly emit: (emitting: Emitting) => Promise<void>;
  /** The CPU time of the whole server process since the last emit began, in microseconds. */
  readonly spent: () => Promise<number>;
  readonly steady: (steady: Steady) => Promise<void>;
  /** Emits, and returns the longest time that the loop was blocked, in milliseconds. */
  readonly watch: (emitting: Emitting) => Promise<number>;
  readonly memory: () => Promise<Memory>;
  readonly connections: () => Promise<number>;
  /** The CPU time since the server started, in microseconds. */
  readonly cpu: () => Promise<number>;
  readonly clients: (order: ClientOrder) => Promise<unknown>;
  readonly received: () => Promise<Received>;
  /** Waits until this many messages have arrived, or until no more messages arrive. */
  readonly allReceived: (wanted: number) => Promise<Received>;
  readonly close: () => void;
}

function ask(child: ChildProcess, order: ServerOrder | ClientOrder): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const gone = (code: number | null): void =>
      reject(new Error(`the process ended (${code}) during "${order.do}"`));
    const late = setTimeout(
      () => reject(new Error(`"${order.do}" did not end within ${patienceMs / 1000} s`)),
      patienceMs,
    );
    child.once('exit', gone);
    child.once('message', (answer: { ok: unknown } | { fault: string }) => {
      clearTimeout(late);
      child.off('exit', gone);
      if ('fault' in answer) reject(new Error(answer.fault));
      else resolve(answer.ok);
    });
    child.send(order);
  });
}

export async function openPair(key: string): Promise<Pair> {
  const dist = `${process.env['BENCH_ROOT'] ?? '.'}/dist/stream`;
  const server = fork(`${dist}/server.cjs`, [key], {
    // Some servers emit a warning for each stream. Printing it would count as their CPU time.
    execArgv: ['--expose-gc', '--no-warnings'],
  });
  const load = fork(`${dist}/clients.cjs`, [], { execArgv: ['--expose-gc'] });
  const clients = (order: ClientOrder): Promise<unknown> => ask(load, order);
  const received = (): Promise<Received> => clients({ do: 'received' }) as Promise<Received>; // The type of the result of this order.
  const port = Number(await ask(server, { do: 'listen' }));
  return {
    port,
    async emit(emitting) {
      await ask(server, { do: 'emit', ...emitting });
    },
    async steady(steady) {
      await ask(server, { do: 'steady', ...steady });
    },
    spent: async () => Number(await ask(server, { do: 'spent' })),
    watch: async (emitting) => Number(await ask(server, { do: 'watch', ...emitting })),
    memory: () => ask(server, { do: 'memory' }) as Promise<Memory>, // The type of the result of this order.
    connections: async () => Number(await ask(server, { do: 'connections' })),
    cpu: async () => Number(await ask(server, { do: 'cpu' })),
    clients,
    received,
    async allReceived(wanted) {
      let last = -1;
      for (;;) {
        const now = await received();
        const messages = now.messages + now.stalledMessages;
        if (now.messages >= wanted || messages === last) return now;
        last = messages;
        await wait(300);
      }
    },
    close() {
      server.kill();
      load.kill();
    },
  };
}

/** Starts a pair, passes it to `run`, and ends both processes afterwards. */
export async function withPair<T>(key: string, run: (pair: Pair) => Promise<T>): Promise<T> {
  const pair = await openPair(key);
  try {
    return await run(pair);
  } finally {
    pair.close();
  }
}
