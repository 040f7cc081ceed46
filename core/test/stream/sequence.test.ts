import { describe, expect, it } from 'vitest';
import { judge, type SequenceFacts, type SequenceVerdict } from '../../src/stream/sequence.ts';

const step = (
  lastSeq: number | null,
  incomingSeq: number,
  more: Partial<SequenceFacts> = {},
): SequenceFacts => ({
  lastSeq,
  incomingSeq,
  isFirst: false,
  isPosition: false,
  isReplayMiss: false,
  ...more,
});
const is = (lastSeq: number, gap: SequenceVerdict['gap'] = null, isOutOfOrder = false): SequenceVerdict => ({
  lastSeq,
  gap,
  isOutOfOrder,
});
const first = { isFirst: true };
const position = { isPosition: true };
const miss = { isPosition: true, isReplayMiss: true };

describe('the sequence rule', () => {
  it.each<[clause: string, facts: SequenceFacts, verdict: SequenceVerdict]>([
    ['D-SSE-6 takes the first number as the baseline', step(null, 41, first), is(41)],
    ['D-SSE-6 takes 0 as a number', step(null, 0, first), is(0)],
    ['D-SSE-6 counts from 0 to 1', step(0, 1), is(1)],
    ['D-SSE-6 counts the next number', step(41, 42), is(42)],
    ['D-SSE-6 counts the next number, first on a connection', step(41, 42, first), is(42)],
    ['§4.6 sees a gap from 41 to 44', step(41, 44), is(44, 'gap')],
    ['D-SSE-6 sees the smallest gap', step(41, 43), is(43, 'gap')],
    ['D-SSE-6 sees a gap on a new connection', step(41, 43, first), is(43, 'gap')],
    ['D-SSE-6 leaves the number alone when one comes again', step(41, 41), is(41, null, true)],
    ['D-SSE-6 leaves the number alone when a lower one comes', step(41, 40), is(41, null, true)],
    [
      'D-SSE-6 takes a lower one, first on a connection, as a restart',
      step(41, 40, first),
      is(40, 'restart'),
    ],
    ['D-SSE-6 does not take an equal one as a restart', step(41, 41, first), is(41, null, true)],
    ['D-SSE-7 takes a position as the baseline', step(null, 41, { ...first, ...position }), is(41)],
    ['D-SSE-7 accepts a position that equals the last number', step(41, 41, position), is(41)],
    ['D-SSE-7 sees a gap in the next number as a position', step(41, 42, position), is(42, 'position')],
    ['D-SSE-7 sees a gap in a lower position', step(41, 40, position), is(40, 'position')],
    [
      'D-SSE-7 sees a lower position, not a restart',
      step(41, 9, { ...first, ...position }),
      is(9, 'position'),
    ],
    ['D-SSE-7 sees a gap in recovered: false', step(41, 50, miss), is(50, 'replay-miss')],
    ['D-SSE-7 sees a gap in recovered: false at the same number', step(41, 41, miss), is(41, 'replay-miss')],
    ['D-SSE-7 sees a gap in recovered: false without a number', step(null, 7, miss), is(7, 'replay-miss')],
  ])('%s', (_clause, facts, verdict) => {
    expect(judge(facts)).toEqual(verdict);
  });
});
