// The user of each client id. A mutation that named the id of another user as its source would be hidden from that user,
// so an id is accepted only from its own user.

import { eq, lt } from 'drizzle-orm';
import type { Db } from '../db/database.ts';
import * as table from '../db/schema.ts';

const keptMs = 24 * 60 * 60 * 1000;

export interface Clients {
  /** Claims the id for a stream. False: it belongs to another user. */
  claim: (clientId: string, personId: number) => Promise<boolean>;
  /** Returns the id if the user may use it, else null. */
  ownedBy: (clientId: string | null, personId: number) => Promise<string | null>;
}

export function createClients(db: Db): Clients {
  const ownerOf = async (clientId: string): Promise<number | null> => {
    const [row] = await db.select().from(table.clients).where(eq(table.clients.id, clientId));
    return row?.personId ?? null;
  };

  return {
    async claim(clientId, personId) {
      const seenAt = new Date();
      await db.delete(table.clients).where(lt(table.clients.seenAt, new Date(seenAt.getTime() - keptMs)));
      await db
        .insert(table.clients)
        .values({ id: clientId, personId, seenAt })
        .onConflictDoUpdate({
          target: table.clients.id,
          set: { seenAt },
          setWhere: eq(table.clients.personId, personId),
        });
      return (await ownerOf(clientId)) === personId;
    },
    async ownedBy(clientId, personId) {
      if (clientId === null) return null;
      const owner = await ownerOf(clientId);
      return owner === null || owner === personId ? clientId : null;
    },
  };
}
