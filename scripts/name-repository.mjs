// Writes into the packages which repository they are released from: npm publishes with provenance only what names the repository
// that built it. GitHub says which one that is; a copy of the repository has another. The READMEs get whole links to it as well: what they
// point to beside their package is not in its tarball.
import { readFileSync, writeFileSync } from 'node:fs';

const { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: repository } = process.env;
if (server === undefined || repository === undefined) {
  console.error('GITHUB_SERVER_URL and GITHUB_REPOSITORY are not set: a release is made by its workflow.');
  process.exit(1);
}
for (const directory of ['core', 'react', 'server']) {
  const file = new URL(`../${directory}/package.json`, import.meta.url);
  const manifest = JSON.parse(readFileSync(file, 'utf8'));
  manifest.repository = { type: 'git', url: `git+${server}/${repository}.git`, directory };
  writeFileSync(file, `${JSON.stringify(manifest, null, 2)}\n`);
  const readme = new URL(`../${directory}/README.md`, import.meta.url);
  const text = readFileSync(readme, 'utf8');
  writeFileSync(readme, text.replaceAll('](../', `](${server}/${repository}/blob/HEAD/`));
}
