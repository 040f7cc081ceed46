// docs/guides/nextjs.md: its files as they stand, without Next: what it renders on a server is rendered by React, and what it
// sends to the browser runs in a real one.

import type { DehydratedState } from '@edict/core/hydration';
import { mkdirSync, writeFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { createDataLayer, type DataLayer } from '@edict/core';
import { build } from 'esbuild';
import { createElement, type ComponentType, type ReactElement } from 'react';
import { renderToPipeableStream } from 'react-dom/server';
import { expect, it, onTestFinished, vi } from 'vitest';
import type { Hub } from '../../src/index.ts';
import { launch } from '../support/examples.ts';
import { blockWith, openPage, visit, type RunnablePage } from '../support/pages.ts';
import { serveHttp } from '../support/servers.ts';

const guide = 'docs/guides/nextjs.md';

type Handler = (request: Request, context: { params: Promise<{ id: string }> }) => Promise<Response>;

/** A route's handlers, by method. */
type Route = Readonly<Record<string, Handler | undefined>>;

interface Tickets {
  readonly setStatus: (id: string, status: string) => Promise<unknown>;
}

/** What stands in for Next: `connection`, which resolves while a request is answered, and the name of the phase of a build. */
function putNextBeside(folder: string): void {
  const next = join(folder, 'node_modules/next');
  mkdirSync(next, { recursive: true });
  writeFileSync(join(next, 'package.json'), '{ "name": "next", "type": "module" }');
  writeFileSync(join(next, 'server.js'), 'export const connection = () => Promise.resolve();');
  writeFileSync(
    join(next, 'constants.js'),
    "export const PHASE_PRODUCTION_BUILD = 'phase-production-build';",
  );
}

/** How Next answers the call of an action in a browser: with what the action returns. */
async function callOf(page: RunnablePage): Promise<Handler> {
  const { reopenTicket } = await page.run<{ reopenTicket: (id: string) => Promise<unknown> }>(
    'app/actions.ts',
  );
  return async (_, { params }) => Response.json(await reopenTicket((await params).id));
}

/** The routes of the guide behind one address. */
async function serveRoutes(page: RunnablePage, shell: () => string): Promise<string> {
  const routes: [RegExp, Route][] = [
    [/^\/api\/events$/, await page.run<Route>('app/api/events/route.ts')],
    [/^\/api\/tickets$/, await page.run<Route>('app/api/tickets/route.ts')],
    [/^\/api\/tickets\/(.+)$/, await page.run<Route>('app/api/tickets/[id]/route.ts')],
    [/^\/actions\/(.+)$/, { POST: await callOf(page) }],
  ];
  async function answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const url = new URL(req.url ?? '/', 'http://localhost');
    const found = routes.find(([path]) => path.test(url.pathname));
    if (found === undefined) return void res.setHeader('content-type', 'text/html').end(shell());
    const [path, route] = found;
    const id = path.exec(url.pathname)?.[1] ?? '';
    const leaving = new AbortController();
    res.once('close', () => leaving.abort());
    const headers = new Headers(
      Object.entries(req.headers).map(([name, value]): [string, string] => [name, String(value)]),
    );
    const request = new Request(url, { method: req.method ?? 'GET', headers, signal: leaving.signal });
    const response = await route[request.method]?.(request, { params: Promise.resolve({ id }) });
    res.writeHead(response?.status ?? 405, Object.fromEntries(response?.headers ?? []));
    if (response?.body) Readable.fromWeb(response.body as never).pipe(res);
    else res.end();
  }
  return (await serveHttp((req, res) => void answer(req, res))).url;
}

async function html(element: ReactElement): Promise<string> {
  const { pipe } = renderToPipeableStream(element);
  return text(pipe(new PassThrough()));
}

