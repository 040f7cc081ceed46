// The list's params in the address. Only values that differ from the defaults are included, in a fixed order.

import {
  largestId,
  lastPage,
  longest,
  pageSizes,
  printable,
  priorities,
  sorts,
  statuses,
  type TicketFilters,
  type TicketParams,
} from './model.ts';

export const everything: TicketParams = {
  status: 'all',
  assignee: 'all',
  team: 'all',
  priority: 'all',
  q: '',
  sort: 'updated',
  page: 1,
  size: pageSizes[0],
};

/** The list on the dashboard. */
export const mostUrgent: TicketParams = { ...everything, status: 'open', priority: 'urgent' };

const oneOf = <T extends string>(list: readonly T[], value: string | null, otherwise: T): T =>
  list.find((one) => one === value) ?? otherwise;

const wholeUpTo = (max: number, text: string | null): number | null => {
  const number = /^[1-9]\d*$/.test(text ?? '') ? Number(text) : Infinity;
  return number <= max ? number : null;
};
export const idOf = (text: string | null): number | null => wholeUpTo(largestId, text);

/** Values that are not valid are ignored. */
export function readFilters(search: URLSearchParams): TicketParams {
  const assignee = search.get('assignee');
  return {
    status: oneOf(['all', ...statuses], search.get('status'), 'all'),
    assignee: assignee === 'me' || assignee === 'none' ? assignee : (idOf(assignee) ?? 'all'),
    team: idOf(search.get('team')) ?? 'all',
    priority: oneOf(['all', ...priorities], search.get('priority'), 'all'),
    q: printable(search.get('q') ?? '').slice(0, longest.search),
    sort: oneOf(sorts, search.get('sort'), 'updated'),
    page: wholeUpTo(lastPage, search.get('page')) ?? 1,
    size: pageSizes.find((size) => String(size) === search.get('size')) ?? pageSizes[0],
  };
}

/** `?status=open&page=2`, or nothing. */
export function printFilters(params: Partial<TicketParams>): string {
  const search = new URLSearchParams();
  const given = new Map<string, string | number | undefined>(Object.entries(params));
  for (const [key, standard] of Object.entries(everything)) {
    const value = given.get(key);
    if (value !== undefined && value !== standard) search.set(key, String(value));
  }
  const text = search.toString();
  return text === '' ? '' : `?${text}`;
}

/** The filters without the order and the page. */
export const filtersOf = ({ status, assignee, team, priority, q }: TicketParams): TicketFilters => ({
  status,
  assignee,
  team,
  priority,
  q,
});

/** The desk total that belongs to a list without further filters. */
export type Scope = 'all' | 'mine' | 'unassigned' | { teamId: number };

/** Null if the filters are narrower than the totals. */
export function scopeOf({ assignee, team, priority, q }: TicketParams): Scope | null {
  if (priority !== 'all' || q.trim() !== '') return null;
  if (team !== 'all') return assignee === 'all' ? { teamId: team } : null;
  return assignee === 'all' ? 'all' : assignee === 'me' ? 'mine' : assignee === 'none' ? 'unassigned' : null;
}
