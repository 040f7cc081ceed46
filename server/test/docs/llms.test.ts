// Tests the files for assistants: llms.txt, llms-full.txt, and the skill in the package.

import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { writeLlms, type SidebarItem } from '../../../scripts/llms.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const srcDir = join(root, 'docs');

/** The groups of the sidebar, as the config lists them. The conformance page is generated and may be missing. */
function sidebarOf(config: string): SidebarItem[] {
  const items = Array.from(
    config.matchAll(/page\('([^']+)', '(\/[^']*)'\)/g),
    ([, text = '', link = '']): SidebarItem => ({ text, link }),
  );
  return [{ text: 'Pages', items: items.filter(({ link }) => link !== '/conformance') }];
}

function generate() {
  const outDir = mkdtempSync(join(tmpdir(), 'edict-llms-'));
  onTestFinished(() => rmSync(outDir, { recursive: true }));
  writeLlms({
    sidebar: sidebarOf(readFileSync(join(srcDir, '.vitepress/config.ts'), 'utf8')),
    srcDir,
    outDir,
  });
  const read = (name: string): string => readFileSync(join(outDir, name), 'utf8');
  return { outDir, index: read('llms.txt'), full: read('llms-full.txt') };
}

it('llms.txt links every page with a summary, and each link leads to its Markdown', () => {
  const { outDir, index } = generate();
  const links = Array.from(index.matchAll(/^- \[[^\]]+\]\(([^)]+)\): \S/gm), ([, link = '']) => link);
  expect(links.length).toBe(index.split('\n').filter((line) => line.startsWith('- ')).length);
  expect(links.filter((link) => !existsSync(join(outDir, link)))).toEqual([]);
  const pages = readdirSync(srcDir, { recursive: true, encoding: 'utf8' }).filter(
    (file) =>
      file.endsWith('.md') && !/^(\.vitepress|api|specification)\/./.test(file) && file !== 'conformance.md',
  );
  expect(pages.filter((file) => !links.includes(`/${file}`))).toEqual([]);
});

it('llms-full.txt contains the text of the guides and of the reference', () => {
  const { full } = generate();
  for (const page of ['start/quick-start.md', 'guides/mutations.md', 'reference/use-item.md', 'help/faq.md'])
    expect(full).toContain(readFileSync(join(srcDir, page), 'utf8').trim());
});

it('the skill is in the package of the core and names its purpose', () => {
  const text = readFileSync(join(root, 'core/skills/edict/SKILL.md'), 'utf8');
  expect(text).toMatch(/^---\nname: edict\ndescription: .{40,1024}\n---\n/);
  const { files } = JSON.parse(readFileSync(join(root, 'core/package.json'), 'utf8')) as { files: string[] };
  expect(files).toContain('skills');
});
