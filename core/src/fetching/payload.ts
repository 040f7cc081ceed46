// The payload in a response, or in the inline result of a directive.

import type { Def, Fetcher } from '../cache/entry.ts';
import { listPayload } from './listResponse.ts';
import { itemPayload, validate } from './responses.ts';

/** The result of a request that has no payload. */
export class Failed {
  constructor(readonly error: unknown) {}
}

export const failed = (error: unknown): Failed => new Failed(error);

/**
 * The payload, or `Failed`: of an item the data, of a collection a `ListPayload`. It is a promise if the schema is asynchronous, or if the
 * response contains items.
 */
export function payloadOf(def: Def, { schema }: Fetcher, response: unknown): unknown {
  const read: (def: Def, valid: unknown) => unknown = def.kind === 'item' ? itemPayload : listPayload;
  try {
    const valid = validate(schema, response, `A payload of "${def.name}"`);
    const payload = valid instanceof Promise ? valid.then((value) => read(def, value)) : read(def, valid);
    return payload instanceof Promise ? payload.catch(failed) : payload;
  } catch (error) {
    return failed(error);
  }
}
