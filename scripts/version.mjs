// Turns the changesets into versions and changelogs: `npm run version`.
//
// All packages have one version and require exactly this version of each other, also as peers, because different versions would
// not use the same protocol. Changesets treats every change of an exact peer as breaking, so a small addition would become
// version 1.0.0. The peers are therefore open while it computes the version, and exact afterwards.

import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const own = ['core', 'react', 'server', 'next', 'devtools'];
const fileOf = (name) => `${root}${name}/package.json`;
const read = (name) => JSON.parse(readFileSync(fileOf(name), 'utf8'));

/** Sets the ranges of the peers that are packages of this repository. */
function setPeers(rangeOf) {
  for (const name of own) {
    const manifest = read(name);
    const peers = Object.keys(manifest.peerDependencies ?? {}).filter((peer) => peer.startsWith('@edict/'));
    if (peers.length === 0) continue;
    for (const peer of peers) manifest.peerDependencies[peer] = rangeOf(peer);
    writeFileSync(fileOf(name), `${JSON.stringify(manifest, null, 2)}\n`);
  }
}

const versionOf = (peer) => read(peer.replace('@edict/', '')).version;

function run(command, ...words) {
  const { status } = spawnSync(command, words, { cwd: root, stdio: 'inherit' });
  return status === 0;
}

setPeers(() => '>=0.0.0');
const isCounted = run('npx', 'changeset', 'version');
setPeers(versionOf);
// The lock file has the versions of the workspaces too.
if (
  !isCounted ||
  !run('npm', 'install', '--package-lock-only', '--ignore-scripts', '--no-audit', '--no-fund')
)
  process.exit(1);
