// The HTTP API of the demo for the page itself: opening a room, the server's rows, the colleagues.

import { createClock, type Clock } from './clock.ts';
import type { DemoRoom, DemoTicket } from './model.ts';

type Fetch = typeof globalThis.fetch;

/** Errors have messages for visitors. */
async function request(fetch: Fetch, path: string, init: RequestInit): Promise<Response> {
  const response = await fetch(`/api/demo${path}`, init).catch((error: unknown) => {
    // Each browser has its own words for it.
    throw error instanceof TypeError ? new Error('The server cannot be reached.') : error;
  });
  if (!response.ok) throw new Error(`The server responded with status ${response.status}.`);
  return response;
}

export const getJson = async <T>(fetch: Fetch, path: string, signal: AbortSignal | null = null): Promise<T> =>
  await (await request(fetch, path, { signal })).json();

export const send = async (fetch: Fetch, method: string, path: string, body: object): Promise<Response> =>
  await request(fetch, path, {
    method,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

export interface OpenRoom {
  path: string;
  name: string;
  clock: Clock;
}

export async function openRoom(): Promise<OpenRoom> {
  const clock = createClock();
  const response = await clock.time(() => send(globalThis.fetch, 'POST', '/rooms', {}));
  const { room }: DemoRoom = await response.json();
  return { path: `/rooms/${room}`, name: room, clock };
}

/** The server's rows, for the comparison with the screen. */
export async function serverRows({ path, clock }: OpenRoom): Promise<DemoTicket[]> {
  const response = await clock.time(() => request(globalThis.fetch, `${path}/tickets`, {}));
  return await response.json();
}

export const burst = async (room: OpenRoom, count: number): Promise<Response> =>
  await send(globalThis.fetch, 'POST', `${room.path}/burst`, { count });

export const setColleagues = async (room: OpenRoom, areWorking: boolean): Promise<Response> =>
  await send(globalThis.fetch, 'PUT', `${room.path}/colleagues`, { areWorking });
