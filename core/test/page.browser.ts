// The platform's page and its events, in a real page.

import { createDataLayer } from '@edict/core';
import type { DataLayer } from '@edict/core';
import { expect, it, onTestFinished } from 'vitest';

/** A stream that is open until it is aborted. */
const openStream = (): Response =>
  new Response(new ReadableStream(), { headers: { 'content-type': 'text/event-stream' } });

function setup(): { dl: DataLayer; heard: string[]; opened: () => Promise<void> } {
  const dl = createDataLayer({ env: { fetch: async () => openStream() } });
  onTestFinished(() => dl.dispose());
  const heard: string[] = [];
  dl.onLifecycle('sse:connecting', () => heard.push('connecting'));
  dl.onLifecycle('sse:close', ({ detail }) => heard.push(`close: ${detail.reason}`));
  const opened = (): Promise<void> =>
    new Promise((resolve) => {
      const end = dl.onLifecycle('sse:open', () => {
        end();
        resolve();
      });
    });
  return { dl, heard, opened };
}

const tell = (type: string, persisted: boolean): boolean =>
  window.dispatchEvent(new PageTransitionEvent(type, { persisted }));

it('D-SSE-5 pagehide closes the stream, and pageshow from the back/forward cache reconnects', async () => {
  const { dl, heard, opened } = setup();
  dl.init();
  await opened();
  tell('pagehide', true);
  expect(heard).toEqual(['connecting', 'close: pagehide']);
  tell('pageshow', false);
  expect(heard).toHaveLength(2);
  tell('pageshow', true);
  await opened();
  expect(heard).toEqual(['connecting', 'close: pagehide', 'connecting']);
});

it('D-NAME-3 accepts the own fetch and timers of the page, which work on no other object', async () => {
  const { fetch, setTimeout, clearTimeout } = window;
  const dl = createDataLayer({ env: { fetch, setTimeout, clearTimeout } });
  onTestFinished(() => dl.dispose());
  dl.createType('ticket', { fetch: async () => await (await dl.fetch('data:,Printer')).text() });
  const ref = dl.fetchItem('ticket', 1);
  await dl.whenSettled(ref);
  expect(ref.data).toBe('Printer');
});

it('D-FETCH-9 watched entries that became stale are refetched when the page is visible again, until dispose', async () => {
  const { dl } = setup();
  let fetches = 0;
  dl.createType('ticket', { stalenessMs: 0, fetch: async (id) => ({ id, number: ++fetches }) });
  const ref = dl.fetchItem('ticket', 1);
  dl.onRefChange(ref, () => undefined);
  await dl.whenSettled(ref);
  document.dispatchEvent(new Event('visibilitychange'));
  await dl.whenSettled(ref);
  expect(fetches).toBe(2);
  dl.dispose();
  document.dispatchEvent(new Event('visibilitychange'));
  tell('pagehide', false);
  expect(fetches).toBe(2);
});

it('D-SSE-4 the online event ends the wait for the next attempt', async () => {
  const { dl, heard, opened } = setup();
  dl.init();
  await opened();
  tell('pagehide', true);
  window.dispatchEvent(new Event('online'));
  await opened();
  expect(heard).toEqual(['connecting', 'close: pagehide', 'connecting']);
});

it('D-SRC-3 a relative address that <base> moves to another origin gets no client id', async () => {
  const sent: Request[] = [];
  const dl = createDataLayer({
    env: {
      fetch: async (input, init) => {
        sent.push(new Request(input, init));
        return new Response();
      },
    },
  });
  onTestFinished(() => dl.dispose());
  const base = document.createElement('base');
  const clientIds = async (href: string): Promise<unknown> => {
    base.href = href;
    document.head.append(base);
    await dl.fetch('/api/tickets', { method: 'POST' }).finally(() => base.remove());
    const { url, headers } = sent.at(-1) as Request;
    return [url, headers.get('X-Service-Client-ID')];
  };
  expect(await clientIds('https://other.example/')).toEqual(['https://other.example/api/tickets', null]);
  expect(await clientIds('/app/')).toEqual([`${location.origin}/api/tickets`, dl.clientId()]);
});
