// Converts directives of either shape into one (D-DIR-1, D-DIR-2, D-DIR-10). `protocol/schemas.ts` has the same
// rules as Zod schemas, which are too large for browsers. A test compares the two.

import type { DirectiveIssue } from '../events/eventTypes.ts';
import type { Id } from '../protocol/directive.ts';
import { expectedBy, isFlag, isId, isList, isName, isNumber, isObject } from '../config/checks.ts';
import { isText, oneOf, type Check } from '../config/checks.ts';
import { dev, messageOf, unmet } from '../config/describe.ts';
import { idKey } from '../cache/entry.ts';
import { paramsKey } from '../cache/params.ts';
import { isPlainObject } from '../platform/plainObject.ts';
import type { Metadata } from './metadata.ts';

/** The rule for each field (document §2.1, §2.2). */
const rules = {
  timestamp: isNumber,
  idempotency_key: isText,
  key: isText,
  audience: isText,
  source: isText,
  seq: isNumber,
  kind: /* @__PURE__ */ oneOf('collection', 'item'),
  name: isName,
  id: isId,
  level: isName,
  params: isPlainObject,
  params_mode: /* @__PURE__ */ oneOf('exact', 'contains'),
  targets: isList,
  hard: isFlag,
};

type Field = keyof typeof rules;
type Value<F extends Field> = (typeof rules)[F] extends Check<infer T> ? T : never;

/** The fields of a directive, after a check of the fields that its `op` defines. `null` means absent (D-DIR-10). */
type Fields = { readonly [F in Field]?: Value<F> | null };

/** The properties of a directive that follow from its `op`. */
interface Form {
  /** Null in the shape of §2.2, in which another field may determine it. */
  readonly kind: 'item' | 'collection' | 'wrapper' | 'reload' | null;
  /** The fields that are checked. */
  readonly fields: readonly Field[];
}

const metadata: readonly Field[] = ['timestamp', 'idempotency_key', 'key', 'audience', 'source', 'seq'];
/** The form of an `invalidate` with `targets`. */
const wrapperForm: Form = { kind: 'wrapper', fields: ['targets', ...metadata] };
const client: Form = { kind: null, fields: ['kind', 'name', 'level', 'params', 'id', ...metadata] };
/** The form of every other directive, by its `op`. */
const forms: ReadonlyMap<unknown, Form> = new Map<unknown, Form>([
  ['refresh_collection', { kind: 'collection', fields: ['name', 'params', 'params_mode', ...metadata] }],
  ['refresh_item', { kind: 'item', fields: ['name', 'id', 'level', ...metadata] }],
  ['invalidate', client],
  ['force_reload_page', { kind: 'reload', fields: ['hard', ...metadata] }],
  ['refresh', client],
]);

interface Read extends Metadata {
  /** The directive as it arrived, for events. */
  readonly raw: unknown;
}

interface ReadLeaf extends Read {
  readonly name: string;
  /** The id of an item. Null for a collection, and in a legacy `invalidate` of every item of the type. */
  readonly id: Id | null;
  /** The key of the item, or of the collection entry with these params. */
  readonly record: Id;
  /** Of an item. */
  readonly level: string | null;
  /** The params of a collection, in their JSON form. */
  readonly params: Readonly<Record<string, unknown>> | null;
  readonly mode: 'exact' | 'contains';
  /** Undefined if there is none. `null` is a payload of an item. */
  readonly result: unknown;
  /** The `invalidate` of document §2.2. */
  readonly legacy: boolean;
}

/** A directive about an item or a collection. */
export type Leaf = ReadLeaf & { readonly kind: 'item' | 'collection' };

/** Whether a directive names every item of its type, or every entry of its collection whose params contain its own. */
export const namesMany = ({ kind, id, params, mode }: Leaf): boolean =>
  kind === 'item' ? id === null : params === null || mode === 'contains';

export type NormalDirective =
  | Leaf
  /** The shape of §2.2 without kind and id. The registered names determine the kind (D-DIR-1). */
  | (ReadLeaf & { readonly kind: 'named' })
  | (Read & { readonly kind: 'wrapper'; readonly targets: readonly NormalDirective[] })
  | (Read & { readonly kind: 'reload'; readonly hard: boolean });

/** A directive, or the faults in it. A wrapper without its malformed targets has both. */
export interface Normalized {
  readonly raw: unknown;
  readonly directive: NormalDirective | null;
  readonly issues: readonly DirectiveIssue[];
}

/** The highest number of directives in one list, including nested ones. */
export const maxDirectives = 10_000;

/** The highest number of wrappers around a directive. */
export const maxDepth = 8;

