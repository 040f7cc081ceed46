// Runs every code block of docs/reference as a module. Every page is in the sidebar and in the table of the first page.

import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished, vi } from 'vitest';
import { blocksOf, blockWith, openPage } from '../support/pages.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const folder = 'docs/reference';
const pages = readdirSync(join(root, folder)).filter((name) => name !== 'index.md');

it.each(pages)('every block of %s runs', async (name) => {
  const page = `${folder}/${name}`;
  vi.spyOn(console, 'warn').mockReturnValue(); // Outside a page, the stream has no origin.
  onTestFinished(() => void vi.restoreAllMocks());
  const { DL } = await import('@edict/core');
  onTestFinished(() => DL.disconnectSse());
  const opened = openPage(page);
  writeFileSync(join(opened.folder, 'data.ts'), blockWith(`${folder}/index.md`, 'data.ts').code);
  expect(blocksOf(page).length).toBeGreaterThan(0);
  for (const { code } of blocksOf(page)) expect(await opened.run(code)).toBeDefined();
});

it.each(pages)('%s is in the sidebar and on the first page', (name) => {
  const config = readFileSync(join(root, 'docs/.vitepress/config.ts'), 'utf8');
  expect(config).toContain(`'/reference/${name.replace('.md', '')}'`);
  expect(readFileSync(join(root, folder, 'index.md'), 'utf8')).toContain(`](${name})`);
});
