// Keeps a `LISTEN` connection open, so that the relay is notified of commits.

import type { HubEnv } from '../env.ts';
import type { Database } from './database.ts';
import { databaseError } from './databaseError.ts';

/** A `LISTEN` connection that is opened again after it was lost. */
export interface Listening {
  /** Opens the connection if there is none. */
  begin(): void;
  /** Closes the connection. Resolves even if the database is closed already. */
  end(): Promise<void>;
}

type End = (() => unknown) | undefined;

/**
 * Calls `onNews` on every commit, and once when it starts to listen, because a commit may have happened before.
 */
export function createListening(
  database: Database,
  channel: string,
  pollMs: number,
  onNews: () => void,
  log: HubEnv['log'],
): Listening {
  /** Closes the connection. Null while there is none. */
  let current: Promise<End> | null = null;
  /** Whether it was logged that there is no connection. A pooler without `LISTEN` would fill the log. */
  let isLogged = false;

  function begin(): void {
    if (current !== null) return;
    const drop = (message: string, error?: unknown): void => {
      if (current !== mine) return; // A connection that is lost while it opens also fails to open.
      current = null;
      if (isLogged) return;
      isLogged = true;
      if (error === undefined) log('warn', message);
      else log('warn', message, databaseError(error));
    };
    const onLost = (): void =>
      drop('The relay lost the connection that listens. It opens another one when it looks next.');
    // In a later task, so that `mine` is set before the connection can be lost.
    const opened = Promise.resolve().then(() => database.listen?.(channel, onNews, onLost));
    const mine: Promise<End> = opened.then(
      (end) => {
        if (end === undefined) return end;
        isLogged = false;
        onNews();
        return end;
      },
      (error: unknown) => {
        drop(`The relay cannot listen. It only looks every ${pollMs} ms.`, error);
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
        // The connection is closed already.
      }
    },
  };
}