/** One list while it is read. */
interface Reading {
  /** The issues of one directive. */
  issues: DirectiveIssue[];
  /** How many more directives the list may contain, including nested ones (D-DIR-10). */
  left: number;
}

/** What a directive inherits from its wrapper, or from its envelope (D-DIR-9, D-DIR-10). */
interface Above extends Partial<Metadata> {
  /** The number of wrappers around the directive. */
  readonly depth?: number;
}

function read(input: unknown, at: string, above: Above, reading: Reading): NormalDirective | null {
  const { issues } = reading;
  const { depth = 0 } = above;
  const before = issues.length;
  if (reading.left-- <= 0) throw issues; // The whole list is rejected.
  if (depth > maxDepth) {
    issues.push({ path: at, message: dev`is nested deeper than ${maxDepth}` });
    throw issues; // The whole directive is rejected.
  }
  if (!isObject(input)) {
    issues.push({ path: at, message: unmet(dev`be an object`, input) });
    return null;
  }
  const prefix = at === '' ? '' : `${at}.`;
  const { op, targets } = input;
  const isLegacy = op === 'invalidate';
  const isWrapper = isLegacy && ((targets ?? null) !== null || (input['name'] ?? null) === null);
  const form = isWrapper ? wrapperForm : forms.get(op);
  if (form === undefined) {
    issues.push({ path: `${prefix}op`, message: unmet(dev`be one of ${[...forms.keys()].join(', ')}`, op) });
    return null;
  }
  const needsId = form.kind === 'item' || (!isLegacy && input['kind'] === 'item');
  for (const field of form.fields) {
    const value = input[field];
    const isAbsent = value === undefined || value === null;
    if (isAbsent && field !== 'name' && field !== 'targets' && !(field === 'id' && needsId)) continue;
    const rule = rules[field];
    if (!rule(value)) issues.push({ path: prefix + field, message: unmet(dev`${expectedBy(rule)}`, value) });
  }
  const its = input as Fields;
  let params: Readonly<Record<string, unknown>> | null = null;
  let key = '{}'; // That of no params.
  try {
    // The form in which the cache stores params, so that a Date compares equal to its stored form. The key of an
    // object is its JSON.
    if (issues.length === before && its.params && form.fields.includes('params'))
      params = JSON.parse((key = paramsKey(its.params))) as Record<string, unknown>;
  } catch (error) {
    issues.push({ path: `${prefix}params`, message: messageOf(error) });
  }
  if (issues.length > before) return null;
  const kind = form.kind ?? its.kind ?? ((its.id ?? null) === null ? 'named' : 'item');
  const id = kind === 'collection' ? null : (its.id ?? null);
  const result = form.kind === null ? undefined : input['result'];
  const directive = {
    kind,
    name: its.name ?? '',
    id,
    record: id === null ? key : idKey(id),
    level: (kind === 'collection' ? null : its.level) ?? null,
    params: kind === 'item' ? null : params,
    mode: (form.kind === 'collection' ? its.params_mode : null) ?? 'exact',
    result: kind === 'item' ? result : (result ?? undefined),
    legacy: isLegacy,
    targets: null as NormalDirective[] | null,
    hard: its.hard ?? false,
    audience: its.audience ?? above.audience ?? null,
    source: its.source ?? above.source ?? null,
    seq: its.seq ?? above.seq ?? null,
    key: its.idempotency_key || its.key || above.key || null, // All directives with an empty key would be duplicates of each other.
    depth: depth + 1,
    raw: input,
  };
  // A malformed target is rejected alone, as if it were a separate directive in the list (§4.5 invalidate).
  if (isWrapper)
    directive.targets = (its.targets as unknown[]) // A wrapper has them.
      .map((target, index) => read(target, `${prefix}targets[${index}]`, directive, reading))
      .filter((target) => target !== null);
  return directive as NormalDirective; // It has the fields of every kind.
}

/** Reads a list that arrived with this metadata. Returns null if it is not a list, or contains more than `maxDirectives`. */
export function normalizeList(list: unknown, above: Partial<Metadata>): readonly Normalized[] | null {
  if (!isList(list)) return null;
  const reading: Reading = { issues: [], left: maxDirectives };
  const all = [...list].map((raw): Normalized => {
    const issues: DirectiveIssue[] = (reading.issues = []);
    let directive: NormalDirective | null = null;
    try {
      directive = read(raw, '', above, reading);
    } catch (error) {
      if (error !== issues) issues.push({ path: '', message: 'cannot be read' }); // A getter or a proxy throws.
    }
    return { raw, directive, issues };
  });
  return reading.left < 0 ? null : all;
}

/** Reads one directive of either shape. Returns null if it cannot be read. */
export const normalize = (input: unknown): NormalDirective | null =>
  normalizeList([input], {})?.[0]?.directive ?? null;
