// Layout checks by geometry: elements do not overlap and are not cut off.

import type { Locator, Page } from '@playwright/test';
import { chromiumOptions } from '../../scripts/chromium.ts';
import {
  change,
  expect,
  fillNewTicket,
  goOffline,
  isLive,
  open,
  people,
  row,
  sitDown,
  test,
} from './fixtures.ts';
import { nextFrame } from './support/frames.ts';

interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

async function boxOf(locator: Locator): Promise<Box> {
  const box = await locator.boundingBox();
  if (box === null) throw new Error(`${String(locator)} is not on the screen.`);
  return box;
}

/** Whether two elements overlap. Both are measured at once, because a banner may appear or go between two measurements. */
const doOverlap = async (page: Page, one: string, other: string): Promise<boolean> => {
  await expect(page.locator(other)).toBeVisible();
  const boxes = await page.evaluate(
    (selectors) =>
      selectors.map((selector) => document.querySelector(selector)?.getBoundingClientRect().toJSON()),
    [one, other],
  );
  const [first, second] = boxes as [Box, Box]; // Both are on the screen.
  return doMeet(first, second);
};

/** The horizontal gap in pixels. Negative when the boxes overlap. */
const gapBetween = (left: Box, right: Box): number => right.x - (left.x + left.width);

const doMeet = (one: Box, other: Box): boolean =>
  one.x < other.x + other.width &&
  other.x < one.x + one.width &&
  one.y < other.y + other.height &&
  other.y < one.y + one.height;

/** The elements whose content is wider than they are. */
const cutOff = async (page: Page, selector: string): Promise<string[]> => {
  // The frame after a change of the window's size may still show the layout before it.
  await nextFrame(page);
  return await page
    .locator(selector)
    .evaluateAll((all) => all.filter((one) => one.scrollWidth > one.clientWidth).map((one) => one.className));
};

const phone = { width: 360, height: 740 };

// Boxes that move are measured at rest.
test.use({ contextOptions: { reducedMotion: 'reduce' } });

test('the comment count of a narrow row does not touch its status', async ({ sit }) => {
  const { page, api } = await sit('mara', '/tickets');
  await page.setViewportSize(phone);
  // The longest possible row: a lock, a count, and the longest status.
  const id = await open(api, { requesterName: 'Wilhelmina Featherstonehaugh', visibility: 'team' });
  await api.patch(`/api/tickets/${id}`, { data: { status: 'pending' } });
  await api.post(`/api/tickets/${id}/comments`, { data: { body: 'One' } });
  await expect(row(page, id).locator('.row-comments')).toContainText('1');
  for (const one of await page.locator('.row:has(.row-comments)').all()) {
    const [count, badge] = await Promise.all([
      one.locator('.row-comments').boundingBox(),
      one.locator('.badge').boundingBox(),
    ]);
    // Rows far below are not laid out.
    if (count !== null && badge !== null) expect(gapBetween(count, badge)).toBeGreaterThanOrEqual(6);
  }
});

for (const { name, size, path } of [
  { name: 'on a phone', size: phone, path: '/tickets' },
  { name: 'beside an open ticket', size: { width: 1280, height: 800 }, path: '/tickets/7' },
]) {
  test(`all status tabs and the whole pager are visible ${name}`, async ({ sit }) => {
    const { page } = await sit('mara', path);
    await page.setViewportSize(size);
    expect(await cutOff(page, '.tabs, .tab, .pager, .toolbar')).toEqual([]);
    const list = await boxOf(page.locator('.list'));
    const last = await boxOf(page.locator('.tab').last());
    expect(last.x + last.width).toBeLessThanOrEqual(list.x + list.width);
    const perPage = page.getByLabel('Tickets per page');
    await expect(perPage.locator('option:checked')).toHaveText('50 per page');
    expect(
      gapBetween(await boxOf(page.locator('.pager-where')), await boxOf(perPage)),
    ).toBeGreaterThanOrEqual(8);
  });
}

