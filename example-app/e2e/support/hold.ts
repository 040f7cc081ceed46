// Requests that are on their way for as long as a test wants.

import type { Page } from '@playwright/test';

/** Holds requests of a method back until the returned function is called. */
export async function hold(page: Page, url: string, method: string): Promise<() => void> {
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
