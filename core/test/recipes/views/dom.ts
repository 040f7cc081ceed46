// dom.ts
import type { DataLayer } from '@edict/core';
import { watchItem } from './watch.ts';

interface Ticket {
  title: string;
}

/** A ticket's title as an element of its own. `end` stops watching it. */
export function ticketTitle(dl: DataLayer, id: number): { element: HTMLElement; end: () => void } {
  const element = document.createElement('h2');
  const end = watchItem(dl, 'ticket', id, null, ({ data, meta }) => {
    element.textContent = (data as Ticket | null)?.title ?? meta.error ?? '…';
    element.setAttribute('aria-busy', String(meta.isLoading));
  });
  return { element, end };
}
