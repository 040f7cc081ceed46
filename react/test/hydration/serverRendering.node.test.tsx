import { dehydrate, type DehydratedState } from '@edict/core/hydration';
import { PassThrough } from 'node:stream';
import { createDataLayer, type DataLayer } from '@edict/core';
import { createSimulation } from '@edict/core/testing';
import {
  DLProvider,
  HydrationBoundary,
  useCollection,
  useConnection,
  useItem,
  useItems,
  useSuspenseCollection,
  useSuspenseItem,
} from '@edict/react';
import { Suspense, type ReactElement } from 'react';
import { renderToPipeableStream, renderToString } from 'react-dom/server';
import { expect, it, vi } from 'vitest';
import { titleOf } from '../title.ts';

/** Creates a data layer for one request. */
function layer(titles: Record<string, string> = { 1: 'one', 2: 'two' }): { dl: DataLayer; calls: string[] } {
  const calls: string[] = [];
  const dl = createDataLayer();
  dl.createType('ticket', {
    fetch: async (id) => {
      calls.push(`ticket ${id}`);
      const title = titles[String(id)];
      if (title === undefined) throw new Error(`no ticket ${id}`);
      return { title };
    },
  });
  dl.createCollection('tickets', {
    fetch: async () => {
      calls.push('tickets');
      return { ids: Object.keys(titles).map(Number) };
    },
  });
  return { dl, calls };
}

/** Resolves with the text of the stream when it has ended. */
function stream(element: ReactElement): Promise<{ html: string; errors: unknown[] }> {
  return new Promise((resolve, reject) => {
    const errors: unknown[] = [];
    const out = new PassThrough();
    let html = '';
    out.on('data', (chunk: Buffer) => (html += chunk.toString()));
    out.on('end', () => resolve({ html, errors }));
    const { pipe } = renderToPipeableStream(element, {
      onShellReady: () => void pipe(out),
      onShellError: reject,
      onError: (error) => void errors.push(error),
    });
  });
}

const Row = ({ id }: { id: number | string }): ReactElement => {
  const { data, meta } = useItem('ticket', id);
  return <p>{data === null ? (meta.isLoading ? 'loading' : 'nothing') : titleOf(data)}</p>;
};
const Waiting = ({ id }: { id: number | string }): ReactElement => (
  <p>{titleOf(useSuspenseItem('ticket', id).data)}</p>
);

async function dehydrated(): Promise<DehydratedState> {
  const { dl } = layer();
  await Promise.all([dl.prefetchItem('ticket', 1), dl.prefetchCollection('tickets')]);
  const state = dehydrate(dl, { cursors: [{ audience: 'global', seq: 7 }] });
  dl.dispose();
  // The state is sent as text in a page.
  return JSON.parse(JSON.stringify(state)) as DehydratedState; // JSON keeps the type.
}

it('D-REACT-5 an entry that was never fetched is loading on a server and is not requested', () => {
  const { dl, calls } = layer();
  const html = renderToString(
    <DLProvider dl={dl}>
      <Row id={1} />
    </DLProvider>,
  );
  expect(html).toBe('<p>loading</p>');
  expect(calls).toEqual([]);
  dl.dispose();
});

it('D-REACT-10 data that was fetched before the render is rendered', async () => {
  const { dl } = layer();
  await Promise.all([dl.prefetchItem('ticket', 1), dl.prefetchCollection('tickets')]);
  function List(): ReactElement {
    const { data } = useCollection('tickets');
    return (
      <b>{`${data.count} ${useItems('ticket', data.ids)
        .map((row) => titleOf(row.data))
        .join()}`}</b>
    );
  }
  const html = renderToString(
    <DLProvider dl={dl}>
      <Row id={1} />
      <List />
    </DLProvider>,
  );
  expect(html).toBe('<p>one</p><b>2 one,nothing</b>');
  dl.dispose();
});

it('D-REACT-7 a hook with select renders on a server without a boundary', async () => {
  const { dl } = layer();
  await dl.prefetchItem('ticket', 1);
  const Title = ({ id }: { id: number }): ReactElement => (
    <p>{useItem('ticket', id, null, { select: titleOf }).data}</p>
  );
  const html = renderToString(
    <DLProvider dl={dl}>
      <Title id={1} />
      <Title id={2} />
    </DLProvider>,
  );
  expect(html).toBe('<p>one</p><p>nothing</p>');
  dl.dispose();
});

it('D-REACT-10 hooks below a boundary render its state, not the cache of the data layer', async () => {
  const state = await dehydrated();
  const { dl, calls } = layer({ 1: 'newer', 2: 'two' });
  await dl.prefetchItem('ticket', 1);
  await dl.prefetchItem('ticket', 2);
  calls.length = 0;
  const html = renderToString(
    <DLProvider dl={dl}>
      <HydrationBoundary state={state}>
        <Row id={1} />
        <Row id={2} />
      </HydrationBoundary>
      <Row id={1} />
    </DLProvider>,
  );
  expect(html).toBe('<p>one</p><p>loading</p><p>newer</p>');
  expect(calls).toEqual([]);
  dl.dispose();
});

