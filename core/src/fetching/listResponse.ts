// Reads the response of a collection (D-FETCH-6): ids, or with `of` items, which are stored too.

import type { Def, Fetcher, ListItems } from '../cache/entry.ts';
import { aNumber, anId, isId, isObject, must, type Check } from '../config/checks.ts';
import { describe, fail } from '../config/describe.ts';
import { fetcherFor } from '../levels/graph.ts';
import type { Id } from '../protocol/directive.ts';
import type { CollectionData } from '../types/references.ts';
import { validate } from './responses.ts';

declare const process: { env: { NODE_ENV?: string } };

/** The data of a list whose response contained items. */
export class ListPayload {
  constructor(
    readonly data: CollectionData,
    readonly type: Def,
    readonly level: string,
    readonly items: readonly { readonly id: Id; readonly payload: unknown }[],
  ) {}
}

/** Finite, because data reaches the clients of a server as JSON, which has no other numbers. */
const aCount: Check<number> = { ...aNumber, expected: 'be a number' };

/** The data of `{ ids, count?, info? }`. Throws a `TypeError` that names the culprit. */
export function collectionData(value: unknown, culprit = 'A list'): CollectionData {
  if (!isObject(value) || !Array.isArray(value['ids']))
    return fail(culprit, 'be { ids, count?, info? }', value);
  const ids: unknown[] = [...(value['ids'] as unknown[])];
  const wrong = ids.findIndex((id) => !isId(id));
  if (wrong >= 0) must(`${culprit}: ids[${wrong}]`, anId, ids[wrong]);
  const count = must(`${culprit}: count`, aCount, value['count'] ?? ids.length);
  const { info } = value;
  return Object.freeze({ ids: Object.freeze(ids as Id[]), count, ...(info === undefined ? null : { info }) }); // Checked above.
}

const collection = ({ name }: Def): string => `Collection "${name}"`;

function wrongResponse(def: Def, response: unknown): TypeError {
  const must = `[edict] ${collection(def)}: fetch must return { ids, count? } or { items }`;
  if (process.env.NODE_ENV === 'production') return new TypeError(`${must}.`);
  const returned = `${must}, but returned ${describe(response)}.`;
  const hasRows = Array.isArray(response) || (isObject(response) && Array.isArray(response['items']));
  return new TypeError(
    hasRows
      ? `${returned} Return { items: rows } or { ids: rows.map((row) => row.id) }. To return items, set "of" to their type.`
      : returned,
  );
}

/** The type of the items and how their level is fetched. Throws if either is not registered. */
function itemType(def: Def, { type, level, def: typeOf }: ListItems): { type: Def; fetcher: Fetcher } {
  const found = typeOf();
  const fetcher = found && fetcherFor(found, level);
  if (found !== undefined && fetcher !== undefined) return { type: found, fetcher };
  const missing = found === undefined ? `type "${type}"` : `level "${level}" of type "${type}"`;
  throw new Error(
    `[edict] ${collection(def)}: ${missing} of its items is not registered. Register it first.`,
  );
}

/**
 * The data of a collection, or a `ListPayload` if the response contains items; a promise if the schema of the items is asynchronous.
 * Throws a `TypeError` that names what is wrong.
 */
export function listPayload(def: Def, response: unknown): unknown {
  const culprit = collection(def);
  const rows: unknown = isObject(response) ? response['items'] : response;
  if (def.of === null || !Array.isArray(rows)) {
    if (!isObject(response) || !Array.isArray(response['ids'])) throw wrongResponse(def, response);
    return collectionData(response, culprit);
  }
  const { type, fetcher } = itemType(def, def.of);
  const payloads = rows.map((row: unknown, at): unknown => {
    const subject = `[edict] ${culprit}: item ${at} does not fit the schema of type "${type.name}"`;
    return validate(type, fetcher.schema, row, subject);
  });
  function build(valid: readonly unknown[]): ListPayload {
    const items = valid.map((payload, at) => ({ id: idOf(payload, at), payload }));
    const list = isObject(response) ? response : null;
    const data = collectionData({ ...list, ids: items.map(({ id }) => id) }, culprit);
    return new ListPayload(data, type, fetcher.level, items);
  }
  function idOf(payload: unknown, at: number): Id {
    let id: unknown;
    try {
      id = payload === null || payload === undefined ? undefined : type.getId(payload);
    } catch {
      // The error below names the item.
    }
    if (isId(id)) return id;
    throw new TypeError(
      `[edict] ${culprit}: item ${at} has no id. Return items with an "id", or set getId of type "${type.name}".`,
    );
  }
  return payloads.some((payload) => payload instanceof Promise)
    ? Promise.all(payloads).then(build)
    : build(payloads);
}
