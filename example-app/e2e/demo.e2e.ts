// The promises of the demo, each in one browser window with two real clients.

import type { Locator, Page } from '@playwright/test';
import { expect, test } from './fixtures.ts';

const screen = (page: Page, name: string): Locator => page.locator(`[data-screen="${name}"]`);
const ticket = (page: Page, name: string, id: number): Locator =>
  screen(page, name).locator(`[data-ticket="${id}"]`);
/** What became of messages on Mara's side. */
const marked = (page: Page, fate: string): Locator =>
  page.locator(`.log-half[data-side="Mara"][data-fate="${fate}"]`);
const fault = (page: Page, name: string): Locator =>
  page.getByRole('group', { name: "Disturb Mara's wire" }).getByRole('button', { name });

const newest = 4996;

/** The demo with both screens loaded, and without changes by colleagues. */
async function openDemo(page: Page, url: string): Promise<void> {
  await page.goto(`${url}/demo`);
  for (const name of ['Priya', 'Mara']) {
    await expect(screen(page, name).locator('[data-ticket]')).toHaveCount(6);
    await expect(screen(page, name).getByText('Live', { exact: true })).toBeVisible();
  }
  await page.getByRole('button', { name: 'Pause colleagues' }).click();
}

/** Priya solves the ticket, or reopens it if it is solved. */
async function change(page: Page, id: number): Promise<string> {
  await ticket(page, 'Priya', id).getByRole('button').click();
  const status = ticket(page, 'Priya', id).locator('[data-part="status"]');
  await expect(ticket(page, 'Priya', id)).toContainText('changed by Priya');
  return (await status.textContent()) ?? '';
}

test('the start page without a session is the demo, which links to the desk and back', async ({
  page,
  desk,
}) => {
  await page.goto(desk.url);
  await expect(page).toHaveURL(`${desk.url}/demo`);
  await page.getByRole('link', { name: 'Open the desk' }).click();
  await page.getByRole('link', { name: 'without signing in' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Two people, one truth.');
});

test('a change of one person is on the screen of the other, and the time is measured', async ({
  page,
  desk,
}) => {
  await openDemo(page, desk.url);
  const status = await change(page, newest);
  await expect(ticket(page, 'Mara', newest).locator('[data-part="status"]')).toHaveText(status);
  await expect(page.locator('.said')).toHaveText(
    new RegExp(`^Priya (solved|reopened) #${newest}; Mara saw it \\d+ ms later\\.$`),
  );
});

test('a delayed wire delivers a change late', async ({ page, desk }) => {
  await openDemo(page, desk.url);
  await fault(page, 'Delay').click();
  const status = await change(page, newest);
  await expect(marked(page, 'late')).toHaveCount(1);
  await expect(ticket(page, 'Mara', newest)).not.toContainText('changed by Priya');
  await expect(ticket(page, 'Mara', newest).locator('[data-part="status"]')).toHaveText(status);
  await expect(marked(page, 'late')).toHaveCount(0);
});

test('a dropped message leaves a hole, which the screen notices and fills', async ({ page, desk }) => {
  await openDemo(page, desk.url);
  await fault(page, 'Drop one').click();
  const status = await change(page, newest);
  await expect(marked(page, 'lost')).toHaveCount(1);
  await expect(ticket(page, 'Mara', newest).locator('[data-part="status"]')).toHaveText(status);
  await expect(marked(page, 'refetched')).toHaveCount(1);
});

test('a cut wire leaves holes, and the replay fills them after the repair', async ({ page, desk }) => {
  await openDemo(page, desk.url);
  await fault(page, 'Cut').click();
  await expect(screen(page, 'Mara').getByText('Reconnecting')).toBeVisible();
  for (const id of [newest, newest - 1, newest - 2]) await change(page, id);
  await expect(marked(page, 'missed')).toHaveCount(3);
  await expect(screen(page, 'Mara')).not.toContainText('changed by Priya');
  await ticket(page, 'Mara', newest).getByRole('button').click();
  await expect(ticket(page, 'Mara', newest).getByRole('alert')).toContainText('The wire is cut.');
  await fault(page, 'Repair').click();
  await expect(marked(page, 'replayed')).toHaveCount(3);
  await expect(screen(page, 'Mara').getByText('changed by Priya')).toHaveCount(3);
});
