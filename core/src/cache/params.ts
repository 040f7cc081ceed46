// The identity of a params set (D-PARAM): canonical JSON. What has no JSON form is refused by its path, because two
// different params that became one key would show one list in the place of another.

import { unmet } from '../config/describe.ts';
import { deepEqual } from './structuralSharing.ts';
import { isPlainObject } from '../platform/plainObject.ts';

/** Nobody filters this deep; a limit that we set beats a stack that overflows. */
const maxParamsDepth = 200;

/** The way from the params to where the encoder is: the objects it is in, and the key it took in each. */
interface Trail {
  readonly objects: object[];
  readonly keys: (string | number)[];
}

function pathOf({ keys }: Trail): string {
  const steps = keys.map((key) =>
    typeof key === 'string' && /^[A-Za-z_$][\w$]*$/.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`,
  );
  return `params${steps.join('')}`;
}

function refuse(trail: Trail, why: string): never {
  throw new TypeError(`${pathOf(trail)} ${why}`);
}

function encodeMembers(value: object, trail: Trail): string {
  const { objects, keys } = trail;
  if (objects.includes(value)) return refuse(trail, 'refers back to itself; params must have a JSON form');
  if (objects.length >= maxParamsDepth) return refuse(trail, `is nested deeper than ${maxParamsDepth}`);
  const isArray = Array.isArray(value);
  if (!isArray && !isPlainObject(value)) {
    const remedy = 'use plain objects, arrays, strings and numbers';
    return refuse(trail, `${unmet('have a JSON form', value)}; ${remedy}`);
  }
  objects.push(value);
  let json = '';
  if (isArray) {
    for (let index = 0; index < value.length; index++) {
      keys.push(index);
      json += `${index === 0 ? '' : ','}${encode(value[index], trail)}`;
      keys.pop();
    }
  } else {
    for (const key of Object.keys(value).sort()) {
      const member = value[key];
      if (member === undefined) continue;
      keys.push(key);
      json += `${json === '' ? '' : ','}${JSON.stringify(key)}:${encode(member, trail)}`;
      keys.pop();
    }
  }
  objects.pop();
  return isArray ? `[${json}]` : `{${json}}`;
}

function encode(given: unknown, trail: Trail): string {
  let value = given;
  if (typeof value === 'object' && value !== null) {
    if (value instanceof Date && Number.isNaN(value.getTime())) return refuse(trail, 'is an invalid Date');
    // As JSON.stringify does: once, and not again on what it gives.
    if ('toJSON' in value && typeof value.toJSON === 'function') value = value.toJSON();
    if (typeof value === 'object' && value !== null) return encodeMembers(value, trail);
  }
  if (value === null || typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value)) {
    return JSON.stringify(value);
  }
  return refuse(trail, unmet('have a JSON form', value));
}

/**
 * The key of a params set: canonical JSON, `"{}"` for none (D-PARAM-1).
 * Throws a `TypeError` that names the path of a value without a JSON form, such as `params.filter.tags[2]`.
 */
export function paramsKey(params: unknown): string {
  if (params === undefined || params === null) return '{}';
  const trail: Trail = { objects: [], keys: [] };
  if (!isPlainObject(params)) return refuse(trail, unmet('be a plain object', params));
  return encodeMembers(params, trail);
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

type Fields = Readonly<Record<string, unknown>>;

/**
 * Asks of an entry's params whether they include the wanted ones: every top-level key with a deeply equal value (D-PARAM-3).
 * What is wanted is taken apart once, for all the entries that are asked.
 */
export function paramsFilter(wanted: object | null | undefined): (entry: object | undefined) => boolean {
  const asked = Object.entries(wanted ?? {}).filter(([, value]) => value !== undefined);
  return (entry = {}) => {
    const held = entry as Fields; // Any field of an object may be read.
    for (const [key, value] of asked) {
      // The value first: it is what differs.
      if (!deepEqual(held[key], value) || !Object.hasOwn(held, key)) return false;
    }
    return true;
  };
}
