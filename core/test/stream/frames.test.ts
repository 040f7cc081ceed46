// Bytes of any kind: unreadable frames are reported or ignored, and the stream stays open (D-SSE-1, D-SSE-11).

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runs } from '../seed.ts';
import { envelope, setup, type Setup } from './setup.ts';

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);

/** The ends of the chunks, as fractions of the length. */
function chunksOf(bytes: Uint8Array, cuts: readonly number[]): Uint8Array[] {
  const ends = [...cuts.map((cut) => Math.floor(cut * bytes.length)), bytes.length].sort((a, b) => a - b);
  return ends.map((end, i) => bytes.subarray(ends[i - 1] ?? 0, end));
}

async function reading(chunks: readonly Uint8Array[]): Promise<Setup> {
  const one = setup();
  await one.opened();
  for (const chunk of chunks) await one.world.last().send(chunk);
  return one;
}

const unicode = { op: 'refresh_item', name: 'billet', id: 'é-漢-🚀' };
const frames = (newline: string): string =>
  `\uFEFF: hello${newline}${newline}id: 41${newline}event: message${newline}` +
  `data: ${JSON.stringify(envelope(41, 'global', [unicode]))}${newline}${newline}` +
  `data:{"type":"directives","seq":42,${newline}data:"audience":"global","directives":[]}${newline}${newline}` +
  `retry: 900${newline}${newline}data: ${JSON.stringify(envelope(43))}${newline}${newline}`;

describe('the bytes of the stream', () => {
  it.each([
    ['LF', '\n'],
    ['CRLF', '\r\n'],
    ['CR', '\r'],
  ])(
    'D-SSE-1 are read one by one, with a byte order mark and lines that end in %s',
    async (_name, newline) => {
      // A CR at the end of a chunk may be half of a CRLF, so it is read with the next line.
      const bytes = encode(`${frames(newline)}:${newline}`);
      const { sse, of, received } = await reading([...bytes].map((byte) => Uint8Array.of(byte)));
      expect(received.map(({ id }) => id)).toEqual([unicode.id, 43]);
      expect(of('sse:gap')).toMatchObject([{ reason: 'position' }]);
      expect(sse().lastSeq).toEqual({ global: 43 });
    },
  );

  it('D-SSE-1 cause the same events however they are split', async () => {
    const bytes = encode(frames('\n'));
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 8 }),
        async (cuts) => {
          const { events } = await reading(chunksOf(bytes, cuts));
          const whole = await reading([bytes]);
          expect(events).toEqual(whole.events);
        },
      ),
      runs(50),
    );
  });

  it('D-SSE-11 of any kind neither throw nor close the stream, and the next frame is read', async () => {
    const line = fc.oneof(
      fc.uint8Array({ maxLength: 60 }),
      fc.string({ unit: 'binary', maxLength: 60 }).map(encode),
      fc
        .tuple(
          fc.constantFrom('data', 'event', 'id', 'retry', '', 'x'),
          fc.constantFrom(':', ': ', ''),
          fc.string(),
        )
        .map((parts) => encode(parts.join(''))),
      fc.jsonValue().map((value) => encode(`data: ${JSON.stringify(value)}`)),
      fc
        .jsonValue()
        .map((value) =>
          encode(`data: ${JSON.stringify({ type: 'directives', audience: 'global', directives: value })}`),
        ),
      fc.constant(encode(`data: ${JSON.stringify(envelope(7))}`)),
      fc.constantFrom('\n', '\r', '\r\n', '\n\n', '\0', '\uFEFF').map(encode),
    );
    const newline = fc.constantFrom('\n', '\r', '\r\n', '\n\n', '').map(encode);
    const junk = fc.array(fc.tuple(line, newline), { maxLength: 12 });
    const cuts = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(junk, cuts, async (parts, at) => {
        const bytes = Uint8Array.from(parts.flat().flatMap((part) => [...part]));
        const { sse, of, received, world } = await reading(chunksOf(bytes, at));
        await world.last().send('\n\n');
        const before = received.length;
        await world.last().envelope(envelope(1_000_000));
        expect(received.slice(before)).toMatchObject([{ id: 1_000_000 }]);
        expect(sse()).toMatchObject({ status: 'open', lastSeq: { global: 1_000_000 } });
        expect(of('sse:error')).toEqual([]);
      }),
      runs(300),
    );
  });
});
