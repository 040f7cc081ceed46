/* oxlint-disable react/immutability, react/globals, react/purity -- renders are counted and slowed down on purpose */
import { useItem } from '@edict/react';
import { act, render, renderHook } from '@testing-library/react';
import { Component, useEffect, type ReactElement, type ReactNode } from 'react';
import { expect, it, onTestFinished, vi } from 'vitest';
import { refreshTicket, setup, type Ticket } from '../world.tsx';
import { titleOf } from '../title.ts';

it('D-REACT-7 a select that is null is ignored', async () => {
  const { wrapper, advance } = setup();
  const { result } = renderHook(() => useItem('ticket', 1, 'default', { select: null as never }), {
    wrapper,
  });
  await advance(100);
  expect(titleOf(result.current.data)).toBe('ticket 1');
});

it('D-REACT-7 a select that needs data does not break a component that shows no data while it is missing', async () => {
  const { wrapper, advance, push, dl } = setup();
  const Title = (): ReactElement => {
    const ticket = useItem('ticket', 1, null, { select: (data) => (data as Ticket).title });
    if (ticket.isPending) return <p>pending</p>;
    return <p>{ticket.isGone ? 'gone' : ticket.data}</p>;
  };
  const { container } = render(<Title />, { wrapper });
  await advance(10);
  expect(container.textContent).toBe('ticket 1');
  act(() => dl.reset());
  expect(container.textContent).toBe('pending');
  await advance(10);
  expect(container.textContent).toBe('ticket 1');
  await push(refreshTicket(1, { result: null }));
  expect(container.textContent).toBe('gone');
  await push(refreshTicket(1));
  expect(container.textContent).toBe('ticket 1');
});

it('D-NAME-5 a select or isEqual that rejects causes no unhandled rejection', async () => {
  const { wrapper, advance, push } = setup();
  const unhandled = vi.fn();
  process.on('unhandledRejection', unhandled);
  onTestFinished(() => void process.off('unhandledRejection', unhandled));
  const fail = (): Promise<never> => Promise.reject(new Error('no'));
  renderHook(
    () => [
      useItem('ticket', 1, null, { select: fail }).data,
      useItem('ticket', 1, null, { isEqual: fail as never }).data,
    ],
    { wrapper },
  );
  await advance(10);
  await push(refreshTicket(1, { result: { id: 1 } }));
  await new Promise(setImmediate); // The platform reports unhandled rejections after the microtasks.
  expect(unhandled).not.toHaveBeenCalled();
});

it('D-REACT-7 the result of select keeps its identity while only meta changes', async () => {
  const { advance, wrapper, push } = setup();
  const seen: unknown[] = [];
  const loading: boolean[] = [];
  renderHook(
    () => {
      const { data, meta } = useItem('ticket', 1, null, { select: (ticket) => [titleOf(ticket)] });
      seen.push(data);
      loading.push(meta.isLoading);
    },
    { wrapper },
  );
  await advance(10);
  await push(refreshTicket(1));
  expect(loading).toEqual([true, false, true, false]);
  expect(new Set(seen.slice(1)).size).toBe(1);
});

it('D-REACT-7 the result of select keeps its identity across a render that does not read data', async () => {
  const { advance, wrapper, push } = setup();
  const seen: unknown[] = [];
  renderHook(
    () => {
      const item = useItem('ticket', 1, null, { select: (ticket) => [titleOf(ticket)] });
      seen.push(item.meta.isLoading ? 'spinner' : item.data); // `data` is not read while the spinner is shown.
    },
    { wrapper },
  );
  await advance(10);
  await push(refreshTicket(1));
  expect(seen).toEqual(['spinner', ['ticket 1'], 'spinner', ['ticket 1']]);
  expect(seen[3]).toBe(seen[1]);
});

it('D-REACT-7 data that is first read after select changed is the result of the new select', async () => {
  const { advance, wrapper } = setup();
  const { result, rerender } = renderHook(
    ({ suffix }) => {
      const item = useItem('ticket', 1, null, { select: (ticket) => `${titleOf(ticket)} ${suffix}` });
      void item.meta.error;
      return item;
    },
    { wrapper, initialProps: { suffix: 'a' } },
  );
  await advance(10);
  rerender({ suffix: 'b' });
  expect(result.current.data).toBe('ticket 1 b');
});

it('D-REACT-7 a new isEqual applies from the render that passes it', async () => {
  const { advance, wrapper, push, setTitle } = setup();
  const sameText = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase();
  const { result, rerender } = renderHook(
    ({ isEqual }) => useItem('ticket', 1, null, { select: titleOf, isEqual }).data,
    { wrapper, initialProps: { isEqual: sameText } },
  );
  await advance(10);
  rerender({ isEqual: Object.is });
  setTitle(1, 'TICKET 1');
  await push(refreshTicket(1));
  expect(result.current).toBe('TICKET 1');
});

it('D-REACT-7 an inline select keeps the identity of its result, renders only when it changes, and does not loop', async () => {
  const { advance, show, push, setTitle, tickets } = setup();
  let renders = 0;
  const effects = vi.fn();
  function Row(): ReactElement {
    renders++;
    const { data } = useItem('ticket', 1, null, { select: (ticket) => ({ title: titleOf(ticket) }) });
    useEffect(() => effects(data), [data]);
    return <p>{data.title}</p>;
  }
  const { container } = show(<Row />);
  expect(container.textContent).toBe('nothing'); // `select` was called with null.
  await advance(10);
  expect(renders).toBe(2);
  tickets.set(1, { id: 1, title: 'ticket 1', status: 'other' });
  await push(refreshTicket(1));
  expect(renders).toBe(2);
  setTitle(1, 'changed');
  await push(refreshTicket(1));
  expect(container.textContent).toBe('changed');
  expect(renders).toBe(3);
  expect(effects).toHaveBeenCalledTimes(3);
});

