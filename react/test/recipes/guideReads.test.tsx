// The code blocks of docs/guides about reads, errors, and deletions, without changes.

import { createSimulation, type Simulation } from '@edict/core/testing';
import { refreshCollection, refreshItem, removeItem } from '@edict/core/protocol';
import { DLProvider, useCollection, useItem } from '@edict/react';
import type { DataLayer, Definition } from '@edict/core';
import { act, fireEvent, render, screen } from '@testing-library/react';
import type { Hub } from '@edict/server';
import { useState, type ReactElement, type ReactNode } from 'react';
import { afterEach, beforeEach, expect, expectTypeOf, it, vi } from 'vitest';
import { dl as adapted, queryClient } from './guides/adapter.ts';
import { Author, story, user } from './guides/Author.tsx';
import { Comments, comments } from './guides/Comments.tsx';
import { ticketDeleted } from './guides/deleteTicket.ts';
import { Detail, invoice } from './guides/Detail.tsx';
import { reportErrors } from './guides/errorReport.ts';
import { post, posts } from './guides/feed.ts';
import { Feed } from './guides/Feed.tsx';
import { FeedPage } from './guides/FeedPage.tsx';
import { ticket, tickets } from './guides/lists.ts';
import { member, members } from './guides/members.ts';
import { messageOf } from './guides/messageOf.ts';
import { Pages } from './guides/Pages.tsx';
import { report } from './guides/retries.ts';
import { found, Search } from './guides/Search.tsx';
import { TicketList } from './guides/TicketList.tsx';
import { TicketTable } from './guides/TicketTable.tsx';
import * as first from './guides/Title.tsx';
import * as typed from './guides/typed.ts';

let sim: Simulation;

