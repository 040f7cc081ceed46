// While developing Vite serves the page, with hot replacement, inside this same server: npm run dev

import type { IncomingMessage, ServerResponse } from 'node:http';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { PageSource } from './page.ts';

export interface DevPage extends PageSource {
  /** Answers what Vite knows; the rest goes on to `next`. */
  middleware: (request: IncomingMessage, response: ServerResponse, next: () => void) => void;
  close: () => Promise<void>;
}

export async function devPage(): Promise<DevPage> {
  const { createServer } = await import('vite');
  const root = fileURLToPath(new URL('..', import.meta.url));
  const vite = await createServer({ root, appType: 'custom', server: { middlewareMode: true } });
  return {
    middleware: vite.middlewares,
    close: () => vite.close(),
    template: async (href, file) => vite.transformIndexHtml(href, await readFile(`${root}${file}`, 'utf8')),
    // The module in its newest state.
    renderer: async () => {
      const { render } = await vite.ssrLoadModule('/src/entryServer.tsx');
      return { render };
    },
  };
}
