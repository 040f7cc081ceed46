// For assistants: llms.txt lists the pages of the sidebar, llms-full.txt contains them, and each page is also served as Markdown.

import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** An entry of the sidebar: a page, a group, or both. */
export interface SidebarItem {
  text?: string;
  link?: string;
  items?: SidebarItem[];
}

interface Site {
  readonly sidebar: readonly SidebarItem[];
  /** The folder of the Markdown pages. */
  readonly srcDir: string;
  /** The folder of the built site. */
  readonly outDir: string;
}

/** Pages that need too many tokens for their content. llms.txt links them, and llms-full.txt leaves them out. */
const isLong = (file: string): boolean => /^(api|specification|internals)\/|^conformance/.test(file);

const flatten = ({ items = [], ...item }: SidebarItem): SidebarItem[] => [item, ...items.flatMap(flatten)];

/** The file of a link such as `/start/quick-start` or `/api/`. */
function fileOf(link: string, srcDir: string): string {
  const path = link.slice(1);
  const candidates = [`${path}.md`, join(path, 'README.md'), join(path, 'index.md')];
  const found = candidates.find((file) => existsSync(join(srcDir, file)));
  if (found === undefined) throw new Error(`The sidebar links to ${link}, but there is no such page.`);
  return found;
}

/** The first paragraph, on one line, without links. */
function summaryOf(text: string): string {
  const paragraph =
    text.split('\n\n').find((part) => part.trim() !== '' && !/^(#|```|<|\||-|---)/.test(part.trim())) ?? '';
  return paragraph
    .replaceAll('\n', ' ')
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .trim();
}

/** Writes llms.txt, llms-full.txt, and the Markdown of every page of the sidebar. */
export function writeLlms({ sidebar, srcDir, outDir }: Site): void {
  const index: string[] = ['# Edict', '', '> Live data for React, on top of the API that you already have.'];
  const full: string[] = [];
  for (const group of sidebar) {
    index.push('', `## ${group.text ?? ''}`, '');
    for (const { text = '', link } of (group.items ?? []).flatMap(flatten)) {
      if (link === undefined) continue;
      const file = fileOf(link, srcDir);
      const content = readFileSync(join(srcDir, file), 'utf8');
      index.push(`- [${text}](/${file}): ${summaryOf(content)}`);
      if (!isLong(file)) full.push(`<!-- /${file} -->\n\n${content.trim()}\n`);
      mkdirSync(join(outDir, dirname(file)), { recursive: true });
      copyFileSync(join(srcDir, file), join(outDir, file));
    }
  }
  writeFileSync(join(outDir, 'llms.txt'), `${index.join('\n')}\n`);
  writeFileSync(join(outDir, 'llms-full.txt'), full.join('\n'));
}
