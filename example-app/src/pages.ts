// The addresses of the desk, and the page for each.

import { idOf, printFilters, readFilters } from './filters.ts';
import type { TicketParams } from './model.ts';

export type DeskPage =
  | { name: 'dashboard' }
  /** The list with an open ticket beside it. */
  | { name: 'tickets'; params: TicketParams; openId: number | null };

/** Null: there is nothing at this address. */
export function pageAt(path: string, search: URLSearchParams): DeskPage | null {
  if (path === '/') return { name: 'dashboard' };
  const match = /^\/tickets(?:\/(\d+))?\/?$/.exec(path);
  if (match === null) return null;
  const [, id] = match;
  const openId = idOf(id ?? null);
  if (id !== undefined && openId === null) return null;
  return { name: 'tickets', params: readFilters(search), openId };
}

export const listAt = (params: Partial<TicketParams> = {}): string => `/tickets${printFilters(params)}`;

/** Shown beside the list from which the user opened it. */
export const ticketAt = (id: number | string, params: Partial<TicketParams> = {}): string =>
  `/tickets/${id}${printFilters(params)}`;
