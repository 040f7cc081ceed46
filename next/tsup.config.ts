import { defineConfig, type Options } from 'tsup';

const shared = {
  format: 'esm',
  external: [/^@edict\//, /^next/],
  sourcemap: true,
  target: 'es2022',
  dts: { compilerOptions: { ignoreDeprecations: '6.0', composite: false } },
} satisfies Options;

export default defineConfig([
  // Bundlers for server components look for the directive.
  { ...shared, entry: { index: 'src/index.ts' }, banner: { js: "'use client';" } },
  { ...shared, entry: { server: 'src/server.ts' } },
]);
