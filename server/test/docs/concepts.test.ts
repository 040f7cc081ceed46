// Runs the code blocks of docs/start/mental-model.md against a server on a real socket.

import type { ServerResponse } from 'node:http';
import type * as Core from '@edict/core';
import type { Directive } from '@edict/core';
import { expect, it, onTestFinished } from 'vitest';
import type { Hub } from '../../src/index.ts';
import { bundle, launch, openTab } from '../support/examples.ts';
import { blockWith, openPage, visit, type RunnablePage, type Visit } from '../support/pages.ts';
import { hubForTest, serveHttp } from '../support/servers.ts';

const articles = new Map([['7', { id: 7, title: 'Printers', body: 'They burn.' }]]);

/** A server of tickets and articles, a page that visits it, and the blocks of docs/start/mental-model.md. */
async function setup(): Promise<{ hub: Hub; page: RunnablePage; visited: Visit; dl: Core.DataLayer }> {
  const hub = hubForTest();
  const { url } = await serveHttp((req, res) => {
    const { pathname } = new URL(req.url ?? '/', 'http://localhost');
    const json = (value: unknown): void =>
      void res.setHeader('content-type', 'application/json').end(JSON.stringify(value));
    if (pathname === '/api/events') return hub.nodeHandler(req, res);
    if (pathname === '/api/tickets') return json([7, 8].map((id) => ({ id, title: `ticket ${id}` })));
    const [, kind, id = '', level] = /^\/api\/(tickets|articles)\/([^/]+)(?:\/(.*))?$/.exec(pathname) ?? [];
    if (kind === 'tickets' && id !== '404') return json({ id, title: `ticket ${id}` });
    const article = articles.get(id);
    if (kind === 'articles' && article !== undefined)
      return json(level === 'summary' ? { id: article.id, title: article.title } : article);
    res.writeHead(404).end();
  });
  const visited = visit(url);
  const page = openPage('docs/start/mental-model.md');
  const { DL: dl } = await import('@edict/core');
  onTestFinished(() => dl.dispose());
  await page.run('DL.register(ticket, tickets)');
  return { hub, page, visited, dl };
}

/** Connects, and waits until the client has its sequence number. */
async function connect(dl: Core.DataLayer, hub: Hub): Promise<void> {
  dl.init({ bulk: { delayMs: 0 } });
  const { seq } = await hub.cursor();
  await expect.poll(() => dl.state().sse.lastSeq['global']).toBe(seq);
}

/** The requests since the last call. */
const asked = (visited: Visit): string[] => visited.asked.splice(0).toSorted();

it('“Items and lists”: params are compared by content, and one request fetches a list with its items', async () => {
  const { dl, visited } = await setup();
  const all = dl.fetchCollection('tickets');
  expect(dl.fetchCollection('tickets', { params: {} })).toBe(all);
  const open = dl.fetchCollection('tickets', { params: { status: 'open', page: 1 } });
  expect(dl.fetchCollection('tickets', { params: { page: 1, status: 'open', q: undefined } })).toBe(open);
  expect(() => dl.fetchCollection('tickets', { params: { at: () => 1 } })).toThrow(/at/);
  await dl.whenSettled();
  for (const id of [7, 8]) dl.fetchItem('ticket', id);
  await dl.whenSettled();
  expect(asked(visited)).toEqual([
    'GET /api/tickets?filter={"page":1,"status":"open"}',
    'GET /api/tickets?filter={}',
  ]);
  expect(all.data.ids).toEqual([7, 8]);
});

it('“References”: the reference stays the same object while its data is replaced', async () => {
  const { dl, page } = await setup();
  await page.run('DL.onRefChange(reference');
  const ticket = dl.getItemRef('ticket', 7);
  expect(ticket.meta.isLoading).toBe(true);
  await dl.whenSettled(ticket);
  expect(dl.fetchItem('ticket', 7)).toBe(ticket);
  expect(ticket.data).toEqual({ id: '7', title: 'ticket 7' });
});

