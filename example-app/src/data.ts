// The registry: everything that this application keeps in its data layer, in one place.
//
// A *type* is something with an id; a *collection* is a list of ids that depends on params. Components name
// what they want (`useItem('ticket', 7)`) and never fetch; the server says what changed and never asks who is
// looking. Both meet in the names below.
//
// Four files to learn from: this one; components/TicketDetail.tsx reads and changes; server/mutate.ts sends directives
// with a change, and server/desk/affected.ts says which.

import type { DataLayer, Id } from '@edict/core';
import type { DeskReads } from './api.ts';
import { audiencesOf } from './audiences.ts';
import { mostUrgent } from './filters.ts';
import type {
  Counts,
  Directory,
  Notification,
  Session,
  Ticket,
  TicketParams,
  TicketSummary,
} from './model.ts';
import { pageAt } from './pages.ts';

// 1. The names and shapes, once for all: the hooks, `DL`, and the directives that the server builds are
//    checked against them. A misspelt name does not compile.
declare module '@edict/core' {
  interface Register {
    types: {
      /** Null: it was deleted, or this person may not see it. That is an answer, not an error. */
      ticket: { default: TicketSummary | null; full: Ticket | null };
      counts: { default: Counts };
      directory: { default: Directory };
      notification: { default: Notification | null };
    };
    collections: {
      tickets: Partial<TicketParams>;
      ticketExists: { id: number };
      notifications: { page?: number };
    };
  }
}

const minute = 60_000;

// 2. How each of them is fetched. `api` is the HTTP API in the browser, and plain function calls when the
//    server renders a page.
export function registerDesk(dl: DataLayer, api: DeskReads): void {
  // Staleness is the safety net, not the mechanism: changes arrive by directive within milliseconds. So it is
  // long, and going back to a list that was just open costs nothing.
  const stalenessMs = 5 * minute;

  dl.createType('ticket', {
    stalenessMs,
    // The level that is meant when none is named: what a row of a list needs.
    fetch: async (id, { signal }) => (await api.summaries([Number(id)], signal))[0] ?? null,
    levels: {
      // Fifty rows that appear at once, or five hundred tickets that change at once, are one request. It stands on the
      // level: on the type it would be asked for `full`, too, and summaries are no answer to that.
      default: {
        bulkFetch: async (ids, _, { signal }) => byId(ids, await api.summaries(ids.map(Number), signal)),
      },
      // Everything: the text, the comments, the history. Only fetched for a ticket that is open on screen.
      full: { fetch: (id, { signal }) => api.ticket(Number(id), signal) },
    },
    // A full ticket has every field of a summary. Whoever shows both fetches `full` once.
    levelConversionMap: { full: ['default'] },
  });

  // One number per cell of the dashboard and of the tabs. There is only one of it, so its id is a constant.
  dl.createType('counts', { stalenessMs, fetch: (_, { signal }) => api.counts(signal) });

  // People and teams hardly ever change.
  dl.createType('directory', {
    stalenessMs: 60 * minute,
    fetch: (_, { signal }) => api.directory(signal),
  });

  // One level only, so its `bulkFetch` stands on the type.
  dl.createType('notification', {
    stalenessMs,
    fetch: async (id, { signal }) => (await api.notificationItems([Number(id)], signal))[0] ?? null,
    bulkFetch: async (ids, _, { signal }) => byId(ids, await api.notificationItems(ids.map(Number), signal)),
  });

  // Ids only: the rows read their tickets themselves, and share what is already there.
  dl.createCollection('tickets', {
    stalenessMs,
    fetch: (params, { signal }) => api.tickets(params ?? {}, signal),
  });

  // A deleted item gets no `refresh_item`: there is nothing to fetch. A page that has it open watches this
  // list of one id; the directive of the deletion brings the empty list with it, and nobody asks for anything.
  dl.createCollection('ticketExists', {
    stalenessMs,
    fetch: async (params, { signal }) =>
      params === undefined ? { ids: [] } : await api.ticketExists(params.id, signal),
  });

  // Pages; `count` is the number on the bell: the unread ones among all.
  dl.createCollection('notifications', {
    stalenessMs,
    fetch: (params, { signal }) => api.notifications(params?.page ?? 1, signal),
  });
}

// 3. The stream. One connection carries what concerns everyone, the person's teams, and the person alone; the
//    server checks each of these audiences against the cookie.
export function startDesk(dl: DataLayer, session: Session): void {
  dl.init({
    sse: {
      url: '/api/events',
      audience: audiencesOf(session.person),
      withCredentials: true,
    },
    // As many as can be changed in one go: the other screens then need one request, too.
    bulk: { maxBatchSize: 500, retryFailedMs: 2000 },
    // Two screens full of the longest pages.
    memory: { maxItemsPerType: 2000 },
  });
}

// 4. What the first screen of an address reads. The server fetches it before it renders; the names are those
//    that the components use, so the browser finds everything there and asks for nothing.
export async function firstReads(dl: DataLayer, href: string): Promise<void> {
  const { pathname, searchParams } = new URL(href, 'http://desk');
  const page = pageAt(pathname, searchParams);
  const everywhere = Promise.all([
    dl.prefetchItem('counts', 'desk'),
    dl.prefetchItem('directory', 'desk'),
    dl.prefetchCollection('notifications'),
  ]);
  if (page?.name === 'tickets' && page.openId !== null) {
    await dl.prefetchItem('ticket', page.openId, 'full');
    await dl.prefetchCollection('ticketExists', { params: { id: page.openId } });
  }
  if (page !== null) {
    const list = page.name === 'tickets' ? page.params : mostUrgent;
    await dl.prefetchCollection('tickets', { params: list });
    const { ids } = dl.getCollectionRef('tickets', { params: list }).data;
    await Promise.all(ids.slice(0, rowsRendered).map((one) => dl.prefetchItem('ticket', one)));
  }
  await everywhere;
}

/** More are below the fold; the browser fetches them at once when it takes over. */
const rowsRendered = 50;

/** An answer for every id that was asked for; those that did not come back are gone for this person. */
function byId<T extends { id: number }>(ids: readonly Id[], items: readonly T[]): Map<Id, T | null> {
  const found = new Map(items.map((item) => [item.id, item]));
  return new Map(ids.map((id) => [id, found.get(Number(id)) ?? null]));
}
