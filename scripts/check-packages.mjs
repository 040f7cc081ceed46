// Checks the packed packages: each tarball contains the required files, publint and "are the types wrong" report nothing, and the
// declarations compile without the types of a page.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const packages = ['core', 'react', 'server', 'next', 'devtools'];
let failures = 0;

function check(command, words, options) {
  const { status } = spawnSync(command, words, { stdio: ['ignore', 'inherit', 'inherit'], ...options });
  if (status !== 0) failures++;
}

/** The license must be in every copy, and npm shows the README. Only users of an entry point would notice that its path is missing. */
function lookInto(name, tarball) {
  const { stdout } = spawnSync('tar', ['-tzf', tarball], { encoding: 'utf8' });
  const present = new Set(stdout.split('\n'));
  const { exports } = JSON.parse(readFileSync(`${name}/package.json`, 'utf8'));
  const paths = (target) => (typeof target === 'string' ? [target] : Object.values(target).flatMap(paths));
  for (const path of ['LICENSE', 'README.md', 'CHANGELOG.md', ...paths(exports)]) {
    if (present.has(join('package', path))) continue;
    console.error(`${name}: ${path} is not in the tarball`);
    failures++;
  }
}

/** A server's program has no library `DOM`. `@types/node` declares only some of its names. The others are errors there, or `any`. */
function compileDeclarations() {
  // The package of the panel is for browsers alone.
  const declarations = packages
    .filter((name) => name !== 'devtools')
    .flatMap((name) =>
      readdirSync(`${name}/dist`, { recursive: true, encoding: 'utf8' })
        .filter((file) => /\.d\.c?ts$/.test(file))
        .map((file) => join(name, 'dist', file)),
    );
  const options =
    '--ignoreConfig --noEmit --strict --skipLibCheck false --module nodenext --target es2022 --lib es2023';
  const compiler = 'node_modules/typescript-7/bin/tsc';
  check('node', [compiler, ...options.split(' '), '--types', 'node', ...declarations]);
}

compileDeclarations();
const folder = mkdtempSync(join(tmpdir(), 'edict-packages-'));
try {
  for (const name of packages) {
    check('npx', ['publint', '--strict', name]);
    check('npm', ['pack', '--silent', '--pack-destination', folder], { cwd: name, stdio: 'ignore' });
    const tarball = readdirSync(folder).find((file) => file.startsWith(`edict-${name}-`));
    if (tarball === undefined) failures++;
    else {
      lookInto(name, join(folder, tarball));
      check('npx', [
        'attw',
        '--no-emoji',
        '--format',
        'table-flipped',
        '--exclude-entrypoints',
        './dist/index.global.js',
        './dist/index.global.dev.js',
        // Next.js and the bundlers of browsers load ES modules.
        ...(name === 'next' || name === 'devtools' ? ['--profile', 'esm-only'] : []),
        '--',
        join(folder, tarball),
      ]);
    }
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
process.exit(failures === 0 ? 0 : 1);
