// Matches the keys of another cache with a change. A key is an array such as `['tickets', { status: 'open' }]`. Trailing parts that mean "all"
// are removed from the pattern, and the rest is compared with the start of each key.

import type { Id } from '@edict/core';
import { check, isFunction, must } from '../config/checks.ts';
import { deepEqual } from '../cache/structuralSharing.ts';
import { isPlainObject } from '../platform/plainObject.ts';
import { paramsFilter, paramsKey } from '../cache/params.ts';
import type { Change } from './changes.ts';
import type { Guard } from './guard.ts';

/** A pattern of keys: an array, a string (compared as a whole), a predicate, or null for "not cached". */
export type KeyPattern<Key = unknown> = readonly unknown[] | string | ((key: Key) => boolean) | null;

/** How the application builds its keys. If a function throws, the error is reported, and every key that `owns` accepts counts as changed. */
export interface KeyOptions<Key = unknown> {
  /**
   * Returns the key of an item. `id` null: every item of the type, with all levels. `level` null: every level. Trailing nulls of an array
   * are removed, so `(type, id, level) => [type, id, level]` works for every case. This is the default. If your lists contain whole
   * items, return a predicate that also accepts the lists.
   */
  item?: (type: string, id: Id | null, level: string | null) => KeyPattern<Key>;
  /**
   * Returns the key of a collection with its params. `params` null: every params set. With mode `contains`, an object in the key only has to
   * include the passed params. Keys that continue after these parts match too. Default: `[name, params]`.
   */
  collection?: (
    name: string,
    params: Readonly<Record<string, unknown>> | null,
    mode: 'exact' | 'contains',
  ) => KeyPattern<Key>;
}

/** The keys that a change concerns, and the one key that belongs to exactly the changed record. */
export interface Concern {
  readonly includes: (key: unknown) => boolean;
  /** An inline result is the data of exactly this key. */
  readonly isExactly: (key: unknown) => boolean;
}

const isNothing = (part: unknown): boolean => part === null || part === undefined;
const isEmpty = (part: unknown): boolean =>
  isNothing(part) || (isPlainObject(part) && paramsKeyOf(part) === '{}');

function cut(parts: readonly unknown[], isCut: (part: unknown) => boolean): readonly unknown[] {
  let { length } = parts;
  while (length > 0 && isCut(parts[length - 1])) length -= 1;
  return parts.slice(0, length);
}

/** Null for a value without a JSON form. Such a value is compared by identity and parts. */
export function paramsKeyOf(params: unknown): string | null {
  try {
    return paramsKey(params);
  } catch {
    return null;
  }
}

/**
 * Compares params like the data layer: members that are `undefined` are ignored, and dates are compared as strings
 * (D-PARAM-1).
 */
function equal(mine: unknown, theirs: unknown): boolean {
  if (isEmpty(mine)) return isEmpty(theirs);
  const key = isPlainObject(mine) && isPlainObject(theirs) ? paramsKeyOf(mine) : null;
  return key === null ? deepEqual(mine, theirs) : key === paramsKeyOf(theirs);
}

/** Whether `theirs` contains every member of `mine` (D-PARAM-3). `{}` matches every params set, including none. */
function includes(mine: unknown, theirs: unknown): boolean {
  if (isEmpty(mine)) return isEmpty(theirs) || isPlainObject(theirs);
  if (!isPlainObject(mine) || !isPlainObject(theirs)) return equal(mine, theirs);
  const key = paramsKeyOf(theirs);
  if (key === null) return false;
  const wanted = Object.fromEntries(Object.entries(mine).filter(([, value]) => value !== undefined));
  return paramsFilter(wanted)({ params: JSON.parse(key) as object }); // The key of an object is the JSON of an object.
}

/** `42` and `"42"` are the same item, but they are different key parts (D-REG-5). */
function formsOf(id: Id | null): readonly (Id | null)[] {
  if (typeof id === 'number') return [id, String(id)];
  if (typeof id === 'string' && id !== '' && String(Number(id)) === id) return [id, Number(id)];
  return [id];
}

type How = 'beginning' | 'exact' | 'contains';

const aPattern = check<KeyPattern>(
  'return a list, a string, a function or null',
  (value) => value === null || Array.isArray(value) || typeof value === 'string' || isFunction(value),
);

function concern(pattern: KeyPattern, how: How): Concern {
  if (pattern === null) return { includes: () => false, isExactly: () => false };
  if (typeof pattern === 'function') return { includes: pattern, isExactly: () => false };
  if (typeof pattern === 'string') {
    const is = (key: unknown): boolean => key === pattern;
    return { includes: is, isExactly: is };
  }
  const begins = cut(pattern, isNothing);
  const whole = cut(pattern, isEmpty);
  const compare = how === 'contains' ? includes : equal;
  const isExactly = (key: unknown): boolean => {
    if (!Array.isArray(key)) return false;
    const theirs = cut(key, isEmpty);
    return theirs.length === whole.length && whole.every((part, index) => equal(part, theirs[index]));
  };
  const hasBeginning = (key: unknown): boolean =>
    // A pattern without parts would match every key.
    Array.isArray(key) && begins.length > 0 && begins.every((part, index) => compare(part, key[index]));
  return { includes: how === 'exact' ? isExactly : hasBeginning, isExactly };
}

/** The keys of one application. */
export interface Keys {
  /** The keys that a change concerns. */
  readonly concernOf: (change: Change) => Concern;
  /** Whether a resync concerns the key. */
  readonly isOwn: (key: unknown) => boolean;
}

/** @param options the application's options, whose functions may throw */
export function createKeys(
  options: KeyOptions<never> & { owns?: (key: never) => boolean },
  guard: Guard,
): Keys {
  const {
    item = (type, id, level) => [type, id, level],
    collection = (name, params) => [name, params],
    owns,
  } = options as KeyOptions & { owns?: (key: unknown) => boolean }; // They are called only with keys of their own cache.
  const isOwn = (key: unknown): boolean => guard.run('the option owns', () => owns?.(key) ?? true, true);

  /** If the function throws, the change may concern any key. */
  function guarded(option: string, make: () => KeyPattern, how: How): Concern {
    const culprit = `the option ${option}`;
    const pattern = guard.run(culprit, make, isOwn);
    const made = guard.run(culprit, () => concern(must(option, aPattern, pattern), how), concern(isOwn, how));
    let hasThrown = false;
    return {
      isExactly: made.isExactly,
      includes(key) {
        try {
          return made.includes(key);
        } catch (error) {
          // Report once per change, because the predicate runs for every key.
          if (!hasThrown) guard.report(`what the option ${option} returned`, error);
          hasThrown = true;
          return isOwn(key);
        }
      },
    };
  }

  function ofItem(type: string, id: Id | null, level: string | null): Concern {
    const all = formsOf(id).flatMap((form) => {
      const named = guarded('item', () => item(type, form, level), 'beginning');
      // A key without a level is the key of the default level (D-REG-6).
      return level === 'default' ? [named, guarded('item', () => item(type, form, null), 'exact')] : [named];
    });
    return {
      includes: (key) => all.some((one) => one.includes(key)),
      isExactly: (key) => all.some((one) => one.isExactly(key)),
    };
  }

  return {
    isOwn,
    concernOf(change) {
      if (change.kind === 'item') {
        const { type, id, level } = change;
        // Selects every item of the type, with all levels. No key prefix can express one level of every id.
        return ofItem(type, id, id === null ? null : level);
      }
      const { name, params, mode } = change;
      const how = params === null || mode === 'contains' ? 'contains' : 'beginning';
      return guarded('collection', () => collection(name, params, mode), how);
    },
  };
}
