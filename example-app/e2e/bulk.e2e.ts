// Five hundred at once.

import { expect, isLive, test } from './fixtures.ts';

const teamsOfMara = 5;

test('five hundred changed tickets are one request for each audience that is told in the other browser, and no ticket is asked for twice', async ({
  sit,
}) => {
  const path = '/tickets?sort=oldest&size=500';
  const a = await sit('mara', path);
  const b = await sit('mara', path);
  await expect(b.page.locator('.row')).toHaveCount(500);
  await a.page.getByLabel('Select all on this page').check();
  await expect(a.page.locator('.bulk-count', { hasText: '500 selected' })).toBeVisible();
  b.forget();

  await a.page
    .getByRole('region', { name: 'Selected tickets' })
    .getByRole('button', { name: 'Pending' })
    .click();
  // Five hundred rows and their history in the embedded database: seconds on a slow machine.
  await expect(a.page.locator('.notice')).toContainText('tickets set to Pending', { timeout: 30_000 });
  await expect(b.page.locator('.row .badge[data-status="pending"]')).toHaveCount(500);
  await isLive(b.page);

  // Everyone is told of most of them, teams of those that are private to them: an envelope each, which a busy machine may
  // bring later than the window of the first is open.
  const lists = b
    .asked()
    .filter((one) => one.includes('/summaries'))
    .map((one) => new URLSearchParams(one.split('?')[1]).get('ids')?.split(',') ?? []);
  expect(lists.length).toBeLessThanOrEqual(1 + teamsOfMara);
  expect(Math.max(...lists.map(({ length }) => length))).toBeGreaterThan(400);
  const ids = lists.flat();
  expect(new Set(ids).size).toBe(ids.length);
  for (const path of ['/api/counts', '/api/tickets'])
    expect(b.asked().filter((one) => one.replace(/\?.*/, '') === `GET ${path}`).length).toBeLessThanOrEqual(
      lists.length,
    );
});

test('the first five hundred of a longer list can be selected in one go', async ({ sit }) => {
  const a = await sit('mara', '/tickets');
  await a.page.locator('.row input').first().check();
  await a.page.getByRole('button', { name: 'Select the first 500' }).click();
  await expect(a.page.locator('.bulk-count', { hasText: '500 selected' })).toBeVisible();
  await a.page.getByRole('button', { name: 'Clear the selection' }).click();
  await expect(a.page.locator('.bulk')).toHaveCount(0);
});

test('a selection is kept over the pages of a list, and not for other filters', async ({ sit }) => {
  const a = await sit('mara', '/tickets');
  const count = a.page.locator('.bulk-count');
  await a.page.locator('.row input').first().check();
  await a.page.getByRole('link', { name: 'Next page' }).click();
  await expect(a.page.locator('.row input:checked')).toHaveCount(0);
  await expect(count).toHaveText('1 selected');
  await a.page.locator('.row input').first().check();
  await expect(count).toHaveText('2 selected');
  await a.page.locator('.tab', { hasText: 'Solved' }).click();
  await expect(a.page.locator('.row').first()).toBeVisible();
  await expect(count).toHaveCount(0);
});

test('shift selects a range', async ({ sit }) => {
  const a = await sit('mara', '/tickets?sort=oldest');
  await a.page.locator('.row input').nth(1).click();
  await a.page
    .locator('.row input')
    .nth(5)
    .click({ modifiers: ['Shift'] });
  await expect(a.page.getByText('5 selected')).toBeVisible();
});
