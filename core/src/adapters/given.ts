// What an application hands to an adapter, checked when it does: else the first change would tell, and nobody would hear it.

import type { Check, Checks } from '../rules/checks.ts';
import { aFunction, aNumber, anObject, check, isFunction, must, mustHave } from '../rules/checks.ts';

/** Something that has methods of these names. */
export const offering = (methods: readonly string[], expected: string): Check =>
  check(expected, (value) =>
    methods.every((method) => isFunction((Object(value) as Record<string, unknown>)[method])),
  );

const aDataLayer = offering(['onLifecycle'], 'be a data layer, as createDataLayer returns it');

/** The options of every adapter. */
export const clockChecks: Checks = { delayMs: aNumber, env: anObject };

/** With those of one that knows the keys of its cache. */
export const keyChecks: Checks = {
  item: aFunction,
  collection: aFunction,
  itemData: aFunction,
  collectionData: aFunction,
  owns: aFunction,
  ...clockChecks,
};

/** Throws a `TypeError` that names what is wrong. */
export function checkGiven(caller: string, dl: unknown, options: unknown, checks: Checks): void {
  must(`${caller}: the first argument`, aDataLayer, dl);
  mustHave(`${caller}: the options`, checks, options, `${caller}: `);
}
