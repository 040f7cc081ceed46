// Directives that are written in the application's own transaction. They are delivered if it commits, and only then.

import type { Directive } from '@edict/core/protocol';
import { readDirectives, readMaxDirectives } from '../emit/directiveList.ts';
import { completeList, readDestination } from '../emit/envelope.ts';
import { platformEnv } from '../env.ts';
import type { DirectiveInput, EmitOptions } from '../hub.ts';
import { countOr, membersOf } from '../optionErrors.ts';
import { byAudience } from './byAudience.ts';
import { runOf, type OutboxTransaction } from './executor.ts';
import { readRow } from './rows.ts';
import { namesOf, onOutbox, type OutboxPlace } from './schema.ts';

/**
 * Options of `outbox`. Invalid ones cause a `TypeError`. The limits equal those of the hub that the relay feeds,
 * so a list that the hub would refuse already fails in the transaction.
 */
export interface OutboxOptions extends OutboxPlace {
  /** Bytes. Default 65536 (64 KiB), like `limits.maxEnvelopeBytes` of the hub. */
  maxEnvelopeBytes?: number | undefined;
  /** Default and maximum 10000, like `limits.maxDirectivesPerEnvelope` of the hub. */
  maxDirectivesPerEnvelope?: number | undefined;
}

/** The outbox in one transaction. */
export interface Outbox {
  /**
   * Like `hub.emit`, but in the transaction. A rollback emits nothing. A relay delivers committed directives, even
   * if this process ends before that. The order of each audience is the order of the commits.
   *
   * Resolves to the list that the mutation returns as `directives`. The list has the same `audience`, `source` and
   * `idempotency_key` as on the stream, so a client that receives both applies one. It has no `seq`, because the
   * hub assigns that when the relay delivers. Return the list only after the commit.
   *
   * Rejects like `hub.emit` for a wrong list. Rejects with the message and the `code` of the database if the
   * database refuses. If the table does not exist, the error explains how to create it.
   */
  emit(directives: readonly DirectiveInput[], options?: EmitOptions): Promise<Directive[]>;
  /**
   * Resolves to every directive that this transaction has written so far, by `emit` and by the triggers of `watchTable`, with its audience.
   * Call it at the end of the transaction, before the commit, and return the list to the client after the commit. If the transaction runs
   * `SET CONSTRAINTS ALL IMMEDIATE`, call it before that, because the rows have their place in the order afterwards and are not returned.
   *
   * ```ts
   * import { outbox, setClientId } from '@edict/server/postgres';
   * import type { Sql } from 'postgres';
   *
   * export const closeTicket = (sql: Sql, id: number, clientId: string | null) =>
   *   sql.begin(async (tx) => {
   *     await setClientId(tx, clientId);
   *     await tx`UPDATE ticket SET status = 'closed' WHERE id = ${id}`;
   *     return outbox(tx).directives();
   *   });
   * ```
   */
  directives(): Promise<Directive[]>;
}

/**
 * Returns the outbox in a transaction of `pg`, PGlite, postgres.js, Drizzle, Kysely or Prisma, or in an adapter.
 *
 * ```ts
 * import type { PGlite } from '@electric-sql/pglite';
 * import { refreshItem } from '@edict/core/protocol';
 * import { outbox } from '@edict/server/postgres';
 *
 * const closeTicket = (db: PGlite, id: number) =>
 *   db.transaction(async (tx) => {
 *     await tx.query("UPDATE ticket SET status = 'closed' WHERE id = $1", [id]);
 *     return outbox(tx).emit([refreshItem('ticket', id)]);
 *   });
 * ```
 */
export function outbox(tx: OutboxTransaction, options: OutboxOptions = {}): Outbox {
  membersOf(options, ['table', 'maxEnvelopeBytes', 'maxDirectivesPerEnvelope'], 'outbox');
  const names = namesOf(options);
  const run = onOutbox(runOf(tx, 'outbox'), names);
  const maxBytes = countOr(65_536, 'outbox: maxEnvelopeBytes', options.maxEnvelopeBytes);
  const most = readMaxDirectives('outbox: maxDirectivesPerEnvelope', options.maxDirectivesPerEnvelope);
  const { newId } = platformEnv();

  return {
    async emit(directives, emitOptions) {
      const list = readDirectives(directives, most);
      const stamped = completeList(list, readDestination(emitOptions), newId, maxBytes)
        .finish([])
        .map(({ seq: _seq, ...directive }): Directive => directive);
      if (stamped.length === 0) return [];
      const rows = byAudience(stamped);
      const values = rows.map((_, index) => `($${index * 2 + 1}::text, $${index * 2 + 2}::text)`);
      await run(
        `INSERT INTO ${names.table} (audience, directives) VALUES ${values.join(', ')}`,
        rows.flatMap(({ audience, members }) => [audience, JSON.stringify(members)]),
      );
      return stamped;
    },
    async directives() {
      const rows = await run(
        `SELECT id::text AS name, audience, directives AS text FROM ${names.table}
         WHERE transaction = pg_current_xact_id_if_assigned() AND position IS NULL ORDER BY id`,
      );
      // Those of triggers do not contain their audience.
      return rows
        .map(readRow)
        .flatMap(({ audience, directives }) =>
          (directives ?? []).map((directive) => ({ ...directive, audience })),
        );
    },
  };
}
