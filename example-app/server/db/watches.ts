// The watched tables: a change of them sends directives, whichever program makes it (docs/server/table-watching.md).

import { watchTable } from '@edict/server/postgres';
import { everyone, personAudience, teamAudience } from '../../src/audiences.ts';

/** A private ticket concerns its team only. An update that changes the audience notifies the old and the new one. */
const audienceOfTicket = `CASE visibility WHEN 'team' THEN '${teamAudience('')}' || team_id ELSE '${everyone}' END`;

export const watches = [
  watchTable({
    table: 'tickets',
    type: 'ticket',
    id: 'id',
    // The lists with this status, and the lists with every status.
    collections: [
      { name: 'tickets', params: { status: 'status' } },
      { name: 'tickets', params: { status: { sql: "'all'" } } },
    ],
    audience: { sql: audienceOfTicket },
  }),
  // The numbers of the dashboard are one item. They depend on fewer columns than the ticket.
  watchTable({
    table: 'tickets',
    name: 'counts',
    type: 'counts',
    id: { sql: "'desk'" },
    audience: { sql: audienceOfTicket },
    columns: ['status', 'priority', 'assignee_id', 'team_id', 'visibility'],
    onDelete: 'refresh',
  }),
  // The latest changes are one item as well.
  watchTable({
    table: 'changes',
    type: 'activity',
    id: { sql: "'desk'" },
    audience: { sql: `(SELECT ${audienceOfTicket} FROM tickets WHERE tickets.id = ticket_id)` },
    onDelete: 'refresh',
  }),
  // A comment is a part of its ticket.
  watchTable({
    table: 'comments',
    type: 'ticket',
    id: 'ticket_id',
    audience: { sql: `(SELECT ${audienceOfTicket} FROM tickets WHERE tickets.id = ticket_id)` },
    onDelete: 'refresh',
  }),
  watchTable({
    table: 'notifications',
    type: 'notification',
    id: 'id',
    collections: ['notifications'],
    audience: { sql: `'${personAudience('')}' || person_id` },
  }),
];
