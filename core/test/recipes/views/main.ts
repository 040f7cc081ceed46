// main.ts
import { DL } from '@edict/core';
import { ticket } from './data.ts';

DL.register(ticket);
DL.init(); // Connects to /api/events.
