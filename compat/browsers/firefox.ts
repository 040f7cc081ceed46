// Drives the Firefox of Debian over WebDriver BiDi.

import { launch } from 'puppeteer-core';
import type { Tab } from './tab.ts';

export async function openFirefox(): Promise<Tab> {
  const browser = await launch({
    browser: 'firefox',
    executablePath: process.env['FIREFOX_PATH'] ?? '/usr/bin/firefox-esr',
  });
  const page = await browser.newPage();
  return {
    browser: await browser.version(),
    open: async (url) => void (await page.goto(url)),
    back: async () => void (await page.goBack()),
    ask: (expression) => page.evaluate(expression),
    close: () => browser.close(),
  };
}
