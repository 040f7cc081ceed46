// Runs the code blocks of docs/help/migrating.md with real sockets and the real packages of TanStack Query, SWR and RTK Query.

import type { Cursor } from '@edict/core/hydration';
import { createDataLayer, type DataLayer, type Directive } from '@edict/core';
import { connectQueryClient, type QueryClientOptions } from '@edict/core/adapters/tanstack-query';
import { directiveSchema } from '@edict/core/protocol';
import { QueryClient, QueryObserver, type Query } from '@tanstack/query-core';
import { expect, it, onTestFinished } from 'vitest';
import type { Hub } from '../../src/index.ts';
import { bundle, launch, openTab } from '../support/examples.ts';
import { blockWith, openPage, visit, type RunnablePage, type Visit } from '../support/pages.ts';
import { hubForTest, serveHttp } from '../support/servers.ts';

const migrating = 'docs/help/migrating.md';

/** The exports of live.ts. */
interface Live {
  readonly queryClient: QueryClient;
  readonly dl: DataLayer;
}

interface World {
  readonly hub: Hub;
  readonly url: string;
  readonly page: RunnablePage;
  readonly visited: Visit;
  /** The data on the server. */
  readonly truth: { title: string };
  /** Delays responses until the returned function is called. */
  readonly hold: () => () => void;
}

const json = async (path: string): Promise<unknown> => (await fetch(path)).json();

async function setup(): Promise<World> {
  const hub = hubForTest();
  const truth = { title: 'first' };
  let held = Promise.resolve();
  const { url } = await serveHttp((req, res) => {
    const { pathname } = new URL(req.url ?? '/', 'http://localhost');
    if (pathname === '/api/events') return hub.nodeHandler(req, res);
    res.setHeader('content-type', 'application/json');
    if (req.method === 'POST') {
      truth.title = 'closed';
      return void hub
        .emit([{ op: 'refresh_item', name: 'ticket', id: 7 }])
        .then((directives) => res.end(JSON.stringify({ directives })));
    }
    const body = JSON.stringify(pathname === '/api/tickets' ? [truth.title] : { title: truth.title });
    void held.then(() => res.end(body));
  });
  function hold(): () => void {
    let release = (): void => {};
    held = new Promise((done) => (release = done));
    return release;
  }
  return { hub, url, page: openPage(migrating), visited: visit(url), truth, hold };
}

/** Runs live.ts, and waits until its stream is connected. */
async function live(world: World): Promise<Live> {
  const loaded = await world.page.run<Live>('live.ts');
  onTestFinished(() => {
    loaded.dl.dispose();
    loaded.queryClient.clear();
  });
  await expect.poll(() => loaded.dl.state().sse.lastSeq['global']).toBeTypeOf('number');
  return loaded;
}

function watch(client: QueryClient, queryKey: readonly unknown[], path: string): () => unknown {
  const observer = new QueryObserver(client, { queryKey, queryFn: () => json(path), staleTime: Infinity });
  onTestFinished(observer.subscribe(() => undefined));
  return () => observer.getCurrentResult().data;
}

const counted = (visited: Visit, path: string): number =>
  visited.asked.filter((line) => line === `GET ${path}`).length;

it('“Keep TanStack Query”: a failed refetch is repeated, and a request that the server refused is not', async () => {
  const { refetchInterval } = await openPage(migrating).run<{
    refetchInterval: (query: Query) => number | false;
  }>('repeats.ts');
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  const failing = (queryKey: readonly unknown[]): Promise<unknown> =>
    client.fetchQuery({ queryKey, queryFn: () => Promise.reject(new Error('503')) }).catch(String);
  client.setQueryData(['ticket', 7], { title: 'first' }, { updatedAt: 1 });
  for (const key of [
    ['ticket', 7],
    ['ticket', 8],
  ])
    await failing(key);
  expect(client.getQueryCache().getAll().map(refetchInterval)).toEqual([5000, false]);
});

it('“Keep TanStack Query”: a burst of directives refetches the matching queries once, and no other query', async () => {
  const world = await setup();
  const { queryClient } = await live(world);
  const ticket = watch(queryClient, ['ticket', 7], '/api/tickets/7');
  const full = watch(queryClient, ['ticket', '7', 'full'], '/api/tickets/7/full');
  const open = watch(queryClient, ['tickets', { status: 'open' }], '/api/tickets');
  const other = watch(queryClient, ['ticket', 8], '/api/tickets/8');
  for (const data of [ticket, full, open, other]) await expect.poll(data).toBeDefined();

  world.truth.title = 'second';
  for (let time = 0; time < 5; time += 1)
    await world.hub.emit([{ op: 'refresh_item', name: 'ticket', id: 7 }]);
  for (const data of [ticket, full]) await expect.poll(data).toEqual({ title: 'second' });
  await world.hub.emit([{ op: 'refresh_collection', name: 'tickets' }]);
  await expect.poll(open).toEqual(['second']);
  expect(other()).toEqual({ title: 'first' });
  for (const path of ['/api/tickets/7', '/api/tickets/7/full', '/api/tickets'])
    expect(counted(world.visited, path), path).toBe(2);
  expect(counted(world.visited, '/api/tickets/8')).toBe(1);
});

