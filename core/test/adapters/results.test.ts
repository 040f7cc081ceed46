// Inline results, with the adapter for TanStack Query.

import { describe, expect, it } from 'vitest';
import { requestMs, setup, ticket } from './tanstackQueryWorld.ts';

describe('an inline result', () => {
  const itemData = (_type: string, _id: unknown, _level: string | null, result: unknown): unknown => result;

  it('causes a refetch without `itemData`', async () => {
    const { sim, truth, requests, show, emit } = await setup();
    const seven = show('ticket', 7);
    await sim.advance(requestMs);
    truth.value = 2;
    emit(ticket(7, { result: 99 }));
    await sim.advance(500);
    expect([seven.value(), requests.length]).toEqual([2, 2]);
  });

  it('is shown without a request, and other levels are refetched', async () => {
    const { sim, requests, show, emit } = await setup({ itemData });
    const [seven, full] = [show('ticket', 7), show('ticket', 7, 'full')];
    await sim.advance(requestMs);
    emit(ticket(7, { result: 2 }));
    await sim.advance(500);
    expect([seven.value(), seven.isStale(), full.value()]).toEqual([2, false, 1]);
    expect(requests.slice(2)).toEqual([['ticket', 7, 'full']]);
  });

  it('D-DIR-9 causes a refetch when a newer directive arrived before', async () => {
    const { sim, dl, truth, show, emit } = await setup({ itemData });
    const seven = show('ticket', 7);
    await sim.advance(requestMs);
    const { seq } = sim.hub.cursor();
    truth.value = 3;
    emit(ticket(8));
    emit(ticket(8));
    await sim.advance(10);
    void dl.applyDirectives([ticket(7, { result: 2, seq: seq + 1 })], { path: 'pull' });
    expect(seven.value()).toBe(1);
    await sim.advance(500);
    expect(seven.value()).toBe(3);
  });

  it('replaces the refetch of an earlier directive and is fresh', async () => {
    const { sim, requests, show, emit } = await setup({ itemData });
    const seven = show('ticket', 7);
    await sim.advance(requestMs);
    emit(ticket(7));
    emit(ticket(7, { result: 2 }));
    await sim.advance(500);
    expect([seven.value(), seven.isStale(), requests.length]).toEqual([2, false, 1]);
  });

  it('causes a refetch when it has no sequence number', async () => {
    const { sim, dl, truth, show } = await setup({ itemData });
    const seven = show('ticket', 7);
    await sim.advance(requestMs);
    truth.value = 3;
    void dl.applyDirectives([ticket(7, { result: 2 })]);
    await sim.advance(500);
    expect(seven.value()).toBe(3);
  });

  it('is not replaced by the response of a request in flight', async () => {
    const { sim, truth, show, emit } = await setup({ itemData });
    const seven = show('ticket', 7);
    await sim.advance(requestMs / 2);
    truth.value = 2;
    emit(ticket(7, { result: 2 }));
    await sim.advance(500);
    expect([seven.value(), seven.isStale()]).toEqual([2, false]);
  });

  it('of a collection is stored in the query with exactly its params', async () => {
    const { sim, requests, show, emit } = await setup({
      collectionData: (_name, _params, result) => (result as { count: number }).count,
    });
    const [open, all] = [show('tickets', { status: 'open' }), show('tickets')];
    await sim.advance(requestMs);
    emit({
      op: 'refresh_collection',
      name: 'tickets',
      params: { status: 'open' },
      result: { ids: [1, 2, 3], count: 3 },
    });
    await sim.advance(500);
    expect([open.value(), all.value(), requests.length]).toEqual([3, 1, 2]);
  });
});
