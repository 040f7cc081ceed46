// The prefetch of a page, outside of Next.js.

import { defineCollection, defineItem } from '@edict/core';
import { createLive } from '@edict/next/server';
import { afterEach, expect, it, vi } from 'vitest';

vi.mock('next/server.js', () => ({ connection: async () => {} }));
afterEach(() => void vi.restoreAllMocks());

it('waits for a read whose promise is not returned', async () => {
  const ticket = defineItem('ticket', {
    fetch: async (id: number) => {
      await new Promise(setImmediate);
      return { id };
    },
  });
  const live = createLive({ definitions: [ticket] });
  const { items } = await live.prefetch((dl) => {
    void dl.prefetchItem(ticket, 7);
  });
  expect(items).toMatchObject([{ type: 'ticket', id: 7 }]);
  await live.hub.close();
});

it('logs a read that fails, and leaves it out', async () => {
  const log = vi.spyOn(console, 'error').mockReturnValue();
  const error = new Error('no database');
  const fails = (): never => {
    throw error;
  };
  const ticket = defineItem('ticket', { fetch: (id: number) => (id === 7 ? fails() : { id }) });
  const tickets = defineCollection('tickets', { of: ticket, fetch: fails });
  const live = createLive({ name: 'failing', definitions: [ticket, tickets] });
  const state = await live.prefetch((dl) => [
    dl.prefetchItem(ticket, 7),
    dl.prefetchItem(ticket, 8),
    dl.prefetchCollection(tickets),
  ]);
  expect(state).toMatchObject({ items: [{ id: 8 }], collections: [], cursors: [{ audience: 'global' }] });
  expect(state).not.toHaveProperty('audience');
  expect(log.mock.calls).toEqual([
    ['[edict] prefetch: the fetch of ticket 7 failed.', error],
    ['[edict] prefetch: the fetch of collection "tickets" failed.', error],
  ]);
  await live.hub.close();
});

it('returns the data without a position while the backplane is away', async () => {
  const log = vi.spyOn(console, 'error').mockReturnValue();
  const ticket = defineItem('ticket', { fetch: (id: number) => ({ id }) });
  const live = createLive({
    name: 'away',
    definitions: [ticket],
    audience: async () => ['team-7', 'user-3'],
  });
  const error = new Error('no Redis');
  const cursor = vi.spyOn(live.hub, 'cursor').mockRejectedValue(error);
  const state = await live.prefetch((dl) => dl.prefetchItem(ticket, 7));
  expect(state).toMatchObject({ items: [{ id: 7 }], cursors: [], audience: ['team-7', 'user-3'] });
  expect(log.mock.calls).toEqual([['[edict] prefetch: the position of the hub is missing.', error]]);
  cursor.mockRejectedValue(new TypeError('a wrong audience'));
  await expect(live.prefetch()).rejects.toThrow('a wrong audience');
  await live.hub.close();
});