it('“Keep TanStack Query”: a changed item refetches the lists that contain it, and not its comments', async () => {
  const world = await setup();
  const { keys } = await world.page.run<{ keys: QueryClientOptions }>('wholeItems.ts');
  const client = new QueryClient();
  const dl = createDataLayer();
  onTestFinished(() => (dl.dispose(), client.clear()));
  connectQueryClient(dl, client, keys);
  const ticket = watch(client, ['ticket', 7], '/api/tickets/7');
  const list = watch(client, ['tickets', { status: 'open' }], '/api/tickets');
  const comments = watch(client, ['comments', 7], '/api/tickets/7/comments');
  for (const data of [ticket, list, comments]) await expect.poll(data).toBeDefined();

  world.truth.title = 'second';
  await dl.applyDirectives([{ op: 'refresh_item', name: 'ticket', id: 7 }]);
  await expect.poll(ticket).toEqual({ title: 'second' });
  await expect.poll(list).toEqual(['second']);
  expect(comments()).toEqual({ title: 'first' });

  await dl.applyDirectives([{ op: 'refresh_collection', name: 'comments', params: { ticketId: 7 } }]);
  await expect.poll(comments).toEqual({ title: 'second' });
});

it('“Keep TanStack Query”: no change is lost during the first load or while the client is disconnected', async () => {
  const world = await setup();
  const { queryClient, dl } = await live(world);
  const release = world.hold();
  const ticket = watch(queryClient, ['ticket', 7], '/api/tickets/7');
  await expect.poll(() => counted(world.visited, '/api/tickets/7')).toBe(1);
  const heard = new Promise((done) => dl.onLifecycle('directive:received', done));
  world.truth.title = 'second';
  await world.hub.emit([{ op: 'refresh_item', name: 'ticket', id: 7 }]);
  await heard;
  release();
  await expect.poll(ticket).toEqual({ title: 'second' });

  dl.disconnectSse();
  world.truth.title = 'third';
  await world.hub.emit([{ op: 'refresh_item', name: 'ticket', id: 7 }]);
  dl.connectSse();
  await expect.poll(ticket).toEqual({ title: 'third' });
});

it('“Keep TanStack Query”: changes between the rendering and the first connection are replayed', async () => {
  const world = await setup();
  const cursor = await world.hub.cursor();
  const client = new QueryClient();
  client.setQueryData(['ticket', 7], await json('/api/tickets/7'));
  world.truth.title = 'second';
  await world.hub.emit([{ op: 'refresh_item', name: 'ticket', id: 7 }]);

  const { goLive } = await world.page.run<{ goLive: (client: QueryClient, cursor: Cursor) => DataLayer }>(
    'rendered.ts',
  );
  const ticket = watch(client, ['ticket', 7], '/api/tickets/7');
  expect(ticket()).toEqual({ title: 'first' });
  const dl = goLive(client, cursor);
  onTestFinished(() => {
    dl.dispose();
    client.clear();
  });
  const gaps: unknown[] = [];
  dl.onLifecycle('sse:gap', ({ detail }) => void gaps.push(detail.reason));
  await expect.poll(ticket).toEqual({ title: 'second' });
  expect(gaps).toEqual([]);
});

it('“Let mutations carry their directives”: the response of a mutation refetches its query, without onSuccess and without the stream', async () => {
  const world = await setup();
  const { queryClient, dl } = await live(world);
  const ticket = watch(queryClient, ['ticket', 7], '/api/tickets/7');
  await expect.poll(ticket).toBeDefined();
  dl.disconnectSse();

  const { useCloseTicket } = await world.page.run<{
    useCloseTicket: (id: number) => { mutateAsync: () => Promise<unknown> };
  }>('useCloseTicket');
  const { QueryClientProvider } = await import('@tanstack/react-query');
  const { createElement } = await import('react');
  const { renderToString } = await import('react-dom/server');
  const rendered: (() => Promise<unknown>)[] = [];
  function Screen(): null {
    rendered.push(useCloseTicket(7).mutateAsync);
    return null;
  }
  renderToString(createElement(QueryClientProvider, { client: queryClient }, createElement(Screen)));
  await rendered[0]?.();
  await expect.poll(ticket).toEqual({ title: 'closed' });
});

