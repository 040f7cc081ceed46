import { describe, expect, it } from 'vitest';
import { attachOutbox } from '../src/metrics.ts';
import { simulate } from './support/simulated.ts';

describe('metrics', () => {
  it('D-HUB-8 contain totals since the start and current values', async () => {
    const { hub, open, emit } = simulate({ authorize: (_, { audience }) => audience !== 'no' });
    expect(hub.metrics()).toEqual({
      connections: 0,
      connects: 0,
      emits: 0,
      emitErrors: 0,
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

  it('D-HUB-8 count a list that emit rejects', async () => {
    const { hub, emit } = simulate();
    await expect(hub.emit([{ op: 'no such op' } as never])).rejects.toThrow(TypeError);
    await emit(1);
    expect(hub.metrics()).toMatchObject({ emits: 1, emitErrors: 1 });
  });

  it('D-HUB-8 contain the highest age and the total of pending rows of the attached outboxes, until they are detached', () => {
    const { hub } = simulate();
    const detach = [
      attachOutbox(hub, () => ({ oldestAgeMs: 20, pending: 3 })),
      attachOutbox({ ...hub }, () => ({ oldestAgeMs: 1500, pending: 4 })),
    ];
    expect(hub.metrics().outbox).toEqual({ oldestAgeMs: 1500, pending: 7 });
    expect(hub.prometheus()).toContain('edict_outbox_oldest_age_seconds 1.5\n');
    for (const each of detach) each();
    expect(hub.metrics()).not.toHaveProperty('outbox');
    expect(hub.prometheus()).not.toContain('outbox');
    expect(() => attachOutbox({ emit: hub.emit }, () => ({ oldestAgeMs: 0, pending: 0 }))()).not.toThrow();
  });

  it('D-HUB-8 have one Prometheus sample for each metric and for each refusal code', async () => {
    const { hub, open } = simulate();
    await open();
    await expect(open('?audience=no')).rejects.toThrow('403');
    await expect(open('?audience=')).rejects.toThrow('400');
    const lines = hub.prometheus().split('\n');
    expect(lines.pop()).toBe('');
    const sample = /^edict_[a-z_]+(\{code="[a-z_]+"\})? \d+(\.\d+)?$/;
    expect(lines.filter((line) => !/^# (HELP|TYPE) edict_/.test(line) && !sample.test(line))).toEqual([]);
    expect(lines).toEqual(
      expect.arrayContaining([
        '# TYPE edict_connections gauge',
        'edict_connections 1',
        '# TYPE edict_refusals_total counter',
        'edict_refusals_total{code="audience_refused"} 1',
        'edict_refusals_total{code="bad_parameters"} 1',
        'edict_backplane_healthy 1',
      ]),
    );
    await hub.close();
    expect(hub.prometheus()).toContain('edict_backplane_healthy 0\n');
  });
});
