// Measures the triggers of a watched table. The same statements run on two tables of a real PostgreSQL, and only one table is watched.

import { migrate, watchTable } from '@edict/server/postgres';
import postgres from 'postgres';
import { startPostgres } from '../../../server/test/postgres/postgresServer.ts';

interface Statement {
  readonly title: string;
  /** The number of transactions in a round, so that a round of small statements takes long enough to be measured. */
  readonly times: number;
  readonly sql: (table: string) => string;
}

/** Milliseconds of one transaction, in each round. */
export interface Times {
  readonly plain: number[];
  readonly watched: number[];
}

export const rowCount = 10_000;
const roundCount = 21;

const insert = (rows: number) => (table: string) =>
  `INSERT INTO ${table} (team_id, title, note)
   SELECT n % 10, 'Printer on fire', '' FROM generate_series(1, ${rows}) AS n`;
const update = (rows: number, column: string) => (table: string) =>
  `UPDATE ${table} SET ${column} = md5(random()::text) WHERE id <= ${rows}`;
const whole = (count: number): string => (count === 1 ? '1 row' : `${count.toLocaleString('en-US')} rows`);

export const statements: readonly Statement[] = [
  ...[
    { rows: 1, times: 200 },
    { rows: 100, times: 20 },
    { rows: rowCount, times: 1 },
  ].flatMap(({ rows, times }) => [
    { title: `INSERT of ${whole(rows)}`, times, sql: insert(rows) },
    { title: `UPDATE of ${whole(rows)}`, times, sql: update(rows, 'title') },
  ]),
  {
    title: `UPDATE of ${whole(rowCount)}, no watched column`,
    times: 1,
    sql: update(rowCount, 'note'),
  },
];

const create = (table: string): string =>
  `CREATE TABLE ${table} (id serial PRIMARY KEY, team_id int NOT NULL, title text NOT NULL, note text NOT NULL)
   WITH (autovacuum_enabled = false)`;

export async function measureStatements(): Promise<{ version: string; times: readonly Times[] }> {
  const server = await startPostgres();
  const sql = postgres(server.url, { max: 1, onnotice: () => {} });
  try {
    await migrate(sql);
    for (const table of ['plain', 'watched']) await sql.unsafe(create(table));
    await watchTable({
      table: 'watched',
      type: 'ticket',
      id: 'id',
      collections: ['tickets'],
      audience: { sql: "'team-' || team_id" },
      columns: ['title'],
    }).install(sql);

    /** Every statement begins with the same rows, without dead ones. A relay would have emptied the outbox. */
    const prepare = async (table: string): Promise<void> => {
      await sql.unsafe(`TRUNCATE ${table} RESTART IDENTITY`);
      await sql.unsafe(insert(rowCount)(table));
      await sql`TRUNCATE edict_outbox`;
      await sql.unsafe(`VACUUM ANALYZE ${table}`);
      await sql`CHECKPOINT`;
    };
    const measure = async (table: string, statement: Statement): Promise<number> => {
      await prepare(table);
      const text = statement.sql(table);
      const startedAt = performance.now();
      for (let time = 0; time < statement.times; time += 1) await sql.unsafe(text);
      return (performance.now() - startedAt) / statement.times;
    };
    const times = statements.map((): Times => ({ plain: [], watched: [] }));
    // The first round only warms up.
    for (let round = 0; round <= roundCount; round += 1) {
      for (const [at, statement] of statements.entries()) {
        const [plain, watched] = [await measure('plain', statement), await measure('watched', statement)];
        if (round === 0) continue;
        times[at]?.plain.push(plain);
        times[at]?.watched.push(watched);
      }
    }
    const [shown] = await sql<{ server_version: string }[]>`SHOW server_version`;
    return { version: shown?.server_version ?? 'unknown', times };
  } finally {
    await sql.end();
    await server.stop();
  }
}
