// Reads a response body that may be one JSON object, and leaves the body to the application unread and undelayed.

import { isObject } from '../config/checks.ts';

/** Null where there is no such header. A stand-in for `fetch` in a test may return a response without headers. */
export const headerOf = ({ headers }: { headers?: Partial<Headers> }, name: string): string | null =>
  headers?.get?.(name) ?? null;

/** Whether the body is labeled as one JSON text. `application/json-seq` and `application/stream+json` contain many texts. */
export const isJson = (response: Response): boolean => {
  const type = headerOf(response, 'content-type') ?? '';
  return /^[^;]*\bjson\s*(;|$)/i.test(type) && !/\bstream\+/i.test(type);
};

/** Returns a function that accepts the next part of a text, and returns false once the text cannot be a single JSON object. */
function createScan(): (part: string) => boolean {
  let depth = 0;
  let isInString = false;
  let isEscaped = false;
  /** The last character that is no white space. */
  let last = '';
  return (part) => {
    for (const char of part) {
      if (isEscaped) isEscaped = false;
      else if (isInString) {
        isEscaped = char === '\\';
        isInString = char !== '"';
      } else if (char > ' ') {
        if (depth === 0 && (last !== '' || char !== '{')) return false;
        if (last === '{' && char !== '"' && char !== '}') return false;
        isInString = char === '"';
        if (char === '{' || char === '[') depth++;
        if (char === '}' || char === ']') depth--;
        last = char;
      }
    }
    return true;
  };
}

/** Accepts the next bytes of a body. Returns false once no more of them are needed. */
type Accept = (chunk: Uint8Array) => boolean;

/** The readable side of a body in Node's own style, as in node-fetch. */
interface NodeStream {
  read: () => Uint8Array | null;
  unshift: (chunk: Uint8Array) => void;
  on: (event: string, listener: (error?: unknown) => void) => void;
  removeListener: (event: string, listener: (error?: unknown) => void) => void;
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
    const chunks: Uint8Array[] = [];
    const listeners = { readable: onReadable, error: onEnd, close: onEnd };
    const hasEnded = (): boolean => body._readableState?.ended !== false;
    function stop(): void {
      for (const [event, listener] of Object.entries(listeners)) body.removeListener(event, listener);
      for (const chunk of chunks.reverse()) body.unshift(chunk);
    }
    function onEnd(error: unknown): void {
      stop();
      reject(error instanceof Error ? error : new Error('The body ended too early.'));
    }
    function onReadable(): void {
      while (body.readableLength > 0) {
        const chunk = body.read();
        if (chunk === null) break;
        chunks.push(chunk);
        if (accept(chunk)) continue;
        stop();
        return resolve(false);
      }
      if (!hasEnded()) return;
      stop();
      resolve(true);
    }
    // Reading an empty body that has ended would emit the `end` that the application waits for.
    if (hasEnded()) return onReadable();
    for (const [event, listener] of Object.entries(listeners)) body.on(event, listener);
  });
}

/** Reads a clone to its end, or cancels it when no more is needed, so that it never holds the other half back. */
async function follow(body: ReadableStream<Uint8Array>, accept: Accept): Promise<boolean> {
  const reader = body.getReader();
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    if (accept(next.value)) continue;
    void reader.cancel().catch(() => undefined);
    return false;
  }
  return true;
}

/**
 * The object that the body contains; undefined where it contains anything else. Resolves as soon as the body cannot be a single
 * object. Rejects where the body breaks off or is malformed.
 */
export async function objectIn(response: Response): Promise<Record<string, unknown> | undefined> {
  const scan = createScan();
  const decoder = new TextDecoder();
  let text = '';
  function accept(chunk: Uint8Array): boolean {
    const part = decoder.decode(chunk, { stream: true });
    text += part;
    return scan(part);
  }
  const { body, bodyUsed } = response as { body?: unknown; bodyUsed?: boolean };
  let isWhole: boolean;
  if (isObject(body) && typeof body['unshift'] === 'function' && bodyUsed !== true)
    isWhole = await peek(body as unknown as NodeStream, accept); // Only Node's streams have `unshift`.
  else {
    const copy = response.clone();
    // A `fetch` without streams, such as that of React Native, has the whole body already.
    if (copy.body?.getReader === undefined) isWhole = scan((text = await copy.text()));
    else isWhole = await follow(copy.body, accept);
  }
  if (!isWhole || text.trim() === '') return undefined;
  const value: unknown = JSON.parse(text);
  return isObject(value) ? value : undefined;
}
