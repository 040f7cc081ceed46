import { describe, expect, it } from 'vitest';
import { simulate } from './support/simulated.ts';

describe('metrics', () => {
  it('D-HUB-8 counts what was done since the start, and what is now', async () => {
    const { hub, open, emit } = simulate({ authorize: (_, { audience }) => audience !== 'no' });
    expect(hub.metrics()).toEqual({
      connections: 0,
      connects: 0,
      emits: 0,
      deliveries: 0,
      bytes: 0,
      stalled: 0,
      destroyed: 0,
      replayHits: 0,
      replayMisses: 0,
      refusals: {},
      audiences: 0,
      backplane: { healthy: true, lagMs: 0 },
    });
    const seq = await emit(1, 'a');
    const streams = [
      await open('?audience=a'),
      await open(`?audience=a&last_seq=${seq - 1}`),
      await open('?audience=a&last_seq=7'),
    ];
    await open('?audience=b&since_ms=0');
    await expect(open('?audience=no')).rejects.toThrow('403');
    await expect(open('?audience=')).rejects.toThrow('400');
    await emit(2, 'a');
    await streams[0]?.cancel();
    const metrics = hub.metrics();
    expect(metrics).toMatchObject({
      connections: 3,
      connects: 4,
      emits: 2,
      deliveries: 4,
      replayHits: 2,
      replayMisses: 1,
      refusals: { audience_refused: 1, bad_parameters: 1 },
      audiences: 2,
    });
    const texts = streams.map((stream) => Buffer.byteLength(stream.text()));
    expect(metrics.bytes).toBeGreaterThan(texts.reduce((sum, bytes) => sum + bytes, 0));
  });
});