it('D-REACT-10 an inner boundary takes precedence over an outer one, and one without a state is ignored', async () => {
  const outer = await dehydrated();
  const inner: DehydratedState = {
    ...outer,
    items: [
      { type: 'ticket', id: 2, payloads: [{ levels: ['default'], data: { title: 'inner' }, ageMs: 0 }] },
    ],
  };
  const { dl } = layer();
  const html = renderToString(
    <DLProvider dl={dl}>
      <HydrationBoundary state={outer}>
        <HydrationBoundary state={inner}>
          <HydrationBoundary state={undefined}>
            <Row id={1} />
            <Row id={2} />
          </HydrationBoundary>
        </HydrationBoundary>
      </HydrationBoundary>
    </DLProvider>,
  );
  expect(html).toBe('<p>one</p><p>inner</p>');
  dl.dispose();
});

it('D-REACT-10 an outer boundary provides the level that an inner one lacks', () => {
  const stateOf = (level: string): DehydratedState => ({
    ...{ v: 1, collections: [], cursors: [] },
    items: [{ type: 'ticket', id: 1, payloads: [{ levels: [level], data: { title: level }, ageMs: 0 }] }],
  });
  const { dl } = layer();
  const fetch = (): object => ({ title: 'fetched' });
  dl.createType('ticket', { fetch, levels: { full: { fetch } } });
  const Full = (): ReactElement => <p>{titleOf(useItem('ticket', 1, 'full').data)}</p>;
  const html = renderToString(
    <DLProvider dl={dl}>
      <HydrationBoundary state={stateOf('full')}>
        <HydrationBoundary state={stateOf('default')}>
          <Full />
        </HydrationBoundary>
      </HydrationBoundary>
    </DLProvider>,
  );
  expect(html).toBe('<p>full</p>');
  dl.dispose();
});

it.each<[string, object]>([
  ['invalid lists', { v: 1, items: 'x', collections: 5, cursors: {} }],
  ['invalid entries', { v: 1, items: [null], collections: [null], cursors: [null] }],
  ['invalid payloads', { v: 1, items: [{ type: 'ticket', id: 1, payloads: 'x' }], collections: [] }],
  ['invalid levels', { v: 1, items: [{ type: 'ticket', id: 1, payloads: [{}] }], collections: [] }],
  ['invalid ids', { v: 1, items: [], collections: [{ name: 'tickets', ids: 5, ageMs: 1 }] }],
  ['invalid params', { v: 1, items: [], collections: [{ name: 'tickets', ids: [], params: 5, ageMs: 1 }] }],
])('D-REACT-10 a state with %s does not break the page and is reported', (_, state) => {
  const logged: string[] = [];
  const dl = createDataLayer({ env: { log: (_level, message) => void logged.push(message) } });
  dl.createType('ticket', { fetch: () => ({ title: 'x' }) });
  dl.createCollection('tickets', { fetch: () => ({ ids: [] }) });
  const Count = (): ReactElement => <p>{useCollection('tickets').data.count}</p>;
  const html = renderToString(
    <DLProvider dl={dl}>
      <HydrationBoundary state={state as DehydratedState}>
        <Row id={1} />
        <Count />
      </HydrationBoundary>
    </DLProvider>,
  );
  expect(html).toBe('<p>loading</p><p>0</p>');
  expect(logged).toContain('skipped in a dehydrated state: not registered, or malformed');
  dl.dispose();
});

it.each([{ things: [] }, { items: [], collections: [] }])(
  'D-REACT-10 a state of another version is ignored: %j',
  (lists) => {
    const logged: string[] = [];
    const dl = createDataLayer({ env: { log: (_level, message) => void logged.push(message) } });
    dl.createType('ticket', { fetch: () => ({ title: 'x' }) });
    const state = { v: 2, ...lists } as unknown as DehydratedState; // A newer server might send this.
    const html = renderToString(
      <DLProvider dl={dl}>
        <HydrationBoundary state={state}>
          <Row id={1} />
        </HydrationBoundary>
      </DLProvider>,
    );
    expect(html).toBe('<p>loading</p>');
    expect(logged).toHaveLength(1);
    dl.dispose();
  },
);

it('D-REACT-10 an invalid state is reported once, however often it is rendered', () => {
  const logged: string[] = [];
  const dl = createDataLayer({ env: { log: (_level, message) => void logged.push(message) } });
  dl.createType('ticket', { fetch: () => ({ title: 'x' }) });
  const state = { v: 1, items: [{ type: 'ticket', id: 1, payloads: 'x' }], collections: [] };
  const page = (
    <DLProvider dl={dl}>
      <HydrationBoundary state={state as unknown as DehydratedState}>
        <Row id={1} />
      </HydrationBoundary>
    </DLProvider>
  );
  expect([renderToString(page), renderToString(page)]).toEqual(['<p>loading</p>', '<p>loading</p>']);
  expect(logged).toEqual(['skipped in a dehydrated state: not registered, or malformed']);
  dl.dispose();
});

