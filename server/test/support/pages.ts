// Code blocks of the documentation as modules: executed as they stand, by the test's own runner, so that what they import is what the
// test imports. A block that `declare`s something finds it as a global; `location` and `fetch` are those of a page at an address.

import { randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, vi } from 'vitest';

const root = fileURLToPath(new URL('../../..', import.meta.url));

interface Block {
  readonly language: 'ts' | 'tsx';
  /** Its first line, where that names a file; else null. */
  readonly name: string | null;
  readonly code: string;
}

/** The blocks of a page that are TypeScript. */
export function blocksOf(page: string): Block[] {
  const text = readFileSync(join(root, page), 'utf8');
  return Array.from(text.matchAll(/^```(tsx?)\n([\s\S]*?)^```$/gm), ([, language, code = '']) => ({
    language: language === 'tsx' ? ('tsx' as const) : ('ts' as const),
    name: /^\/\/ ([\w./[\]-]+)\s*$/m.exec(code.split('\n')[0] ?? '')?.[1] ?? null,
    code,
  }));
}

/** The one block of a page that is the file of this name, or else has this text in it. */
export function blockWith(page: string, part: string): Block {
  const blocks = blocksOf(page);
  const named = blocks.filter(({ name }) => name === part);
  const found = named.length > 0 ? named : blocks.filter(({ code }) => code.includes(part));
  expect(found.length, `blocks of ${page} with ${part}`).toBe(1);
  return found[0] as Block; // There is one, as just seen.
}

/** A page of the documentation whose blocks can be run. */
export interface RunnablePage {
  /** Where its blocks are files; files that it leaves to a tool may be put beside them. */
  readonly folder: string;
  /** Runs a block once; what it exports. Named blocks of the page can be imported by it. */
  readonly run: <Exports = unknown>(part: string) => Promise<Exports>;
}

/** Puts the blocks of a page where the packages are found from; gone when the test is over. */
export function openPage(page: string): RunnablePage {
  const folder = join(root, '.tsbuild/pages', randomUUID());
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const blocks = blocksOf(page);
  const pathOf = ({ name, language }: Block, index: number): string =>
    join(folder, name ?? `block-${index}.${language}`);
  for (const [index, block] of blocks.entries()) {
    const path = pathOf(block, index);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, block.code);
  }
  return {
    folder,
    async run<Exports>(part: string) {
      const { code } = blockWith(page, part);
      const index = blocks.findIndex((block) => block.code === code);
      const block = blocks[index] as Block; // It was just found on the page.
      return (await import(pathOf(block, index))) as Exports; // What the page says that it exports.
    },
  };
}

/** Requests of a page at this address: relative ones are to it, and cookies go along where they are asked for. */
export interface Visit {
  /** What was asked for, oldest first, such as `GET /api/tickets/7`; the stream left out. */
  readonly asked: string[];
  /** The stream's requests. */
  readonly streams: { readonly url: URL; readonly headers: Headers; readonly credentials: string }[];
  cookie: string | null;
}

/** From now on this process is a page at the address, as far as `location` and `fetch` go; and every package is loaded anew. */
export function visit(address: string): Visit {
  const { fetch } = globalThis;
  const state: Visit = { asked: [], streams: [], cookie: null };
  vi.resetModules();
  vi.stubGlobal('location', new URL(address));
  vi.stubGlobal('fetch', (input: RequestInfo | URL, init: RequestInit = {}) => {
    const url = new URL(input instanceof Request ? input.url : String(input), address);
    const headers = new Headers(init.headers);
    const credentials = init.credentials ?? 'same-origin';
    if (state.cookie !== null && credentials !== 'omit') headers.set('cookie', state.cookie);
    if (url.pathname === '/api/events') state.streams.push({ url, headers, credentials });
    else state.asked.push(`${init.method ?? 'GET'} ${url.pathname}${decodeURIComponent(url.search)}`);
    return fetch(url, { ...init, headers });
  });
  onTestFinished(() => void vi.unstubAllGlobals());
  return state;
}
