// dispose() ends everything that is in flight or scheduled.

import type { Id } from '@edict/core';
import { describe, expect, it } from 'vitest';
import { refreshItem } from '../directives.ts';
import { createWorld, watchPromise } from '../world.ts';
import { setup } from './kinds.ts';

describe('D-FETCH-8 dispose', () => {
  it('settles every pending promise that the client returned', async () => {
    const world = setup();
    const { dl, sim, item } = world;
    sim.route('POST /slow', () => new Promise(() => undefined));
    const ref = dl.fetchItem('ticket', 1);
    const states = [
      dl.applyDirectives([refreshItem('ticket', 1)]),
      dl.whenSettled(ref),
      dl.whenSettled(),
      dl.prefetchItem('ticket', 2),
      dl.prefetchCollection('tickets'),
      dl.prefetchItem('note', 3),
    ].map(watchPromise);
    const mutation = watchPromise(dl.fetch('/slow', { method: 'POST' }));
    await sim.advance(10);
    expect(new Set(states.map(({ is }) => is))).toEqual(new Set(['pending']));
    dl.dispose();
    await sim.advance(0);
    expect(states.map(({ is }) => is)).toEqual(Array(6).fill('resolved'));
    expect(mutation.is).not.toBe('pending');
    await item.last().answer({ id: 2 });
  });

  it('ends the loading of requests, follow-ups and reads in their window', async () => {
    const { dl, item, sim } = setup();
    dl.fetchItem('ticket', 1);
    dl.fetchItem('ticket', 1, null, { force: true });
    dl.fetchItem('note', 2);
    const refs = [dl.getItemRef('ticket', 1), dl.getItemRef('note', 2)];
    expect(refs.map(({ meta }) => meta.isLoading)).toEqual([true, true]);
    dl.dispose();
    expect(refs.map(({ meta }) => meta.isLoading)).toEqual([false, false]);
    expect(dl.hasAnyInFlightRequests()).toBe(false);
    expect(dl.devtools().bulk.pending).toBe(0);
    await sim.advance(1000);
    expect(item.calls).toHaveLength(1);
  });

  it('clears the timer of a retry', async () => {
    const { dl, sim, item } = setup({ bulk: { retryFailedMs: 1000 } });
    dl.onRefChange(dl.fetchItem('ticket', 1), () => undefined);
    await item.last().answer({ id: 1 });
    void dl.applyDirectives([refreshItem('ticket', 1)]);
    await sim.advance(50);
    await item.last().fail(new Error('down'));
    dl.dispose();
    expect(sim.pendingTimers()).toBe(0);
  });

  it('D-FETCH-5 in a success listener prevents the follow-up and settles its promises', async () => {
    const { dl, sim, item } = setup();
    const ref = dl.fetchItem('ticket', 1);
    dl.fetchItem('ticket', 1, null, { force: true });
    const done = watchPromise(dl.whenSettled(ref));
    dl.onLifecycle('item:fetch:success', () => dl.dispose());
    await item.last().answer({ id: 1 });
    await sim.advance(1000);
    expect(item.calls).toHaveLength(1);
    expect(ref.data).toEqual({ id: 1 });
    expect([done.is, ref.meta.isLoading]).toEqual(['resolved', false]);
    await dl.whenSettled(ref);
  });

  it('a response that arrives afterwards changes no data and notifies no subscriber', async () => {
    const { dl, item, names, events } = setup();
    const ref = dl.fetchItem('ticket', 1);
    let told = 0;
    dl.onChange(() => (told += 1));
    dl.onRefChange(ref, () => (told += 1));
    dl.dispose();
    events.length = 0;
    told = 0;
    await item.last().answer({ id: 1 });
    expect(ref.data).toBeNull();
    expect([told, names()]).toEqual([0, []]);
  });

  it('promises requested afterwards resolve', async () => {
    const { dl, rest } = setup();
    const ref = dl.fetchItem('ticket', 1);
    dl.dispose();
    const states = [
      dl.applyDirectives([refreshItem('ticket', 1)]),
      dl.whenSettled(ref),
      dl.whenSettled(),
      dl.prefetchItem('ticket', 1),
    ].map(watchPromise);
    await rest();
    expect(states.map(({ is }) => is)).toEqual(Array(4).fill('resolved'));
  });
});

