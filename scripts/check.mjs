// Runs every check of the project: lock file, types, lint, format, builds, packages, documentation, and all tests.
// Two steps run at a time. The run continues after a failure and ends with the counts.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { availableParallelism, platform } from 'node:os';
import { firstLines, ofPlaywright, ofVitest } from './reports.mjs';
import { inTurn } from './steps.mjs';

const reports = 'test-results';
const only = new Set(process.argv.slice(2));

/** Debian packages that the tests use and a machine may lack. */
const systemPackages = [
  {
    name: 'chromium-headless-shell',
    path: ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'].find((one) => existsSync(one)) ?? 'none',
    variable: 'CHROMIUM_PATH',
  },
  { name: 'redis-server', path: '/usr/bin/redis-server', variable: 'REDIS_SERVER_PATH' },
  { name: 'postgresql', path: postgresFolder(), variable: 'POSTGRES_BIN' },
];

/** The folder of the server's programs. Debian has one for each version, and one without the server for some. */
function postgresFolder() {
  const all = '/usr/lib/postgresql';
  const versions = existsSync(all) ? readdirSync(all) : [];
  const version = versions.find((one) => existsSync(`${all}/${one}/bin/initdb`));
  return `${all}/${version ?? 'none'}/bin`;
}

const vitest = (name, file, options, more) => ({
  name,
  command: [
    'npx',
    'vitest',
    'run',
    ...options,
    '--reporter=default',
    '--reporter=json',
    `--outputFile.json=${reports}/${file}.json`,
  ],
  report: `${reports}/${file}.json`,
  read: ofVitest,
  ...more,
});

/** In the order of the output. A step starts after the steps in `after`, and runs beside one other step. */
const steps = [
  { name: 'lock file', command: ['node', 'scripts/check-lock.mjs'] },
  { name: 'build', command: ['npm', 'run', 'build'] },
  { name: 'types', command: ['node', 'node_modules/typescript-7/bin/tsc', '-b'], after: ['build'] },
  // The two longest steps use one core each, and wait a lot. They run beside each other, and the steps below follow the first one that ends.
  {
    name: 'end to end',
    command: ['npx', 'playwright', 'test', '-c', 'example-app/playwright.config.ts', '--reporter=list,json'],
    environment: { PLAYWRIGHT_JSON_OUTPUT_NAME: `${process.cwd()}/${reports}/e2e.json` },
    report: `${reports}/e2e.json`,
    read: ofPlaywright,
    after: ['build'],
  },
  vitest('tests: node', 'node', ['--project', 'node'], { after: ['build'] }),
  { name: 'lint', command: ['npx', 'oxlint', '--type-aware'], after: ['build'] },
  { name: 'format', command: ['npx', 'oxfmt', '--check'] },
  { name: 'packages', command: ['node', 'scripts/check-packages.mjs'], after: ['build'] },
  { name: 'sbom', command: ['node', 'scripts/sbom.mjs', '--check'] },
  { name: 'consumers', command: ['node', 'scripts/check-consumers.mjs'], after: ['build'] },
  { name: 'schema', command: ['node', 'scripts/json-schema.mjs', '--check'] },
  { name: 'api reference', command: ['node', 'scripts/api-reference.mjs', '--check'], after: ['build'] },
  { name: 'conformance', command: ['node', 'scripts/conformance.mjs'] },
  { name: 'docs', command: ['node', 'scripts/check-docs.mjs'], after: ['build', 'conformance'] },
  // VitePress fails when a link leads to a page that does not exist.
  {
    name: 'docs site',
    command: ['npx', 'vitepress', 'build', 'docs', '--minify', 'false'],
    after: ['conformance'],
  },
  { name: 'lines of code', command: ['node', 'scripts/code-lines.mjs'] },
  { name: 'prose: core', command: ['node', 'scripts/prose.mjs', '--max', '6', 'core/src'] },
  { name: 'prose: server', command: ['node', 'scripts/prose.mjs', '--max', '6', 'server/src'] },
  { name: 'prose: react', command: ['node', 'scripts/prose.mjs', '--max', '6', 'react/src'] },
  { name: 'teeth', command: ['node', 'scripts/teeth.mjs', '--fit'] },
  { name: 'counts and size', command: ['npm', 'run', 'bench:checks'], after: ['build'] },
  vitest('tests: jsdom', 'jsdom', ['--project', 'jsdom']),
  vitest('tests: React Compiler', 'compiler', ['-c', 'react/vitest.compiled.config.ts']),
  vitest('tests: examples', 'examples', ['--project', 'examples'], { after: ['build'] }),
  vitest('tests: browser', 'browser', ['--project', 'browser']),
  {
    name: 'React 17, 18 and 19.2',
    command: [
      'bash',
      'compat/test.sh',
      '--reporter=default',
      '--reporter=json',
      `--outputFile.json=${process.cwd()}/${reports}/compat.json`,
    ],
    report: `${reports}/compat.json`,
    read: ofVitest,
    after: ['build'],
  },
];

