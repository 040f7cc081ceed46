import { useSuspenseCollection } from '@edict/react';
import { Suspense, useState, type ReactElement } from 'react';
import { expect, it, vi } from 'vitest';
import { setup } from '../world.tsx';
import { mount, mountWithReset, Title, WithReset } from './screen.tsx';

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
