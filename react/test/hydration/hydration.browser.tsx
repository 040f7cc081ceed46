/* oxlint-disable react/immutability, react/globals, react/purity -- renders are counted and slowed down on purpose */
// Runs in a real browser without `act`, so React schedules, hydrates, and commits as it does for users.

import { dehydrate, hydrate as hydrateLayer, type DehydratedState } from '@edict/core/hydration';
import { createDataLayer, type DataLayer } from '@edict/core';
import {
  DLProvider,
  HydrationBoundary,
  useCollection,
  useItem,
  useItems,
  useSuspenseItem,
} from '@edict/react';
import {
  lazy,
  startTransition,
  StrictMode,
  Suspense,
  use,
  useEffect,
  useState,
  type ComponentType,
  type ReactElement,
} from 'react';
import { createRoot, hydrateRoot } from 'react-dom/client';
import { renderToString } from 'react-dom/server';
import { expect, it, vi } from 'vitest';
import { layers, roots } from '../page.ts';
import { titleOf } from '../title.ts';

const server: Record<string, string> = {};

function layer(now = (): number => Date.now()): { dl: DataLayer; calls: string[] } {
  const calls: string[] = [];
  const dl = createDataLayer({ env: { now } });
  layers.push(dl);
  dl.createType('ticket', {
    stalenessMs: 600_000,
    fetch: async (id) => {
      calls.push(`ticket ${id}`);
      return { title: server[String(id)] };
    },
  });
  dl.createCollection('tickets', {
    stalenessMs: 600_000,
    fetch: async () => {
      calls.push('tickets');
      return { ids: Object.keys(server).map(Number) };
    },
  });
  dl.init({ sse: { enabled: false }, bulk: { delayMs: 0 } });
  return { dl, calls };
}

const refresh = (id: number): object => ({ op: 'refresh_item', name: 'ticket', id });

/** Renders a page as a server does. Returns the dehydrated state and an element in the document with the HTML. */
async function page(element: ReactElement): Promise<{ state: DehydratedState; box: HTMLElement }> {
  delete server['3'];
  server['1'] = 'one';
  server['2'] = 'two';
  const { dl } = layer();
  await Promise.all([
    dl.prefetchItem('ticket', 1),
    dl.prefetchItem('ticket', 2),
    dl.prefetchCollection('tickets'),
  ]);
  const text = JSON.stringify(dehydrate(dl, { cursors: [{ audience: 'global', seq: 7 }] }));
  const state = JSON.parse(text) as DehydratedState; // JSON keeps the type.
  const box = document.createElement('div');
  document.body.append(box);
  box.innerHTML = renderToString(
    <DLProvider dl={dl}>
      <HydrationBoundary state={state}>{element}</HydrationBoundary>
    </DLProvider>,
  );
  return { state, box };
}

/** Hydrates, and returns the recoverable errors that React reports. */
function hydrate(box: HTMLElement, dl: DataLayer, state: DehydratedState, element: ReactElement): unknown[] {
  const errors: unknown[] = [];
  vi.spyOn(console, 'error').mockImplementation((...words) => void errors.push(words));
  roots.push(
    hydrateRoot(
      box,
      <StrictMode>
        <DLProvider dl={dl}>
          <HydrationBoundary state={state}>{element}</HydrationBoundary>
        </DLProvider>
      </StrictMode>,
      { onRecoverableError: (error) => void errors.push(error) },
    ),
  );
  return errors;
}

/** Renders on the client only. */
function mount(dl: DataLayer, state: DehydratedState | null, element: ReactElement): HTMLElement {
  const box = document.createElement('div');
  const root = createRoot(box);
  roots.push(root);
  root.render(
    <DLProvider dl={dl}>
      <HydrationBoundary state={state}>{element}</HydrationBoundary>
    </DLProvider>,
  );
  return box;
}

const hydrated = (box: HTMLElement): Promise<void> =>
  expect
    .poll(() => Object.keys(box.firstElementChild ?? {}).some((key) => key.startsWith('__react')))
    .toBe(true);

