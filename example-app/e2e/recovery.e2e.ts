// Recovery from a cut stream, lost messages, and restarts of the hub and the server.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { startDesk } from './deskServer.ts';
import { change, expect, goOffline, isLive, open, row, sitDown, tabCount, test } from './fixtures.ts';
import { freePort } from '../../server/test/support/freePort.ts';

const weather = async (page: Page, item: string | RegExp): Promise<void> => {
  await page.locator('[data-popover="weather"]').click();
  await page.locator('.weather-item', { hasText: item }).click();
  await page.keyboard.press('Escape');
};

const badge = (page: Page, id: number) => row(page, id).locator('.badge');

test('a cut stream shows a banner, then missed messages are replayed without further requests', async ({
  sit,
  speakAs,
}) => {
  const a = await speakAs('mara');
  const id = await open(a.api);
  const b = await sit('tomas', '/tickets?status=closed');
  const before = await tabCount(b.page, 'solved').textContent();
  await expect(b.page.locator('[data-stream-banner]')).toHaveCount(0);

  await goOffline(b);
  await expect(b.page.locator('[data-stream-banner]')).toBeVisible();
  await change(a.api, id, { status: 'solved' });
  b.forget();
  await b.context.setOffline(false);
  await expect(b.page.locator('[data-stream-banner]')).toHaveCount(0);
  await expect(tabCount(b.page, 'solved')).not.toHaveText(before ?? '');
  // A resync would have requested the list and the bell too.
  expect(b.asked()).toEqual(['GET /api/counts']);
});

test('a stream that the user disconnects stays off until the user reconnects it', async ({ sit }) => {
  const a = await sit('mara', '/tickets');
  const id = await open(a.api);
  const b = await sit('tomas', '/tickets');
  await weather(b.page, 'Cut the stream');
  await expect(b.page.locator('[data-stream-banner]')).toContainText('off');
  await change(a.api, id, { status: 'pending' });
  await expect(badge(a.page, id)).toHaveText('Pending');
  await expect(badge(b.page, id)).toHaveText('Open');
  await b.page.getByRole('button', { name: 'Connect now' }).click();
  await expect(badge(b.page, id)).toHaveText('Pending');
  await expect(b.page.locator('[data-stream-banner]')).toHaveCount(0);
});

test('a lost message is detected as a gap, and the client refetches', async ({ sit, speakAs }) => {
  const a = await speakAs('mara');
  const lost = await open(a.api, { subject: 'The lost one' });
  const next = await open(a.api, { subject: 'The one after it' });
  const b = await sit('tomas', '/tickets?q=one');
  await weather(b.page, 'Lose the next message');
  await expect(b.page.getByText('will lose the next message')).toBeVisible();

  await change(a.api, lost, { priority: 'urgent', status: 'pending' });
  await change(a.api, next, { status: 'solved' });
  await expect(badge(b.page, next)).toHaveText('Solved');
  await expect(badge(b.page, lost)).toHaveText('Pending');
});

test('every window recovers after a restart in which the hub loses its log', async ({ sit }) => {
  const a = await sit('mara', '/tickets');
  const id = await open(a.api);
  const b = await sit('tomas', '/tickets');
  await expect(row(b.page, id)).toBeVisible();
  await weather(a.page, 'Restart the hub');
  await expect(a.page.getByText('The hub was restarted')).toBeVisible();
  await change(a.api, id, { status: 'pending' });
  await expect(badge(b.page, id)).toHaveText('Pending');
  await expect(badge(a.page, id)).toHaveText('Pending');
  await change(a.api, id, { status: 'solved' });
  await expect(badge(b.page, id)).toHaveText('Solved');
});

test('a client reconnects to a restarted server and shows the changes from before it was back', async ({
  browser,
}) => {
  test.setTimeout(150_000);
  const folder = mkdtempSync(join(tmpdir(), 'desk-'));
  const port = String(await freePort());
  const env = { PORT: port, DATA_FOLDER: join(folder, 'data'), SEED_TICKETS: '120' };
  let desk = await startDesk(env);
  const context = await browser.newContext({ baseURL: desk.url });
  try {
    const b = await sitDown(context, 'mara', '/tickets');
    const id = await open(b.api);
    await expect(badge(b.page, id)).toHaveText('Open');

    // A second process would write to the same files.
    await expect(startDesk({ ...env, PORT: '0' })).rejects.toThrow(/Another desk/);
    await desk.kill();
    await expect(b.page.locator('[data-stream-banner]')).toBeVisible();
    desk = await startDesk(env);
    await change(b.api, id, { status: 'solved' });
    await expect(b.page.locator('[data-stream-banner]')).toHaveCount(0, { timeout: 40_000 });
    await expect(badge(b.page, id)).toHaveText('Solved');
    await isLive(b.page);
  } finally {
    await context.close();
    await desk.stop();
    rmSync(folder, { recursive: true, force: true });
  }
});

test('a reload of all windows happens once in each window', async ({ sit }) => {
  const a = await sit('mara', '/tickets');
  const b = await sit('tomas', '/tickets');
  const loads = { a: 0, b: 0 };
  a.page.on('load', () => (loads.a += 1));
  b.page.on('load', () => (loads.b += 1));
  await weather(a.page, /^Reload all windows(?!,)/);
  await expect.poll(() => loads).toEqual({ a: 1, b: 1 });
  await isLive(a.page);
  await isLive(b.page);
  // A later change arrives and no window has reloaded again, so the replayed directive was recognized.
  const id = await open(a.api);
  for (const { page } of [a, b]) await expect(row(page, id)).toBeVisible();
  expect(loads).toEqual({ a: 1, b: 1 });

  await weather(b.page, 'Reload all windows, hard');
  await expect.poll(() => loads).toEqual({ a: 2, b: 2 });
  await isLive(a.page);
});

test('a request that failed offline is repeated after the reconnect, and its list is never shown as empty', async ({
  sit,
}) => {
  const seat = await sit('mara', '/tickets');
  const { page, context, api } = seat;
  await open(api, { subject: 'A fire', priority: 'urgent' });
  await goOffline(seat);
  await expect(page.locator('[data-stream-banner]')).toBeVisible();
  await page.getByRole('link', { name: 'Dashboard' }).click();
  const urgent = page.locator('.card-rows');
  await expect(urgent.getByRole('alert')).toContainText('cannot be reached');
  await expect(urgent).not.toContainText('Nothing urgent');

  await context.setOffline(false);
  await expect(urgent.locator('.row').first()).toBeVisible();
  await expect(urgent.getByRole('alert')).toHaveCount(0);
});
