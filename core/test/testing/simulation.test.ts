import { describe, expect, it } from 'vitest';
import { createSimulation } from '@edict/core/testing';

const refreshItem = { op: 'refresh_item', name: 'ticket', id: 7 } as const;

describe('the simulated randomness', () => {
  it('repeats a session of tabs that share a stream', async () => {
    const session = async (seed: number): Promise<string[]> => {
      const sim = createSimulation({ seed });
      const browser = sim.createBrowser();
      const events: string[] = [];
      const layers = ['a', 'b', 'c'].map((name) => {
        const tab = browser.createTab();
        tab.link.delay([1, 200]);
        const dl = tab.createDataLayer({ sse: { share: true } });
        dl.onLifecycle('*', ({ event }) => events.push(`${sim.now()} ${name} ${event}`));
        return dl;
      });
      for (let step = 0; step < 10; step += 1) {
        sim.hub.emit([{ op: 'refresh_item', name: 'ticket', id: 1 }]);
        if (sim.random() < 0.3) sim.hub.end({ retryMs: 100 });
        await sim.advance(sim.random() * 3000);
      }
      for (const dl of layers) dl.dispose();
      return events;
    };
    for (let seed = 1; seed <= 5; seed += 1) expect(await session(seed)).toEqual(await session(seed));
  });

  it('repeats for the same seed and differs for another seed', () => {
    const draw = (seed: number): number[] => {
      const sim = createSimulation({ seed });
      return [sim.env.random(), sim.env.random(), sim.random()];
    };
    expect(draw(3)).toEqual(draw(3));
    expect(draw(3)).not.toEqual(draw(4));
  });

  it('returns ids that no two clients share', () => {
    const sim = createSimulation();
    const ids = [sim.env.newId(), sim.createClient().env.newId(), sim.env.newId()];
    expect(new Set(ids).size).toBe(3);
  });
});

describe('a data layer in the simulated world', () => {
  it('is initialized, connects, fetches over the simulated network, and leaves no timers', async () => {
    const sim = createSimulation();
    sim.link.delay(20);
    sim.route('GET /tickets/:id', ({ params }) => ({ id: params['id'], title: 'first' }));
    const dl = sim.createDataLayer();
    dl.createType('ticket', {
      fetch: async (id, { signal }) => (await sim.env.fetch(`/tickets/${id}`, { signal })).json(),
    });
    const ref = dl.fetchItem('ticket', 7);
    await sim.settled();
    expect(ref.data).toEqual({ id: '7', title: 'first' });
    expect(dl.state().sse).toMatchObject({ connected: true, status: 'open' });
    dl.dispose();
    expect(sim.pendingTimers()).toBe(0);
    expect(sim.page.listeners()).toBe(0);
  });

  it('settles only when emitted changes were fetched and shown', async () => {
    const sim = createSimulation();
    sim.link.delay([5, 50]);
    let title = 'first';
    const dl = sim.createDataLayer();
    dl.createType('ticket', {
      async fetch(id) {
        await sim.sleep(300);
        return { id, title };
      },
    });
    const ref = dl.fetchItem('ticket', 7);
    await sim.settled();
    title = 'second';
    sim.hub.emit([refreshItem]);
    await sim.settled();
    expect(ref.data).toEqual({ id: 7, title: 'second' });
  });

  it('settles only when a pending resync is finished', async () => {
    const sim = createSimulation();
    let title = 'first';
    const dl = sim.createDataLayer();
    dl.createType('ticket', { fetch: (id) => ({ id, title }) });
    const ref = dl.fetchItem('ticket', 7);
    dl.onRefChange(ref, () => undefined);
    await sim.settled();
    title = 'second';
    sim.hub.lose();
    sim.hub.emit([{ ...refreshItem, id: 8 }]);
    await sim.settled();
    expect(ref.data).toEqual({ id: 7, title: 'second' });
  });

  it('reports what is in flight when nothing ever settles', async () => {
    const sim = createSimulation();
    const dl = sim.createDataLayer();
    dl.createType('ticket', { fetch: () => new Promise(() => undefined), timeoutMs: 0 });
    dl.fetchItem('ticket', 7);
    await expect(sim.settled()).rejects.toThrow(/1 data layers are busy/);
  });

  it('does not wait for a tab that crashed', async () => {
    const sim = createSimulation();
    const tab = sim.createBrowser().createTab();
    const dl = tab.createDataLayer();
    dl.createType('ticket', { fetch: (id) => ({ id }) });
    dl.fetchItem('ticket', 7);
    await sim.settled();
    sim.hub.lose();
    sim.hub.emit([refreshItem]); // A resync is scheduled, and the item waits in the window.
    await sim.advance(1);
    tab.crash();
    await expect(sim.settled()).resolves.toBeUndefined();
  });

  it('D-NAME-3 shares nothing with the data layer of another client', async () => {
    const sim = createSimulation();
    const mine = sim.createDataLayer();
    const other = sim.createClient();
    const theirs = other.createDataLayer();
    expect(mine.clientId()).not.toBe(theirs.clientId());
    await sim.settled();
    other.link.cut();
    await sim.advance(0);
    expect([mine.state().sse.connected, theirs.state().sse.connected]).toEqual([true, false]);
    expect(sim.hub.connections()).toHaveLength(1);
  });
});
