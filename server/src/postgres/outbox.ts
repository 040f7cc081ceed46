// Directives that are written in the application's own transaction: they go out if it commits, and only then.

import type { Directive } from '@edict/core/protocol';
import { readDirectives, readMaxDirectives } from '../emit/directiveList.ts';
import { platformEnv } from '../env.ts';
import { countOr, membersOf } from '../optionErrors.ts';
import type { DirectiveInput, EmitOptions } from '../hub.ts';
import { readDestination, stamp } from '../emit/envelope.ts';
import { byAudience } from './byAudience.ts';
import { runOf, type OutboxTransaction } from './executor.ts';
import { namesOf, onOutbox, type OutboxPlace } from './schema.ts';

/** Options of `outbox`; wrong ones are a `TypeError`. The limits are those of the hub that the relay feeds: what is too large fails here, in the transaction. */
export interface OutboxOptions extends OutboxPlace {
  /** Bytes. Default 65536 (64 KiB), as `limits.maxEnvelopeBytes` of the hub. */
  maxEnvelopeBytes?: number | undefined;
  /** Default 10000, which is also the most, as `limits.maxDirectivesPerEnvelope` of the hub. */
  maxDirectivesPerEnvelope?: number | undefined;
}

/** The outbox as one transaction sees it. */
export interface Outbox {
  /**
   * As `hub.emit`, but in the transaction: a rollback emits nothing, and what is committed is delivered by a relay, in the order of
   * the commits of each audience, also when this process ends in between.
   *
   * Resolves to the list that the mutation answers with as `directives`. It has `audience`, `source` and `idempotency_key` as they will
   * be on the stream, so a client that gets both applies one; it has no `seq`, which is given when the relay delivers.
   * Answer with it after the commit only. Rejects as `hub.emit` does for a wrong list, and when the database does; where the table is
   * missing, with an error that says how to make it.
   */
  emit(directives: readonly DirectiveInput[], options?: EmitOptions): Promise<Directive[]>;
}

/** The outbox in a transaction of `pg`, PGlite, postgres.js or Drizzle, or in one that was adapted. */
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
      const stamped = stamp(list, readDestination(emitOptions), newId, maxBytes)
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
  };
}