test('words of any length stay inside the ticket and the bell', async ({ sit, speakAs }) => {
  const word = 'Donaudampfschifffahrt'.repeat(5);
  const places = '.detail, .detail-head, .message, .banner, .change';
  const a = await speakAs('mara');
  const id = await open(a.api, {
    subject: word,
    body: word.repeat(3),
    requesterName: word,
    requesterEmail: `${'a'.repeat(60)}@${'b'.repeat(60)}.example`,
    assigneeId: people.elif,
  });
  const { page } = await sit('elif', `/tickets/${id}`);
  await page.getByRole('button', { name: 'Edit' }).click();
  await page.getByLabel('Subject').fill('Short');
  await change(a.api, id, { subject: `${word}!` });
  await a.api.post(`/api/tickets/${id}/comments`, { data: { body: word.repeat(3) } });
  await expect(page.locator('[data-overtaken]')).toBeVisible();
  await page.locator('[data-popover="bell"]').click();
  await expect(page.locator('.bell-entry').first()).toContainText(word);
  for (const size of [{ width: 1280, height: 800 }, phone]) {
    await page.setViewportSize(size);
    expect(await cutOff(page, `${places}, .popover`)).toEqual([]);
  }
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Cancel' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(`${word}!`);
  expect(await cutOff(page, places)).toEqual([]);
});

test('the notice of a lost stream covers no content', async ({ sit }) => {
  const seat = await sit('mara', '/tickets/7');
  const { page } = seat;
  for (const size of [{ width: 1280, height: 800 }, phone]) {
    await page.setViewportSize(size);
    await goOffline(seat);
    await expect(page.getByRole('button', { name: 'Connect now' })).toBeVisible();
    const notice = await boxOf(page.locator('[data-stream-banner]'));
    for (const one of await page.locator('.pager, .rows, .composer, .detail').all()) {
      const box = await one.boundingBox();
      if (box !== null) expect(doMeet(notice, box), await one.getAttribute('class').then(String)).toBe(false);
    }
    await page.context().setOffline(false);
    await isLive(page);
  }
});

test('the narrowest phone shows all five tabs', async ({ sit }) => {
  const { page } = await sit('mara', '/tickets');
  await page.setViewportSize({ ...phone, width: 320 });
  await expect(page.locator('.tab-count').last()).not.toBeEmpty();
  expect(await cutOff(page, '.tabs')).toEqual([]);
});

test('a phone shows the whole dashboard and search field', async ({ sit }) => {
  const { page } = await sit('mara', '/');
  for (const width of [phone.width, 320]) {
    await page.setViewportSize({ ...phone, width });
    expect(await cutOff(page, '.dashboard, .card-scroll'), `${width} pixels`).toEqual([]);
  }
  await page.setViewportSize(phone);
  await page.goto('/tickets');
  await isLive(page);
  const search = page.getByRole('searchbox');
  await search.fill((await search.getAttribute('placeholder')) ?? '');
  expect(await search.evaluate((one) => one.scrollWidth <= one.clientWidth)).toBe(true);
});

test('a message covers neither the pager, the bar of a selection, nor the comment field', async ({ sit }) => {
  const { page, api } = await sit('mara', '/tickets');
  const id = await open(api);
  // The message of a failure stays until the user dismisses it.
  await page.route('**/bulk-status', (route) => route.abort());
  for (const size of [{ width: 1280, height: 800 }, phone, { ...phone, width: 320 }]) {
    await page.setViewportSize(size);
    await page.goto('/tickets');
    await isLive(page);
    await row(page, id).getByRole('checkbox').check();
    await page.locator('.bulk').getByRole('button', { name: 'Close' }).click();
    await expect(page.locator('.notice')).toBeVisible();
    expect(await doOverlap(page, '.notice', '.bulk')).toBe(false);
    await page.getByRole('button', { name: 'Clear the selection' }).click();
    await expect(page.locator('.bulk')).toHaveCount(0);
    expect(await doOverlap(page, '.notice', '.pager')).toBe(false);
    await page.locator(`[data-row="${id}"]`).press('Enter');
    await expect(page.locator('.timeline')).toBeVisible();
    // The layout still moves while the ticket opens.
    await expect.poll(() => doOverlap(page, '.notice', '.composer')).toBe(false);
  }
});

test('the last row is visible above the bar of the selection', async ({ sit }) => {
  const { page } = await sit('mara', '/tickets');
  for (const size of [{ width: 1280, height: 800 }, phone]) {
    await page.setViewportSize(size);
    await page.locator('.row input').first().check();
    await page.locator('.rows').evaluate((rows) => rows.scrollTo(0, rows.scrollHeight));
    const bar = await boxOf(page.locator('.bulk'));
    await expect
      .poll(async () => {
        const last = await boxOf(page.locator('.row').last());
        return last.y + last.height <= bar.y;
      })
      .toBe(true);
    expect(await cutOff(page, '.bulk, .bulk .button')).toEqual([]);
    await page.getByRole('button', { name: 'Clear the selection' }).click();
  }
});

