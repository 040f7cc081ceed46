// Every block of TypeScript in the README and the documentation is run by some test. A block counts as run when a test names its page
// and it, or when it is word for word a file that the tests run. reference.test.ts runs the blocks of the reference.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { blocksOf } from '../support/pages.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const filesIn = (folder: string, ending: RegExp): string[] =>
  existsSync(join(root, folder))
    ? readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
        .filter((name) => ending.test(name) && !name.startsWith('.vitepress'))
        .map((name) => join(folder, name))
    : [];

const pages = [
  'README.md',
  ...filesIn('docs', /\.md$/).filter((page) => !/^docs.(api|specification|reference)/.test(page)),
];
const tests = ['core/test', 'react/test', 'server/test', 'next/test'].flatMap((folder) =>
  filesIn(folder, /\.tsx?$/),
);
const sources = tests.map((file) => readFileSync(join(root, file), 'utf8'));

/** The files of the examples, which tests build and run. */
const examples = filesIn('examples', /^(?!.*(node_modules|\.next|dist)).*\.tsx?$/).map((file) =>
  readFileSync(join(root, file), 'utf8').trim(),
);
const isOfExample = (code: string): boolean => examples.includes(code.replace(/^\/\/.*\n/, '').trim());

/** How the tests ask for a block: `run('…')` of a page, `blockWith(page, '…')`, `block(page, '…')`. */
const asked = [
  /\brun(?:<[\s\S]{0,400}?>)?\(\s*(['"])((?:(?!\1).)+)\1/g,
  /\bblock(?:With)?\(\s*[^,()]+,\s*(['"])((?:(?!\1).)+)\1/g,
];

/** What the tests that speak of a page ask for. */
const askedOf = (page: string): string[] =>
  sources
    .filter((source) => source.includes(page))
    .flatMap((source) =>
      asked.flatMap((pattern) => Array.from(source.matchAll(pattern), ([, , text = '']) => text)),
    );

it.each(pages.filter((page) => blocksOf(page).length > 0))('every block of %s is run', (page) => {
  const named = askedOf(page);
  const left = blocksOf(page).filter(
    ({ name, code }) =>
      // Types are checked, and leave nothing to run.
      !code.includes('declare module') &&
      !isOfExample(code) &&
      !sources.some((source) => source.includes(code.trim())) &&
      !named.some((text) => (name === null ? code.includes(text) : text === name)),
  );
  expect(left.map(({ code }) => code)).toEqual([]);
});
