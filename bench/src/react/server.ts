// The requests of the page to its server. `PUT` changes an item, and `GET` returns it.

import type { Item } from './screen.ts';

/** The number of requests for items since the count was set to 0, and the arrival time of the last response. */
export const fetched = { count: 0, arrivedAt: 0 };

export async function getItem(id: number): Promise<Item> {
  fetched.count++;
  const response = await fetch(`/api/tickets/${id}`);
  const item = (await response.json()) as Item; // The item that `putItem` sent.
  fetched.arrivedAt = performance.now();
  return item;
}

/** Changes an item. The response contains the directives. */
export async function putItem(
  item: Item,
  send: typeof fetch = fetch,
  directives: readonly object[] = [],
): Promise<void> {
  const response = await send(`/api/tickets/${item.id}`, {
    method: 'PUT',
    body: JSON.stringify({ item, directives }),
  });
  await response.json();
}
