// Reads a response body that may be one JSON object, and leaves the body to the application unread and undelayed.

import { headerOf } from '../platform/headers.ts';
import { isObject } from '../config/checks.ts';

/** Whether the body is labeled as one JSON text. `application/json-seq` and `application/stream+json` contain many texts. */
export const isJson = (response: Response): boolean => {
  const type = headerOf(response, 'content-type');
  return /^[^;]*\bjson\s*(;|$)/i.test(type) && !/\bstream\+/i.test(type);
};

/** Accepts the next bytes of a body. Returns false once no more of them are needed. */
export type Accept = (chunk: Uint8Array) => boolean;

/**
 * Matches what is not the beginning of one JSON object: another beginning, or a further value on the line after a closing brace. A string
 * in JSON contains no line break.
 */
const notAnObject = /^\s*([^\s{]|\{\s*[^\s"}])|\}[^\S\n]*\n\s*[^\s,\]}]/;

/** Reads a clone to its end, or cancels it when no more is needed, so that it never holds the other half back. */
async function follow(body: ReadableStream<Uint8Array>, accept: Accept): Promise<boolean> {
  const reader = body.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return true;
    if (accept(value)) continue;
    void reader.cancel().catch(() => undefined);
    return false;
  }
}

/**
 * The object that the body contains; undefined where it contains anything else. Resolves as soon as the body cannot be a single
 * object. Rejects where the body breaks off or is malformed.
 */
export async function objectIn(response: Response): Promise<Record<string, unknown> | undefined> {
  const decoder = new TextDecoder();
  let text = '';
  /** What may still matter of the text. */
  let rest = '';
  function add(part: string): boolean {
    text += part;
    rest += part;
    if (notAnObject.test(rest)) return false;
    // After its beginning, an object is judged from its last closing brace on.
    if (/["}]/.test(rest)) rest = `{"${/\}\s*$/.exec(rest)?.[0] ?? ''}`;
    return true;
  }
  const accept: Accept = (chunk) => add(decoder.decode(chunk, { stream: true }));
  const { body, bodyUsed } = response as { body?: unknown; bodyUsed?: boolean };
  let isWhole: boolean;
  if (isObject(body) && typeof body['unshift'] === 'function' && bodyUsed !== true)
    // Only Node's streams have `unshift`. Browsers do not load the code for them.
    isWhole = await (await import('./nodeBody.ts')).peek(body, accept);
  else {
    const copy = response.clone();
    // A `fetch` without streams, such as that of React Native, has the whole body already.
    isWhole = await (copy.body?.getReader === undefined ? copy.text().then(add) : follow(copy.body, accept));
  }
  if (!isWhole || text.trim() === '') return undefined;
  const value: unknown = JSON.parse(text);
  return isObject(value) ? value : undefined;
}
