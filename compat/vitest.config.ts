import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

/** One copy of each: what the folder of the React version has installed. */
const names = ['react', 'react-dom', '@testing-library/react', '@edict/core', '@edict/react'];

/** The packed packages in applications of other React versions (D-REACT-11). `compat/test.sh` installs them first. */
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
