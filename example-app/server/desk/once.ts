// A request whose answer got lost is sent again, with the same key: it gets the same answer, and nothing is done twice.

import { and, eq, lt } from 'drizzle-orm';
import type { Db } from '../db/database.ts';
import * as table from '../db/schema.ts';

const keptMs = 24 * 60 * 60 * 1000;
const { answers } = table;

/** In the transaction of the work: what failed may be tried again. Without a key it is done each time. */
export async function once<T extends object>(
  db: Db,
  { personId, key }: { personId: number; key: string | undefined },
  work: () => Promise<T>,
): Promise<T> {
  if (key === undefined) return await work();
  const own = and(eq(answers.personId, personId), eq(answers.key, key));
  await db.delete(answers).where(lt(answers.at, new Date(Date.now() - keptMs)));
  // Of two at once the second waits here until the first is committed.
  const [isFirst] = await db
    .insert(answers)
    .values({ personId, key, at: new Date() })
    .onConflictDoNothing()
    .returning({ key: answers.key });
  if (isFirst === undefined) {
    const [kept] = await db.select({ answer: answers.answer }).from(answers).where(own);
    return kept?.answer as T; // True: it was written below, by the same work.
  }
  const answer = await work();
  await db.update(answers).set({ answer }).where(own);
  return answer;
}
