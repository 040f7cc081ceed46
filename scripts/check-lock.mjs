// A lock file that lacks a platform's optional binary makes `npm ci` fail on that platform: find it before a user does.
import { readFileSync } from 'node:fs';

const packages = JSON.parse(readFileSync(process.argv[2] ?? 'package-lock.json', 'utf8')).packages;

/** Whether `name`, asked for by the package at `from`, resolves to an entry of the lock file. */
function resolves(from, name) {
  for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/node_modules/')))) {
    if (packages[`${folder}${folder === '' ? '' : '/'}node_modules/${name}`] !== undefined) return true;
    if (folder === '') return false;
  }
}

const missing = Object.entries(packages).flatMap(([at, entry]) =>
  Object.keys(entry.optionalDependencies ?? {})
    .filter((name) => !resolves(at, name))
    .map((name) => `${at} misses ${name}`),
);
for (const line of missing) console.error(line);
process.exit(missing.length === 0 ? 0 : 1);
