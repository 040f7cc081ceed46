import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

/** Tests the built packages in other browsers and runtimes. The `test.sh` of each folder installs them first. */
export default defineConfig({
  test: {
    root: fileURLToPath(new URL('.', import.meta.url)),
    include: ['browsers/*.test.ts', 'runtimes/*.test.ts'],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 30_000 } },
  },
});
