// Runs the worker's block of docs/server/frameworks.md, with its Durable Object in this process. The other recipes are files in
// test/recipes.

import { expect, it } from 'vitest';
import { openPage } from '../support/pages.ts';
import { readStream } from '../support/stream.ts';

interface Worker {
  readonly Desk: new () => { readonly fetch: (request: Request) => Response | Promise<Response> };
  readonly default: {
    readonly fetch: (request: Request, env: { DESK: unknown }) => Response | Promise<Response>;
  };
}

it('“Cloudflare Workers”: every request reaches the same object, and a mutation reaches its streams', async () => {
  const { Desk, default: worker } = await openPage('docs/server/frameworks.md').run<Worker>('worker.ts');
  const objects = new Map<unknown, InstanceType<Worker['Desk']>>();
  const DESK = {
    idFromName: (name: string) => name,
    get: (id: unknown) => objects.get(id) ?? objects.set(id, new Desk()).get(id),
  };
  const ask = (path: string, init?: RequestInit): Response | Promise<Response> =>
    worker.fetch(new Request(new URL(path, 'http://desk.example'), init), { DESK });

  const leaving = new AbortController();
  const stream = await ask('/api/events?client_id=b', { signal: leaving.signal });
  const { atLeast } = readStream(stream.body as ReadableStream); // The response of the hub has a body.
  await atLeast(1);
  expect(await (await ask('/api/tickets/7', { method: 'PUT' })).json()).toEqual({ ok: true });
  const [, pushed] = await atLeast(2);
  expect(pushed?.envelope?.directives).toMatchObject([{ op: 'refresh_item', name: 'ticket', id: 7 }]);
  expect(objects.size).toBe(1);
  leaving.abort();
});
