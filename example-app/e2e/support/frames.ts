// Waits for the browser's layout.

import type { Page } from '@playwright/test';

/** Resolves when a change of the window's size or of a scroll position is on the screen. */
export async function nextFrame(page: Page): Promise<void> {
  await page.evaluate(
    async () => await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))),
  );
}
