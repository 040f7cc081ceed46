import { defineConfig } from '@playwright/test';
import { chromiumOptions } from '../scripts/chromium.ts';

// Each worker starts its own desk on a free port (e2e/fixtures.ts). Build the page first.
export default defineConfig({
  testDir: './e2e',
  testMatch: '*.e2e.ts',
  outputDir: './test-results',
  // One test uses more than one core, and `npm test` runs another step at the same time.
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
