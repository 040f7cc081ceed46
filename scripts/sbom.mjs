// Prints what an installation of the published packages adds to an application, as CycloneDX JSON.
//
// `npm sbom --omit dev` leaves out every package that any other package also uses for development, such as zod. So npm reads a copy of
// the manifests and of the lock file that contains the dependencies of an installation only.

import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const read = (path) => JSON.parse(readFileSync(path, 'utf8'));
/** The application has its peers already. */
const installed = ({ devDependencies: _dev, peerDependencies: _peer, ...manifest }) => manifest;

const root = read('package.json');
const lock = read('package-lock.json');
const published = root.workspaces.filter((folder) => read(`${folder}/package.json`).private !== true);
const copy = mkdtempSync(join(tmpdir(), 'sbom-'));
const write = (path, content) => writeFileSync(join(copy, path), JSON.stringify(content));

try {
  write('package.json', { ...installed(root), workspaces: published });
  const packages = Object.entries(lock.packages).map(([path, entry]) => [
    path,
    path.includes('node_modules/') ? entry : installed(entry),
  ]);
  write('package-lock.json', { ...lock, packages: Object.fromEntries(packages) });
  for (const folder of published) {
    mkdirSync(join(copy, folder), { recursive: true });
    write(`${folder}/package.json`, installed(read(`${folder}/package.json`)));
  }
  const workspaces = published.flatMap((folder) => ['--workspace', folder]);
  const { stdout, status } = spawnSync(
    'npm',
    ['sbom', '--sbom-format', 'cyclonedx', '--package-lock-only', ...workspaces],
    { cwd: copy, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const listed = status === 0 ? JSON.parse(stdout).components.map(({ name }) => name) : [];
  const missing = published
    .flatMap((folder) => Object.keys(read(`${folder}/package.json`).dependencies ?? {}))
    .filter((name) => !name.startsWith('@edict/') && !listed.includes(name));
  if (status !== 0 || missing.length > 0)
    throw new Error(`The list of npm is incomplete. It lacks: ${missing.join(', ')}.`);
  process.stdout.write(stdout);
} finally {
  rmSync(copy, { recursive: true });
}
