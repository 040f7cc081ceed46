// The HTTP API of the demo for the page itself: opening a room, the server's rows, the colleagues.

import type { DemoRoom, DemoTicket } from './model.ts';

type Fetch = typeof globalThis.fetch;

export async function getJson<T>(fetch: Fetch, path: string, signal?: AbortSignal): Promise<T> {
  const response = await fetch(`/api/demo${path}`, signal === undefined ? {} : { signal });
  if (!response.ok) throw new Error(`The server responded with status ${response.status}.`);
  return await response.json();
}

export async function send(fetch: Fetch, method: string, path: string, body: object): Promise<Response> {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(`/api/demo${path}`, { method, headers, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`The server responded with status ${response.status}.`);
  return response;
}

export interface OpenRoom {
  path: string;
  name: string;
  /** The server's clock minus this one, in milliseconds. */
  aheadMs: number;
}

export async function openRoom(): Promise<OpenRoom> {
  const sentAt = Date.now();
  const response = await send(globalThis.fetch, 'POST', '/rooms', {});
  const respondedAt = Date.now();
  const { room, now }: DemoRoom = await response.json();
  return {
    path: `/rooms/${room}`,
    name: room,
    aheadMs: now - (responseAt(response.url) ?? (sentAt + respondedAt) / 2),
  };
}

/**
 * When the server responded, on this page's clock. The browser measures it outside of the main thread, which is busy while the page starts.
 * Null without such a measurement.
 */
function responseAt(url: string): number | null {
  const timing = performance
    .getEntriesByName(url, 'resource')
    .find((entry) => entry instanceof PerformanceResourceTiming);
  if (timing === undefined || timing.responseStart === 0) return null;
  return performance.timeOrigin + (timing.requestStart + timing.responseStart) / 2;
}

/** The server's rows, for the comparison with the screen. */
export const serverRows = async (room: OpenRoom): Promise<DemoTicket[]> =>
  await getJson(globalThis.fetch, `${room.path}/tickets`);

export const burst = async (room: OpenRoom, count: number): Promise<Response> =>
  await send(globalThis.fetch, 'POST', `${room.path}/burst`, { count });

export const setColleagues = async (room: OpenRoom, areWorking: boolean): Promise<Response> =>
  await send(globalThis.fetch, 'PUT', `${room.path}/colleagues`, { areWorking });
