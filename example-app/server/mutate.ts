// Runs a change in a transaction. The watched tables write its directives to the outbox in the same transaction, and a
// relay delivers them. The client of the request gets them with the response.

import type { Context } from 'hono';
import { directiveRequest } from '@edict/server';
import { outbox, setClientId } from '@edict/server/postgres';
import type { Work } from './desk/ticketChanges.ts';
import { once } from './desk/once.ts';
import { audiencesOf, everyone } from '../src/audiences.ts';
import * as inputs from '../src/inputs.ts';
import type { Desk, DeskEnv } from './app.ts';
import { check } from './input.ts';

/** Responds with what the change returns, and with the directives that `DL.fetch` applies. */
export async function mutate(
  c: Context<DeskEnv>,
  desk: Desk,
  change: (work: Work) => Promise<object | void>,
  status: 200 | 201 = 200,
): Promise<Response> {
  const viewer = c.get('session').person;
  const source = await desk.clients.ownedBy(directiveRequest(c.req.raw).clientId, viewer.id);
  const key = check(inputs.sendingKey, c.req.header('idempotency-key'));
  const own = new Set(audiencesOf(viewer));
  const answer = await desk.db.transaction(
    async (tx) =>
      await once(tx, { personId: viewer.id, key }, async () => {
        await setClientId(tx, source);
        const done = await change({
          db: tx,
          viewer,
          announce: async ({ directives, audience }) => {
            await outbox(tx).emit(directives, { audience, source });
          },
        });
        // Directives for other users, such as those for their bells, are not for this client.
        const directives = (await outbox(tx).directives()).filter((one) => own.has(one.audience ?? everyone));
        return { ...done, directives };
      }),
  );
  return c.json(answer, status);
}
