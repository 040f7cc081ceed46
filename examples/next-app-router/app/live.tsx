'use client';

import { createLiveProvider } from '@edict/next';
import { ticket, tickets } from '../lib/data';

// A refetch that fails while the API does not respond is repeated.
export const Live = createLiveProvider([ticket, tickets], { bulk: { retryFailedMs: 2000 } });
