import { dehydrate, hydrate } from '@edict/core/hydration';
import { createDataLayer, type DataLayer } from '@edict/core';
import {
  DLProvider,
  HydrationBoundary,
  useCollection,
  useInfiniteCollection,
  useItem,
  useItems,
  useMutation,
  useSuspenseItem,
} from '@edict/react';
import { DLDevtools } from '@edict/react/devtools';
import { act, cleanup, render } from '@testing-library/react';
import * as React from 'react';
import { renderToString } from 'react-dom/server';
import { afterEach, expect, it, onTestFinished, vi } from 'vitest';

afterEach(() => cleanup());

const major = Number(process.env['REACT_MAJOR']);

interface Ticket {
  title: string;
}
const titleOf = (data: unknown): string => (data as Ticket | null)?.title ?? 'nothing'; // The fixtures' only item data.

function setup(): {
  dl: DataLayer;
  calls: string[];
  titles: Map<string, string>;
  show: (element: React.ReactElement) => ReturnType<typeof render>;
  settle: (work?: () => void) => Promise<void>;
} {
  const calls: string[] = [];
  const titles = new Map([
    ['1', 'one'],
    ['2', 'two'],
  ]);
  const dl = createDataLayer();
  dl.createType('ticket', {
    fetch: async (id) => {
      calls.push(`ticket ${id}`);
      return { title: titles.get(String(id)) };
    },
  });
  dl.createCollection('tickets', { fetch: async () => ({ ids: [...titles.keys()] }) });
  dl.createCollection('pages', {
    // The fixture's only params.
    fetch: async (params) => ({ ids: [`page ${(params as { page: number }).page}`] }),
  });
  dl.init({ sse: { enabled: false }, bulk: { delayMs: 0 } });
  return {
    dl,
    calls,
    titles,
    show: (element) => render(<DLProvider dl={dl}>{element}</DLProvider>),
    settle: (work) =>
      act(async () => {
        work?.();
        await Promise.resolve(); // A Suspense hook starts its request in a microtask.
        await dl.whenSettled();
      }) as Promise<void>, // Older types of `act` return only a thenable.
  };
}

const refresh = (id: number): object => ({ op: 'refresh_item', name: 'ticket', id });

it('D-REACT-11 the installed React has the major version of the test run', () => {
  expect(React.version.split('.')[0]).toBe(String(major));
});

it('D-REACT-11 an item loads, shows the change of a directive, and does not render for fields that were not read', async () => {
  const { dl, calls, titles, show, settle } = setup();
  let renders = 0;
  function Row(): React.ReactElement {
    renders++;
    return <p>{titleOf(useItem('ticket', 1).data)}</p>;
  }
  const { container, unmount } = show(<Row />);
  await settle();
  expect(container.textContent).toBe('one');
  const before = renders;
  await settle(() => void dl.applyDirectives([refresh(1)]));
  expect(renders).toBe(before);
  titles.set('1', 'changed');
  await settle(() => void dl.applyDirectives([refresh(1)]));
  expect(container.textContent).toBe('changed');
  expect(renders).toBe(before + 1);
  expect(calls).toHaveLength(3);
  unmount();
  expect(dl.devtools().items['ticket']?.['1']?.watchers).toBe(0);
});

it('D-REACT-11 a list shows its rows, and keepPrevious shows the selected data until the next item arrives', async () => {
  const { titles, show, settle } = setup();
  function List({ id }: { id: number }): React.ReactElement {
    const { data } = useCollection('tickets');
    const rows = useItems('ticket', data.ids);
    const kept = useItem('ticket', id, null, { keepPrevious: true, select: (ticket) => [titleOf(ticket)] });
    return (
      <p>{`${rows.map((row) => titleOf(row.data)).join()} ${kept.data.join()} ${kept.meta.isPrevious}`}</p>
    );
  }
  let turn = (_to: number): void => undefined;
  function Page(): React.ReactElement {
    const [id, setId] = React.useState(1);
    turn = setId;
    return <List id={id} />;
  }
  const { container } = show(<Page />);
  await settle();
  await settle();
  expect(container.textContent).toBe('one,two one false');
  titles.set('3', 'three');
  act(() => turn(3));
  expect(container.textContent).toBe('one,two one true');
  await settle();
  expect(container.textContent).toBe('one,two three false');
});