const renders = { row: 0 };
function Row(): ReactElement {
  renders.row++;
  const { data, meta } = useItem('ticket', 1);
  return <p>{`${titleOf(data)} ${meta.isLoading}`}</p>;
}
function List(): ReactElement {
  const { ids, count } = useCollection('tickets').data;
  return (
    <b>{`${count}: ${useItems('ticket', ids)
      .map(({ data }) => titleOf(data))
      .join()}`}</b>
  );
}
const both = (
  <main>
    <Row />
    <List />
  </main>
);

it('D-REACT-10 hydration fetches nothing that is fresh and causes no extra render', async () => {
  const { state, box } = await page(both);
  const { dl, calls } = layer();
  renders.row = 0;
  const errors = hydrate(box, dl, state, both);
  await hydrated(box);
  await dl.whenSettled();
  await expect.poll(() => dl.devtools().items['ticket']?.['1']?.watchers).toBe(2);
  expect(box.textContent).toBe('one false2: one,two');
  expect(calls).toEqual([]);
  expect(renders.row).toBe(2); // StrictMode renders twice.
  expect(errors).toEqual([]);
});

it('D-REACT-3 D-REACT-10 lastUsedAt is correct before and after hydration on a page that was opened long ago', async () => {
  const seen: { readonly lastUsedAt: string | null }[] = [];
  function Probe(): ReactElement {
    const { data, meta } = useItem('ticket', 1);
    seen.push(meta);
    return <p>{titleOf(data)}</p>;
  }
  const { state, box } = await page(<Probe />);
  let now = Date.now();
  const { dl } = layer(() => now);
  now += 3_600_000;
  seen.length = 0;
  const errors = hydrate(box, dl, state, <Probe />);
  await expect.poll(() => dl.devtools().items['ticket']?.['1']?.watchers).toBe(1);
  const used = seen.map(({ lastUsedAt }) => Date.parse(lastUsedAt ?? ''));
  expect(new Set(used)).toEqual(new Set([now]));
  expect(errors).toEqual([]);
});

it('D-REACT-10 a directive before hydration causes no mismatch and is shown afterwards', async () => {
  const { state, box } = await page(both);
  const { dl } = layer();
  server['1'] = 'pushed';
  // The stream is ahead of the cursor of the state.
  dl.ingestEnvelope({ type: 'directives', seq: 8, audience: 'global', directives: [refresh(1)] });
  const errors = hydrate(box, dl, state, both);
  expect(box.textContent).toBe('one false2: one,two');
  await expect.poll(() => box.textContent).toBe('pushed false2: pushed,two');
  expect(errors).toEqual([]);
});

it('D-REACT-10 a directive that arrives before any entry is cached still applies to the hydrated state', async () => {
  const { state, box } = await page(both);
  const { dl, calls } = layer();
  server['1'] = 'pushed';
  void dl.applyDirectives([{ ...refresh(1), idempotency_key: 'a' }]);
  const errors = hydrate(box, dl, state, both);
  void dl.applyDirectives([{ op: 'invalidate', targets: [{ op: 'refresh_collection', name: 'tickets' }] }]);
  server['3'] = 'three';
  await expect.poll(() => box.textContent).toBe('pushed false3: pushed,two,three');
  expect([...calls].sort()).toEqual(['ticket 1', 'ticket 3', 'tickets']);
  expect(errors).toEqual([]);
});

it('D-REACT-10 a directive for a manually hydrated state is applied before React hydrates and shown afterwards', async () => {
  const { state, box } = await page(both);
  const { dl } = layer();
  hydrateLayer(dl, state);
  server['1'] = 'pushed';
  await dl.applyDirectives([refresh(1)]);
  expect(dl.getItemRef('ticket', 1).data).toEqual({ title: 'pushed' });
  const errors = hydrate(box, dl, state, both);
  await expect.poll(() => box.textContent).toBe('pushed false2: pushed,two');
  expect(errors).toEqual([]);
});

