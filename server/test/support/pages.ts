// Runs code blocks of the documentation unchanged as modules. The test runner loads them, so they share their imports with the
// test. Names that a block declares are globals. `location` and `fetch` are those of a page at an address.

import { randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, vi } from 'vitest';

const root = fileURLToPath(new URL('../../..', import.meta.url));

interface Block {
  readonly language: 'ts' | 'tsx';
  /** The file name in the first line, or null. */
  readonly name: string | null;
  readonly code: string;
}

/** Returns the TypeScript blocks of a page. */
export function blocksOf(page: string): Block[] {
  const text = readFileSync(join(root, page), 'utf8');
  return Array.from(text.matchAll(/^```(tsx?)\n([\s\S]*?)^```$/gm), ([, language, code = '']) => ({
    language: language === 'tsx' ? ('tsx' as const) : ('ts' as const),
    name: /^\/\/ ([\w./[\]-]+)\s*$/m.exec(code.split('\n')[0] ?? '')?.[1] ?? null,
    code,
  }));
}

/** Returns the only block of a page that has this file name, or else contains this text. */
export function blockWith(page: string, part: string): Block {
  const blocks = blocksOf(page);
  const named = blocks.filter(({ name }) => name === part);
  const found = named.length > 0 ? named : blocks.filter(({ code }) => code.includes(part));
  expect(found.length, `blocks of ${page} with ${part}`).toBe(1);
  return found[0] as Block; // The expectation above checks the length.
}

/** A page of the documentation whose blocks can be run. */
export interface RunnablePage {
  /** The folder with the blocks as files. Tests can add files that a tool would create. */
  readonly folder: string;
  /** Runs a block once, and resolves to its exports. The block can import named blocks of the page. */
  readonly run: <Exports = unknown>(part: string) => Promise<Exports>;
}

/** Writes the blocks of a page to a folder from which packages resolve. The folder is removed after the test. */
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
      const block = blocks[index] as Block; // `blockWith` found it on the page.
      return (await import(pathOf(block, index))) as Exports; // The caller knows the exports of the block.
    },
  };
}

/** The requests of a page. Relative URLs resolve to its address, and requests have its cookie unless they omit credentials. */
export interface Visit {
  /** The requests, oldest first, such as `GET /api/tickets/7`, without those of the stream. */
  readonly asked: string[];
  /** The requests of the stream. */
  readonly streams: { readonly url: URL; readonly headers: Headers; readonly credentials: string }[];
  cookie: string | null;
}

/** Replaces `location` and `fetch` with those of a page at the address, and resets all loaded modules. */
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
