import type { DataLayer } from '@edict/core';
import { dehydrate, type DehydratedState } from '@edict/core/hydration';
import { HydrationBoundary, useSuspenseCollection, useSuspenseItem } from '@edict/react';
import { Suspense, type ReactElement } from 'react';
import { expect, it } from 'vitest';
import { setup, type Ticket } from '../world.tsx';
import { mount, WithReset } from './screen.tsx';

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
    'around two boundaries',
    (inner, state) => (
      <WithReset>
        <HydrationBoundary state={state}>
          <HydrationBoundary state={{ v: 1, items: [], collections: [], cursors: [] }}>
            {inner}
          </HydrationBoundary>
        </HydrationBoundary>
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
