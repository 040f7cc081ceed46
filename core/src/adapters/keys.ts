// Which keys of another cache a change is about. A key is a list, as in `['tickets', { status: 'open' }]`; what stands for
// "all" is cut off its end, and what is left is compared with the beginnings of the keys.

import type { Id } from '@edict/core';
import { check, isFunction, must } from '../config/checks.ts';
import { deepEqual, isPlainObject } from '../cache/structuralSharing.ts';
import { paramsFilter, paramsKey } from '../cache/params.ts';
import type { Change } from './changes.ts';
import type { Guard } from './guard.ts';

/** What an application says of its keys: a list, a text (compared as a whole), a test of its own, or null for "not cached". */
export type KeyPattern = readonly unknown[] | string | ((key: unknown) => boolean) | null;

/** How an application's keys are made. Where a function throws that is reported, and every key may be concerned: those that `owns` picks. */
export interface KeyOptions {
  /**
   * The key of an item. `id` null: every item of the type, with all levels; `level` null: every level. Nulls at the end of a list
   * are cut off, so that `(type, id, level) => [type, id, level]` is right for every case. Default: just that.
   */
  item?: (type: string, id: Id | null, level: string | null) => KeyPattern;
  /**
   * The key of a collection with its params; null: every params set. With mode `contains` an object in the key need only
   * include the one given. Default: `[name, params]`.
   */
  collection?: (name: string, params: object | null, mode: 'exact' | 'contains') => KeyPattern;
}

/** Answers whether a key is concerned, and whether it is exactly the key of what changed. */
export interface Concern {
  readonly includes: (key: unknown) => boolean;
  /** An inline result belongs to the query with exactly this key. */
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

/** Null for what has no JSON form: then it is compared as it is. */
function paramsKeyOf(params: unknown): string | null {
  try {
    return paramsKey(params);
  } catch {
    return null;
  }
}

/** Params are equal as the data layer sees them: without `undefined` members, a Date as its text (D-PARAM-1). */
function equal(mine: unknown, theirs: unknown): boolean {
  if (!isPlainObject(mine) || !isPlainObject(theirs)) return deepEqual(mine, theirs);
  const key = paramsKeyOf(mine);
  return key === null ? deepEqual(mine, theirs) : key === paramsKeyOf(theirs);
}

/** D-PARAM-3. */
function includes(mine: unknown, theirs: unknown): boolean {
  if (!isPlainObject(mine) || !isPlainObject(theirs)) return equal(mine, theirs);
  const key = paramsKeyOf(theirs);
  if (key === null) return false;
  return paramsFilter(mine)(JSON.parse(key) as object); // The key of an object is the JSON of an object.
}

/** `42` and `"42"` name the same item (D-REG-5), but are different parts of a key. */
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
    // A pattern without any part would be everything.
    Array.isArray(key) && begins.length > 0 && begins.every((part, index) => compare(part, key[index]));
  if (how === 'exact') return { includes: isExactly, isExactly };
  if (how === 'beginning') return { includes: hasBeginning, isExactly };
  // `contains` with `{}` is about every params set, also about none.
  const parts = cut(begins, isEmpty);
  const isAny = (key: unknown): boolean =>
    Array.isArray(key) &&
    parts.length > 0 &&
    parts.every((part, index) => compare(part, key[index])) &&
    begins
      .slice(parts.length)
      .every((_, index) => isEmpty(key[parts.length + index]) || isPlainObject(key[parts.length + index]));
  return { includes: isAny, isExactly };
}

/** The keys of one application. */
export interface Keys {
  /** Which of them a change is about. */
  readonly concernOf: (change: Change) => Concern;
  /** Which of them a resync is about. */
  readonly isOwn: (key: unknown) => boolean;
}

/** @param options as the application gave them: its functions may throw */
export function createKeys(options: KeyOptions & { owns?: (key: never) => boolean }, guard: Guard): Keys {
  const { item = (type, id, level) => [type, id, level], collection = (name, params) => [name, params] } =
    options;
  // It is asked about keys of its own cache.
  const owns = options.owns as ((key: unknown) => boolean) | undefined;
  const isOwn = (key: unknown): boolean => guard.run('the option owns', () => owns?.(key) ?? true, true);
  const anyOfThem: Concern = { includes: isOwn, isExactly: () => false };

  /** Which keys are meant is not known where this throws: it may be any. */
  function guarded(option: string, make: () => KeyPattern, how: How): Concern {
    const made = guard.run(
      `the option ${option}`,
      () => concern(must(option, aPattern, make()), how),
      anyOfThem,
    );
    let hasThrown = false;
    return {
      isExactly: made.isExactly,
      includes(key) {
        try {
          return made.includes(key);
        } catch (error) {
          // Once for each change: it is asked about every key.
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
      // A key without a level is that of the default level (D-REG-6).
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
        // Of every item all levels: no beginning of a key stands for one level of any id.
        return ofItem(type, id, id === null ? null : level);
      }
      const { name, params, mode } = change;
      const how = params === null ? 'beginning' : mode;
      return guarded('collection', () => collection(name, params, mode), how);
    },
  };
}
