// Rules for the options of reads. Only development builds contain this file: an unknown option would silently have no effect.

import type { Checks } from './checks.ts';
import { aFlag, anObject, check, must, mustBeKnown } from './checks.ts';

/** The operations that accept options of a read. */
export type ReadOperation =
  | 'fetchItem'
  | 'fetchCollection'
  | 'prefetchCollection'
  | 'getCollectionRef'
  | 'ensureCollection';

function rulesOf(operation: ReadOperation): Checks {
  const item: Checks = { force: aFlag, silent: aFlag };
  const params: Checks = { params: check('be an object', () => true) }; // The cache checks the params themselves.
  if (operation === 'fetchItem') return item;
  return operation === 'getCollectionRef' || operation === 'ensureCollection'
    ? params
    : { ...params, ...item };
}

/** Throws a `TypeError` that names an unknown or wrong option. */
export function checkReadOptions(operation: ReadOperation, name: string, options: unknown): void {
  if (options === undefined || options === null) return;
  const culprit = `${operation}(${JSON.stringify(name)})`;
  const known = rulesOf(operation);
  for (const [key, value] of Object.entries(must(`${culprit}: the options`, anObject, options))) {
    if (key === 'isScattered') continue; // The hooks pass it.
    const hint = known['params'] === undefined ? '' : `Filters belong in params: { params: { ${key}: … } }. `;
    mustBeKnown(known, key, `${culprit}: ${key}`, hint);
    if (value !== undefined) must(`${culprit}: ${key}`, known[key] as Checks[string], value); // Just found to be known.
  }
}
