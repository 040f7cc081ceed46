// docs/guides/patterns.md: its blocks as they stand.

import { createSimulation, type Simulation } from '@edict/core/testing';
import type { DataLayer } from '@edict/core';
import { DLProvider, useCollection, useItem, useItems } from '@edict/react';
import { act, fireEvent, render, screen } from '@testing-library/react';
import { StrictMode, type ReactElement } from 'react';
import { afterEach, expect, it, onTestFinished, vi } from 'vitest';
import { App } from './patterns/App.tsx';
import { Board } from './patterns/Board.tsx';
import { EditTicket } from './patterns/EditTicket.tsx';
import { registerTickets as registerRows } from './patterns/lists.ts';
import { registerTickets as registerItems } from './patterns/listsOfItems.ts';
import { ticketLoader } from './patterns/loaders.ts';
import { begin, currentSession, end } from './patterns/session.ts';

interface Ticket {
  id: number;
  title: string;
}

/** Six tickets on pages of two; how long a request takes is drawn. */
function desk(seed = 1, ms: readonly [number, number] = [10, 10]) {
  const sim = createSimulation({ seed });
  const tickets = new Map([1, 2, 3, 4, 5, 6].map((id) => [String(id), { id, title: `T${id}` }]));
  const wait = (): Promise<void> => sim.sleep(ms[0] + sim.random() * (ms[1] - ms[0]));
  const page = (url: URL): Ticket[] => {
    const from = 2 * Number(url.searchParams.get('page') ?? 0);
    return [...tickets.values()].slice(from, from + 2);
  };
  async function slowly<T>(read: () => T): Promise<T> {
    await wait();
    const answer = read();
    await wait();
    return answer;
  }
  sim.route('GET /api/ticket-ids', ({ url }) =>
    slowly(() => ({ ids: page(url).map(({ id }) => id), count: tickets.size })),
  );
  sim.route('GET /api/tickets', ({ url }) =>
    slowly(() => {
      const ids = url.searchParams.get('ids');
      return ids === null ? structuredClone(page(url)) : ids.split(',').map((id) => ({ ...tickets.get(id) }));
    }),
  );
  sim.route('GET /api/tickets/:id', ({ params }) => slowly(() => ({ ...tickets.get(params['id'] ?? '') })));
  const asked = (): string[] =>
    sim.requests.filter(({ isStream }) => !isStream).map(({ url }) => url.pathname + url.search);
  return { sim, tickets, asked };
}

const titleOf = (data: unknown): string => (data as Ticket | null)?.title ?? '…'; // The desk's only item data.

/** Shows a page of the list; every state that was on the screen is noted. */
function board(sim: Simulation, dl: DataLayer) {
  const states: string[] = [];
  function Board({ page }: { page: number }): ReactElement {
    const { data } = useCollection('tickets', { params: { page: String(page) }, keepPrevious: true });
    const text = useItems('ticket', data.ids)
      .map((row) => titleOf(row.data))
      .join();
    if (states.at(-1) !== text) states.push(text);
    return <p>{text}</p>;
  }
  const { rerender } = render(<Board page={0} />, {
    wrapper: ({ children }) => <DLProvider dl={dl}>{children}</DLProvider>,
  });
  const turnTo = async (page: number): Promise<void> => {
    rerender(<Board page={page} />);
    await act(() => sim.settled());
  };
  return { states, turnTo };
}

it('a page of a list comes with its rows: nothing flashes between two pages', async () => {
  const { sim, asked } = desk();
  const dl = sim.createDataLayer();
  registerRows(dl, sim.env.fetch);
  const { states, turnTo } = board(sim, dl);
  await act(() => sim.settled());
  await turnTo(1);
  await turnTo(0);
  expect(states).toEqual(['', 'T1,T2', 'T3,T4', 'T1,T2']);
  expect(asked()).toEqual([
    '/api/ticket-ids?page=0',
    '/api/tickets?ids=1,2',
    '/api/ticket-ids?page=1',
    '/api/tickets?ids=3,4',
  ]);
});

it('a list of items is one request, and an item that changes is asked for by itself', async () => {
  const { sim, tickets, asked } = desk();
  const dl = sim.createDataLayer();
  registerItems(dl, sim.env.fetch);
  const { states, turnTo } = board(sim, dl);
  await act(() => sim.settled());
  await turnTo(1);
  expect(states).toEqual(['', 'T1,T2', 'T3,T4']);
  expect(asked()).toEqual(['/api/tickets?page=0', '/api/tickets?page=1']);

  tickets.set('3', { id: 3, title: 'New' });
  sim.hub.emit([{ op: 'refresh_item', name: 'ticket', id: 3 }]);
  await act(() => sim.settled());
  expect(states.at(-1)).toBe('New,T4');
  expect(asked().slice(2)).toEqual(['/api/tickets/3']);
});

