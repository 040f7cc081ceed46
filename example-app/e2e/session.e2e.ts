// Whose window it is: sessions, and the way to sign in and back.

import { expect, isLive, open, test, ticketOf } from './fixtures.ts';

test('a window does nothing in the name of whoever signed in in another window of the browser', async ({
  sit,
}) => {
  const { page, api, context } = await sit('mara', '/');
  const id = await open(api);
  await page.goto(`/tickets/${id}`);
  await isLive(page);
  const other = await context.newPage();
  await other.goto('/sign-in');
  await other.getByRole('button', { name: /Jonas/ }).click();
  await isLive(other);
  await page.getByLabel('Write a comment').fill('From the window of Mara');
  await page.getByRole('button', { name: 'Comment', exact: true }).click();
  await expect(page.getByRole('dialog', { name: 'Your session has ended' })).toBeVisible();
  expect((await ticketOf(api, id)).comments).toEqual([]);
});

test('a window says so when it only listens while another person signs in', async ({ sit }) => {
  const { page, api, context } = await sit('mara', '/tickets');
  const other = await context.newPage();
  await other.goto('/sign-in');
  await other.getByRole('button', { name: /Jonas/ }).click();
  await isLive(other);
  await open(api);
  await expect(page.getByRole('dialog', { name: 'Your session has ended' })).toBeVisible();
});

test('a link to a ticket leads to it after signing in, and never away from the desk', async ({
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

test('a form that one left open does not open for whoever signs in after', async ({ sit }) => {
  const { page } = await sit('mara', '/tickets');
  const form = page.getByRole('dialog', { name: 'New ticket' });
  await page.keyboard.press('n');
  await form.getByLabel('Subject').fill('Of Mara');
  await page.goto('/sign-in');
  await page.getByRole('button', { name: /Jonas/ }).click();
  await isLive(page);
  await expect(form).toHaveCount(0);
  await page.goto('/sign-in');
  await page.getByRole('button', { name: /Mara/ }).click();
  await isLive(page);
  await expect(form.getByLabel('Subject')).toHaveValue('Of Mara');
});
