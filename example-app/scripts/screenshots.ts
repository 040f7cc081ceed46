// Takes the screenshots of the documentation: npm run screenshots (writes to docs/images).

import { mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { chromium, type Locator, type Page } from '@playwright/test';
import { chromiumOptions } from '../../scripts/chromium.ts';
import { startDesk } from '../e2e/deskServer.ts';

const folder = fileURLToPath(new URL('../../docs/images/', import.meta.url));
mkdirSync(folder, { recursive: true });

const desk = await startDesk({ SEED_TICKETS: '5000' });
const browser = await chromium.launch(chromiumOptions);

async function open(
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
  await context.request.post('/api/session', { data: { personId: 1 } });
  const page = await context.newPage();
  page.on('pageerror', (error) => console.error('page:', error.message));
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') console.error('console:', message.text());
  });
  await page.goto(path);
  await page.locator('[data-live="true"]').waitFor();
  await page.locator('.row-bones, .bone').first().waitFor({ state: 'detached' });
  return page;
}

const shoot = async (page: Page, name: string): Promise<void> => {
  await page.waitForTimeout(400);
  await page.screenshot({ path: `${folder}${name}.png` });
  console.log(name);
};

/** The devtools over a list of tickets, after a change of one of them. */
async function openDevtools(dark: boolean): Promise<[Page, Locator]> {
  const page = await open('/tickets?status=open', { height: 800, dark });
  await page.getByRole('button', { name: 'Devtools', exact: true }).click();
  const panel = page.getByRole('region', { name: 'Edict devtools' });
  await panel.waitFor();
  const id = await page.locator('[data-row]').nth(2).getAttribute('data-row');
  await page.context().request.patch(`/api/tickets/${id}`, { data: { priority: dark ? 'low' : 'urgent' } });
  await panel
    .getByRole('option', { name: /new data/ })
    .first()
    .waitFor();
  return [page, panel];
}

try {
  await shoot(await open('/'), 'dashboard');
  const dark = await open('/tickets?status=open', { dark: true });
  await dark.locator('[data-row]').nth(3).click();
  await dark.locator('.timeline').waitFor();
  await shoot(dark, 'dark');
  const [light, timeline] = await openDevtools(false);
  await timeline.getByRole('option', { name: /refresh_collection tickets \{ status: open \}/ }).click();
  await timeline.getByRole('list', { name: 'Effects of this directive' }).waitFor();
  await shoot(light, 'devtools-light');
  const [night, cache] = await openDevtools(true);
  await cache.getByRole('tab', { name: 'Cache' }).click();
  await cache
    .getByRole('option', { name: /ticket \d+/ })
    .first()
    .click();
  await shoot(night, 'devtools-dark');
} finally {
  await browser.close();
  await desk.stop();
}
