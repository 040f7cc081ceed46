// The entry of all benchmarks. Bundles the programs of a benchmark for production, and runs the first one.
//
//   node run.mjs core [options]   the options are in README.md
import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { build } from 'esbuild';

const here = new URL('.', import.meta.url).pathname;
const dist = `${here}dist`;

/** The programs of each benchmark, which run in Node. The first one starts the others. */
const programs = {
  core: ['core/main', 'core/worker'],
  checks: ['checks/main', 'core/worker', 'size/main', 'react/main'],
  react: ['react/main'],
  size: ['size/main'],
  stream: ['stream/main', 'stream/server', 'stream/clients'],
  triggers: ['triggers/main'],
};

/** Builds production bundles. A loader would keep long names and development branches, which distort the measurements. */
async function bundle(names) {
  mkdirSync(dist, { recursive: true });
  await build({
    absWorkingDir: here,
    entryPoints: names.map((name) => `src/${name}.ts`),
    outdir: dist,
    outbase: 'src',
    outExtension: { '.js': '.cjs' },
    bundle: true,
    format: 'cjs',
    platform: 'node',
    target: 'node20',
    define: { 'process.env.NODE_ENV': '"production"' },
    // Removes development branches, as every production build does. Reading `process` for such a branch takes as long as a cache lookup.
    minifySyntax: true,
    // These packages are tools, or servers that are measured in their installed form.
    external: [
      'esbuild',
      'rolldown',
      'playwright',
      'playwright-core',
      'better-sse',
      'fastify',
      '@fastify/sse',
      'hono',
      'hono/*',
      '@hono/node-server',
    ],
    logLevel: 'warning',
  });
}

const [wanted = 'all', ...options] = process.argv.slice(2);
const order = wanted === 'all' ? ['checks', 'size', 'core', 'react', 'stream', 'triggers'] : [wanted];
let isWell = true;
for (const name of order) {
  const [entry, ...others] = programs[name] ?? [];
  if (entry === undefined) {
    console.error(`There is no benchmark "${name}". Use one of ${Object.keys(programs).join(', ')}, all.`);
    process.exit(2);
  }
  await bundle([entry, ...others]);
  const { status } = spawnSync(process.execPath, ['--expose-gc', `${dist}/${entry}.cjs`, ...options], {
    stdio: 'inherit',
    env: { ...process.env, NODE_ENV: 'production', BENCH_ROOT: here },
  });
  isWell &&= status === 0;
}
process.exit(isWell ? 0 : 1);
