// Functions that an application passes to an adapter may throw. The error is reported, and nothing else is lost.

import { createDataLayer } from '@edict/core';
import { connectCache, type CacheLike } from '@edict/core/adapters/cache';
import { connectSwr, type SwrOptions } from '@edict/core/adapters/swr';
import { connectQueryClient, type QueryClientOptions } from '@edict/core/adapters/tanstack-query';
import { createSimulation } from '@edict/core/testing';
import { QueryClient } from '@tanstack/query-core';
import { describe, expect, it, onTestFinished } from 'vitest';

const fault = new Error('a slip of the pen');
const slip = (): never => {
  throw fault;
};
const ticket = (id: number, more = {}): object => ({ op: 'refresh_item', name: 'ticket', id, ...more });
const tickets = { op: 'refresh_collection', name: 'tickets' };

function setup() {
  const sim = createSimulation();
  const dl = createDataLayer({ env: sim.env });
  onTestFinished(() => dl.dispose());
  return {
    sim,
    dl,
    async say(...directives: object[]) {
      void dl.applyDirectives(directives);
      await sim.advance(100);
    },
    told: () =>
      sim.log.filter(({ level }) => level === 'error').map(({ message, detail }) => [message, detail]),
  };
}

const cached = [['ticket', 7], ['ticket', 8], ['tickets'], ['weather']];
const names = (keys: readonly unknown[]): string[] => keys.map((key) => (key as unknown[]).join(' '));
type Options = SwrOptions & QueryClientOptions;

/** Each adapter over the same keys. Returns which keys were marked stale or refetched. */
const adapters = {
  connectSwr(options: Options) {
    const world = setup();
    const stale = new Set<unknown>();
    const mutate = (key: unknown, data?: unknown): Promise<unknown> => {
      if (typeof key === 'function') cached.forEach((one) => void key(one));
      else if (data === undefined) stale.add(key);
      return Promise.resolve();
    };
    connectSwr(world.dl, { mutate }, { env: world.sim.env, ...options });
    return { ...world, stale: () => names(cached.filter((key) => stale.has(key))) };
  },
  connectQueryClient(options: Options) {
    const world = setup();
    const client = new QueryClient();
    for (const key of cached) client.setQueryData(key, 1, { updatedAt: world.sim.now() });
    connectQueryClient(world.dl, client, { env: world.sim.env, ...options });
    const isStale = (key: unknown[]): boolean => client.getQueryState(key)?.isInvalidated === true;
    return { ...world, stale: () => names(cached.filter(isStale)) };
  },
};

describe.each(Object.entries(adapters))('%s', (name, connect) => {
  const isOwn = (key: unknown): boolean => (key as unknown[])[0] !== 'weather';

  it.each<[string, Options, object]>([
    ['item', { item: slip, owns: isOwn }, ticket(7)],
    ['item', { item: (() => undefined) as never, owns: isOwn }, ticket(7)],
    ['item', { item: (() => Promise.reject(fault)) as never, owns: isOwn }, ticket(7)],
    ['collection', { collection: slip, owns: isOwn }, tickets],
  ])('treats every owned key as changed if the option %s throws', async (option, options, directive) => {
    const { say, stale, told } = connect(options);
    await say(directive);
    expect(stale()).toEqual(['ticket 7', 'ticket 8', 'tickets']);
    expect(told()[0]).toEqual([`${name}: the option ${option} threw`, expect.any(Error)]);
  });

  it('D-ADAPT-5 refetches a key whose predicate throws, and reports the error once', async () => {
    const { say, stale, told } = connect({ item: () => (key: unknown) => (isOwn(key) ? slip() : false) });
    await say(ticket(7));
    expect(stale()).toEqual(['ticket 7', 'ticket 8', 'tickets']);
    expect(told()).toEqual([[`${name}: what the option item returned threw`, fault]]);
  });

  it('D-ADAPT-5 applies the other changes', async () => {
    const { say, stale } = connect({
      item: (type, id) => (id === 9 ? slip() : [type, id]),
      owns: () => false,
    });
    await say(ticket(9), ticket(7), tickets);
    expect(stale()).toEqual(['ticket 7', 'tickets']);
  });

  it('D-ADAPT-5 refetches when the conversion of a result throws', async () => {
    const { say, stale, told } = connect({ itemData: slip, collectionData: slip });
    await say(ticket(7, { result: 2, seq: 5 }));
    await say({ ...tickets, result: { ids: [] }, seq: 6 });
    expect(stale()).toEqual(['ticket 7', 'tickets']);
    expect(told()).toEqual([
      [`${name}: the option itemData threw`, fault],
      [`${name}: the option collectionData threw`, fault],
    ]);
  });

  it('D-ADAPT-5 counts every key as owned when `owns` throws', async () => {
    const { sim, dl, stale, told } = connect({ owns: slip });
    dl.init();
    await sim.advance(1000);
    sim.hub.lose();
    sim.hub.emit([{ op: 'refresh_collection', name: 'none' }]);
    sim.hub.emit([{ op: 'refresh_collection', name: 'none' }]);
    await sim.advance(5000);
    expect(stale()).toEqual(names(cached));
    expect(told()[0]).toEqual([`${name}: the option owns threw`, fault]);
  });
});

