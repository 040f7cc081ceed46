/* oxlint-disable react/immutability, react/globals, react/purity -- renders are counted and slowed down on purpose */
import { dehydrate, type DehydratedState } from '@edict/core/hydration';
import type { DataLayer, Id } from '@edict/core';
import {
  DLProvider,
  HydrationBoundary,
  useErrorReset,
  useSuspenseCollection,
  useSuspenseItem,
} from '@edict/react';
import { act, render } from '@testing-library/react';
import {
  Component,
  startTransition,
  StrictMode,
  Suspense,
  use,
  useEffect,
  useState,
  type ReactElement,
  type ReactNode,
} from 'react';
import { createRoot } from 'react-dom/client';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { refreshTicket, setup, type Ticket, type World } from './world.tsx';

const titleOf = (data: unknown): string => (data as Ticket).title; // The fixtures' only item data; never null here.

/** An error boundary with a button that resets it. */
class Boundary extends Component<{ children: ReactNode; onReset: () => void }, { error: unknown }> {
  override state: { error: unknown } = { error: null };
  static getDerivedStateFromError(error: unknown): { error: unknown } {
    return { error };
  }
  override render(): ReactNode {
    const { error } = this.state;
    if (error === null) return this.props.children;
    return (
      <button
        type="button"
        onClick={() => {
          this.props.onReset();
          this.setState({ error: null });
        }}
      >
        {error instanceof Error ? error.message : 'no error at all'}
      </button>
    );
  }
}

function WithReset({ children }: { children: ReactNode }): ReactElement {
  return (
    <Boundary onReset={useErrorReset()}>
      <Suspense fallback="waiting">{children}</Suspense>
    </Boundary>
  );
}

/** Renders in an awaited `act`, because React retries suspended components only then. */
const mount = async (
  { wrapper }: World,
  element: ReactElement,
): Promise<{
  text: () => string;
  rerender: (next: ReactElement) => void;
  click: () => Promise<void>;
  unmount: () => void;
}> => {
  const view = await act(async () => render(element, { wrapper }));
  return {
    text: () => view.container.textContent ?? '',
    rerender: view.rerender,
    unmount: view.unmount,
    click: () => act(async () => view.container.querySelector('button')?.click()),
  };
};

const mountWithReset = (world: World, element: ReactElement): ReturnType<typeof mount> =>
  mount(world, <WithReset>{element}</WithReset>);

/** Shows the title of an item at a level. */
const Title = ({
  type = 'ticket',
  id = 1,
  level,
}: {
  type?: string;
  id?: Id;
  level?: string | undefined;
}): ReactElement => <p>{titleOf(useSuspenseItem(type, id, level).data)}</p>;

// React reports each error that a boundary catches.
beforeEach(() => void vi.spyOn(console, 'error').mockImplementation(() => undefined));
afterEach(() => void vi.restoreAllMocks());

it('D-REACT-6 suspends until the level is cached, with one request and no render loop', async () => {
  const world = setup();
  const { advance, calls } = world;
  let renders = 0;
  function Row(): ReactElement {
    renders++;
    return <p>{titleOf(useSuspenseItem('ticket', 1).data)}</p>;
  }
  const { text } = await mount(
    world,
    <StrictMode>
      <WithReset>
        <Row />
        <Row />
      </WithReset>
    </StrictMode>,
  );
  expect(text()).toBe('waiting');
  await advance(10);
  expect(text()).toBe('ticket 1ticket 1');
  await advance(1000);
  expect(calls).toEqual(['ticket 1 default']);
  expect(renders).toBeLessThan(20);
});

it('D-REACT-6 starts its request even when fake timers replace queueMicrotask', async () => {
  const world = setup();
  vi.useFakeTimers({ toFake: ['queueMicrotask'] });
  try {
    const { text } = await mountWithReset(world, <Title />);
    await world.advance(10);
    expect(text()).toBe('ticket 1');
  } finally {
    vi.useRealTimers();
  }
});

