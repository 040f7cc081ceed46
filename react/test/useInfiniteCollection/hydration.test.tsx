import { dehydrate, hydrate } from '@edict/core/hydration';
import { DLProvider, HydrationBoundary, useInfiniteCollection } from '@edict/react';
import { act } from '@testing-library/react';
import type { ReactElement } from 'react';
import { hydrateRoot } from 'react-dom/client';
import { renderToString } from 'react-dom/server';
import { expect, it, vi } from 'vitest';
import { byCursor, setup } from './numbers.tsx';

it('D-REACT-10 hydrates without a mismatch even when a directive arrives before', async () => {
  const { dl, server, calls, layerOf, sim } = setup();
  const theirs = layerOf(sim);
  for (const params of [{}, { after: 2 }]) {
    const done = theirs.prefetchCollection('numbers', { params });
    await sim.advance(10);
    await done;
  }
  const state = dehydrate(theirs);
  const List = (): ReactElement => {
    const { data } = useInfiniteCollection('numbers', { ...byCursor, initialPages: 2 });
    return <p>{data.ids.join()}</p>;
  };
  const page = (layer: typeof dl): ReactElement => (
    <DLProvider dl={layer}>
      <HydrationBoundary state={state}>
        <List />
      </HydrationBoundary>
    </DLProvider>
  );
  const container = document.createElement('div');
  container.innerHTML = renderToString(page(theirs));
  expect(container.textContent).toBe('1,2,3,4');
  calls.length = 0;
  server.ids.unshift(9);
  hydrate(dl, state);
  const first = { op: 'refresh_collection', name: 'numbers', params: {}, result: { ids: [9, 1], count: 6 } };
  void dl.applyDirectives([first]); // The directive arrives before React hydrates the page.
  const error = vi.spyOn(console, 'error').mockReturnValue();
  await act(async () => {
    hydrateRoot(container, page(dl), {
      onRecoverableError: (problem) => expect.unreachable(String(problem)),
    });
    await sim.settled();
  });
  await act(() => sim.settled()); // Fetches the page behind the moved cursor.
  expect(error).not.toHaveBeenCalled();
  expect(container.textContent).toBe('9,1,2,3');
  expect(calls).toEqual(['{"after":1}']);
  vi.restoreAllMocks();
});
