// Requests that are on their way for as long as a test wants, and answers that never arrive.

import type { Page } from '@playwright/test';

/** Holds requests of a method back until the returned function is called. */
export async function hold(page: Page, url: string | RegExp, method: string): Promise<() => void> {
  let go = (): void => {};
  const gate = new Promise<void>((resolve) => {
    go = resolve;
  });
  await page.route(url, async (route) => {
    if (route.request().method() === method) await gate;
    await route.continue();
  });
  return go;
}

/** Lets requests of a method reach the server, and nothing of its answers reach the page. */
export async function loseAnswers(page: Page, url: string, method: string): Promise<void> {
  await page.route(url, async (route) => {
    if (route.request().method() !== method) return await route.continue();
    await route.fetch();
    await route.abort();
  });
}
