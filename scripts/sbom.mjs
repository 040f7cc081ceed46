// Prints what an installation of the published packages adds to an application, as CycloneDX JSON. `--check` prints only what is wrong.
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
const published = root.workspaces.filter((workspace) => read(`${workspace}/package.json`).private !== true);
const manifests = published.map((workspace) => read(`${workspace}/package.json`));
const folder = mkdtempSync(join(tmpdir(), 'sbom-'));
const copy = join(folder, root.name); // npm names the list after it.
mkdirSync(copy);
const write = (path, content) => writeFileSync(join(copy, path), JSON.stringify(content));

try {
  write('package.json', { ...installed(root), workspaces: published });
  const packages = Object.entries(lock.packages).map(([path, entry]) => [
    path,
    path.includes('node_modules/') ? entry : installed(entry),
  ]);
  write('package-lock.json', { ...lock, packages: Object.fromEntries(packages) });
  for (const [index, workspace] of published.entries()) {
    mkdirSync(join(copy, workspace), { recursive: true });
    write(`${workspace}/package.json`, installed(manifests[index]));
  }
  const workspaces = published.flatMap((workspace) => ['--workspace', workspace]);
  const { stdout, status } = spawnSync(
    'npm',
    ['sbom', '--sbom-format', 'cyclonedx', '--package-lock-only', ...workspaces],
    { cwd: copy, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] },
  );
  if (status !== 0) throw new Error(`npm sbom ended with status ${status}.`);
  const list = JSON.parse(stdout);
  // npm also lists packages that no published package depends on, because a folder here has the same name (next, react).
  const dependsOn = new Map(list.dependencies.map((one) => [one.ref, one.dependsOn]));
  const reached = new Set(manifests.map(({ name, version }) => `${name}@${version}`));
  for (const ref of reached) for (const next of dependsOn.get(ref) ?? []) reached.add(next);
  const components = list.components.filter((one) => reached.has(one['bom-ref']));
  const listed = components.map((one) => decodeURIComponent(one.purl).replace(/^pkg:npm\/|@[^@]+$/g, ''));
  const missing = manifests
    .flatMap(({ name, dependencies }) => [name, ...Object.keys(dependencies ?? {})])
    .filter((name) => !listed.includes(name));
  if (missing.length > 0) throw new Error(`The list of npm is incomplete. It lacks: ${missing.join(', ')}.`);
  const dependencies = list.dependencies.filter(
    ({ ref }) => ref === list.metadata.component['bom-ref'] || reached.has(ref),
  );
  if (!process.argv.includes('--check'))
    process.stdout.write(`${JSON.stringify({ ...list, components, dependencies }, null, 2)}\n`);
} finally {
  rmSync(folder, { recursive: true });
}
