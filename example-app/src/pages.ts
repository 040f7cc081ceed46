// The addresses of the desk: what each one shows, and how it is written.

import { printFilters, readFilters } from './filters.ts';
import type { TicketParams } from './model.ts';

export type DeskPage =
  | { name: 'dashboard' }
  /** The list, and beside it the ticket that is open. */
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

/** Beside the list that it was opened from. */
export const ticketAt = (id: number | string, params: Partial<TicketParams> = {}): string =>
  `/tickets/${id}${printFilters(params)}`;
