// Splits the bytes of one connection into frames.

import { createParser } from 'eventsource-parser';
import { SSE_EVENT } from '../protocol/names.ts';

export interface FrameListener {
  /** The data of one event named `message`, or without a name. */
  onData: (data: string) => void;
  onComment: () => void;
  onRetry: (waitMs: number) => void;
  /** A frame was longer than the limit and is dropped. */
  onTooLong: (error: Error) => void;
}

/** In characters. A longer frame is dropped, so that it cannot fill the memory. The next number then shows a gap. */
const longestFrame = 2 ** 24;

/** Returns a function that accepts the next bytes of the connection. */
export function createFrameReader({
  onData,
  onTooLong,
  ...rest
}: FrameListener): (bytes: Uint8Array) => void {
  const decoder = new TextDecoder();
  /** The characters of the chunks that have arrived without the end of a frame. */
  let length = 0;
  const parser = createParser({
    ...rest,
    onEvent({ event = SSE_EVENT, data }) {
      if (event === SSE_EVENT) onData(data);
    },
  });
  return (bytes) => {
    const text = decoder.decode(bytes, { stream: true });
    parser.feed(text);
    length = /\n\r?\n|\r\r/.test(text) ? 0 : length + text.length;
    if (length <= longestFrame) return;
    length = 0;
    parser.reset();
    onTooLong(new Error(`[edict] Event stream: a frame is longer than ${longestFrame} characters.`));
  };
}
