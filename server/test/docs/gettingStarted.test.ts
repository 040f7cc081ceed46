// Follows docs/start/quick-start.md as a reader does: the server runs in a separate process, behind Vite's development server with the
// configuration of the page, and two tabs of a real browser are open.

import { readFileSync, writeFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { createServer, defaultClientConditions } from 'vite';
import { refreshItem } from '@edict/core/protocol';
import type { Hub } from '../../src/index.ts';
import { bundle, launch, openTab, startProcess } from '../support/examples.ts';
import { blockWith, openPage } from '../support/pages.ts';
import { hubForTest, serveHttp } from '../support/servers.ts';

const guide = 'docs/start/quick-start.md';

/** The file that `npm create vite` creates. */
const index = `<!doctype html><html><head><title>counter</title></head>
<body><div id="root"></div><script type="module" src="/src/main.tsx"></script></body></html>`;

it('“Quick start”: shows a click in both windows, and an edit without a reload', async () => {
  const { url } = await startProcess(blockWith(guide, 'server.ts').code);
  const { folder } = openPage(guide);
  writeFileSync(join(folder, 'index.html'), index);
  const configFile = join(folder, 'vite.config.ts');
  const config = blockWith(guide, 'vite.config.ts').code;
  expect(config).toContain('http://localhost:3000');
  writeFileSync(configFile, config.replace('http://localhost:3000', url));
  const vite = await createServer({
    configFile,
    root: folder,
    cacheDir: join(folder, '.vite'),
    logLevel: 'error',
    // Resolves the packages to their sources, so that no build is needed.
    resolve: { conditions: ['source', ...defaultClientConditions] },
    server: { host: '127.0.0.1', port: 0 },
  });
  onTestFinished(() => vite.close());
  await vite.listen();
  const address = vite.resolvedUrls?.local[0] ?? '';

  const context = await (await launch()).newContext();
  const tabs = [await context.newPage(), await context.newPage()] as const;
  for (const tab of tabs) {
    tab.on('pageerror', (error) => expect.fail(String(error)));
    await tab.goto(address);
    await tab.getByRole('button', { name: '0' }).waitFor({ timeout: 60_000 });
  }
  await tabs[0].getByRole('button').click();
  for (const tab of tabs) await tab.getByRole('button', { name: '1' }).waitFor();
  expect(await (await fetch(`${url}/api/counters/main`)).json()).toMatchObject({ count: 1 });

  // Edits the file as the guide describes. A reload of the page would remove the mark.
  const complaints: string[] = [];
  tabs[0].on('console', (said) => said.type() === 'error' && complaints.push(said.text()));
  await tabs[0].evaluate(() => Object.assign(globalThis, { isSamePage: true }));
  const app = join(folder, 'src/App.tsx');
  writeFileSync(app, readFileSync(app, 'utf8').replace('{data.count}', 'Count: $&'));
  for (const tab of tabs) await tab.getByRole('button', { name: 'Count: 1' }).waitFor();
  expect(await tabs[0].evaluate(() => 'isSamePage' in globalThis)).toBe(true);
  expect(complaints).toEqual([]);
});

it('“A list”: a changed task is refetched as one row, and a completed task leaves the list', async () => {
  const hub = hubForTest();
  const asked: string[] = [];
  const { serveTasks } = await openPage(guide).run<{
    serveTasks: (hub: Hub, request: IncomingMessage, response: ServerResponse) => Promise<void>;
  }>('tasks.ts');
  const { url } = await serveHttp((req, res) => {
    if (req.url?.startsWith('/api/events')) return hub.nodeHandler(req, res);
    if (req.method === 'GET') asked.push(req.url ?? '');
    return serveTasks(hub, req, res);
  });
  const script = await bundle(
    `import { DL } from '@edict/core';
     import { createRoot } from 'react-dom/client';
     import { OpenTasks } from './OpenTasks.tsx';
     DL.init();
     createRoot(document.body).render(<OpenTasks />);`,
    'browser',
    {
      './OpenTasks.tsx': blockWith(guide, 'src/OpenTasks.tsx').code,
      './taskData.ts': blockWith(guide, 'src/taskData.ts').code,
    },
  );
  const tab = await openTab(await (await launch()).newContext(), url, script, 'Task 1');
  await tab.getByText('Task 2').waitFor();
  await expect.poll(() => hub.metrics().connections).toBe(1);
  expect(asked.splice(0)).toEqual(['/api/tasks?isDone=false']);

  await hub.emit([refreshItem('task', '2')]);
  await expect.poll(() => asked.splice(0)).toEqual(['/api/tasks/2']);

  const answer = await fetch(`${url}/api/tasks/2`, { method: 'POST' });
  expect(await answer.json()).toMatchObject({ isDone: true, directives: [{ id: '2' }, { name: 'tasks' }] });
  await tab.getByText('Task 2').waitFor({ state: 'detached' });
  expect(asked[0]).toBe('/api/tasks?isDone=false');
  expect(await tab.getByRole('listitem').allTextContents()).toEqual(['Task 1']);
  expect((await fetch(`${url}/api/tasks/3`)).status).toBe(404);
  expect(await (await fetch(`${url}/api/tasks`)).json()).toMatchObject([
    { id: '1' },
    { id: '2', isDone: true },
  ]);
});

it('“Without React, without a build”: a page with two scripts shows a click in both tabs', async () => {
  const { url } = await startProcess(blockWith(guide, 'server.ts').code);
  const text = readFileSync(new URL(`../../../${guide}`, import.meta.url), 'utf8');
  const html = /^```html\n([\s\S]*?)^```$/m.exec(text)?.[1] ?? '';
  // The source of the script-tag build.
  const code = "import { DL } from '@edict/core'; Object.assign(globalThis, { DL });";
  const script = `(() => {${await bundle(code, 'browser')}})()`;
  const context = await (await launch()).newContext();
  await context.route(`${url}/`, (route) => route.fulfill({ contentType: 'text/html', body: html }));
  await context.route(`${url}/index.global.js`, (route) =>
    route.fulfill({ contentType: 'text/javascript', body: script }),
  );
  const tabs = [await context.newPage(), await context.newPage()] as const;
  for (const tab of tabs) {
    tab.on('pageerror', (error) => expect.fail(String(error)));
    await tab.goto(`${url}/`);
    await tab.getByRole('button', { name: '0' }).waitFor();
  }
  await tabs[0].getByRole('button').click();
  for (const tab of tabs) await tab.getByRole('button', { name: '1' }).waitFor();
});
