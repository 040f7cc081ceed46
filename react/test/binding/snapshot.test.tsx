import { createDataLayer, defineCollection, defineItem } from '@edict/core';
import { createSimulation } from '@edict/core/testing';
import { DLProvider, GoneError, useCollection, useItem, useSuspenseItem } from '@edict/react';
import { act, render, renderHook } from '@testing-library/react';
import { Component, Suspense, type ReactElement, type ReactNode } from 'react';
import { expect, it, vi } from 'vitest';
import { setup } from '../world.tsx';

it('D-REACT-2 isPending lasts until the first response, and is false when the hook is disabled', async () => {
  const { advance, wrapper } = setup();
  const { result } = renderHook(() => [useItem('ticket', 1), useItem('ticket', 2, { enabled: false })], {
    wrapper,
  });
  expect(result.current).toMatchObject([
    { isPending: true, isFetching: true },
    { isPending: false, isFetching: false },
  ]);
  await advance(10);
  expect(result.current[0]).toMatchObject({
    isPending: false,
    isFetching: false,
    isGone: false,
    error: null,
  });
});

it('D-REACT-2 a failure ends isPending and sets error, which wraps a thrown value that is not an Error', async () => {
  const sim = createSimulation();
  const dl = sim.createDataLayer({ sse: { enabled: false } });
  const fetch = vi.fn().mockRejectedValueOnce('no network').mockRejectedValueOnce(new RangeError('too far'));
  dl.createType('ticket', { fetch });
  const { result } = renderHook(() => useItem('ticket', 1), {
    wrapper: ({ children }: { children: ReactNode }): ReactElement => (
      <DLProvider dl={dl}>{children}</DLProvider>
    ),
  });
  expect(result.current.error).toBeNull();
  await act(() => sim.settled());
  expect(result.current).toMatchObject({ isPending: false, data: null });
  expect(result.current.error).toMatchObject({ message: 'no network', cause: 'no network' });
  const first = result.current.error;
  expect(first).toBeInstanceOf(Error);
  act(() => result.current.refresh());
  expect(result.current.isFetching).toBe(true);
  expect(result.current.error).toBe(first); // The same failure is the same object.
  await act(() => sim.settled());
  expect(result.current.error).toBeInstanceOf(RangeError);
});

it('D-REACT-2 isGone is true when the server returned null, and false again when it returns data', async () => {
  const { dl, sim } = withNull();
  const { result } = renderHook(() => useItem('ticket', 1), { wrapper: providerOf(dl) });
  await act(() => sim.settled());
  expect(result.current).toMatchObject({ data: null, isGone: true, isPending: false, error: null });
  tickets.set(1, { id: 1 });
  await act(async () => {
    void dl.applyDirectives([{ op: 'refresh_item', name: 'ticket', id: 1 }]);
    await sim.settled();
  });
  expect(result.current).toMatchObject({ data: { id: 1 }, isGone: false });
  tickets.clear();
});

it.each<[first: 'full' | 'default', second: 'full' | 'default']>([
  ['full', 'default'],
  ['default', 'full'],
])('D-REACT-2 only the data of a level that is null is null: %s before %s', async (first, second) => {
  const ticket = defineItem('ticket', {
    fetch: async (id: number) => ({ id }),
    levels: { full: { fetch: async () => null } },
  });
  const dl = createDataLayer({ register: [ticket] });
  const { result } = renderHook(() => [useItem(ticket, 1, first), useItem(ticket, 1, second)], {
    wrapper: providerOf(dl),
  });
  await act(() => dl.whenSettled());
  const full = { data: null, isGone: false };
  const brief = { data: { id: 1 }, isGone: false };
  expect(result.current).toMatchObject(first === 'full' ? [full, brief] : [brief, full]);
  dl.dispose();
});

it('D-REACT-6 useSuspenseItem throws a GoneError to the boundary when the item does not exist', async () => {
  const { dl, sim } = withNull();
  const log = vi.spyOn(console, 'error').mockReturnValue();
  const Row = (): ReactElement => <p>{JSON.stringify(useSuspenseItem('ticket', 1).data)}</p>;
  const { container } = render(
    <Boundary>
      <Suspense fallback="wait">
        <Row />
      </Suspense>
    </Boundary>,
    { wrapper: providerOf(dl) },
  );
  await act(() => sim.settled());
  expect(container.textContent).toBe('gone');
  log.mockRestore();
});

it('D-REACT-9 the hooks accept definitions instead of names', async () => {
  const ticket = defineItem('ticket', {
    fetch: async (id: number) => ({ id, title: `ticket ${id}` }),
    levels: { full: { fetch: async (id) => ({ id, title: `ticket ${id}`, body: 'text' }) } },
  });
  const tickets = defineCollection('tickets', { fetch: async () => ({ ids: [7] }) });
  const dl = createDataLayer({ register: [ticket, tickets] });
  const { result } = renderHook(
    () => [useItem(ticket, 7, { level: 'full' }).data?.body, useCollection(tickets).data.ids[0]],
    { wrapper: providerOf(dl) },
  );
  await act(() => dl.whenSettled());
  expect(result.current).toEqual(['text', 7]);
  dl.dispose();
});

it.each([
  [
    () => useCollection('tickets', { status: 'open' } as never),
    'useCollection("tickets"): there is no option "status". For a filter, pass { params: { status: … } }.',
  ],
  [
    () => useItem('ticket', 1, null, { enable: true } as never),
    'useItem("ticket"): there is no option "enable".',
  ],
])('D-REACT-2 an unknown option throws a TypeError that names it: %s', (hook, message) => {
  const { wrapper } = setup();
  vi.spyOn(console, 'error').mockReturnValue();
  expect(() => renderHook<unknown, unknown>(hook, { wrapper })).toThrow(`[edict] ${message}`);
  vi.restoreAllMocks();
});

it('D-REACT-2 null instead of options means no options', async () => {
  const { wrapper, advance } = setup();
  const { result } = renderHook(
    () => [
      useItem('ticket', 1, null, null as never).data,
      useCollection('tickets', null as never).data.ids[0],
    ],
    { wrapper },
  );
  await advance(20);
  expect(result.current).toEqual([{ id: 1, title: 'ticket 1', status: 'open' }, 1]);
});

const tickets = new Map<number, object>();

function withNull() {
  const sim = createSimulation();
  const dl = sim.createDataLayer({ sse: { enabled: false } });
  dl.createType('ticket', { fetch: async (id) => tickets.get(Number(id)) ?? null });
  return { sim, dl };
}

const providerOf =
  (dl: ReturnType<typeof createDataLayer>) =>
  ({ children }: { children: ReactNode }): ReactElement => <DLProvider dl={dl}>{children}</DLProvider>;

class Boundary extends Component<{ children: ReactNode }, { error: unknown }> {
  override state = { error: null };
  static getDerivedStateFromError = (error: unknown): object => ({ error });
  override render(): ReactNode {
    const { error } = this.state;
    if (error === null) return this.props.children;
    return (error as unknown) instanceof GoneError ? 'gone' : 'another error';
  }
}
