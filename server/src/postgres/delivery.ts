// One pass of the relay: reads committed rows of the outbox, emits them, and deletes them, in one transaction.
//
// The transaction locks the audiences that it delivers, so only one relay works on an audience at a time, and only one envelope of an audience
// is in flight. A crash can therefore repeat only the newest envelope of an audience, with the same keys.

import type { HubEnv } from '../env.ts';
import type { Hub } from '../hub.ts';
import { byAudience } from './byAudience.ts';
import type { Database } from './database.ts';
import type { Run } from './executor.ts';
import { readRow, type OutboxRow } from './rows.ts';
import { onOutbox, type Names } from './schema.ts';

/** Which audiences a pass delivers. */
export type Selection =
  | {
      /** All audiences with waiting rows, oldest row first, without these. */
      readonly except: readonly string[];
    }
  | {
      /** These audiences. */
      readonly only: readonly string[];
    };

/** The result of a pass. */
export interface Delivery {
  /** The audiences that the pass delivered: those that no other relay was working on. */
  readonly audiences: readonly string[];
  /** Rows that were delivered or refused. */
  readonly done: number;
  /** Audiences whose rows must be tried again, and the error of the hub. */
  readonly failures: ReadonlyMap<string, Error>;
}

/** A selection may contain more. */
export const audiencesPerPass = 100;
/** Limits of one envelope. A row that exceeds the byte limit becomes its own envelope. */
const rowsPerEnvelope = 500;
const bytesPerEnvelope = 32_768;
/** A relay that was suspended for longer than this checks its lock again. */
const lockCheckMs = 1000;

/** Collaborators of a pass. */
export interface DeliveryNeeds {
  readonly database: Database;
  readonly hub: Pick<Hub, 'emit'>;
  readonly names: Names;
  readonly env: Pick<HubEnv, 'now' | 'log'>;
}

/** Makes one pass. Rejects if the database does. */
export async function deliver(needs: DeliveryNeeds, selection: Selection): Promise<Delivery> {
  let delivery: Delivery = { audiences: [], done: 0, failures: new Map() };
  await needs.database.inTransaction(async (run) => {
    delivery = await deliverIn(onOutbox(run, needs.names), needs, selection);
  });
  return delivery;
}

async function deliverIn(run: Run, needs: DeliveryNeeds, selection: Selection): Promise<Delivery> {
  const { table } = needs.names;
  // The rows must be read as they are after the locks were taken. With a stricter level, which can be the default of a database, they would be
  // read as they were before, and include rows that another relay has delivered since. Must be the first statement of the transaction.
  await run('SET TRANSACTION ISOLATION LEVEL READ COMMITTED');
  const audiences = await lockAudiences(run, table, selection);
  if (audiences.length === 0) return { audiences, done: 0, failures: new Map() };
  const groups = byAudience((await readRows(run, table, audiences)).map(readRow));
  await checkLock(run, needs.env);
  const outcomes = await Promise.all(
    groups.map(({ audience, members }) => send(needs.hub, audience, members)),
  );
  const sent = outcomes.flatMap((outcome) => outcome.sent);
  await remove(run, table, sent);
  const refusals = outcomes.flatMap(({ refused }) => refused);
  await setAside(run, needs, refusals);
  return {
    audiences,
    done: sent.length + refusals.length,
    failures: new Map(
      outcomes.flatMap(({ audience, failed }) => (failed === null ? [] : [[audience, failed] as const])),
    ),
  };
}

/**
 * Locks the audiences of a pass and returns those that no other relay has locked. The recursive query jumps from audience to audience in the
 * index, so it costs the same however many rows of one audience wait.
 */
async function lockAudiences(run: Run, table: string, selection: Selection): Promise<string[]> {
  const order = 'position NULLS FIRST, id';
  const next = (condition: string): string =>
    `SELECT audience, position, id FROM ${table} WHERE refusal IS NULL ${condition} ORDER BY audience, ${order} LIMIT 1`;
  const candidates =
    'only' in selection
      ? 'SELECT name AS audience FROM json_array_elements_text($1::text::json) AS name'
      : `SELECT audience FROM heads WHERE audience NOT IN (SELECT json_array_elements_text($1::text::json)) ORDER BY ${order}`;
  const rows = await run(
    // If the relay may not delete or refuse rows (on a standby, or with a role without these rights), it would
    // deliver the same rows repeatedly. The first two statements change nothing, but fail in that case.
    `WITH RECURSIVE deletes AS (DELETE FROM ${table} WHERE false),
       updates AS (UPDATE ${table} SET refusal = NULL WHERE false),
       heads AS (
         (${next('')}) UNION ALL
         SELECT next.* FROM heads CROSS JOIN LATERAL (${next('AND audience > heads.audience')}) AS next
       ),
       candidates AS MATERIALIZED (${candidates})
     SELECT audience FROM candidates
     WHERE pg_try_advisory_xact_lock(hashtextextended('edict relay ' || '${table}'::regclass::oid || ' ' || audience, 0))
     LIMIT ${audiencesPerPass}`,
    [JSON.stringify('only' in selection ? selection.only : selection.except)],
  );
  return rows.map(({ audience }) => String(audience));
}

