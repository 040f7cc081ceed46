import { describe, expect, it } from 'vitest';
import type { DirectiveSourceApi } from '@edict/core';
import { envelope, position, setup } from './setup.ts';

const miss = (seq: number): object => ({ ...position(seq), recovered: false });

describe('the sequence rule', () => {
  it.each<[clause: string, last: number | null, incoming: object, isFirst: boolean, event: string | null]>([
    ['D-SSE-6 takes the first number as the baseline', null, envelope(41), true, null],
    ['D-SSE-6 takes 0 as a number', null, envelope(0), true, null],
    ['D-SSE-6 counts from 0 to 1', 0, envelope(1), false, null],
    ['D-SSE-6 counts the next number', 41, envelope(42), false, null],
    ['D-SSE-6 counts the next number, first on a connection', 41, envelope(42), true, null],
    ['§4.6 sees a gap from 41 to 44', 41, envelope(44), false, 'gap'],
    ['D-SSE-6 sees the smallest gap', 41, envelope(43), false, 'gap'],
    ['D-SSE-6 sees a gap on a new connection', 41, envelope(43), true, 'gap'],
    ['D-SSE-6 leaves the number alone when one comes again', 41, envelope(41), false, 'out of order'],
    ['D-SSE-6 leaves the number alone when a lower one comes', 41, envelope(40), false, 'out of order'],
    ['D-SSE-6 takes a lower one, first on a connection, as a restart', 41, envelope(40), true, 'restart'],
    ['D-SSE-6 does not take an equal one as a restart', 41, envelope(41), true, 'out of order'],
    ['D-SSE-7 takes a position as the baseline', null, position(41), true, null],
    ['D-SSE-7 accepts a position that equals the last number', 41, position(41), false, null],
    ['D-SSE-7 sees a gap in the next number as a position', 41, position(42), false, 'position'],
    ['D-SSE-7 sees a gap in a lower position', 41, position(40), false, 'position'],
    ['D-SSE-7 sees a lower position, not a restart', 41, position(9), true, 'position'],
    ['D-SSE-7 sees a gap in recovered: false', 41, miss(50), false, 'replay-miss'],
    ['D-SSE-7 sees a gap in recovered: false at the same number', 41, miss(41), false, 'replay-miss'],
    ['D-SSE-7 sees a gap in recovered: false without a number', null, miss(7), false, 'replay-miss'],
  ])('%s', (_clause, last, incoming, isFirst, event) => {
    const { dl, of, sse } = setup();
    let api!: DirectiveSourceApi;
    dl.configureDirectiveSource({ type: 'test', connect: (given) => void (api = given) });
    dl.init();
    if (last !== null) api.ingestEnvelope(envelope(last));
    if (isFirst) {
      dl.disconnectDirectiveSource();
      dl.connectDirectiveSource();
    }
    api.ingestEnvelope(incoming);
    const { seq } = incoming as { seq: number };
    const numbers = { audience: 'global', lastSeq: last, incomingSeq: seq };
    const isGap = event !== null && event !== 'out of order';
    const gap = { ...numbers, ...(event !== 'gap' && { reason: event }) }; // An ordinary gap has no reason.
    expect(of('sse:gap')).toEqual(isGap ? [gap] : []);
    expect(of('sse:resync-scheduled')).toHaveLength(isGap ? 1 : 0);
    expect(of('sse:out-of-order')).toEqual(event === 'out of order' ? [numbers] : []);
    expect(sse().lastSeq).toEqual({ global: event === 'out of order' ? last : seq });
  });
});
