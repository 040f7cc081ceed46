import { cpSync, existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const at = (path) => fileURLToPath(new URL(path, import.meta.url));

/** The templates, in the order in which they are offered. */
export const templates = [
  { name: 'vite-express', hint: 'React with Vite, Express, and SQLite' },
  { name: 'next-app-router', hint: 'Next.js' },
  { name: 'react-router', hint: 'React Router with loaders' },
  { name: 'tanstack-query-adapter', hint: 'an application on TanStack Query' },
  { name: 'vue', hint: 'Vue' },
  { name: 'server-python', hint: 'a Python server, and a page without a bundler' },
  { name: 'react-native', hint: 'React Native with Expo' },
];

/** Files that an installation or a run creates in a folder. */
const produced = new Set([
  'node_modules',
  'dist',
  '.next',
  '.expo',
  '__pycache__',
  'next-env.d.ts',
  'package-lock.json',
]);

/** In the repository the templates are the examples. npm leaves out files named `.gitignore`, so the package has them as `_gitignore`. */
const folderOf = (template) => {
  const packed = at(`../templates/${template}`);
  return existsSync(packed) ? packed : at(`../../examples/${template}`);
};

/** Copies a template without what a run of it produced, and without secrets. */
export function copyTemplate(template, to) {
  cpSync(folderOf(template), to, {
    recursive: true,
    filter: (path) => !produced.has(basename(path)) && !/^\.env|\.db|\.tsbuildinfo$/.test(basename(path)),
  });
}

/** Characters that a package name may have. */
const packageName = (name) =>
  name
    .toLowerCase()
    .replace(/[^a-z0-9~.-]+/g, '-')
    .replace(/^[-.]+/, '') || 'edict-app';

/** Writes a new application. */
export function writeTemplate({ template, to, name }) {
  copyTemplate(template, to);
  const ignore = join(to, '_gitignore');
  if (existsSync(ignore)) renameSync(ignore, join(to, '.gitignore'));
  const manifest = join(to, 'package.json');
  const content = JSON.parse(readFileSync(manifest, 'utf8'));
  writeFileSync(manifest, `${JSON.stringify({ ...content, name: packageName(name) }, null, 2)}\n`);
}
