// Which payload wins when responses, inline results, and results of mutations overlap.

import { describe, expect, it } from 'vitest';
import { refreshItem } from '../directives.ts';
import { createWorld } from '../world.ts';
import { kinds, setup, type Setup } from './kinds.ts';

describe.each(kinds)(
  'D-FETCH-3 latest wins ($kind)',
  ({ kind, calls, read, good, shown, refresh, inline, named }) => {
    it('an inline result supersedes the request in flight', async () => {
      const world = setup();
      const ref = read(world);
      void world.dl.applyDirectives([inline(5)]);
      expect(ref.data).toEqual(shown(5));
      world.events.length = 0;
      await calls(world).at(0).answer(good(1));
      expect(ref.data).toEqual(shown(5));
      expect(ref.meta).toMatchObject({ isStale: false, isLoading: false, error: null });
      const { qid } = calls(world).at(0).ctx;
      expect(world.of(`${kind}:fetch:aborted`)).toEqual([{ ...named, qid, reason: 'superseded' }]);
      expect(world.names(/fetch/)).toEqual([`${kind}:fetch:aborted`, `${kind}:fetch:complete`]);
      await world.sim.advance(1000);
      expect(calls(world).calls).toHaveLength(1);
    });

    it('a failure of a superseded request is not reported', async () => {
      const world = setup();
      const ref = read(world);
      void world.dl.applyDirectives([inline(5)]);
      await calls(world).at(0).fail(new Error('late'));
      expect(ref.data).toEqual(shown(5));
      expect(ref.meta).toMatchObject({ isStale: false, isLoading: false, error: null });
    });

    it('the last of two inline results wins', () => {
      const world = setup();
      const ref = read(world);
      void world.dl.applyDirectives([inline(5), inline(6)]);
      expect(ref.data).toEqual(shown(6));
    });

    it('the response of a request sent after the result replaces it', async () => {
      const world = setup();
      const ref = read(world);
      await calls(world).at(0).answer(good(1));
      void world.dl.applyDirectives([inline(5)]);
      read(world, { force: true });
      await calls(world).at(1).answer(good(6));
      expect(ref.data).toEqual(shown(6));
    });

    it('a directive after the result marks it stale and refetches it', async () => {
      const world = setup();
      const ref = read(world);
      void world.dl.applyDirectives([inline(5), refresh]);
      expect(ref.data).toEqual(shown(5));
      expect(ref.meta.isStale).toBe(true);
      await calls(world).at(0).answer(good(1));
      expect(ref.data).toEqual(shown(5));
      await world.sim.advance(50);
      await calls(world).at(1).answer(good(6));
      expect(ref.data).toEqual(shown(6));
      expect(ref.meta.isStale).toBe(false);
    });

    it('a result after a directive in the same list cancels its refetch', async () => {
      const world = setup();
      const ref = read(world);
      await calls(world).at(0).answer(good(1));
      void world.dl.applyDirectives([refresh, inline(5)]);
      await world.sim.advance(1000);
      expect(calls(world).calls).toHaveLength(1);
      expect(ref.data).toEqual(shown(5));
      expect(ref.meta.isStale).toBe(false);
    });

    it('a result cancels the follow-up of an earlier directive but not one of force: true', async () => {
      for (const force of [false, true]) {
        const world = setup();
        const ref = read(world);
        void world.dl.applyDirectives([refresh]);
        await world.sim.advance(50);
        if (force) read(world, { force });
        void world.dl.applyDirectives([inline(5)]);
        await calls(world).at(0).answer(good(1));
        expect(ref.data).toEqual(shown(5));
        expect(calls(world).calls).toHaveLength(force ? 2 : 1);
        expect(ref.meta.isLoading).toBe(force);
      }
    });

    /** A mutation that takes 100 ms and responds with an inline result of version 5. */
    function mutation(world: Setup): Promise<Response> {
      world.sim.route('POST /change', async () => {
        await world.sim.sleep(100);
        return { directives: [inline(5)] };
      });
      return world.dl.fetch('/change', { method: 'POST' });
    }

    it('a result of DL.fetch replaces data that was requested before the mutation was sent', async () => {
      const world = setup();
      const ref = read(world);
      await calls(world).at(0).answer(good(1));
      await world.sim.advance(1);
      void mutation(world);
      await world.sim.advance(100);
      expect(ref.data).toEqual(shown(5));
      expect(world.of('directive:skipped')).toEqual([]);
      await world.sim.advance(1000);
      expect(calls(world).calls).toHaveLength(1);
    });

    it('a result of DL.fetch supersedes a request that was sent before the mutation', async () => {
      const world = setup();
      const ref = read(world);
      await world.sim.advance(1);
      void mutation(world);
      await world.sim.advance(100);
      expect(ref.data).toEqual(shown(5));
      await calls(world).at(0).answer(good(1));
      expect(ref.data).toEqual(shown(5));
    });

    it('a result of DL.fetch acts as a plain refresh while a request sent after the mutation is in flight', async () => {
      const world = setup();
      const ref = read(world);
      await calls(world).at(0).answer(good(1));
      void mutation(world);
      await world.sim.advance(50);
      read(world, { force: true });
      await world.sim.advance(100);
      expect(ref.data).toEqual(shown(1));
      // The server may have read the record before it committed the mutation, so a follow-up is queued.
      await calls(world).at(1).answer(good(1));
      await calls(world).at(2).answer(good(5));
      expect(ref.data).toEqual(shown(5));
      expect(ref.meta).toMatchObject({ isLoading: false, isStale: false });
    });

    it('a result of DL.fetch is skipped as outdated if the cached data was requested after the mutation was sent', async () => {
      const world = setup();
      const ref = read(world);
      await calls(world).at(0).answer(good(1));
      void mutation(world);
      await world.sim.advance(50);
      read(world, { force: true });
      await calls(world).at(1).answer(good(6));
      await world.sim.advance(50);
      expect(ref.data).toEqual(shown(6));
      expect(world.of('directive:skipped').map(({ reason }) => reason)).toEqual(['outdated']);
      expect(ref.meta.isStale).toBe(true);
      await world.sim.advance(50);
      expect(calls(world).calls).toHaveLength(3);
      await calls(world).at(2).answer(good(7));
      expect(ref.data).toEqual(shown(7));
      expect(ref.meta.isStale).toBe(false);
    });
  },
);