it('D-REACT-10 a fetch before hydration causes no mismatch', async () => {
  const { state, box } = await page(both);
  const { dl } = layer();
  server['1'] = 'fetched';
  dl.fetchItem('ticket', 1);
  await dl.whenSettled();
  const errors = hydrate(box, dl, state, both);
  await expect.poll(() => box.textContent).toBe('fetched false2: fetched,two');
  expect(errors).toEqual([]);
});

it('D-REACT-10 a directive causes no mismatch in a part of the page that is not hydrated yet', async () => {
  let arrive = (_module: { default: ComponentType }): void => undefined;
  const Late = lazy(() => new Promise<{ default: ComponentType }>((resolve) => (arrive = resolve)));
  const element = (content: ReactElement): ReactElement => (
    <main>
      <Row />
      <Suspense fallback="waiting">{content}</Suspense>
    </main>
  );
  const { state, box } = await page(element(<List />));
  const { dl } = layer();
  const seen: string[] = [];
  const errors = hydrate(box, dl, state, element(<Late />));
  const observer = new MutationObserver(() => seen.push(box.textContent ?? ''));
  observer.observe(box, { subtree: true, childList: true, characterData: true });
  await hydrated(box);
  server['1'] = 'pushed';
  await dl.applyDirectives([refresh(1)]);
  await expect.poll(() => box.textContent).toBe('pushed false2: one,two');
  arrive({ default: List });
  await expect.poll(() => box.textContent).toBe('pushed false2: pushed,two');
  observer.disconnect();
  expect(errors).toEqual([]);
  expect(seen.filter((text) => text.includes('waiting'))).toEqual([]);
});

it('D-REACT-10 Suspense hooks hydrate with the state, then show newer data, and do not suspend', async () => {
  const Waiting = (): ReactElement => <p>{titleOf(useSuspenseItem('ticket', 2).data)}</p>;
  const element = (
    <main>
      <Suspense fallback="waiting">
        <Waiting />
      </Suspense>
    </main>
  );
  const { state, box } = await page(element);
  const { dl, calls } = layer();
  hydrateLayer(dl, state);
  server['2'] = 'pushed';
  await dl.applyDirectives([refresh(2)]);
  const errors = hydrate(box, dl, state, element);
  await expect.poll(() => box.textContent).toBe('pushed');
  expect(calls).toEqual(['ticket 2']);
  expect(errors).toEqual([]);
});

it('D-REACT-10 an entry that the state lacks is loading on the server and the client, then fetched', async () => {
  const Three = (): ReactElement => {
    const { data, meta } = useItem('ticket', 3);
    return <p>{meta.isLoading ? 'loading' : titleOf(data)}</p>;
  };
  const { state, box } = await page(<Three />);
  server['3'] = 'three';
  expect(box.textContent).toBe('loading');
  const { dl, calls } = layer();
  dl.fetchItem('ticket', 3);
  await dl.whenSettled(); // The fetch ends before hydration and causes no mismatch.
  const errors = hydrate(box, dl, state, <Three />);
  await expect.poll(() => box.textContent).toBe('three');
  expect(calls).toEqual(['ticket 3']);
  expect(errors).toEqual([]);
});

it('D-REACT-10 a hook with select hydrates with the state', async () => {
  const Length = (): ReactElement => (
    <p>{useItem('ticket', 1, null, { select: (data) => [titleOf(data).length] }).data.join()}</p>
  );
  const { state, box } = await page(<Length />);
  const { dl } = layer();
  hydrateLayer(dl, state);
  server['1'] = 'longer';
  await dl.applyDirectives([refresh(1)]);
  const errors = hydrate(box, dl, state, <Length />);
  expect(box.textContent).toBe('3');
  await expect.poll(() => box.textContent).toBe('6');
  expect(errors).toEqual([]);
});

