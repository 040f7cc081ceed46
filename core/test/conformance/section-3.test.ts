// Specification §3: directives and the connection. fetching/read.test.ts and fetching/failures.test.ts test the states of an entry.

import { describe, expect, it } from 'vitest';
import type { InitOptions } from '@edict/core';
import { refreshItem } from '../directives.ts';
import { createWorld } from '../world.ts';

function setup(init: InitOptions = {}) {
  const world = createWorld({ init });
  const item = world.held();
  const full = world.held();
  const list = world.held();
  world.dl.createType('ticket', { fetch: item.fetch, levels: { full: { fetch: full.fetch } } });
  world.dl.createCollection('tickets', { fetch: list.fetch });
  return { ...world, item, full, list };
}

type Setup = ReturnType<typeof setup>;

describe('§3 refresh_item with result', () => {
  const result = { id: 1, inline: true };

  it.each<[string, (world: Setup) => Promise<void>]>([
    ['fresh', async ({ item }) => item.last().answer({ id: 1 })],
    [
      'stale',
      async ({ item, sim }) => {
        await item.last().answer({ id: 1 });
        await sim.advance(20_000);
      },
    ],
    ['failed', async ({ item }) => item.last().fail(new Error('down'))],
    ['loading', async () => undefined],
  ])('a %s item becomes fresh without a fetch', async (_, prepare) => {
    const world = setup();
    const { dl, sim, item, iso } = world;
    const ref = dl.fetchItem('ticket', 1);
    await prepare(world);
    void dl.applyDirectives([refreshItem('ticket', 1, { result })]);
    expect(ref.data).toEqual(result);
    expect(ref.meta).toMatchObject({ error: null, isStale: false, lastFetchedAny: iso() });
    await sim.advance(1000);
    expect(item.calls).toHaveLength(1);
    expect(ref.meta.isStale).toBe(false);
  });

  it('resets the staleness timer', async () => {
    const { dl, sim, item } = setup();
    const ref = dl.fetchItem('ticket', 1);
    await item.last().answer({ id: 1 });
    await sim.advance(14_000);
    void dl.applyDirectives([refreshItem('ticket', 1, { result })]);
    await sim.advance(14_999);
    expect(ref.meta.isStale).toBe(false);
    await sim.advance(1);
    expect(ref.meta.isStale).toBe(true);
  });

  it('still refetches the other cached level', async () => {
    const { dl, sim, item, full } = setup();
    const ref = dl.fetchItem('ticket', 1);
    dl.fetchItem('ticket', 1, 'full');
    await item.last().answer({ id: 1 });
    await full.last().answer({ id: 1, body: 'old' });
    void dl.applyDirectives([refreshItem('ticket', 1, { result })]);
    await sim.advance(50);
    expect([item.calls.length, full.calls.length]).toEqual([1, 2]);
    await full.last().answer({ id: 1, body: 'new' });
    expect(ref.data).toMatchObject({ inline: true, body: 'new' });
    expect(ref.meta.isStale).toBe(false);
  });
});
