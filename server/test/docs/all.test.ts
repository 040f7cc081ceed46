// Checks that a test runs every block of TypeScript in the README and the documentation. A block counts as run when a test names its page
// and the block, or when the block equals a file that the tests run. reference.test.ts runs the blocks of the reference.

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

/** The files of the examples. Other tests build and run them. */
const examples = filesIn('examples', /^(?!.*(node_modules|\.next|dist)).*\.tsx?$/).map((file) =>
  readFileSync(join(root, file), 'utf8').trim(),
);
const isOfExample = (code: string): boolean => examples.includes(code.replace(/^\/\/.*\n/, '').trim());

/** The calls with which tests name a block: `run('…')` of a page, `blockWith(page, '…')`, `block(page, '…')`. */
const asked = [
  /\brun(?:<[\s\S]{0,400}?>)?\(\s*(['"])((?:(?!\1).)+)\1/g,
  /\bblock(?:With)?\(\s*[^,()]+,\s*(['"])((?:(?!\1).)+)\1/g,
];

/** The blocks that tests name if they contain the path of the page. */
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
      // The type check covers declarations. They have no code to run.
      !code.includes('declare module') &&
      !isOfExample(code) &&
      !sources.some((source) => source.includes(code.trim())) &&
      !named.some((text) => (name === null ? code.includes(text) : text === name)),
  );
  expect(left.map(({ code }) => code)).toEqual([]);
});
