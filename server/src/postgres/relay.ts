// Takes what was committed to the outbox to the hub.
//
// One relay works at a time, under a lock of its transaction, and of each audience one envelope is under way: so what is
// delivered twice after a crash is the newest that anybody has seen, with the same keys, and nothing older ever follows.

import type { Directive } from '@edict/core/protocol';
import { guardedLog, platformEnv, type HubEnv } from '../env.ts';
import { durationOr, functionOrNone, membersOf, wrong } from '../optionErrors.ts';
import type { Hub } from '../hub.ts';
import { byAudience } from './byAudience.ts';
import { databaseOf, type Database, type RelaySource } from './database.ts';
import type { Row } from './executor.ts';
import { createListening } from './listening.ts';
import { namesOf, onOutbox, type Names, type OutboxPlace } from './schema.ts';

/** Options of `createRelay`. */
export interface RelayOptions extends OutboxPlace {
  /** Where the outbox is: a postgres.js client, a PGlite, a `pg` pool, a Drizzle database over one of them, or an adapter. */
  db: RelaySource;
  /** Whom it delivers to. A `TypeError` of its `emit` says that it will never take these rows; with any other error they are tried again. */
  hub: Pick<Hub, 'emit'>;
  /** How often it looks when it heard of no commit. Milliseconds, default 1000. */
  pollMs?: number | undefined;
  /** Default: the console. */
  log?: HubEnv['log'] | undefined;
}

/** A relay at work. */
export interface Relay {
  /** Looks now. Resolves to how many rows it delivered, 0 also when another relay is at work. Rejects when the hub or the database does. */
  drain(): Promise<number>;
  /** Ends it; resolves when what is under way is done. What is left is delivered by the next relay. */
  close(): Promise<void>;
}

interface OutboxRow {
  readonly id: string;
  readonly audience: string;
  readonly text: string;
}

/** A pass takes so many rows at most, and one envelope so many bytes, unless a row alone has more. */
const rowsAtOnce = 500;
const bytesAtOnce = 32_768;
const longestPauseMs = 10_000;

/**
 * Starts a relay: it delivers what was committed, and goes on until it is closed. Run one wherever a hub is; of several
 * only one works at a time, and another takes over when it ends. An error of the hub or of the database is logged and tried
 * again, the rows in their order. A row that the hub refuses for good stays in the table with its `refusal`, and is logged.
 */
export function createRelay(options: RelayOptions): Relay {
  membersOf(options, ['db', 'hub', 'table', 'pollMs', 'log'], 'createRelay');
  const { db, hub, log } = options;
  functionOrNone('createRelay: log', log);
  const env = platformEnv();
  const tell = guardedLog(env, log);
  const database = databaseOf(db);
  const names = namesOf(options);
  if (typeof hub?.emit !== 'function') throw wrong('createRelay: hub', 'what createHub returns', hub);
  const pollMs = durationOr(1000, 'createRelay: pollMs', options.pollMs);

  let isClosed = false;
  let isNews = false;
  let failures = 0;
  /** Ends the pause between two looks. */
  let wake = (): void => {};
  /** Passes of `drain` and of the relay itself, one after the other. */
  let last: Promise<unknown> = Promise.resolve();

  const pass = (): Promise<number> => {
    const next = last.then(() => deliver(database, hub, names, tell));
    last = next.catch(() => {});
    return next;
  };

  async function drain(): Promise<number> {
    let total = 0;
    for (;;) {
      const count = await pass();
      total += count;
      if (count === 0 || isClosed) return total;
    }
  }

  function pause(ms: number): Promise<void> {
    if (isNews || isClosed) return Promise.resolve();
    return new Promise((done) => {
      const timer = env.setTimeout(() => wake(), ms);
      wake = () => {
        env.clearTimeout(timer);
        wake = () => {};
        done();
      };
    });
  }

  function onNews(): void {
    isNews = true;
    wake();
  }

  const listening = createListening(database, names.channel, pollMs, onNews, tell);

  async function work(): Promise<void> {
    while (!isClosed) {
      if (!isNews) listening.begin(); // Not at once where each connection that listens is lost at once.
      isNews = false;
      try {
        await drain();
        failures = 0;
        await pause(pollMs);
      } catch (error) {
        failures += 1;
        tell('warn', 'The outbox could not be delivered; it is tried again.', error);
        isNews = false;
        await pause(
          Math.min(longestPauseMs, pollMs * 2 ** Math.min(failures, 10)) * (0.5 + env.random() / 2),
        );
      }
    }
  }

  const working = work();

  return {
    drain,
    async close() {
      isClosed = true;
      wake();
      const unlistened = listening.end(); // First: what is under way may wait for the connection that listens.
      await working;
      await last;
      await unlistened;
    },
  };
}

