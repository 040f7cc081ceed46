// Reads the response of a collection (D-FETCH-6): ids, or with `of` items, which are stored too.

import type { Def } from '../cache/entry.ts';
import { isNumber, isId, isObject, must } from '../config/checks.ts';
import { describe, dev, fail } from '../config/describe.ts';
import type { Id } from '../protocol/directive.ts';
import type { CollectionData } from '../types/references.ts';
import { idIn, validate } from './responses.ts';

interface ListedItem {
  readonly type: Def;
  readonly level: string;
  readonly id: Id;
  readonly payload: unknown;
}

/** The data of a list, and the items that its response contained. */
export interface ListPayload {
  readonly data: CollectionData;
  readonly items: readonly ListedItem[];
}

/** The data of `{ ids, count?, info? }`. Throws a `TypeError` that names the culprit. */
export function collectionData(value: unknown, culprit: string): CollectionData {
  if (!isObject(value) || !Array.isArray(value['ids']))
    return fail(culprit, dev`be { ids, count?, info? }`, value);
  const ids = (value['ids'] as unknown[]).map((id, at) =>
    isId(id) ? id : must(`${culprit}: ids[${at}]`, isId, id),
  );
  const count = must(`${culprit}: count`, isNumber, value['count'] ?? ids.length);
  const { info } = value;
  return Object.freeze({ ids: Object.freeze(ids), count, ...(info === undefined ? null : { info }) });
}

/** This error suggests more than the error for other invalid lists. */
function checkResponse(culprit: string, response: unknown): void {
  const members = isObject(response) ? response : {};
  if (Array.isArray(members['ids'])) return;
  const names = Object.keys(members);
  const shown = names.slice(0, 5).join(', ');
  const rows = Array.isArray(response) ? 'rows' : names.find((name) => Array.isArray(members[name]));
  const hint = `Return { items: ${rows} } or { ids: ${rows}.map((row) => row.id) }. To return items, set "of" to their type.`;
  throw new TypeError(
    `[edict] ${culprit}: fetch must return { ids, count? } or { items }, but returned ${describe(response)}${shown && ` with ${shown}`}.${rows === undefined ? '' : ` ${hint}`}`,
  );
}

/** Reads the response of a collection. Fails with an error that names the fault. */
export function listPayload({ name, of }: Def, response: unknown): ListPayload | Promise<ListPayload> {
  const culprit = `Collection "${name}"`;
  const rows: unknown = isObject(response) ? response['items'] : response;
  if (of === null || !Array.isArray(rows)) {
    if (process.env.NODE_ENV !== 'production') checkResponse(culprit, response);
    return { data: collectionData(response, culprit), items: [] };
  }
  const { level, schema } = of.fetcher();
  const type = of.def() as Def; // It has that level.
  const read = async (row: unknown, at: number): Promise<ListedItem> => {
    const item = `${culprit}: item ${at}`;
    const payload = await validate(schema, row, item);
    const id = idIn(type, payload);
    if (id !== undefined) return { type, level, id, payload };
    throw new TypeError(
      `[edict] ${item} has no id.${dev` Return items with an "id", set getId of type "${type.name}", or return { ids } for ids alone.`}`,
    );
  };
  return Promise.all(rows.map(read)).then((items) => {
    const ids = items.map(({ id }) => id);
    return { data: collectionData({ ...(isObject(response) ? response : null), ids }, culprit), items };
  });
}