it.each([
  ['asked for with it', registerRows],
  ['in its own answer', registerItems],
])(
  'whatever is lost and however long answers take, a list that brings its rows ends with the truth: %s',
  async (_, register) => {
    for (let seed = 1; seed <= 60; seed += 1) {
      const { sim, tickets } = desk(seed, [5, 150]);
      sim.link.delay([1, 100]);
      sim.link.rates({ drop: 0.15, duplicate: 0.1, reorder: 0.1 });
      const dl = sim.createDataLayer();
      register(dl, sim.env.fetch);
      const stops: (() => void)[] = [];
      for (let step = 1; step <= 12; step += 1) {
        const page = String(Math.floor(sim.random() * 3));
        stops.push(dl.onRefChange(dl.fetchCollection('tickets', { params: { page } }), () => undefined));
        await sim.advance(sim.random() * 200);
        const id = 1 + Math.floor(sim.random() * 6);
        tickets.set(String(id), { id, title: `T${id} of ${step}` });
        sim.hub.emit([{ op: 'refresh_item', name: 'ticket', id }]);
        if (step % 5 === 0) sim.link.cut();
        await sim.advance(sim.random() * 200);
        sim.link.restore();
      }
      // Watched, as by mounted rows; what could not be loaded at first is asked for again.
      const refs = [...tickets.keys()].map((id) =>
        dl.fetchItem('ticket', id, null, { force: dl.getItemRef('ticket', id).meta.error !== null }),
      );
      for (const ref of refs) stops.push(dl.onRefChange(ref, () => undefined));
      sim.link.rates({ drop: 0, duplicate: 0, reorder: 0 });
      await sim.advance(60_000);
      await sim.settled();
      expect(
        refs.map((ref) => titleOf(ref.data)),
        `seed ${seed}`,
      ).toEqual([...tickets.values()].map(({ title }) => title));
      for (const stop of stops) stop();
      dl.dispose();
    }
  },
  60_000,
);

it('a loader waits for the data, throws what failed, and asks again when one comes back', async () => {
  const sim = createSimulation();
  const dl = sim.createDataLayer();
  let answer: unknown = new Error('no such ticket');
  dl.createType('ticket', {
    async fetch() {
      await sim.sleep(10);
      if (answer instanceof Error) throw answer;
      return answer;
    },
  });
  const load = ticketLoader(dl);
  const [first] = await Promise.all([load({ params: { id: '7' } }).catch(String), sim.settled()]);
  expect(first).toBe('Error: no such ticket');
  answer = { id: 7, title: 'Printer' };
  await Promise.all([load({ params: { id: '7' } }), sim.settled()]);
  expect(dl.getItemRef('ticket', 7).data).toEqual(answer);
});

it('a form closes when the change is on the screen, and stays open with the error where it failed', async () => {
  const { sim, tickets } = desk();
  let isBroken = true;
  sim.route('PUT /api/tickets/:id', ({ clientId }) => {
    if (isBroken) throw new Error('broken');
    tickets.set('1', { id: 1, title: 'New' });
    return {
      directives: sim.hub.emit([{ op: 'refresh_item', name: 'ticket', id: 1 }], { source: clientId }),
    };
  });
  const dl = sim.createDataLayer();
  registerRows(dl, sim.env.fetch);
  const onDone = vi.fn();
  function Page(): ReactElement {
    const title = titleOf(useItem('ticket', 1).data);
    return (
      <>
        <h1>{title}</h1>
        <EditTicket id={1} title={title} onDone={() => onDone(document.querySelector('h1')?.textContent)} />
      </>
    );
  }
  render(
    <DLProvider dl={dl}>
      <Page />
    </DLProvider>,
  );
  await act(() => sim.settled());
  fireEvent.click(screen.getByRole('button'));
  await act(() => sim.settled());
  expect(screen.getByRole('alert').textContent).toContain('500');
  expect(onDone).not.toHaveBeenCalled();
  isBroken = false;
  fireEvent.click(screen.getByRole('button'));
  await act(() => sim.settled());
  expect(onDone.mock.calls).toEqual([['New']]);
});

