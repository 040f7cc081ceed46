// The jsdom tests of the hooks once more, with the sources and the tests' own components compiled by the React Compiler (D-REACT-6):
// `npx vitest run -c react/vitest.compiled.config.ts`.

import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { defaultClientConditions, defaultServerConditions } from 'vite';
import { defineConfig } from 'vitest/config';

const require = createRequire(import.meta.url);
const root = fileURLToPath(new URL('..', import.meta.url));

/** The part of Babel that is needed here; it comes with the compiler and has no types. */
interface Babel {
  transformSync: (code: string, options: object) => { code: string; map: object | null } | null;
}
const babel = require('@babel/core') as Babel;

const compiler = {
  name: 'react-compiler',
  enforce: 'pre' as const,
  transform(code: string, id: string) {
    if (!/\/react\/(src|test)\/.*\.tsx?$/.test(id)) return null;
    return babel.transformSync(code, {
      filename: id,
      configFile: false,
      babelrc: false,
      sourceMaps: true,
      parserOpts: { plugins: ['typescript', ...(id.endsWith('x') ? ['jsx'] : [])] },
      plugins: [[require.resolve('babel-plugin-react-compiler'), { panicThreshold: 'none', target: '19' }]],
    });
  },
};

export default defineConfig({
  root,
  plugins: [compiler],
  resolve: {
    conditions: ['source', ...defaultClientConditions],
    alias: [{ find: /^react$/, replacement: `${root}node_modules/react/index.js` }],
  },
  ssr: { resolve: { conditions: ['source', ...defaultServerConditions] } },
  test: {
    environment: 'jsdom',
    // As in the root configuration.
    testTimeout: 120_000,
    expect: { poll: { timeout: 30_000 } },
    env: { LONGEST_ORDER: '2' },
    include: ['react/test/**/*.test.tsx'],
    exclude: ['react/test/**/*.node.test.tsx', 'react/test/devtools/**'],
    setupFiles: ['./react/test/setup.ts'],
  },
});
