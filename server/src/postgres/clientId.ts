// The client whose request a transaction handles.

import { isName, nameRule } from '../names.ts';
import { wrong } from '../optionErrors.ts';
import { runOf, type OutboxTransaction } from './executor.ts';

/** A setting of the transaction. Triggers read it. */
export const clientIdSetting = 'edict.client_id';

/**
 * Names the client whose request this transaction handles. The directives of triggers then have that `source`, so the client ignores
 * them on its stream and applies those in the response of its mutation (`outbox(tx).directives()`). The setting ends with the
 * transaction.
 *
 * `clientId` is that of `directiveRequest`. With null, no client is named, which is the default. `tx` must be a transaction: on a
 * connection or a pool without one, the setting has no effect. Throws a `TypeError` for a wrong client id.
 */
export async function setClientId(tx: OutboxTransaction, clientId: string | null): Promise<void> {
  if (clientId !== null && !isName(clientId))
    throw wrong('setClientId: clientId', `null or a string of ${nameRule}`, clientId);
  await runOf(tx, 'setClientId')(`SELECT set_config('${clientIdSetting}', $1::text, true)`, [clientId ?? '']);
}
