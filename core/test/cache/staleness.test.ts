// When cached data is stale, and which changes of `meta.isStale` notify the subscribers of a reference.

import { describe, expect, it } from 'vitest';
import { missOne, refreshItem, refreshList } from '../directives.ts';
import { createStage, createWorld } from '../world.ts';

/** A ticket and a list that are cached and fresh. Records each notification with `isStale`. */
async function setup() {
  const stage = createStage({ init: { bulk: { refetch: 'watched' } } });
  const { dl, hold, item, list } = stage;
  await hold(
    () => item('ticket', 7),
    () => list('tickets'),
  );
  const ticket = item('ticket', 7);
  const tickets = list('tickets');
  const seen: unknown[] = [];
  dl.onRefChange(ticket, () => seen.push([ticket.meta.isStale, ticket.meta.isLoading]));
  dl.onRefChange(tickets, () => seen.push(['list', tickets.meta.isStale, tickets.meta.isLoading]));
  return { ...stage, ticket, seen };
}

describe('a change of isStale', () => {
  it('by a directive notifies immediately, once for a whole list of directives', async () => {
    const { dl, seen } = await setup();
    void dl.applyDirectives([
      refreshItem('ticket', 7),
      refreshItem('ticket', 7, { idempotency_key: 'second' }),
      refreshItem('ticket', 8),
    ]);
    expect(seen).toEqual([[true, false]]);
    void dl.applyDirectives([refreshItem('ticket', 7)]);
    expect(seen).toEqual([[true, false]]); // It is stale already.
  });

  it('of a collection by a directive notifies immediately', async () => {
    const { dl, seen } = await setup();
    void dl.applyDirectives([refreshList('tickets')]);
    expect(seen).toEqual([['list', true, false]]);
  });

  it('by a response notifies', async () => {
    const { dl, sim, seen } = await setup();
    void dl.applyDirectives([refreshItem('ticket', 7)]);
    await sim.advance(100);
    expect(seen).toEqual([
      [true, false],
      [true, true],
      [false, false],
    ]);
  });

  it('by an inline result notifies', async () => {
    const { dl, seen } = await setup();
    void dl.applyDirectives([refreshItem('ticket', 7)]);
    void dl.applyDirectives([{ ...refreshItem('ticket', 7), result: { id: 7 } }]);
    expect(seen).toEqual([
      [true, false],
      [false, false],
    ]);
  });

  it('by a directive that an inline result in the same list covers notifies once', async () => {
    const { dl, seen } = await setup();
    void dl.applyDirectives([
      refreshItem('ticket', 7),
      { ...refreshItem('ticket', 7), result: { id: 7, default: 2 } },
    ]);
    expect(seen).toEqual([[false, false]]);
  });

  it('by a resync notifies once, together with the start of the refetch', async () => {
    const setting = await setup();
    missOne(setting.dl);
    expect(setting.seen).toEqual([]);
    await setting.sim.advance(3600);
    expect(setting.seen).toEqual([
      [true, true],
      ['list', true, true],
      [false, false],
      ['list', false, false],
    ]);
  });

  it('by the passage of time notifies no subscriber, and neither does a directive afterwards', async () => {
    const { dl, sim, ticket, seen } = await setup();
    await sim.advance(15_000);
    expect(ticket.meta.isStale).toBe(true);
    void dl.applyDirectives([refreshItem('ticket', 7)]);
    expect(seen).toEqual([]);
  });
});

describe('stalenessMs', () => {
  it('§2.6 of a level overrides that of the type', async () => {
    const { dl, sim, rest } = createWorld();
    const calls: string[] = [];
    const fetch = (_: unknown, { level }: { level: string }): object => (calls.push(level), {});
    dl.createType('ticket', {
      fetch,
      stalenessMs: 1000,
      levels: { short: { fetch, stalenessMs: 100 }, plain: { fetch } },
    });
    const read = async (): Promise<string[]> => {
      calls.length = 0;
      for (const level of [null, 'short', 'plain']) dl.fetchItem('ticket', 1, level);
      await rest();
      return [...calls];
    };
    expect(await read()).toEqual(['default', 'short', 'plain']);
    await sim.advance(99);
    expect(await read()).toEqual([]);
    await sim.advance(1);
    expect(await read()).toEqual(['short']);
    await sim.advance(900);
    expect(await read()).toEqual(['default', 'short', 'plain']);
  });

  it('§2.7 of a collection is 15000 by default and can be set', async () => {
    const { dl, held, sim } = createWorld();
    const list = held();
    dl.createCollection('tickets', { fetch: list.fetch });
    dl.createCollection('brief', { fetch: list.fetch, stalenessMs: 20 });
    expect(dl.state().collections['tickets']?.stalenessMs).toBe(15_000);
    expect(dl.state().collections['brief']?.stalenessMs).toBe(20);
    const plain = dl.fetchCollection('tickets');
    const brief = dl.fetchCollection('brief');
    await list.at(0).answer({ ids: [] });
    await list.at(1).answer({ ids: [] });
    await sim.advance(19);
    expect(brief.meta.isStale).toBe(false);
    await sim.advance(1);
    expect(brief.meta.isStale).toBe(true);
    await sim.advance(14_979);
    expect(plain.meta.isStale).toBe(false);
    await sim.advance(1);
    expect(plain.meta.isStale).toBe(true);
  });
});
