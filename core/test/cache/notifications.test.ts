// `onChange` and `onRefChange`: for which changes, how often, and in which order they call back.

import { describe, expect, it } from 'vitest';
import { refreshItem, refreshList } from '../directives.ts';
import { createCachedStage, createStage, untyped } from '../world.ts';

describe('§4.4 onChange calls back', () => {
  it('on any change of state until it is unsubscribed', async () => {
    const { sim, dl, item, list } = createStage();
    let count = 0;
    const stop = dl.onChange(() => (count += 1));
    item('ticket', 7);
    const afterLoading = count;
    expect(afterLoading).toBeGreaterThan(0);
    await sim.advance(100);
    expect(count).toBeGreaterThan(afterLoading);
    stop();
    stop();
    const before = count;
    list('tickets');
    await sim.advance(100);
    expect(count).toBe(before);
  });

  it('when the stream’s status changes, and when entries are evicted', async () => {
    const { sim, dl, hold, item } = createStage({
      init: {
        sse: { enabled: true, connectOnInit: false },
        memory: { itemEntryTtlMs: 1000, pruneIntervalMs: 2000 },
      },
    });
    await hold(
      () => item('ticket', 7),
      () => item('ticket', 8),
    );
    const seen: unknown[] = [];
    dl.onChange(() => {
      const { sse, memory } = dl.state();
      seen.push(`${sse.status}, ${memory.items} items`);
    });
    dl.connectSse();
    await sim.advance(10);
    dl.disconnectSse();
    await sim.advance(2000);
    expect(seen).toEqual(['connecting, 2 items', 'open, 2 items', 'off, 2 items', 'off, 0 items']);
  });

  it('when the retry delay of the stream becomes longer', async () => {
    const { sim, dl } = createStage({ init: { sse: { enabled: true, retryJitter: 0 } } });
    sim.link.cut();
    await sim.advance(100);
    const seen: unknown[] = [];
    dl.onChange(() => {
      const { status, retryInMs } = dl.state().sse;
      seen.push([status, retryInMs]);
    });
    sim.page.setOnline(false);
    await sim.advance(2000);
    sim.page.setOnline(true);
    expect(seen).toEqual([
      ['waiting', 30_000],
      ['connecting', null],
    ]);
  });

  it('after the onRefChange callbacks, even when one of them reads an entry', async () => {
    const { sim, dl, hold, item } = createStage();
    await hold(
      () => item('ticket', 7),
      () => item('ticket', 8),
      () => item('ticket', 9),
    );
    const told: string[] = [];
    for (const id of [7, 8]) {
      dl.onRefChange(dl.getItemRef('ticket', id), () => {
        told.push(`watcher ${id}`);
        item('ticket', 9);
      });
    }
    dl.onChange(() => told.push('any'));
    void dl.applyDirectives([7, 8].map((id) => refreshItem('ticket', id)));
    expect(told.splice(0)).toEqual(['watcher 7', 'watcher 8', 'any']); // `isStale`
    await sim.advance(50);
    expect(told).toEqual(['watcher 7', 'watcher 8', 'any']); // `isLoading`
  });
});

describe('§4.4 onRefChange', () => {
  it('calls back only for that reference', async () => {
    const { sim, dl, hold, item, list } = createStage();
    await hold(
      () => item('ticket', 7),
      () => item('ticket', 8),
      () => list('tickets'),
    );
    const told: string[] = [];
    dl.onRefChange(item('ticket', 7), () => told.push('7'));
    dl.onRefChange(list('tickets'), () => told.push('list'));
    void dl.applyDirectives([refreshItem('ticket', 8, { result: { id: 8 } })]);
    await sim.advance(0);
    expect(told).toEqual([]);
    void dl.applyDirectives([refreshItem('ticket', 7, { result: { id: 70 } })]);
    expect(told).toEqual(['7']);
    void dl.applyDirectives([refreshList('tickets', { result: { ids: [9] } })]);
    expect(told).toEqual(['7', 'list']);
  });

  it('calls back once for a batch, synchronously, after every entry is updated', async () => {
    const { dl, item, list } = await createCachedStage();
    const seen: unknown[] = [];
    const ref = item('ticket', 7);
    const listRef = list('tickets');
    dl.onRefChange(ref, () => seen.push([ref.data, listRef.data.ids]));
    dl.onRefChange(listRef, () => seen.push([ref.data, listRef.data.ids]));
    let changes = 0;
    dl.onChange(() => (changes += 1));
    void dl.applyDirectives([
      refreshItem('ticket', 7, { result: { v: 1 } }),
      refreshItem('ticket', 7, { result: { v: 2 } }),
      refreshList('tickets', { result: { ids: [9] } }),
    ]);
    expect(seen).toEqual([
      [{ v: 2 }, [9]],
      [{ v: 2 }, [9]],
    ]);
    expect(changes).toBe(1);
  });

  it('calls the other callbacks when one throws, and logs its error', async () => {
    const { sim, dl, hold, item } = createStage();
    await hold(() => item('ticket', 7));
    let count = 0;
    dl.onRefChange(item('ticket', 7), () => {
      throw new Error('broken listener');
    });
    dl.onRefChange(item('ticket', 7), () => (count += 1));
    void dl.applyDirectives([refreshItem('ticket', 7, { result: { id: 70 } })]);
    expect(count).toBe(1);
    expect(sim.log.map(({ level }) => level)).toEqual(['error']);
  });

  it('is not called when an entry ages or is read: lastUsedAt and isStale are computed on access', async () => {
    const { sim, dl, hold, item } = createStage();
    await hold(() => item('ticket', 7));
    const ref = dl.getItemRef('ticket', 7);
    let told = 0;
    dl.onRefChange(ref, () => (told += 1));
    dl.onChange(() => (told += 1));
    const before = ref.meta.lastUsedAt;
    await sim.advance(20_000);
    expect(ref.meta.isStale).toBe(true);
    void dl.applyDirectives([{ op: 'invalidate', name: 'ticket', id: 99 }]);
    item('ticket', 8);
    expect(told).toBe(1); // From onChange, when another item starts to load.
    dl.fetchItem('ticket', 7, null, { silent: true });
    expect(Date.parse(ref.meta.lastUsedAt)).toBeGreaterThan(Date.parse(before));
    expect(told).toBe(1);
  });

  it('D-NAME-3 accepts only references of its own data layer, as whenSettled does', async () => {
    const one = createStage();
    const two = createStage({ sim: one.sim });
    const own = [one.item('ticket', 1), one.list('tickets')];
    for (const ref of own) expect(() => one.dl.onRefChange(ref, () => undefined)).not.toThrow();
    for (const ref of [...own, {}, null]) {
      expect(() => two.dl.onRefChange(untyped(ref), () => undefined)).toThrow(TypeError);
      expect(() => two.dl.whenSettled(untyped(ref))).toThrow(TypeError);
    }
    await one.sim.settled();
  });
});
