import { defineConfig } from 'tsup';

export default defineConfig({
  entry: {
    index: 'src/index.ts',
    redis: 'src/redis/index.ts',
    postgres: 'src/postgres/index.ts',
    hono: 'src/middleware/hono.ts',
    express: 'src/middleware/express.ts',
    fastify: 'src/middleware/fastify.ts',
  },
  format: ['esm', 'cjs'],
  // The code of each entry is complete in itself, so that nobody loads what another entry needs.
  splitting: false,
  // Dependencies and optional peers are the application's own copies.
  external: [/^@edict\//, 'ioredis', 'hono', /^hono\//, 'express', 'fastify'],
  platform: 'node',
  sourcemap: true,
  target: 'es2022',
  treeshake: true,
});
