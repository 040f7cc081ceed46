// The HTTP API as functions. Reads are the fetch functions of the definitions (data.ts). Writes receive the `json` of
// `useMutation`, which applies the directives of the response.

import { DL, HttpError, type JsonInit } from '@edict/core';
import type {
  Activity,
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
import { signedOut, notifyOtherWindows } from './signedOut.ts';

type Json = (url: string, init?: JsonInit) => Promise<unknown>;

/** The browser sends the reads over HTTP. The server calls its own functions when it renders a page. */
export interface DeskReads {
  tickets: (params: TicketParams, signal: AbortSignal) => Promise<{ items: TicketSummary[]; count: number }>;
  /** By id. Null: the ticket does not exist, or this user may not see it. */
  summaries: (ids: readonly number[], signal: AbortSignal) => Promise<Record<number, TicketSummary | null>>;
  /** Null: as above. */
  ticket: (id: number, signal: AbortSignal) => Promise<Ticket | null>;
  /** The latest changes of all tickets. */
  activity: (signal: AbortSignal) => Promise<Activity[]>;
  counts: (signal: AbortSignal) => Promise<Counts>;
  directory: (signal: AbortSignal) => Promise<Directory>;
  notifications: (
    page: number,
    signal: AbortSignal,
  ) => Promise<{ items: Notification[]; info: { unread: number } }>;
  /** Null: this user may no longer see its ticket. */
  notification: (id: number, signal: AbortSignal) => Promise<Notification | null>;
}

export const httpReads: DeskReads = {
  tickets: (params, signal) =>
    get(
      `/api/tickets?${new URLSearchParams(Object.entries(params).map(([key, value]) => [key, String(value)]))}`,
      signal,
    ),
  summaries: (ids, signal) => get(`/api/tickets/summaries?ids=${ids.join()}`, signal),
  ticket: (id, signal) => get<Ticket>(`/api/tickets/${id}`, signal).catch(nullIfNotFound),
  activity: (signal) => get('/api/activity', signal),
  counts: (signal) => get('/api/counts', signal),
  directory: (signal) => get('/api/directory', signal),
  notifications: (page, signal) => get(`/api/notifications?page=${page}`, signal),
  notification: (id, signal) => get(`/api/notifications/${id}`, signal),
};

function nullIfNotFound(error: unknown): null {
  if (error instanceof HttpError && error.status === 404) return null;
  throw error;
}

/** With the same key, the server does not create the ticket again. Resolves to the id of the ticket. */
export const createTicket = async (json: Json, ticket: CreateTicket, key: string): Promise<number> =>
  (await send<{ id: number }>(json, '/api/tickets', { json: ticket }, key)).id;

export const changeTicket = (json: Json, id: number, change: ChangeTicket): Promise<unknown> =>
  send(json, `/api/tickets/${id}`, { method: 'PATCH', json: change });

/** The ids of changed tickets, by the status that they had before. */
export type Before = Partial<Record<Status, number[]>>;

export const setStatusOfMany = async (
  json: Json,
  change: { ids: readonly number[]; status: Status; within?: TicketFilters },
): Promise<Before> =>
  (await send<{ before: Before }>(json, '/api/tickets/bulk-status', { json: change })).before;

/** With the same key, the server does not add the comment again. */
export const addComment = (json: Json, id: number, body: string, key: string): Promise<unknown> =>
  send(json, `/api/tickets/${id}/comments`, { json: { body } }, key);

export const removeTicket = (json: Json, id: number): Promise<unknown> =>
  send(json, `/api/tickets/${id}`, { method: 'DELETE' });

/** All notifications, or the one with the id. */
export const readNotifications = (json: Json, id?: number): Promise<unknown> =>
  send(json, `/api/notifications/${id === undefined ? '' : `${id}/`}read`, { method: 'POST' });

export async function signIn(personId: number): Promise<void> {
  await send(DL.json, '/api/session', { json: { personId } });
  notifyOtherWindows();
}

export async function signOut(): Promise<void> {
  await send(DL.json, '/api/session', { method: 'DELETE' });
  notifyOtherWindows();
}

/** The session is valid. If it had ended, the client stopped when its stream was refused. */
function resume(): void {
  if (signedOut.end()) DL.connectSse();
}

/** Checks whether the user of this page is still signed in. */
export async function checkSession(): Promise<void> {
  const session = await get<Session | null>('/api/session');
  if (session?.person.id === personId) resume();
  else signedOut.report();
}

export const setWeather = (change: { clientId: string; delayMs?: number; drop?: number }): Promise<unknown> =>
  send(DL.json, '/api/weather', { json: change });

export const restartHub = (): Promise<unknown> =>
  send(DL.json, '/api/weather/restart-hub', { method: 'POST' });

/** Changes tickets in the database, past the application. */
export const runPlainSql = (): Promise<unknown> => send(DL.json, '/api/weather/psql', { method: 'POST' });

export const reloadAll = (json: Json, hard: boolean): Promise<unknown> =>
  send(json, '/api/weather/reload', { json: { hard } });

/** Errors of form fields, by field name; empty if the error is about the whole request. */
export const fieldsOf = (error: unknown): Readonly<Record<string, string>> =>
  (error instanceof HttpError && isErrorBody(error.body) && error.body.error.fields) || {};

const isErrorBody = (body: unknown): body is ApiErrorBody =>
  typeof body === 'object' && body !== null && 'error' in body;

/** The message of an error for users. */
export const messageOf = (error: unknown): string =>
  error instanceof HttpError ? error.message : 'The desk cannot be reached. Check your connection.';

/** Whether another attempt can succeed: the network failed, or the server did. */
export const isTemporary = (error: unknown): boolean => !(error instanceof HttpError) || error.status >= 500;

/**
 * The user that this page was served for. Another window of the browser may sign in another user, because the cookie
 * is shared.
 */
let personId: number | null = null;
export const actAs = (id: number): void => void (personId = id);
const personHeader = (): Record<string, string> =>
  personId === null ? {} : { 'x-desk-person': String(personId) };

async function get<T>(path: string, signal?: AbortSignal): Promise<T> {
  const response = await fetch(path, { headers: personHeader(), ...(signal && { signal }) });
  if (response.ok) return await response.json();
  if (response.status === 401) signedOut.report();
  throw new HttpError(response, await response.json().catch(() => undefined));
}

async function send<T>(json: Json, path: string, init: JsonInit, key?: string): Promise<T> {
  const headers = { ...personHeader(), ...(key !== undefined && { 'idempotency-key': key }) };
  try {
    const body = (await json(path, { ...init, headers })) as T; // Written by the server of this application.
    resume();
    return body;
  } catch (error) {
    if (error instanceof HttpError && error.status === 401) signedOut.report();
    throw error;
  }
}
