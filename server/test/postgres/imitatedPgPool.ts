// Imitates pg-pool as far as a relay depends on it. The pool listens to the errors of a client only while the client is idle, so an
// error that the borrower does not listen to is thrown by node's EventEmitter. `connect` waits while all clients are borrowed.

import { EventEmitter } from 'node:events';
import type { PgClient, PgPool } from '../../src/postgres/index.ts';

/** A client that emits the events of its connection. */
export type ImitatedClient = EventEmitter & PgClient;

/** A pool over an outbox in memory. */
export interface ImitatedPgPool {
  readonly pool: PgPool;
  /** The clients in each state, in order. */
  readonly made: ImitatedClient[];
  readonly listening: ImitatedClient[];
  readonly delivering: ImitatedClient[];
  readonly dropped: ImitatedClient[];
  /** Ends the connection of a client. Throws the error if it has no listener. */
  readonly lose: (client: ImitatedClient | undefined, event?: 'error' | 'end') => void;
  /** Resolves when the list has at least `count` clients. */
  readonly reaches: (list: readonly ImitatedClient[], count: number) => Promise<void>;
}

/** Creates a pool of at most `max` clients. The outbox contains a directive for each of `ids`. */
export function imitatedPgPool(ids: readonly number[], max = 10): ImitatedPgPool {
  let rows = ids.map((id) => ({
    name: String(id),
    audience: 'global',
    text: JSON.stringify([{ op: 'refresh_item', name: 'ticket', id, idempotency_key: `key ${id}` }]),
  }));
  const made: ImitatedClient[] = [];
  const listening: ImitatedClient[] = [];
  const delivering: ImitatedClient[] = [];
  const dropped: ImitatedClient[] = [];
  const lost = new Set<ImitatedClient>();
  let idle: ImitatedClient[] = [];
  const waiting: ((client: ImitatedClient) => void)[] = [];
  let look = (): void => {};
  const hear = (): void => {};

  function answer(client: ImitatedClient, sql: string): readonly unknown[] {
    if (lost.has(client)) throw new Error('Client has encountered a connection error and is not queryable');
    if (sql.startsWith('LISTEN')) listening.push(client);
    if (sql === 'BEGIN') delivering.push(client);
    look();
    if (sql.includes('pg_try_advisory_xact_lock')) return rows.slice(0, 1);
    if (sql.startsWith('DELETE')) rows = [];
    return sql.includes('AS name') ? rows : [];
  }

  function newClient(): ImitatedClient {
    const client: ImitatedClient = Object.assign(new EventEmitter(), {
      query: async (sql: string) => ({ rows: answer(client, sql) }),
      release(error?: boolean) {
        client.on('error', hear);
        if (error === true || lost.has(client)) dropped.push(client);
        if (error === true) client.emit('end'); // The pool closes its connection.
        else idle.push(client);
        pulse();
      },
    });
    made.push(client);
    return client;
  }

  function pulse(): void {
    while (waiting.length > 0) {
      const client = idle.pop() ?? (made.length - dropped.length < max ? newClient() : undefined);
      if (client === undefined) return;
      client.off('error', hear);
      waiting.shift()?.(client);
    }
  }

  const pool: PgPool = {
    connect: () =>
      new Promise((lend) => {
        waiting.push(lend);
        pulse();
      }),
    query: async () => {},
  };
  return {
    pool,
    made,
    listening,
    delivering,
    dropped,
    lose(client, event = 'error') {
      if (client === undefined) throw new Error('There is no such client.');
      lost.add(client);
      idle = idle.filter((other) => other !== client);
      client.emit(event, ...(event === 'error' ? [new Error('terminating connection')] : []));
    },
    reaches: (list, count) =>
      new Promise((done) => {
        look = () => {
          if (list.length >= count) done();
        };
        look();
      }),
  };
}
