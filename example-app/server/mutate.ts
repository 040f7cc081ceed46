// Runs a change and tells the world: the change and its directives in one transaction. A relay takes them to
// the streams of all who are concerned; the one who asked gets the same ones as the answer.

import type { Context } from 'hono';
import { directiveRequest } from '@edict/server';
import { outbox } from '@edict/server/postgres';
import type { Directive } from '@edict/core/protocol';
import type { Announcement } from './desk/affected.ts';
import type { Work } from './desk/ticketChanges.ts';
import { DeskError } from './desk/errors.ts';
import { audiencesOf } from './desk/viewer.ts';
import type { Desk, DeskEnv } from './app.ts';

/** What a mutation answers: its own fields, and the directives for `DL.fetch`. */
export type Answer<T extends object> = T & { directives: Directive[] };

export async function mutate<T extends object>(
  c: Context<DeskEnv>,
  desk: Desk,
  change: (work: Work) => Promise<T>,
): Promise<Answer<T>> {
  const viewer = c.get('session').person;
  const source = await desk.clients.speaksFor(directiveRequest(c.req.raw).clientId, viewer.id);
  const own = new Set(audiencesOf(viewer));
  const directives: Directive[] = [];
  const answer = await desk.db.transaction(async (tx) => {
    const announcements: Announcement[] = [];
    const done = await change({ db: tx, viewer, announce: (one) => announcements.push(one) });
    for (const { directives: some, audience } of announcements) {
      // Written with the change itself: either both happen or neither, and the order is that of the commits.
      const stamped = await outbox(tx).emit(some, { audience, source });
      // What concerns somebody else alone (their bell) is nothing for this client to fetch.
      directives.push(...stamped.filter((one) => own.has(one.audience ?? 'global')));
    }
    return done;
  });
  return { ...answer, directives };
}

/** Reads a JSON body and checks it; a 400, 415 or 422 says what is wrong with it. */
export async function readBody<T>(
  c: Context,
  schema: { safeParse: (value: unknown) => { success: true; data: T } | { success: false; error: Issues } },
): Promise<T> {
  // Forms of other sites cannot send this type without being asked first.
  if (!/^application\/json\b/i.test(c.req.header('content-type') ?? '')) {
    throw new DeskError(415, 'not_json', 'The body has to be JSON.');
  }
  let value: unknown;
  try {
    value = await c.req.json();
  } catch {
    throw new DeskError(400, 'bad_json', 'The body is not readable as JSON.');
  }
  return check(schema, value);
}

interface Issues {
  issues: readonly { path: readonly PropertyKey[]; message: string }[];
}

/** A 422 with a message for each field that is wrong. */
export function check<T>(
  schema: { safeParse: (value: unknown) => { success: true; data: T } | { success: false; error: Issues } },
  value: unknown,
): T {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const fields = Object.fromEntries(
    result.error.issues.map((issue) => [issue.path.map(String).join('.'), issue.message]),
  );
  throw new DeskError(422, 'invalid', result.error.issues[0]?.message ?? 'The input is not valid.', fields);
}
