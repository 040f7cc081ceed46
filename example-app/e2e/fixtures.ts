// Shared fixtures: a desk per worker, a window per user, and a log of the requests of each window.

import {
  test as base,
  expect,
  type APIRequestContext,
  type BrowserContext,
  type Page,
} from '@playwright/test';
import type { Ticket } from '../src/model.ts';
import { startDesk, type DeskServer } from './deskServer.ts';

export { expect } from '@playwright/test';

/** Seeded people by their first names. Mara is in every team, Dele in Trust & Safety, Jonas in Billing. */
export const people = { mara: 1, jonas: 2, priya: 3, tomas: 4, yuki: 5, elif: 6, dele: 9, ines: 10 } as const;
export type Who = keyof typeof people;

export interface Seat {
  page: Page;
  context: BrowserContext;
  /** The API as this person, outside the page. */
  api: APIRequestContext;
  /** The requests since the last `forget`, such as `GET /api/counts`, without the stream. */
  asked: () => string[];
  forget: () => void;
  /** The errors of the page and its console. */
  faults: () => string[];
}

interface Fixtures {
  sit: (who: Who, path: string, options?: { expectLive?: boolean }) => Promise<Seat>;
  /** The API as this user, without a page. */
  speakAs: (who: Who) => Promise<{ api: APIRequestContext }>;
}

export const test = base.extend<Fixtures, { desk: DeskServer }>({
  desk: [
    // oxlint-disable-next-line no-empty-pattern -- the framework wants a pattern here
    async ({}, use) => {
      const desk = await startDesk();
      await use(desk);
      await desk.stop();
    },
    { scope: 'worker', timeout: 180_000 },
  ],
  sit: async ({ desk, browser }, use) => {
    const contexts: BrowserContext[] = [];
    await use(async (who, path, options) => {
      const context = await browser.newContext({ baseURL: desk.url });
      contexts.push(context);
      return await sitDown(context, who, path, options);
    });
    await Promise.all(contexts.map(async (context) => await context.close()));
  },
  speakAs: async ({ desk, playwright }, use) => {
    const apis: APIRequestContext[] = [];
    await use(async (who) => {
      const api = await playwright.request.newContext({ baseURL: desk.url });
      apis.push(api);
      await signIn(api, who);
      return { api };
    });
    await Promise.all(apis.map(async (api) => await api.dispose()));
  },
});

async function signIn(api: APIRequestContext, who: Who): Promise<void> {
  const response = await api.post('/api/session', { data: { personId: people[who] } });
  expect(response.status()).toBe(201);
}

export async function sitDown(
  context: BrowserContext,
  who: Who,
  path: string,
  { expectLive = true }: { expectLive?: boolean } = {},
): Promise<Seat> {
  await signIn(context.request, who);
  const page = await context.newPage();
  const seat = watch(page, context);
  await page.goto(path);
  if (expectLive) await isLive(page);
  return seat;
}

/** The client id of each page, from the request for its stream. */
const clientIds = new WeakMap<Page, string>();

export function watch(page: Page, context: BrowserContext): Seat {
  let asked: string[] = [];
  const faults: string[] = [];
  page.on('request', (request) => {
    const { pathname, search, searchParams } = new URL(request.url());
    const clientId = searchParams.get('client_id');
    if (clientId !== null) clientIds.set(page, clientId);
    if (pathname.startsWith('/api/') && pathname !== '/api/events') {
      asked.push(`${request.method()} ${pathname}${search}`);
    }
  });
  page.on('pageerror', (error) => faults.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error') faults.push(message.text());
  });
  return {
    page,
    context,
    api: context.request,
    asked: () => asked,
    forget: () => {
      asked = [];
    },
    faults: () => faults,
  };
}

/**
 * Turns the network off: requests fail, and the stream ends. Chromium keeps an open response when it goes offline, so the
 * server ends it. Turn the network on again with `context.setOffline(false)`.
 */
export async function goOffline({
  page,
  context,
  api,
}: Pick<Seat, 'page' | 'context' | 'api'>): Promise<void> {
  await context.setOffline(true);
  const response = await api.post('/api/weather/cut', { data: { clientId: clientIds.get(page) } });
  expect(response.status()).toBe(200);
}

/** Resolves when the stream is open and the page has all requested data. */
export async function isLive(page: Page): Promise<void> {
  await expect(page.locator('[data-live="true"]')).toBeVisible();
  await expect(page.locator('.bone')).toHaveCount(0);
}

export const row = (page: Page, id: number) => page.locator(`.row[data-ticket="${id}"]`);
export const property = (page: Page, label: string) => page.locator('.properties').getByLabel(label);
export const tabCount = (page: Page, status: string) => page.locator(`[data-tab="${status}"] .tab-count`);

/** The ids of a list, as the API returns it to this person. */
export async function list(api: APIRequestContext, query: string): Promise<number[]> {
  const answer = await api.get(`/api/tickets?${query}`);
  return ((await answer.json()) as { items: { id: number }[] }).items.map(({ id }) => id);
}

export async function ticketOf(api: APIRequestContext, id: number): Promise<Ticket> {
  return (await (await api.get(`/api/tickets/${id}`)).json()) as Ticket;
}

/** Opens the form of a new ticket and fills the required fields. */
export async function fillNewTicket(
  page: Page,
  subject: string,
  body = 'As the subject says.',
): Promise<void> {
  await page.keyboard.press('n');
  await page.getByLabel('Subject').fill(subject);
  await page.getByLabel('Description').fill(body);
  await page.getByLabel('Customer').fill('Test Customer');
  await page.getByLabel('Email address').fill('customer@shop.example');
}

/** Creates a ticket for one test, so that tests do not affect each other. */
export async function open(
  api: APIRequestContext,
  input: Partial<Record<string, unknown>> = {},
): Promise<number> {
  const answer = await api.post('/api/tickets', {
    data: {
      subject: 'A ticket for a test',
      body: 'Something does not work as it should.',
      priority: 'normal',
      teamId: 1,
      assigneeId: null,
      visibility: 'everyone',
      requesterName: 'Test Customer',
      requesterEmail: 'customer@shop.example',
      ...input,
    },
  });
  expect(answer.status(), await answer.text()).toBe(201);
  return ((await answer.json()) as { id: number }).id;
}

export async function change(
  api: APIRequestContext,
  id: number,
  data: Record<string, unknown>,
): Promise<void> {
  const answer = await api.patch(`/api/tickets/${id}`, { data });
  expect(answer.status(), await answer.text()).toBe(200);
}
