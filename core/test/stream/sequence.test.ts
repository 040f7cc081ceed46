import { describe, expect, it } from 'vitest';
import { judge, type SequenceFacts } from '../../src/stream/sequence.ts';

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
const first = { isFirst: true };
const position = { isPosition: true };
const miss = { isPosition: true, isReplayMiss: true };

describe('the sequence rule', () => {
  it.each<[clause: string, facts: SequenceFacts, verdict: ReturnType<typeof judge>]>([
    ['D-SSE-6 takes the first number as the baseline', step(null, 41, first), null],
    ['D-SSE-6 takes 0 as a number', step(null, 0, first), null],
    ['D-SSE-6 counts from 0 to 1', step(0, 1), null],
    ['D-SSE-6 counts the next number', step(41, 42), null],
    ['D-SSE-6 counts the next number, first on a connection', step(41, 42, first), null],
    ['§4.6 sees a gap from 41 to 44', step(41, 44), 'gap'],
    ['D-SSE-6 sees the smallest gap', step(41, 43), 'gap'],
    ['D-SSE-6 sees a gap on a new connection', step(41, 43, first), 'gap'],
    ['D-SSE-6 leaves the number alone when one comes again', step(41, 41), 'out-of-order'],
    ['D-SSE-6 leaves the number alone when a lower one comes', step(41, 40), 'out-of-order'],
    ['D-SSE-6 takes a lower one, first on a connection, as a restart', step(41, 40, first), 'restart'],
    ['D-SSE-6 does not take an equal one as a restart', step(41, 41, first), 'out-of-order'],
    ['D-SSE-7 takes a position as the baseline', step(null, 41, { ...first, ...position }), null],
    ['D-SSE-7 accepts a position that equals the last number', step(41, 41, position), null],
    ['D-SSE-7 sees a gap in the next number as a position', step(41, 42, position), 'position'],
    ['D-SSE-7 sees a gap in a lower position', step(41, 40, position), 'position'],
    ['D-SSE-7 sees a lower position, not a restart', step(41, 9, { ...first, ...position }), 'position'],
    ['D-SSE-7 sees a gap in recovered: false', step(41, 50, miss), 'replay-miss'],
    ['D-SSE-7 sees a gap in recovered: false at the same number', step(41, 41, miss), 'replay-miss'],
    ['D-SSE-7 sees a gap in recovered: false without a number', step(null, 7, miss), 'replay-miss'],
  ])('%s', (_clause, facts, verdict) => {
    expect(judge(facts)).toBe(verdict);
  });
});
