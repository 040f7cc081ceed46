import { createSimulation } from '@edict/core/testing';
import { DLProvider, useConnection } from '@edict/react';
import { act, render, renderHook } from '@testing-library/react';
import { useLayoutEffect, type ReactElement, type ReactNode } from 'react';
import { expect, it, vi } from 'vitest';
import { setup } from './world.tsx';

it('useConnection shows the stream’s state and connects and disconnects', async () => {
  const { wrapper, advance, sim } = setup({ sse: { enabled: true, connectOnInit: false } });
  let renders = 0;
  const { result } = renderHook(
    () => {
      renders++;
      return useConnection();
    },
    { wrapper },
  );
  expect(result.current).toMatchObject({ status: 'off', attempt: 0, retryInMs: null });
  act(() => result.current.connect());
  expect(result.current.status).toBe('connecting');
  await advance(100);
  expect(result.current.status).toBe('open');
  const before = renders;
  await act(async () => {
    sim.hub.emit([{ op: 'refresh_item', name: 'ticket', id: 1 }]);
    await sim.advance(1000);
  });
  expect(renders).toBe(before);
  act(() => result.current.disconnect());
  expect(result.current.status).toBe('off');
});

it('useConnection shows which tab has the stream of the browser', async () => {
  const sim = createSimulation();
  const browser = sim.createBrowser();
  const roles = (): (string | null)[] => tabs.map(({ result }) => result.current.role);
  const tabs = [1, 2].map(() => {
    const dl = browser.createTab().createDataLayer({ sse: { share: true } });
    const wrapper = ({ children }: { children: ReactNode }): ReactElement => (
      <DLProvider dl={dl}>{children}</DLProvider>
    );
    return renderHook(() => useConnection(), { wrapper });
  });
  expect(roles()).toEqual([null, null]);
  await act(() => sim.advance(10_000));
  expect(roles()).toEqual(['leader', 'follower']);
});

it('useConnection shows a status change between the render and the subscription', () => {
  const { show, dl } = setup({ sse: { enabled: true, connectOnInit: false } });
  const Status = (): ReactElement => <p>{useConnection().status}</p>;
  function Starter(): null {
    useLayoutEffect(() => dl.connectSse());
    return null;
  }
  const { container } = show(
    <>
      <Status />
      <Starter />
    </>,
  );
  expect(container.textContent).toBe('connecting');
});

it('useConnection shows the time until the next attempt', async () => {
  const { wrapper, advance, sim } = setup({ sse: { enabled: true, retryJitter: 0 } });
  sim.link.cut();
  const { result } = renderHook(() => useConnection(), { wrapper });
  await advance(100);
  expect(result.current).toMatchObject({ status: 'waiting', retryInMs: 2000, attempt: 1 });
});

it('useConnection shows that attempts are postponed while the browser is offline, and connects on request', async () => {
  const { wrapper, advance, sim } = setup({ sse: { enabled: true, retryJitter: 0 } });
  sim.link.cut();
  const { result } = renderHook(() => useConnection(), { wrapper });
  await advance(100);
  expect(result.current).toMatchObject({ status: 'waiting', retryInMs: 2000 });
  act(() => sim.page.setOnline(false));
  await advance(2000);
  expect(result.current).toMatchObject({ status: 'waiting', retryInMs: 30_000 });
  act(() => result.current.disconnect());
  expect(result.current.status).toBe('off');
  act(() => result.current.connect());
  expect(result.current).toMatchObject({ status: 'connecting', attempt: 1 });
});

it('useConnection shows 0 attempts while the stream is open, even after failed attempts', async () => {
  const { wrapper, advance, sim } = setup({ sse: { enabled: true } });
  sim.link.cut();
  const { result } = renderHook(() => useConnection(), { wrapper });
  await advance(100);
  sim.link.restore();
  await act(async () => result.current.connect());
  await act(async () => {
    while (result.current.status !== 'open') await sim.advance(1);
  });
  expect(result.current).toMatchObject({ status: 'open', attempt: 0, retryInMs: null });
});

it('useConnection follows the stream of a new data layer and unsubscribes when it unmounts', async () => {
  const first = setup({ sse: { enabled: true } });
  const second = setup({ sse: { enabled: true, connectOnInit: false } });
  const ends: (() => void)[] = [];
  for (const { dl } of [first, second]) {
    const { onChange } = dl;
    vi.spyOn(dl, 'onChange').mockImplementation((callback) => {
      const end = vi.fn(onChange(callback));
      ends.push(end);
      return end;
    });
  }
  const seen: string[] = [];
  function Status(): null {
    seen.push(useConnection().status);
    return null;
  }
  const view = render(first.wrapper({ children: <Status /> }));
  await first.advance(100);
  expect(seen.at(-1)).toBe('open');
  view.rerender(second.wrapper({ children: <Status /> }));
  expect(seen.at(-1)).toBe('off');
  view.unmount();
  expect(ends.length).toBeGreaterThan(0);
  for (const end of ends) expect(end).toHaveBeenCalledTimes(1);
});