describe('dispose in a callback of the application', () => {
  it('in a fetch function cancels the other requests of the same window', async () => {
    const { sim, dl } = createWorld();
    const asked: Id[] = [];
    let isOver = false;
    dl.createType('ticket', {
      fetch: (id) => {
        asked.push(id);
        if (isOver) dl.dispose();
        return { id };
      },
    });
    for (const id of [1, 2, 3]) dl.fetchItem('ticket', id);
    await sim.settled();
    isOver = true;
    void dl.applyDirectives([1, 2, 3].map((id) => refreshItem('ticket', id)));
    await sim.advance(100);
    expect(asked).toEqual([1, 2, 3, 1]);
    expect(dl.hasAnyInFlightRequests()).toBe(false);
    expect(sim.pendingTimers()).toBe(0);
  });

  it('in a fetch function cancels the other items that bulkFetch did not return', async () => {
    const { sim, dl, of } = createWorld();
    const asked: Id[] = [];
    dl.createType('ticket', {
      fetch: (id) => {
        asked.push(id);
        dl.dispose();
        return new Promise(() => {});
      },
      bulkFetch: (ids) => ids.slice(0, 1).map((id) => ({ id })),
    });
    for (const id of [1, 2, 3]) dl.fetchItem('ticket', id);
    await sim.advance(0);
    expect(asked).toEqual([2]);
    expect(of('item:fetch:aborted').map(({ id }) => id)).toEqual([1, 2, 3]);
    expect(dl.hasAnyInFlightRequests()).toBe(false);
    expect(sim.pendingTimers()).toBe(0);
  });

  it('in a listener of a timeout cancels the requests that are due at the same time', async () => {
    const { sim, dl, of } = createWorld();
    dl.createType('ticket', { timeoutMs: 1000, fetch: () => new Promise(() => {}) });
    const failed: unknown[] = [];
    dl.onLifecycle('item:fetch:error', ({ detail }) => {
      failed.push(detail.id);
      dl.dispose();
    });
    for (const id of [1, 2, 3]) dl.fetchItem('ticket', id);
    await sim.advance(2000);
    expect(failed).toEqual([1]);
    expect(of('item:fetch:aborted').map(({ id }) => id)).toEqual([2, 3]);
    expect(dl.hasAnyInFlightRequests()).toBe(false);
    expect(sim.pendingTimers()).toBe(0);
  });

  it('in a listener of a refetch by a page that becomes visible opens no window for the other entries', async () => {
    const { sim, dl } = createWorld({ init: { bulk: { readWindowMs: 10 } } });
    dl.createType('single', { fetch: (id) => ({ id }), stalenessMs: 100 });
    dl.createType('ticket', {
      fetch: (id) => ({ id }),
      bulkFetch: (ids) => ids.map((id) => ({ id })),
      stalenessMs: 100,
    });
    for (const type of ['single', 'ticket']) dl.onRefChange(dl.fetchItem(type, 1), () => {});
    await sim.advance(1000);
    sim.page.setVisible(false);
    dl.onLifecycle('item:fetch:intent', () => dl.dispose());
    sim.page.setVisible(true);
    expect(sim.pendingTimers()).toBe(0);
  });

  it('in getId requests none of the items that bulkFetch did not return', async () => {
    const { sim, dl } = createWorld();
    const asked: Id[] = [];
    dl.createType('ticket', {
      fetch: (id) => {
        asked.push(id);
        return new Promise(() => {});
      },
      bulkFetch: (ids) => ids.slice(1).map((id) => ({ id })),
      getId: (item: { id: Id }) => {
        dl.dispose();
        return item.id;
      },
    });
    for (const id of [1, 2, 3]) dl.fetchItem('ticket', id);
    await sim.advance(0);
    expect(asked).toEqual([]);
    expect(dl.hasAnyInFlightRequests()).toBe(false);
    expect(sim.pendingTimers()).toBe(0);
  });

  it('in a listener of a directive skips the rest of its list', async () => {
    const { sim, dl } = createWorld();
    dl.createType('ticket', { fetch: (id) => ({ id }) });
    dl.onLifecycle('directive:processed', () => dl.dispose());
    await dl.applyDirectives([refreshItem('ticket', 1), { op: 'force_reload_page' }]);
    expect(sim.reloads).toEqual([]);
  });

  it.each(['item:fetch:intent', 'item:fetch:error'] as const)(
    'in a listener of %s leaves no timer and no request in flight',
    async (event) => {
      const { sim, dl } = createWorld({ init: { bulk: { retryFailedMs: 1000 } } });
      let isDown = false;
      dl.createType('ticket', {
        fetch: (id) => (isDown ? Promise.reject(new Error('down')) : { id }),
      });
      dl.onRefChange(dl.fetchItem('ticket', 1), () => {});
      await sim.settled();
      isDown = true;
      dl.onLifecycle(event, () => dl.dispose());
      void dl.applyDirectives([refreshItem('ticket', 1)]);
      await sim.advance(100);
      expect(dl.hasAnyInFlightRequests()).toBe(false);
      expect(sim.pendingTimers()).toBe(0);
    },
  );
});