function installSystemPackages() {
  const missing = systemPackages.filter(({ path, variable }) => !existsSync(process.env[variable] ?? path));
  if (missing.length === 0) return;
  const names = missing.map(({ name }) => name);
  const hint = missing.map(({ name, variable }) => `${name} (or ${variable}=<its path>)`).join(', ');
  if (platform() !== 'linux' || spawnSync('apt-get', ['--version']).status !== 0) {
    console.error(
      `The tests need ${hint}. Install them with your system's package manager and run this again.`,
    );
    process.exit(1);
  }
  console.log(
    `Installing Debian packages that the tests need and that are missing here: ${names.join(', ')}`,
  );
  const sudo = process.getuid?.() === 0 ? [] : ['sudo'];
  const [command, ...words] = [...sudo, 'sh', 'scripts/install-debian.sh', ...names];
  if (spawnSync(command, words, { stdio: ['ignore', 'ignore', 'inherit'] }).status !== 0) {
    console.error(`Installing failed: install ${hint} by hand and run this again.`);
    process.exit(1);
  }
}

/** Runs one step, and resolves to how many tests passed and failed, or to one for the step itself. */
async function run({ name, command, environment, report, read }, print) {
  print(`\n── ${name}: ${command.join(' ')}\n`);
  const begun = performance.now();
  const [program, ...words] = command;
  const status = await new Promise((resolve) => {
    const child = spawn(program, words, {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, ...environment },
    });
    child.stdout.on('data', print);
    child.stderr.on('data', print);
    child.once('error', (error) => {
      print(`${error.message}\n`);
      resolve(null);
    });
    child.once('close', resolve);
  });
  const seconds = Math.round((performance.now() - begun) / 1000);
  const isGood = status === 0;
  const counts =
    report !== undefined && existsSync(report) ? read(JSON.parse(readFileSync(report, 'utf8'))) : null;
  const passed = counts?.passed ?? (isGood ? 1 : 0);
  // A runner can also fail outside its tests.
  const failed = Math.max(isGood ? 0 : 1, counts?.failed ?? 0);
  print(`── ${name}: ${passed} passed, ${failed} failed in ${seconds} s\n`);
  return { name, seconds, passed, failed, faults: counts?.faults ?? [] };
}

const strangers = [...only].filter((name) => !steps.some((step) => step.name === name));
if (strangers.length > 0) {
  console.error(
    `No such step: ${strangers.join(', ')}. There are: ${steps.map(({ name }) => name).join(', ')}`,
  );
  process.exit(1);
}
rmSync(reports, { recursive: true, force: true });
mkdirSync(reports, { recursive: true });
installSystemPackages();
process.env.POSTGRES_BIN ??= postgresFolder(); // The tests use the version that was found here.
const results = await inTurn(
  steps.filter(({ name }) => only.size === 0 || only.has(name)),
  run,
  Math.min(2, availableParallelism()),
);

console.log('\n── all');
for (const { name, passed, failed, seconds } of results) {
  console.log(
    `${failed === 0 ? 'ok    ' : 'FAILED'} ${name} (${passed} passed, ${failed} failed, ${seconds} s)`,
  );
}
// Again at the end, which is read first.
for (const { name, faults } of results)
  for (const { title, message } of faults)
    console.log([`\n── failed in ${name}: ${title}`, ...firstLines(message)].join('\n'));
const total = (key) => results.reduce((sum, result) => sum + result[key], 0);
console.log(`\n${total('passed')} passed, ${total('failed')} failed`);
process.exit(total('failed') === 0 ? 0 : 1);
