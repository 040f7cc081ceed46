// dom.ts
import type { DataLayer } from '@edict/core';
import { ticket } from './data.ts';
import { watchItem } from './watch.ts';

/** An element with the title of a ticket. `end` stops watching it. */
export function ticketTitle(dl: DataLayer, id: number): { element: HTMLElement; end: () => void } {
  const element = document.createElement('h2');
  const end = watchItem(dl, ticket, id, ({ data, meta }) => {
    element.textContent = data?.title ?? meta.error ?? '…';
    element.setAttribute('aria-busy', String(meta.isLoading));
  });
  return { element, end };
}
