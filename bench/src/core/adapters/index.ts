// The libraries, in the order of the columns. Add a new library here.

import type { CreateSubject } from '../subject.ts';
import { createEdict } from './edict.ts';
import { createFloor } from './floor.ts';
import { createRtk } from './rtk.ts';
import { createSwr } from './swr.ts';
import { createTanstack } from './tanstack.ts';
import { createZustand } from './zustand.ts';

export interface Library {
  readonly title: string;
  /** A ratio compares `us` with the best `peer`. A `reference` is only shown. */
  readonly role: 'us' | 'peer' | 'reference';
  readonly create: CreateSubject;
}

export const libraries: Readonly<Record<string, Library>> = {
  edict: { title: 'Edict', role: 'us', create: createEdict },
  tanstack: { title: 'TanStack Query', role: 'peer', create: createTanstack },
  swr: { title: 'SWR', role: 'peer', create: createSwr },
  rtk: { title: 'RTK Query', role: 'peer', create: createRtk },
  zustand: { title: 'Zustand', role: 'reference', create: createZustand },
  floor: { title: 'by hand', role: 'reference', create: createFloor },
};
