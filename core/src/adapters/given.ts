// What an application hands to an adapter, checked when it does: else the first change would tell, and nobody would hear it.

import type { Check, Checks } from '../rules/checks.ts';
import { aFunction, aNumber, anObject, check, isFunction, must, mustHave } from '../rules/checks.ts';

/** Something that has a method of this name. */
export const offering = (method: string, expected: string): Check =>
  check(expected, (value) => isFunction((Object(value) as Record<string, unknown>)[method]));

const aDataLayer = offering('onLifecycle', 'be a data layer, as createDataLayer returns it');

const optionChecks: Checks = {
  item: aFunction,
  collection: aFunction,
  itemData: aFunction,
  collectionData: aFunction,
  owns: aFunction,
  delayMs: aNumber,
  env: anObject,
};

/** Throws a `TypeError` that names what is wrong. */
export function checkGiven(caller: string, dl: unknown, options: unknown): void {
  must(`${caller}: the first argument`, aDataLayer, dl);
  mustHave(`${caller}: the options`, optionChecks, options, `${caller}: `);
}