it('D-REACT-6 a refetch keeps the data on the screen and neither suspends nor throws', async () => {
  const world = setup();
  const { advance, push, failing, setTitle, dl } = world;
  const { text } = await mountWithReset(world, <Title />);
  await advance(10);
  void dl.applyDirectives([refreshTicket(1)]);
  await advance(55);
  expect(dl.isItemLoading('ticket', 1)).toBe(true);
  expect(text()).toBe('ticket 1');
  await advance(10);
  failing.add('1');
  await push(refreshTicket(1));
  expect(dl.getItemRef('ticket', 1).meta.error).toBe('1 failed');
  expect(text()).toBe('ticket 1');
  failing.clear();
  setTitle(1, 'back');
  await push(refreshTicket(1));
  expect(text()).toBe('back');
});

it('D-REACT-6 starts its request outside of the render, so a listener may set state', async () => {
  const world = setup();
  const { dl, advance } = world;
  const errors = vi.spyOn(console, 'error');
  function Log(): ReactElement {
    const [count, setCount] = useState(0);
    const [stop] = useState(() => dl.onLifecycle('*', () => setCount((n) => n + 1)));
    void stop;
    return <i>{count}</i>;
  }
  await mount(
    world,
    <>
      <Log />
      <Suspense fallback="">
        <Title />
      </Suspense>
    </>,
  );
  await advance(10);
  expect(errors.mock.calls.filter(([first]) => String(first).includes('Cannot update a component'))).toEqual(
    [],
  );
});

it('D-REACT-6 the boundary gets the error while there is no data, and its reset requests the data again', async () => {
  const world = setup();
  const { advance, failing, calls } = world;
  failing.add('1');
  const { text, click } = await mountWithReset(world, <Title />);
  await advance(10);
  expect(text()).toBe('1 failed');
  expect(calls).toHaveLength(1);
  await click();
  await advance(10);
  expect(text()).toBe('1 failed');
  expect(calls).toHaveLength(2);
  failing.clear();
  await click();
  expect(text()).toBe('waiting');
  await advance(10);
  expect(text()).toBe('ticket 1');
  expect(calls).toHaveLength(3);
});

it('D-REACT-6 the boundary gets the error of a level while another level of the item is in flight', async () => {
  const world = setup();
  const { dl, sim, advance } = world;
  let isUp = false;
  dl.createType('file', {
    fetch: async (id) => {
      await sim.sleep(1000);
      return { id, title: 'slow' };
    },
    levels: {
      preview: {
        fetch: async (id) => {
          await sim.sleep(10);
          if (!isUp) throw new Error('no preview');
          return { id, title: 'preview' };
        },
      },
    },
  });
  void dl.fetchItem('file', 1);
  const { text, click } = await mountWithReset(world, <Title type="file" level="preview" />);
  await advance(20);
  expect(text()).toBe('no preview');
  isUp = true;
  await click();
  expect(text()).toBe('waiting');
  await advance(20);
  expect(text()).toBe('preview');
  expect(dl.isItemLoading('file', 1)).toBe(true);
});

it('D-REACT-6 the boundary gets the error object of the fetch, and its reset requests every failed entry', async () => {
  const world = setup();
  const { advance, failing, calls, dl } = world;
  for (const key of ['1', '2', '{"status":"open"}', '{"status":"closed"}']) failing.add(key);
  const caught: unknown[] = [];
  class Catch extends Boundary {
    override componentDidCatch(error: unknown): void {
      caught.push(error);
    }
  }
  const List = ({ status }: { status: string }): ReactElement => (
    <p>{useSuspenseCollection('tickets', { params: { status } }).data.count}</p>
  );
  const Reset = (): ReactElement => <button type="button" onClick={useErrorReset()} />;
  const Part = ({ children }: { children: ReactNode }): ReactElement => (
    <Catch onReset={() => undefined}>
      <Suspense fallback="…">{children}</Suspense>
    </Catch>
  );
  const { click } = await mount(
    world,
    <>
      <Reset />
      <Part>
        <Title id={1} />
      </Part>
      <Part>
        <Title id={2} />
      </Part>
      <Part>
        <List status="open" />
      </Part>
      <Part>
        <List status="closed" />
      </Part>
    </>,
  );
  await advance(10);
  expect(new Set(caught)).toContain(dl.getItemRef('ticket', 1).meta.cause);
  expect(new Set(caught)).toContain(
    dl.getCollectionRef('tickets', { params: { status: 'open' } }).meta.cause,
  );
  const asked = calls.splice(0).sort();
  expect(asked).toHaveLength(4);
  await click();
  await advance(10);
  expect(calls.sort()).toEqual(asked);
});

