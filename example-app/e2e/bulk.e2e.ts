// Changes of five hundred tickets.

import { change, expect, isLive, open, row, test, ticketOf, type Seat } from './fixtures.ts';

test.setTimeout(150_000);

const path = '/tickets?sort=oldest&size=500';
const kinds = ['GET /api/counts', 'GET /api/tickets'];
const teamsOfMara = 5;

/** The requests without their queries. */
const kindsOf = (b: Seat): string[] => b.asked().map((one) => one.replace(/\?.*/, ''));

/** A changes the status of all selected tickets. Resolves when B shows `count` tickets with the new status. */
async function giveStatus(a: Seat, b: Seat, status: 'Pending' | 'Solved', count: number): Promise<void> {
  await expect(a.page.locator('.bulk-count', { hasText: `${count} selected` })).toBeVisible();
  b.forget();
  await a.page
    .getByRole('region', { name: 'Selected tickets' })
    .getByRole('button', { name: { Pending: 'Set pending', Solved: 'Solve' }[status], exact: true })
    .click();
  // Writing hundreds of rows and their history to the embedded database takes seconds on a slow machine.
  await expect(a.page.locator('.notice')).toContainText(`tickets set to ${status}`, { timeout: 60_000 });
  const changed = b.page.locator(`.row .badge[data-status="${status.toLowerCase()}"]`);
  await expect.poll(() => changed.count()).toBeGreaterThanOrEqual(count);
  await isLive(b.page);
}

test('hundreds of changed tickets cause one request for the list in the other browser', async ({ sit }) => {
  const a = await sit('mara', path);
  const b = await sit('mara', path);
  await expect(b.page.locator('.row')).toHaveCount(500);
  await a.page.getByLabel('Select all on this page').check();
  // Directives for tickets that are private to a team arrive in a separate envelope.
  const own = a.page.locator('.row', { has: a.page.locator('.private') }).locator('input');
  const count = 500 - (await own.count());
  await own.evaluateAll((boxes) => boxes.forEach((box) => (box as HTMLInputElement).click()));
  await giveStatus(a, b, 'Pending', count);
  expect(kindsOf(b).sort()).toEqual(kinds);
});

test('changed tickets of several audiences cause at most one request for the list per audience', async ({
  sit,
}) => {
  const a = await sit('mara', path);
  const b = await sit('mara', path);
  await expect(b.page.locator('.row')).toHaveCount(500);
  await a.page.getByLabel('Select all on this page').check();
  await giveStatus(a, b, 'Solved', 500);
  // On a busy machine an envelope may arrive after the batch window of the one before has closed.
  expect([...new Set(kindsOf(b))].sort()).toEqual(kinds);
  for (const kind of kinds)
    expect(kindsOf(b).filter((one) => one === kind).length).toBeLessThanOrEqual(1 + teamsOfMara);
});

test('a selection is kept across the pages of a list and cleared when the filter changes', async ({
  sit,
}) => {
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

test('Shift and a click select a range', async ({ sit }) => {
  const a = await sit('mara', '/tickets?sort=oldest');
  await a.page.locator('.row input').nth(1).click();
  await a.page
    .locator('.row input')
    .nth(5)
    .click({ modifiers: ['Shift'] });
  await expect(a.page.getByText('5 selected')).toBeVisible();
});

test('the checkbox for the whole page is indeterminate for a partial selection and disabled for an empty list', async ({
  sit,
}) => {
  const { page } = await sit('mara', '/tickets');
  const all = page.getByLabel('Select all on this page');
  await page.locator('.row .row-check').first().click();
  await expect(all).toBeChecked({ indeterminate: true });
  await all.click();
  await expect(all).toBeChecked();
  await expect(page.locator('.bulk-count')).toHaveText('50 selected');
  await page.getByLabel('Search tickets').fill('nothing is called so');
  await expect(page.getByRole('heading', { name: 'No matches' })).toBeVisible();
  await expect(all).toBeDisabled();
});

test('a bulk change skips tickets that left the list for a reason other than their status', async ({
  sit,
  speakAs,
}) => {
  const a = await sit('mara', '/');
  const b = await speakAs('jonas');
  const subject = 'Chosen from a search';
  const [taken, renamed, moved, there] = [
    await open(a.api, { subject }),
    await open(a.api, { subject }),
    await open(a.api, { subject }),
    await open(a.api, { subject }),
  ];
  const all = [taken, renamed, moved, there];
  await a.page.goto('/tickets?assignee=none&team=1&q=from+a+search');
  await isLive(a.page);
  for (const id of all) await row(a.page, id).getByRole('checkbox').check();
  await change(b.api, taken, { assigneeId: 2 });
  await change(b.api, renamed, { subject: 'Something else' });
  await change(b.api, moved, { teamId: 2 });
  await expect(a.page.locator('.row')).toHaveCount(1);
  await expect(a.page.locator('.bulk-count')).toHaveText('4 selected');
  await expect(a.page.locator('.bulk-hidden')).toHaveText('3 not shown');
  await a.page.locator('.bulk-actions').getByRole('button', { name: 'Close' }).click();
  await expect(a.page.locator('.notices')).toContainText('1 ticket set to Closed. 3 others unchanged.');
  expect(await Promise.all(all.map(async (id) => (await ticketOf(a.api, id)).status))).toEqual([
    'open',
    'open',
    'open',
    'closed',
  ]);
});

test('a change of more tickets than a page shows needs a confirmation', async ({ sit }) => {
  const { page, asked } = await sit('mara', '/tickets');
  await page.locator('.row input').first().check();
  await page.getByRole('button', { name: 'Select the first 500' }).click();
  await expect(page.locator('.bulk-count')).toHaveText('500 selected');
  const pending = page.locator('.bulk-actions').getByRole('button', { name: 'Set pending' });
  const question = page.getByRole('dialog', { name: 'Set 500 tickets to Pending?' });
  await pending.press('Enter');
  await question.getByRole('button', { name: 'Cancel' }).press('Enter');
  await expect(question).toHaveCount(0);
  await expect(pending).toBeFocused();
  expect(asked().filter((one) => one.startsWith('POST'))).toEqual([]);

  await page.route('**/bulk-status', (route) =>
    route.fulfill({
      json: { before: { open: Array.from({ length: 500 }, (_, at) => at + 1) }, directives: [] },
    }),
  );
  await pending.press('Enter');
  await question.getByRole('button', { name: 'Set to Pending' }).click();
  await expect(page.locator('.notices')).toContainText('500 tickets set to Pending.');
});
