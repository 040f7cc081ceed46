// Runs the servers and clients of the README and of the guides: after a click in one of two tabs, both show the change. Also runs
// the server-rendered page.

import { dehydrate } from '@edict/core/hydration';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createDataLayer, type DataLayer } from '@edict/core';
import { expect, it, onTestFinished } from 'vitest';
import type { Hub } from '../../src/index.ts';
import { block, bundle, launch, start, twoTabs } from '../support/examples.ts';
import { openPage } from '../support/pages.ts';
import { hubForTest, listen } from '../support/servers.ts';

it('the README’s example shows a change in both tabs', async () => {
  const url = await start(block('README.md', 'server.ts'));
  const script = await bundle(block('README.md', 'client.tsx'), 'browser');
  await twoTabs(url, script, 'Printer on fire: open', 'Printer on fire: solved');
});

it('the README’s example is shorter than fifty lines', () => {
  const files = ['server.ts', 'client.tsx'].map((file) => block('README.md', file));
  const lines = files.join('\n').split('\n');
  expect(lines.filter((line) => line.trim() !== '').length).toBeLessThan(50);
});

it('“Quick start” shows a change in both tabs', async () => {
  const page = 'docs/start/quick-start.md';
  const url = await start(block(page, 'server.ts'));
  const files = { './data.ts': block(page, 'src/data.ts'), './App.tsx': block(page, 'src/App.tsx') };
  const script = await bundle(block(page, 'src/main.tsx'), 'browser', files);
  await twoTabs(url, script, '0', '1');
});

/** The exports of the guide's page.tsx. */
interface PageModule {
  renderPage: (hub: Hub, cookie: string) => Promise<string>;
}

it('“Server rendering” shows a change between the rendering and the first connection, and fetches nothing twice', async () => {
  const guide = 'docs/guides/server-rendering.md';
  const hub = hubForTest();
  const titles = new Map([
    ['7', 'on fire'],
    ['8', 'wet'],
  ]);
  const asked: string[] = [];
  const cookies = new Set<string | undefined>();
  let render: PageModule['renderPage'] = () => Promise.reject(new Error('not loaded yet'));
  let script = '';
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost');
    const json = (value: unknown): void => {
      asked.push(pathname);
      cookies.add(request.headers.cookie);
      response.setHeader('content-type', 'application/json').end(JSON.stringify(value));
    };
    if (pathname === '/api/events') return hub.nodeHandler(request, response);
    if (pathname === '/api/tickets') return json([...titles].map(([id, title]) => ({ id, title })));
    const id = /^\/api\/tickets\/(.*)$/.exec(pathname)?.[1];
    if (id !== undefined) return json({ id, title: titles.get(id) });
    if (pathname === '/client.js') {
      response.setHeader('content-type', 'text/javascript').end(script);
      return;
    }
    if (pathname !== '/') {
      response.writeHead(404).end();
      return;
    }
    void render(hub, 'user=mara').then(async (html) => {
      // The page is not sent yet, and no client is connected.
      titles.set('7', 'extinguished');
      await hub.emit([{ op: 'refresh_item', name: 'ticket', id: '7' }]);
      asked.push('page');
      response.setHeader('content-type', 'text/html; charset=utf-8').end(html);
    });
  });
  const url = await listen(server);

  const files = {
    './data.ts': block(guide, 'data.ts').replace('http://localhost:3000', url),
    './App.tsx': block(guide, 'App.tsx'),
  };
  const folder = mkdtempSync(join(tmpdir(), 'edict-page-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, 'page.cjs'), await bundle(block(guide, 'page.tsx'), 'node', files));
  const load = createRequire(import.meta.url);
  render = (load(join(folder, 'page.cjs')) as PageModule).renderPage; // The exports of the guide's block.
  script = await bundle(block(guide, 'client.tsx'), 'browser', files);

  const page = await (await launch()).newPage();
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('console', (message) => void (message.type() === 'error' && complaints.push(message.text())));
  await page.goto(url);
  await page.getByText('extinguished').waitFor();
  await page.getByText('wet').waitFor();
  const [before, after] = [asked.slice(0, asked.indexOf('page')), asked.slice(asked.indexOf('page') + 1)];
  expect(before).toEqual(['/api/tickets']);
  // Only the changed ticket is fetched again.
  expect(after).toEqual(['/api/tickets/7']);
  expect([...cookies]).toEqual(['user=mara', undefined]);
  expect(complaints.filter((text) => !text.includes('favicon') && !text.includes('404'))).toEqual([]);
});

it('“When a prefetch fails”: it resolves, `meta.error` is set, and the state omits the item', async () => {
  const { failureOf } = await openPage('docs/guides/server-rendering.md').run<{
    failureOf: (dl: DataLayer) => string | null;
  }>('failed.ts');
  const dl = createDataLayer();
  onTestFinished(() => dl.dispose());
  dl.createType('ticket', { fetch: () => Promise.reject(new Error('503')) });
  dl.createCollection('tickets', { fetch: () => ({ ids: ['7'] }) });
  await dl.prefetchCollection('tickets');
  expect(failureOf(dl)).toBeNull();
  await dl.prefetchItem('ticket', 7);
  expect(failureOf(dl)).toBe('503');
  expect(dehydrate(dl)).toMatchObject({ items: [], collections: [{ name: 'tickets' }] });
});
