import { describe, expect, it, vi } from 'vitest';
import { createSimulation } from '@edict/core/testing';

const refreshItem = { op: 'refresh_item', name: 'ticket', id: 7 } as const;

describe('the simulated clock', () => {
  it('runs each timer at its own time, including nested timers', async () => {
    const sim = createSimulation({ startAt: 1000 });
    const seen: number[] = [];
    sim.env.setTimeout(() => {
      seen.push(sim.now());
      sim.env.setTimeout(() => seen.push(sim.now()), 5);
    }, 10);
    sim.env.setTimeout(() => seen.push(sim.now()), 12);
    await sim.advance(20);
    expect(seen).toEqual([1010, 1012, 1015]);
    expect(sim.now()).toBe(1020);
  });

  it('waits for all asynchronous work between two timers', async () => {
    const sim = createSimulation({ startAt: 0 });
    const seen: string[] = [];
    sim.env.setTimeout(() => {
      void (async () => {
        for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
        seen.push(`rest at ${sim.now()}`);
      })();
    }, 1);
    sim.env.setTimeout(() => seen.push('second'), 1);
    await sim.advance(1);
    expect(seen).toEqual(['rest at 1', 'second']);
  });

  it('does not run cleared timers, and counts pending timers', async () => {
    const sim = createSimulation();
    let ran = false;
    const handle = sim.env.setTimeout(() => (ran = true), 5);
    expect(sim.pendingTimers()).toBe(1);
    sim.env.clearTimeout(handle);
    expect(sim.pendingTimers()).toBe(0);
    await sim.advance(10);
    expect(ran).toBe(false);
  });

  it('counts whole milliseconds, so the hub accepts its own sequence numbers after a fractional time', async () => {
    const sim = createSimulation();
    const dl = sim.createDataLayer();
    await sim.advance(0.5);
    await sim.advance(100.75);
    const start = sim.env.now();
    const woken = sim.sleep(10.9).then(() => sim.env.now());
    await sim.advance(20);
    expect(await woken).toBe(start + 10);
    sim.hub.emit([refreshItem]);
    await sim.advance(1000);
    expect(Number.isInteger(dl.state().sse.lastSeq['global'])).toBe(true);

    sim.link.cut();
    await sim.advance(1000);
    sim.link.restore();
    await sim.advance(5000);
    expect(dl.state().sse.status).toBe('open');
  });

  it('runs many timers in the order of their times', async () => {
    const sim = createSimulation({ seed: 5, startAt: 0 });
    const seen: number[] = [];
    for (let count = 0; count < 300; count += 1) {
      sim.env.setTimeout(() => seen.push(sim.now()), Math.floor(sim.random() * 1000));
    }
    await sim.advance(1000);
    expect(seen).toHaveLength(300);
    expect(seen).toEqual([...seen].sort((a, b) => a - b));
  });

  it('advances without setImmediate and MessageChannel, as in Jest, even with fake timers', async () => {
    vi.stubGlobal('setImmediate', undefined);
    vi.stubGlobal('MessageChannel', undefined);
    vi.resetModules();
    const testing = await import('@edict/core/testing');
    vi.useFakeTimers({ toFake: ['setTimeout'] });
    try {
      const sim = testing.createSimulation({ startAt: 0 });
      const seen: number[] = [];
      sim.env.setTimeout(() => void Promise.resolve().then(() => seen.push(sim.now())), 1);
      await sim.advance(2);
      expect(seen).toEqual([1]);
    } finally {
      vi.useRealTimers();
      vi.unstubAllGlobals();
    }
  });

  it('rejects a second advance while the clock is advancing', async () => {
    const sim = createSimulation();
    const first = sim.advance(1);
    await expect(sim.advance(1)).rejects.toThrow(/Await the call before/);
    await first;
  });
});
