import type { DataLayer } from '@edict/core';
import { internalsOf } from '@edict/core/internal';
import { fail } from '../config/describe.ts';
import type { Parts } from '../parts.ts';

/** The parts of a data layer. Throws a `TypeError` for anything else. */
export const partsOf = (dl: DataLayer, caller: string): Parts =>
  internalsOf(dl)?.parts ??
  fail(`${caller}: the first argument`, 'be a data layer, as createDataLayer returns it', dl);
