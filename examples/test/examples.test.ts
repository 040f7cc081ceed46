// Each example as its README starts it, in two windows of a real browser.

import { chromium, type Browser, type Locator, type Page } from '@playwright/test';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chromiumOptions } from '../../scripts/chromium.ts';
import { installedCopy, runScript, startScript } from './program.ts';

let browser: Browser;
beforeAll(async () => {
  browser = await chromium.launch(chromiumOptions);
});
afterAll(async () => await browser.close());

/** A window of its own, and the errors of its page. */
async function open(url: string, { isApiReachable = true } = {}): Promise<{ page: Page; errors: string[] }> {
  const page = await (await browser.newContext()).newPage();
  if (!isApiReachable) await page.route('**/api/tickets*', (route) => route.abort());
  page.setDefaultTimeout(90_000);
  const errors: string[] = [];
  page.on('pageerror', ({ message }) => errors.push(message));
  page.on('console', (message) => {
    if (message.type() === 'error') errors.push(message.text());
  });
  await page.goto(url);
  return { page, errors };
}

const row = (page: Page) => page.locator('li', { hasText: 'Printer on fire' });

const hasFocus = (locator: Locator): Promise<boolean> =>
  locator.evaluate((element) => element === document.activeElement);

/** One window solves the first ticket, and the other one shows it. */
async function isLive(url: string): Promise<{ one: Page; other: Page }> {
  const [one, other] = [await open(url), await open(url)];
  await one.page.getByRole('main').getByRole('heading', { name: 'Tickets' }).waitFor();
  for (const { page } of [one, other]) await row(page).getByText('open').waitFor();
  const button = row(one.page).getByRole('button', { name: 'Solve' });
  await button.press('Enter');
  for (const { page } of [one, other]) await row(page).getByText('solved').waitFor();
  expect(await hasFocus(button)).toBe(true);
  expect([...one.errors, ...other.errors]).toEqual([]);
  return { one: one.page, other: other.page };
}

describe.each(['vite-express', 'tanstack-query-adapter', 'vue'])('%s', (name) => {
  it('builds, and a change in one window shows in the other', async () => {
    runScript(name, 'build');
    await isLive(await startScript(name, 'start'));
  });

  it('shows a plain sentence and a button to try again when the server cannot be reached', async () => {
    const { page } = await open(await startScript(name, 'start'), { isApiReachable: false });
    await page.getByText(/The (tickets could not be loaded|server cannot be reached)\. Try again/).waitFor();
    await page.getByRole('button', { name: 'Try again' }).waitFor();
  });
});

describe('vite-express in development', () => {
  it('adds and deletes tickets, and a window with a deleted ticket shows a notice', async () => {
    const url = await startScript('vite-express', 'dev');
    const { one, other } = await isLive(url);
    await one.getByLabel('Title of the new ticket').fill('Lamp broken');
    await one.getByRole('button', { name: 'Add' }).click();
    await other.getByRole('button', { name: 'Lamp broken' }).click();
    await other.getByRole('heading', { name: 'Lamp broken' }).waitFor();
    await one.getByRole('button', { name: 'Lamp broken' }).click();
    await one.getByRole('button', { name: 'Delete' }).press('Enter');
    await one.locator('article:focus', { hasText: 'was deleted' }).waitFor();
    await other.getByText('was deleted').waitFor();
    await other.getByRole('button', { name: 'Lamp broken' }).waitFor({ state: 'detached' });
    await one.getByRole('button', { name: 'Add' }).click();
    await one.getByRole('alert').getByText('A ticket needs a title.').waitFor();
  });
});

describe('server-python', () => {
  it('sends changes to the page of another window', async () => {
    await isLive(await startScript('server-python', 'start', installedCopy('server-python')));
  });

  it('keeps the focus of a button when a change of another window arrives', async () => {
    const url = await startScript('server-python', 'start', installedCopy('server-python'));
    const [one, other] = [(await open(url)).page, (await open(url)).page];
    const button = one.locator('li', { hasText: 'Password lost' }).getByRole('button');
    await button.focus();
    await row(other).getByRole('button', { name: 'Solve' }).click();
    await row(one).getByText('solved').waitFor();
    // The page has handled the change of the list before the new status was read.
    expect(await hasFocus(button)).toBe(true);
  });
});

describe('react-router', () => {
  it('shows pages with their data, which follow changes', async () => {
    runScript('react-router', 'build');
    const url = await startScript('react-router', 'start');
    const [list, ticket] = [await open(url), await open(`${url}/tickets/1`)];
    await row(list.page).getByText('open').waitFor();
    await ticket.page.getByRole('status').getByText('open').waitFor();
    await ticket.page.getByRole('button', { name: 'Solve' }).click();
    await row(list.page).getByText('solved').waitFor();
    await ticket.page.getByRole('link', { name: 'All tickets' }).click();
    await row(ticket.page).getByText('solved').waitFor();
    await ticket.page.goto(`${url}/tickets/99`);
    await ticket.page.getByRole('heading', { name: 'Not found' }).waitFor();
    expect([...list.errors, ...ticket.errors]).toEqual([]);
  });

  it('requests a page that failed again when the user tries again', async () => {
    const url = await startScript('react-router', 'start');
    const { page } = await open(`${url}/tickets/99`);
    await page.route('**/api/tickets', (route) => route.fulfill({ status: 503 }));
    await page.getByRole('link', { name: 'All tickets' }).click();
    await page.getByRole('alert').getByText('could not be loaded').waitFor();
    await page.unroute('**/api/tickets');
    await page.getByRole('button', { name: 'Try again' }).click();
    await row(page).waitFor();
  });
});