beforeEach(() => {
  sim = createSimulation({ seed: 1 });
  vi.stubGlobal('fetch', sim.env.fetch);
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const text = (): string => document.body.textContent;
const settled = (): Promise<void> => act(() => sim.settled());
const requests = (): string[] =>
  sim.requests.filter(({ isStream }) => !isStream).map(({ url }) => url.pathname + url.search);

async function show(element: ReactElement, definitions: readonly Definition[]) {
  const dl = sim.createDataLayer();
  dl.register(...definitions);
  const wrapper = ({ children }: { children: ReactNode }) => <DLProvider dl={dl}>{children}</DLProvider>;
  const view = render(element, { wrapper });
  await settled();
  return { dl, ...view };
}

/** Emits as another client, and waits for the refetches. */
const changed = async (directives: Parameters<Simulation['hub']['emit']>[0]): Promise<void> => {
  sim.hub.emit(directives);
  await settled();
};

it('shows a list with one request, and refetches one row of it', async () => {
  const titles = ['First', 'Second'];
  const read = (id: number) => ({ id, title: titles[id - 1] });
  sim.route('GET /api/tickets', () => [1, 2].map(read));
  sim.route('GET /api/tickets/:id', ({ params }) => read(Number(params['id'])));
  await show(<TicketList page={0} />, [ticket, tickets]);
  expect(text()).toBe('FirstSecond');
  titles[1] = 'New';
  await changed([refreshItem('ticket', 2)]);
  expect(text()).toBe('FirstNew');
  expect(requests()).toEqual(['/api/tickets?page=0', '/api/tickets/2']);
});

it('shows one title, and follows a change', async () => {
  let title = 'Printer on fire';
  sim.route('GET /api/tickets/7', () => ({ title }));
  await show(<first.Title id={7} />, [first.ticket]);
  expect(text()).toBe('Printer on fire');
  title = 'Printer repaired';
  await first.ticketChanged({ emit: changed } as unknown as Hub, 7);
  expect(text()).toBe('Printer repaired');
});

it('shows the rows of a table, and refetches one of them', async () => {
  const titles = ['First', 'Second'];
  const read = (id: number) => ({ id, title: titles[id - 1] });
  sim.route('GET /api/tickets', () => [1, 2].map(read));
  sim.route('GET /api/tickets/:id', ({ params }) => read(Number(params['id'])));
  const Table = ({ rows }: { rows: { title: string }[] }) => rows.map(({ title }) => title).join();
  await show(<TicketTable page={0} Table={Table} />, [ticket, tickets]);
  expect(text()).toBe('First,Second');
  titles[1] = 'New';
  await changed([refreshItem('ticket', 2)]);
  expect(text()).toBe('First,New');
  expect(requests()).toEqual(['/api/tickets?page=0', '/api/tickets/2']);
});

it('reads items without an endpoint from their list, with one request', async () => {
  const names = new Map(['ann', 'ben', 'cid'].map((id) => [id, id]));
  sim.route('GET /api/members', () => [...names].map(([id, name]) => ({ id, name })));
  const dl = sim.createDataLayer();
  dl.register(member, members);
  const list = dl.fetchCollection(members);
  await sim.settled();
  const rows = list.data.ids.map((id) => dl.fetchItem(member, id));
  names.set('ann', 'Ann').set('ben', 'Ben').delete('cid');
  sim.hub.emit(['ann', 'ben'].map((id) => refreshItem('member', id)));
  await sim.settled();
  expect(rows.map((row) => row.data?.name)).toEqual(['Ann', 'Ben', 'cid']);
  expect(requests()).toHaveLength(2);
  sim.hub.emit([refreshItem('member', 'cid')]);
  await sim.settled();
  expect(rows[2]?.data).toBeNull();
});

it('keeps the previous page on the screen while the next one loads', async () => {
  sim.route('GET /api/tickets', ({ url }) => {
    const id = Number(url.searchParams.get('page')) + 1;
    return [{ id, title: `Ticket ${id}` }];
  });
  const onPage = vi.fn();
  const { rerender } = await show(<Pages page={0} onPage={onPage} />, [ticket, tickets]);
  const list = () => screen.getByRole('list');
  expect(list().textContent).toBe('Ticket 1');
  fireEvent.click(screen.getByText('Next'));
  expect(onPage).toHaveBeenCalledWith(1);
  rerender(<Pages page={1} onPage={onPage} />);
  expect([list().textContent, list().getAttribute('aria-busy')]).toEqual(['Ticket 1', 'true']);
  await settled();
  expect([list().textContent, list().getAttribute('aria-busy')]).toEqual(['Ticket 2', 'false']);
});

it('searches after the user has paused typing', async () => {
  sim.route('GET /api/search', ({ url }) => ({ ids: [url.searchParams.get('q')?.length] }));
  await show(<Search />, [found]);
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  for (const value of ['p', 'pr', 'pri']) {
    fireEvent.change(screen.getByRole('searchbox'), { target: { value } });
    act(() => void vi.advanceTimersByTime(150));
  }
  expect(requests()).toEqual([]);
  act(() => void vi.advanceTimersByTime(50));
  vi.useRealTimers();
  await settled();
  expect(requests()).toEqual(['/api/search?q=pri']);
  expect(screen.getByRole('status').textContent).toBe('3');
});

it('shows the pages of a feed as one list, and refetches every page', async () => {
  let edition = 'a';
  sim.route('GET /api/posts', ({ url }) => {
    const first = Number(url.searchParams.get('after') ?? 0) + 1;
    const items = [first, first + 1].map((id) => ({ id, text: `${edition}${id} ` }));
    return { items, info: { next: first === 3 ? null : '2' } };
  });
  await show(<Feed />, [post, posts]);
  expect(text()).toBe('a1 a2 More');
  fireEvent.click(screen.getByText('More'));
  await settled();
  expect(text()).toBe('a1 a2 a3 a4 ');
  edition = 'b';
  await changed([refreshCollection('posts')]);
  expect(text()).toBe('b1 b2 b3 b4 ');
});

it('shows the pages of an endless list again without a request', async () => {
  sim.route('GET /api/posts', ({ url }) => {
    const first = Number(url.searchParams.get('after') ?? 0) + 1;
    return { items: [{ id: first, text: '' }], info: { next: first === 3 ? null : String(first) } };
  });
  function App(): ReactElement {
    const [shown, setShown] = useState(1);
    const [isOpen, setOpen] = useState(true);
    return (
      <>
        <button onClick={() => setOpen(!isOpen)}>Leave</button>
        {isOpen && <FeedPage shown={shown} onMore={() => setShown(shown + 1)} />}
      </>
    );
  }
  await show(<App />, [post, posts]);
  fireEvent.click(screen.getByText('More'));
  await settled();
  const before = text();
  expect(before).toBe('Leave1, 2More');
  fireEvent.click(screen.getByText('Leave'));
  expect(text()).toBe('Leave');
  fireEvent.click(screen.getByText('Leave'));
  expect(text()).toBe(before);
  await settled();
  expect(requests()).toEqual(['/api/posts', '/api/posts?after=1']);
});

it('reads an item and a list after the item that they depend on', async () => {
  sim.route('GET /api/stories/:id', () => ({ title: 'Fire', authorId: 'ann' }));
  sim.route('GET /api/users/:id', ({ params }) => ({ name: params['id']?.toUpperCase() }));
  sim.route('GET /api/comments', ({ url }) => ({ ids: [url.search.length, 2] }));
  await show(
    <>
      <Author storyId={7} />
      <Comments storyId={7} />
    </>,
    [story, user, comments],
  );
  expect(text()).toBe('Fire, by ANN2 comments');
  expect(requests()).toEqual(['/api/stories/7', '/api/users/ann', '/api/comments?authorId=ann']);
});

it('retries a request that the server could not handle, but not one that it rejected', async () => {
  let failures = 2;
  sim.route('GET /api/reports/:id', ({ params }) => {
    if (params['id'] === '2')
      return new Response(JSON.stringify({ message: 'Only agents read reports.' }), { status: 403 });
    failures -= 1;
    return failures < 0 ? { total: 5 } : new Response(null, { status: 503 });
  });
  const dl = sim.createDataLayer();
  dl.register(report);
  const messages: string[] = [];
  const end = reportErrors(dl, (message) => messages.push(message));
  const [first, second] = [1, 2].map((id) => dl.fetchItem(report, id));
  await sim.settled();
  expect(first?.data).toEqual({ total: 5 });
  expect(second?.meta.error).toContain('Only agents read reports.');
  expect(requests().toSorted()).toEqual([
    '/api/reports/1',
    '/api/reports/1',
    '/api/reports/1',
    '/api/reports/2',
  ]);
  expect(messages).toHaveLength(1);
  end();
  dl.fetchItem(report, 2, null, { force: true });
  await sim.settled();
  expect(messages).toHaveLength(1);
});

it('shows what the server said about a wrong request, and one sentence for every other failure', async () => {
  const responses: Record<string, () => Response> = {
    refused: () => new Response(JSON.stringify({ message: 'Only agents close tickets.' }), { status: 403 }),
    proxy: () => new Response('<h1>Bad Gateway</h1>', { status: 502 }),
    lost: () => {
      throw new TypeError('Failed to fetch');
    },
  };
  sim.route('POST /api/:kind', ({ params }) => responses[params['kind'] ?? '']?.());
  const dl = sim.createDataLayer();
  const messages = Object.keys(responses).map((kind) =>
    dl.json(`/api/${kind}`, { method: 'POST' }).catch(messageOf),
  );
  await sim.settled();
  expect(await Promise.all(messages)).toEqual([
    'Only agents close tickets.',
    'The server cannot be reached at the moment.',
    'The server cannot be reached at the moment.',
  ]);
});

it('shows that an invoice was deleted, by a directive and by an old link', async () => {
  const invoices = new Map([['7', { title: 'March' }]]);
  sim.route(
    'GET /api/invoices/:id',
    ({ params }) => invoices.get(params['id'] ?? '') ?? new Response(null, { status: 404 }),
  );
  const { rerender } = await show(<Detail id={7} />, [invoice]);
  expect(text()).toContain('March');
  invoices.clear();
  await changed([removeItem('invoice', 7)]);
  expect(text()).toBe('This invoice was deleted.');
  expect(requests()).toEqual(['/api/invoices/7']);
  rerender(<Detail id={8} />);
  await settled();
  expect(text()).toBe('This invoice was deleted.');
});

it('emits the lists and the removal of a deleted ticket', async () => {
  const emit = vi.fn();
  void ticketDeleted({ emit } as unknown as Parameters<typeof ticketDeleted>[0], 7, 'a');
  expect(emit).toHaveBeenCalledWith([refreshCollection('tickets'), removeItem('ticket', 7)], { source: 'a' });
});

it('invalidates the queries of a cache that an adapter connects', async () => {
  adapted.disconnectSse();
  queryClient.setQueryData(['ticket', 7], 'old');
  await adapted.applyDirectives([refreshItem('ticket', 7)]);
  await expect.poll(() => queryClient.getQueryState(['ticket', 7])?.isInvalidated).toBe(true);
  adapted.dispose();
});

it('infers all types from the fetch functions', () => {
  const { ticket: item, tickets: list } = typed;
  /** Never called: its types are the test. */
  function Typed(): void {
    expectTypeOf(useItem(item, 7).data).toEqualTypeOf<{ id: number; title: string } | null>();
    expectTypeOf(useItem(item, 7, 'full').data).toExtend<{ text: string } | null>();
    expectTypeOf(useCollection(list).data.info?.total).toEqualTypeOf<number | undefined>();
    // @ts-expect-error the id is a number
    useItem(item, '7');
    // @ts-expect-error the status is 'new' or 'done'
    useCollection(list, { params: { status: 'open' } });
    refreshItem(item, 7, { level: 'default', result: { id: 7, title: '' } });
  }
  expectTypeOf<ReturnType<typeof Typed>>().toBeVoid();
  expectTypeOf<DataLayer>().toHaveProperty('register');
});
