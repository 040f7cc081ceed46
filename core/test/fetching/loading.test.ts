// When an entry shows as loading, and when a silent request does not.

import { describe, expect, it } from 'vitest';
import { announce, kinds, resync, setup, type ReadOptions, type Setup } from './kinds.ts';

const silent: ReadOptions = { silent: true };
const force: ReadOptions = { force: true };
const silentForce: ReadOptions = { silent: true, force: true };

describe.each(kinds)('D-FETCH-5 loading ($kind)', ({ calls, read, isLoading, good, refresh }) => {
  it('is true exactly while a request is in flight', async () => {
    const world = setup();
    const ref = read(world);
    expect([ref.meta.isLoading, isLoading(world), world.dl.hasAnyInFlightRequests()]).toEqual([
      true,
      true,
      true,
    ]);
    await calls(world).last().answer(good(1));
    expect([ref.meta.isLoading, isLoading(world), world.dl.hasAnyInFlightRequests()]).toEqual([
      false,
      false,
      false,
    ]);
    read(world);
    expect(ref.meta.isLoading).toBe(false);
  });

  it('is false in meta for a silent request, but true in isItemLoading and isCollectionLoading', async () => {
    const world = setup();
    const ref = read(world, { silent: true });
    expect([ref.meta.isLoading, isLoading(world), world.dl.hasAnyInFlightRequests()]).toEqual([
      false,
      true,
      true,
    ]);
    await calls(world).last().answer(good(1));
    expect([ref.meta.isLoading, isLoading(world)]).toEqual([false, false]);
  });

  it('a read that joins a silent request makes it visible', async () => {
    const world = setup();
    const ref = read(world, { silent: true });
    let told = 0;
    world.dl.onRefChange(ref, () => (told += 1));
    read(world, { silent: true });
    expect([ref.meta.isLoading, told]).toEqual([false, 0]);
    read(world);
    expect([ref.meta.isLoading, told]).toEqual([true, 1]);
    await calls(world).last().answer(good(1));
    expect(ref.meta.isLoading).toBe(false);
  });

  it('a silent read that joins a visible request leaves it visible', () => {
    const world = setup();
    const ref = read(world);
    read(world, { silent: true });
    expect(ref.meta.isLoading).toBe(true);
  });

  it('a silent request that fails is reported', async () => {
    const world = setup();
    const ref = read(world, { silent: true });
    await calls(world).last().fail(new Error('down'));
    expect(ref.meta).toMatchObject({ error: 'down', isLoading: false });
  });

  it('D-DIR-5 a directive that waits in its window is not loading, but a read makes it loading until the refetch settles', async () => {
    const world = setup();
    const ref = read(world);
    await calls(world).last().answer(good(1));
    void world.dl.applyDirectives([refresh, refresh]);
    expect(ref.meta.isLoading).toBe(false);
    await world.sim.advance(10);
    read(world);
    expect(ref.meta.isLoading).toBe(true);
    expect(calls(world).calls).toHaveLength(1);
    await world.sim.advance(40);
    expect(calls(world).calls).toHaveLength(2);
    expect(ref.meta.isLoading).toBe(true);
    await calls(world).last().answer(good(2));
    expect(ref.meta.isLoading).toBe(false);
    expect(calls(world).calls).toHaveLength(2);
  });
});

/** Reads of one entry, and whether its follow-up shows as loading after the first request has ended. */
const followUps: [
  title: string,
  reads: readonly ReadOptions[],
  end: 'succeeds' | 'fails',
  isVisible: boolean,
][] = [
  ['stays silent if its triggers were silent', [silent, silentForce, silentForce], 'succeeds', false],
  ['is visible if its first trigger was visible', [silent, force, silentForce], 'succeeds', true],
  ['is visible if its last trigger was visible', [silent, silentForce, force], 'succeeds', true],
  ['stays silent after a visible request', [{}, silentForce], 'succeeds', false],
  ['is visible after a visible request', [{}, silentForce], 'fails', true],
  ['is visible after a silent request that a visible read joined', [silent, silentForce, {}], 'fails', true],
];

describe.each(kinds)(
  'D-FETCH-2 D-FETCH-5 loading of a follow-up ($kind)',
  ({ calls, read, isLoading, good, refresh }) => {
    it.each(followUps)('%s: %j, of which the first request %s', async (_, reads, end, isVisible) => {
      const world = setup();
      const ref = read(world, reads[0]);
      for (const options of reads.slice(1)) read(world, options);
      expect(ref.meta.isLoading).toBe(reads.some((options) => options.silent !== true));
      if (end === 'fails') await calls(world).at(0).fail(new Error('down'));
      else await calls(world).at(0).answer(good(1));
      expect(calls(world).calls).toHaveLength(2);
      expect(ref.meta).toMatchObject({ error: null, isLoading: isVisible });
      expect(isLoading(world)).toBe(true);
      await calls(world).at(1).answer(good(2));
      expect(ref.meta).toMatchObject({ error: null, isStale: false, isLoading: false });
    });

    it.each<[string, (world: Setup) => Promise<void>]>([
      ['a directive', (world) => announce(world, refresh)],
      ['a resync', (world) => resync(world, read(world, silent))],
    ])('a silent follow-up is visible after %s', async (_, trigger) => {
      const world = setup();
      const ref = read(world, silent);
      read(world, silentForce);
      await trigger(world);
      await calls(world).at(0).answer(good(1));
      expect(ref.meta.isLoading).toBe(true);
    });

    it('a directive makes it visible as soon as it is queued behind a silent request', async () => {
      const world = setup();
      const ref = read(world, silent);
      void world.dl.applyDirectives([refresh]);
      await world.sim.advance(49);
      expect(ref.meta.isLoading).toBe(false);
      await world.sim.advance(1);
      expect(calls(world).calls).toHaveLength(1);
      expect(ref.meta.isLoading).toBe(true);
      await calls(world).at(0).answer(good(1));
      expect(ref.meta.isLoading).toBe(true);
      await calls(world).at(1).answer(good(2));
      expect(ref.meta.isLoading).toBe(false);
    });

    it('a refetch by a directive is visible even if the read was silent', async () => {
      const world = setup();
      const ref = read(world, silent);
      await calls(world).at(0).answer(good(1));
      void world.dl.applyDirectives([refresh]);
      await world.sim.advance(50);
      expect(ref.meta.isLoading).toBe(true);
    });
  },
);

describe('D-FETCH-5 loading of an item', () => {
  it('is true while a request of any level is in flight', async () => {
    const { dl, item, full } = setup();
    const ref = dl.fetchItem('ticket', 1);
    dl.fetchItem('ticket', 1, 'full');
    await item.last().answer({ id: 1 });
    expect(ref.meta.isLoading).toBe(true);
    await full.last().fail(new Error('x'));
    expect(ref.meta.isLoading).toBe(false);
  });
});

describe.each(kinds)(
  'D-FETCH-3 D-FETCH-5 loading of a request that an inline result superseded ($kind)',
  ({ calls, read, isLoading, good, shown, refresh, inline }) => {
    it.each(['succeeds', 'fails'])('ends when it %s, even while a window is open', async (end) => {
      const world = setup();
      const ref = read(world);
      void world.dl.applyDirectives([refresh, inline(2)]);
      expect(ref.meta.isLoading).toBe(true);
      await world.sim.advance(10);
      if (end === 'fails') await calls(world).at(0).fail(new Error('refused'));
      else await calls(world).at(0).answer(good(1));
      expect(ref.data).toEqual(shown(2));
      expect(ref.meta.isLoading).toBe(false);
      expect(isLoading(world)).toBe(false);
    });
  },
);
