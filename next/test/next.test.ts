// The Next.js example, built and in development, in a real browser.

import { chromium, type Browser, type Page } from '@playwright/test';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runScript, startScript } from '../../examples/test/program.ts';
import { chromiumOptions } from '../../scripts/chromium.ts';

let browser: Browser;
beforeAll(async () => {
  browser = await chromium.launch(chromiumOptions);
});
afterAll(async () => await browser.close());

interface Opened {
  readonly page: Page;
  /** The requests of the API, without the stream. */
  readonly asked: string[];
  readonly errors: string[];
}

async function open(url: string): Promise<Opened> {
  const page = await (await browser.newContext()).newPage();
  page.setDefaultTimeout(90_000); // A page that is compiled on demand can take long.
  const asked: string[] = [];
  const errors: string[] = [];
  page.on('request', (request) => {
    const { pathname, search } = new URL(request.url());
    if (pathname.startsWith('/api/tickets')) asked.push(pathname + search);
  });
  page.on('pageerror', ({ message }) => errors.push(message));
  // Connecting is the last that a page does when it is hydrated: clicks work from here on.
  const connects = page.waitForRequest((request) => request.url().includes('/api/events'));
  await page.goto(url);
  await connects;
  return { page, asked, errors };
}

const row = (page: Page) => page.locator('li', { hasText: 'Printer on fire' });

/** The page contains its data, and a change in one window appears in the others. */
async function showsChanges(url: string): Promise<void> {
  const html = await (await fetch(url)).text();
  expect(html).toContain('Printer on fire'); // In the page, before any script.
  const list = await open(url);
  const other = await open(url);
  const ticket = await open(`${url}/tickets/1`);
  await ticket.page.getByRole('status').getByText('open').waitFor();
  await row(other.page).getByText('open').waitFor();
  await row(list.page).getByRole('button', { name: 'Solve' }).click();
  await row(list.page).getByText('solved').waitFor();
  await row(other.page).getByText('solved').waitFor();
  await ticket.page.getByRole('status').getByText('solved').waitFor();
  // Data that the server rendered was not fetched again. The list was fetched for the change, once.
  expect(other.asked).toEqual(['/api/tickets']);
  expect(ticket.asked).toEqual([]);
  await ticket.page.getByRole('link', { name: 'All tickets' }).click();
  await row(ticket.page).getByText('solved').waitFor();
  expect([...list.errors, ...other.errors, ...ticket.errors]).toEqual([]);
}

describe('an application with @edict/next', () => {
  it('shows a change in every window when it is built', { timeout: 180_000 }, async () => {
    runScript('next-app-router', 'build');
    await showsChanges(await startScript('next-app-router', 'start'));
  });

  it('requests stale rows together when the user goes back', { timeout: 180_000 }, async () => {
    const { page } = await open(await startScript('next-app-router', 'start'));
    await row(page).getByRole('link').click();
    await page.getByRole('heading', { name: 'Printer on fire' }).waitFor();
    await page.clock.install();
    await page.clock.fastForward(60_000);
    const ofRows = page.waitForRequest(/\/api\/tickets[/?]/);
    await page.goBack();
    expect((await ofRows).url()).toMatch(/\?ids=1,2,3$/);
  });

  it('shows the error of a server action beside its row', { timeout: 180_000 }, async () => {
    const { page, errors } = await open(await startScript('next-app-router', 'start'));
    await page.route('**/*', (route) =>
      route.request().method() === 'POST' ? route.abort() : route.continue(),
    );
    await row(page).getByRole('button', { name: 'Solve' }).click();
    await row(page).getByRole('alert').waitFor();
    expect(errors).toEqual([]);
  });

  it('shows a change in every window in development', { timeout: 180_000 }, async () => {
    await showsChanges(await startScript('next-app-router', 'dev'));
  });
});
