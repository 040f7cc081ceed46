import { createDataLayer } from '@edict/core';
import { DLProvider, useItem } from '@edict/react';
import { connectHub } from '../../hub.ts';
import type { CreateScreen, Item } from '../screen.ts';
import { getItem, putItem } from '../server.ts';

export const createScreen: CreateScreen = () => {
  const dl = createDataLayer();
  const { deliver, emit, message } = connectHub(dl);
  dl.init({ memory: { maxItemsPerType: Infinity } });
  const seeded = new Map<number, Item>();
  const one = async (id: number): Promise<Item> => seeded.get(id) ?? getItem(id);
  dl.createType('ticket', {
    stalenessMs: 1e9,
    fetch: (id) => one(Number(id)),
    bulkFetch: (ids) => Promise.all(ids.map((id) => one(Number(id)))),
  });
  const written = (item: Item): object => ({
    op: 'refresh_item',
    name: 'ticket',
    id: item.id,
    result: item,
  });
  return {
    Provider: ({ children }) => <DLProvider dl={dl}>{children}</DLProvider>,
    useRow: (id) => (useItem('ticket', id).data ?? undefined) as Item | undefined, // The type's payload.
    async seed(items) {
      for (const item of items) {
        seeded.set(item.id, item);
        dl.fetchItem('ticket', item.id);
      }
      await dl.whenSettled();
      seeded.clear();
    },
    write: (item) => message([written(item)]),
    writeAll: (items) => message(items.map(written)),
    async mutate(item) {
      const envelope = emit([{ op: 'refresh_item', name: 'ticket', id: item.id }], dl.clientId());
      await putItem(item, dl.fetch, envelope.directives);
      deliver(envelope); // The stream of the author receives the message too.
    },
    listeners: () =>
      Object.values(dl.devtools().items['ticket'] ?? {}).reduce((sum, { watchers }) => sum + watchers, 0),
    dispose: dl.dispose,
  };
};
