// The server renders the first page, and the client hydrates it without requesting the data again.

import { expect, isLive, list, open, people, property, row, test } from './fixtures.ts';
import { hold } from './support/hold.ts';

test('the page that the server sends contains the list', async ({ speakAs }) => {
  const { api } = await speakAs('mara');
  const [first] = await list(api, 'status=pending');
  const html = await (await api.get('/tickets?status=pending')).text();
  expect(html).toContain(`data-ticket="${first}"`);
});

for (const path of ['/', '/tickets?status=open&sort=priority']) {
  test(`${path} hydrates without requests and without hydration errors`, async ({ sit }) => {
    const seat = await sit('mara', path);
    await isLive(seat.page);
    // A change arrives, so the stream is open and the page works.
    const id = await open(seat.api, { priority: 'urgent' });
    await expect(row(seat.page, id)).toBeVisible();
    // The change caused all of these requests. The list contains the new ticket.
    const paths = seat.asked().map((one) => one.replace(/\?.*/, ''));
    const ofDashboard = path === '/' ? ['GET /api/activity'] : [];
    expect(paths.sort()).toEqual([...ofDashboard, 'GET /api/counts', 'GET /api/tickets']);
    expect(seat.faults()).toEqual([]);
  });
}

test('an open ticket is rendered on the server and hydrated', async ({ sit, speakAs }) => {
  const other = await speakAs('mara');
  const id = await open(other.api, { subject: 'Rendered on the server' });
  const seat = await sit('jonas', `/tickets/${id}`);
  await expect(seat.page.getByRole('heading', { name: 'Rendered on the server' })).toBeVisible();
  expect(seat.asked()).toEqual([]);
  expect(seat.faults()).toEqual([]);
});

test('a page that the server could not render renders in the browser and never shows a wrong person', async ({
  sit,
}) => {
  const { page, api, faults } = await sit('mara', '/');
  const id = await open(api, { assigneeId: people.jonas, teamId: 2 });
  await page.route('**/tickets*', async (route) => {
    const response = await route.fetch();
    const bare = (await response.text())
      .replace(/(<div id="root">)[^]*(<\/div>\s*<script id="boot")/, '$1$2')
      .replace(/"state":\{[^]*\}(?=\s*<\/script>)/, '"state":null}');
    await route.fulfill({ response, body: bare });
  });
  const go = await hold(page, '**/api/directory', 'GET');
  await page.goto('/tickets');
  const assignee = row(page, id).locator('.row-assignee');
  await expect(assignee).toHaveText('Unknown person');
  await page.locator(`[data-row="${id}"]`).click();
  const shown = (label: string) => property(page, label).first().locator('option:checked');
  await expect(shown('Assignee')).toHaveText('Unknown person');
  await expect(shown('Team')).toHaveText('Unknown team');
  go();
  await expect(shown('Assignee')).toHaveText('Jonas Okafor');
  await expect(shown('Team')).toHaveText('Platform');
  expect(faults()).toEqual([]);
});

test('a page without scripts still shows the tickets', async ({ browser, desk }) => {
  const context = await browser.newContext({ baseURL: desk.url, javaScriptEnabled: false });
  await context.request.post('/api/session', { data: { personId: 1 } });
  const page = await context.newPage();
  await page.goto('/tickets');
  await expect(page.locator('.row')).toHaveCount(50);
  await context.close();
});

test('a change between the rendering and the stream is replayed', async ({ sit }) => {
  const seat = await sit('mara', '/');
  const id = await open(seat.api, { subject: 'Between page and stream' });
  const release = await hold(seat.page, '**/api/events*', 'GET');
  await seat.page.goto('/tickets');
  await expect(row(seat.page, id).locator('.badge')).toHaveText('Open');
  await seat.api.patch(`/api/tickets/${id}`, { data: { status: 'solved' } });
  release();
  await expect(row(seat.page, id).locator('.badge')).toHaveText('Solved');
});
