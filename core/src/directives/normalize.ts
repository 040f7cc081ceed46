// From whatever came to a directive the core can act on (D-DIR-1, D-DIR-2, D-DIR-10). The same is said in Zod in
// `protocol/schemas.ts`; here it is said by hand, so that no validator rides in the browser bundle. A test holds both together.

import type { DirectiveIssue } from '../events/eventTypes.ts';
import type { Id } from '../protocol/directive.ts';
import type { Check } from '../config/checks.ts';
import {
  aFlag,
  aList,
  aName,
  anId,
  aNumber,
  aPlainObject,
  aText,
  check,
  isObject,
} from '../config/checks.ts';
import { unmet } from '../config/describe.ts';
import { paramsKey } from '../cache/params.ts';

/** What every directive has: its own metadata, null where absent. Inheriting it from a wrapper is not done here. */
export interface OwnMetadata {
  /** `idempotency_key`, else `key`: one namespace (D-DIR-11). */
  key: string | null;
  audience: string | null;
  source: string | null;
  seq: number | null;
  /** The directive as it came, for events. */
  raw: unknown;
}

/** A directive in one shape. `legacy` marks the `invalidate` of document §2.2; an item's `id` is null only there. */
export type NormalDirective = { own: OwnMetadata } & (
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

/** A directive about entries, once it is known what it names. */
export type Leaf = Extract<NormalDirective, { kind: 'item' } | { kind: 'collection' }>;

/** A directive, or what is wrong with it. Both: a wrapper without those of its targets that were wrong. */
export interface Normalized {
  readonly directive: NormalDirective | null;
  readonly issues: readonly DirectiveIssue[];
}

/** The most directives that one list may hold, nested ones counted (D-DIR-10). */
export const maxDirectives = 10_000;

/** How many wrappers may stand around a directive (D-DIR-10). */
export const maxDepth = 8;

type Fields = Readonly<Record<string, unknown>>;

/** A directive while it is read: its fields, its path, and the issues found so far. */
interface Reading {
  readonly fields: Fields;
  readonly at: string;
  readonly issues: DirectiveIssue[];
}

const targetList: Check<unknown[]> = { ...aList, expected: 'be a list of directives' };
const mode = check<'exact' | 'contains'>(
  'be "exact" or "contains"',
  (value) => value === 'exact' || value === 'contains',
);
const kind = check<'collection' | 'item'>(
  'be "collection" or "item"',
  (value) => value === 'collection' || value === 'item',
);

function complain({ at, issues }: Reading, field: string, message: string): void {
  issues.push({ path: at === '' ? field : `${at}.${field}`, message });
}

/** A field that must be there. Its value is handed in: a read by a fixed name is several times as quick as one by a variable. */
function needed<T>(reading: Reading, field: string, value: unknown, its: Check<T>): T | null {
  if (its.accepts(value)) return value;
  complain(reading, field, unmet(its.expected, value));
  return null;
}

/** A field that may be absent; `null` is absent (D-DIR-10). */
function optional<T>(reading: Reading, field: string, value: unknown, its: Check<T>): T | null {
  return value === undefined || value === null ? null : needed(reading, field, value, its);
}

/** The params as the cache keeps them, so that a Date or an `undefined` member compares as it is stored. */
function readParams(reading: Reading): object | null {
  const { fields } = reading;
  const value = optional(reading, 'params', fields['params'], aPlainObject);
  if (value === null) return null;
  try {
    return JSON.parse(paramsKey(value)) as object; // The key of an object is the JSON of an object.
  } catch (error) {
    complain(reading, 'params', error instanceof TypeError ? error.message : 'cannot be read');
    return null;
  }
}

function readMetadata(reading: Reading): OwnMetadata {
  const { fields } = reading;
  optional(reading, 'timestamp', fields['timestamp'], aNumber);
  const idempotencyKey = optional(reading, 'idempotency_key', fields['idempotency_key'], aText);
  const key = optional(reading, 'key', fields['key'], aText);
  return {
    // An empty key would make duplicates of all that carry it.
    key: idempotencyKey || key || null,
    audience: optional(reading, 'audience', fields['audience'], aText),
    source: optional(reading, 'source', fields['source'], aText),
    seq: optional(reading, 'seq', fields['seq'], aNumber),
    raw: fields,
  };
}

/** The shape of §2.2. */
function readClientShape(reading: Reading, own: OwnMetadata): NormalDirective {
  const { fields } = reading;
  const legacy = fields['op'] === 'invalidate';
  const its = optional(reading, 'kind', fields['kind'], kind);
  const itsName = needed(reading, 'name', fields['name'], aName) ?? '';
  const level = optional(reading, 'level', fields['level'], aName);
  const params = readParams(reading);
  const itsId =
    its === 'item' && !legacy
      ? needed(reading, 'id', fields['id'], anId)
      : optional(reading, 'id', fields['id'], anId);
  if (its === 'item' || (its === null && itsId !== null)) {
    return { kind: 'item', name: itsName, id: itsId, level, result: null, legacy, own };
  }
  if (its === null) return { kind: 'named', name: itsName, level, params, legacy, own };
  return { kind: 'collection', name: itsName, params, mode: 'exact', result: null, legacy, own };
}

/** A directive; what stands in it in the place of a wrong field does not matter, since an issue drops it. */
function readShape(reading: Reading, depth: number): NormalDirective | null {
  const { fields, at, issues } = reading;
  const { op, result } = fields;
  switch (op) {
    case 'refresh_collection':
      return {
        kind: 'collection',
        name: needed(reading, 'name', fields['name'], aName) ?? '',
        params: readParams(reading),
        mode: optional(reading, 'params_mode', fields['params_mode'], mode) ?? 'exact',
        result: result === undefined || result === null ? null : { value: result },
        legacy: false,
        own: readMetadata(reading),
      };
    case 'refresh_item':
      return {
        kind: 'item',
        name: needed(reading, 'name', fields['name'], aName) ?? '',
        id: needed(reading, 'id', fields['id'], anId),
        level: optional(reading, 'level', fields['level'], aName),
        result: result === undefined ? null : { value: result }, // `null` is a payload (D-DIR-10).
        legacy: false,
        own: readMetadata(reading),
      };
    case 'force_reload_page':
      return {
        kind: 'reload',
        hard: optional(reading, 'hard', fields['hard'], aFlag) ?? false,
        own: readMetadata(reading),
      };
    case 'refresh':
      return readClientShape(reading, readMetadata(reading));
    case 'invalidate': {
      const before = issues.length;
      const own = readMetadata(reading);
      const targets = optional(reading, 'targets', fields['targets'], targetList);
      if (issues.length > before) return null;
      if (targets === null) {
        if (fields['name'] !== undefined && fields['name'] !== null) return readClientShape(reading, own);
        complain(reading, 'targets', 'must be a list of directives where no name is given');
        return null;
      }
      const prefix = at === '' ? '' : `${at}.`;
      // As if they stood in the list themselves: a wrong one does not take its neighbours with it (§4.5 invalidate).
      const good = targets
        .map((target, index) => read(target, `${prefix}targets[${index}]`, depth + 1, issues))
        .filter((target) => target !== null);
      return { kind: 'wrapper', targets: good, own };
    }
    default:
      complain(
        reading,
        'op',
        unmet('be refresh_collection, refresh_item, invalidate, force_reload_page or refresh', op),
      );
      return null;
  }
}

function read(input: unknown, at: string, depth: number, issues: DirectiveIssue[]): NormalDirective | null {
  if (depth > maxDepth) {
    issues.push({ path: at, message: `is nested deeper than ${maxDepth}` });
    throw new TooDeep();
  }
  if (!isObject(input)) {
    issues.push({ path: at, message: unmet('be an object', input) });
    return null;
  }
  const before = issues.length;
  const directive = readShape({ fields: input, at, issues }, depth);
  return directive?.kind === 'wrapper' || issues.length === before ? directive : null;
}

/** Ends the whole directive: what is nested too deep is not taken in part. */
class TooDeep extends Error {}

/** Reads one directive of either shape. Never throws, whatever came. */
export function normalize(input: unknown): Normalized {
  const issues: DirectiveIssue[] = [];
  try {
    return { directive: read(input, '', 0, issues), issues };
  } catch (error) {
    // A getter or a proxy that throws.
    if (!(error instanceof TooDeep)) issues.push({ path: '', message: 'cannot be read' });
    return { directive: null, issues };
  }
}

/** How many directives a list holds, nested ones counted; stops counting above `maxDirectives`. */
export function countDirectives(list: readonly unknown[]): number {
  let count = 0;
  const lists = [list];
  // It grows while it is walked. A list is counted before it is walked, so that the bound holds for the walk too.
  for (const one of lists) {
    count += one.length;
    if (count > maxDirectives) break;
    for (const item of one) {
      const targets = targetsOf(item);
      if (targets !== null) lists.push(targets);
    }
  }
  return Math.min(count, maxDirectives + 1);
}

/** The targets of a wrapper, null of anything else. */
export function targetsOf(item: unknown): readonly unknown[] | null {
  try {
    if (!isObject(item)) return null;
    if (item['op'] !== 'invalidate') return null;
    const { targets } = item;
    return Array.isArray(targets) ? targets : null;
  } catch {
    return null; // A getter that throws: `normalize` will say so.
  }
}
