import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

/** Imports of these packages resolve to one copy: the one that is installed in the folder of the React version. */
const names = ['react', 'react-dom', '@testing-library/react', '@edict/core', '@edict/react'];

/** Tests the packed packages with other versions of React (D-REACT-11). `compat/test.sh` installs them first. */
export default defineConfig({
  test: {
    projects: ['17', '18', '19'].map((version) => ({
      root: fileURLToPath(new URL(`./react-${version}/`, import.meta.url)),
      resolve: { dedupe: names },
      test: {
        name: `react-${version}`,
        environment: 'jsdom',
        testTimeout: 120_000,
        include: ['../shared/**/*.test.tsx'],
        env: { REACT_MAJOR: version },
      },
    })),
  },
});
