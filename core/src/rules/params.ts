// The identity of a params set (D-PARAM): canonical JSON. What has no JSON form is refused by its path, because two
// different params that became one key would show one list in the place of another.

import { describe } from './describe.ts';
import { deepEqual, isPlainObject } from './equal.ts';

/** Nobody filters this deep; a limit that we set beats a stack that overflows. */
const maxParamsDepth = 200;

const step = (path: string, key: string): string =>
  /^[A-Za-z_$][\w$]*$/.test(key) ? `${path}.${key}` : `${path}[${JSON.stringify(key)}]`;

const refuse = (path: string, why: string): never => {
  throw new TypeError(`${path} ${why}`);
};

function members(value: object, path: string, above: readonly object[]): string {
  if (above.includes(value)) return refuse(path, 'refers back to itself; params must have a JSON form');
  if (above.length >= maxParamsDepth) return refuse(path, `is nested deeper than ${maxParamsDepth}`);
  const line = [...above, value];
  if (Array.isArray(value)) {
    // Not `map`, which skips holes.
    return `[${Array.from(value, (item, index) => encode(item, `${path}[${index}]`, line)).join()}]`;
  }
  if (!isPlainObject(value)) {
    return refuse(
      path,
      `must have a JSON form, got ${describe(value)}; use plain objects, arrays, strings and numbers`,
    );
  }
  const parts: string[] = [];
  for (const key of Object.keys(value).sort()) {
    const member = value[key];
    if (member !== undefined) parts.push(`${JSON.stringify(key)}:${encode(member, step(path, key), line)}`);
  }
  return `{${parts.join()}}`;
}

function encode(given: unknown, path: string, above: readonly object[]): string {
  let value = given;
  if (typeof value === 'object' && value !== null) {
    if (value instanceof Date && Number.isNaN(value.getTime())) return refuse(path, 'is an invalid Date');
    // As JSON.stringify does: once, and not again on what it gives.
    if ('toJSON' in value && typeof value.toJSON === 'function') value = value.toJSON();
    if (typeof value === 'object' && value !== null) return members(value, path, above);
  }
  if (value === null || typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value)) {
    return JSON.stringify(value);
  }
  return refuse(path, `must have a JSON form, got ${describe(value)}`);
}

/**
 * The key of a params set: canonical JSON, `"{}"` for none (D-PARAM-1).
 * Throws a `TypeError` that names the path of a value without a JSON form, such as `params.filter.tags[2]`.
 */
export function paramsKey(params: unknown): string {
  if (params === undefined || params === null) return '{}';
  if (!isPlainObject(params)) return refuse('params', `must be a plain object, got ${describe(params)}`);
  return members(params, 'params', []);
}

function freeze(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  Object.freeze(value);
  for (const member of Object.values(value)) freeze(member);
}

/** The deeply frozen copy that a key stands for, `undefined` for `"{}"` (D-PARAM-2). */
export function paramsSnapshot(key: string): object | undefined {
  if (key === '{}') return undefined;
  const copy: unknown = JSON.parse(key);
  freeze(copy);
  return copy as object; // A key of `paramsKey` is the JSON of an object.
}

/** Whether an entry's params include the wanted ones: every top-level key with a deeply equal value (D-PARAM-3). */
export function paramsContain(entry: object | undefined, wanted: object | undefined): boolean {
  for (const [key, value] of Object.entries(wanted ?? {})) {
    if (value === undefined) continue;
    if (entry === undefined || !Object.hasOwn(entry, key)) return false;
    if (!deepEqual((entry as Record<string, unknown>)[key], value)) return false; // It has the key: see above.
  }
  return true;
}
