import type { DataLayer } from '@edict/core';
import { dehydrate, type DehydratedState } from '@edict/core/hydration';
import { DLProvider, HydrationBoundary, useCollection, useSuspenseItem } from '@edict/react';
import { act, render } from '@testing-library/react';
import { Suspense, type ReactElement, type ReactNode } from 'react';
import { expect, it, vi } from 'vitest';
import { Boundary, titleOf } from '../useSuspense/screen.tsx';
import { setup, type World } from '../world.tsx';

/** Returns the state of a server with these tickets. */
async function stateOf({ sim, dl }: World): Promise<DehydratedState> {
  dl.fetchCollection('tickets');
  await sim.settled();
  return JSON.parse(JSON.stringify(dehydrate(dl)));
}

const Ids = (): ReactElement => <p>{useCollection('tickets').data.ids.join()}</p>;

it('D-REACT-10 hydrates the new data layer when the data layer of the provider changes', async () => {
  const state = await stateOf(setup());
  const [one, two] = [setup(), setup()];
  two.tickets.delete(1);
  const page = (dl: DataLayer): ReactElement => (
    <DLProvider dl={dl}>
      <HydrationBoundary state={state}>
        <Ids />
      </HydrationBoundary>
    </DLProvider>
  );
  const { container, rerender } = render(page(one.dl));
  rerender(page(two.dl));
  expect(container.textContent).toBe('1,2,3,4,5');
  expect(two.calls).toEqual([]);
  await two.push({ op: 'refresh_collection', name: 'tickets' });
  expect(container.textContent).toBe('2,3,4,5');
});

it.each([null, undefined])('D-REACT-10 a boundary with the state %s changes nothing', async (state) => {
  const world = setup();
  const warn = vi.spyOn(console, 'warn');
  const { container } = world.show(
    <HydrationBoundary state={state}>
      <Ids />
    </HydrationBoundary>,
  );
  await world.advance(10);
  expect(container.textContent).toBe('1,2,3,4,5');
  expect(warn).not.toHaveBeenCalled();
});

it('D-REACT-10 a list in the state of a later page replaces an older list without a request', async () => {
  const world = setup();
  const { container, rerender } = world.show(<Ids />);
  await world.advance(30_000);
  const server = setup();
  server.tickets.delete(1);
  const state = await stateOf(server);
  world.calls.length = 0;
  const errors = vi.spyOn(console, 'error');
  rerender(
    <>
      <Ids />
      <HydrationBoundary state={state}>
        <Ids />
      </HydrationBoundary>
    </>,
  );
  expect(container.textContent).toBe('2,3,4,5'.repeat(2));
  expect([world.calls, errors.mock.calls]).toEqual([[], []]);
});

it('D-REACT-6 D-REACT-10 a Suspense hook below a boundary throws the error of an entry that the state lacks', async () => {
  const state = await stateOf(setup());
  const world = setup();
  world.failing.add('1');
  const Title = (): ReactNode => titleOf(useSuspenseItem('ticket', 1).data);
  const page = (
    <HydrationBoundary state={state}>
      <Boundary>
        <Suspense fallback="waiting">
          <Title />
        </Suspense>
      </Boundary>
    </HydrationBoundary>
  );
  const { container } = await act(async () => world.show(page));
  expect(container.textContent).toBe('waiting');
  await world.advance(100);
  expect(container.textContent).toBe('1 failed');
  expect(world.calls).toEqual(['ticket 1 default']);
});
