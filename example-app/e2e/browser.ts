// Chromium, told not to reach for the network on its own.

import { existsSync } from 'node:fs';
import type { LaunchOptions } from '@playwright/test';

const chromium =
  process.env['CHROMIUM_PATH'] ?? (existsSync('/usr/bin/chromium') ? '/usr/bin/chromium' : undefined);

export const launchOptions: LaunchOptions = {
  ...(chromium === undefined ? {} : { executablePath: chromium }),
  args: [
    '--no-sandbox',
    '--disable-gpu',
    '--disable-quic',
    '--no-first-run',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
  ],
};
