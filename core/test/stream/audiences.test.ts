import { describe, expect, it } from 'vitest';
import type { DirectiveSourceApi } from '@edict/core';
import { envelope, position, setup } from './setup.ts';

const miss = (seq: number): object => ({ ...position(seq), recovered: false });

describe('the sequence rule', () => {
  it.each<[clause: string, last: number | null, incoming: object, isFirst: boolean, event: string | null]>([
    ['D-SSE-6 uses the first sequence number as the baseline', null, envelope(41), true, null],
    ['D-SSE-6 accepts 0 as a sequence number', null, envelope(0), true, null],
    ['D-SSE-6 counts from 0 to 1', 0, envelope(1), false, null],
    ['D-SSE-6 accepts the next sequence number', 41, envelope(42), false, null],
    ['D-SSE-6 accepts the next sequence number, first on a connection', 41, envelope(42), true, null],
    ['§4.6 detects a gap from 41 to 44', 41, envelope(44), false, 'gap'],
    ['D-SSE-6 detects the smallest gap', 41, envelope(43), false, 'gap'],
    ['D-SSE-6 detects a gap on a new connection', 41, envelope(43), true, 'gap'],
    ['D-SSE-6 keeps the sequence number after a repeated one', 41, envelope(41), false, 'out of order'],
    ['D-SSE-6 keeps the sequence number after a lower one', 41, envelope(40), false, 'out of order'],
    ['D-SSE-6 treats a lower one, first on a connection, as a restart', 41, envelope(40), true, 'restart'],
    ['D-SSE-6 does not treat an equal one as a restart', 41, envelope(41), true, 'out of order'],
    ['D-SSE-7 uses a position as the baseline', null, position(41), true, null],
    ['D-SSE-7 accepts a position that equals the last sequence number', 41, position(41), false, null],
    ['D-SSE-7 detects a gap if a position is the next sequence number', 41, position(42), false, 'position'],
    ['D-SSE-7 detects a gap if a position is lower', 41, position(40), false, 'position'],
    ['D-SSE-7 reports a lower position, not a restart', 41, position(9), true, 'position'],
    ['D-SSE-7 detects a gap from recovered: false', 41, miss(50), false, 'replay-miss'],
    [
      'D-SSE-7 detects a gap from recovered: false with the same sequence number',
      41,
      miss(41),
      false,
      'replay-miss',
    ],
    [
      'D-SSE-7 detects a gap from recovered: false without a known sequence number',
      null,
      miss(7),
      false,
      'replay-miss',
    ],
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
