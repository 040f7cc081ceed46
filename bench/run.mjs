// The entry of every benchmark: bundles its programs for production and runs them.
// `node run.mjs core [options]`; see README.md.
import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { build } from 'esbuild';

const here = new URL('.', import.meta.url).pathname;
const dist = `${here}dist`;

/** Programs that run in Node: what starts first, and what it starts. */
const programs = {
  core: ['core/main', 'core/worker'],
  checks: ['checks/main', 'core/worker', 'size/main', 'react/main'],
  react: ['react/main'],
  size: ['size/main'],
  stream: ['stream/main', 'stream/server', 'stream/clients'],
  triggers: ['triggers/main'],
};

/** A production bundle: running the sources through a loader keeps names and development branches, and distorts. */
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
    // Like every production build, without the branches of development: reading `process` for one costs as much as a look-up.
    minifySyntax: true,
    // Tools, and servers that are measured as they are installed.
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
    console.error(`There is no benchmark "${name}"; known are ${Object.keys(programs).join(', ')}, all.`);
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
