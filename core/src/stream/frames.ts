// Reads the frames of one connection.

import { createParser } from 'eventsource-parser';
import { ignore } from '../platform/callbacks.ts';
import { SSE_EVENT } from '../protocol/names.ts';
import type { SseEvent } from './connectionState.ts';

/**
 * Reads until the connection ends, or until the signal aborts. Rejects if the connection is cut.
 * @param report receives what the state of the connection depends on
 * @param onFrame receives the data of an event named `message` or without a name, and null for a comment
 */
export async function readFrames(
  body: ReadableStream<Uint8Array>,
  signal: AbortSignal,
  report: (event: SseEvent) => void,
  onFrame: (data: string | null) => void,
): Promise<void> {
  const reader = body.getReader();
  // Some implementations of fetch ignore the signal.
  const release = (): void => void reader.cancel().catch(ignore);
  signal.addEventListener('abort', release);
  if (signal.aborted) release();
  const decoder = new TextDecoder();
  const accept = (data: string | null): unknown => signal.aborted || onFrame(data);
  const { feed } = createParser({
    onEvent: ({ event = SSE_EVENT, data }) => event === SSE_EVENT && accept(data),
    onComment: () => accept(null),
    onRetry: (waitMs) => report({ type: 'retry', waitMs }),
  });
  while (!signal.aborted) {
    const { done, value } = await reader.read();
    if (done) return report({ type: 'ended' });
    report({ type: 'bytes' });
    feed(decoder.decode(value, { stream: true }));
  }
}
