// Checks the responses of an application's fetch functions, and describes the wrong ones (D-FETCH-6, D-DIR-6).

import type { Def } from '../cache/entry.ts';
import type { Id } from '../protocol/directive.ts';
import type { StandardSchema } from '../types/standardSchema.ts';
import { isId } from '../config/checks.ts';
import { fail } from '../config/describe.ts';
import { isPlainObject } from '../platform/plainObject.ts';
import { idKey } from '../cache/ids.ts';

/** Whether the value is a `Response`, whose body was not read. Compared by name, because Node loads its HTTP client when the class is accessed. */
export const isResponse = (answer: unknown): answer is Response =>
  !isPlainObject(answer) && Object.prototype.toString.call(answer) === '[object Response]';

/** The payload of a response for an item. Throws a `TypeError` for what is none. */
export function itemPayload(def: Def, response: unknown): unknown {
  if (response === undefined || isResponse(response))
    return fail(`a fetch of "${def.name}"`, 'return data or throw', response);
  return response;
}

/**
 * Returns the output of the schema for a response; a promise if the schema is asynchronous. Throws a `TypeError` with its issues.
 * @param subject the text before the issues
 */
export function validate(
  def: Def,
  schema: StandardSchema | null,
  answer: unknown,
  subject = `the answer of "${def.name}" does not fit its schema`,
): unknown {
  if (schema === null) return answer;
  const judge = (result: Awaited<ReturnType<StandardSchema['~standard']['validate']>>): unknown => {
    if (result.issues === undefined) return result.value;
    const issues = result.issues.map(({ message, path }) => {
      const at = (path ?? []).map((part) => String(typeof part === 'object' ? part.key : part)).join('.');
      return at === '' ? message : `${at}: ${message}`;
    });
    throw new TypeError(`${subject}: ${issues.join('; ')}`);
  };
  const result = schema['~standard'].validate(answer);
  return 'then' in result ? Promise.resolve(result).then(judge) : judge(result);
}

/** The key of an item in a bulk response, or undefined if it has no id or `getId` throws. The other items stay usable. */
function keyIn(def: Def, item: unknown): Id | undefined {
  try {
    const id = item === null || item === undefined ? undefined : def.getId(item);
    return isId(id) ? idKey(id) : undefined;
  } catch {
    return undefined;
  }
}

/** Whether a bulk response has one item for each key, in their order. Most servers respond so, and then nothing has to be looked up. */
export const isInOrder = (def: Def, answer: unknown, keys: readonly Id[]): answer is readonly unknown[] =>
  Array.isArray(answer) &&
  answer.length === keys.length &&
  keys.every((key, at) => keyIn(def, answer[at]) === key);

/** The items of a bulk response by id. Throws a `TypeError` unless it is a list, a Map, or an object keyed by id. */
export function byId(def: Def, answer: unknown): ReadonlyMap<Id, unknown> {
  const found = new Map<Id, unknown>();
  if (Array.isArray(answer)) {
    for (const item of answer as unknown[]) {
      const key = keyIn(def, item);
      if (key !== undefined) found.set(key, item);
    }
  } else if (answer instanceof Map) {
    for (const [id, item] of answer as Map<unknown, unknown>)
      if (item !== undefined && isId(id)) found.set(idKey(id), item);
  } else if (isPlainObject(answer)) {
    for (const [id, item] of Object.entries(answer)) if (item !== undefined) found.set(idKey(id), item);
  } else {
    fail(`bulkFetch of "${def.name}"`, 'answer a list, a Map or an object keyed by id', answer);
  }
  return found;
}