it('D-REACT-6 one reset requests all entries that failed below a boundary, not only the one that it shows', async () => {
  const world = setup();
  const { advance, failing, calls } = world;
  const ids = [1, 2, 3, 4, 5];
  for (const id of ids) failing.add(String(id));
  const Row = ({ id }: { id: number }): ReactElement => <>{titleOf(useSuspenseItem('ticket', id).data)};</>;
  const { text, click } = await mountWithReset(
    world,
    <>
      {ids.map((id) => (
        <Row key={id} id={id} />
      ))}
    </>,
  );
  await advance(10);
  expect(text()).toBe('1 failed');
  expect(calls.splice(0)).toHaveLength(5);
  failing.clear();
  await click();
  expect(text()).toBe('waiting');
  await advance(10);
  expect(text()).toBe(ids.map((id) => `ticket ${id};`).join(''));
  expect(calls).toHaveLength(5);
});

it('D-REACT-6 a reset requests only entries that are still failed and skips an unregistered level', async () => {
  const world = setup();
  const { advance, failing, calls, push } = world;

  for (const id of ['1', '2']) failing.add(id);
  const Row = ({ id, level }: { id: number; level?: string | undefined }): ReactElement => (
    <Boundary onReset={() => undefined}>
      <Suspense fallback="…">
        <Title id={id} level={level} />
      </Suspense>
    </Boundary>
  );
  let reset = (): void => undefined;
  function Reset(): null {
    reset = useErrorReset();
    return null;
  }
  await mount(
    world,
    <>
      <Reset />
      <Row id={3} level="unregistered" />
      <Row id={1} />
      <Row id={2} />
    </>,
  );
  await advance(10);
  failing.clear();
  await push({ op: 'refresh_item', name: 'ticket', id: 1 });
  calls.length = 0;
  await act(async () => reset());
  await advance(10);
  expect(calls).toEqual(['ticket 2 default']);
});

it('D-MEM-1 D-REACT-6 a reset does not request failed entries that were evicted', async () => {
  const world = setup({ memory: { itemEntryTtlMs: 100, pruneIntervalMs: 20 } });
  const { advance, failing, calls } = world;
  let reset = (): void => undefined;
  function Page({ id }: { id: number }): ReactElement {
    reset = useErrorReset();
    return (
      <Boundary key={id} onReset={reset}>
        <Suspense fallback="waiting">
          <Title id={id} />
        </Suspense>
      </Boundary>
    );
  }
  failing.add('1').add('2');
  const { rerender, text, click } = await mount(world, <Page id={1} />);
  await advance(10);
  expect(text()).toBe('1 failed');
  await act(async () => rerender(<Page id={2} />));
  await advance(10);
  await advance(300); // Neither entry is watched, so both are evicted, the second while its error is on the screen.
  calls.length = 0;
  await act(async () => reset());
  expect(calls).toEqual([]);
  failing.clear();
  await click(); // The render requests the entry that is still shown.
  await advance(10);
  expect(text()).toBe('ticket 2');
  expect(calls).toEqual(['ticket 2 default']);
});

