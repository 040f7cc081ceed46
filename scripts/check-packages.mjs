// The packages as a stranger gets them: publint and "are the types wrong" on each packed tarball.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const packages = ['core', 'react', 'server'];
let failures = 0;

function check(command, words, options) {
  const { status } = spawnSync(command, words, { stdio: ['ignore', 'inherit', 'inherit'], ...options });
  if (status !== 0) failures++;
}

const folder = mkdtempSync(join(tmpdir(), 'edict-packages-'));
try {
  for (const name of packages) {
    check('npx', ['publint', '--strict', name]);
    check('npm', ['pack', '--silent', '--pack-destination', folder], { cwd: name, stdio: 'ignore' });
    const tarball = readdirSync(folder).find((file) => file.startsWith(`edict-${name}-`));
    if (tarball === undefined) failures++;
    else
      check('npx', [
        'attw',
        '--no-emoji',
        '--format',
        'table-flipped',
        '--exclude-entrypoints',
        './dist/index.global.js',
        '--',
        join(folder, tarball),
      ]);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
process.exit(failures === 0 ? 0 : 1);
