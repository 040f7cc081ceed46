// Reads a response body that may be one JSON object, and leaves the body to the application unread and undelayed.

import { ignore } from '../platform/callbacks.ts';
import { headerOf } from '../platform/headers.ts';
import { DIRECTIVES_FIELD } from '../protocol/names.ts';

/** Whether the body is labeled as one JSON text. `application/json-seq` and `application/stream+json` contain many texts. */
export const isJson = (response: Response): boolean =>
  /^(?!.*\bstream\+)[^;]*\bjson\s*(;|$)/i.test(headerOf(response, 'content-type'));

/** Accepts the next bytes of a body. Returns false once no more of them are needed. */
export type Accept = (chunk: Uint8Array) => boolean;

/**
 * Matches text that cannot be a single JSON object: it begins differently, or another value follows on the line
 * after a closing brace. A string in JSON contains no line break.
 */
const notAnObject = /^\s*([^\s{]|\{\s*[^\s"}])|\}[^\S\n]*\n\s*[^\s,\]}]/;

/**
 * Reads a clone to its end, or cancels it when no more bytes are needed, so that it never blocks the other branch.
 */
async function follow(body: ReadableStream<Uint8Array>, accept: Accept): Promise<boolean> {
  const reader = body.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return true;
    if (accept(value)) continue;
    void reader.cancel().catch(ignore);
    return false;
  }
}

/**
 * The `directives` of the object in the body; undefined if the body contains anything else. Resolves as soon as the
 * body cannot be a single object. Rejects if the body is incomplete or malformed.
 */
export async function directivesIn(response: Response): Promise<unknown> {
  const decoder = new TextDecoder();
  let text = '';
  /** The part of the text that may still matter. */
  let rest = '';
  function add(part: string): boolean {
    text += part;
    rest += part;
    if (notAnObject.test(rest)) return false;
    // After the beginning of an object, only the text from its last closing brace on is checked.
    if (/["}]/.test(rest)) rest = `{"${/\}\s*$/.exec(rest)?.[0] ?? ''}`;
    return true;
  }
  const accept: Accept = (chunk) => add(decoder.decode(chunk, { stream: true }));
  const body = response.body as { unshift?: unknown } | null | undefined;
  let isWhole: boolean;
  if (typeof body?.unshift === 'function')
    // Only Node's streams have `unshift`. Browsers do not load the code for them.
    isWhole = await (await import('./nodeBody.ts')).peek(response, accept);
  else {
    const copy = response.clone();
    // A `fetch` without streams, such as that of React Native, has the whole body already.
    isWhole = await (copy.body?.getReader === undefined ? copy.text().then(add) : follow(copy.body, accept));
  }
  const value = isWhole ? (JSON.parse(text.trim() || 'null') as Record<string, unknown> | null) : null;
  return value?.[DIRECTIVES_FIELD]; // Other JSON values have no such member.
}
