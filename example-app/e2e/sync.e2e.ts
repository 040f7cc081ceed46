// Two users in two browsers see the same data.

import type { Page } from '@playwright/test';
import {
  change,
  expect,
  isLive,
  list,
  open,
  people,
  property,
  row,
  tabCount,
  test,
  ticketOf,
} from './fixtures.ts';

test('B sees the status that A set, without a reload', async ({ sit }) => {
  const a = await sit('mara', '/tickets');
  const id = await open(a.api);
  const b = await sit('tomas', '/tickets');
  await a.page.goto(`/tickets/${id}`);
  await isLive(a.page);
  await b.page.evaluate(() => Object.assign(globalThis, { isSamePage: true }));
  await expect(row(b.page, id).locator('.badge')).toHaveText('Open');

  await Promise.all([
    a.page.waitForResponse((answer) => answer.request().method() === 'PATCH' && answer.ok()),
    property(a.page, 'Status').selectOption('pending'),
  ]);
  await expect(row(b.page, id).locator('.badge')).toHaveText('Pending');
  await expect(property(a.page, 'Status')).toHaveValue('pending');

  expect(await b.page.evaluate(() => 'isSamePage' in globalThis)).toBe(true);
  expect([...a.faults(), ...b.faults()]).toEqual([]);
});

test('A requests each entry once after its own change', async ({ sit }) => {
  const a = await sit('mara', '/tickets?status=pending&size=500');
  const id = await open(a.api, { subject: 'Asked for once' });
  await change(a.api, id, { status: 'pending' });
  await a.page.goto(`/tickets/${id}?status=pending&size=500`);
  await isLive(a.page);
  await expect(a.page.locator('.timeline')).toBeVisible();
  await expect(row(a.page, id)).toBeVisible();
  a.forget();

  await property(a.page, 'Status').selectOption('solved');
  await expect(row(a.page, id)).toHaveCount(0);
  await expect(property(a.page, 'Status')).toHaveValue('solved');
  // The stream delivers an echo of the change too. A later change proves that the echo has arrived
  // and has caused no request.
  const other = await open(a.api, { subject: 'After the echo' });
  await change(a.api, other, { status: 'pending' });
  await expect(row(a.page, other)).toBeVisible();

  const ofTheChange = a.asked().slice(0, 4);
  expect(ofTheChange[0]).toBe(`PATCH /api/tickets/${id}`);
  expect(ofTheChange.slice(1).sort()).toEqual([
    'GET /api/counts',
    `GET /api/tickets/${id}`,
    expect.stringMatching(/^GET \/api\/tickets\?.*status=pending/),
  ]);
  expect(a.asked().filter((one) => one === `GET /api/tickets/${id}`)).toHaveLength(1);
});

test('a list of another status is not refetched', async ({ sit, speakAs }) => {
  const a = await speakAs('mara');
  const id = await open(a.api);
  const b = await sit('tomas', '/tickets?status=closed');
  const before = await tabCount(b.page, 'solved').textContent();
  b.forget();
  await change(a.api, id, { status: 'solved' });
  await expect(tabCount(b.page, 'solved')).not.toHaveText(before ?? '');
  expect(b.asked()).toEqual(['GET /api/counts']);
});

test('the dashboard, the tabs, and the lists show the same numbers before and after changes', async ({
  sit,
  speakAs,
}) => {
  const a = await speakAs('mara');
  const b = await sit('dele', '/');
  const numbers = async () => ({
    open: (await b.page.locator('[data-figure="open"] .figure-number').innerText()).replaceAll(',', ''),
    solved: (await b.page.locator('[data-figure="solved"] .figure-number').innerText()).replaceAll(',', ''),
  });
  const truth = async (status: string) =>
    String(((await (await b.api.get(`/api/tickets?status=${status}`)).json()) as { count: number }).count);
  expect(await numbers()).toEqual({ open: await truth('open'), solved: await truth('solved') });

  const some = (await list(a.api, 'status=open')).slice(0, 7);
  await a.api.post('/api/tickets/bulk-status', { data: { ids: some, status: 'solved' } });
  const wanted = { open: await truth('open'), solved: await truth('solved') };
  await expect.poll(numbers).toEqual(wanted);

  await b.page.locator('[data-figure="solved"]').click();
  const solved = Number(wanted.solved).toLocaleString('en');
  await expect(b.page.locator('[data-total]')).toHaveText(solved);
  await expect(tabCount(b.page, 'solved')).toHaveText(solved);
});

test('a comment of A appears in the open ticket of B', async ({ sit }) => {
  const a = await sit('mara', '/');
  const id = await open(a.api);
  await a.page.goto(`/tickets/${id}`);
  await isLive(a.page);
  const b = await sit('jonas', `/tickets/${id}`);
  await a.page.getByPlaceholder('Write a comment').fill('Have you tried it in a private window?');
  await a.page.keyboard.press('Control+Enter');
  await expect(b.page.getByText('Have you tried it in a private window?')).toBeVisible();
  await expect(b.page.locator('[data-spoken]')).toContainText('changed');
  await expect(a.page.getByPlaceholder('Write a comment')).toHaveValue('');
});

