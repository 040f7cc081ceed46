// Reads an event stream frame by frame, however its bytes are split.

import type { Envelope } from '@edict/core/protocol';

export interface Frame {
  readonly id: string | null;
  readonly event: string | null;
  readonly retry: number | null;
  readonly envelope: Envelope | null;
}

export interface StreamReader {
  /** The frames that have arrived. */
  readonly frames: readonly Frame[];
  readonly text: () => string;
  readonly chunks: () => number;
  /** Resolves to the frames when there are at least `count`. Rejects if the stream ends before. */
  readonly atLeast: (count: number) => Promise<readonly Frame[]>;
  /** Resolves to the first frame for which `fits` returns true. */
  readonly until: (fits: (frame: Frame) => boolean) => Promise<Frame>;
  /** Resolves when the stream has ended: to null, or to the error that broke it. */
  readonly ended: Promise<unknown>;
  readonly isEnded: () => boolean;
  readonly cancel: () => Promise<void>;
}

/** The fields of a frame. */
export function parseFrame(text: string): Frame {
  // A pattern with `$` would treat U+2028 as a line end too, which it is not in an event stream.
  const lines = text.split('\n');
  const field = (name: string): string | null =>
    lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2) ?? null;
  const data = field('data');
  const retry = field('retry');
  return {
    id: field('id'),
    event: field('event'),
    retry: retry === null ? null : Number(retry),
    envelope: data === null ? null : (JSON.parse(data) as Envelope), // The tests check the contents.
  };
}

/** Starts reading. */
export function readStream(body: ReadableStream<Uint8Array> | null): StreamReader {
  if (body === null) throw new Error('The response has no body.');
  const reader = body.getReader();
  const decoder = new TextDecoder();
  const frames: Frame[] = [];
  const waiting = new Set<() => void>();
  let text = '';
  let rest = '';
  let chunks = 0;
  let isEnded = false;

  async function read(): Promise<unknown> {
    try {
      for (;;) {
        const { done, value } = await reader.read();
        if (done) return null;
        const piece = decoder.decode(value, { stream: true });
        chunks += 1;
        text += piece;
        const parts = (rest + piece).split('\n\n');
        rest = parts.pop() ?? '';
        frames.push(...parts.map(parseFrame));
        for (const look of waiting) look();
      }
    } catch (error) {
      return error;
    } finally {
      isEnded = true;
      for (const look of waiting) look();
    }
  }

  function wait<T>(look: () => T | undefined): Promise<T> {
    return new Promise((resolve, reject) => {
      const check = (): void => {
        const found = look();
        if (found === undefined && !isEnded) return;
        waiting.delete(check);
        if (found === undefined) reject(new Error(`The stream ended after:\n${text}`));
        else resolve(found);
      };
      waiting.add(check);
      check();
    });
  }

  return {
    frames,
    text: () => text,
    chunks: () => chunks,
    atLeast: (count) => wait(() => (frames.length >= count ? frames : undefined)),
    until: (fits) => wait(() => frames.find(fits)),
    ended: read(),
    isEnded: () => isEnded,
    cancel: () => reader.cancel(),
  };
}

/** Returns the envelopes of the frames. */
export function envelopesOf(frames: readonly Frame[]): Envelope[] {
  return frames.flatMap(({ envelope }) => envelope ?? []);
}

/** Returns the ids of the received directives, in order. */
export function idsOf(frames: readonly Frame[]): unknown[] {
  return envelopesOf(frames).flatMap(({ directives }) =>
    directives.map((directive) => (directive as { id?: unknown }).id),
  );
}
