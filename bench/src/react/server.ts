// The client side of the page's server. `PUT` changes an item, and `GET` returns it.

import type { Item } from './screen.ts';

/** The number of requests for items since the count was set to 0, and the arrival time of the last response. */
export const fetched = { count: 0, arrivedAt: 0 };

export async function getItem(id: number): Promise<Item> {
  fetched.count++;
  const response = await fetch(`/api/tickets/${id}`);
  const item = (await response.json()) as Item; // As it was put.
  fetched.arrivedAt = performance.now();
  return item;
}

/** The response to the change contains the directives. */
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