describe('D-FETCH-3 a request that a result superseded', () => {
  it('is followed by another request if the result was stale when it was read', async () => {
    const { dl, sim, item } = setup();
    const ref = dl.fetchItem('ticket', 1);
    void dl.applyDirectives([refreshItem('ticket', 1, { result: { id: 1, version: 1 } })]);
    await sim.advance(15_000);
    dl.fetchItem('ticket', 1);
    await item.at(0).answer({ id: 1, version: 0 });
    expect(item.calls).toHaveLength(2);
    await item.at(1).answer({ id: 1, version: 2 });
    expect(ref.data).toEqual({ id: 1, version: 2 });
  });
});

describe('D-FETCH-3 levels', () => {
  function levels() {
    const world = createWorld();
    const brief = world.held();
    const full = world.held();
    world.dl.createType('doc', {
      fetch: () => 'of the default level',
      levelConversionMap: { full: ['brief'] },
      levels: { brief: { fetch: brief.fetch }, full: { fetch: full.fetch } },
    });
    return { ...world, brief, full };
  }

  it('a result supersedes a request only for the levels that it covers', async () => {
    const { dl, full, brief, sim } = levels();
    const ref = dl.fetchItem('doc', 1, 'full');
    dl.fetchItem('doc', 1, 'brief');
    void dl.applyDirectives([refreshItem('doc', 1, { level: 'brief', result: { title: 'inline' } })]);
    await full.at(0).answer({ title: 'asked before', body: 'b' });
    expect(ref.data).toEqual({ title: 'inline', body: 'b' });
    expect(ref.meta.levelStamps).toMatchObject({ brief: expect.any(String), full: expect.any(String) });
    // The level that the result does not cover is refetched (D-DIR-8).
    await sim.advance(50);
    expect([brief.calls.length, full.calls.length]).toEqual([0, 2]);
    await full.at(1).answer({ title: 'asked after', body: 'c' });
    expect(ref.data).toEqual({ title: 'asked after', body: 'c' });
    expect(ref.meta).toMatchObject({ isLoading: false, isStale: false });
  });

  it('a result of a level also supersedes older requests of the levels it converts to', async () => {
    const { dl, full, brief } = levels();
    const ref = dl.fetchItem('doc', 1, 'brief');
    dl.fetchItem('doc', 1, 'full');
    expect([brief.calls.length, full.calls.length]).toEqual([1, 1]);
    void dl.applyDirectives([
      refreshItem('doc', 1, { level: 'full', result: { title: 'inline', body: 'i' } }),
    ]);
    await brief.at(0).answer({ title: 'old' });
    await full.at(0).answer({ title: 'old', body: 'old' });
    expect(ref.data).toEqual({ title: 'inline', body: 'i' });
  });

  it.each([['the older one first'], ['the newer one first']])(
    'the response that was requested later wins, %s',
    async (order) => {
      const { dl, full, brief } = levels();
      const ref = dl.fetchItem('doc', 1, 'full');
      dl.fetchItem('doc', 1, 'brief', { force: true });
      expect([brief.calls.length, full.calls.length]).toEqual([1, 1]);
      const answers = [
        () => full.at(0).answer({ title: 'older', body: 'b' }),
        () => brief.at(0).answer({ title: 'newer' }),
      ];
      for (const answer of order === 'the older one first' ? answers : answers.toReversed()) await answer();
      expect(ref.data).toEqual({ title: 'newer', body: 'b' });
    },
  );

  it('a read sends no request while the request that a result superseded is in flight', async () => {
    const { dl, sim, full, brief } = levels();
    const ref = dl.fetchItem('doc', 1, 'brief');
    void dl.applyDirectives([refreshItem('doc', 1, { level: 'full', result: { title: 'inline' } })]);
    dl.fetchItem('doc', 1, 'brief');
    void dl.applyDirectives([refreshItem('doc', 1)]);
    await sim.advance(50);
    await brief.at(0).answer({ title: 'old' });
    await full.at(0).answer({ title: 'new' });
    await sim.advance(1000);
    expect([brief.calls.length, full.calls.length]).toEqual([1, 1]);
    expect(ref.data).toEqual({ title: 'new' });
  });

  it('a response that is older than the cached data notifies no subscriber', async () => {
    const { dl, full, brief } = levels();
    const ref = dl.fetchItem('doc', 1, 'brief', { silent: true });
    dl.fetchItem('doc', 1, 'full');
    await full.last().answer({ title: 'newer' });
    const { meta } = ref;
    let told = 0;
    dl.onRefChange(ref, () => (told += 1));
    await brief.last().answer({ title: 'older' });
    expect(ref.data).toEqual({ title: 'newer' });
    expect([told, ref.meta === meta]).toEqual([0, true]);
  });

  it('a result of a mutation does not make a level fresh that was not cached when a newer result of another level arrived', async () => {
    const { dl, sim, brief } = levels();
    sim.route('PATCH /doc', async () => {
      await sim.sleep(20);
      return { directives: [refreshItem('doc', 1, { level: 'brief', result: { title: 'after' } })] };
    });
    const ref = dl.getItemRef('doc', 1);
    const mutation = dl.fetch('/doc', { method: 'PATCH' });
    await sim.advance(5);
    void dl.applyDirectives([refreshItem('doc', 1, { result: 'newer, of the default level' })]);
    await Promise.all([mutation, sim.advance(100)]);
    expect(brief.calls).toHaveLength(1);
    await brief.at(0).answer({ title: 'newer' });
    expect(ref.meta.isStale).toBe(false);
    expect(ref.data).toEqual({ title: 'newer' });
  });
});
