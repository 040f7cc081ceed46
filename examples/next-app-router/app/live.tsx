'use client';

import { createLiveProvider } from '@edict/next';
import { ticket, tickets } from '../lib/data';

export const Live = createLiveProvider([ticket, tickets]);