it(
  'the guide’s page arrives with its data, goes on from its cursor, and shows what a handler and an action have changed',
  { timeout: 90_000 },
  async () => {
    const page = openPage(guide);
    putNextBeside(page.folder);
    let shell = '';
    const url = await serveRoutes(page, () => shell);
    visit(url);
    const real = globalThis.fetch;
    vi.stubGlobal('fetch', (input: string, init?: RequestInit) =>
      real(input.replace('http://localhost:3000', url), init),
    );

    // On the server.
    const { default: Page } = await page.run<{ default: ComponentType }>('app/page.tsx');
    const { default: Layout } = await page.run<{ default: ComponentType }>('app/layout.tsx');
    const markup = await html(createElement(Layout, null, createElement(Page)));
    expect(markup).toContain('Printer 7 on fire');
    expect(markup).toContain('Printer 8 on fire');
    const { props: suspense } = (Page as () => ReactElement<{ children: ReactElement }>)();
    const Tickets = suspense.children.type as () => Promise<ReactElement<{ state: DehydratedState }>>;
    const { state } = (await Tickets()).props;

    const { register } = await page.run<{ register: (dl: DataLayer) => void }>('lib/register.ts');
    const dl = createDataLayer();
    onTestFinished(() => dl.dispose());
    register(dl);
    await dl.prefetchItem('ticket', 9);
    expect(dl.getItemRef('ticket', 9).meta.error).toBe('/api/tickets/9 could not be read (404).');

    // In the browser: the page's boundary with the state of the server, in the layout's provider.
    const [list, live] = [blockWith(guide, 'app/list.tsx'), blockWith(guide, 'app/live.tsx')].map(
      ({ name }) => join(page.folder, name ?? ''),
    );
    const { outputFiles } = await build({
      stdin: {
        contents: `import { HydrationBoundary } from '@edict/react';
          import { createRoot } from 'react-dom/client';
          import { List } from '${list}';
          import { Connect, Live } from '${live}';
          createRoot(document.body).render(
            <Live><HydrationBoundary state={${JSON.stringify(state)}}><Connect /><List /></HydrationBoundary></Live>);`,
        loader: 'tsx',
        resolveDir: page.folder,
      },
      // Next replaces an action by a call of it.
      plugins: [
        {
          name: 'actions',
          setup: ({ onResolve, onLoad }) => {
            onResolve({ filter: /\/actions$/ }, () => ({ path: 'actions', namespace: 'actions' }));
            onLoad({ filter: /.*/, namespace: 'actions' }, () => ({
              contents: `export async function reopenTicket(id) {
                const answer = await fetch('/actions/' + id, { method: 'POST' });
                return answer.json();
              }`,
            }));
          },
        },
      ],
      bundle: true,
      write: false,
      format: 'esm',
      conditions: ['source'],
      jsx: 'automatic',
      define: { 'process.env.NODE_ENV': '"production"' },
      logLevel: 'silent',
    });
    shell = `<!doctype html><body></body><script type="module">${outputFiles[0]?.text.replaceAll('</script', '<\\/script')}</script>`;

    // A change after the page was rendered, and before anybody is connected.
    const { setStatus } = await page.run<Tickets>('lib/tickets.ts');
    await setStatus('8', 'waiting');
    const tab = await (await launch()).newPage();
    const asked: string[] = [];
    tab.on('request', (request) => {
      const { pathname, searchParams } = new URL(request.url());
      if (/^\/(api|actions)\//.test(pathname))
        asked.push(`${request.method()} ${pathname} ${searchParams.get('last_seq') ?? ''}`);
    });
    tab.on('pageerror', (error) => expect.fail(String(error)));
    await tab.goto(url);
    const rows = tab.getByRole('listitem');
    await rows.filter({ hasText: 'Printer 7' }).filter({ hasText: '"status":"open"' }).waitFor();
    await rows.filter({ hasText: 'Printer 8' }).filter({ hasText: '"status":"waiting"' }).waitFor();
    const seq = state.cursors[0]?.seq;
    expect(asked.splice(0)).toEqual([`GET /api/events ${seq}`, 'GET /api/tickets/8 ']);

    await rows.filter({ hasText: 'Printer 7' }).getByText('Close').click();
    await rows.filter({ hasText: 'Printer 7' }).filter({ hasText: '"status":"closed"' }).waitFor();
    expect(asked.splice(0)).toEqual(['POST /api/tickets/7 ', 'GET /api/tickets/7 ']);

    await rows.filter({ hasText: 'Printer 7' }).getByText('Reopen').click();
    await rows.filter({ hasText: 'Printer 7' }).filter({ hasText: '"status":"open"' }).waitFor();
    await expect.poll(() => rows.getByText('Reopen').first().isEnabled()).toBe(true);
    expect(asked.splice(0)).toEqual(['POST /actions/7 ', 'GET /api/tickets/7 ']);

    // Whose answer is lost learns it from the stream.
    await setStatus('7', 'waiting');
    await rows.filter({ hasText: 'Printer 7' }).filter({ hasText: '"status":"waiting"' }).waitFor();
    asked.length = 0;
    await tab.route('**/actions/7', async (route) => {
      await route.fetch();
      await route.abort();
    });
    await rows.filter({ hasText: 'Printer 7' }).getByText('Reopen').click();
    await rows.filter({ hasText: 'Printer 7' }).filter({ hasText: '"status":"open"' }).waitFor();
    expect(asked.splice(0)).toEqual(['POST /actions/7 ', 'GET /api/tickets/7 ']);

    // Another bundle of the same process has the same hub.
    const { hub } = await page.run<{ hub: Hub }>('lib/hub.ts');
    vi.resetModules();
    expect((await page.run<{ hub: Hub }>('lib/hub.ts')).hub).toBe(hub);
    await hub.close();
  },
);

it('a build runs the hub’s module without Redis; the server does not', async () => {
  const page = openPage(guide);
  putNextBeside(page.folder);
  onTestFinished(() => {
    vi.unstubAllEnvs();
    delete (globalThis as { edictHub?: Hub }).edictHub;
  });
  delete (globalThis as { edictHub?: Hub }).edictHub;
  vi.stubEnv('REDIS_URL', undefined);
  await expect(page.run('lib/hub.ts, with Redis')).rejects.toThrow(
    'redisBackplane: pass either client or url',
  );
  vi.resetModules();
  vi.stubEnv('NEXT_PHASE', 'phase-production-build');
  const { hub } = await page.run<{ hub: Hub }>('lib/hub.ts, with Redis');
  expect(hub.metrics().backplane.healthy).toBe(true);
  await hub.close();
});
