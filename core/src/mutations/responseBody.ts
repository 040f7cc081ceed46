// Reads a response body that may be one JSON object, and leaves the body to the application unread and undelayed.

import { headerOf } from '../platform/headers.ts';
import { isObject } from '../config/checks.ts';

/** Whether the body is labeled as one JSON text. `application/json-seq` and `application/stream+json` contain many texts. */
export const isJson = (response: Response): boolean => {
  const type = headerOf(response, 'content-type');
  return /^[^;]*\bjson\s*(;|$)/i.test(type) && !/\bstream\+/i.test(type);
};

/** Accepts the next bytes of a body. Returns false once no more of them are needed. */
type Accept = (chunk: Uint8Array) => boolean;

/**
 * Matches what is not the beginning of one JSON object: another beginning, or a further value on the line after a closing brace. A string
 * in JSON contains no line break.
 */
const notAnObject = /^\s*([^\s{]|\{\s*[^\s"}])|\}[^\S\n]*\n\s*[^\s,\]}]/;

/** The readable side of a body in Node's own style, as in node-fetch. */
interface NodeStream {
  read: () => Uint8Array | null;
  unshift: (chunk: Uint8Array) => void;
  on: (event: string, listener: (error?: unknown) => void) => void;
  removeListener: (event: string, listener: (error?: unknown) => void) => void;
  readonly destroyed: boolean;
  readonly readableLength: number;
  /** No public property shows the end of the data before the event `end`. After that event nothing can be put back. */
  readonly _readableState?: { readonly ended: boolean };
}

/**
 * Reads a body of node-fetch and puts everything back. A clone would stop at 16 KiB, because its two halves wait for each other.
 * Resolves to true at the end of the body, and to false when no more is needed.
 */
function peek(body: NodeStream, accept: Accept): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const events = ['readable', 'error', 'close'];
    const chunks: Uint8Array[] = [];
    function onChange(error?: unknown): void {
      let isWanted = true;
      // Reading an empty body that has ended would emit the `end` that the application waits for.
      while (isWanted && body.readableLength > 0) {
        const chunk = body.read();
        if (chunk === null) break;
        chunks.push(chunk);
        isWanted = accept(chunk);
      }
      const hasEnded = body._readableState?.ended !== false;
      const isBroken = error !== undefined || (body.destroyed && !hasEnded);
      if (isWanted && !hasEnded && !isBroken) return;
      for (const event of events) body.removeListener(event, onChange);
      for (const chunk of chunks.reverse()) body.unshift(chunk);
      if (isBroken) reject((error ?? new Error('The body ended too early.')) as Error);
      else resolve(isWanted);
    }
    for (const event of events) body.on(event, onChange);
    onChange();
  });
}

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
    isWhole = await peek(body as unknown as NodeStream, accept); // Only Node's streams have `unshift`.
  else {
    const copy = response.clone();
    // A `fetch` without streams, such as that of React Native, has the whole body already.
    isWhole = await (copy.body?.getReader === undefined ? copy.text().then(add) : follow(copy.body, accept));
  }
  if (!isWhole || text.trim() === '') return undefined;
  const value: unknown = JSON.parse(text);
  return isObject(value) ? value : undefined;
}
