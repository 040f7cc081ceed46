// What a leading tab replays to a tab that opens late.

import { hydrate } from '@edict/core/hydration';
import { describe, expect, it } from 'vitest';
import { createWorld, type Shown, type World } from './setup.ts';

/** How a tab continued: how many messages were replayed to it, and whether it has to resync. */
interface Continued {
  missed: number;
  isResynced: boolean;
}

const hydrateCursor = ({ dl }: Shown, seq: number): void =>
  hydrate(dl, { v: 1, items: [], collections: [], cursors: [{ audience: 'global', seq }] });

/** A leader that knows the number of a message `behind` messages ago when it connects. */
async function lead(behind = 0): Promise<{ world: World; leader: Shown; first: number }> {
  const world = createWorld();
  for (let count = 0; count < 3; count++) world.change();
  const { seq: first } = world.sim.hub.cursor();
  const leader = world.open();
  hydrateCursor(leader, first - behind);
  await world.sim.advance(5000);
  expect(leader.role()).toBe('leader');
  return { world, leader, first };
}

async function change(world: World, count = 1): Promise<void> {
  for (let times = 0; times < count; times++) world.change();
  await world.sim.advance(1000);
}

async function continued(world: World, tab: Shown): Promise<Continued> {
  await world.sim.advance(10_000);
  expect(tab.role()).toBe('follower');
  return {
    missed: tab.events.filter((event) => event === 'directive:received').length,
    isResynced: tab.events.includes('sse:gap'),
  };
}

/** Opens a tab whose last number is this one. */
function openAt(world: World, lastSeq: number): Promise<Continued> {
  const tab = world.open();
  hydrateCursor(tab, lastSeq);
  return continued(world, tab);
}

describe('the replay of a leader', () => {
  it.for<[behind: number, last: number, expected: Continued]>([
    [0, -1, { missed: 0, isResynced: true }],
    [0, 0, { missed: 2, isResynced: false }],
    [0, 1, { missed: 1, isResynced: false }],
    [0, 2, { missed: 0, isResynced: false }],
    [0, 3, { missed: 0, isResynced: true }],
    // What the hub replayed to the leader, the leader can replay.
    [2, -3, { missed: 0, isResynced: true }],
    [2, -2, { missed: 4, isResynced: false }],
    [2, 0, { missed: 2, isResynced: false }],
  ])(
    'of a leader that connected %i messages behind, after two more, for a tab at %i',
    async ([behind, last, expected]) => {
      const { world, first } = await lead(behind);
      await change(world, 2);
      expect(await openAt(world, first + last)).toEqual(expected);
    },
  );

  it.for<[age: 'older' | 'younger', expected: Continued]>([
    ['older', { missed: 0, isResynced: true }],
    ['younger', { missed: 1, isResynced: false }],
  ])('without a number, for a request that is %s than the leader’s', async ([age, expected]) => {
    const world = createWorld();
    const early = age === 'older' ? world.open({ connectOnInit: false }) : null;
    await world.sim.advance(1000);
    world.open();
    await world.sim.advance(5000);
    const late = early ?? world.open({ connectOnInit: false });
    await change(world);
    late.dl.connectSse();
    expect(await continued(world, late)).toEqual(expected);
  });

  it.for<[how: string, reveal: (world: World) => void | Promise<void>]>([
    ['the next message', (world) => world.change()],
    ['a heartbeat', (world) => world.sim.advance(20_000)],
  ])('covers nothing before a gap that %s reveals', async ([, reveal]) => {
    const { world, leader, first } = await lead();
    await change(world);
    leader.tab.link.drop();
    world.change();
    await reveal(world);
    await world.sim.advance(1000);
    const { seq } = world.sim.hub.cursor();
    expect(leader.events).toContain('sse:gap');
    expect((await openAt(world, first)).isResynced).toBe(true);
    expect((await openAt(world, first + 1)).isResynced).toBe(true);
    expect(await openAt(world, seq)).toEqual({ missed: 0, isResynced: false });
  });

  it('covers the last 200 messages', async () => {
    const { world, first } = await lead();
    await change(world, 200);
    expect(await openAt(world, first)).toEqual({ missed: 200, isResynced: false });
    await change(world);
    expect(await openAt(world, first)).toEqual({ missed: 0, isResynced: true });
    expect(await openAt(world, first + 201)).toEqual({ missed: 0, isResynced: false });
  });
});
