// The fields of directives: which ones an `op` defines, and what they may be (document §2.1, §2.2).

import { isFlag, isId, isList, isName, isNumber, isText, oneOf, type Check } from '../config/checks.ts';
import { isPlainObject } from '../platform/plainObject.ts';
import type { Id } from '../protocol/directive.ts';

/** The fields of a directive, after a check of the fields that its `op` defines. `null` means absent (D-DIR-10). */
export interface Fields {
  readonly timestamp?: number | null;
  readonly idempotency_key?: string | null;
  readonly key?: string | null;
  readonly audience?: string | null;
  readonly source?: string | null;
  readonly seq?: number | null;
  readonly kind?: 'collection' | 'item' | null;
  readonly name?: string | null;
  readonly id?: Id | null;
  readonly level?: string | null;
  readonly params?: object | null;
  readonly params_mode?: 'exact' | 'contains' | null;
  readonly targets?: readonly unknown[] | null;
  readonly hard?: boolean | null;
}

type Field = keyof Fields;

/** The rule for each field. */
export const rules: Readonly<Record<Field, Check>> = {
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

/** The properties of a directive that follow from its `op`. */
interface Form {
  /** Null in the shape of §2.2, in which another field may determine it. */
  readonly kind: 'item' | 'collection' | 'wrapper' | 'reload' | null;
  /** The fields that are checked. */
  readonly fields: readonly Field[];
}

const metadata: readonly Field[] = ['timestamp', 'idempotency_key', 'key', 'audience', 'source', 'seq'];
/** The form of an `invalidate` with `targets`. */
export const wrapperForm: Form = { kind: 'wrapper', fields: ['targets', ...metadata] };
const client: Form = { kind: null, fields: ['kind', 'name', 'level', 'params', 'id', ...metadata] };
/** The form of every other directive, by its `op`. */
export const forms: ReadonlyMap<unknown, Form> = new Map<unknown, Form>([
  ['refresh_collection', { kind: 'collection', fields: ['name', 'params', 'params_mode', ...metadata] }],
  ['refresh_item', { kind: 'item', fields: ['name', 'id', 'level', ...metadata] }],
  ['invalidate', client],
  ['force_reload_page', { kind: 'reload', fields: ['hard', ...metadata] }],
  ['refresh', client],
]);