test('the open detail of a deleted ticket shows a notice and does not request the ticket again', async ({
  sit,
}) => {
  const a = await sit('mara', '/');
  const id = await open(a.api, { subject: 'Soon deleted' });
  const b = await sit('jonas', `/tickets/${id}`);
  await expect(b.page.getByRole('heading', { name: 'Soon deleted' })).toBeVisible();
  await b.page.getByRole('button', { name: 'Delete' }).click();
  b.forget();

  await a.page.goto(`/tickets/${id}`);
  await isLive(a.page);
  await a.page.getByRole('button', { name: 'Delete' }).click();
  await a.page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await expect(a.page).toHaveURL(/\/tickets$/);
  await expect(b.page.locator('[data-gone-notice]')).toHaveText(
    'This ticket was deleted, or you can no longer see it.',
  );
  await expect(b.page.getByRole('dialog')).toHaveCount(0); // The question about the deletion is closed.
  await expect(row(b.page, id)).toHaveCount(0);
  await isLive(b.page);
  // The directive removed the ticket. The list contains the row that moved up.
  const paths = b.asked().map((one) => one.replace(/\?.*/, ''));
  expect(paths.sort()).toEqual(['GET /api/counts', 'GET /api/tickets']);
});

test('a page at the address of a missing ticket shows the ticket when it is created', async ({
  sit,
  speakAs,
}) => {
  const a = await speakAs('mara');
  const id = (await open(a.api)) + 1;
  const b = await sit('jonas', `/tickets/${id}`);
  await expect(b.page.getByText('Ticket not found')).toBeVisible();

  expect(await open(a.api, { subject: 'Just created' })).toBe(id);
  await expect(b.page.getByRole('heading', { name: 'Just created' })).toBeVisible();
  await expect(property(b.page, 'Status')).toBeEnabled();
  await expect(b.page.locator('[data-gone-notice]')).toHaveCount(0);
});

test('an assignment notifies only the assignee, in all of their tabs', async ({ sit, speakAs, context }) => {
  void context;
  const a = await speakAs('mara');
  const id = await open(a.api, { subject: 'Rings a bell' });
  const b = await sit('tomas', '/');
  await b.api.post('/api/notifications/read');
  const otherTab = await b.context.newPage();
  await otherTab.goto('/tickets');
  await isLive(otherTab);
  const stranger = await sit('elif', '/');
  stranger.forget();

  await change(a.api, id, { assigneeId: 4 });
  await expect(b.page.locator('[data-unread]').first()).toHaveText('1');
  await expect(otherTab.locator('[data-unread]').first()).toHaveText('1');
  await expect(stranger.page.locator('.activity li').first()).toContainText('Rings a bell');
  expect(stranger.asked().filter((one) => one.includes('notifications'))).toEqual([]);

  await b.page.locator('[data-popover="bell"]').click();
  await expect(b.page.locator('.bell-entry').first()).toContainText('Rings a bell');
  await b.page.getByRole('button', { name: 'Mark all as read' }).click();
  await expect(b.page.locator('.bell-count')).toHaveCount(0);
  await expect(otherTab.locator('.bell-count')).toHaveCount(0);
});

test('opening a notification marks it as read in all windows of the user', async ({ sit, speakAs }) => {
  const a = await speakAs('mara');
  const b = await sit('tomas', '/');
  await b.api.post('/api/notifications/read');
  const otherTab = await b.context.newPage();
  await otherTab.goto('/tickets');
  for (const subject of ['Left unread', 'Opened from the bell'])
    await change(a.api, await open(a.api, { subject }), { assigneeId: people.tomas });
  await expect(otherTab.locator('[data-unread]').first()).toHaveText('2');

  await b.page.locator('[data-popover="bell"]').click();
  await b.page.locator('.bell-entry a', { hasText: 'Opened from the bell' }).click();
  await expect(b.page.getByRole('heading', { name: 'Opened from the bell' })).toBeVisible();
  await expect(otherTab.locator('[data-unread]').first()).toHaveText('1');
  await otherTab.locator('[data-popover="bell"]').click();
  await expect(otherTab.locator('.bell-entry[data-unread]')).toHaveText(/Left unread/);
  // Marking a notification of another user has no effect.
  const { items } = (await (await b.api.get('/api/notifications')).json()) as { items: { id: number }[] };
  for (const { id } of items) expect((await a.api.post(`/api/notifications/${id}/read`)).status()).toBe(200);
  await expect(otherTab.locator('.bell-entry[data-unread]')).toHaveCount(1);
});

