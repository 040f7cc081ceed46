// The documentation of the repository as pages, such as /docs/start/quick-start.md. Links between pages work as in the repository.

import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { extname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import MarkdownIt from 'markdown-it';
import { createAnchors } from '../../scripts/anchors.mjs';
import { tokens } from '../src/code.ts';

const folder = fileURLToPath(new URL('../../docs/', import.meta.url));

export interface DocsPage {
  title: string;
  html: string;
}

/** The page at this path, or null if there is none. */
export async function docsPage(pathname: string): Promise<DocsPage | null> {
  const file = fileOf(pathname);
  if (file === null || extname(file) !== '.md') return null;
  const text = await readFile(file, 'utf8');
  const title = /^# (.*)$/m.exec(text)?.[1] ?? 'Documentation';
  return { title, html: rendererFor(pathname).render(text.replace(/^---\n[\s\S]*?\n---\n/, '')) };
}

/** An image or another file that pages show or link to. Null if there is none. */
export async function docsAsset(
  pathname: string,
): Promise<{ body: Buffer<ArrayBuffer>; type: string } | null> {
  const file = fileOf(pathname);
  const type = file === null ? undefined : assetTypes[extname(file)];
  return file === null || type === undefined ? null : { body: await readFile(file), type };
}

const assetTypes: Record<string, string> = {
  '.png': 'image/png',
  '.gif': 'image/gif',
  '.json': 'application/json',
};

/** The file of an address: a page or an asset inside of the folder. Null if there is none. */
function fileOf(pathname: string): string | null {
  const file = normalize(join(folder, pathname.replace(/^\/docs\//, '')));
  const isServed = extname(file) === '.md' || assetTypes[extname(file)] !== undefined;
  return isServed && file.startsWith(folder) && !pathname.includes('/.') && existsSync(file) ? file : null;
}

function rendererFor(pathname: string): MarkdownIt {
  const md = new MarkdownIt({ html: true, highlight });
  const anchors = createAnchors();
  md.renderer.rules['heading_open'] = (all, at, options, _, self) => {
    all[at]?.attrSet('id', anchors.next(all[at + 1]?.content ?? ''));
    return self.renderToken(all, at, options);
  };
  // A table can be wider than the page, so keyboard users need to scroll it.
  md.renderer.rules['table_open'] = () =>
    '<div class="table" tabindex="0" role="group" aria-label="Table"><table>';
  md.renderer.rules['table_close'] = () => '</table></div>';
  // Files outside of the documentation are not served, so links to them become text.
  let isText = false;
  md.renderer.rules['link_open'] = (all, at, options, _, self) => {
    const { pathname: target, origin } = new URL(String(all[at]?.attrGet('href')), `http://docs${pathname}`);
    isText = origin === 'http://docs' && (!target.startsWith('/docs/') || fileOf(target) === null);
    return isText ? '<span class="file">' : self.renderToken(all, at, options);
  };
  md.renderer.rules['link_close'] = () => (isText ? '</span>' : '</a>');
  return md;
}

/** The renderer does not wrap a block that begins with `<pre`. */
function highlight(code: string, language: string): string {
  const text = /^tsx?$/.test(language) ? tokens(code).map(span).join('') : escape(code);
  return `<pre tabindex="0"><code>${text}</code></pre>`;
}

const span = ({ kind, text }: { kind: string; text: string }): string =>
  kind === 'plain' ? escape(text) : `<span data-token="${kind}">${escape(text)}</span>`;

const escape = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
