// Writes into each published package which repository it is released from, because npm publishes with provenance only a package that names
// the repository that built it. GitHub provides the name, so this also works in a copy of the repository. Links in the READMEs become
// absolute, because the tarball of a package does not contain the pages beside it.
import { readFileSync, writeFileSync } from 'node:fs';

const { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: repository } = process.env;
if (server === undefined || repository === undefined) {
  console.error('GITHUB_SERVER_URL and GITHUB_REPOSITORY are not set: a release is made by its workflow.');
  process.exit(1);
}
const at = (path) => new URL(`../${path}`, import.meta.url);
const readJson = (path) => JSON.parse(readFileSync(at(path), 'utf8'));
const files = `${server}/${repository}/blob/HEAD/`;

function linkTo(readme, from) {
  writeFileSync(at(readme), readFileSync(at(readme), 'utf8').replaceAll(`](${from}`, `](${files}`));
}

for (const directory of readJson('package.json').workspaces) {
  const manifest = readJson(`${directory}/package.json`);
  if (manifest.private === true) continue;
  manifest.repository = { type: 'git', url: `git+${server}/${repository}.git`, directory };
  writeFileSync(at(`${directory}/package.json`), `${JSON.stringify(manifest, null, 2)}\n`);
  linkTo(`${directory}/README.md`, '../');
}
linkTo('examples/server-python/README.md', '../../'); // A template of create-edict.
