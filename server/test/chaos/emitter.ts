// Takes commits to the hubs in their order, each until one confirms it, as the relay of the outbox does.

import { inspect } from 'node:util';
import type { Chance } from './chance.ts';
import type { Commit } from './truth.ts';

/** Commits on their way. */
export interface Emitter {
  readonly add: (commit: Commit) => void;
  /** Resolves when all that were added are confirmed. */
  readonly idle: () => Promise<void>;
  /** Why the last attempt was in vain. */
  readonly lastFault: () => string;
  readonly counts: { confirmed: number; notConfirmed: number };
  readonly close: () => void;
}

/** `ports` are those of the hubs, working or not. */
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
