// Scroll positions of a list, and rows that move while a user reads or clicks.

import type { Locator, Page } from '@playwright/test';
import { change, expect, open, row, test } from './fixtures.ts';
import { nextFrame } from './support/frames.ts';
import { hold } from './support/hold.ts';

const topOf = async (rows: Locator): Promise<number> => await rows.evaluate((one) => one.scrollTop);
const isThere = async (page: Page): Promise<void> =>
  await expect(page.locator('.rows[data-previous]')).toHaveCount(0);

async function scrollTo(rows: Locator, top: number): Promise<void> {
  await rows.evaluate((one, to) => one.scrollTo(0, to), top);
  await nextFrame(rows.page());
}

async function placeOf(one: Locator): Promise<number> {
  const box = await one.boundingBox();
  if (box === null) throw new Error(`${String(one)} is not on the screen.`);
  return box.y;
}

const idAt = async (page: Page, place: number): Promise<number> =>
  Number(await page.locator('.row').nth(place).getAttribute('data-ticket'));

test('a new list starts at the top, and going back restores the scroll position', async ({ sit }) => {
  const { page } = await sit('mara', '/tickets');
  const rows = page.locator('.rows');
  await scrollTo(rows, 1900);
  await page.getByRole('link', { name: 'Next page' }).click();
  await expect(page.locator('.pager-where')).toContainText('51–100');
  await isThere(page);
  expect(await topOf(rows)).toBe(0);

  await scrollTo(rows, 700);
  await page.getByRole('link', { name: /^Solved/ }).click();
  await expect(page.locator('.row').first().locator('.badge')).toHaveText('Solved');
  await isThere(page);
  expect(await topOf(rows)).toBe(0);

  await scrollTo(rows, 500);
  await page.getByRole('searchbox').fill('re');
  await expect(page).toHaveURL(/q=re/);
  await isThere(page);
  expect(await topOf(rows)).toBe(0);

  await page.goBack();
  await isThere(page);
  await expect.poll(async () => await topOf(rows)).toBe(700);
  await page.goBack();
  await isThere(page);
  await expect.poll(async () => await topOf(rows)).toBe(1900);
  await page.getByRole('link', { name: 'Dashboard' }).click();
  await expect(page.locator('.figure').first()).toBeVisible();
  await page.goBack();
  await expect.poll(async () => await topOf(rows)).toBe(1900);
  await page.getByRole('link', { name: 'Dashboard' }).click();
  await page
    .getByRole('link', { name: /^All tickets/ })
    .first()
    .click();
  await expect(page.locator('.row').first()).toBeVisible();
  expect(await topOf(rows)).toBe(0);
});

for (const [what, doFocus] of [
  ['without focus', false],
  ['with a focused row', true],
] as const) {
  test(`changes by others do not move the visible rows of a scrolled list ${what}`, async ({ sit }) => {
    const { page, api } = await sit('mara', '/tickets');
    await scrollTo(page.locator('.rows'), 1205);
    const seen = row(page, await idAt(page, 25));
    if (doFocus) await seen.locator('[data-row]').focus();
    const place = await placeOf(seen);
    const fresh = await open(api);
    await expect(row(page, fresh)).toHaveCount(1);
    expect(await placeOf(seen)).toBe(place);

    // A row moves from below to the top, so all visible rows are one place further down.
    const low = await idAt(page, 45);
    await change(api, low, { subject: 'Changed by somebody else' });
    await expect(page.locator('.row').first()).toHaveAttribute('data-ticket', String(low));
    expect(await placeOf(seen)).toBe(place);
    const above = await idAt(page, 3);
    expect((await api.delete(`/api/tickets/${above}`)).status()).toBe(200);
    await expect(row(page, above)).toHaveCount(0);
    expect(await placeOf(seen)).toBe(place);
    if (doFocus) await expect(seen.locator('[data-row]')).toBeFocused();
  });
}

test('rows do not move under a pointer that is about to click', async ({ sit }) => {
  const { page, api } = await sit('mara', '/tickets');
  const aimedAt = await idAt(page, 2);
  const low = await idAt(page, 9);
  const box = await row(page, aimedAt).boundingBox();
  if (box === null) throw new Error('The row is not on the screen.');
  const requested = page.waitForRequest(/api\/tickets\?/);
  const respond = await hold(page, /api\/tickets\?/, 'GET');
  await change(api, low, { subject: 'Changed by somebody else' });
  await requested;
  // The user moves the pointer to a row before the response arrives. The list keeps its order for a short time after the move, so the time
  // stops here.
  await page.clock.install();
  await page.clock.pauseAt(Date.now() + 5000);
  await page.mouse.move(box.x + 300, box.y + box.height / 2);
  respond();
  await expect(row(page, low).locator('.row-subject')).toHaveText('Changed by somebody else');
  await page.mouse.down();
  await page.mouse.up();
  await expect(page).toHaveURL(`/tickets/${aimedAt}`);
  // Shortly afterwards the list shows its new order.
  await page.clock.resume();
  await expect(page.locator('.row').first()).toHaveAttribute('data-ticket', String(low));
});
