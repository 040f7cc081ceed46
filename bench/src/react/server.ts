// The server of the page, as the libraries ask it: `PUT` changes an item, `GET` returns it.

import type { Item } from './screen.ts';

/** Requests for items since the count was set to 0, and the time at which the last response had arrived. */
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
