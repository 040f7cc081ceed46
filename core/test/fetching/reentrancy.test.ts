// Fetch functions and listeners that call the data layer.

import { describe, expect, it, vi } from 'vitest';
import { createDataLayer, type DataLayer, type Id } from '@edict/core';
import { createSimulation, type Simulation } from '@edict/core/testing';

const refresh = (id: Id): object => ({ op: 'refresh_item', name: 'ticket', id });

function setup(options: Parameters<Simulation['createDataLayer']>[0] = {}): {
  sim: Simulation;
  dl: DataLayer;
} {
  const sim = createSimulation();
  return { sim, dl: sim.createDataLayer({ sse: { enabled: false }, ...options }) };
}

describe('a directive that arrives while a window closes', () => {
  it.each(['fetch function', 'listener'])('D-DIR-5 from a %s causes a follow-up', async (how) => {
    const { sim, dl } = setup();
    let version = 1;
    let isNext = false;
    const change = (): void => {
      if (!isNext) return;
      isNext = false;
      version = 2;
      void dl.applyDirectives([refresh(1)]);
    };
    dl.createType('ticket', {
      fetch(id) {
        const answer = { id, version };
        if (how === 'fetch function') change();
        return sim.sleep(10).then(() => answer);
      },
    });
    const ref = dl.fetchItem('ticket', 1);
    dl.onRefChange(ref, () => {});
    await sim.settled();
    if (how === 'listener') dl.onLifecycle('item:fetch:intent', change);
    isNext = true;
    void dl.applyDirectives([refresh(1)]);
    await sim.settled();
    expect(ref.data).toEqual({ id: 1, version: 2 });
    expect(ref.meta.isStale).toBe(false);
  });
});

describe('a directive from a fetch function for a level that its request also returns', () => {
  it('D-DIR-5 causes a follow-up', async () => {
    const { sim, dl } = setup();
    let version = 1;
    let isNext = false;
    const fetch = (): Promise<object> => {
      const answer = { version };
      if (isNext) {
        isNext = false;
        version = 2;
        void dl.applyDirectives([{ ...refresh(1), level: 'brief' }]);
      }
      return sim.sleep(10).then(() => answer);
    };
    dl.createType('ticket', {
      fetch,
      levelConversionMap: { full: ['brief'] },
      levels: { full: { fetch }, brief: { fetch } },
    });
    const ref = dl.fetchItem('ticket', 1, 'full');
    await sim.settled();
    isNext = true;
    void dl.applyDirectives([refresh(1)]);
    await sim.settled();
    expect(ref.data).toEqual({ version: 2 });
    expect(ref.meta.isStale).toBe(false);
  });
});

describe('a payload whose getter throws', () => {
  it('is cached unchanged, and its entry can be refetched', async () => {
    const { sim, dl } = setup();
    const thrown = new Error('not loaded');
    dl.createType('ticket', {
      fetch: (id) => ({
        id,
        get body(): string {
          throw thrown;
        },
      }),
    });
    const ref = dl.fetchItem('ticket', 1);
    dl.onRefChange(ref, () => {});
    await sim.settled();
    const applied = dl.applyDirectives([refresh(1)]);
    await sim.settled();
    await applied;
    expect(ref.meta.isLoading).toBe(false);
    expect(() => (ref.data as { body: string }).body).toThrow(thrown);
  });
});

describe('a fetch function that throws before it returns', () => {
  it('notifies no listener before its caller has finished', async () => {
    const { sim, dl } = setup();
    dl.createType('ticket', {
      fetch: () => {
        throw new Error('no token');
      },
    });
    const failed: unknown[] = [];
    dl.onLifecycle('item:fetch:error', ({ detail }) => failed.push(detail.id));
    const { meta } = dl.fetchItem('ticket', 1);
    expect([meta.isLoading, failed]).toEqual([true, []]);
    await sim.settled();
    expect([dl.getItemRef('ticket', 1).meta.isLoading, failed]).toEqual([false, [1]]);
  });
});

describe('a listener', () => {
  it('that empties its list of directives does not prevent them from being applied', async () => {
    const { sim, dl } = setup();
    const asked: Id[] = [];
    dl.createType('ticket', { fetch: (id) => (asked.push(id), { id }) });
    dl.fetchItem('ticket', 1);
    await sim.settled();
    dl.onLifecycle('directive:received', ({ detail }) => void (detail.directives as unknown[]).splice(0));
    await Promise.all([dl.applyDirectives([refresh(1)]), sim.advance(100)]);
    expect(asked).toEqual([1, 1]);
  });
});

describe('a log that throws', () => {
  const angry = (): never => {
    throw new Error('nothing may be logged here');
  };

  it('does not prevent directives from being applied or subscribers from being notified', async () => {
    vi.spyOn(console, 'error').mockImplementation(() => undefined);
    const sim = createSimulation();
    const dl = createDataLayer({ env: { ...sim.env, log: angry } });
    dl.init({ sse: { enabled: false } });
    const asked: Id[] = [];
    dl.createType('ticket', { fetch: (id) => (asked.push(id), { id, times: asked.length }) });
    const ref = dl.fetchItem('ticket', 1);
    await sim.settled();
    let told = 0;
    dl.onRefChange(ref, angry);
    dl.onRefChange(ref, () => told++);
    const settled = dl.applyDirectives([{ op: 'refresh_item', name: 'ticket' }, refresh(1)]);
    await Promise.all([settled, sim.advance(100)]);
    expect(asked).toEqual([1, 1]);
    expect(told).toBeGreaterThan(0);
    expect(ref.meta).toMatchObject({ isStale: false, isLoading: false });
  });
});