/**
 * The first rows of each audience, up to the size of one envelope. This is a separate statement, because it must
 * see all rows that were committed before the locks.
 */
const readRows = (run: Run, table: string, audiences: readonly string[]): ReturnType<Run> =>
  run(
    `SELECT row.id::text AS name, row.audience, row.text
     FROM json_array_elements_text($1::text::json) WITH ORDINALITY AS locked (audience, place)
     CROSS JOIN LATERAL (
       SELECT id, audience, position, directives AS text, octet_length(directives) AS bytes,
         sum(octet_length(directives)) OVER (ORDER BY position NULLS FIRST, id) AS total
       FROM ${table} WHERE refusal IS NULL AND audience = locked.audience
       ORDER BY position NULLS FIRST, id LIMIT ${rowsPerEnvelope}
     ) AS row
     WHERE row.total <= ${bytesPerEnvelope} OR row.total = row.bytes
     ORDER BY locked.place, row.position NULLS FIRST, row.id`,
    [JSON.stringify(audiences)],
  );

/**
 * Fails if this relay may have lost its locks since it read the rows. Another relay could have delivered them
 * then, and newer ones. A statement fails if the session has ended. An old response proves nothing, because the
 * process may have been suspended after the database sent it.
 */
async function checkLock(run: Run, env: Pick<HubEnv, 'now'>): Promise<void> {
  const askedAt = env.now();
  await run('SELECT 1');
  const waitedMs = env.now() - askedAt;
  if (waitedMs > lockCheckMs)
    throw new Error(
      `[edict] Relay: the database took ${waitedMs} ms to confirm the lock, so nothing was emitted. Check the load of the process and of the database.`,
    );
}

/** A row that is never delivered, and the reason. */
interface Refusal {
  readonly row: OutboxRow;
  readonly reason: string;
}

/** The outcome for the first rows of one audience. */
interface Outcome {
  readonly audience: string;
  readonly sent: readonly OutboxRow[];
  readonly refused: readonly Refusal[];
  readonly failed: Error | null;
}

/** Emits the rows of one audience as one envelope. Rows that cannot be read are refused. */
async function send(hub: Pick<Hub, 'emit'>, audience: string, rows: readonly OutboxRow[]): Promise<Outcome> {
  const sent = rows.filter(({ directives }) => directives !== null);
  const refused = rows.flatMap((row): Refusal[] =>
    row.directives === null ? [{ row, reason: row.failure ?? 'The row contains no JSON array.' }] : [],
  );
  const [first] = sent;
  if (first === undefined) return { audience, sent, refused, failed: null };
  try {
    // Every directive already has the source of its own emit.
    await hub.emit(
      sent.flatMap(({ directives }) => directives ?? []),
      { audience },
    );
    return { audience, sent, refused, failed: null };
  } catch (error) {
    if (!(error instanceof TypeError))
      return {
        audience,
        sent: [],
        refused,
        failed: error instanceof Error ? error : new Error(String(error)),
      };
    // The hub will never accept this list. Its first half is tried, down to one row, and then each of its directives, so that one value that a
    // user has written hides no other change. The next pass reads the other rows again.
    if (sent.length > 1) return send(hub, audience, sent.slice(0, Math.ceil(sent.length / 2)));
    const list = first.directives ?? [];
    let isValid = list.length > 1;
    for (const directive of isValid ? list : []) {
      const outcome = await send(hub, audience, [{ ...first, directives: [directive] }]);
      if (outcome.failed !== null) return outcome;
      if (outcome.refused.length > 0) isValid = false;
    }
    if (isValid) return { audience, sent, refused, failed: null }; // Only the whole list was too large.
    return { audience, sent: [], refused: [{ row: first, reason: error.message }], failed: null };
  }
}

async function remove(run: Run, table: string, rows: readonly OutboxRow[]): Promise<void> {
  await run(`DELETE FROM ${table} WHERE id = ANY (string_to_array($1::text, ',')::bigint[])`, [
    rows.map(({ id }) => id).join(','),
  ]);
}

/** Keeps rows that are never delivered in the table, with the reason, and logs them. A reason that several rows share is logged once. */
async function setAside(
  run: Run,
  { names: { table }, env }: DeliveryNeeds,
  refusals: readonly Refusal[],
): Promise<void> {
  const byReason = new Map<string, string[]>();
  for (const { row, reason } of refusals) {
    const ids = byReason.get(reason) ?? [];
    ids.push(row.id);
    byReason.set(reason, ids);
  }
  for (const [reason, ids] of byReason) {
    await run(
      `UPDATE ${table} SET refusal = $2::text WHERE id = ANY (string_to_array($1::text, ',')::bigint[])`,
      [ids.join(','), reason.replaceAll('\0', '\uFFFD')], // PostgreSQL stores no U+0000.
    );
    const rows = ids.length === 1 ? '1 row' : `${ids.length} rows`;
    env.log(
      'error',
      `Outbox ${table}: set aside ${rows} that cannot be delivered, from id ${ids[0]}. ${reason}`,
    );
  }
}
