// Serves what Vite built: hashed files for ever, the page itself always fresh and with its first data in it.

import { readFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { serveStatic } from '@hono/node-server/serve-static';
import type { Hono } from 'hono';
import { getCookie } from 'hono/cookie';
import type { Boot } from '../src/App.tsx';
import type { Desk, DeskEnv } from './app.ts';
import { directory } from './desk/directory.ts';
import { sessionCookie } from './desk/sessions.ts';

const built = fileURLToPath(new URL('../dist/client/', import.meta.url));

export function servePage(app: Hono<DeskEnv>, desk: Desk): void {
  if (!existsSync(`${built}index.html`)) {
    app.get('*', (c) => c.text('The page is not built yet: npm run build', 503));
    return;
  }
  app.use(
    '/assets/*',
    serveStatic({
      root: built,
      onFound: (_, c) => c.header('cache-control', 'public, max-age=31536000, immutable'),
    }),
  );
  app.get('/icon.svg', serveStatic({ root: built }));
  app.get('*', async (c) => {
    const url = new URL(c.req.url);
    const session = await desk.sessions.find(getCookie(c, sessionCookie));
    if (session === null && url.pathname !== '/sign-in') return c.redirect('/sign-in');
    const isSignIn = url.pathname === '/sign-in';
    const boot: Boot = {
      href: url.pathname + url.search,
      renderedAt: Date.now(),
      session: isSignIn ? null : session,
      directory: isSignIn ? await directory(desk.db) : null,
      state: null,
    };
    // Another person on the same machine must not get it from a cache.
    c.header('cache-control', 'no-store');
    return c.html(pageOf(await readFile(`${built}index.html`, 'utf8'), '', boot));
  });
}

function pageOf(template: string, html: string, boot: Boot): string {
  return template
    .replace('<!--page-->', () => html)
    .replace('<!--boot-->', () => JSON.stringify(boot).replaceAll('<', '\\u003c'));
}
