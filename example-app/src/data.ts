// The definitions of all data in this application's data layer.
//
// An item has an id. A collection is a list of items that depends on params. Components read them with hooks and never
// fetch. The server emits which of them changed.
//
// To learn from the example, read this file, components/TicketDetail.tsx (reads and changes) and server/db/watches.ts
// (which directives a change of a table sends).

import { defineCollection, defineItem, type DataLayer, type RegisterOf } from '@edict/core';
import { httpReads, isTemporary, type DeskReads } from './api.ts';
import { audiencesOf } from './audiences.ts';
import { mostUrgent } from './filters.ts';
import type { Session, TicketParams } from './model.ts';
import { pageAt } from './pages.ts';

const minute = 60_000;

// Directives arrive within milliseconds of a change, so data can stay fresh for long.
const settings = { stalenessMs: 5 * minute, retry: { attempts: 2, delayMs: 500, retryOn: isTemporary } };

/** `api` is the HTTP API in the browser, and function calls when the server renders a page. */
function defineDesk(api: DeskReads) {
  const ticket = defineItem('ticket', {
    ...settings,
    // The fields that a row of a list needs. Null: the ticket was deleted, or this user may not see it.
    fetch: async (id: number, { signal }) => (await api.summaries([id], signal))[id] ?? null,
    levels: {
      default: { bulkFetch: (ids, _, { signal }) => api.summaries(ids, signal) },
      // With the description, the comments, and the history. Only fetched for an open ticket.
      full: { fetch: (id: number, { signal }) => api.ticket(id, signal) },
    },
    // A full ticket has every field of a summary, so one request serves both levels.
    levelConversionMap: { full: ['default'] },
  });
  return {
    ticket,
    // The response contains the tickets, so a page of any size is one request. Every list has all params, which lets the
    // server name the lists that a change affects.
    tickets: defineCollection('tickets', {
      ...settings,
      of: ticket,
      fetch: (params: TicketParams, { signal }) => api.tickets(params, signal),
    }),
    activity: defineItem('activity', { ...settings, fetch: (_: 'desk', { signal }) => api.activity(signal) }),
    counts: defineItem('counts', { ...settings, fetch: (_: 'desk', { signal }) => api.counts(signal) }),
    directory: defineItem('directory', {
      ...settings,
      stalenessMs: 60 * minute, // Users and teams rarely change.
      fetch: (_: 'desk', { signal }) => api.directory(signal),
    }),
    ...defineBell(api),
  };
}

function defineBell(api: DeskReads) {
  const notification = defineItem('notification', {
    ...settings,
    fetch: (id: number, { signal }) => api.notification(id, signal),
  });
  return {
    notification,
    notifications: defineCollection('notifications', {
      ...settings,
      of: notification,
      fetch: (params: { page?: number } | undefined, { signal }) =>
        api.notifications(params?.page ?? 1, signal),
    }),
  };
}

const desk = defineDesk(httpReads);
export const { ticket, tickets, activity, counts, directory, notification, notifications } = desk;

// The server uses the names. This line types them.
declare module '@edict/core' {
  interface Register extends RegisterOf<(typeof desk)[keyof typeof desk][]> {}
}

/** Hooks find a definition by its name, so the definitions of the server's own reads replace those above. */
export const registerDesk = (dl: DataLayer, api: DeskReads): void =>
  dl.register(...Object.values(api === httpReads ? desk : defineDesk(api)));

/** Connects the stream. The server checks each audience against the session cookie. */
export function startDesk(dl: DataLayer, session: Session): void {
  dl.init({
    // Each tab has its own stream, because the weather menu disturbs one tab at a time.
    sse: { audience: audiencesOf(session.person), withCredentials: true, share: false },
    // The maximum number of tickets that one action can change, so that other screens also need only one request
    // for them.
    bulk: { maxBatchSize: 500, retryFailedMs: 2000 },
    memory: { maxItemsPerType: 2000 },
  });
}

/**
 * Fetches the data for the first screen of an address. The server renders it, and the browser does not request
 * anything.
 */
export async function firstReads(dl: DataLayer, href: string): Promise<void> {
  const { pathname, searchParams } = new URL(href, 'http://desk');
  const page = pageAt(pathname, searchParams);
  await Promise.all([
    dl.prefetchItem(counts, 'desk'),
    dl.prefetchItem(directory, 'desk'),
    dl.prefetchCollection(notifications),
    page?.name === 'tickets' && page.openId !== null && dl.prefetchItem(ticket, page.openId, 'full'),
    page?.name === 'dashboard' && dl.prefetchItem(activity, 'desk'),
    page !== null &&
      dl.prefetchCollection(tickets, { params: page.name === 'tickets' ? page.params : mostUrgent }),
  ]);
}
