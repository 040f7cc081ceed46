// The HTTP API of the demo for the page itself: opening a room, the server's rows, the colleagues.

import { createClock, type Clock } from './clock.ts';
import type { DemoRoom, DemoTicket } from './model.ts';

type Fetch = typeof globalThis.fetch;

export async function getJson<T>(fetch: Fetch, path: string, signal?: AbortSignal): Promise<T> {
  const response = await fetch(`/api/demo${path}`, signal === undefined ? {} : { signal });
  if (!response.ok) throw new Error(`The server responded with status ${response.status}.`);
  return await response.json();
}

export async function send(fetch: Fetch, method: string, path: string, body?: object): Promise<Response> {
  const headers = { 'content-type': 'application/json' };
  const content = body === undefined ? {} : { headers, body: JSON.stringify(body) };
  const response = await fetch(`/api/demo${path}`, { method, ...content });
  if (!response.ok) throw new Error(`The server responded with status ${response.status}.`);
  return response;
}

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
  const response = await clock.time(() => send(globalThis.fetch, 'GET', `${path}/tickets`));
  return await response.json();
}

export const burst = async (room: OpenRoom, count: number): Promise<Response> =>
  await send(globalThis.fetch, 'POST', `${room.path}/burst`, { count });

export const setColleagues = async (room: OpenRoom, areWorking: boolean): Promise<Response> =>
  await send(globalThis.fetch, 'PUT', `${room.path}/colleagues`, { areWorking });
