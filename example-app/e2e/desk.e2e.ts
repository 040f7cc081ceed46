// Keyboard use, selections, undo, and how changes by others are shown.

import { change, expect, isLive, list, open, property, row, test, ticketOf } from './fixtures.ts';
import { hold } from './support/hold.ts';

test('arrow keys save only the final choice', async ({ sit }) => {
  const { page, api, asked, forget } = await sit('mara', '/');
  const id = await open(api);
  await page.goto(`/tickets/${id}`);
  await isLive(page);
  forget();
  // The first key opens the list.
  const choose = async (): Promise<void> => {
    for (const key of ['ArrowDown', 'ArrowDown', 'ArrowDown', 'Enter']) await page.keyboard.press(key);
  };
  await property(page, 'Status').focus();
  await choose();
  await expect(property(page, 'Status')).toHaveValue('solved');
  await expect(page.locator('.properties')).toHaveAttribute('aria-busy', 'false');
  expect(asked().filter((one) => one.startsWith('PATCH'))).toHaveLength(1);

  await page.locator('.toolbar').getByLabel('Priority').focus();
  await choose();
  await expect(page).toHaveURL('/tickets?priority=high');
  await page.goBack();
  await expect(page).toHaveURL(`/tickets/${id}`);
});

test('Shift and an arrow key extend and shrink a selection', async ({ sit }) => {
  const { page } = await sit('mara', '/tickets?sort=oldest');
  const count = page.locator('.bulk-count');
  await page.locator('[data-row]').nth(2).focus();
  for (const [key, selected] of [
    ['Shift+ArrowDown', '2 selected'],
    ['Shift+ArrowDown', '3 selected'],
  ] as const) {
    await page.keyboard.press(key);
    await expect(count).toHaveText(selected);
  }
  await page.keyboard.down('Shift');
  await page.keyboard.press('ArrowDown');
  await expect(count).toHaveText('4 selected');
  await page.keyboard.press('ArrowUp');
  await page.keyboard.up('Shift');
  await expect(count).toHaveText('3 selected');
  await expect(page.locator('.row').nth(2).getByRole('checkbox')).toBeChecked();
});

test('a change of one ticket and a bulk change can be undone', async ({ sit }) => {
  const { page, api } = await sit('mara', '/');
  const [one, other] = [await open(api), await open(api)];
  await change(api, other, { status: 'pending' });
  await page.goto(`/tickets/${one}`);
  await isLive(page);
  await property(page, 'Priority').selectOption('urgent');
  await page.locator('.notice').getByRole('button', { name: 'Undo' }).click();
  await expect(property(page, 'Priority')).toHaveValue('normal');
  await page.locator('.detail-close').click();
  for (const id of [one, other]) await row(page, id).getByRole('checkbox').check();
  await page.locator('.bulk-actions').getByRole('button', { name: 'Solve' }).click();
  const done = page.locator('.notice', { hasText: '2 tickets set to Solved.' });
  await done.getByRole('button', { name: 'Undo' }).click();
  await expect(page.locator('.notice', { hasText: '2 tickets changed back.' })).toBeVisible();
  expect([(await ticketOf(api, one)).status, (await ticketOf(api, other)).status]).toEqual([
    'open',
    'pending',
  ]);
});

test('the dashboard shows what changed and who changed it', async ({ sit, speakAs }) => {
  const { api } = await speakAs('priya');
  const [id = 0] = await list(api, 'status=open');
  const { page } = await sit('mara', '/');
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await expect(page.locator('.figure .flash')).toHaveCount(0);
  await change(api, id, { status: 'closed' });
  await expect(page.locator('[data-figure="closed"] .flash')).toHaveCount(1);
  await expect(page.locator('.activity li').first()).toContainText('Priya Raman set the status to Closed');
  // The mark does not fade with reduced motion.
  const mark = page.locator('[data-figure="closed"] .flash');
  expect(await mark.evaluate((one) => getComputedStyle(one).animationName)).toBe('none');
});

test('an activity that arrives slides in, even if the user came from another page', async ({
  sit,
  speakAs,
}) => {
  const { api } = await speakAs('priya');
  const id = await open(api);
  const { page } = await sit('mara', '/tickets');
  const go = await hold(page, '**/api/activity', 'GET');
  await page.getByRole('link', { name: 'Dashboard' }).click();
  await expect(page.locator('.activity .bone')).not.toHaveCount(0);
  go();
  await isLive(page);
  await expect(page.locator('.activity [data-new]')).toHaveCount(0);
  await change(api, id, { status: 'closed' });
  await expect(page.locator('.activity [data-new]')).toContainText('set the status to Closed');
});

test('active filters are highlighted and cleared together, and the tabs do not move', async ({ sit }) => {
  const { page } = await sit('mara', '/tickets');
  const left = async (): Promise<number | undefined> =>
    (await page.locator('[data-tab="closed"]').boundingBox())?.x;
  const before = await left();
  await page.locator('.toolbar').getByLabel('Priority').selectOption('high');
  await expect(page.locator('.choice[data-active]')).toHaveCount(1);
  await isLive(page);
  expect(await left()).toBeCloseTo(before ?? 0, 0);
  await page.getByRole('button', { name: 'Clear filters' }).click();
  await expect(page).toHaveURL('/tickets');
  await expect(page.locator('.choice[data-active]')).toHaveCount(0);
});

test('Escape leaves a text field and stays in the ticket', async ({ sit }) => {
  const { page, api } = await sit('mara', '/');
  await page.goto(`/tickets/${await open(api)}`);
  await isLive(page);
  await page.getByLabel('Write a comment').focus();
  await page.keyboard.press('Escape');
  await expect(page.getByRole('article')).toBeFocused();
  await page.keyboard.press('Escape');
  await expect(page).toHaveURL('/tickets');
});

test('the first connection is not shown as an interruption', async ({ sit }) => {
  const { page } = await sit('mara', '/');
  const go = await hold(page, '**/api/events*', 'GET');
  await page.goto('/tickets');
  await page.getByRole('button', { name: 'New ticket' }).click();
  await expect(page.getByRole('dialog')).toBeVisible();
  await expect(page.locator('.live')).toHaveText('Connecting');
  await expect(page.locator('[data-stream-banner]')).toHaveCount(0);
  go();
  await isLive(page);
});

test('a delayed stream is not shown as live', async ({ sit }) => {
  const { page } = await sit('mara', '/tickets');
  await page.locator('[data-popover="weather"]').click();
  await page.getByRole('button', { name: /^Delay the stream/ }).click();
  await expect(page.locator('.live')).toHaveText('3 s late');
  await page.getByRole('button', { name: /^Stop delaying/ }).click();
  await expect(page.locator('.live')).toHaveText('Live');
});

test('a phone shows priorities in the list, and two properties of a ticket until it is expanded', async ({
  sit,
}) => {
  const { page } = await sit('mara', '/tickets');
  await page.setViewportSize({ width: 390, height: 844 });
  await expect(page.locator('.row-priority').first()).toBeVisible();
  await page.locator('[data-row]').first().click();
  await expect(page.locator('.timeline')).toBeVisible();
  await expect(page.locator('.property:visible')).toHaveCount(2);
  await page.getByRole('button', { name: 'More properties' }).click();
  await expect(page.locator('.property:visible')).toHaveCount(5);
});
