// From whatever came to a directive the core can act on (D-DIR-1, D-DIR-2, D-DIR-10). The same is said in Zod in
// `protocol/schemas.ts`; here it is said by hand, so that no validator rides in the browser bundle. A test holds both together.

import type { DirectiveIssue } from '../lifecycleEvents.ts';
import type { Id } from '../protocol/directive.ts';
import { describe } from './describe.ts';
import { isPlainObject } from './equal.ts';
import { paramsKey } from './params.ts';

/** What every directive has: its own metadata, null where absent. Inheriting it from a wrapper is not done here. */
export interface DirectiveFacts {
  /** `idempotency_key`, else `key`: one namespace (D-DIR-11). */
  key: string | null;
  audience: string | null;
  source: string | null;
  seq: number | null;
  /** The directive as it came, for events. */
  raw: unknown;
}

/** A directive in one shape. `legacy` marks the `invalidate` of document §2.2; an item's `id` is null only there. */
export type NormalDirective = DirectiveFacts &
  (
    | {
        kind: 'collection';
        name: string;
        /** Canonical: as JSON would carry them. */
        params: object | null;
        mode: 'exact' | 'contains';
        result: { value: unknown } | null;
        legacy: boolean;
      }
    | {
        kind: 'item';
        name: string;
        id: Id | null;
        level: string | null;
        result: { value: unknown } | null;
        legacy: boolean;
      }
    /** §2.2 without kind and id: the name decides later (D-DIR-1). */
    | { kind: 'named'; name: string; level: string | null; params: object | null; legacy: boolean }
    | { kind: 'wrapper'; targets: readonly NormalDirective[] }
    | { kind: 'reload'; hard: boolean }
  );

/** A directive, or what is wrong with it. Both: a wrapper without those of its targets that were wrong. */
export type Normalized =
  | { directive: NormalDirective }
  | { issues: DirectiveIssue[] }
  | { directive: NormalDirective; issues: DirectiveIssue[] };

/** The most directives that one list may hold, nested ones counted (D-DIR-10). */
export const maxDirectives = 10_000;

/** How many wrappers may stand around a directive (D-DIR-10). */
export const maxDepth = 8;

type Fields = Readonly<Record<string, unknown>>;
type Complain = (field: string, message: string) => void;

const isWrapper = (fields: Fields): boolean =>
  fields['op'] === 'invalidate' && fields['targets'] !== undefined && fields['targets'] !== null;

/** A field by its test; null when absent. `null` is absent (D-DIR-10). */
function optional<T>(
  value: unknown,
  accepts: (value: unknown) => value is T,
  wrong: (value: unknown) => void,
): T | null {
  if (value === undefined || value === null) return null;
  if (accepts(value)) return value;
  wrong(value);
  return null;
}

const isString = (value: unknown): value is string => typeof value === 'string';
const isName = (value: unknown): value is string => isString(value) && value !== '';
const isNumber = (value: unknown): value is number => Number.isFinite(value);
const isId = (value: unknown): value is Id => isString(value) || isNumber(value);
const isFlag = (value: unknown): value is boolean => typeof value === 'boolean';
const isMode = (value: unknown): value is 'exact' | 'contains' => value === 'exact' || value === 'contains';
const isKind = (value: unknown): value is 'collection' | 'item' => value === 'collection' || value === 'item';
const isList = (value: unknown): value is unknown[] => Array.isArray(value);

