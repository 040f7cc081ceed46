// Splits the bytes of one connection into frames.

import { createParser } from 'eventsource-parser';
import { SSE_EVENT } from '../protocol/names.ts';

/**
 * Returns a function that accepts the next bytes of the connection.
 * @param onFrame receives the data of an event named `message` or without a name, and null for a comment
 */
export function createFrameReader(
  onFrame: (data: string | null) => void,
  onRetry: (waitMs: number) => void,
): (bytes: Uint8Array) => void {
  const decoder = new TextDecoder();
  const { feed } = createParser({
    onEvent: ({ event = SSE_EVENT, data }) => event === SSE_EVENT && onFrame(data),
    onComment: () => onFrame(null),
    onRetry,
  });
  return (bytes) => feed(decoder.decode(bytes, { stream: true }));
}
