// Sessions. The cookie contains a random token, and the table only its hash.

import { createHash, randomBytes } from 'node:crypto';
import { and, eq, gt, lt } from 'drizzle-orm';
import type { Session } from '../../src/model.ts';
import type { Db } from '../db/database.ts';
import * as table from '../db/schema.ts';
import { findPerson } from './directory.ts';
import { DeskError } from './errors.ts';

/** The name of the cookie. */
export const sessionCookie = 'desk_session';

const hashOf = (token: string): string => createHash('sha256').update(token).digest('hex');

export interface Sessions {
  /** Throws a 422 for an unknown person. */
  begin: (personId: number) => Promise<{ token: string; expiresAt: Date }>;
  /** Null if there is no token, or if it is unknown or expired. */
  find: (token: string | undefined) => Promise<Session | null>;
  end: (token: string | undefined) => Promise<void>;
}

export function createSessions(db: Db, options: { lifetimeMs: number }): Sessions {
  return {
    async begin(personId) {
      if ((await findPerson(db, personId)) === null) {
        throw new DeskError(422, 'unknown_person', 'Nobody with this number works at the desk.');
      }
      await db.delete(table.sessions).where(lt(table.sessions.expiresAt, new Date()));
      const token = randomBytes(32).toString('base64url');
      const expiresAt = new Date(Date.now() + options.lifetimeMs);
      await db.insert(table.sessions).values({ tokenHash: hashOf(token), personId, expiresAt });
      return { token, expiresAt };
    },

    async find(token) {
      if (token === undefined || token === '') return null;
      const [row] = await db
        .select()
        .from(table.sessions)
        .where(and(eq(table.sessions.tokenHash, hashOf(token)), gt(table.sessions.expiresAt, new Date())))
        .limit(1);
      if (row === undefined) return null;
      const person = await findPerson(db, row.personId);
      return person === null ? null : { person, expiresAt: row.expiresAt.toISOString() };
    },

    async end(token) {
      if (token === undefined) return;
      await db.delete(table.sessions).where(eq(table.sessions.tokenHash, hashOf(token)));
    },
  };
}
