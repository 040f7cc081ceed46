// References and whenSettled.

import { describe, expect, it } from 'vitest';
import { refreshItem } from '../directives.ts';
import { createCachedStage, createStage } from '../world.ts';

/** An object whose `isDone` becomes true when the promise settles. */
function watched(promise: Promise<unknown>): { isDone: boolean } {
  const state = { isDone: false };
  void promise.then(
    () => (state.isDone = true),
    () => (state.isDone = true),
  );
  return state;
}

describe('whenSettled', () => {
  it('D-FETCH-8 without an argument resolves when a follow-up request removed an entry from the coalescing window', async () => {
    const { sim, dl, item } = createStage();
    item('ticket', 7);
    dl.fetchItem('ticket', 7, null, { force: true });
    void dl.applyDirectives([refreshItem('ticket', 7)]);
    const wait = watched(dl.whenSettled());
    await sim.advance(20);
    expect(dl.state().bulk.pending).toBe(0);
    expect(wait.isDone).toBe(true);
  });

  it('with a Response of DL.fetch waits for the refetches of its directives and for no others', async () => {
    const { sim, dl, server } = await createCachedStage();
    sim.route('POST /act', () => ({ directives: [refreshItem('ticket', 7)] }));
    const response = await dl.fetch('/act', { method: 'POST' });
    const wait = watched(dl.whenSettled(response));
    await sim.advance(9); // Its refetch takes 10 ms.
    expect(wait.isDone).toBe(false);
    server.latencyMs = 5000;
    dl.fetchCollection('tickets', { force: true });
    await sim.advance(1);
    expect(wait.isDone).toBe(true);
    expect(dl.hasAnyInFlightRequests()).toBe(true);
  });

  it('with a Response without directives, or whose directives trigger nothing, resolves immediately', async () => {
    const { sim, dl, item } = createStage();
    item('ticket', 1);
    sim.route('POST /act', () => ({ directives: [refreshItem('ticket', 7)] }));
    const response = await dl.fetch('/act', { method: 'POST' });
    const waits = [watched(dl.whenSettled(response)), watched(dl.whenSettled(Response.json({})))];
    await sim.advance(0);
    expect(waits.map(({ isDone }) => isDone)).toEqual([true, true]);
  });
});
