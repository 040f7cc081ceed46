// The user of a request, and what that user may see. Every query for tickets uses `visibleTo`.

import { inArray, ne, or, type SQL } from 'drizzle-orm';
import type { Person } from '../../src/model.ts';
import * as table from '../db/schema.ts';

/** The signed-in person. */
export type Viewer = Person;

/** Tickets for everyone, and the private ones of the viewer's teams. */
export function visibleTo(viewer: Viewer): SQL {
  const isPublic = ne(table.tickets.visibility, 'team');
  const condition =
    viewer.teamIds.length === 0 ? isPublic : or(isPublic, inArray(table.tickets.teamId, viewer.teamIds));
  return condition ?? isPublic;
}

/** The same rule for one ticket. */
export function maySee(viewer: Viewer, ticket: { visibility: string; teamId: number }): boolean {
  return ticket.visibility !== 'team' || viewer.teamIds.includes(ticket.teamId);
}
