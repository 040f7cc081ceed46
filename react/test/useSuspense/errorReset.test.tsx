/* oxlint-disable react/immutability, react/globals -- a test takes the reset out of a component */
import { DLProvider, useErrorReset, useSuspenseCollection } from '@edict/react';
import { act, render } from '@testing-library/react';
import { Suspense, type ComponentProps, type ReactElement } from 'react';
import { expect, it } from 'vitest';
import { refreshTicket, setup, type World } from '../world.tsx';
import { Boundary, mount, mountWithReset, Title, WithReset } from './screen.tsx';

/** A part of a page with its own boundaries. */
const Part = ({ children, onCatch }: ComponentProps<typeof Boundary>): ReactElement => (
  <Boundary onCatch={onCatch}>
    <Suspense fallback="…">{children}</Suspense>
  </Boundary>
);

const Reset = (): ReactElement => <button type="button" onClick={useErrorReset()} />;

it('D-REACT-6 the boundary gets the error object of the fetch, and its reset requests every failed entry', async () => {
  const world = setup();
  const { advance, failing, calls, dl } = world;
  for (const key of ['1', '1 full', '2', 'people', '{"status":"open"}', '{"status":"closed"}'])
    failing.add(key);
  dl.createCollection('others', {
    fetch: async () => {
      calls.push('others');
      throw new Error('others failed');
    },
  });
  const caught: unknown[] = [];
  const List = ({ name = 'tickets', status }: { name?: string; status: string }): ReactElement => (
    <p>{useSuspenseCollection(name, { params: { status } }).data.count}</p>
  );
  const note = (error: unknown): void => void caught.push(error);
  const { click } = await mount(
    world,
    <>
      <Reset />
      <Part onCatch={note}>
        <Title id={1} />
      </Part>
      <Part onCatch={note}>
        <Title id="1" />
      </Part>
      <Part onCatch={note}>
        <Title id={1} level="full" />
      </Part>
      <Part onCatch={note}>
        <Title id={2} />
      </Part>
      <Part onCatch={note}>
        <Title type="person" id={1} />
      </Part>
      <Part onCatch={note}>
        <List name="others" status="open" />
      </Part>
      <Part onCatch={note}>
        <List status="open" />
      </Part>
      <Part onCatch={note}>
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
  expect(asked).toHaveLength(7);
  await click();
  await advance(10);
  expect(calls.sort()).toEqual(asked);
});

it('D-REACT-6 one reset requests all entries that failed below a boundary, not only the one that it shows', async () => {
  const world = setup();
  const { advance, failing, calls } = world;
  const ids = [1, 2, 3, 4, 5];
  for (const id of ids) failing.add(String(id));
  const { text, click } = await mountWithReset(
    world,
    <>
      {ids.map((id) => (
        <Title key={id} id={id} />
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
  expect(text()).toBe(ids.map((id) => `ticket ${id}`).join(''));
  expect(calls).toHaveLength(5);
});

it('D-REACT-6 a reset requests only entries that are still failed and skips an unregistered level', async () => {
  const world = setup();
  const { advance, failing, calls, push } = world;
  failing.add('1').add('2');
  const { click } = await mount(
    world,
    <>
      <Reset />
      <Part>
        <Title id={3} level="unregistered" />
      </Part>
      <Part>
        <Title id={1} />
      </Part>
      <Part>
        <Title id={2} />
      </Part>
    </>,
  );
  await advance(10);
  failing.clear();
  await push(refreshTicket(1));
  calls.length = 0;
  await click();
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

it('D-MEM-1 D-REACT-6 a reset requests an entry that failed again after it was evicted', async () => {
  const world = setup({ memory: { itemEntryTtlMs: 100, pruneIntervalMs: 20 } });
  const { advance, failing, calls } = world;
  failing.add('1');
  const page = (key: number): ReactElement => (
    <WithReset key={key}>
      <Title />
    </WithReset>
  );
  const { rerender, click, text } = await mount(world, page(1));
  await advance(500);
  await act(async () => rerender(page(2)));
  await advance(10);
  expect(text()).toBe('1 failed');
  failing.clear();
  calls.length = 0;
  await click();
  await advance(10);
  expect([text(), calls]).toEqual(['ticket 1', ['ticket 1 default']]);
});

it('D-REACT-6 a second reset requests only entries that failed again for a component that waited', async () => {
  const world = setup();
  const { advance, failing, calls } = world;
  failing.add('1').add('2');
  const page = (id: number): ReactElement => (
    <WithReset key={id}>
      <Title id={id} />
    </WithReset>
  );
  const { rerender, click } = await mount(world, page(1));
  await advance(10);
  await act(async () => rerender(page(2)));
  await advance(10);
  calls.length = 0;
  await click();
  await advance(10);
  expect(calls.splice(0)).toEqual(['ticket 1 default', 'ticket 2 default']);
  await click();
  await advance(10);
  expect(calls).toEqual(['ticket 2 default']);
});

it('D-REACT-6 the reset stays the same function until the data layer of the provider changes', () => {
  const [one, two] = [setup(), setup()];
  const seen = new Set<() => void>();
  function Reset(): null {
    seen.add(useErrorReset());
    return null;
  }
  const page = ({ dl }: World): ReactElement => (
    <DLProvider dl={dl}>
      <Reset />
    </DLProvider>
  );
  const { rerender } = render(page(one));
  rerender(page(one));
  expect(seen.size).toBe(1);
  rerender(page(two));
  expect(seen.size).toBe(2);
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

/** A list and its rows below one boundary. A removed row throws before the list can mount. */
const Rows = (): ReactElement => (
  <>
    {useSuspenseCollection('tickets').data.ids.map((id) => (
      <Title key={id} id={id} />
    ))}
  </>
);

it.each<[cause: string, refetch: 'held' | 'watched', failing: string[]]>([
  ['was marked stale without a request', 'watched', []],
  ['could not be refetched', 'held', ['{}']],
])(
  'D-REACT-6 a reset requests a stale list that %s, and that a removed row keeps from mounting',
  async (_, refetch, failing) => {
    const world = setup({ bulk: { refetch } });
    const { advance, tickets, push } = world;
    const first = await mountWithReset(world, <Rows />);
    await advance(10);
    await advance(10);
    first.unmount();
    for (const key of failing) world.failing.add(key);
    tickets.delete(1);
    await push(refreshTicket(1, { result: null }), { op: 'refresh_collection', name: 'tickets' });
    world.failing.clear();

    const { text, click } = await mountWithReset(world, <Rows />);
    expect(text()).toBe('[edict] ticket 1 does not exist.');
    await click();
    await advance(10);
    await click();
    expect(text()).toBe('ticket 2ticket 3ticket 4ticket 5');
  },
);

it('D-REACT-6 a reset joins the request of a stale list that is in flight', async () => {
  const world = setup();
  const { advance, calls, dl, tickets } = world;
  const first = await mountWithReset(world, <Rows />);
  await advance(10);
  await advance(10);
  first.unmount();
  tickets.delete(1);
  void dl.applyDirectives([
    refreshTicket(1, { result: null }),
    { op: 'refresh_collection', name: 'tickets' },
  ]);
  await advance(55);
  calls.length = 0; // The request of the list has begun.

  const { text, click } = await mountWithReset(world, <Rows />);
  expect(text()).toBe('[edict] ticket 1 does not exist.');
  await click();
  await advance(100);
  await click();
  expect(text()).toBe('ticket 2ticket 3ticket 4ticket 5');
  expect(calls).toEqual([]);
});