it('connectQueryClient refetches when the query cannot store a result', async () => {
  const { sim, dl, say, told } = setup();
  const client = new QueryClient();
  client.setQueryData(['ticket', 7], 1);
  client
    .getQueryCache()
    .find({ queryKey: ['ticket', 7] })
    ?.setOptions({ structuralSharing: slip });
  connectQueryClient(dl, client, { env: sim.env, itemData: (_type, _id, _level, result) => result });
  await say(ticket(7, { result: 2, seq: 5 }));
  expect(client.getQueryState(['ticket', 7])).toMatchObject({ data: 1, isInvalidated: true });
  expect(told()).toEqual([['connectQueryClient: setQueryData threw', fault]]);
});

describe('connectCache', () => {
  function connect(cache: Partial<CacheLike>) {
    const world = setup();
    const changes: unknown[] = [];
    const changed = (list: readonly unknown[]): void => void changes.push(...list);
    connectCache(world.dl, { changed, resync: () => undefined, ...cache }, { env: world.sim.env });
    return { ...world, changes };
  }

  it.each<[string, () => void]>([
    ['throws', slip],
    ['rejects', () => Promise.reject(fault)],
  ])('reports that changed failed if it %s, and calls it for the next changes', async (_how, fail) => {
    let calls = 0;
    const { say, told } = connect({ changed: () => (++calls === 1 ? fail() : undefined) });
    await say(ticket(7));
    await say(ticket(8));
    expect(told()).toEqual([['connectCache: changed threw', fault]]);
    expect(calls).toBe(2);
  });

  it.each<[string, () => void]>([
    ['throws', slip],
    ['rejects', () => Promise.reject(fault)],
  ])('reports that resync failed if it %s, and continues', async (_how, resync) => {
    const { sim, dl, told, changes } = connect({ resync });
    dl.init();
    await sim.advance(1000);
    sim.hub.lose();
    sim.hub.emit([{ op: 'refresh_collection', name: 'none' }]);
    sim.hub.emit([{ op: 'refresh_collection', name: 'none' }]);
    await sim.advance(5000);
    expect(told()).toEqual([['connectCache: resync threw', fault]]);
    changes.length = 0;
    sim.hub.emit([{ op: 'refresh_collection', name: 'tickets' }]);
    await sim.advance(100);
    expect(changes).toHaveLength(1);
  });

  it('D-ADAPT-5 reports an error to the log of the data layer', async () => {
    const { sim, dl, say, told } = setup();
    const { now, setTimeout, clearTimeout } = sim.env;
    connectCache(dl, { changed: slip, resync: () => undefined }, { env: { now, setTimeout, clearTimeout } });
    await say(ticket(7));
    expect(told()).toEqual([['connectCache: changed threw', fault]]);
  });

  it('D-ADAPT-5 reports an error of markStale, and still calls changed', async () => {
    const { say, told, changes } = connect({ markStale: slip });
    await say(ticket(7));
    expect([told(), changes.length]).toEqual([[['connectCache: markStale threw', fault]], 1]);
  });

  it('D-ADAPT-5 reports an error of an immediate resync, and stays connected', async () => {
    const { sim, dl, say, told } = setup();
    await say(ticket(7));
    const changes: unknown[] = [];
    connectCache(dl, { changed: (list) => void changes.push(...list), resync: slip }, { env: sim.env });
    await say(ticket(8));
    expect([told(), changes.length]).toEqual([[['connectCache: resync threw', fault]], 1]);
  });
});