it('D-REACT-7 select may close over props', async () => {
  const { advance, wrapper } = setup();
  const { result, rerender } = renderHook(
    ({ suffix }) => useItem('ticket', 1, null, { select: (ticket) => [titleOf(ticket), suffix] }).data,
    { wrapper, initialProps: { suffix: 'a' } },
  );
  await advance(10);
  const first = result.current;
  rerender({ suffix: 'a' });
  expect(result.current).toBe(first);
  rerender({ suffix: 'b' });
  expect(result.current).toEqual(['ticket 1', 'b']);
});

it('D-REACT-7 a select that throws for new data throws in the render instead of showing the old data', async () => {
  const { advance, show, push, setTitle } = setup();
  const logged = vi.spyOn(console, 'error').mockImplementation(() => undefined);
  const select = (data: unknown): string => {
    if (titleOf(data) === 'unreadable') throw new Error('cannot be read');
    return titleOf(data);
  };
  class Boundary extends Component<{ children: ReactElement }, { error: Error | null }> {
    override state = { error: null as Error | null };
    static getDerivedStateFromError = (error: Error): object => ({ error });
    override render(): ReactNode {
      return this.state.error?.message ?? this.props.children;
    }
  }
  const Row = (): ReactElement => <p>{useItem('ticket', 1, null, { select }).data}</p>;
  const { container } = show(
    <Boundary>
      <Row />
    </Boundary>,
  );
  await advance(10);
  expect(container.textContent).toBe('ticket 1');
  setTitle(1, 'unreadable');
  await push(refreshTicket(1));
  expect(container.textContent).toBe('cannot be read');
  logged.mockRestore();
});

it('D-REACT-7 isEqual decides whether a result of select has changed', async () => {
  const { advance, wrapper, push, setTitle } = setup();
  let renders = 0;
  const { result } = renderHook(
    () => {
      renders++;
      return useItem('ticket', 1, null, {
        select: titleOf,
        isEqual: (a, b) => a.toLowerCase() === b.toLowerCase(),
      }).data;
    },
    { wrapper },
  );
  await advance(10);
  setTitle(1, 'TICKET 1');
  await push(refreshTicket(1));
  expect(renders).toBe(2);
  expect(result.current).toBe('ticket 1');
});

it('D-REACT-7 isEqual decides whether data has changed without a select', async () => {
  const { advance, wrapper, push, setTitle } = setup();
  let renders = 0;
  const { result } = renderHook(
    () => {
      renders++;
      return useItem('ticket', 1, null, {
        isEqual: (a, b) => titleOf(a).toLowerCase() === titleOf(b).toLowerCase(),
      }).data;
    },
    { wrapper },
  );
  await advance(10);
  setTitle(1, 'TICKET 1');
  await push(refreshTicket(1));
  expect(renders).toBe(2);
  expect(titleOf(result.current)).toBe('ticket 1');
  setTitle(1, 'another');
  await push(refreshTicket(1));
  expect(titleOf(result.current)).toBe('another');
});

it.each([
  ['keepPrevious shows it for new arguments', { id: 2 }],
  ['the hook becomes silent', { silent: true }],
])('D-REACT-7 an equal result of select keeps its identity when %s', async (_, change) => {
  const { advance, wrapper } = setup();
  const { result, rerender } = renderHook(
    ({ id, silent }: { id: number; silent: boolean }) =>
      useItem('ticket', id, null, {
        select: (ticket) => ({ title: titleOf(ticket) }),
        keepPrevious: true,
        silent,
      }).data,
    { wrapper, initialProps: { id: 1, silent: false } },
  );
  await advance(10);
  const before = result.current;
  rerender({ id: 1, silent: false, ...change });
  expect(result.current).toBe(before);
  await advance(10);
  expect(result.current.title).toBe(`ticket ${{ id: 1, ...change }.id}`);
});

it('D-REACT-7 isEqual is not called when data was not read', async () => {
  const { advance, wrapper } = setup();
  const isEqual = vi.fn((a: string, b: string) => a.length === b.length);
  const { result } = renderHook(
    () => {
      const item = useItem('ticket', 1, null, { select: titleOf, isEqual });
      void item.meta.isLoading;
      return item;
    },
    { wrapper },
  );
  await advance(10);
  expect(result.current.data).toBe('ticket 1');
  expect(isEqual).not.toHaveBeenCalled();
});

it('D-REACT-7 select is not called when only meta is read', async () => {
  const { advance, wrapper } = setup();
  const select = vi.fn(titleOf);
  let renders = 0;
  renderHook(
    () => {
      renders++;
      return useItem('ticket', 1, null, { select: (data) => select(data) }).meta.error;
    },
    { wrapper },
  );
  await advance(10);
  expect(select).not.toHaveBeenCalled();
  expect(renders).toBe(1);
});

it('D-REACT-2 D-REACT-7 select of a disabled hook receives the empty data', () => {
  const { wrapper } = setup();
  const { result } = renderHook(() => useItem('ticket', null, { select: titleOf }).data, { wrapper });
  expect(result.current).toBe('nothing');
});

it('D-REACT-7 isEqual is not called with the same value twice', async () => {
  const { wrapper, advance, push } = setup();
  const isEqual = vi.fn((a: unknown, b: unknown) => a === b);
  renderHook(
    () => {
      const { data, isFetching } = useItem('ticket', 1, null, { isEqual });
      return [data, isFetching];
    },
    { wrapper },
  );
  await advance(10);
  isEqual.mockClear();
  await push(refreshTicket(1)); // The response changes nothing.
  expect(isEqual).not.toHaveBeenCalled();
});
