import { defineConfig } from '@playwright/test';
import { chromiumOptions } from '../scripts/chromium.ts';

// Each worker starts a desk of its own on a free port (e2e/fixtures.ts); the page has to be built before.
export default defineConfig({
  testDir: './e2e',
  testMatch: '*.e2e.ts',
  outputDir: './test-results',
  // The machine of CI has two cores, and a test waits for the page most of its time.
  workers: 2,
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
