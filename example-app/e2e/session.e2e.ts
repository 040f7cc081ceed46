// Sessions, signing in and out, and the redirect afterwards.

import { expect, isLive, open, people, property, test, ticketOf } from './fixtures.ts';

test('a window does not act as the user who signed in in another window of the browser', async ({ sit }) => {
  const { page, api, context } = await sit('mara', '/');
  const id = await open(api);
  await page.goto(`/tickets/${id}`);
  await isLive(page);
  const other = await context.newPage();
  await other.goto('/sign-in');
  await other.getByRole('button', { name: /Jonas/ }).click();
  await isLive(other);
  const ended = page.getByRole('dialog', { name: 'Your session has ended' });
  await ended.getByRole('button', { name: 'Close' }).click();
  await page.getByLabel('Write a comment').fill('From the window of Mara');
  const refused = page.waitForResponse((response) => response.url().endsWith('/comments'));
  await page.getByRole('button', { name: 'Comment', exact: true }).click();
  expect((await refused).status()).toBe(401);
  expect((await ticketOf(api, id)).comments).toEqual([]);
});

test('an idle window shows that its session has ended when another person signs in', async ({ sit }) => {
  const { page, api } = await sit('mara', '/tickets');
  await api.post('/api/session', { data: { personId: people.jonas } }); // No other window of this browser announces the change.
  await open(api);
  await expect(page.getByRole('dialog', { name: 'Your session has ended' })).toBeVisible();
});

test('a link to a ticket opens it after signing in, and a forged link never leaves the desk', async ({
  browser,
  desk,
}) => {
  const context = await browser.newContext({ baseURL: desk.url });
  const page = await context.newPage();
  await page.goto('/tickets/7?status=open');
  await page.getByRole('button', { name: /Mara/ }).click();
  await expect(page).toHaveURL('/tickets/7?status=open');
  for (const to of [
    '//evil.example/',
    '/\\evil.example',
    'https://evil.example/',
    '/\t/evil.example',
    'javascript:alert(1)',
    '//',
  ]) {
    await page.goto(`/sign-in?to=${encodeURIComponent(to)}`);
    await page.getByRole('button', { name: /Mara/ }).click();
    await expect(page).toHaveURL('/');
  }
  await context.close();
});

test('signing out in one window ends the session in the others immediately, and signing in resumes them', async ({
  sit,
}) => {
  const { page, api, context } = await sit('mara', '/');
  await page.goto(`/tickets/${await open(api)}`);
  await isLive(page);
  const other = await context.newPage();
  await other.goto('/');
  await isLive(other);
  await other.getByRole('button', { name: 'Account of Mara Lindqvist' }).click();
  await other.getByRole('button', { name: 'Sign out' }).click();
  const ended = page.getByRole('dialog', { name: 'Your session has ended' });
  await expect(ended).toBeVisible();
  await other.getByRole('button', { name: /Mara/ }).click();
  await isLive(other);
  await expect(ended).toHaveCount(0);
  await isLive(page);
  await property(page, 'Status').selectOption('pending');
  await expect(property(page, 'Status')).toHaveValue('pending');
});