it('D-REACT-6 a reset requests only the last five hundred entries that failed', async () => {
  const world = setup({ memory: { enabled: false } });
  const { advance, failing, calls, dl } = world;
  let reset = (): void => undefined;
  function Page({ from }: { from: number }): ReactElement[] {
    reset = useErrorReset();
    return Array.from({ length: 150 }, (_, at) => (
      <Boundary key={from + at} onReset={reset}>
        <Title id={from + at} />
      </Boundary>
    ));
  }
  for (let id = 1; id <= 600; id++) {
    failing.add(String(id));
    dl.fetchItem('ticket', id);
  }
  await advance(10);
  const { rerender } = await mount(world, <Page from={1} />);
  for (const from of [151, 301, 451]) await act(async () => rerender(<Page from={from} />));
  calls.length = 0;
  await act(async () => reset());
  expect(calls).toHaveLength(500);
  expect(calls).not.toContain('ticket 100 default');
  expect(calls).toContain('ticket 101 default');
  await advance(10);
});

it('D-MEM-1 D-REACT-6 an entry that is evicted between its response and the mount is fetched again and watched', async () => {
  const world = setup({ memory: { itemEntryTtlMs: 100, pruneIntervalMs: 20 } });
  const { advance, setTitle, push } = world;
  let open = (): void => undefined;
  const gate = new Promise<void>((resolve) => (open = resolve));
  let go = (_id: number): void => undefined;
  function Slow({ id }: { id: number }): null {
    if (id === 2) use(gate);
    return null;
  }
  function App(): ReactElement {
    const [id, setId] = useState(1);
    go = setId;
    return (
      <>
        <p>{titleOf(useSuspenseItem('ticket', id).data)}</p>
        <Slow id={id} />
      </>
    );
  }
  const { text } = await mount(
    world,
    <Suspense fallback="waiting">
      <App />
    </Suspense>,
  );
  await advance(20);
  await act(async () => startTransition(() => go(2)));
  await advance(500);
  await act(async () => open());
  await advance(20);
  expect(text()).toBe('ticket 2');
  setTitle(2, 'changed');
  await push(refreshTicket(2));
  expect(text()).toBe('changed');
});

it('D-REACT-6 reads once, however often it renders while it is suspended', async () => {
  const world = setup();
  const { dl, advance } = world;
  const skipped = vi.fn();
  dl.onLifecycle('item:fetch:skip', skipped);
  const screen = (): ReactElement => (
    <WithReset>
      <Title />
    </WithReset>
  );
  const { rerender, text } = await mount(world, screen());
  rerender(screen());
  await advance(5);
  rerender(screen());
  await advance(5);
  expect(text()).toBe('ticket 1');
  expect(skipped).not.toHaveBeenCalled();
});

it.each([null, undefined])(
  'D-REACT-6 the boundary gets an error even when the fetch throws %s',
  async (thrown) => {
    const world = setup();
    // oxlint-disable-next-line typescript/prefer-promise-reject-errors -- what an application may do
    world.dl.createType('odd', { fetch: () => Promise.reject(thrown) });
    const { text } = await mountWithReset(world, <Title type="odd" />);
    await world.advance(10);
    expect(text()).toBe(world.dl.getItemRef('odd', 1).meta.error);
  },
);

it.each([null, undefined])('D-REACT-6 throws for the id %s instead of suspending forever', async (id) => {
  const Row = (): ReactElement => <p>{titleOf(useSuspenseItem('ticket', id as never).data)}</p>;
  const { text } = await mountWithReset(setup(), <Row />);
  expect(text()).toBe(
    '[edict] useSuspenseItem("ticket"): there is no id. Render the component only if there is one.',
  );
});

it('D-REACT-6 throws the error of an entry that failed before immediately, without a request until the reset', async () => {
  const world = setup();
  const { advance, failing, calls, dl, sim } = world;
  failing.add('{}');
  dl.fetchCollection('tickets');
  await sim.settled();
  const List = (): ReactElement => <p>{useSuspenseCollection('tickets').data.count}</p>;
  const { text, click } = await mountWithReset(world, <List />);
  await advance(100);
  expect(text()).toBe('{} failed');
  expect(calls).toHaveLength(1);
  failing.clear();
  await click();
  await advance(10);
  expect(text()).toBe('5');
});