it('D-REACT-10 a mounted boundary hydrates a new state, as when the user navigates to another page', async () => {
  const { state, box } = await page(both);
  let now = Date.now();
  const { dl, calls } = layer(() => now);
  const show = (next: DehydratedState | null): void =>
    roots.at(-1)?.render(
      <StrictMode>
        <DLProvider dl={dl}>
          <HydrationBoundary state={next}>{both}</HydrationBoundary>
        </DLProvider>
      </StrictMode>,
    );
  await dl.applyDirectives([refresh(2)]); // Its item is not cached yet, so it is refetched only when the first state is hydrated.
  const errors = hydrate(box, dl, state, both);
  await expect.poll(() => calls).toEqual(['ticket 2']);
  server['1'] = 'uno';
  now += 1; // The new state must have a later timestamp.
  const { dl: later } = layer(() => now);
  await later.prefetchItem('ticket', 1);
  show(dehydrate(later));
  await expect.poll(() => box.textContent).toBe('uno false2: uno,two');
  show(null);
  await expect.poll(() => box.textContent).toBe('uno false2: uno,two');
  await dl.whenSettled();
  expect(calls).toEqual(['ticket 2']);
  expect(errors).toEqual([]);
});

it('D-REACT-10 onChange listeners are called for a hydrated state after React has rendered it', async () => {
  const { state } = await page(both);
  const { dl } = layer();
  const errors: unknown[] = [];
  vi.spyOn(console, 'error').mockImplementation((...words) => void errors.push(words));
  function Held(): ReactElement {
    const [items, setItems] = useState(0);
    useEffect(() => dl.onChange(() => setItems(dl.state().memory.items)), []);
    return <i>{`${items} held, `}</i>;
  }
  const box = document.createElement('div');
  const root = createRoot(box);
  roots.push(root);
  const show = (next: DehydratedState | null): void =>
    root.render(
      <DLProvider dl={dl}>
        <Held />
        <HydrationBoundary state={next}>{next !== null && <List />}</HydrationBoundary>
      </DLProvider>,
    );
  show(null);
  await expect.poll(() => box.textContent).toBe('0 held, ');
  show(state);
  await expect.poll(() => box.textContent).toBe('2 held, 2: one,two');
  expect(errors).toEqual([]);
});

it('D-REACT-10 a list that was fetched before hydration replaces the list of the state', async () => {
  const { state, box } = await page(<List />);
  server['3'] = 'three';
  const { dl } = layer();
  dl.fetchCollection('tickets');
  await dl.whenSettled();
  const errors = hydrate(box, dl, state, <List />);
  expect(box.textContent).toBe('2: one,two');
  await expect.poll(() => box.textContent).toBe('3: one,two,three');
  expect(errors).toEqual([]);
});

it('D-REACT-10 the list of the state replaces a list whose fetch failed before hydration', async () => {
  const { state, box } = await page(<List />);
  const { dl } = layer();
  let fetches = 0;
  dl.createCollection('tickets', {
    stalenessMs: 600_000,
    fetch: async () => {
      fetches++;
      throw new Error('down');
    },
  });
  const ref = dl.fetchCollection('tickets');
  await dl.whenSettled();
  const errors = hydrate(box, dl, state, <List />);
  await expect.poll(() => ref.data.count).toBe(2);
  expect(ref.meta.error).toBeNull();
  await dl.whenSettled();
  expect(box.textContent).toBe('2: one,two');
  expect(fetches).toBe(1);
  expect(errors).toEqual([]);
});

it('D-REACT-10 a boundary that mounts later shows its state from the first render on', async () => {
  const shown: string[] = [];
  function Seen(): ReactElement {
    const { data, meta } = useItem('ticket', 1);
    const { count } = useCollection('tickets').data;
    const text = `${titleOf(data)} ${meta.isLoading} ${count}`;
    shown.push(text);
    return <p>{text}</p>;
  }
  const { state } = await page(both);
  const { dl, calls } = layer();
  mount(dl, state, <Seen />);
  await expect.poll(() => dl.devtools().items['ticket']?.['1']?.watchers).toBe(1);
  expect(new Set(shown)).toEqual(new Set(['one false 2']));
  expect(calls).toEqual([]);
});

