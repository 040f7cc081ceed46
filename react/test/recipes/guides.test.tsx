// The code blocks of docs/guides that use React, without changes.

import { createSimulation, type Simulation } from '@edict/core/testing';
import type { DataLayer } from '@edict/core';
import { DLProvider, useCollection, useItem, useItems } from '@edict/react';
import { act, fireEvent, render, screen } from '@testing-library/react';
import { StrictMode, type ReactElement } from 'react';
import { afterEach, expect, it, onTestFinished, vi } from 'vitest';
import { App } from './guides/App.tsx';
import { Board, cards } from './guides/Board.tsx';
import { EditTicket } from './guides/EditTicket.tsx';
import * as lists from './guides/lists.ts';
import * as listsOfIds from './guides/listsOfIds.ts';
import { ticketLoader } from './guides/loaders.ts';
import { followOtherTabs } from './guides/otherTabs.ts';
import { begin, currentSession, end } from './guides/session.ts';
import * as summaries from './guides/summaries.ts';

interface Ticket {
  id: number;
  title: string;
}

/** Six tickets on pages of two. The duration of a request is random. The simulation replaces the global `fetch` that the blocks use. */
function desk(seed = 1, ms: readonly [number, number] = [10, 10]) {
  const sim = createSimulation({ seed });
  vi.stubGlobal('fetch', sim.env.fetch);
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

const titleOf = (data: Ticket | null): string => data?.title ?? '…';

/** Shows a page of the list and records every state of the screen. */
function board(sim: Simulation, dl: DataLayer) {
  const states: string[] = [];
  function Board({ page }: { page: number }): ReactElement {
    const { data } = useCollection(lists.tickets, { params: { page }, keepPrevious: true });
    const text = useItems(lists.ticket, data.ids)
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

it('a list that returns its items needs one request per page and shows no empty state between two pages', async () => {
  const { sim, tickets, asked } = desk();
  const dl = sim.createDataLayer();
  dl.register(lists.ticket, lists.tickets);
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

it('a list that returns only ids appears together with its rows', async () => {
  const { sim, asked } = desk();
  const dl = sim.createDataLayer();
  dl.register(listsOfIds.ticket, listsOfIds.tickets);
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

it('a changed ticket is one request for its row and its detail page, at two levels of one endpoint', async () => {
  const { sim, tickets, asked } = desk();
  const dl = sim.createDataLayer();
  dl.register(summaries.ticket, summaries.tickets);
  dl.fetchCollection(summaries.tickets);
  await sim.settled();
  function Page(): ReactElement {
    const row = useItem(summaries.ticket, 1);
    const detail = useItem(summaries.ticket, 1, 'full');
    return <p>{`${titleOf(row.data)} ${titleOf(detail.data)}`}</p>;
  }
  render(<Page />, { wrapper: ({ children }) => <DLProvider dl={dl}>{children}</DLProvider> });
  await act(() => sim.settled());
  expect(asked()).toEqual(['/api/tickets', '/api/tickets/1']);

  tickets.set('1', { id: 1, title: 'New' });
  sim.hub.emit([{ op: 'refresh_item', name: 'ticket', id: 1 }]);
  await act(() => sim.settled());
  expect(screen.getByText('New New')).toBeDefined();
  expect(asked().slice(2)).toEqual(['/api/tickets/1']);
});

it.each([
  ['items', lists],
  ['ids', listsOfIds],
])(
  'a list that returns %s ends with the data of the server despite lost messages and slow responses',
  async (_, { ticket, tickets: list }) => {
    for (let seed = 1; seed <= 60; seed += 1) {
      const { sim, tickets } = desk(seed, [5, 150]);
      sim.link.delay([1, 100]);
      sim.link.rates({ drop: 0.15, duplicate: 0.1, reorder: 0.1 });
      const dl = sim.createDataLayer();
      dl.register(ticket, list);
      const stops: (() => void)[] = [];
      for (let step = 1; step <= 12; step += 1) {
        const page = Math.floor(sim.random() * 3);
        stops.push(dl.onRefChange(dl.fetchCollection(list, { params: { page } }), () => undefined));
        await sim.advance(sim.random() * 200);
        const id = 1 + Math.floor(sim.random() * 6);
        tickets.set(String(id), { id, title: `T${id} of ${step}` });
        sim.hub.emit([{ op: 'refresh_item', name: 'ticket', id }]);
        if (step % 5 === 0) sim.link.cut();
        await sim.advance(sim.random() * 200);
        sim.link.restore();
      }
      // Watches the items like mounted rows. A first load that failed is requested again.
      const refs = [...tickets.values()].map(({ id }) =>
        dl.fetchItem(ticket, id, null, { force: dl.getItemRef(ticket, id).meta.error !== null }),
      );
      for (const ref of refs) stops.push(dl.onRefChange(ref, () => undefined));
      sim.link.rates({ drop: 0, duplicate: 0, reorder: 0 });
      await sim.advance(60_000);
      await sim.settled();
      expect(
        refs.map((ref) => ref.data?.title),
        `seed ${seed}`,
      ).toEqual([...tickets.values()].map(({ title }) => title));
      for (const stop of stops) stop();
      dl.dispose();
    }
  },
  60_000,
);

it('a loader waits for the data, throws when the request fails, and repeats it when the user comes back', async () => {
  const { sim, tickets } = desk();
  const dl = sim.createDataLayer();
  dl.register(lists.ticket);
  const load = ticketLoader(dl);
  const open = async (id: string): Promise<unknown> => {
    const [result] = await Promise.all([
      load({ params: { id } }).catch((error: unknown) => error),
      sim.settled(),
    ]);
    return result;
  };
  let isBroken = true;
  sim.route('GET /api/tickets/:id', ({ params }) =>
    isBroken ? new Response(null, { status: 503 }) : (tickets.get(params['id'] ?? '') ?? null),
  );
  expect(String(await open('6'))).toBe('Error: /api/tickets/6 could not be read (503).');
  isBroken = false;
  expect(await open('6')).toBeNull();
  expect(dl.getItemRef(lists.ticket, 6).data).toEqual({ id: 6, title: 'T6' });
  expect(await open('404')).toMatchObject({ status: 404 });
});

it('a form closes when the change is on the screen, and stays open with the error when the save fails', async () => {
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
  dl.register(lists.ticket);
  const onDone = vi.fn();
  function Page(): ReactElement {
    const title = titleOf(useItem(lists.ticket, 1).data);
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
  expect(screen.getByRole('alert').textContent).toContain('broken');
  expect(onDone).not.toHaveBeenCalled();
  isBroken = false;
  fireEvent.click(screen.getByRole('button'));
  await act(() => sim.settled());
  expect(onDone.mock.calls).toEqual([['New']]);
});

it('a dropped card is pending in its new column, is always in one column, and moves back when the server rejects the change', async () => {
  const { sim } = desk();
  const columnOf = new Map([1, 2].map((id) => [id, 'open']));
  let isRefused = false;
  sim.route('GET /api/cards', async ({ url }) => {
    const name = url.searchParams.get('column');
    await sim.sleep(name === 'open' ? 20 : 80); // One list arrives before the other.
    return { ids: [...columnOf].filter(([, column]) => column === name).map(([id]) => id) };
  });
  sim.route('PUT /api/cards/:id', async ({ params, body, clientId }) => {
    await sim.sleep(50);
    if (isRefused) return new Response(null, { status: 409 });
    columnOf.set(Number(params['id']), (body as { column: string }).column);
    return {
      directives: sim.hub.emit([{ op: 'refresh_collection', name: 'cards' }], { source: clientId }),
    };
  });
  const dl = sim.createDataLayer();
  dl.register(cards);
  const { container } = render(
    <DLProvider dl={dl}>
      <Board columns={['open', 'done']} />
    </DLProvider>,
  );
  await act(() => sim.settled());
  const shown = (): string[] =>
    ['open', 'done'].map((name) =>
      Array.from(screen.getByLabelText(name).children, (card) =>
        card.getAttribute('aria-busy') === 'true' ? `(${card.textContent})` : card.textContent,
      ).join(),
    );
  const states: string[][] = [];
  const watching = new MutationObserver(() => states.push(shown()));
  watching.observe(container, { childList: true, subtree: true });
  const drop = async (): Promise<void> => {
    states.length = 0;
    const dataTransfer = { getData: () => '1' };
    fireEvent.drop(screen.getByLabelText(columnOf.get(1) === 'open' ? 'done' : 'open'), { dataTransfer });
    await act(() => sim.settled());
  };

  await drop();
  expect(shown()).toEqual(['2', '1']);
  expect(states).toContainEqual(['2', '(1)']);
  for (const state of states)
    expect([
      ['2', '(1)'],
      ['2', '1'],
    ]).toContainEqual(state);

  isRefused = true;
  await drop();
  expect(shown()).toEqual(['2', '1']);
  expect(states).toContainEqual(['(1),2', '']);
  expect(screen.getByRole('alert').textContent).toContain('409');
  watching.disconnect();
});

afterEach(() => {
  act(end);
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

it('a session has its own data layer, so the next user sees nothing of the previous one, even in Strict Mode', async () => {
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
  vi.spyOn(console, 'warn').mockReturnValue(); // The rejected stream is logged.
  const toasts: unknown[] = [];
  const onToast = (event: Event): void => void toasts.push((event as CustomEvent).detail);
  window.addEventListener('toast', onToast);
  onTestFinished(() => window.removeEventListener('toast', onToast));
  const Title = (): string => titleOf(useItem(lists.ticket, 7).data);
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
  await expect.poll(text).toBe('first');
  const first = currentSession()?.dl;

  mayRead = false;
  act(() => begin({ id: 'ben', teamId: '2' }));
  expect(text()).toBe('…');
  await expect.poll(() => toasts).toEqual(['Error: /api/tickets/7 could not be read (404).']);
  expect(text()).toBe('…');
  expect(first?.state().sse.status).toBe('off');

  status = 401; // The session has ended on the server.
  act(() => currentSession()?.dl.configureSse({ audience: 'global' }));
  await expect.poll(text).toBe('Sign in');
  expect(currentSession()).toBeNull();
});

it('a tab reloads when another tab signs in as another user', () => {
  const sent: unknown[] = [];
  let receive = (_message: { data: unknown }): void => undefined;
  vi.stubGlobal(
    'BroadcastChannel',
    class {
      set onmessage(callback: typeof receive) {
        receive = callback;
      }
      postMessage = (data: unknown): void => void sent.push(data);
    },
  );
  vi.stubGlobal('fetch', () => new Promise(() => undefined));
  const reload = vi.fn<() => void>();
  vi.stubGlobal('location', { origin: 'https://app.test', href: 'https://app.test/', reload });
  followOtherTabs();
  receive({ data: 'ben' }); // This tab shows the sign-in.
  begin({ id: 'ann', teamId: '1' });
  expect(sent).toEqual(['ann']);
  receive({ data: 'ann' });
  receive({ data: undefined }); // The other tab has signed out.
  expect(reload).not.toHaveBeenCalled();
  receive({ data: 'ben' });
  expect(reload).toHaveBeenCalledOnce();
});
