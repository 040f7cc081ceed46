import { defineConfig, type Options } from 'tsup';

const entries: Readonly<Record<string, string>> = {
  index: 'src/index.ts',
  internal: 'src/internal.ts',
  hydration: 'src/hydration/index.ts',
  protocol: 'src/protocol/index.ts',
  testing: 'src/testing/index.ts',
  'adapters/tanstack-query': 'src/adapters/tanstackQuery.ts',
  'adapters/swr': 'src/adapters/swr.ts',
  'adapters/cache': 'src/adapters/cache.ts',
};

const shared: Options = { external: [/^@edict\//], target: 'es2022' };

export default defineConfig([
  // Code that several entry points use is in a chunk of its own, so that a browser bundle contains it once.
  { ...shared, entry: { ...entries }, format: 'esm', splitting: true, sourcemap: true },
  { ...shared, entry: { ...entries }, format: 'cjs', sourcemap: true, treeshake: true },
  // Declarations are bundled separately for each entry point: `Register` can only be augmented where it is declared, which is `index.d.ts`.
  ...Object.entries(entries).map(([name, source]): Options => ({
    ...shared,
    entry: { [name]: source },
    format: ['esm', 'cjs'],
    dts: { only: true, compilerOptions: { ignoreDeprecations: '6.0', composite: false } },
  })),
  {
    entry: { index: 'src/scriptTag.ts' },
    format: ['iife'],
    minify: true,
    sourcemap: true,
    target: 'es2020',
    platform: 'browser',
    outExtension: () => ({ js: '.global.js' }),
    noExternal: [/.*/],
  },
]);
