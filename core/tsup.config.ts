import { defineConfig, type Options } from 'tsup';
import { compress } from '../scripts/compress.ts';
import { developmentOnly } from '../scripts/developmentOnly.ts';
import { shortNames } from '../scripts/shortNames.ts';

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

const esbuildOptions: Options['esbuildOptions'] = (options) => void Object.assign(options, shortNames);

const shared: Options = {
  external: [/^@edict\//],
  target: 'es2022',
  esbuildPlugins: [developmentOnly({ isPackage: true })],
  esbuildOptions,
};

/** The script-tag build: `index.global.js` for production, and `index.global.dev.js` with the checks and warnings of development. */
const scriptTag = (mode: 'production' | 'development', extension: string): Options => ({
  entry: { index: 'src/scriptTag.ts' },
  format: ['iife'],
  minify: mode === 'production',
  sourcemap: true,
  target: 'es2020',
  platform: 'browser',
  define: { 'process.env.NODE_ENV': JSON.stringify(mode) },
  outExtension: () => ({ js: extension }),
  noExternal: [/.*/],
  esbuildPlugins: [developmentOnly({ isPackage: false })],
  esbuildOptions,
});

export default defineConfig([
  // Code that several entry points use is in a chunk of its own, so that a browser bundle contains it once.
  {
    ...shared,
    entry: { ...entries },
    format: 'esm',
    splitting: true,
    sourcemap: true,
    plugins: [compress()],
  },
  { ...shared, entry: { ...entries }, format: 'cjs', sourcemap: true, treeshake: true },
  scriptTag('production', '.global.js'),
  scriptTag('development', '.global.dev.js'),
]);
