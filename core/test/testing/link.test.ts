import { describe, expect, it } from 'vitest';
import { createSimulation } from '@edict/core/testing';
import { listen, seqs } from './listen.ts';

const refreshItem = { op: 'refresh_item', name: 'ticket', id: 7 } as const;

describe('the simulated link', () => {
  it('delays each message by the latency and keeps their order', async () => {
    const sim = createSimulation({ startAt: 1000 });
    sim.link.delay([10, 40]);
    sim.hub.cursor();
    const { got } = await listen(sim);
    expect(got).toEqual([]);
    await sim.advance(80);
    for (let count = 0; count < 5; count += 1) sim.hub.emit([refreshItem]);
    expect(got).toHaveLength(1);
    await sim.advance(40);
    expect(seqs(got)).toEqual([1_000_000, 1_000_001, 1_000_002, 1_000_003, 1_000_004, 1_000_005]);
  });

  it('drops, duplicates, and reorders the next frames', async () => {
    const sim = createSimulation({ startAt: 0 });
    const { got } = await listen(sim);
    const emit = (): unknown => sim.hub.emit([refreshItem]);
    sim.link.drop();
    emit();
    sim.link.duplicate();
    emit();
    sim.link.reorder();
    emit();
    emit();
    sim.link.reorder();
    emit();
    await sim.advance(1000);
    expect(seqs(got)).toEqual([0, 2, 2, 4, 3, 5]);
  });

  it('fails streams and requests when cut, and allows new ones when restored', async () => {
    const sim = createSimulation();
    sim.route('GET /slow', () => sim.sleep(100));
    const { state } = await listen(sim);
    const asked = sim.env.fetch('/slow').catch(String);
    await sim.advance(10);
    sim.link.cut();
    await sim.advance(0);
    expect(state.ended).toMatch(/network error/);
    expect(await asked).toMatch(/fetch failed/);
    expect(sim.hub.connections()).toEqual([]);
    await expect(sim.env.fetch('/slow')).rejects.toThrow('fetch failed');
    sim.link.restore();
    expect((await listen(sim)).got).toHaveLength(1);
  });

  it('delivers nothing and reports no error while it hangs', async () => {
    const sim = createSimulation();
    const { got, state } = await listen(sim);
    sim.link.hang();
    sim.hub.emit([refreshItem]);
    await sim.advance(60_000);
    const begun = await listen(sim);
    expect(begun.got).toEqual([]);
    sim.link.restore();
    sim.hub.emit([refreshItem]);
    await sim.advance(60_000);
    expect(got).toHaveLength(1);
    expect(state.ended).toBeNull();
    expect(begun.got.length).toBeGreaterThan(1);
  });

  it('loses a request before it reaches the server, or its response afterwards', async () => {
    const sim = createSimulation();
    let served = 0;
    sim.route('POST /things', () => void (served += 1));
    const post = (): Promise<string> =>
      sim.env.fetch('/things', { method: 'POST' }).then((r) => String(r.status), String);
    sim.link.loseRequests();
    expect(await post()).toMatch(/fetch failed/);
    expect(served).toBe(0);
    sim.link.loseAnswers();
    expect(await post()).toMatch(/fetch failed/);
    expect(served).toBe(1);
    expect(await post()).toBe('204');
  });

  it('is separate for each client', async () => {
    const sim = createSimulation();
    const other = sim.createClient();
    other.link.cut();
    expect((await listen(sim)).got).toHaveLength(1);
    expect((await listen(sim, '', { env: other.env })).state.ended).toMatch(/fetch failed/);
  });
});
