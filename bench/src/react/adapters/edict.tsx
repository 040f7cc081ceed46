import { createDataLayer } from '@edict/core';
import { DLProvider, useItem } from '@edict/react';
import type { CreateScreen, Item } from '../screen.ts';

export const createScreen: CreateScreen = () => {
  const dl = createDataLayer();
  dl.init({ sse: { enabled: false }, memory: { maxItemsPerType: Infinity } });
  const truth = new Map<number, Item>();
  const one = (id: number): Item => truth.get(id) as Item; // Only what was seeded is asked for.
  dl.createType('ticket', {
    stalenessMs: 1e9,
    fetch: async (id) => one(Number(id)),
    bulkFetch: async (ids) => ids.map((id) => one(Number(id))),
  });
  return {
    Provider: ({ children }) => <DLProvider dl={dl}>{children}</DLProvider>,
    useRow: (id) => (useItem('ticket', id).data ?? undefined) as Item | undefined, // The type's payload.
    async seed(items) {
      for (const item of items) {
        truth.set(item.id, item);
        dl.fetchItem('ticket', item.id);
      }
      await dl.whenSettled();
    },
    write: (item) =>
      void dl.applyDirectives([{ op: 'refresh_item', name: 'ticket', id: item.id, result: item }]),
    writeAll: (items) =>
      void dl.applyDirectives(
        items.map((item) => ({ op: 'refresh_item', name: 'ticket', id: item.id, result: item })),
      ),
    listeners: () =>
      Object.values(dl.devtools().items['ticket'] ?? {}).reduce((sum, { watchers }) => sum + watchers, 0),
    dispose: dl.dispose,
  };
};