it('“Directives”: only the lists that the ticket left and entered are refetched, whatever their other filters are', async () => {
  const { hub, dl, page, visited } = await setup();
  await connect(dl, hub);
  for (const params of [{ status: 'open' }, { status: 'closed', q: 'fire' }, { status: 'waiting' }])
    dl.fetchCollection('tickets', { params });
  dl.fetchItem('ticket', 9);
  await dl.whenSettled();
  asked(visited);

  const { directives } = await page.run<{ directives: Directive[] }>('export const directives');
  await hub.emit(directives);
  await expect.poll(() => visited.asked.length).toBe(2);
  await dl.whenSettled();
  // The lists contain ticket 7, so it needs no request of its own.
  expect(asked(visited)).toEqual([
    'GET /api/tickets?filter={"q":"fire","status":"closed"}',
    'GET /api/tickets?filter={"status":"open"}',
  ]);
  // A directive that names nothing cached causes no request.
  const processed = new Promise((done) => dl.onLifecycle('directive:processed', done));
  await hub.emit([{ op: 'refresh_item', name: 'ticket', id: 99 }]);
  await processed;
  await dl.whenSettled();
  expect(asked(visited)).toEqual([]);
});

it('“Levels”: an item with two cached levels is fetched by one request, and its data is the merge', async () => {
  const { hub, dl, page, visited } = await setup();
  await page.run("defineItem('article'");
  await connect(dl, hub);
  const article = dl.fetchItem('article', 7);
  await dl.whenSettled();
  expect(article.data).toEqual(articles.get('7'));
  expect(asked(visited)).toEqual(['GET /api/articles/7']);

  await hub.emit([{ op: 'refresh_item', name: 'article', id: 7 }]);
  await expect.poll(() => visited.asked.length).toBe(1);
  await dl.whenSettled();
  expect(asked(visited)).toEqual(['GET /api/articles/7']);
});

it('“When a fetch fails”: reads do not repeat it, but `force` and directives do', async () => {
  const { hub, dl, visited } = await setup();
  await connect(dl, hub);
  const ticket = dl.fetchItem('ticket', 404);
  await dl.whenSettled();
  expect(ticket.meta.error).toBe('404 /api/tickets/404');
  dl.fetchItem('ticket', 404);
  await dl.whenSettled();
  expect(asked(visited)).toEqual(['GET /api/tickets/404']);
  dl.fetchItem('ticket', 404, null, { force: true });
  await dl.whenSettled();
  await hub.emit([{ op: 'refresh_item', name: 'ticket', id: 404 }]);
  await expect.poll(() => visited.asked.length).toBe(2);
  expect(asked(visited)).toEqual(['GET /api/tickets/404', 'GET /api/tickets/404']);
});

it('“When a fetch fails”: the component retries when the stream reconnects and when its button is clicked', async () => {
  let status = 503;
  const hub = hubForTest();
  const streams: ServerResponse[] = [];
  const { url } = await serveHttp((req, res) => {
    if (req.url?.startsWith('/api/events') !== true)
      return res.writeHead(status, { 'content-type': 'application/json' }).end('{"title":"Printers"}');
    streams.push(res);
    return hub.nodeHandler(req, res);
  });
  const script = await bundle(
    `import { DL } from '@edict/core';
     import { createRoot } from 'react-dom/client';
     import { Ticket, ticket } from './Ticket.tsx';
     DL.init({ sse: { initialRetryMs: 100 } });
     DL.register(ticket);
     createRoot(document.body).render(<Ticket id={7} />);`,
    'browser',
    { './Ticket.tsx': blockWith('docs/start/mental-model.md', 'Ticket.tsx').code },
  );
  const tab = await openTab(await (await launch()).newContext(), url, script, 'could not be read (503)');
  await expect.poll(() => hub.metrics().connections).toBe(1);
  status = 500;
  await tab.getByRole('button', { name: 'Try again' }).click();
  await tab.getByText('could not be read (500)').waitFor();
  status = 200;
  for (const stream of streams) stream.destroy();
  await tab.getByRole('heading', { name: 'Printers' }).waitFor();
  expect(await tab.getByRole('alert').count()).toBe(0);
});