it('D-REACT-6 a level throws its own error, not the error of another level', async () => {
  const world = setup();
  const { failing, dl, sim } = world;
  failing.add('1 full').add('1');
  dl.fetchItem('ticket', 1, 'full');
  await sim.settled();
  dl.fetchItem('ticket', 1);
  await sim.settled();
  const { text } = await mountWithReset(world, <Title level="full" />);
  expect(text()).toBe('1 full failed');
});

it('D-REACT-6 a level throws its own error even when another level failed with the same message', async () => {
  const world = setup();
  const { dl, sim } = world;
  const refusal = (status: number): Error => Object.assign(new Error('refused'), { status });
  const causes = { full: refusal(404), default: refusal(500) };
  dl.createType('page', {
    fetch: () => Promise.reject(causes.default),
    levels: { full: { fetch: () => Promise.reject(causes.full) } },
  });
  dl.fetchItem('page', 1, 'full');
  await sim.settled();
  dl.fetchItem('page', 1);
  await sim.settled();
  const caught: unknown[] = [];
  class Catch extends Component<{ children: ReactNode }, { hasFailed: boolean }> {
    override state = { hasFailed: false };
    static getDerivedStateFromError(): { hasFailed: boolean } {
      return { hasFailed: true };
    }
    override componentDidCatch(error: unknown): void {
      caught.push(error);
    }
    override render(): ReactNode {
      return this.state.hasFailed ? null : this.props.children;
    }
  }
  const Row = (): ReactElement => <p>{String(useSuspenseItem('page', 1, 'full').data)}</p>;
  await mount(
    world,
    <Catch>
      <Row />
    </Catch>,
  );
  expect(caught).toEqual([causes.full]);
  expect(caught[0]).toBe(causes.full);
});

it('D-REACT-6 D-LEVEL-4 a level that another cached level satisfies does not wait for a refetch of that level', async () => {
  const world = setup();
  const { dl, sim, advance } = world;
  let fullMs = 10;
  dl.createType('page', {
    fetch: async (id) => ({ id }),
    levels: {
      full: {
        fetch: async (id) => {
          await sim.sleep(fullMs);
          return { id, title: 'one', body: 'two' };
        },
      },
      short: {
        fetch: async (id) => ({ id, title: 'one' }),
        checkIfExists: (data) => typeof data === 'object' && data !== null && 'title' in data,
      },
    },
  });
  dl.fetchItem('page', 1, 'full');
  await advance(10);
  fullMs = 20_000;
  dl.fetchItem('page', 1, 'full', { force: true });
  const { text } = await mountWithReset(world, <Title type="page" level="short" />);
  expect(text()).toBe('one');
});

/** Returns the dehydrated state of a server after `read`. */
async function stateOf(read: (dl: DataLayer) => void): Promise<DehydratedState> {
  const { dl, sim } = setup();
  read(dl);
  await sim.settled();
  return JSON.parse(JSON.stringify(dehydrate(dl)));
}

it('D-REACT-10 D-REACT-6 a level from the state of a later page is not fetched, even when the item was cached before', async () => {
  const state = await stateOf((dl) => dl.fetchItem('ticket', 1, 'full'));
  const world = setup();
  const { dl, calls, advance } = world;
  dl.fetchItem('ticket', 1);
  await advance(10);
  calls.length = 0;
  const Row = (): ReactElement => <p>{(useSuspenseItem('ticket', 1, 'full').data as Ticket).body}</p>;
  const { text } = await mount(
    world,
    <Suspense fallback="waiting">
      <HydrationBoundary state={state}>
        <Row />
      </HydrationBoundary>
    </Suspense>,
  );
  expect(text()).toBe('body 1');
  await advance(50);
  expect(calls).toEqual([]);
});

