// Serves the build. Browsers cache hashed files, and receive each page with its first data.

import { readFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { serveStatic } from '@hono/node-server/serve-static';
import type { Context, Hono } from 'hono';
import { getCookie } from 'hono/cookie';
import type { Boot } from '../src/App.tsx';
import { audiencesOf } from '../src/audiences.ts';
import { pageAt } from '../src/pages.ts';
import type { Desk, DeskEnv } from './app.ts';
import { directory } from './desk/directory.ts';
import { docsAsset, docsPage } from './docs.ts';
import { sessionCookie } from './desk/sessions.ts';
import type { Viewer } from './desk/viewer.ts';
import { directReads } from './reads.ts';

const built = fileURLToPath(new URL('../dist/client/', import.meta.url));

/** The source of the pages and the renderer: the build, or Vite in development. */
export interface PageSource {
  /** One of the pages, as HTML: the desk, the demo, or a page of the documentation. */
  template: (href: string, file: 'index.html' | 'demo.html' | 'docs.html') => Promise<string>;
  renderer: () => Promise<typeof import('../src/entryServer.tsx')>;
}

/** The result of `npm run build`; null if there is none. */
export async function builtPage(app: Hono<DeskEnv>): Promise<PageSource | null> {
  if (!existsSync(`${built}index.html`)) return null;
  app.use(
    '/assets/*',
    serveStatic({
      root: built,
      onFound: (_, c) => c.header('cache-control', 'public, max-age=31536000, immutable'),
    }),
  );
  // A page from before an update may request a file that is gone. It must not receive a page instead of a script.
  app.get('/assets/*', (c) => c.text('There is no such file.', 404));
  app.on('GET', ['/icon.svg', '/theme.js'], serveStatic({ root: built }));
  return {
    template: async (_, file) => await readFile(`${built}${file}`, 'utf8'),
    // Node imports the module only once.
    renderer: async () => await import(new URL('../dist/server/entryServer.js', import.meta.url).href),
  };
}

export function servePage(app: Hono<DeskEnv>, desk: Desk, source: PageSource | null): void {
  app.get('*', async (c) => {
    if (source === null) return c.text('The page is not built yet: npm run build', 503);
    const url = new URL(c.req.url);
    if (url.pathname === '/demo' && desk.demo !== null)
      return c.html(await source.template('/demo', 'demo.html'));
    if (/^\/docs(\/|$)/.test(url.pathname)) return await serveDocs(c, url.pathname, source);
    const session = await desk.sessions.find(getCookie(c, sessionCookie));
    const isSignIn = url.pathname === '/sign-in';
    if (session === null && !isSignIn) {
      const to = url.pathname + url.search;
      const start = desk.demo === null ? '/sign-in' : '/demo';
      return c.redirect(to === '/' ? start : `/sign-in?to=${encodeURIComponent(to)}`);
    }
    const boot: Omit<Boot, 'state'> = {
      href: url.pathname + url.search,
      renderedAt: Date.now(),
      session: isSignIn ? null : session,
      directory: isSignIn ? await directory(desk.db) : null,
    };
    const rendered = await renderFirst(desk, source, boot);
    // Another user of the same computer must not receive it from the cache.
    c.header('cache-control', 'no-store');
    const isHere = isSignIn || pageAt(url.pathname, url.searchParams) !== null;
    const page = documentOf(await source.template(boot.href, 'index.html'), rendered.html, rendered.boot);
    return c.html(page, isHere ? 200 : 404);
  });
}

async function serveDocs(c: Context, pathname: string, source: PageSource): Promise<Response> {
  if (/^\/docs\/?$/.test(pathname)) return c.redirect('/docs/README.md');
  const asset = await docsAsset(pathname);
  if (asset !== null) return c.body(asset.body, 200, { 'content-type': asset.type });
  const page = await docsPage(pathname);
  const { title, html } = page ?? notFound;
  const template = await source.template(pathname, 'docs.html');
  return c.html(
    template.replace('<!--title-->', () => title).replace('<!--page-->', () => html),
    page ? 200 : 404,
  );
}

const notFound = {
  title: 'Page not found',
  html: '<h1>Page not found</h1><p>Check the address, or look for it in <a href="/docs/README.md">all pages</a>.</p>',
};

/** If the page cannot be rendered here, the browser fetches the data and renders it. */
async function renderFirst(
  desk: Desk,
  source: PageSource,
  boot: Omit<Boot, 'state'>,
): Promise<{ html: string; boot: Boot }> {
  try {
    const { render } = await source.renderer();
    // Read before the data, so that the stream replays the changes that happen meanwhile.
    const audiences = boot.session === null ? [] : audiencesOf(boot.session.person);
    const cursors = await Promise.all(audiences.map((one) => desk.hub.current().cursor(one)));
    const viewer = boot.session?.person ?? nobody;
    return await render(boot, directReads(desk.db, viewer), cursors);
  } catch (error) {
    console.error('The page could not be rendered on the server:', error);
    return { html: '', boot: { ...boot, state: null } };
  }
}

/** For the sign-in, which reads no tickets. */
const nobody: Viewer = { id: 0, name: '', email: '', title: '', hue: 0, teamIds: [] };

function documentOf(template: string, html: string, boot: Boot): string {
  return template
    .replace('<!--page-->', () => html)
    .replace('<!--boot-->', () => JSON.stringify(boot).replaceAll('<', '\\u003c'));
}
