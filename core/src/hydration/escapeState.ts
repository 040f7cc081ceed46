import { isObject, must } from '../config/checks.ts';
import type { DehydratedState } from './types.ts';

const withoutPrototypes = (name: string, value: unknown): unknown =>
  name === '__proto__' ? undefined : value;

/**
 * Returns the state as JSON that is safe to embed in a `<script>`: it is also a JavaScript expression with the state as its value, and
 * contains no `<`, which could end the script. Members named `__proto__` are left out, because the expression would set a prototype. Throws a
 * `TypeError` if `state` is not an object.
 *
 * ```ts
 * import { DL } from '@edict/core';
 * import { dehydrate, escapeState } from '@edict/core/hydration';
 *
 * const html = `<script>window.__STATE__ = ${escapeState(dehydrate(DL))}</script>`;
 * ```
 */
export const escapeState = (state: DehydratedState): string =>
  JSON.stringify(must('escapeState: the state', isObject, state), withoutPrototypes).replace(
    /[<\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
