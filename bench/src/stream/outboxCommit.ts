// How long COMMIT takes in a transaction that emits many times through the outbox, on a real PostgreSQL.

import { migrate, outbox } from '@edict/server/postgres';
import postgres from 'postgres';
import { startPostgres } from '../../../server/test/postgres/postgresServer.ts';

/** Milliseconds of each round. */
export interface Commits {
  readonly small: number[];
  readonly large: number[];
}

export const smallEmits = 1000;
export const largeEmits = 8000;
const rounds = 5;

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
        for (let id = 0; id < emits; id += 1) await emit([{ op: 'refresh_item', name: 'ticket', id }]);
        const startedAt = performance.now();
        await tx`COMMIT`;
        return performance.now() - startedAt;
      } finally {
        tx.release();
        await sql`TRUNCATE edict_outbox`; // As a relay would have emptied it.
      }
    };
    await commit(smallEmits);
    const measured: Commits = { small: [], large: [] };
    for (let round = 0; round < rounds; round++) {
      measured.small.push(await commit(smallEmits));
      measured.large.push(await commit(largeEmits));
    }
    return measured;
  } finally {
    await sql.end();
    await server.stop();
  }
}