it('a card that is dropped is on its way where it was dropped, in one column at every moment, and goes back where it was refused', async () => {
  const sim = createSimulation();
  const columnOf = new Map([1, 2].map((id) => [id, 'open']));
  let isRefused = false;
  sim.route('GET /api/cards', ({ url }) => ({
    ids: [...columnOf].filter(([, column]) => column === url.searchParams.get('column')).map(([id]) => id),
  }));
  sim.route('PUT /api/cards/:id', async ({ params, body, clientId }) => {
    await sim.sleep(50);
    if (isRefused) return new Response(null, { status: 409 });
    columnOf.set(Number(params['id']), (body as { column: string }).column);
    return {
      directives: sim.hub.emit([{ op: 'refresh_collection', name: 'cards' }], { source: clientId }),
    };
  });
  const dl = sim.createDataLayer();
  dl.createCollection('cards', {
    async fetch(params) {
      const { column } = params as { column: string };
      await sim.sleep(column === 'open' ? 20 : 80); // One list comes before the other.
      return (await sim.env.fetch(`/api/cards?column=${column}`)).json();
    },
  });
  const { container } = render(
    <DLProvider dl={dl}>
      <Board columns={['open', 'done']} />
    </DLProvider>,
  );
  await act(() => sim.settled());
  const cards = (): string[] =>
    ['open', 'done'].map((name) =>
      Array.from(screen.getByLabelText(name).children, (card) =>
        card.getAttribute('aria-busy') === 'true' ? `(${card.textContent})` : card.textContent,
      ).join(),
    );
  const states: string[][] = [];
  const watching = new MutationObserver(() => states.push(cards()));
  watching.observe(container, { childList: true, subtree: true });
  const drop = async (): Promise<void> => {
    states.length = 0;
    const dataTransfer = { getData: () => '1' };
    fireEvent.drop(screen.getByLabelText(columnOf.get(1) === 'open' ? 'done' : 'open'), { dataTransfer });
    await act(() => sim.settled());
  };

  await drop();
  expect(cards()).toEqual(['2', '1']);
  expect(states).toContainEqual(['2', '(1)']);
  for (const state of states)
    expect([
      ['2', '(1)'],
      ['2', '1'],
    ]).toContainEqual(state);

  isRefused = true;
  await drop();
  expect(cards()).toEqual(['2', '1']);
  expect(states).toContainEqual(['(1),2', '']);
  expect(screen.getByRole('alert').textContent).toContain('409');
  watching.disconnect();
});

afterEach(() => {
  act(end);
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

it('a session has a data layer of its own: who signs in next sees nothing of the one before, also in Strict Mode', async () => {
  let status = 200;
  let mayRead = true;
  vi.stubGlobal('fetch', async (address: string, { signal }: RequestInit) => {
    if (address === '/api/tickets/7')
      return mayRead ? Response.json({ id: 7, title: 'first' }) : new Response(null, { status: 404 });
    if (status !== 200) return new Response(null, { status });
    const open = new ReadableStream({
      start: (it) => signal?.addEventListener('abort', () => it.error(signal.reason)),
    });
    return new Response(open, { headers: { 'content-type': 'text/event-stream' } });
  });
  vi.spyOn(console, 'warn').mockReturnValue(); // The refused stream is told of.
  const toasts: unknown[] = [];
  const onToast = (event: Event): void => void toasts.push((event as CustomEvent).detail);
  window.addEventListener('toast', onToast);
  onTestFinished(() => window.removeEventListener('toast', onToast));
  const Title = (): string => titleOf(useItem('ticket', 7).data);
  render(
    <StrictMode>
      <App signIn={<b>Sign in</b>}>
        <Title />
      </App>
    </StrictMode>,
  );
  const text = (): string | null => document.body.textContent;
  expect(text()).toBe('Sign in');
  act(() => begin({ id: 'ann', teamId: '1' }));
  await vi.waitFor(() => expect(text()).toBe('first'));
  const first = currentSession()?.dl;

  mayRead = false;
  act(() => begin({ id: 'ben', teamId: '2' }));
  expect(text()).toBe('…');
  await vi.waitFor(() => expect(toasts).toEqual(['Error: Ticket 7 could not be read (404).']));
  expect(text()).toBe('…');
  expect(first?.state().sse.status).toBe('off');

  status = 401; // The session has ended on the server.
  act(() => currentSession()?.dl.configureSse({ audience: 'global' }));
  await vi.waitFor(() => expect(text()).toBe('Sign in'));
  expect(currentSession()).toBeNull();
});