it.each([
  ['a key', { key: 'k' }, undefined],
  ['an idempotency key', { idempotency_key: 'k' }, undefined],
  ['its own source, on the pull path', {}, 'pull' as const],
])(
  'D-REACT-10 a directive with %s that arrives before the state still applies to it',
  async (_title, more, path) => {
    const { state, box } = await page(<Row />);
    const { dl, calls } = layer();
    const source = path === 'pull' ? dl.clientId() : 'another';
    await dl.applyDirectives([{ ...refresh(1), ...more, source }], path === undefined ? {} : { path });
    server['1'] = 'uno';
    hydrate(box, dl, state, <Row />);
    await expect.poll(() => box.textContent).toBe('uno false');
    expect(calls).toEqual(['ticket 1']);
  },
);

it('D-REACT-10 a state that is older than a directive does not overwrite newer data on the screen', async () => {
  const { state } = await page(both);
  let later = 0;
  const { dl } = layer(() => Date.now() + later);
  const header = mount(dl, null, <Row />);
  await expect.poll(() => header.textContent).toBe('one false');
  server['1'] = 'changed';
  dl.ingestEnvelope({ type: 'directives', seq: 8, audience: 'global', directives: [refresh(1)] });
  await expect.poll(() => header.textContent).toBe('changed false');
  later = 60_000;
  const next = mount(dl, state, <i>the next page, which reads nothing of it</i>);
  await expect.poll(() => next.textContent).toContain('the next page');
  await expect.poll(() => dl.getCollectionRef('tickets').meta.lastFetched).not.toBeNull();
  expect(header.textContent).toBe('changed false');
  expect(dl.getItemRef('ticket', 1).data).toEqual({ title: 'changed' });
});

it('D-REACT-10 a state that is parsed again in every render does not overwrite data that was fetched since', async () => {
  const { state } = await page(<Row />);
  const text = JSON.stringify(state);
  let later = 0;
  const { dl, calls } = layer(() => Date.now() + later);
  const root = createRoot(document.createElement('div'));
  roots.push(root);
  const commits: number[] = [];
  const show = (times: number): void =>
    root.render(
      <DLProvider dl={dl}>
        <HydrationBoundary state={JSON.parse(text) as DehydratedState}>
          <Row />
          <i ref={() => void commits.push(times)} />
        </HydrationBoundary>
      </DLProvider>,
    );
  show(1);
  await expect.poll(() => commits).toContain(1);
  server['1'] = 'changed';
  dl.fetchItem('ticket', 1, null, { force: true });
  await dl.whenSettled();
  later = 60_000;
  show(2);
  await expect.poll(() => commits).toContain(2);
  expect(dl.getItemRef('ticket', 1).data).toEqual({ title: 'changed' });
  expect(calls).toEqual(['ticket 1']);
});

it('D-REACT-10 a state that waits for the commit does not overwrite data that was fetched since the render began', async () => {
  const { state } = await page(<Row />);
  let later = 0;
  const { dl } = layer(() => Date.now() + later);
  const header = mount(dl, null, <Row />); // It watches the item, so that part of the state waits for the commit.
  await expect.poll(() => header.textContent).toBe('one false');
  let arrive = (): void => undefined;
  const arrived = new Promise<void>((resolve) => (arrive = resolve));
  let renders = 0;
  function Waiting(): ReactElement {
    renders++;
    use(arrived);
    return <i>arrived</i>;
  }
  const box = document.createElement('div');
  const root = createRoot(box);
  roots.push(root);
  later = 1000;
  startTransition(() =>
    root.render(
      <DLProvider dl={dl}>
        <HydrationBoundary state={state}>
          <Waiting />
        </HydrationBoundary>
      </DLProvider>,
    ),
  );
  await expect.poll(() => renders).toBeGreaterThan(0);
  later = 2000;
  server['1'] = 'changed';
  dl.fetchItem('ticket', 1, null, { force: true });
  await expect.poll(() => header.textContent).toBe('changed false');
  later = 60_000;
  arrive();
  await expect.poll(() => box.textContent).toBe('arrived');
  expect(dl.getItemRef('ticket', 1).data).toEqual({ title: 'changed' });
});

it('D-REACT-10 a boundary without a state has no effect on its children', async () => {
  await page(both);
  const { dl, calls } = layer();
  const box = mount(dl, null, <Row />);
  await expect.poll(() => box.textContent).toBe('one false');
  expect(calls).toEqual(['ticket 1']);
});
