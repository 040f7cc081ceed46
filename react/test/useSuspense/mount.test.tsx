/* oxlint-disable react/immutability, react/globals, react/purity -- setters are taken out of a component, and renders are recorded */
import { useSuspenseItem } from '@edict/react';
import { act } from '@testing-library/react';
import { Activity, startTransition, StrictMode, Suspense, use, useState, type ReactElement } from 'react';
import { expect, it } from 'vitest';
import { refreshTicket, setup, type World } from '../world.tsx';
import { mount, mountWithReset, Title, titleOf, WithReset } from './screen.tsx';

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

it('D-MEM-1 D-REACT-6 an entry that is evicted after it was rendered hidden is fetched again and watched', async () => {
  const world = setup({ memory: { itemEntryTtlMs: 100, pruneIntervalMs: 20 } });
  const { advance, setTitle, push } = world;
  const title = <Title />; // The same element, so React shows it without another render.
  const screen = (mode: 'visible' | 'hidden'): ReactElement => (
    <Suspense fallback="waiting">
      <Activity mode={mode}>{title}</Activity>
    </Suspense>
  );
  const { rerender, text } = await mount(world, screen('hidden'));
  await advance(10);
  await advance(500);
  setTitle(1, 'changed');
  await act(async () => rerender(screen('visible')));
  await advance(10);
  expect(text()).toBe('changed');
  setTitle(1, 'pushed');
  await push(refreshTicket(1));
  expect(text()).toBe('pushed');
});

it.each([
  [5000, 1],
  [5001, 2],
])(
  'D-REACT-6 a mount %i ms after the response makes %i requests for data that is always stale',
  async (ms, count) => {
    const world = setup();
    const requests = registerHasty(world);
    let open = (): void => undefined;
    const gate = new Promise<void>((resolve) => (open = resolve));
    function Slow(): null {
      use(gate);
      return null;
    }
    const { text } = await mountWithReset(
      world,
      <>
        <Title type="hasty" />
        <Slow />
      </>,
    );
    await world.advance(10 + ms);
    await act(async () => open());
    await world.advance(10);
    expect([text(), requests()]).toEqual([`answer ${count}`, count]);
  },
);

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
