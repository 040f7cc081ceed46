/* oxlint-disable react/immutability, react/globals -- renders are counted, and setters are taken out of a component, on purpose */
import { DLProvider, useSuspenseCollection, useSuspenseItem } from '@edict/react';
import { act } from '@testing-library/react';
import { startTransition, StrictMode, Suspense, useEffect, useState, type ReactElement } from 'react';
import { createRoot } from 'react-dom/client';
import { expect, it, vi } from 'vitest';
import { refreshTicket, setup, type Ticket } from '../world.tsx';
import { mountWithReset, mount, Title, titleOf, WithReset } from './screen.tsx';

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

/** `shows` resolves with the title that an effect reports to `onShown` after `run`. */
function createReports() {
  let resolve = (_title: string): void => undefined;
  return {
    onShown: (title: string): void => resolve(title),
    shows: (run: () => void): Promise<string> =>
      new Promise((done) => {
        resolve = done;
        run();
      }),
  };
}

it('D-REACT-6 a retried render passes the same promise to React, so nothing is logged', async () => {
  const told = vi.spyOn(console, 'error');
  vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', false);
  const { dl } = setup();
  // Its responses arrive before React has suspended the render.
  dl.createType('quick', { fetch: (id) => Promise.resolve({ title: `quick ${id}` }) });
  const place = document.createElement('div');
  const root = createRoot(place);
  let choose = (_id: number): void => undefined;
  const { onShown, shows } = createReports();
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

it.each([0, 3, 6])(
  'D-REACT-6 a reset %d microtasks after the response never renders the component without data',
  async (microtasks) => {
    vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', false);
    const { dl } = setup();
    // The response arrives before React has suspended the render, and the reset before React retries.
    dl.createType('quick', { fetch: async () => ({ title: 'quick' }) });
    const stop = dl.onLifecycle('item:fetch:success', async () => {
      stop();
      for (let at = 0; at < microtasks; at++) await Promise.resolve();
      dl.reset();
    });
    const seen: unknown[] = [];
    let open = (): void => undefined;
    const { onShown, shows } = createReports();
    function Row(): ReactElement {
      const { data } = useSuspenseItem('quick', 1);
      seen.push(data);
      const title = titleOf(data);
      useEffect(() => onShown(title), [title]);
      return <p>{title}</p>;
    }
    function Screen(): ReactElement {
      const [isOpen, setOpen] = useState(false);
      open = () => startTransition(() => setOpen(true));
      useEffect(() => onShown('closed'), []);
      return <Suspense fallback="waiting">{isOpen && <Row />}</Suspense>;
    }
    const root = createRoot(document.createElement('div'));
    const app = (
      <DLProvider dl={dl}>
        <Screen />
      </DLProvider>
    );
    expect(await shows(() => root.render(app))).toBe('closed');
    expect(await shows(open)).toBe('quick');
    expect(seen).not.toContain(null);
    root.unmount();
    vi.unstubAllGlobals();
  },
);

it('D-REACT-7 select is called with loaded data only', async () => {
  const world = setup();
  const Row = (): ReactElement => (
    <p>
      {useSuspenseItem('ticket', 1, null, { select: (data) => titleOf(data).length }).data} of{' '}
      {useSuspenseCollection('tickets', { select: ({ ids }) => ids.join() }).data}
    </p>
  );
  const { text } = await mountWithReset(world, <Row />);
  await world.advance(20);
  await world.advance(20);
  expect(text()).toBe('8 of 1,2,3,4,5');
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