function read(input: unknown, at: string, depth: number, issues: DirectiveIssue[]): NormalDirective | null {
  const before = issues.length;
  const complain: Complain = (field, message) => {
    issues.push({ path: field === '' ? at : at === '' ? field : `${at}.${field}`, message });
  };
  if (depth > maxDepth) {
    complain('', `is nested deeper than ${maxDepth}`);
    throw new TooDeep();
  }
  if (typeof input !== 'object' || input === null || Array.isArray(input)) {
    complain('', `must be an object, got ${describe(input)}`);
    return null;
  }
  const fields = input as Fields; // An object: any of its fields may be read.
  const field = <T>(name: string, accepts: (value: unknown) => value is T, expected: string): T | null =>
    optional(fields[name], accepts, (value) => complain(name, `must be ${expected}, got ${describe(value)}`));
  const needed = <T>(name: string, accepts: (value: unknown) => value is T, expected: string): T | null => {
    const value = field(name, accepts, expected);
    if (value === null && (fields[name] ?? null) === null)
      complain(name, `must be ${expected}, got ${describe(fields[name])}`);
    return value;
  };
  const aName = 'a string that is not empty';
  const anId = 'a string or a finite number';
  const params = (): object | null => {
    const value = field('params', isPlainObject, 'an object');
    if (value === null) return null;
    try {
      // As the cache keeps them, so that a Date or an `undefined` member compares as it is stored.
      return JSON.parse(paramsKey(value)) as object; // The key of an object is the JSON of an object.
    } catch (error) {
      complain('params', error instanceof TypeError ? error.message : 'cannot be read');
      return null;
    }
  };
  const done = <D>(directive: D): (DirectiveFacts & D) | null => {
    const idempotencyKey = field('idempotency_key', isString, 'a string');
    const key = field('key', isString, 'a string');
    const facts: DirectiveFacts = {
      // An empty key would make duplicates of all that carry it.
      key: idempotencyKey || key || null,
      audience: field('audience', isString, 'a string'),
      source: field('source', isString, 'a string'),
      seq: field('seq', isNumber, 'a finite number'),
      raw: input,
    };
    field('timestamp', isNumber, 'a finite number');
    return issues.length === before ? { ...facts, ...directive } : null;
  };

  switch (fields['op']) {
    case 'refresh_collection': {
      const value = fields['result'];
      return done({
        kind: 'collection',
        name: needed('name', isName, aName) ?? '',
        params: params(),
        mode: field('params_mode', isMode, '"exact" or "contains"') ?? 'exact',
        result: value === undefined || value === null ? null : { value },
        legacy: false,
      });
    }
    case 'refresh_item': {
      const value = fields['result'];
      return done({
        kind: 'item',
        name: needed('name', isName, aName) ?? '',
        id: needed('id', isId, anId),
        level: field('level', isName, aName),
        result: value === undefined ? null : { value }, // `null` is a payload (D-DIR-10).
        legacy: false,
      });
    }
    case 'force_reload_page':
      return done({ kind: 'reload', hard: field('hard', isFlag, 'true or false') ?? false });
    case 'invalidate':
    case 'refresh':
      break;
    default:
      complain('op', `must be a known operation, got ${describe(fields['op'])}`);
      return null;
  }

  if (isWrapper(fields)) {
    const targets = field('targets', isList, 'a list of directives') ?? [];
    const wrapper = done({ kind: 'wrapper' as const });
    if (wrapper === null) return null;
    const prefix = at === '' ? '' : `${at}.`;
    // As if they stood in the list themselves: a wrong one does not take its neighbours with it.
    const good = targets
      .map((target, index) => read(target, `${prefix}targets[${index}]`, depth + 1, issues))
      .filter((target) => target !== null);
    return { ...wrapper, targets: good };
  }

  // The client's shape (document §2.2).
  const legacy = fields['op'] === 'invalidate';
  if (legacy && (fields['name'] ?? null) === null) {
    complain('targets', 'must be a list of directives, got none, and no name stands in its place');
    return null;
  }
  const kind = field('kind', isKind, '"collection" or "item"');
  const isItem = kind === 'item';
  const name = needed('name', isName, aName) ?? '';
  const id = isItem && !legacy ? needed('id', isId, anId) : field('id', isId, anId);
  const level = field('level', isName, aName);
  const wanted = params();
  if (isItem || (kind === null && id !== null))
    return done({ kind: 'item', name, id, level, result: null, legacy });
  if (kind === null) return done({ kind: 'named', name, level, params: wanted, legacy });
  return done({ kind: 'collection', name, params: wanted, mode: 'exact', result: null, legacy });
}

/** Ends the whole directive: what is nested too deep is not taken in part. */
class TooDeep extends Error {}

/** Reads one directive of either shape. Never throws, whatever came. */
export function normalize(input: unknown): Normalized {
  const issues: DirectiveIssue[] = [];
  if (countDirectives([input]) > maxDirectives) {
    return { issues: [{ path: '', message: `holds more than ${maxDirectives} directives` }] };
  }
  try {
    const directive = read(input, '', 0, issues);
    if (directive === null) return { issues };
    return issues.length === 0 ? { directive } : { directive, issues };
  } catch (error) {
    // A getter or a proxy that throws.
    if (!(error instanceof TooDeep)) issues.push({ path: '', message: 'cannot be read' });
    return { issues };
  }
}

/** How many directives a list holds, nested ones counted; stops counting above `maxDirectives`. */
export function countDirectives(list: readonly unknown[]): number {
  let count = list.length;
  const open: (readonly unknown[])[] = [list];
  // The lists that are walked were counted before, so the bound holds for the walk too.
  for (let next = open.pop(); next !== undefined && count <= maxDirectives; next = open.pop()) {
    for (const item of next) {
      const targets = targetsOf(item);
      if (targets === null) continue;
      count += targets.length;
      open.push(targets);
      if (count > maxDirectives) break;
    }
  }
  return Math.min(count, maxDirectives + 1);
}

/** The targets of a wrapper, null of anything else. */
export function targetsOf(item: unknown): readonly unknown[] | null {
  try {
    if (typeof item !== 'object' || item === null) return null;
    const fields = item as Fields; // An object: any of its fields may be read.
    const targets = fields['targets'];
    return fields['op'] === 'invalidate' && Array.isArray(targets) ? targets : null;
  } catch {
    return null; // A getter that throws: `normalize` will say so.
  }
}
