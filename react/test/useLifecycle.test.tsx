import type { LifecycleMessage } from '@edict/core';
import { DLProvider, useItem, useLifecycle } from '@edict/react';
import { act, render, renderHook } from '@testing-library/react';
import { Fragment, StrictMode, Suspense, type ReactElement } from 'react';
import { expect, it, vi } from 'vitest';
import { setup, type World } from './world.tsx';

it('useLifecycle without a callback throws in the render', () => {
  const { wrapper } = setup();
  vi.spyOn(console, 'error').mockReturnValue();
  expect(() => renderHook(() => useLifecycle('item:fetch:intent', null as never), { wrapper })).toThrow(
    new TypeError('[edict] useLifecycle("item:fetch:intent"): the callback must be a function.'),
  );
  vi.restoreAllMocks();
});

it('useLifecycle calls the latest callback with one subscription, while mounted', async () => {
  const { wrapper, dl, sim } = setup();
  const subscribed = vi.spyOn(dl, 'onLifecycle');
  const seen: string[] = [];
  const { rerender, unmount } = renderHook(
    ({ name }) =>
      useLifecycle('item:fetch:intent', ({ detail }: LifecycleMessage<'item:fetch:intent'>) =>
        seen.push(`${name} ${detail.id}`),
      ),
    { wrapper, initialProps: { name: 'a' } },
  );
  dl.fetchItem('ticket', 1);
  rerender({ name: 'b' });
  dl.fetchItem('ticket', 2);
  expect(subscribed).toHaveBeenCalledTimes(1);
  unmount();
  dl.fetchItem('ticket', 3);
  await sim.settled();
  expect(seen).toEqual(['a 1', 'b 2']);
});

it('useLifecycle calls the callback of each commit for the reads of that commit, including the first', async () => {
  const { wrapper, sim } = setup();
  const seen: string[] = [];
  const { rerender } = renderHook(
    ({ id }) => {
      useItem('ticket', id);
      useLifecycle('item:fetch:intent', ({ detail }: LifecycleMessage<'item:fetch:intent'>) =>
        seen.push(`${id} ${detail.id}`),
      );
    },
    { wrapper, initialProps: { id: 1 } },
  );
  rerender({ id: 2 });
  await act(() => sim.settled());
  expect(seen).toEqual(['1 1', '2 2']);
});

it('useLifecycle receives only the latest event that it was passed', () => {
  const { wrapper, dl } = setup();
  const seen: string[] = [];
  const { rerender, unmount } = renderHook(
    ({ event, id }) => {
      useItem('ticket', id);
      useLifecycle(event, (message) => seen.push(message.event));
    },
    {
      wrapper,
      initialProps: { event: 'item:fetch:success' as '*' | 'item:fetch:intent', id: null as number | null },
    },
  );
  rerender({ event: 'item:fetch:intent', id: 1 });
  expect(seen.splice(0)).toEqual(['item:fetch:intent']);
  rerender({ event: '*', id: 2 });
  expect(seen.splice(0)).toEqual(['item:fetch:intent']);
  unmount();
  dl.fetchItem('ticket', 3);
  expect(seen).toEqual([]);
});

it('useLifecycle follows a new data layer and unsubscribes when it unmounts', () => {
  const [one, two] = [setup(), setup()];
  const seen: string[] = [];
  function Log(): null {
    useLifecycle('item:fetch:intent', ({ detail }: LifecycleMessage<'item:fetch:intent'>) =>
      seen.push(String(detail.id)),
    );
    return null;
  }
  const page = ({ dl }: World): ReactElement => (
    <DLProvider dl={dl}>
      <Log />
    </DLProvider>
  );
  const { rerender, unmount } = render(page(one));
  rerender(page(two));
  one.dl.fetchItem('ticket', 1);
  two.dl.fetchItem('ticket', 2);
  expect(seen).toEqual(['2']);
  unmount();
  two.dl.fetchItem('ticket', 3);
  expect(seen).toEqual(['2']);
});

it.each([
  ['', Fragment],
  [' in Strict Mode', StrictMode],
])('useLifecycle receives each event once, even while its boundary shows the fallback%s', async (_, Mode) => {
  const { show, dl, advance } = setup();
  const seen: string[] = [];
  const never = new Promise<void>(() => undefined);
  function Part({ waits }: { waits: Promise<void> | null }): ReactElement {
    useLifecycle('item:fetch:intent', ({ detail }: LifecycleMessage<'item:fetch:intent'>) =>
      seen.push(String(detail.id)),
    );
    if (waits !== null) throw waits;
    return <p>part</p>;
  }
  const view = (waits: Promise<void> | null): ReactElement => (
    <Mode>
      <Suspense fallback="wait">
        <Part waits={waits} />
      </Suspense>
    </Mode>
  );
  const { rerender, container, unmount } = show(view(null));
  dl.fetchItem('ticket', 1);
  rerender(view(never));
  expect(container.textContent).toContain('wait');
  dl.fetchItem('ticket', 2);
  rerender(view(null));
  dl.fetchItem('ticket', 3);
  await advance(10);
  unmount();
  dl.fetchItem('ticket', 4);
  await advance(10);
  expect(seen).toEqual(['1', '2', '3']);
});

it('useLifecycle with an asterisk receives every event', async () => {
  const { wrapper, dl, sim } = setup();
  const seen: string[] = [];
  renderHook(() => useLifecycle('*', ({ event }) => seen.push(event)), { wrapper });
  dl.fetchItem('ticket', 1);
  await act(() => sim.settled());
  expect(seen).toEqual(['item:fetch:intent', 'item:fetch:success', 'item:fetch:complete']);
});
