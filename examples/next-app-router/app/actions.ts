'use server';

import { refreshCollection, refreshItem } from '@edict/core/protocol';
import { setStatus } from '../lib/database';
import { live } from '../lib/live';

/** The response of the action says what changed, and the stream tells everybody else. */
export const solve = live.action(async (emit, id: number) => {
  setStatus(id, 'solved');
  await emit([refreshItem('ticket', id), refreshCollection('tickets')]);
});
