// Requests that are repeated because a directive, a resync, or a forced read arrived while they were in flight.

import { describe, expect, it } from 'vitest';
import { missOne, refreshItem } from '../directives.ts';
import { createWorld } from '../world.ts';
import { announce, kinds, resync, setup, type Setup } from './kinds.ts';

describe.each(kinds)(
  'D-FETCH-2 a forcing trigger while a request is in flight ($kind)',
  ({ kind, calls, read, isLoading, good, shown, refresh, inline, named }) => {
    const triggers: [string, (world: Setup) => Promise<void>][] = [
      ['force: true', async (world) => void read(world, { force: true })],
      ['a directive', (world) => announce(world, refresh)],
      ['a resync', (world) => resync(world, read(world))],
      [
        'all of them, several times',
        async (world) => {
          world.dl.onRefChange(read(world), () => undefined);
          for (let times = 0; times < 3; times += 1) {
            read(world, { force: true });
            void world.dl.applyDirectives([refresh, refresh]);
            await world.sim.advance(70);
          }
          missOne(world.dl);
          await world.sim.advance(3500);
          read(world, { force: true });
        },
      ],
    ];

    it.each(triggers)(
      '%s queues exactly one forced follow-up, which starts when the first request settles',
      async (_, trigger) => {
        const world = setup();
        read(world);
        await trigger(world);
        await world.sim.advance(123);
        expect(calls(world).calls).toHaveLength(1);
        await calls(world).at(0).answer(good(1));
        expect(calls(world).calls).toHaveLength(2);
        expect(calls(world).at(1).at).toBe(world.sim.now());
        expect(calls(world).at(1).ctx.force).toBe(true);
        await calls(world).at(1).answer(good(2));
        await world.sim.advance(10_000);
        expect(calls(world).calls).toHaveLength(2);
      },
    );

    it.each(triggers)('%s queues exactly one follow-up on a later load', async (_, trigger) => {
      const world = setup();
      read(world);
      await calls(world).at(0).answer(good(1));
      read(world, { force: true });
      await trigger(world);
      await calls(world).at(1).answer(good(2));
      await calls(world).at(2).answer(good(3));
      await world.sim.advance(10_000);
      expect(calls(world).calls).toHaveLength(3);
    });

    it.each(triggers)(
      '%s: the first response is shown as stale and loading until the follow-up settles',
      async (_, trigger) => {
        const world = setup();
        const ref = read(world);
        await trigger(world);
        const seen: boolean[] = [];
        world.dl.onChange(() => seen.push(ref.meta.isLoading));
        await calls(world).at(0).answer(good(1));
        expect(ref.data).toEqual(shown(1));
        expect(ref.meta).toMatchObject({ isStale: true, isLoading: true, error: null });
        expect(isLoading(world)).toBe(true);
        await calls(world).at(1).answer(good(2));
        expect(ref.data).toEqual(shown(2));
        expect(ref.meta).toMatchObject({ isStale: false, isLoading: false, error: null });
        expect(isLoading(world)).toBe(false);
        expect(seen.length).toBeGreaterThan(1);
        expect(seen.slice(0, -1)).not.toContain(false);
        expect(seen.at(-1)).toBe(false);
      },
    );

    it.each(triggers)(
      '%s: a failure of the first request is not reported as an error but as aborted (superseded)',
      async (_, trigger) => {
        const world = setup();
        const ref = read(world);
        await trigger(world);
        world.events.length = 0;
        await calls(world).at(0).fail(new Error('first'));
        expect(ref.meta).toMatchObject({ error: null, isLoading: true });
        const { qid } = calls(world).at(0).ctx;
        expect(world.of(`${kind}:fetch:aborted`)).toEqual([{ ...named, qid, reason: 'superseded' }]);
        expect(world.names(/fetch/)).toEqual([
          `${kind}:fetch:aborted`,
          `${kind}:fetch:complete`,
          `${kind}:fetch:intent`,
        ]);
        await calls(world).at(1).answer(good(2));
        expect(ref.data).toEqual(shown(2));
        expect(ref.meta).toMatchObject({ error: null, isLoading: false, isStale: false });
      },
    );

    it('a failure of the follow-up is reported', async () => {
      const world = setup();
      const ref = read(world);
      read(world, { force: true });
      await calls(world).at(0).fail(new Error('first'));
      await calls(world).at(1).fail(new Error('second'));
      expect(ref.meta).toMatchObject({ error: 'second', isLoading: false });
      expect(world.of(`${kind}:fetch:error`)).toHaveLength(1);
    });

    it('a trigger while the follow-up is in flight queues another follow-up', async () => {
      const world = setup();
      read(world);
      read(world, { force: true });
      await calls(world).at(0).answer(good(1));
      read(world, { force: true });
      read(world, { force: true });
      await calls(world).at(1).answer(good(2));
      await calls(world).at(2).answer(good(3));
      expect(calls(world).calls).toHaveLength(3);
    });

    it('a read in a listener of the first request joins the follow-up', async () => {
      const world = setup();
      const ref = read(world);
      read(world, { force: true });
      world.dl.onLifecycle(`${kind}:fetch:complete`, () => void read(world));
      await calls(world).at(0).answer(good(1));
      await calls(world).at(1).answer(good(2));
      await world.sim.advance(1000);
      expect(calls(world).calls).toHaveLength(2);
      expect(ref.data).toEqual(shown(2));
      expect(world.sim.log).toEqual([]);
    });

    it('a response that arrives while a directive waits in its window is shown as stale, and refetched when the window closes', async () => {
      const world = setup();
      const ref = read(world);
      void world.dl.applyDirectives([refresh]);
      await world.sim.advance(20);
      await calls(world).at(0).answer(good(1));
      expect(ref.data).toEqual(shown(1));
      expect(ref.meta).toMatchObject({ isStale: true, isLoading: false });
      await world.sim.advance(29);
      expect(calls(world).calls).toHaveLength(1);
      await world.sim.advance(1);
      expect(calls(world).calls).toHaveLength(2);
      await calls(world).at(1).answer(good(2));
      expect(ref.meta).toMatchObject({ isStale: false, isLoading: false });
    });

    it('a forced read after the directive and within its window makes the refetch unnecessary', async () => {
      const world = setup();
      const ref = read(world);
      await calls(world).at(0).answer(good(1));
      void world.dl.applyDirectives([refresh]);
      await world.sim.advance(20);
      read(world, { force: true });
      await world.sim.advance(30);
      expect(calls(world).calls).toHaveLength(2);
      await calls(world).at(1).answer(good(2));
      await world.sim.advance(1000);
      expect(calls(world).calls).toHaveLength(2);
      expect(ref.meta.isStale).toBe(false);
    });

    it('a follow-up that both force: true and a directive triggered survives an inline result', async () => {
      const world = setup();
      const ref = read(world);
      read(world, { force: true });
      void world.dl.applyDirectives([refresh]);
      await world.sim.advance(50);
      void world.dl.applyDirectives([inline(5)]);
      await calls(world).at(0).answer(good(1));
      expect(calls(world).calls).toHaveLength(2);
      await calls(world).at(1).answer(good(6));
      expect(ref.data).toEqual(shown(6));
    });

    it.each([
      ['a read', {}],
      ['a forced read', { force: true }],
    ])(
      'D-DIR-5 %s that joins a request and a directive window starts no request before the window closes',
      async (_, options) => {
        const world = setup();
        read(world);
        void world.dl.applyDirectives([refresh]);
        await world.sim.advance(20);
        read(world, options);
        await calls(world).at(0).answer(good(1));
        expect(calls(world).calls).toHaveLength(1);
        await world.sim.advance(30);
        expect(calls(world).calls).toHaveLength(2);
        await calls(world).at(1).answer(good(2));
        await world.sim.advance(1000);
        expect(calls(world).calls).toHaveLength(2);
      },
    );

    it.each([
      ['a failure is not reported while a directive waits in its window, and the entry stays loading', false],
      [
        'a failure of a silent request is not reported while a directive waits in its window, and the entry is not loading',
        true,
      ],
    ])('%s', async (_, silent) => {
      const world = setup();
      const ref = read(world, { silent });
      void world.dl.applyDirectives([refresh]);
      await world.sim.advance(20);
      await calls(world).at(0).fail(new Error('down'));
      expect(world.names(/error|aborted/)).toEqual([`${kind}:fetch:aborted`]);
      expect(ref.meta).toMatchObject({ error: null, isLoading: !silent });
      expect(isLoading(world)).toBe(!silent);
      expect(calls(world).calls).toHaveLength(1);
      await world.sim.advance(30);
      expect(calls(world).calls).toHaveLength(2);
      await calls(world).at(1).answer(good(2));
      expect(ref.meta).toMatchObject({ error: null, isLoading: false, isStale: false });
    });

    it.each([
      ['a read', 'a follow-up', false],
      ['a silent read', 'a silent follow-up', true],
    ])(
      '%s of an entry that was invalidated while its request was in flight queues %s',
      async (_read, _what, silent) => {
        const world = setup();
        const ref = read(world, { silent });
        void world.dl.applyDirectives([{ ...refresh, op: 'invalidate', kind }]);
        await world.sim.advance(50);
        read(world, { silent });
        await calls(world).at(0).answer(good(1));
        expect(ref.meta).toMatchObject({ isStale: true, isLoading: !silent });
        expect(calls(world).calls).toHaveLength(2);
        await calls(world).at(1).answer(good(2));
        expect(ref.meta).toMatchObject({ isStale: false, isLoading: false });
      },
    );

    it('a steady stream of directives does not keep the data from updating', async () => {
      const world = createWorld();
      const { dl, sim } = world;
      let version = 0;
      let requests = 0;
      const serve = async (): Promise<never> => {
        requests += 1;
        await sim.sleep(60);
        const answer = good(version);
        await sim.sleep(60);
        return answer as never; // The data that the fetch function of this kind returns.
      };
      dl.createType('ticket', { fetch: serve });
      dl.createCollection('tickets', { fetch: serve });
      const ref = kind === 'item' ? dl.fetchItem('ticket', 1) : dl.fetchCollection('tickets');
      const seen = new Set<unknown>();
      dl.onRefChange(ref, () => seen.add(JSON.stringify(ref.data)));
      for (let times = 0; times < 60; times += 1) {
        version += 1;
        void dl.applyDirectives([refresh]);
        await sim.advance(50);
      }
      await sim.advance(1000);
      expect(seen.size).toBeGreaterThanOrEqual(20);
      expect(requests).toBeLessThanOrEqual(30);
      expect(world.names(/aborted|error/)).toEqual([]);
      expect(ref.data).toEqual(shown(60));
      expect(ref.meta).toMatchObject({ isStale: false, isLoading: false });
    });
  },
);

describe('D-FETCH-2 a follow-up', () => {
  it('that starts while a directive waits in its window counts as its refetch', async () => {
    const { dl, sim, item } = setup();
    const ref = dl.fetchItem('ticket', 1);
    dl.fetchItem('ticket', 1, null, { force: true });
    void dl.applyDirectives([refreshItem('ticket', 1)]);
    await item.at(0).answer({ id: 1, version: 1 });
    await sim.advance(50);
    await item.at(1).answer({ id: 1, version: 2 });
    expect(item.calls).toHaveLength(2);
    expect(ref.meta).toMatchObject({ isStale: false, isLoading: false });
  });

  it('that starts while a directive waits in its window and fails is not refetched for the directive', async () => {
    const { dl, sim, item } = setup();
    const ref = dl.fetchItem('ticket', 1);
    dl.fetchItem('ticket', 1, null, { force: true });
    void dl.applyDirectives([refreshItem('ticket', 1)]);
    await item.at(0).answer({ id: 1, version: 1 });
    await item.at(1).fail(new Error('down'));
    expect(ref.meta).toMatchObject({ error: 'down', isLoading: false });
    await sim.advance(50);
    expect(item.calls).toHaveLength(2);
  });
});
