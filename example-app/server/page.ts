// Serves what Vite built: hashed files for ever, the page itself always fresh.

import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { serveStatic } from '@hono/node-server/serve-static';
import type { Hono } from 'hono';
import type { DeskEnv } from './app.ts';

const built = fileURLToPath(new URL('../dist/', import.meta.url));

export function servePage(app: Hono<DeskEnv>): void {
  app.use(
    '/assets/*',
    serveStatic({
      root: built,
      onFound: (_, c) => c.header('cache-control', 'public, max-age=31536000, immutable'),
    }),
  );
  app.get('/icon.svg', serveStatic({ root: built }));
  app.get('*', async (c) => {
    if (!existsSync(`${built}index.html`)) return c.text('The page is not built yet: npm run build', 503);
    c.header('cache-control', 'no-cache');
    return c.html(await readFile(`${built}index.html`, 'utf8'));
  });
}
