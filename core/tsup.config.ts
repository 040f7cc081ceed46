import { defineConfig, type Options } from 'tsup';

/** One configuration an entry: no shared chunk, so that `Register` is declared in `index.d.ts` itself and can be augmented. */
const entry = (name: string, source: string): Options => ({
  entry: { [name]: source },
  format: ['esm', 'cjs'],
  dts: { compilerOptions: { ignoreDeprecations: '6.0', composite: false } },
  external: [/^@edict\//],
  sourcemap: true,
  target: 'es2022',
  treeshake: true,
});

export default defineConfig([
  entry('index', 'src/index.ts'),
  entry('protocol', 'src/protocol/index.ts'),
  entry('testing', 'src/testing/index.ts'),
  entry('adapters/tanstack-query', 'src/adapters/tanstackQuery.ts'),
  entry('adapters/swr', 'src/adapters/swr.ts'),
  entry('adapters/cache', 'src/adapters/cache.ts'),
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
