import { defineConfig } from '@playwright/test';
import { chromiumOptions } from '../scripts/chromium.ts';

// Each worker starts a desk of its own on a free port (e2e/fixtures.ts); the page has to be built before.
export default defineConfig({
  testDir: './e2e',
  testMatch: '*.e2e.ts',
  outputDir: './test-results',
  // Pages and servers use more than a core with one test at a time, and another step of `npm test` runs beside them.
  workers: 1,
  fullyParallel: false,
  forbidOnly: process.env['CI'] !== undefined,
  retries: 0,
  timeout: 60_000,
  expect: { timeout: 12_000 },
  reporter: [['list']],
  use: {
    headless: true,
    launchOptions: chromiumOptions,
    viewport: { width: 1360, height: 860 },
    trace: 'off',
  },
});
