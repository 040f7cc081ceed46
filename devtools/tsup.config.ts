import { defineConfig, type Options } from 'tsup';

const shared: Options = {
  sourcemap: true,
  target: 'es2022',
  platform: 'browser',
  // React and the panel are in the bundle, so a page needs nothing but the data layer.
  noExternal: [/^react/, /^scheduler/, /^use-sync-external-store/, /^@edict\/react/],
  define: { 'process.env.NODE_ENV': '"production"' },
  minify: true,
};

/** A page with script tags has one data layer, `globalThis.DL`. A second copy of it would be another data layer. */
const globalLayer = {
  name: 'global-layer',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^@edict\/core$/ }, ({ namespace }) =>
      namespace === 'global-layer' ? undefined : { path: 'core', namespace: 'global-layer' },
    );
    onLoad({ filter: /.*/, namespace: 'global-layer' }, () => ({
      resolveDir: import.meta.dirname,
      contents: `export * from '@edict/core';
        export const DL = globalThis.DL;
        if (!DL) throw new Error('[edict] devtools: there is no data layer. Load the script of @edict/core first.');`,
    }));
  },
} satisfies NonNullable<Options['esbuildPlugins']>[number];

export default defineConfig([
  {
    ...shared,
    entry: { index: 'src/index.ts', element: 'src/element.ts' },
    format: 'esm',
    external: [/^@edict\/core/],
    splitting: true,
  },
  {
    ...shared,
    entry: { index: 'src/scriptTag.ts' },
    format: 'iife',
    noExternal: [/.*/],
    esbuildPlugins: [globalLayer],
    outExtension: () => ({ js: '.global.js' }),
  },
]);
