'use server';

import { refreshCollection, refreshItem } from '@edict/core/protocol';
import { setStatus } from '../lib/database';
import { live } from '../lib/live';

/** The response of the action contains what changed. All other clients receive it on the stream. */
export const solve = live.action(async (emit, id: number) => {
  setStatus(id, 'solved');
  await emit([refreshItem('ticket', id), refreshCollection('tickets')]);
});
