// What an application hands to an adapter, checked when it does: else the first change would tell, and nobody would hear it.

import type { DataLayer } from '@edict/core';
import { internalsOf, type Internals } from '@edict/core/internal';
import type { Check, Checks } from '../config/checks.ts';
import { aFunction, aNumber, anObject, check, isFunction, mustHave } from '../config/checks.ts';
import { fail } from '../config/describe.ts';

/** Something that has methods of these names. */
export const offering = (methods: readonly string[], expected: string): Check =>
  check(expected, (value) =>
    methods.every((method) => isFunction((Object(value) as Record<string, unknown>)[method])),
  );

/** The options of every adapter. */
export const commonChecks: Checks = { delayMs: aNumber, since: aNumber, env: anObject };

/** With those of one that knows the keys of its cache. */
export const keyChecks: Checks = {
  item: aFunction,
  collection: aFunction,
  itemData: aFunction,
  collectionData: aFunction,
  owns: aFunction,
  ...commonChecks,
};

/** What the data layer takes in. Throws a `TypeError` that names what is wrong. */
export function checkGiven(caller: string, dl: DataLayer, options: unknown, checks: Checks): Internals {
  // By its identity: a copy would be told of nothing.
  const internals = internalsOf(dl);
  if (internals === null)
    return fail(`${caller}: the first argument`, 'be a data layer, as createDataLayer returns it', dl);
  mustHave(`${caller}: the options`, checks, options, `${caller}: `);
  return internals;
}
