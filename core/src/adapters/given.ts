// Checks the arguments of an adapter immediately. Otherwise a mistake would appear only at the first change.

import type { DataLayer } from '@edict/core';
import { internalsOf, type Internals } from '@edict/core/internal';
import type { Check, Checks } from '../config/checks.ts';
import { isFunction, isNumber, check, mustHave } from '../config/checks.ts';
import { dev, fail } from '../config/describe.ts';
import { longestTimerMs } from '../platform/timers.ts';

/** Accepts a value that has methods of these names. */
export const offering = (methods: readonly string[], expected: string): Check =>
  check(expected, (value) =>
    methods.every((method) => isFunction((Object(value) as Record<string, unknown>)[method])),
  );

/** The options of every adapter. */
export const commonChecks: Checks = {
  delayMs: check(
    dev`be a number of milliseconds from 0 to ${longestTimerMs}`,
    (value) => isNumber(value) && value >= 0 && value <= longestTimerMs,
  ),
  since: isNumber,
  env: offering(['now', 'setTimeout', 'clearTimeout'], dev`have now, setTimeout, and clearTimeout`),
};

/** The options of an adapter that knows the keys of its cache. */
export const keyChecks: Checks = {
  item: isFunction,
  collection: isFunction,
  itemData: isFunction,
  collectionData: isFunction,
  owns: isFunction,
  ...commonChecks,
};

/** Returns the internals of the data layer. Throws a `TypeError` that names the wrong argument or option. */
export function checkGiven(caller: string, dl: DataLayer, options: unknown, checks: Checks): Internals {
  // Only the data layer itself has internals. A copy would never receive a change.
  const internals =
    internalsOf(dl) ??
    fail(`${caller}: the first argument`, 'be a data layer, as createDataLayer returns it', dl);
  mustHave(`${caller}: the options`, checks, options, `${caller}: `);
  return internals;
}
