// In development (npm run dev), Vite serves the page in this process and replaces modules that change.

import type { IncomingMessage, ServerResponse } from 'node:http';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { PageSource } from './page.ts';

export interface DevPage extends PageSource {
  /** Responds to the requests for Vite's files, and passes all others to `next`. */
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
    // Loads the current version of the module.
    renderer: async () => {
      const { render } = await vite.ssrLoadModule('/src/entryServer.tsx');
      return { render };
    },
  };
}
