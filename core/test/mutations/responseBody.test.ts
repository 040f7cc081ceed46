// Bodies of any form, split anywhere. Objects are searched for directives. JSON lines are not waited for.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createStage, untyped } from '../world.ts';
import { runs } from '../seed.ts';

const cuts = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 8 });

/** A response whose body arrives in these parts. It ends, or stays open. */
function arriving(text: string, at: readonly number[], hasEnd: boolean): Response {
  const bytes = new TextEncoder().encode(text);
  const ends = [...at.map((cut) => Math.floor(cut * bytes.length)), bytes.length].sort((a, b) => a - b);
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      ends.forEach((end, part) => controller.enqueue(bytes.subarray(ends[part - 1] ?? 0, end)));
      if (hasEnd) controller.close();
    },
  });
  return new Response(body, { headers: { 'content-type': 'application/json' } });
}

describe('applyResponse', () => {
  it('finds the directives of every object, however it is formatted and split', async () => {
    const directives = [{ op: 'refresh_item', name: 'ticket', id: '}\n{' }];
    const { dl, of } = createStage();
    await fc.assert(
      fc.asyncProperty(
        fc.dictionary(fc.string(), fc.jsonValue()),
        fc.constantFrom(0, 1, '\t'),
        fc.constantFrom('\n', '\r\n', '\r'),
        cuts,
        async (fields, indent, newline, at) => {
          const text = `\n ${JSON.stringify({ ...fields, directives }, null, indent).replaceAll('\n', newline)}\n`;
          const before = of('directive:processed').length;
          const response = arriving(text, at, true);
          await dl.applyResponse(response);
          expect(of('directive:processed')).toHaveLength(before + 1);
          expect(await response.text()).toBe(text);
        },
      ),
      runs(300),
    );
  });

  it('does not wait for the end of JSON lines that begin with an object', async () => {
    const { dl, of } = createStage();
    await fc.assert(
      fc.asyncProperty(
        fc.dictionary(fc.string(), fc.jsonValue()),
        fc.jsonValue(),
        cuts,
        async (first, second, at) => {
          await dl.applyResponse(arriving(`${JSON.stringify(first)}\n${JSON.stringify(second)}`, at, false));
          expect(of('directive:rejected')).toEqual([]);
        },
      ),
      runs(300),
    );
  });

  it('D-SRC-3 rejects a value that is not a Response', async () => {
    const { dl } = createStage();
    await expect(dl.applyResponse(untyped(5))).rejects.toThrow(
      new TypeError('[edict] applyResponse: it must be given a Response, but it is 5.'),
    );
  });
});
