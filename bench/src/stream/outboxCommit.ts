// Measures the time of COMMIT in a transaction that emits many times through the outbox, on a real PostgreSQL.

import { migrate, outbox } from '@edict/server/postgres';
import postgres from 'postgres';
import { startPostgres } from '../../../server/test/postgres/postgresServer.ts';

/** The times of the rounds in milliseconds, by the number of emits. */
export type Commits = Record<number, number[]>;

export const commitSizes = [2000, 4000, 8000, 16_000] as const;
const rounds = 3;
/** The number of emits that are sent to the database without waiting for each other. */
const atOnce = 100;

export async function outboxCommit(): Promise<Commits> {
  const server = await startPostgres();
  const sql = postgres(server.url, { onnotice: () => {} });
  try {
    await migrate(sql);
    const commit = async (emits: number): Promise<number> => {
      const tx = await sql.reserve();
      try {
        await tx`BEGIN`;
        const { emit } = outbox(tx);
        for (let from = 0; from < emits; from += atOnce) {
          const ids = Array.from({ length: atOnce }, (_, index) => from + index);
          await Promise.all(ids.map((id) => emit([{ op: 'refresh_item', name: 'ticket', id }])));
        }
        const startedAt = performance.now();
        await tx`COMMIT`;
        return performance.now() - startedAt;
      } finally {
        tx.release();
        await sql`TRUNCATE edict_outbox`; // A relay would have emptied it.
      }
    };
    await commit(commitSizes[0]);
    const measured: Commits = Object.fromEntries(commitSizes.map((emits) => [emits, []]));
    for (let round = 0; round < rounds; round++)
      for (const emits of commitSizes) measured[emits]?.push(await commit(emits));
    return measured;
  } finally {
    await sql.end();
    await server.stop();
  }
}