it('D-REACT-11 an infinite list grows by a page', async () => {
  const { show, settle } = setup();
  let more = (): void => undefined;
  function List(): React.ReactElement {
    const { data, fetchNextPage } = useInfiniteCollection('pages', {
      nextParams: (_, pages) => (pages.length < 2 ? { page: pages.length } : null),
    });
    more = fetchNextPage;
    return <p>{data.ids.join()}</p>;
  }
  const { container } = show(<List />);
  await settle();
  expect(container.textContent).toBe('page 0');
  await settle(() => more());
  expect(container.textContent).toBe('page 0,page 1');
});

it('D-REACT-11 the devtools show the cache', async () => {
  const { show, settle } = setup();
  const Row = (): React.ReactElement => <p>{titleOf(useItem('ticket', 1).data)}</p>;
  localStorage.setItem('edict-devtools', JSON.stringify({ tab: 'cache' }));
  show(
    <>
      <Row />
      <DLDevtools initialIsOpen />
    </>,
  );
  await settle();
  await vi.waitFor(() => {
    const rows = document.querySelector('edict-devtools')?.shadowRoot?.querySelectorAll('[role=option]');
    expect(Array.from(rows ?? [], (row) => row.textContent)).toEqual([
      expect.stringMatching(/^fresh.*ticket 1/),
    ]);
  }, 30_000);
});

it('D-REACT-11 StrictMode makes one request', async () => {
  const { calls, show, settle } = setup();
  const Row = (): React.ReactElement => <p>{titleOf(useItem('ticket', 2).data)}</p>;
  const { container } = show(
    <React.StrictMode>
      <Row />
    </React.StrictMode>,
  );
  await settle();
  expect(container.textContent).toBe('two');
  expect(calls).toEqual(['ticket 2']);
});

it('D-REACT-4 D-REACT-11 a hook shows the data of its last arguments after they changed during loads', async () => {
  const { calls, show, settle } = setup();
  function Row({ id, keepPrevious }: { id: number | null; keepPrevious: boolean }): React.ReactElement {
    const { data, meta } = useItem('ticket', id, null, { keepPrevious });
    return <p>{`${titleOf(data)} ${meta.isPrevious}`}</p>;
  }
  let turn = (_to: Parameters<typeof Row>[0]): void => undefined;
  function Page(): React.ReactElement {
    const [props, setProps] = React.useState({ id: 1 as number | null, keepPrevious: true });
    turn = setProps;
    return <Row {...props} />;
  }
  const { container } = show(
    <React.StrictMode>
      <Page />
    </React.StrictMode>,
  );
  await settle();
  act(() => turn({ id: 2, keepPrevious: true }));
  expect(container.textContent).toBe('one true');
  act(() => turn({ id: 2, keepPrevious: false }));
  expect(container.textContent).toBe('nothing false');
  act(() => turn({ id: null, keepPrevious: true }));
  act(() => turn({ id: 1, keepPrevious: true }));
  expect(container.textContent).toBe('one false');
  await settle(() => turn({ id: 2, keepPrevious: true }));
  expect(container.textContent).toBe('two false');
  expect(calls).toEqual(['ticket 1', 'ticket 2']);
});

it('D-REACT-3 D-REACT-11 a memoized child that first reads a field later shows its current value', async () => {
  const { dl, titles, show, settle } = setup();
  let open = (): void => undefined;
  const Detail = React.memo(({ row }: { row: ReturnType<typeof useItem> }) => {
    const [isOpen, setIsOpen] = React.useState(false);
    open = () => setIsOpen(true);
    return <p>{isOpen ? titleOf(row.data) : 'closed'}</p>;
  });
  const Row = (): React.ReactElement => <Detail row={useItem('ticket', 1)} />;
  const { container } = show(<Row />);
  await settle();
  titles.set('1', 'changed');
  await settle(() => void dl.applyDirectives([refresh(1)]));
  act(() => open());
  expect(container.textContent).toBe('changed');
  titles.set('1', 'changed again');
  await settle(() => void dl.applyDirectives([refresh(1)]));
  expect(container.textContent).toBe('changed again');
});

it('D-REACT-11 a removed item is gone until it is fetched again, and is fetched again after a reset', async () => {
  const { dl, calls, show, settle } = setup();
  function Row(): React.ReactElement {
    const { data, ...rest } = useItem('ticket', 1);
    return <p>{`${titleOf(data)} ${rest.isGone} ${rest.isPending}`}</p>;
  }
  const { container } = show(
    <React.StrictMode>
      <Row />
    </React.StrictMode>,
  );
  await settle();
  await settle(() => void dl.applyDirectives([{ ...refresh(1), result: null }]));
  expect(container.textContent).toBe('nothing true false');
  await settle(() => void dl.applyDirectives([refresh(1)]));
  expect(container.textContent).toBe('one false false');
  act(() => dl.reset());
  expect(container.textContent).toBe('nothing false true');
  await settle();
  expect(container.textContent).toBe('one false false');
  expect(calls).toHaveLength(3);
});

