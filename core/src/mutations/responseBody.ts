// The JSON body of an answer. It is read from a copy, since the application reads the same body (D-SRC-3).

import { isObject } from '../config/checks.ts';

/** Null where there is none: what stands in for `fetch` in a test may answer without headers. */
export const headerOf = ({ headers }: { headers?: Partial<Headers> }, name: string): string | null =>
  headers?.get?.(name) ?? null;

/** One JSON text. Types such as `application/json-seq` and `application/stream+json` are of several, which may never end. */
const isJson = (type: string): boolean => /^[^;]*\bjson\s*(;|$)/i.test(type) && !/\bstream\+/i.test(type);

/** Nothing is said of the body: so do a bare `response.end(text)` of Node, and `new Response(text)`. */
const isUnsaid = (type: string): boolean => /^\s*(text\/plain\b|$)/i.test(type);

/**
 * The object that a body is which may be anything. Nothing is awaited of one that does not begin as an object, or goes on behind it: it
 * may be a stream.
 */
async function objectIn({ body }: Response): Promise<unknown> {
  const reader = body?.getReader();
  const decoder = new TextDecoder();
  let text = '';
  try {
    while (reader !== undefined) {
      const { done, value } = await reader.read();
      text = (text + decoder.decode(value, { stream: !done })).trimStart();
      if (done || (text !== '' && !text.startsWith('{'))) return undefined;
      if (text.trimEnd().endsWith('}')) {
        try {
          return JSON.parse(text);
        } catch {
          // Not its end yet.
        }
      }
    }
    return undefined;
  } finally {
    void reader?.cancel().catch(() => undefined);
  }
}

/** The body as JSON; undefined where it is none. Rejects where it is said to be JSON and cannot be read. */
export async function jsonIn(response: Response): Promise<Record<string, unknown> | undefined> {
  const type = headerOf(response, 'content-type') ?? '';
  let body: unknown;
  if (isJson(type)) {
    const text = await response.clone().text();
    if (text.trim() !== '') body = JSON.parse(text);
  } else if (isUnsaid(type) && typeof response.clone === 'function' && !response.bodyUsed) {
    body = await objectIn(response.clone());
  }
  return isObject(body) ? body : undefined;
}