it.each<[where: string, wrap: (inner: ReactElement, state: DehydratedState) => ReactElement]>([
  [
    'around the boundary',
    (inner, state) => (
      <WithReset>
        <HydrationBoundary state={state}>{inner}</HydrationBoundary>
      </WithReset>
    ),
  ],
  [
    'inside the boundary',
    (inner, state) => (
      <HydrationBoundary state={state}>
        <WithReset>{inner}</WithReset>
      </HydrationBoundary>
    ),
  ],
  [
    'inside two boundaries',
    (inner, state) => (
      <HydrationBoundary state={state}>
        <HydrationBoundary state={{ v: 1, items: [], collections: [], cursors: [] }}>
          <WithReset>{inner}</WithReset>
        </HydrationBoundary>
      </HydrationBoundary>
    ),
  ],
])(
  'D-REACT-10 D-REACT-6 the state of a later page replaces an earlier error: Suspense %s',
  async (_where, wrap) => {
    const state = await stateOf((dl) => dl.fetchCollection('tickets'));
    const world = setup();
    const { dl, sim, calls, failing } = world;
    failing.add('{}');
    dl.fetchCollection('tickets');
    await sim.settled();
    calls.length = 0;
    const List = (): ReactElement => <p>{useSuspenseCollection('tickets').data.ids.join()}</p>;
    const { text } = await mount(world, wrap(<List />, state));
    expect(text()).toBe('1,2,3,4,5');
    expect(calls).toEqual([]);
  },
);

it('D-REG-1 an unregistered level throws to the boundary instead of suspending forever', async () => {
  const world = setup();
  const { text } = await mountWithReset(world, <Title level="nobody" />);
  await world.advance(10);
  expect(text()).toMatch(/nobody/);
});

it('D-REG-1 D-REACT-6 a level that is registered before the reset is fetched', async () => {
  const world = setup();
  const { text, click } = await mountWithReset(world, <Title level="late" />);
  expect(text()).toMatch(/late/);
  world.dl.createType('ticket', {
    fetch: () => ({ title: 'default' }),
    levels: { late: { fetch: async () => ({ title: 'late after all' }) } },
  });
  await click();
  await world.advance(10);
  expect(text()).toBe('late after all');
});

it('D-REACT-6 stays suspended when a failed entry is requested again before React renders', async () => {
  const world = setup();
  const { sim, dl, failing } = world;
  failing.add('1');
  const { text } = await mountWithReset(world, <Title />);
  await act(async () => {
    await sim.advance(10);
    expect(dl.getItemRef('ticket', 1).meta.error).toBe('1 failed');
    failing.clear();
    dl.fetchItem('ticket', 1, null, { force: true });
  });
  expect(text()).toBe('waiting');
  await world.advance(10);
  expect(text()).toBe('ticket 1');
});

it('D-FETCH-8 throws an error when the data layer is disposed while it is suspended', async () => {
  const world = setup();
  const { text } = await mountWithReset(world, <Title />);
  await act(async () => world.dl.dispose());
  await world.advance(10);
  expect(text()).toMatch(/disposed|aborted/);
});

it('D-REACT-6 new arguments in a transition keep the old screen until their data arrives', async () => {
  const world = setup();
  const { advance } = world;
  let show = (_id: number): void => undefined;
  function Page(): ReactElement {
    const [id, setId] = useState(1);
    show = (next) => startTransition(() => setId(next));
    return <Title id={id} />;
  }
  const { text } = await mountWithReset(world, <Page />);
  await advance(10);
  await act(async () => show(2));
  expect(text()).toBe('ticket 1');
  await advance(10);
  expect(text()).toBe('ticket 2');
});

it('D-REACT-6 items in Suspense boundaries of their own are requested in parallel, once each', async () => {
  const world = setup();
  const { advance, calls } = world;
  function List(): ReactElement {
    const { data } = useSuspenseCollection('tickets', { params: { status: 'open' } });
    return (
      <>
        {data.ids.map((id) => (
          <Suspense key={id} fallback="…">
            <Title id={id} />
          </Suspense>
        ))}
      </>
    );
  }
  const { text } = await mountWithReset(world, <List />);
  await advance(10);
  expect(calls).toEqual([
    'tickets {"status":"open"}',
    'ticket 1 default',
    'ticket 3 default',
    'ticket 5 default',
  ]);
  await advance(10);
  expect(text()).toBe('ticket 1ticket 3ticket 5');
});

