// Checks the responses of an application's fetch functions, and describes invalid ones (D-FETCH-6, D-DIR-6).

import { type Def, idKey } from '../cache/entry.ts';
import type { Id } from '../protocol/directive.ts';
import type { StandardResult, StandardSchema } from '../types/standardSchema.ts';
import { isId, isObject, must } from '../config/checks.ts';
import { dev, fail } from '../config/describe.ts';
import { call, ignore, logFailure } from '../platform/callbacks.ts';
import { isPlainObject } from '../platform/plainObject.ts';

/**
 * Whether the value is a `Response`, which means that its body was not read. The class name is compared, because
 * Node loads its HTTP client when code accesses the class.
 */
export const isResponse = (response: unknown): response is Response =>
  Object.prototype.toString.call(response) === '[object Response]';

/** The payload in a response for an item. Throws a `TypeError` if the response is not a payload. */
export function itemPayload(def: Def, response: unknown): unknown {
  if (response === undefined || isResponse(response))
    fail(`a fetch of "${def.name}"`, dev`return parsed data or null, or throw`, response);
  return response;
}

/**
 * Returns the output of the schema for a response; a promise if the schema is asynchronous. Throws a `TypeError` whose cause is the issues.
 * @param culprit the response, in the message
 */
export function validate(schema: StandardSchema | null, response: unknown, culprit: string): unknown {
  if (schema === null) return response;
  const accept = (result: StandardResult): unknown => {
    const { issues } = result;
    if (issues === undefined) return result.value;
    let message = `[edict] ${culprit} does not fit its schema`;
    if (process.env.NODE_ENV !== 'production') {
      const texts = issues.map(({ message: text, path = [] }) => {
        const at = path.map((part) => String(typeof part === 'object' ? part.key : part)).join('.');
        return at === '' ? text : `${at}: ${text}`;
      });
      message += `: ${texts.join('; ')}`;
    }
    throw new TypeError(message, { cause: issues });
  };
  const result = schema['~standard'].validate(response);
  if (process.env.NODE_ENV !== 'production') void must(`${culprit}: the schema's result`, isObject, result);
  return 'then' in result ? Promise.resolve(result).then(accept) : accept(result);
}

/** The id of an item in a response; undefined if it has none or `getId` throws. Development logs what it throws. */
export function idIn(def: Def, item: unknown): Id | undefined {
  const onError =
    process.env.NODE_ENV === 'production' ? ignore : logFailure(def.env, `getId of type "${def.name}"`);
  const id = item === null ? undefined : call(def.getId, onError, item);
  return isId(id) ? id : undefined;
}

/** The items of a bulk response by id. Throws a `TypeError` unless it is a list, a Map, or an object keyed by id. */
export function byId(def: Def, response: unknown): ReadonlyMap<Id, unknown> {
  const found = new Map<Id, unknown>();
  const add = (item: unknown, id: unknown): void => {
    if (isId(id) && item !== undefined) found.set(idKey(id), item);
  };
  if (Array.isArray(response)) for (const item of response) add(item, idIn(def, item));
  else if (response instanceof Map) response.forEach(add);
  else if (isPlainObject(response)) for (const [id, item] of Object.entries(response)) add(item, id);
  else fail(`bulkFetch of "${def.name}"`, dev`return a list, a Map or an object keyed by id`, response);
  return found;
}
