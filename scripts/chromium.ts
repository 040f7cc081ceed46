// How every program of the tests and the benchmarks starts Chromium: the one in CHROMIUM_PATH, else Debian's, else Playwright's own.
// The options keep Chromium from using the network by itself.

import { existsSync } from 'node:fs';

const debians = '/usr/bin/chromium';
const path = process.env['CHROMIUM_PATH'] ?? (existsSync(debians) ? debians : undefined);

/** As Playwright's `launch` takes them. */
export const chromiumOptions = {
  ...(path === undefined ? {} : { executablePath: path }),
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
