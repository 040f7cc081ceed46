// Takes the pictures for the documentation: npm run screenshots (writes to docs/images).

import { mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { chromium, type Page } from '@playwright/test';
import { chromiumOptions } from '../../scripts/chromium.ts';
import { startDesk } from '../e2e/deskServer.ts';

const folder = fileURLToPath(new URL('../../docs/images/', import.meta.url));
mkdirSync(folder, { recursive: true });

const desk = await startDesk({ SEED_TICKETS: '5000' });
const browser = await chromium.launch(chromiumOptions);

async function open(
  personId: number,
  path: string,
  options: { width?: number; height?: number; dark?: boolean } = {},
): Promise<Page> {
  const context = await browser.newContext({
    baseURL: desk.url,
    viewport: { width: options.width ?? 1360, height: options.height ?? 860 },
    colorScheme: options.dark === true ? 'dark' : 'light',
    deviceScaleFactor: 1.5,
    reducedMotion: 'reduce',
  });
  await context.request.post('/api/session', { data: { personId } });
  const page = await context.newPage();
  page.on('pageerror', (error) => console.error('page:', error.message));
  page.on('request', (request) => {
    const clientId = new URL(request.url()).searchParams.get('client_id');
    if (clientId !== null) clientIds.set(page, clientId);
  });
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') console.error('console:', message.text());
  });
  await page.goto(path);
  await page.locator('[data-live="true"]').waitFor();
  await page.locator('.row-bones, .bone').first().waitFor({ state: 'detached' });
  return page;
}

const clientIds = new WeakMap<Page, string>();

/** Chromium keeps open streams when a page goes offline, so the server ends this one. */
async function goOffline(page: Page): Promise<void> {
  await page.context().setOffline(true);
  await page.context().request.post('/api/weather/cut', { data: { clientId: clientIds.get(page) } });
}

const shoot = async (page: Page, name: string): Promise<void> => {
  await page.waitForTimeout(400);
  await page.screenshot({ path: `${folder}${name}.png` });
  console.log(name);
};

try {
  await shoot(await open(1, '/'), 'dashboard');
  await shoot(await open(1, '/tickets?status=open'), 'list');
  const detailPath = '/tickets?status=pending&assignee=me';
  const detail = await open(1, detailPath, { width: 1440, height: 900 });
  await detail.locator('[data-row]').nth(2).click();
  await detail.locator('.timeline').waitFor();
  await shoot(detail, 'detail');
  const dark = await open(1, '/', { dark: true });
  await shoot(dark, 'dashboard-dark');
  await dark.goto('/tickets?status=open');
  await dark.locator('[data-row]').nth(3).click();
  await dark.locator('.timeline').waitFor();
  await shoot(dark, 'dark');
  const narrow = await open(2, '/tickets?status=open', { width: 390, height: 844 });
  await shoot(narrow, 'narrow');
  await narrow.locator('[data-row]').nth(1).click();
  await narrow.locator('.timeline').waitFor();
  await shoot(narrow, 'narrow-detail');
  const offline = await open(1, '/tickets?status=open');
  await goOffline(offline);
  await offline.locator('[data-stream-banner]').waitFor();
  await offline.waitForTimeout(1500);
  await shoot(offline, 'offline');
  const bulk = await open(1, '/tickets?status=open');
  for (const place of [0, 1, 2, 4]) await bulk.locator('.row input').nth(place).check();
  await shoot(bulk, 'selection');
  await bulk.locator('[data-popover="weather"]').click();
  await shoot(bulk, 'weather');
  const draft = await open(1, '/tickets?status=open', { width: 1440, height: 900 });
  await draft.locator('[data-row]').first().click();
  await draft.getByPlaceholder('Write a comment').fill('Thank you for waiting. I have found the cause:');
  const other = await open(3, new URL(draft.url()).pathname, { width: 900, height: 860 });
  await other.locator('.properties').getByLabel('Priority').selectOption('urgent');
  await draft.locator('[data-meanwhile]').waitFor();
  await shoot(draft, 'draft');
  const tools = await open(1, '/tickets?status=open', { width: 1440, height: 900 });
  await tools.getByRole('button', { name: 'What the data layer does' }).click();
  await tools.waitForTimeout(1000);
  await other.getByRole('button', { name: 'Comment', exact: true }).waitFor();
  await other.locator('.properties').getByLabel('Status').selectOption('pending');
  await tools.waitForTimeout(1500);
  await shoot(tools, 'devtools');
  for (const colorScheme of ['light', 'dark'] as const) {
    const demo = await browser.newPage({
      viewport: { width: 1360, height: 900 },
      colorScheme,
      reducedMotion: 'reduce',
    });
    await demo.goto(`${desk.url}/demo`);
    await demo.locator('[data-ticket]').nth(11).waitFor();
    await demo.getByRole('button', { name: 'Cut', exact: true }).click();
    await demo.locator('.log-half[data-fate="missed"]').nth(2).waitFor();
    await shoot(demo, colorScheme === 'dark' ? 'demo-dark' : 'demo');
  }
  const signIn = await browser.newPage({ viewport: { width: 1360, height: 860 }, deviceScaleFactor: 1.5 });
  await signIn.goto(`${desk.url}/sign-in`);
  await shoot(signIn, 'sign-in');
} finally {
  await browser.close();
  await desk.stop();
}
