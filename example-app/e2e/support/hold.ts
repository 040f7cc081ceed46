// Keeps requests in flight until a test releases them, and drops responses.

import type { Page } from '@playwright/test';

/** Delays requests of a method until the returned function is called. */
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

/** Sends requests of a method to the server, but drops the responses. */
export async function loseAnswers(page: Page, url: string, method: string): Promise<void> {
  await page.route(url, async (route) => {
    if (route.request().method() !== method) return await route.continue();
    await route.fetch();
    await route.abort();
  });
}
