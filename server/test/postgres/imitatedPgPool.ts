// Does as pg-pool does where a relay would notice: it hears its clients only while it does not lend them, so an error of a connection
// that the borrower does not hear is thrown, as node's EventEmitter does; and who asks when all are lent waits.

import { EventEmitter } from 'node:events';
import type { PgClient, PgPool } from '../../src/postgres/index.ts';

/** A client, and what its connection tells it. */
export type ImitatedClient = EventEmitter & PgClient;

/** A pool over an outbox that is a list. */
export interface ImitatedPgPool {
  readonly pool: PgPool;
  /** Clients by what was done with them, in order. */
  readonly made: ImitatedClient[];
  readonly listening: ImitatedClient[];
  readonly delivering: ImitatedClient[];
  readonly dropped: ImitatedClient[];
  /** Ends the connection of a client. Throws what nobody hears. */
  readonly lose: (client: ImitatedClient | undefined, event?: 'error' | 'end') => void;
  /** Resolves once one of these lists is so long. */
  readonly reaches: (list: readonly ImitatedClient[], count: number) => Promise<void>;
}

/** A pool of at most `max` clients; `ids` are in the outbox. */
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