it('“From SWR”: components show changes in a real browser', async () => {
  const world = await setup();
  const script = await bundle(
    `import useSWR from 'swr';
     import { createRoot } from 'react-dom/client';
     import './live.tsx';
     const json = (path) => fetch(path).then((response) => response.json());
     function Show({ path }) {
       const { data } = useSWR(path, json);
       return <p>{path}: {JSON.stringify(data)}</p>;
     }
     createRoot(document.body).render(<><Show path="/api/tickets/7" /><Show path="/api/tickets?status=open" /></>);`,
    'browser',
    { './live.tsx': blockWith(migrating, 'live.tsx').code },
  );
  const context = await (await launch()).newContext();
  const tab = await openTab(context, world.url, script, '/api/tickets/7: {"title":"first"}');
  await expect.poll(() => world.hub.metrics().connections).toBe(1);
  world.truth.title = 'second';
  await world.hub.emit([{ op: 'refresh_item', name: 'ticket', id: 7 }]);
  await tab.getByText('/api/tickets/7: {"title":"second"}').waitFor();
  expect(await tab.getByText('/api/tickets?status=open').textContent()).toContain('["first"]');
  await world.hub.emit([{ op: 'refresh_collection', name: 'tickets' }]);
  await tab.getByText('/api/tickets?status=open: ["second"]').waitFor();
});

it('“From RTK Query”: the store shows changes in a real browser', async () => {
  const world = await setup();
  const script = await bundle(
    `import { tickets } from './main.ts';
     const { api, store } = tickets;
     store.dispatch(api.endpoints.ticket.initiate(7));
     store.dispatch(api.endpoints.tickets.initiate({ team: 'a' }));
     function show() {
       const ticket = api.endpoints.ticket.select(7)(store.getState()).data;
       const list = api.endpoints.tickets.select({ team: 'a' })(store.getState()).data;
       document.body.textContent = JSON.stringify({ ticket, list });
     }
     store.subscribe(show);
     show();`,
    'browser',
    {
      './main.ts': blockWith(migrating, 'main.ts').code,
      './rtkQuery.ts': blockWith(migrating, 'rtkQuery.ts').code,
    },
  );
  const context = await (await launch()).newContext();
  const tab = await openTab(context, world.url, script, '{"ticket":{"title":"first"},"list":["first"]}');
  await expect.poll(() => world.hub.metrics().connections).toBe(1);
  world.truth.title = 'second';
  await world.hub.emit([{ op: 'refresh_collection', name: 'tickets' }]);
  await tab.getByText('{"ticket":{"title":"first"},"list":["second"]}').waitFor();
  await world.hub.emit([{ op: 'refresh_item', name: 'ticket', id: 7 }]);
  await tab.getByText('{"ticket":{"title":"second"},"list":["second"]}').waitFor();
});

it('“From a hand-made socket”: the server’s function converts messages to valid directives, and a client applies them', async () => {
  const { directivesOf } = await openPage(migrating).run<{
    directivesOf: (message: { type: string; id: number }) => Directive[];
  }>('directivesOf');
  const updated = directivesOf({ type: 'ticket.updated', id: 7 });
  const deleted = directivesOf({ type: 'ticket.deleted', id: 7 });
  for (const directive of [...updated, ...deleted])
    expect(directiveSchema.safeParse(directive).success).toBe(true);

  const fetched: string[] = [];
  const dl = createDataLayer();
  onTestFinished(() => dl.dispose());
  dl.createType('ticket', {
    fetch(id) {
      fetched.push(`ticket ${id}`);
      return { id };
    },
  });
  dl.createCollection('tickets', {
    fetch() {
      fetched.push('tickets');
      return { ids: [7] };
    },
  });
  let bring: ((list: readonly unknown[]) => Promise<void>) | null = null;
  dl.configureDirectiveSource({ type: 'socket', connect: (api) => void (bring = api.applyDirectives) });
  dl.init({ bulk: { delayMs: 0 } });
  const apply = bring as ((list: readonly unknown[]) => Promise<void>) | null; // The compiler does not see the assignment above.
  dl.fetchItem('ticket', 7);
  dl.fetchCollection('tickets');
  await dl.whenSettled();
  fetched.length = 0;
  await apply?.(updated);
  expect(fetched.toSorted()).toEqual(['ticket 7', 'tickets']);
  fetched.length = 0;
  await apply?.(deleted);
  expect(fetched).toEqual(['tickets']);
});
