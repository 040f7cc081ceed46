import { fileURLToPath } from 'node:url';
import { playwright } from '@vitest/browser-playwright';
import { defaultClientConditions, defaultServerConditions } from 'vite';
import { defineConfig } from 'vitest/config';
import { chromiumOptions } from './scripts/chromium.ts';

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

export default defineConfig({
  resolve: {
    // The packages are tested from their sources; no build is needed first.
    conditions: ['source', ...defaultClientConditions],
    // The workspace folder `react` would otherwise shadow the npm package when Vite pre-bundles it.
    alias: [{ find: /^react$/, replacement: at('./node_modules/react/index.js') }],
  },
  ssr: { resolve: { conditions: ['source', ...defaultServerConditions] } },
  test: {
    // Tests wait for events, on a machine that can be busy with something else. The limits only end a test whose event never comes.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 30_000 } },
    coverage: { provider: 'v8', include: ['{core,react,server}/src/**/*.{ts,tsx}'] },
    projects: [
      {
        extends: true,
        test: {
          name: 'node',
          environment: 'node',
          pool: 'threads', // They start faster than processes, and there are some two hundred files.
          include: ['{core,server}/test/**/*.test.ts', 'react/test/**/*.node.test.tsx'],
        },
      },
      {
        extends: true,
        test: {
          name: 'jsdom',
          environment: 'jsdom',
          include: ['react/test/**/*.test.tsx'],
          exclude: ['react/test/**/*.node.test.tsx'],
          setupFiles: ['./react/test/setup.ts'],
        },
      },
      {
        extends: true,
        test: {
          // From the built packages, as an application gets them.
          name: 'examples',
          environment: 'node',
          include: ['{examples,next}/test/**/*.test.ts'],
          fileParallelism: false,
        },
      },
      {
        extends: true,
        // What Vue asks a bundler to say.
        define: Object.fromEntries(
          ['OPTIONS_API', 'PROD_DEVTOOLS', 'PROD_HYDRATION_MISMATCH_DETAILS'].map((flag) => [
            `__VUE_${flag}__`,
            'false',
          ]),
        ),
        optimizeDeps: {
          include: [
            'react',
            'react/jsx-dev-runtime',
            'react/jsx-runtime',
            'react-dom',
            'react-dom/client',
            'react-dom/server',
            '@testing-library/react',
            'eventsource-parser',
            'fast-check',
            'solid-js',
            'svelte/store',
            'vue',
          ],
        },
        test: {
          name: 'browser',
          include: ['{core,react,devtools}/test/**/*.browser.{ts,tsx}'],
          browser: {
            enabled: true,
            headless: true,
            screenshotFailures: false,
            instances: [{ browser: 'chromium' }],
            provider: playwright({ launchOptions: chromiumOptions }),
          },
        },
      },
    ],
  },
});