type Log = HubEnv['log'];

/** One pass, in one transaction. Resolves to how many rows are done with. */
async function deliver(database: Database, hub: Pick<Hub, 'emit'>, names: Names, log: Log): Promise<number> {
  const { table } = names;
  let done = 0;
  await database.inTransaction(async (given) => {
    const run = onOutbox(given, names);
    const [lock] = await run(
      // By the table and not by its name: that may be written in two ways, and on two search paths it is two tables.
      `SELECT pg_try_advisory_xact_lock(hashtext('edict relay'), '${table}'::regclass::oid::int)::text AS held`,
    );
    if (lock?.['held'] !== 'true') return; // Another relay is at work.
    const rows = await run(
      // What could not be deleted, or set aside beside what is, would be sent again and again, so a database that would refuse it (a
      // standby, a role without these rights) does so now. Not `AS id`: then that text, and not the number, would be ordered by.
      `WITH none AS (DELETE FROM ${table} WHERE false), neither AS (UPDATE ${table} SET refusal = NULL WHERE false)
       SELECT id::text AS name, audience, directives AS text FROM ${table}
       WHERE refusal IS NULL ORDER BY position NULLS FIRST, id LIMIT ${rowsAtOnce}`,
    );
    const outcomes = await Promise.all(
      byAudience(rows.map(readRow)).map(({ members }) => send(hub, members)),
    );
    const sent = outcomes.flatMap((outcome) => outcome.sent);
    if (sent.length > 0) {
      const ids = sent.map(({ id }) => id).join(',');
      await run(`DELETE FROM ${table} WHERE id = ANY (string_to_array($1::text, ',')::bigint[])`, [ids]);
    }
    const refusals = outcomes.flatMap(({ refusal }) => refusal ?? []);
    for (const { row, reason } of refusals) {
      log('error', `The hub refuses row ${row.id} of ${table}: it is not delivered.`, reason);
      await run(`UPDATE ${table} SET refusal = $2::text WHERE id = $1::text::bigint`, [
        row.id,
        reason.message.replaceAll('\0', '\uFFFD'), // A text in the database cannot have it.
      ]);
    }
    done = sent.length + refusals.length;
    const failure = outcomes.find(({ failed }) => failed !== null);
    if (done === 0 && failure !== undefined) throw failure.failed;
    // What failed beside others is the first of the next pass.
  });
  return done;
}

/** What became of the first rows of one audience. */
interface Outcome {
  readonly sent: readonly OutboxRow[];
  readonly refusal: { row: OutboxRow; reason: TypeError } | null;
  readonly failed: Error | null;
}

/** Sends as many rows of one audience as go into one envelope. */
async function send(hub: Pick<Hub, 'emit'>, rows: readonly OutboxRow[]): Promise<Outcome> {
  const sent = firstOf(rows);
  const [row] = sent;
  try {
    // Each directive has the source of its own emit already.
    const directives = sent.flatMap(({ text }) => JSON.parse(text) as Directive[]); // The outbox wrote them.
    await hub.emit(directives, { audience: row?.audience });
    return { sent, refusal: null, failed: null };
  } catch (error) {
    // A `TypeError` is for ever and would hold up all that follows; of several rows the first alone may be well.
    if (!(error instanceof TypeError) || row === undefined)
      return { sent: [], refusal: null, failed: error instanceof Error ? error : new Error(String(error)) };
    return sent.length > 1 ? send(hub, [row]) : { sent: [], refusal: { row, reason: error }, failed: null };
  }
}

function firstOf(rows: readonly OutboxRow[]): OutboxRow[] {
  let bytes = 0;
  const end = rows.findIndex(({ text }, index) => {
    bytes += text.length;
    return index > 0 && bytes > bytesAtOnce;
  });
  return end === -1 ? [...rows] : rows.slice(0, end);
}

function readRow({ name: id, audience, text }: Row): OutboxRow {
  if (typeof id !== 'string' || typeof audience !== 'string' || typeof text !== 'string')
    throw new Error('The outbox has a row that this relay cannot read. Was its table changed?');
  return { id, audience, text };
}