for (const [width, height] of [
  [320, 256],
  [568, 320],
] as const) {
  test(`the rows of the list can be reached at ${width} × ${height}`, async ({ sit }) => {
    const { page } = await sit('mara', '/tickets');
    await page.setViewportSize({ width, height });
    await page
      .locator('.row')
      .nth(3)
      .evaluate((one) => one.scrollIntoView({ block: 'start' }));
    await expect(page.locator('.row').nth(3)).toBeInViewport({ ratio: 0.9 });
    await page.locator('.row .row-check').nth(3).click();
    await expect(page.locator('.bulk')).toBeInViewport({ ratio: 0.9 });
    await expect(page.locator('.row').nth(3).locator('.row-subject')).toBeInViewport();
  });
}

test('every action for the selection is visible at every width of the list', async ({ sit }) => {
  const { page } = await sit('mara', '/tickets');
  await page.locator('.row .row-check').first().click();
  await expect(page.locator('.bulk')).toBeVisible();
  for (const width of [320, 568, 700, 900, 1100]) {
    await page.setViewportSize({ width, height: 800 });
    for (const action of await page.locator('.bulk button').all())
      await expect(action).toBeInViewport({ ratio: 1 });
  }
});

test('one press opens a new ticket at every width, and nothing overflows the bar', async ({ sit }) => {
  const { page } = await sit('mara', '/tickets');
  for (const width of [1280, 860, 390, 320]) {
    await page.setViewportSize({ width, height: 800 });
    expect(await cutOff(page, '.bar, .shell')).toEqual([]);
    await page.getByRole('button', { name: 'New ticket' }).click();
    await expect(page.getByRole('dialog', { name: 'New ticket' })).toBeVisible();
    await page.keyboard.press('Escape');
  }
});

test('the error of a form is visible on a phone, although its buttons stay at the bottom', async ({
  sit,
}) => {
  const { page } = await sit('mara', '/tickets');
  await page.setViewportSize({ width: 360, height: 740 });
  await fillNewTicket(page, 'A subject');
  await page.route('**/api/tickets', (route) => route.abort());
  await page.getByRole('button', { name: 'Create ticket' }).click();
  const error = page.getByRole('dialog').getByRole('alert');
  await expect(error).toHaveText('The desk cannot be reached. Check your connection.');
  const isOnTop = await error.evaluate((element) => {
    const { x, y, height } = element.getBoundingClientRect();
    return [y + 1, y + height - 1].every((edge) => document.elementFromPoint(x + 1, edge) === element);
  });
  expect(isOnTop).toBe(true);
});

test('nothing is cut off when the user has set a text size twice as large', async ({ desk, playwright }) => {
  const browser = await playwright.chromium.launch({
    ...chromiumOptions,
    args: [...chromiumOptions.args, '--blink-settings=defaultFontSize=32'],
  });
  try {
    const context = await browser.newContext({ baseURL: desk.url });
    const { page } = await sitDown(context, 'mara', '/tickets');
    const parts = '.row-main, .row-under, .badge, .avatar, .tab, .toolbar';
    expect(await cutOff(page, parts)).toEqual([]);
    const subject = await boxOf(page.locator('.row-subject').first());
    expect(subject.height).toBeGreaterThan(35);
    expect(doMeet(subject, await boxOf(page.locator('.row-under').first()))).toBe(false);
    expect((await boxOf(page.locator('.row').first())).height).toBeGreaterThan(2 * subject.height);
  } finally {
    await browser.close();
  }
});

test('a ticket is printed in full and without controls', async ({ sit }) => {
  const { page, api } = await sit('mara', '/');
  const id = await open(api, { body: 'As long as it gets.\n'.repeat(100) });
  await page.goto(`/tickets/${id}`);
  await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  await expect(page.locator('button:visible, textarea:visible, nav:visible')).toHaveCount(0);
  const last = await boxOf(page.locator('.timeline li').last());
  const paper = page.locator('html');
  expect(last.y).toBeGreaterThan(2000);
  expect(last.y + last.height).toBeLessThanOrEqual(await paper.evaluate((one) => one.scrollHeight));
  await expect(paper).toHaveCSS('color-scheme', 'light');
});