it('D-FETCH-2 a steady stream of directives does not keep it suspended', async () => {
  const world = setup({ bulk: { delayMs: 2 } });
  const { advance, dl } = world;
  const { text } = await mountWithReset(world, <Title />);
  for (let at = 0; at < 12; at++) {
    void dl.applyDirectives([refreshTicket(1)]);
    await advance(3);
  }
  expect(dl.getItemRef('ticket', 1).meta.isLoading).toBe(true);
  expect(text()).toBe('ticket 1');
});

it('D-REACT-7 select is called with loaded data only', async () => {
  const world = setup();
  const Row = (): ReactElement => (
    <p>{useSuspenseItem('ticket', 1, null, { select: (data) => titleOf(data).length }).data}</p>
  );
  const { text } = await mountWithReset(world, <Row />);
  await world.advance(10);
  expect(text()).toBe('8');
});

it('D-REACT-6 D-REACT-7 a select for loaded data hides neither the fallback after a reset nor a GoneError', async () => {
  const world = setup();
  const Row = (): ReactElement => (
    <p>{useSuspenseItem('ticket', 1, null, { select: (data) => (data as Ticket).title }).data}</p>
  );
  const { text } = await mountWithReset(world, <Row />);
  await world.advance(10);
  expect(text()).toBe('ticket 1');
  world.setTitle(1, 'another');
  await act(async () => world.dl.reset());
  await world.advance(10);
  expect(text()).toBe('another');
  await world.push(refreshTicket(1, { result: null }));
  expect(text()).toBe('[edict] ticket 1 does not exist.');
});

it('D-REACT-11 shows the data in a test that renders without awaiting', async () => {
  const world = setup();
  const Row = (): ReactElement => (
    <p>
      {titleOf(useSuspenseItem('ticket', 1).data)}, {useSuspenseCollection('tickets').data.count} in all
    </p>
  );
  const { container } = world.show(
    <WithReset>
      <Row />
    </WithReset>,
  );
  expect(container.textContent).toBe('waiting');
  await world.advance(20);
  await world.advance(20); // The list is requested after the ticket has arrived.
  expect(container.textContent).toMatch(/^ticket 1, \d+ in all$/);
});

/** A type whose responses are stale immediately, so every separate read is a request. */
function registerHasty({ dl, sim }: World): () => number {
  let requests = 0;
  dl.createType('hasty', {
    stalenessMs: 0,
    fetch: async () => {
      requests++;
      await sim.sleep(10);
      return { title: `answer ${requests}` };
    },
  });
  return () => requests;
}

it('D-REACT-6 the mount after a suspension is not another read, even when the response is already stale', async () => {
  const world = setup();
  const requests = registerHasty(world);
  await world.advance(60_000); // A page that has been open for a while.
  const rows = (
    <StrictMode>
      <WithReset>
        <Title type="hasty" />
        <Title type="hasty" />
      </WithReset>
    </StrictMode>
  );
  const first = await mount(world, rows);
  await world.advance(10);
  expect(first.text()).toBe('answer 1answer 1');
  await world.advance(1000);
  expect(requests()).toBe(1);
  first.unmount();
  // A later mount is another read.
  const second = await mountWithReset(world, <Title type="hasty" />);
  expect(second.text()).toBe('answer 1');
  await world.advance(10);
  expect(second.text()).toBe('answer 2');
  expect(requests()).toBe(2);
});

it('D-REACT-6 a component that mounts long after another one unmounted while suspended reads again', async () => {
  const world = setup();
  const requests = registerHasty(world);
  const first = await mountWithReset(world, <Title type="hasty" />);
  expect(first.text()).toBe('waiting');
  first.unmount();
  await world.advance(60_000);
  await mountWithReset(world, <Title type="hasty" />);
  expect(requests()).toBe(2);
});

