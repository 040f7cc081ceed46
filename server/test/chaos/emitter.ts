// Sends commits to the hubs in order. Like the relay of the outbox, it repeats each commit until a hub confirms it.

import { inspect } from 'node:util';
import type { Chance } from './chance.ts';
import type { Commit } from './truth.ts';

/** A queue of unconfirmed commits. */
export interface Emitter {
  readonly add: (commit: Commit) => void;
  /** Resolves when all added commits are confirmed. */
  readonly idle: () => Promise<void>;
  /** The reason why the last attempt failed. */
  readonly lastFault: () => string;
  readonly counts: { confirmed: number; notConfirmed: number };
  readonly close: () => void;
}

/** `ports` returns the ports of all hubs, including those that are down. */
export function createEmitter(ports: () => readonly number[], chance: Chance): Emitter {
  const queue: Commit[] = [];
  const counts = { confirmed: 0, notConfirmed: 0 };
  let working: Promise<void> | null = null;
  let isClosed = false;
  let lastFault = 'nothing was in vain';

  async function emit(commit: Commit): Promise<boolean> {
    const port = chance.pick(ports());
    try {
      const response = await fetch(`http://127.0.0.1:${port}/emit`, {
        method: 'POST',
        body: JSON.stringify(commit),
        signal: AbortSignal.timeout(5000),
      });
      const text = await response.text();
      if (!response.ok) lastFault = `the hub at ${port} answered ${response.status}: ${text}`;
      return response.ok;
    } catch (error) {
      lastFault = `the hub at ${port}: ${inspect(error)}`;
      return false;
    }
  }

  async function work(): Promise<void> {
    for (let commit = queue[0]; commit !== undefined && !isClosed; commit = queue[0]) {
      if (await emit(commit)) {
        queue.shift();
        counts.confirmed += 1;
      } else {
        counts.notConfirmed += 1;
        await new Promise((done) => setTimeout(done, 20));
      }
    }
    working = null;
  }

  return {
    add(commit) {
      queue.push(commit);
      working ??= work();
    },
    async idle() {
      while (working !== null) await working;
    },
    lastFault: () => `${queue.length} writes are not confirmed; ${lastFault}`,
    counts,
    close() {
      isClosed = true;
    },
  };
}