it('D-REACT-11 a mutation returns its output, and is not running after it ends', async () => {
  const { show, settle } = setup();
  let run = (): Promise<string> => Promise.reject(new Error('not rendered'));
  function Button(): React.ReactElement {
    const mutation = useMutation(async () => 'done');
    run = () => mutation.run();
    return <p>{String(mutation.isRunning)}</p>;
  }
  const { container } = show(<Button />);
  let output = '';
  await settle(() => void run().then((value) => (output = value)));
  await settle();
  expect(output).toBe('done');
  expect(container.textContent).toBe('false');
});

it.runIf(major >= 18)(
  'D-REACT-10 D-REACT-11 hydrates the markup of the server without errors after a directive has changed the item',
  async () => {
    const [server, client] = [setup(), setup()];
    await server.dl.prefetchItem('ticket', 1);
    const state = dehydrate(server.dl);
    const Row = (): React.ReactElement => <p>{titleOf(useItem('ticket', 1).data)}</p>;
    const page = (dl: DataLayer): React.ReactElement => (
      <DLProvider dl={dl}>
        <HydrationBoundary state={state}>
          <Row />
        </HydrationBoundary>
      </DLProvider>
    );
    const container = document.body.appendChild(document.createElement('div'));
    const said = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    onTestFinished(() => said.mockRestore());
    container.innerHTML = renderToString(page(server.dl));
    expect(container.textContent).toBe('one');
    said.mockClear(); // Up to React 18, a server render warns about layout effects if a document exists.
    client.titles.set('1', 'changed');
    hydrate(client.dl, state);
    await act(() => client.dl.applyDirectives([refresh(1)]));
    const { unmount } = render(page(client.dl), { container, hydrate: true });
    await client.settle();
    expect(container.textContent).toBe('changed');
    expect(client.calls).toEqual(['ticket 1']);
    expect(said.mock.calls).toEqual([]);
    unmount();
  },
);

it.runIf(major >= 18)('D-REACT-11 a Suspense hook shows the fallback until its item arrives', async () => {
  const { calls, show, settle } = setup();
  const Row = (): React.ReactElement => <p>{titleOf(useSuspenseItem('ticket', 1).data)}</p>;
  const { container } = show(
    <React.Suspense fallback="waiting">
      <Row />
    </React.Suspense>,
  );
  expect(container.textContent).toBe('waiting');
  await settle();
  expect(container.textContent).toBe('one');
  expect(calls).toEqual(['ticket 1']);
});

it.runIf(major >= 19).each(['item', 'mutation'])(
  'D-REACT-6 D-REACT-11 a component that was hidden shows the changes from that time: %s',
  async (what) => {
    const { dl, titles, show, settle } = setup();
    let hide = (_isHidden: boolean): void => undefined;
    let renderAgain = (): void => undefined;
    let run = (): Promise<void> => Promise.reject(new Error('not rendered'));
    let end = (): void => undefined;
    function Row(): React.ReactElement {
      const { data } = useItem('ticket', 1);
      const mutation = useMutation(() => new Promise<void>((resolve) => (end = resolve)));
      const [count, setCount] = React.useState(0);
      renderAgain = () => setCount(count + 1);
      run = () => mutation.run();
      return <p>{what === 'item' ? titleOf(data) : String(mutation.isRunning)}</p>;
    }
    const row = <Row />;
    function App(): React.ReactElement {
      const [isHidden, setIsHidden] = React.useState(false);
      hide = setIsHidden;
      return <React.Activity mode={isHidden ? 'hidden' : 'visible'}>{row}</React.Activity>;
    }
    const { container } = show(<App />);
    await settle();
    if (what === 'mutation') await settle(() => void run());
    // After a render that no store has caused, React before 19.3 does not compare the value of the store when the component becomes visible.
    await settle(() => renderAgain());
    await settle(() => hide(true));
    titles.set('1', 'new');
    end();
    await settle(() => void dl.applyDirectives([refresh(1)]));
    await settle(() => hide(false));
    expect(container.textContent).toBe(what === 'item' ? 'new' : 'false');
  },
);
