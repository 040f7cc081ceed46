// Starts Chromium for all tests and benchmarks: the one in CHROMIUM_PATH, else Debian's, else Playwright's own.
// The build without windows comes first. Playwright uses it by default, and it opens pages in half the time.
// The options keep Chromium from using the network by itself.

import { existsSync } from 'node:fs';

const debians = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'];
const path = process.env['CHROMIUM_PATH'] ?? debians.find((program) => existsSync(program));

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
