// How the relay hears of commits: asked now and again, it listens where it does not, also after its connection was lost.

import type { HubEnv } from '../env.ts';
import type { Database } from './database.ts';

/** Listening that begins again. */
export interface Listening {
  /** Begins where it has not, or where it failed or was lost. */
  begin(): void;
  /** Ends it. Resolves also when the database is closed already. */
  end(): Promise<void>;
}

type End = (() => unknown) | undefined;

/** Calls `onNews` on every commit, and once it listens: one may have come before. */
export function createListening(
  database: Database,
  channel: string,
  pollMs: number,
  onNews: () => void,
  log: HubEnv['log'],
): Listening {
  /** What ends it; null while it does not listen. */
  let current: Promise<End> | null = null;

  function begin(): void {
    if (current !== null) return;
    /** Says so and is forgotten, unless that was done already: what is lost while it begins fails too. */
    const drop = (message: string, error?: unknown): void => {
      if (current !== mine) return;
      current = null;
      log('warn', message, error);
    };
    const onLost = (): void =>
      drop('The relay lost the connection that listens; its next look makes another.');
    // A moment later: then `mine` is there, however soon it is lost.
    const opened = Promise.resolve().then(() => database.listen?.(channel, onNews, onLost));
    const mine: Promise<End> = opened.then(
      (end) => {
        if (end !== undefined) onNews();
        return end;
      },
      (error: unknown) => {
        drop(`The relay cannot listen, and looks every ${pollMs} ms only.`, error);
        return undefined;
      },
    );
    current = mine;
  }

  return {
    begin,
    async end() {
      const ending = await current;
      try {
        await ending?.();
      } catch {
        // With its connection it ended anyway.
      }
    },
  };
}