test('a change of many tickets notifies each assignee once and shows the number of tickets', async ({
  sit,
}) => {
  const a = await sit('mara', '/');
  const theirs = [];
  for (const subject of ['The first of three', 'The second', 'The third']) {
    theirs.push(await open(a.api, { subject, assigneeId: people.tomas }));
  }
  const hers = await open(a.api, { subject: 'The only one', assigneeId: people.elif });
  const own = await open(a.api, { assigneeId: people.mara });
  const [b, c] = [await sit('tomas', '/'), await sit('elif', '/')];
  for (const { page, api } of [a, b, c]) {
    await api.post('/api/notifications/read');
    await expect(page.locator('.bell-count')).toHaveCount(0);
  }

  const data = { ids: [...theirs, hers, own], status: 'pending' };
  expect((await a.api.post('/api/tickets/bulk-status', { data })).ok()).toBe(true);
  await expect(b.page.locator('.bell-count')).toHaveText('1');
  await expect(c.page.locator('.bell-count')).toHaveText('1');
  await expect(a.page.locator('.bell-count')).toHaveCount(0);
  for (const { page } of [b, c]) await page.locator('[data-popover="bell"]').click();
  const newest = (page: Page) => page.locator('.bell-entry').first().getByRole('link');
  await expect(newest(c.page)).toHaveText('Unread: Mara Lindqvist changed the status of The only one');
  await expect(newest(b.page)).toHaveText(
    'Unread: Mara Lindqvist changed the status of The first of three and 2 others',
  );
  await newest(b.page).click();
  await expect(b.page).toHaveURL('/tickets?assignee=me');
  for (const id of theirs) await expect(row(b.page, id)).toBeVisible();
});

test('the bell shows the current subject, and nothing of a ticket that the user can no longer see', async ({
  sit,
  speakAs,
}) => {
  const a = await speakAs('mara');
  const b = await sit('elif', '/');
  await b.api.post('/api/notifications/read');
  const id = await open(a.api, { subject: 'As it was called', teamId: 2, assigneeId: people.elif });
  await b.page.locator('[data-popover="bell"]').click();
  const entry = b.page.locator('.bell-entry').first();
  await expect(entry).toContainText('As it was called');
  await change(a.api, id, { subject: 'As it is called now' });
  await expect(entry).toContainText('As it is called now');
  await change(a.api, id, { assigneeId: null, teamId: 1, visibility: 'team' });
  await expect(b.page.locator('.bell-entry', { hasText: 'As it is called now' })).toHaveCount(0);
  await expect(b.page.locator('.bell-count')).toHaveCount(0);
});

test('a screen reader announces changes by others but not own changes', async ({ sit, speakAs }) => {
  const a = await speakAs('mara');
  const own = [await open(a.api), await open(a.api)];
  const other = await open(a.api);
  const b = await sit('jonas', '/tickets');
  const spoken = b.page.locator('[data-spoken]');
  const heard = await spoken.evaluateHandle((element) => {
    const sentences: string[] = [];
    new MutationObserver(() => sentences.push(element.textContent)).observe(element, {
      childList: true,
      characterData: true,
      subtree: true,
    });
    return sentences;
  });
  for (const id of own) await row(b.page, id).getByRole('checkbox').check();
  await b.page
    .getByRole('region', { name: 'Selected tickets' })
    .getByRole('button', { name: 'Set pending' })
    .click();
  await expect(b.page.getByText('2 tickets set to Pending.')).toBeVisible();
  await change(a.api, other, { status: 'pending' });
  await expect(spoken).toHaveText('1 ticket on this page changed.');
  expect(await heard.jsonValue()).toEqual(['1 ticket on this page changed.']);
});

test('the last of two quick choices is saved', async ({ sit }) => {
  const { page, api } = await sit('mara', '/');
  const id = await open(api);
  await page.goto(`/tickets/${id}`);
  await isLive(page);
  const sent: string[] = [];
  const seen: string[][] = [];
  await page.route(`**/api/tickets/${id}`, async (route) => {
    const body = route.request().postData();
    if (body === null) return await route.continue();
    sent.push(body);
    // The second choice is made while the first request is in flight.
    if (sent.length === 1) await property(page, 'Status').selectOption('solved');
    const response = await route.fetch();
    seen.push([...sent]);
    await route.fulfill({ response });
  });
  await property(page, 'Status').selectOption('pending');
  await expect(property(page, 'Status')).toHaveValue('solved');
  await expect(page.locator('.properties')).toHaveAttribute('aria-busy', 'false');
  const [pending, solved] = ['{"status":"pending"}', '{"status":"solved"}'];
  // Concurrent requests could overtake each other.
  expect(seen).toEqual([[pending], [pending, solved]]);
  expect((await ticketOf(api, id)).status).toBe('solved');
});
