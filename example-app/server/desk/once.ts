// A client that lost a response sends the request again with the same key. It gets the same response, and the work is
// not repeated.

import { and, eq, lt, sql } from 'drizzle-orm';
import type { Db } from '../db/database.ts';
import * as table from '../db/schema.ts';

const keptMs = 24 * 60 * 60 * 1000;
const { answers } = table;

/** Runs in the transaction of the work, so a failed request can be repeated. Without a key, the work runs each time. */
export async function once<T extends object>(
  db: Db,
  { personId, key }: { personId: number; key: string | undefined },
  work: () => Promise<T>,
): Promise<T> {
  if (key === undefined) return await work();
  const own = and(eq(answers.personId, personId), eq(answers.key, key));
  await db.delete(answers).where(lt(answers.at, new Date(Date.now() - keptMs)));
  // The second of two concurrent requests waits here for the commit of the first.
  const [isFirst] = await db
    .insert(answers)
    .values({ personId, key, at: new Date() })
    .onConflictDoNothing()
    .returning({ key: answers.key });
  if (isFirst === undefined) {
    // It was written below, by the same work.
    const [kept] = await db
      .select({ answer: sql<T>`${answers.answer}` })
      .from(answers)
      .where(own);
    if (kept === undefined) throw new Error('The kept answer was removed meanwhile.');
    return kept.answer;
  }
  const answer = await work();
  await db.update(answers).set({ answer }).where(own);
  return answer;
}
