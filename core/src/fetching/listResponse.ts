// Reads the response of a collection (D-FETCH-6): ids, or with `of` items, which are stored too.

import type { Def } from '../cache/entry.ts';
import { aNumber, anId, isId, isObject, must } from '../config/checks.ts';
import { describe, dev, fail } from '../config/describe.ts';
import type { Id } from '../protocol/directive.ts';
import type { CollectionData } from '../types/references.ts';
import { idIn, validate } from './responses.ts';

/** The data of a list whose response contained items. */
export class ListPayload {
  constructor(
    readonly data: CollectionData,
    readonly type: Def,
    readonly level: string,
    readonly items: readonly { readonly id: Id; readonly payload: unknown }[],
  ) {}
}

/** The data of `{ ids, count?, info? }`. Throws a `TypeError` that names the culprit. */
export function collectionData(value: unknown, culprit = 'A list'): CollectionData {
  if (!isObject(value) || !Array.isArray(value['ids']))
    return fail(culprit, dev`be { ids, count?, info? }`, value);
  const ids = (value['ids'] as unknown[]).map((id, at) =>
    isId(id) ? id : must(`${culprit}: ids[${at}]`, anId, id),
  );
  const count = must(`${culprit}: count`, aNumber, value['count'] ?? ids.length);
  const { info } = value;
  return Object.freeze({ ids: Object.freeze(ids), count, ...(info === undefined ? null : { info }) });
}

function wrongResponse(name: string, response: unknown): never {
  let message = `[edict] Collection "${name}": the response is not valid.`;
  if (process.env.NODE_ENV !== 'production') {
    message = `[edict] Collection "${name}": fetch must return { ids, count? } or { items }, but returned ${describe(response)}.`;
    if (Array.isArray(response) || (isObject(response) && Array.isArray(response['items'])))
      message +=
        ' Return { items: rows } or { ids: rows.map((row) => row.id) }. To return items, set "of" to their type.';
  }
  throw new TypeError(message);
}

/**
 * Returns the data of a collection, or a `ListPayload` if the response contains items. Rejects with an error that names what is wrong.
 */
export async function listPayload(
  { name, of }: Def,
  response: unknown,
): Promise<CollectionData | ListPayload> {
  const culprit = `[edict] Collection "${name}"`;
  const rows: unknown = isObject(response) ? response['items'] : response;
  if (of === null || !Array.isArray(rows)) {
    if (!isObject(response) || !Array.isArray(response['ids'])) wrongResponse(name, response);
    return collectionData(response, `Collection "${name}"`);
  }
  const type = of.def();
  const fetcher = type?.fetchers.get(of.level);
  if (type === undefined || fetcher === undefined) {
    const missing = type === undefined ? '' : `level "${of.level}" of `;
    throw new Error(
      `${culprit}: ${missing}type "${of.type}" of its items is not registered. Register it first.`,
    );
  }
  const subject = (at: number): string => `${culprit}: item ${at}`;
  const items = await Promise.all(
    rows.map(async (row: unknown, at) => {
      const misfit = `${subject(at)} does not fit the schema of type "${type.name}"`;
      const payload = await validate(type, fetcher.schema, row, misfit);
      const id = idIn(type, payload);
      if (id !== undefined) return { id, payload };
      const fix = dev` Return items with an "id", or set getId of type "${type.name}".`;
      throw new TypeError(`${subject(at)} has no id.${fix}`);
    }),
  );
  const data = collectionData(
    { ...(isObject(response) ? response : null), ids: items.map(({ id }) => id) },
    `Collection "${name}"`,
  );
  return new ListPayload(data, type, fetcher.level, items);
}
