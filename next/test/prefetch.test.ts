// The prefetch of a page, outside of Next.js.

import { defineItem } from '@edict/core';
import { createLive } from '@edict/next/server';
import { expect, it, vi } from 'vitest';

vi.mock('next/server.js', () => ({ connection: async () => {} }));

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
