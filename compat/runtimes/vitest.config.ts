import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

/** The built packages in other runtimes. `compat/runtimes/test.sh` installs them first. */
export default defineConfig({
  test: {
    root: fileURLToPath(new URL('.', import.meta.url)),
    include: ['*.test.ts'],
    testTimeout: 20_000,
    expect: { poll: { timeout: 10_000 } },
  },
});
