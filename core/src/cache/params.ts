// The identity of a params set: canonical JSON (D-PARAM-1). A value without a JSON form is an error, because two
// different params with the same key would share one list.

import { dev, fail } from '../config/describe.ts';
import { deepEqual } from './structuralSharing.ts';
import { isPlainObject } from '../platform/plainObject.ts';

/** No real filter is nested this deeply. Without the limit, the stack would overflow. */
const maxDepth = 200;

/** @param parents the objects that contain the value */
function encode(given: unknown, path: string, parents: readonly unknown[]): string {
  const hasJson = typeof (given as { toJSON?: unknown } | null)?.toJSON === 'function';
  const value: unknown = hasJson ? (given as Date).toJSON() : given;
  if (value === null && given !== null) fail(path, dev`have a JSON form`, given); // An invalid Date.
  if (value === null || typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value))
    return JSON.stringify(value);
  if (parents.includes(value) || parents.length >= maxDepth)
    fail(path, dev`not contain itself, and be nested at most ${maxDepth} deep`, given);
  const within = [...parents, value];
  if (Array.isArray(value))
    return `[${Array.from(value, (member, at) => encode(member, `${path}[${at}]`, within)).join()}]`;
  if (!isPlainObject(value)) return fail(path, dev`have a JSON form`, given);
  const members = Object.keys(value)
    .sort()
    .filter((key) => value[key] !== undefined)
    .map((key) => `${JSON.stringify(key)}:${encode(value[key], `${path}.${key}`, within)}`);
  return `{${members.join()}}`;
}

/**
 * The key of a params set: canonical JSON, `"{}"` for none (D-PARAM-1).
 * Throws a `TypeError` that names the path of a value without a JSON form, such as `params.filter.tags[2]`.
 */
export function paramsKey(params: unknown): string {
  if (params === undefined || params === null) return '{}';
  if (!isPlainObject(params)) fail('params', dev`be a plain object`, params);
  return encode(params, 'params', []);
}

/** The deeply frozen copy of the params with this key, `undefined` for `"{}"` (D-PARAM-2). */
export const paramsSnapshot = (key: string): object | undefined =>
  // Every key that `paramsKey` returns is the JSON of an object.
  key === '{}' ? undefined : (JSON.parse(key, (_, value: unknown) => Object.freeze(value)) as object);

/** Returns a function that tests whether an entry's params contain every wanted top-level key with a deeply equal value (D-PARAM-3). */
export function paramsFilter(wanted: object | null): (entry: { params: object | undefined }) => boolean {
  const pairs = Object.entries(wanted ?? {});
  return ({ params = {} }) =>
    pairs.every(
      ([key, value]) =>
        Object.hasOwn(params, key) && deepEqual((params as Record<string, unknown>)[key], value),
    );
}
