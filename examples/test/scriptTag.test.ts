// The built core and devtools on a page with script tags. The built packages have shorter names for internal properties, so both have to
// use the same ones.

import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { chromium } from '@playwright/test';
import { expect, it, onTestFinished } from 'vitest';
import { chromiumOptions } from '../../scripts/chromium.ts';
import { folderOf } from './program.ts';

const scripts = new Map([
  ['/core.js', '../core/dist/index.global.js'],
  ['/devtools.js', '../devtools/dist/index.global.js'],
]);

const html = `<!doctype html>
<title>Script tags</title>
<p id="title"></p>
<script src="/core.js"></script>
<script src="/devtools.js"></script>
<edict-devtools theme="dark" open></edict-devtools>
<script>
  DL.createType('ticket', { fetch: (id) => ({ id, title: 'Printer on fire' }) });
  DL.init({ sse: { enabled: false } });
  const ticket = DL.fetchItem('ticket', 7);
  DL.onRefChange(ticket, () => (document.getElementById('title').textContent = ticket.data?.title ?? ''));
</script>`;

async function serve(): Promise<string> {
  const server = createServer(({ url }, response) => {
    const script = scripts.get(url ?? '');
    response.setHeader('content-type', script === undefined ? 'text/html' : 'text/javascript');
    response.end(script === undefined ? html : readFileSync(folderOf(script)));
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  onTestFinished(() => void server.close());
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server has no port.');
  return `http://127.0.0.1:${address.port}/`;
}

it('shows commits in the devtools of a page with script tags', async () => {
  const browser = await chromium.launch(chromiumOptions);
  onTestFinished(async () => await browser.close());
  const page = await browser.newPage();
  const errors: string[] = [];
  page.on('pageerror', ({ message }) => errors.push(message));
  page.on('console', (message) => {
    if (message.type() === 'error') errors.push(message.text());
  });
  await page.goto(await serve());
  await page.getByText('Printer on fire', { exact: true }).waitFor();
  const panel = page.getByRole('region', { name: 'Edict devtools' });
  await panel.getByRole('button', { name: 'Inject' }).click();
  await panel.getByLabel('Directives').fill('{ "op": "refresh_item", "name": "ticket", "id": 7 }');
  await panel.getByRole('button', { name: 'Apply' }).click();
  await panel.getByRole('option', { name: /Commit 1: ticket 7/ }).waitFor();
  expect(errors).toEqual([]);
});
