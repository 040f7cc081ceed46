// The addresses of the desk, and the page for each.

import { printFilters, readFilters } from './filters.ts';
import type { TicketParams } from './model.ts';

export type DeskPage =
  | { name: 'dashboard' }
  /** The list with an open ticket beside it. */
  | { name: 'tickets'; params: TicketParams; openId: number | null };

/** Null: there is nothing at this address. */
export function pageAt(path: string, search: URLSearchParams): DeskPage | null {
  if (path === '/') return { name: 'dashboard' };
  const match = /^\/tickets(?:\/([1-9]\d{0,8}))?\/?$/.exec(path);
  if (match === null) return null;
  const [, id] = match;
  return { name: 'tickets', params: readFilters(search), openId: id === undefined ? null : Number(id) };
}

export const listAt = (params: Partial<TicketParams> = {}): string => `/tickets${printFilters(params)}`;

/** Shown beside the list from which the user opened it. */
export const ticketAt = (id: number | string, params: Partial<TicketParams> = {}): string =>
  `/tickets/${id}${printFilters(params)}`;
