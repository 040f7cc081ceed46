// Which changes of `meta.isStale` notify the subscribers of a reference.

import { describe, expect, it } from 'vitest';
import { missOne, refreshItem, refreshList } from '../directives.ts';
import { createStage } from '../world.ts';

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
