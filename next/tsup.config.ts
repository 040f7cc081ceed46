import { defineConfig, type Options } from 'tsup';

const shared = {
  format: 'esm',
  external: [/^@edict\//, /^next/],
  sourcemap: true,
  target: 'es2022',
} satisfies Options;

export default defineConfig([
  // Bundlers for server components look for the directive.
  { ...shared, entry: { index: 'src/index.ts' }, banner: { js: "'use client';" } },
  { ...shared, entry: { server: 'src/server.ts' } },
]);
