// Runs a change and tells the world: the change and its directives in one transaction. A relay takes them to
// the streams of all who are concerned; the one who asked gets the same ones as the answer.

import type { Context } from 'hono';
import { directiveRequest } from '@edict/server';
import { outbox } from '@edict/server/postgres';
import type { Directive } from '@edict/core/protocol';
import type { Announcement } from './desk/affected.ts';
import type { Work } from './desk/ticketChanges.ts';
import { once } from './desk/once.ts';
import { audiencesOf, everyone } from '../src/audiences.ts';
import * as inputs from '../src/inputs.ts';
import type { Desk, DeskEnv } from './app.ts';
import { check } from './input.ts';

/** What a mutation answers: its own fields, and the directives for `DL.fetch`. */
export type Answer<T extends object> = T & { directives: Directive[] };

export async function mutate<T extends object>(
  c: Context<DeskEnv>,
  desk: Desk,
  change: (work: Work) => Promise<T>,
): Promise<Answer<T>> {
  const viewer = c.get('session').person;
  const source = await desk.clients.speaksFor(directiveRequest(c.req.raw).clientId, viewer.id);
  const key = check(inputs.sendingKey, c.req.header('idempotency-key'));
  const own = new Set(audiencesOf(viewer));
  return await desk.db.transaction(
    async (tx) =>
      await once(tx, { personId: viewer.id, key }, async () => {
        const announcements: Announcement[] = [];
        const done = await change({ db: tx, viewer, announce: (one) => announcements.push(one) });
        const directives: Directive[] = [];
        for (const { directives: some, audience } of announcements) {
          // Written with the change itself: either both happen or neither, and the order is that of the commits.
          const stamped = await outbox(tx).emit(some, { audience, source });
          // What concerns somebody else alone (their bell) is nothing for this client to fetch.
          directives.push(...stamped.filter((one) => own.has(one.audience ?? everyone)));
        }
        return { ...done, directives };
      }),
  );
}
