// How many requests the common paths cost. A rule that saves requests may be removed, but not the savings on these paths.

import type { Directive } from '@edict/core';
import { dehydrate, hydrate, type DehydratedState } from '@edict/core/hydration';
import { createSimulation } from '@edict/core/testing';
import { describe, expect, it } from 'vitest';

/** A page that watches two tickets and their list, on a live stream. Counts the requests from then on. */
async function setup({
  audience = 'global',
  isLive = true,
}: { audience?: string | string[]; isLive?: boolean } = {}) {
  const sim = createSimulation({ heartbeatMs: 4000 });
  const dl = sim.createDataLayer({ sse: { audience, connectOnInit: false } });
  const server = { version: 0, requests: 0 };
  async function count<T>(read: () => T): Promise<T> {
    server.requests += 1;
    await sim.sleep(20);
    return read();
  }
  const stalenessMs = 3_600_000;
  dl.createType('ticket', { stalenessMs, fetch: (id) => count(() => ({ id, version: server.version })) });
  dl.createCollection('tickets', { stalenessMs, fetch: () => count(() => ({ ids: [1, 2] })) });
  const watch = (ids: readonly number[]): void => {
    for (const id of ids) dl.onRefChange(dl.fetchItem('ticket', id), () => undefined);
    dl.onRefChange(dl.fetchCollection('tickets'), () => undefined);
  };
  if (isLive) {
    watch([1, 2]);
    dl.connectSse();
    await sim.advance(15_000);
    server.requests = 0;
  }
  return { sim, dl, server, watch };
}

type World = Awaited<ReturnType<typeof setup>>;

const plain = (id: number) => ({ op: 'refresh_item', name: 'ticket', id }) as const;
const list: Directive = { op: 'refresh_collection', name: 'tickets' };
const result = ({ server }: World, id: number): Directive => ({
  ...plain(id),
  result: { id, version: server.version },
});

/** Another client changes ticket 1, and the hub emits the result. */
function change(world: World, audience = 'global'): void {
  world.server.version += 1;
  world.sim.hub.emit([result(world, 1)], { audience });
}

/** A mutation of this client. The hub emits when it is committed, and the response contains the same directives. */
async function mutate(world: World, directives: () => Directive[], { responseMs = 30 } = {}): Promise<void> {
  const { sim, dl, server } = world;
  sim.route('POST /change', async ({ clientId }) => {
    await sim.sleep(30);
    server.version += 1;
    const emitted = sim.hub.emit(directives(), { source: clientId });
    await sim.sleep(responseMs);
    return { directives: emitted };
  });
  void dl.fetch('/change', { method: 'POST' });
  await sim.advance(2000);
}

/** A mutation whose directives a relay emits 200 ms after the response, which has no `seq` therefore. */
async function mutateWithOutbox(world: World): Promise<void> {
  const { sim, dl, server } = world;
  sim.route('POST /change', ({ clientId }) => {
    server.version += 1;
    const directive = { ...result(world, 1), idempotency_key: 'change', source: clientId };
    void sim.sleep(200).then(() => sim.hub.emit([directive], { source: clientId }));
    return { directives: [directive] };
  });
  void dl.fetch('/change', { method: 'POST' });
  await sim.advance(2000);
}

/** A server renders three tickets; five other records change before the page hydrates. */
async function rendered({ sim }: World, withCursors: boolean): Promise<DehydratedState> {
  const renderer = sim.createClient({ isBrowser: false }).createDataLayer({ sse: { enabled: false } });
  renderer.createType('ticket', { fetch: (id) => ({ id, version: 0 }) });
  const cursors = withCursors ? [sim.hub.cursor('global')] : [];
  for (const id of [1, 2, 3]) renderer.fetchItem('ticket', id);
  await sim.advance(50);
  const state = dehydrate(renderer, { cursors });
  renderer.dispose();
  return state;
}

