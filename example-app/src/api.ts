// The HTTP API as functions. Reads go to the registry (data.ts); writes take the `fetch` that `useMutation`
// gives, so that the directives in the answer are applied before the promise resolves.

import type {
  ApiErrorBody,
  Counts,
  Directory,
  Notification,
  Session,
  Status,
  Ticket,
  TicketFilters,
  TicketParams,
  TicketSummary,
} from './model.ts';
import type { ChangeTicket, CreateTicket } from './inputs.ts';
import { signedOut, tellOtherWindows } from './signedOut.ts';

type Fetch = (input: string, init?: RequestInit) => Promise<Response>;

/** A refusal of the API, with a message for users. `status` is 0 when the server could not be reached. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;
  readonly code: string;
  readonly fields: Readonly<Record<string, string>>;

  constructor(status: number, code: string, message: string, fields: Record<string, string> = {}) {
    super(message);
    this.status = status;
    this.code = code;
    this.fields = fields;
  }
}

/** Errors of form fields, by field name; empty when the refusal is about the whole request. */
export const fieldsOf = (error: unknown): ApiError['fields'] =>
  error instanceof ApiError ? error.fields : {};

/**
 * The reads of the registry. The browser sends them over HTTP. The server calls its own functions when it renders a
 * page.
 */
export interface DeskReads {
  tickets: (params: Partial<TicketParams>, signal: AbortSignal) => Promise<{ ids: number[]; count: number }>;
  /** Only those that exist and may be seen. */
  summaries: (ids: readonly number[], signal: AbortSignal) => Promise<TicketSummary[]>;
  /** Null: it does not exist, or may not be seen. */
  ticket: (id: number, signal: AbortSignal) => Promise<Ticket | null>;
  ticketExists: (id: number, signal: AbortSignal) => Promise<{ ids: number[] }>;
  counts: (signal: AbortSignal) => Promise<Counts>;
  directory: (signal: AbortSignal) => Promise<Directory>;
  notifications: (page: number, signal: AbortSignal) => Promise<{ ids: number[]; count: number }>;
  notificationItems: (ids: readonly number[], signal: AbortSignal) => Promise<Notification[]>;
}

export const httpReads: DeskReads = {
  tickets: (params, signal) =>
    ask(
      `/api/tickets?${new URLSearchParams(Object.entries(params).map(([k, v]) => [k, String(v)]))}`,
      signal,
    ),
  summaries: async (ids, signal) =>
    (await ask<{ items: TicketSummary[] }>(`/api/tickets/summaries?ids=${ids.join(',')}`, signal)).items,
  ticket: async (id, signal) => {
    try {
      return await ask<Ticket>(`/api/tickets/${id}`, signal);
    } catch (error) {
      if (error instanceof ApiError && error.status === 404) return null;
      throw error;
    }
  },
  ticketExists: (id, signal) => ask(`/api/tickets/exists/${id}`, signal),
  counts: (signal) => ask('/api/counts', signal),
  directory: (signal) => ask('/api/directory', signal),
  notifications: (page, signal) => ask(`/api/notifications?page=${page}`, signal),
  notificationItems: async (ids, signal) =>
    (await ask<{ items: Notification[] }>(`/api/notifications/items?ids=${ids.join(',')}`, signal)).items,
};

/** `key`: with the same one again it is the same ticket, in case that the answer got lost. */
export const createTicket = (fetch: Fetch, input: CreateTicket, key: string): Promise<{ id: number }> =>
  send(fetch, 'POST', '/api/tickets', input, key);

export const changeTicket = (fetch: Fetch, id: number, change: ChangeTicket): Promise<unknown> =>
  send(fetch, 'PATCH', `/api/tickets/${id}`, change);

export const setStatusOfMany = (
  fetch: Fetch,
  ids: readonly number[],
  status: Status,
  within: TicketFilters,
): Promise<{ changed: number }> => send(fetch, 'POST', '/api/tickets/bulk-status', { ids, status, within });

/** `key`: as above. */
export const addComment = (fetch: Fetch, id: number, body: string, key: string): Promise<unknown> =>
  send(fetch, 'POST', `/api/tickets/${id}/comments`, { body }, key);

export const removeTicket = (fetch: Fetch, id: number): Promise<unknown> =>
  send(fetch, 'DELETE', `/api/tickets/${id}`);

/** All of them, or the one. */
export const readNotifications = (fetch: Fetch, id?: number): Promise<unknown> =>
  send(fetch, 'POST', `/api/notifications/${id === undefined ? '' : `${id}/`}read`);

export async function signIn(personId: number): Promise<Session> {
  const session = await send<Session>(globalFetch, 'POST', '/api/session', { personId });
  tellOtherWindows();
  return session;
}

/** Whether this page's person is still signed in here. It reports who is not. */
export async function checkSession(): Promise<void> {
  const session = await answer<Session | null>(() => globalFetch('/api/session'));
  if (session?.person.id === personId) signedOut.end();
  else signedOut.report();
}

export async function signOut(): Promise<void> {
  await send(globalFetch, 'DELETE', '/api/session');
  tellOtherWindows();
}

export const setWeather = (clientId: string, change: { delayMs?: number; drop?: number }): Promise<unknown> =>
  send(globalFetch, 'POST', '/api/weather', { clientId, ...change });

export const restartHub = (): Promise<unknown> => send(globalFetch, 'POST', '/api/weather/restart-hub');

export const reloadAll = (fetch: Fetch, hard: boolean): Promise<unknown> =>
  send(fetch, 'POST', '/api/weather/reload', { hard });

/**
 * The user that this page was served for. Another window of the browser may sign in another user, because the cookie
 * is shared.
 */
let personId: number | null = null;
export const speakFor = (id: number): void => void (personId = id);
const who = (): Record<string, string> => (personId === null ? {} : { 'x-desk-person': String(personId) });

const globalFetch: Fetch = (input, init) => globalThis.fetch(input, init);

async function ask<T>(path: string, signal: AbortSignal): Promise<T> {
  return await answer<T>(() => globalFetch(path, { signal, headers: who() }));
}

async function send<T>(fetch: Fetch, method: string, path: string, body?: unknown, key?: string): Promise<T> {
  const headers = {
    ...who(),
    ...(key === undefined ? {} : { 'idempotency-key': key }),
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
  };
  const answered = await answer<T>(() =>
    fetch(path, { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) }),
  );
  signedOut.end();
  return answered;
}

/** The caller knows what its route answers; a refusal becomes an `ApiError`. */
async function answer<T>(request: () => Promise<Response>): Promise<T> {
  let response: Response;
  try {
    response = await request();
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') throw error;
    throw new ApiError(0, 'unreachable', 'The desk cannot be reached. Please check your connection.');
  }
  const body: unknown = await response.json().catch(() => null);
  // True where `ok`: the API answers what its route promises.
  if (response.ok) return body as T;
  if (response.status === 401) signedOut.report();
  const refusal = (body as ApiErrorBody | null)?.error;
  throw new ApiError(
    response.status,
    refusal?.code ?? 'unknown',
    refusal?.message ?? `The desk answered with an error (${response.status}).`,
    refusal?.fields,
  );
}