it('D-REACT-6 D-FETCH-9 a mount refetches an entry that a directive marked stale after the response', async () => {
  const world = setup();
  const { sim, dl, calls } = world;
  dl.createType('slow', {
    fetch: async (id) => {
      await sim.sleep(200);
      return { id, title: 'slow' };
    },
  });
  const Row = ({ type }: { type: string }): ReactElement => (
    <p>{`${titleOf(useSuspenseItem(type, 1).data)} `}</p>
  );
  const { text } = await mount(
    world,
    <StrictMode>
      <WithReset>
        <Row type="ticket" />
        <Row type="slow" />
      </WithReset>
    </StrictMode>,
  );
  await world.advance(20);
  world.setTitle(1, 'renamed');
  // The ticket has arrived, but the slow row delays the mount. The ticket is not watched, so `invalidate` does not fetch it.
  await world.push({ op: 'invalidate', kind: 'item', name: 'ticket', id: 1 });
  expect(text()).toBe('ticket 1 slow ');
  await world.advance(20);
  expect(text()).toBe('renamed slow ');
  expect(calls).toEqual(['ticket 1 default', 'ticket 1 default']);
});

it('D-REACT-6 a retried render passes the same promise to React, so nothing is logged', async () => {
  const told = vi.spyOn(console, 'error');
  vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', false);
  const { dl } = setup();
  // Its responses arrive before React has suspended the render.
  dl.createType('quick', { fetch: (id) => Promise.resolve({ title: `quick ${id}` }) });
  const place = document.createElement('div');
  const root = createRoot(place);
  let choose = (_id: number): void => undefined;
  let onShown = (_title: string): void => undefined;
  function Row({ id }: { id: number }): ReactElement {
    const title = titleOf(useSuspenseItem('quick', id).data);
    useEffect(() => onShown(title), [title]);
    return <p>{title}</p>;
  }
  function Screen(): ReactElement {
    const [id, setId] = useState(1);
    choose = setId;
    return (
      <Suspense fallback="waiting">
        <Row id={id} />
      </Suspense>
    );
  }
  const shows = (run: () => void): Promise<string> =>
    new Promise((done) => {
      onShown = done;
      run();
    });
  const app = (
    <DLProvider dl={dl}>
      <Screen />
    </DLProvider>
  );
  expect(await shows(() => root.render(app))).toBe('quick 1');
  expect(await shows(() => startTransition(() => choose(2)))).toBe('quick 2');
  expect(place.textContent).toBe('quick 2');
  expect(told.mock.calls).toEqual([]);
  root.unmount();
  vi.unstubAllGlobals();
});

it.each(['a component that mounts', 'a component whose level changes'])(
  'D-REACT-3 data that a directive marked stale during the suspension is stale in the first render: %s',
  async (which) => {
    const world = setup();
    const { advance, dl } = world;
    const seen: string[] = [];
    function Row({ level }: { level: 'default' | 'full' }): ReactElement {
      const { data, meta } = useSuspenseItem('ticket', 1, level);
      seen.push(`${level} ${meta.isStale ? 'stale' : 'fresh'} ${titleOf(data)}`);
      return <p>{titleOf(data)}</p>;
    }
    const page = (level: 'default' | 'full'): ReactElement => (
      <Suspense fallback="waiting">
        <Row level={level} />
      </Suspense>
    );
    const isFirst = which === 'a component that mounts';
    const { rerender } = await mount(world, page(isFirst ? 'full' : 'default'));
    if (!isFirst) {
      await advance(1000);
      seen.length = 0;
      await act(async () => rerender(page('full')));
    }
    await advance(5);
    await act(async () => void dl.applyDirectives([refreshTicket(1)]));
    await advance(5);
    expect(seen[0]).toMatch(/^full stale/);
  },
);
