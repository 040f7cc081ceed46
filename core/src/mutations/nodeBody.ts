// Reads a response body that is a stream in Node's own style, as in node-fetch.

import type { Accept } from './responseBody.ts';

/** The readable side of such a stream. */
interface NodeStream {
  read: () => Uint8Array | null;
  unshift: (chunk: Uint8Array) => void;
  on: (event: string, listener: (error?: unknown) => void) => void;
  removeListener: (event: string, listener: (error?: unknown) => void) => void;
  readonly destroyed: boolean;
  readonly readableLength: number;
  /**
   * No public property shows that all data has arrived until the `end` event. After that event, nothing can be put
   * back.
   */
  readonly _readableState?: { readonly ended: boolean };
}

/**
 * Reads a body of node-fetch and puts everything back. A clone would stop at 16 KiB, because its two halves wait for each other.
 * Resolves to true at the end of the body, and to false when no more is needed.
 */
export function peek(response: Response, accept: Accept): Promise<boolean> {
  const body = response.body as unknown as NodeStream; // It has `unshift`.
  return new Promise((resolve, reject) => {
    if (response.bodyUsed) throw new TypeError('The body was read already.');
    const hasEnded = (): boolean => body._readableState?.ended !== false;
    // A listener, or a `read`, would cause the `end` event of an empty body, which the application waits for.
    if (hasEnded() && body.readableLength === 0) return resolve(true);
    const events = ['readable', 'error', 'close'];
    const chunks: Uint8Array[] = [];
    function onChange(error?: unknown): void {
      let isWanted = true;
      while (isWanted && body.readableLength > 0) {
        const chunk = body.read();
        if (chunk === null) break;
        chunks.push(chunk);
        isWanted = accept(chunk);
      }
      const isBroken = error !== undefined || (body.destroyed && !hasEnded());
      if (isWanted && !hasEnded() && !isBroken) return;
      for (const event of events) body.removeListener(event, onChange);
      for (const chunk of chunks.reverse()) body.unshift(chunk);
      if (isBroken) reject((error ?? new Error('The body ended too early.')) as Error);
      else resolve(isWanted);
    }
    for (const event of events) body.on(event, onChange);
    onChange();
  });
}