describe('the requests of a page on a live stream', () => {
  it('are none for inline results of other clients', async () => {
    const world = await setup();
    for (let nth = 0; nth < 5; nth++) {
      change(world);
      await world.sim.advance(1000);
    }
    expect(world.server.requests).toBe(0);
    expect(world.dl.getItemRef('ticket', 1).data).toEqual({ id: 1, version: 5 });
  });

  it('are none for inline results on one of two audiences', async () => {
    const world = await setup({ audience: ['global', 'team'] });
    for (let nth = 0; nth < 5; nth++) {
      change(world, 'team');
      await world.sim.advance(1000);
    }
    expect(world.server.requests).toBe(0);
  });

  it('are none for an inline result of an item that is read for the first time afterwards', async () => {
    const world = await setup();
    world.sim.hub.emit([result(world, 9)]);
    await world.sim.advance(100);
    world.dl.fetchItem('ticket', 9);
    await world.sim.advance(1000);
    expect(world.server.requests).toBe(0);
  });

  it.each([
    ['an inline result', (world: World) => [result(world, 1)], 0],
    ['an inline result and the list', (world: World) => [result(world, 1), list], 1],
    ['an item and the list', () => [plain(1), list], 2],
    ['a new item, which is read afterwards', (world: World) => [result(world, 7)], 0],
  ] as const)('for its own mutation with %s are %s', async (_title, directives, requests) => {
    for (const responseMs of [30, 300]) {
      const world = await setup();
      await mutate(world, () => [...directives(world)], { responseMs });
      const [id] = directives(world).flatMap((one) => ('id' in one ? [one.id] : []));
      world.dl.fetchItem('ticket', id ?? 1);
      await world.sim.advance(1000);
      expect(world.server.requests).toBe(requests);
    }
  });

  it('are none for its own mutation with two audiences', async () => {
    const world = await setup({ audience: ['global', 'team'] });
    await mutate(world, () => [result(world, 1)]);
    expect(world.server.requests).toBe(0);
  });

  it('are none for its own mutation through an outbox, nor for the next result of another client', async () => {
    const world = await setup();
    await mutateWithOutbox(world);
    await world.sim.advance(1000);
    change(world);
    await world.sim.advance(1000);
    expect(world.server.requests).toBe(0);
    expect(world.dl.getItemRef('ticket', 1).data).toEqual({ id: 1, version: 2 });
  });

  it.each([
    [3, 1],
    [0, 0],
  ])('for a replay of %s inline results of one item are %s', async (changes, requests) => {
    const world = await setup();
    world.sim.link.cut();
    for (let nth = 0; nth < changes; nth++) change(world);
    await world.sim.advance(5000);
    world.sim.link.restore();
    await world.sim.advance(8000);
    expect(world.server.requests).toBe(requests);
  });

  it.each([true, false])(
    'are none for a page that a router hydrates, with cursors: %s',
    async (withCursors) => {
      const world = await setup();
      const state = await rendered(world, withCursors);
      if (withCursors) for (let id = 60; id < 65; id++) world.sim.hub.emit([plain(id)]);
      await world.sim.advance(200);
      hydrate(world.dl, state);
      world.dl.fetchItem('ticket', 3);
      await world.sim.advance(9000);
      expect(world.server.requests).toBe(0);
    },
  );
});

describe('the requests of a page that loads', () => {
  it('are one for the item and one for the list', async () => {
    const world = await setup({ isLive: false });
    world.sim.link.delay(300);
    world.dl.connectSse();
    await world.sim.advance(50);
    world.watch([1]);
    await world.sim.advance(8000);
    expect(world.server.requests).toBe(2);
  });

  it('are none for server-rendered data with cursors', async () => {
    const world = await setup({ isLive: false });
    const state = await rendered(world, true);
    for (let id = 60; id < 65; id++) world.sim.hub.emit([plain(id)]);
    await world.sim.advance(200);
    hydrate(world.dl, state);
    for (const id of [1, 2, 3]) world.dl.onRefChange(world.dl.fetchItem('ticket', id), () => undefined);
    world.dl.connectSse();
    await world.sim.advance(9000);
    expect(world.server.requests).toBe(0);
  });
});
