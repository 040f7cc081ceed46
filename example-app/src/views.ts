// The views of the sidebar. The number of a view counts exactly the tickets that its link shows. Its entry is
// highlighted while the view is open, even if it is searched or filtered.

import { scopeOf, type Scope } from './filters.ts';
import { statuses, type ByStatus, type Counts, type TicketParams } from './model.ts';

/** Every list belongs to `everything`. The other views show the open tickets in their scope. */
export type View = 'everything' | { open: Scope };

/** The narrowest view that a list belongs to. */
export function viewOf(params: TicketParams): View {
  const scope = params.status === 'open' ? scopeOf({ ...params, priority: 'all', q: '' }) : null;
  return scope === null ? 'everything' : { open: scope };
}

export function isSameView(one: View, other: View): boolean {
  return keyOf(one) === keyOf(other);
}

const keyOf = (view: View): string => JSON.stringify(view);

/** What its link shows. */
export function paramsOf(view: View): Partial<TicketParams> {
  if (view === 'everything') return {};
  const { open: scope } = view;
  if (typeof scope === 'object') return { status: 'open', team: scope.teamId };
  switch (scope) {
    case 'all':
      return { status: 'open' };
    case 'mine':
      return { status: 'open', assignee: 'me' };
    case 'unassigned':
      return { status: 'open', assignee: 'none' };
  }
}

/** Null: the desk has no team with this id. */
export function countOf(view: View, counts: Counts): number | null {
  if (view === 'everything') return totalOf(counts.all, 'all');
  return totalsOf(counts, view.open)?.open ?? null;
}

export function totalsOf(counts: Counts, scope: Scope): ByStatus | null {
  if (typeof scope === 'string') return counts[scope];
  return counts.teams.find((one) => one.teamId === scope.teamId)?.counts ?? null;
}

export function totalOf(totals: ByStatus, status: keyof ByStatus | 'all'): number {
  return status === 'all' ? statuses.reduce((sum, one) => sum + totals[one], 0) : totals[status];
}
