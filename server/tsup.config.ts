import { defineConfig, type Options } from 'tsup';

/** One configuration an entry: nobody who takes the hub alone loads what another entry needs. */
const entry = (name: string, source: string): Options => ({
  entry: { [name]: source },
  format: ['esm', 'cjs'],
  dts: { compilerOptions: { ignoreDeprecations: '6.0', composite: false } },
  // Dependencies and optional peers are the application's own copies.
  external: [/^@edict\//, 'ioredis', 'hono', /^hono\//, 'express', 'fastify'],
  platform: 'node',
  sourcemap: true,
  target: 'es2022',
  treeshake: true,
});

export default defineConfig([
  entry('index', 'src/index.ts'),
  entry('redis', 'src/redis/index.ts'),
  entry('postgres', 'src/postgres/index.ts'),
  entry('hono', 'src/middleware/hono.ts'),
  entry('express', 'src/middleware/express.ts'),
  entry('fastify', 'src/middleware/fastify.ts'),
]);