it('D-REACT-10 each Suspense hook requests its entry once, and its boundary is streamed afterwards', async () => {
  const { dl, calls } = layer();
  const List = (): ReactElement => (
    <>
      {useSuspenseCollection('tickets').data.ids.map((id) => (
        <Suspense key={id} fallback="…">
          <Waiting id={id} />
        </Suspense>
      ))}
    </>
  );
  const { html, errors } = await stream(
    <DLProvider dl={dl}>
      <main>
        <Suspense fallback="waiting">
          <List />
        </Suspense>
        <Suspense fallback="waiting">
          <Waiting id={1} />
        </Suspense>
      </main>
    </DLProvider>,
  );
  expect(html).toContain('waiting');
  expect(html).toContain('<p>one</p>');
  expect(html).toContain('<p>two</p>');
  expect(errors).toEqual([]);
  expect([...calls].sort()).toEqual(['ticket 1', 'ticket 2', 'tickets']);
  dl.dispose();
});

it('D-REACT-6 a Suspense hook for a type with bulkFetch does not wait for other reads on a server', async () => {
  const sim = createSimulation(); // Its time does not advance.
  const dl = sim.createDataLayer({ sse: { enabled: false } });
  dl.createType('ticket', {
    fetch: (id) => ({ title: `ticket ${id}` }),
    bulkFetch: (ids) => ids.map((id) => ({ id, title: `ticket ${id}` })),
  });
  const requested = vi.fn();
  dl.onLifecycle('item:fetch:success', requested);
  void stream(
    <DLProvider dl={dl}>
      <Suspense fallback="waiting">
        <Waiting id={1} />
      </Suspense>
    </DLProvider>,
  );
  for (let task = 0; task < 5; task++) await new Promise(setImmediate);
  expect(requested).toHaveBeenCalledTimes(1);
  dl.dispose();
});

it('D-REACT-10 a Suspense hook requests an entry that the state of its boundary lacks', async () => {
  const state = await dehydrated();
  const { dl, calls } = layer();
  const { html } = await stream(
    <DLProvider dl={dl}>
      <HydrationBoundary state={state}>
        <Suspense fallback="waiting">
          <Waiting id={2} />
        </Suspense>
      </HydrationBoundary>
    </DLProvider>,
  );
  expect(html).toContain('<p>two</p>');
  expect(calls).toEqual(['ticket 2']);
  dl.dispose();
});

it('D-REACT-10 Suspense hooks below a boundary with their data do not suspend', async () => {
  const state = await dehydrated();
  const { dl, calls } = layer();
  const { html } = await stream(
    <DLProvider dl={dl}>
      <HydrationBoundary state={state}>
        <Suspense fallback="waiting">
          <Waiting id={1} />
        </Suspense>
      </HydrationBoundary>
    </DLProvider>,
  );
  expect(html).toContain('<p>one</p>');
  expect(html).not.toContain('waiting');
  expect(calls).toEqual([]);
  dl.dispose();
});

it('D-REACT-6 React handles the error of a fetch that failed on a server', async () => {
  const { dl } = layer({});
  const { html, errors } = await stream(
    <DLProvider dl={dl}>
      <Suspense fallback="waiting">
        <Waiting id={9} />
      </Suspense>
    </DLProvider>,
  );
  expect(html).toContain('waiting');
  expect(errors).toEqual([new Error('no ticket 9')]);
  dl.dispose();
});

it('D-REACT-10 concurrent requests share nothing', async () => {
  const [a, b] = [layer({ 1: 'of a' }), layer({ 1: 'of b' })];
  const page = (dl: DataLayer): ReactElement => (
    <DLProvider dl={dl}>
      <Suspense fallback="">
        <Waiting id={1} />
      </Suspense>
    </DLProvider>
  );
  const [ofA, ofB] = await Promise.all([stream(page(a.dl)), stream(page(b.dl))]);
  expect(ofA.html).toContain('of a');
  expect(ofB.html).toContain('of b');
  a.dl.dispose();
  b.dl.dispose();
});

it('useConnection is off on a server', () => {
  const { dl } = layer();
  const Status = (): string => useConnection().status;
  expect(
    renderToString(
      <DLProvider dl={dl}>
        <Status />
      </DLProvider>,
    ),
  ).toBe('off');
  dl.dispose();
});

it('D-REACT-1 hooks outside a provider warn once when there is no document', async () => {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
  const { useDL } = await import('@edict/react');
  const { DL } = await import('@edict/core');
  const seen: unknown[] = [];
  const Probe = (): null => {
    seen.push(useDL());
    return null;
  };
  renderToString(<Probe />);
  renderToString(<Probe />);
  expect(seen).toEqual([DL, DL]);
  expect(warn).toHaveBeenCalledTimes(1);
  expect(warn.mock.calls[0]?.[0]).toMatch(/DLProvider/);
  warn.mockRestore();
});

it('D-REACT-10 the react-server condition exports the same names as the client entry', async () => {
  const [client, server] = await Promise.all([
    import('../../src/index.ts'),
    import('../../src/reactServer.ts'),
  ]);
  expect(Object.keys(server).sort()).toEqual(Object.keys(client).sort());
});
