// The rules of what a change affects: facts about the change in, directives out. This is the half of the
// protocol that only the server can know; everything else on the way to the screens is done by the library.

import { invalidate, refreshCollection, refreshItem, removeItem } from '@edict/core/protocol';
import type { Directive } from '@edict/core/protocol';
import { everyone, personAudience, teamAudience } from '../../src/audiences.ts';
import type { Status, Visibility } from '../../src/model.ts';

/** Directives, and who is to get them. */
export interface Announcement {
  audience: string | string[];
  directives: Directive[];
}

/** What of a ticket decides where it shows up. */
export interface Placement {
  id: number;
  status: Status;
  teamId: number;
  visibility: Visibility;
}

/**
 * Who may know that something happened to it. A ticket that everyone sees, or saw until now, concerns
 * everyone; a private one its team, and the team that it was taken from.
 */
export function audienceOf(...placements: Placement[]): string | string[] {
  if (placements.some((one) => one.visibility !== 'team')) return everyone;
  return [...new Set(placements.map((one) => teamAudience(one.teamId)))];
}

/**
 * The lists that show tickets of these statuses: a change from open to solved leaves the lists of pending
 * tickets alone. `contains` reaches them whatever else they filter by, however they sort, and on every page.
 */
function listsOf(statuses: readonly Status[]): Directive[] {
  return ['all' as const, ...new Set(statuses)].map((status) =>
    refreshCollection('tickets', { params: { status }, mode: 'contains' }),
  );
}

const counts = (): Directive => refreshItem('counts', 'desk');

/** Includes the ticket itself, because a screen may show its address as "not found". */
export function created(ticket: Placement): Announcement {
  return {
    audience: audienceOf(ticket),
    directives: [refreshItem('ticket', ticket.id), ...listsOf([ticket.status]), counts()],
  };
}

/** `isCounted`: whether a number of the dashboard may differ now. */
export function changed(before: Placement, after: Placement, isCounted: boolean): Announcement {
  return {
    audience: audienceOf(before, after),
    directives: [
      refreshItem('ticket', after.id),
      ...listsOf([before.status, after.status]),
      ...(isCounted ? [counts()] : []),
    ],
  };
}

export function removed(ticket: Placement): Announcement {
  return {
    audience: audienceOf(ticket),
    directives: [removeItem('ticket', ticket.id), ...listsOf([ticket.status]), counts()],
  };
}

/** Many tickets at once: one envelope for each audience. */
export function manyChanged(pairs: readonly { before: Placement; after: Placement }[]): Announcement[] {
  const byAudience = new Map<string, typeof pairs>();
  for (const pair of pairs) {
    for (const audience of [audienceOf(pair.before, pair.after)].flat()) {
      byAudience.set(audience, [...(byAudience.get(audience) ?? []), pair]);
    }
  }
  return [...byAudience].map(([audience, some]) => ({
    audience,
    directives: [
      invalidate([
        ...some.map(({ after }) => refreshItem('ticket', after.id)),
        ...listsOf(some.flatMap(({ before, after }) => [before.status, after.status])),
        counts(),
      ]),
    ],
  }));
}

/** The bell of one person: its list, and those of its entries that are not as they were. */
export function notified(personId: number, entries: readonly number[] = []): Announcement {
  return {
    audience: personAudience(personId),
    directives: [refreshCollection('notifications'), ...entries.map((id) => refreshItem('notification', id))],
  };
}

/** Whom to tell, and of what: one ticket, and how many others. */
export interface News {
  personId: number;
  ticketId: number;
  others: number;
}

/** The assignees of what was changed, each once, and not of their own doing. */
export function newsOf(
  changed: readonly { id: number; assigneeId: number | null }[],
  actorId: number,
): News[] {
  const news = new Map<number, News>();
  for (const { id, assigneeId } of changed) {
    if (assigneeId === null || assigneeId === actorId) continue;
    const entry = news.get(assigneeId);
    if (entry === undefined) news.set(assigneeId, { personId: assigneeId, ticketId: id, others: 0 });
    else entry.others += 1;
  }
  return [...news.values()];
}
