// Runs the code blocks of docs/guides/mutations.md with real sockets, and the button in a real browser.

import type { IncomingMessage, ServerResponse } from 'node:http';
import { createDataLayer, type DataLayer, type Directive } from '@edict/core';
import { expect, it, onTestFinished } from 'vitest';
import type { Hub } from '../../src/index.ts';
import { bundle, launch, openTab } from '../support/examples.ts';
import { blockWith, openPage, visit, type RunnablePage, type Visit } from '../support/pages.ts';
import { hubForTest, serveHttp, subscribe } from '../support/servers.ts';

const guide = 'docs/guides/mutations.md';

/** The exports of the server's blocks. */
interface ServerBlocks {
  readonly closeTicket: (hub: Hub, id: number, req: IncomingMessage, res: ServerResponse) => Promise<void>;
  readonly respondEmpty: (res: ServerResponse, directives: Directive[]) => void;
}

/** A server that closes tickets as shown in the guide. Ticket 2 cannot be closed, and ticket 3 is closed without a body. */
async function setup(): Promise<{ hub: Hub; url: string; page: RunnablePage; status: () => string }> {
  const hub = hubForTest();
  const page = openPage(guide);
  const { closeTicket } = await page.run<ServerBlocks>('tickets.ts');
  const { respondEmpty } = await page.run<ServerBlocks>('respondEmpty');
  let status = 'open';
  const { url } = await serveHttp((req, res) => {
    const { pathname } = new URL(req.url ?? '/', 'http://localhost');
    const [, id = '', close] = /^\/api\/tickets\/(\d+)(\/close)?$/.exec(pathname) ?? [];
    if (pathname === '/api/events') return hub.nodeHandler(req, res);
    if (id === '' || (id === '2' && close !== undefined)) return res.writeHead(id === '' ? 404 : 409).end();
    if (close === undefined)
      return res.setHeader('content-type', 'application/json').end(JSON.stringify({ id, status }));
    status = 'closed';
    if (id === '7') return void closeTicket(hub, 7, req, res);
    return void hub
      .emit([{ op: 'refresh_item', name: 'ticket', id }])
      .then((list) => respondEmpty(res, list));
  });
  return { hub, url, page, status: () => status };
}

/** The data layer of the page, and that of another client. */
async function clients(url: string): Promise<{ dl: DataLayer; other: DataLayer; visited: Visit }> {
  const visited = visit(url);
  const { DL } = await import('@edict/core');
  const other = createDataLayer();
  for (const dl of [DL, other]) {
    dl.createType('ticket', { fetch: async (id) => (await fetch(`/api/tickets/${id}`)).json() as unknown });
    dl.init({ bulk: { delayMs: 0 } });
  }
  onTestFinished(() => [DL, other].forEach((dl) => dl.dispose()));
  await expect.poll(() => other.state().sse.lastSeq['global']).toBeTypeOf('number');
  await expect.poll(() => DL.state().sse.lastSeq['global']).toBeTypeOf('number');
  return { dl: DL, other, visited };
}

it('the response and the stream carry the same list, with sequence number, audience, source, and key', async () => {
  const { url, status } = await setup();
  const stream = await subscribe(url, '?client_id=b');
  await stream.atLeast(1);
  const response = await fetch(`${url}/api/tickets/7/close`, {
    method: 'POST',
    headers: { 'x-service-client-id': 'a' },
  });
  const answer = (await response.json()) as { ok: boolean; directives: Directive[] };
  expect(status()).toBe('closed');
  expect(answer.ok).toBe(true);
  expect(answer.directives).toMatchObject([
    { op: 'refresh_item', name: 'ticket', id: 7, source: 'a', audience: 'global' },
    {
      op: 'refresh_collection',
      name: 'tickets',
      params: { status: 'open' },
      params_mode: 'contains',
      source: 'a',
    },
  ]);
  for (const { seq, idempotency_key: key } of answer.directives) {
    expect(seq).toBeTypeOf('number');
    expect(key).toBeTypeOf('string');
  }
  const [, pushed] = await stream.atLeast(2);
  expect(pushed?.envelope?.directives).toEqual(answer.directives);
});

it('closeTicket resolves after the refetches, other clients refetch too, and no client fetches twice', async () => {
  const { url, page } = await setup();
  const { dl, other, visited } = await clients(url);
  const { closeTicket } = await page.run<{ closeTicket: (id: number) => Promise<void> }>(
    'Optional: the refetches',
  );
  const [own, others] = [dl, other].map((layer) => layer.fetchItem('ticket', 7));
  await Promise.all([dl.whenSettled(), other.whenSettled()]);
  expect(own?.data).toMatchObject({ status: 'open' });

  const applied: unknown[] = [];
  dl.onLifecycle('directive:skipped', ({ detail }) => void applied.push(detail.reason));
  await closeTicket(7);
  expect(own?.data).toMatchObject({ status: 'closed' });
  await expect.poll(() => others?.data).toMatchObject({ status: 'closed' });
  // The author also receives the stream's copies, which do nothing.
  await expect.poll(() => applied).toEqual(['own-source', 'own-source']);
  await dl.whenSettled();
  expect(visited.asked.filter((line) => line === 'GET /api/tickets/7').length).toBe(4);
  await expect(closeTicket(2)).rejects.toThrow('The ticket could not be closed (409).');
});

it('httpFetch resolves after the refetches, so a client that uses it does too', async () => {
  const { url, page } = await setup();
  const { dl, visited } = await clients(url);
  const { httpFetch } = await page.run<{ httpFetch: typeof fetch }>('httpFetch.ts');
  const ticket = dl.fetchItem('ticket', 7);
  await dl.whenSettled();
  await httpFetch('/api/tickets/7/close', { method: 'POST' });
  expect(ticket.data).toMatchObject({ status: 'closed' });
  expect((await httpFetch('/api/tickets/7')).status).toBe(200);
  expect(visited.asked.filter((line) => line === 'GET /api/tickets/7').length).toBe(3);
});

it('directives in the header of a response without a body are applied', async () => {
  const { url } = await setup();
  const { dl } = await clients(url);
  const ticket = dl.fetchItem('ticket', 3);
  await dl.whenSettled();
  const response = await dl.fetch('/api/tickets/3/close', { method: 'POST' });
  expect(response.status).toBe(204);
  await dl.whenSettled(response);
  expect(ticket.data).toMatchObject({ status: 'closed' });
});

it('another HTTP client needs only the headers and the response', async () => {
  const { url } = await setup();
  const { dl } = await clients(url);
  const ticket = dl.fetchItem('ticket', 7);
  await dl.whenSettled();
  const headers = dl.directiveHeaders();
  await dl.applyResponse(await fetch('/api/tickets/7/close', { method: 'POST', headers }));
  await dl.whenSettled();
  expect(ticket.data).toMatchObject({ status: 'closed' });
});

it('the button is disabled until its ticket shows the change, and shows the error', async () => {
  const { url } = await setup();
  const script = await bundle(
    `import { DL } from '@edict/core';
     import { useItem } from '@edict/react';
     import { createRoot } from 'react-dom/client';
     import { CloseButton } from './CloseButton.tsx';
     DL.createType('ticket', { fetch: async (id) => (await fetch('/api/tickets/' + id)).json() });
     DL.init();
     function Page({ id }) {
       const { data } = useItem('ticket', id);
       return <section aria-label={'ticket ' + id}><CloseButton id={id} /><p>{data?.status}</p></section>;
     }
     createRoot(document.body).render(<><h1>Tickets</h1><Page id={7} /><Page id={2} /></>);`,
    'browser',
    { './CloseButton.tsx': blockWith(guide, 'CloseButton').code },
  );
  const context = await (await launch()).newContext();
  const tab = await openTab(context, url, script, 'Tickets');
  const ticket = tab.getByRole('region', { name: 'ticket 7' });
  await ticket.getByText('open').waitFor();
  // Records each change: whether the button is disabled, and the text beside it.
  await ticket.evaluate((section) => {
    const seen: string[] = [];
    const note = (): void => {
      const { disabled } = section.querySelector('button') ?? { disabled: false };
      const line = `${disabled ? 'disabled' : 'enabled'} ${section.querySelector('p')?.textContent ?? ''}`;
      if (seen.at(-1) !== line) seen.push(line);
    };
    note();
    new MutationObserver(note).observe(section, {
      subtree: true,
      attributes: true,
      characterData: true,
      childList: true,
    });
    Object.assign(globalThis, { seen });
  });
  await ticket.getByRole('button').click();
  await ticket.getByText('closed').waitFor();
  await tab.waitForFunction(() => Reflect.get(globalThis, 'seen').at(-1) === 'enabled closed');
  const seen = (await tab.evaluate(() => Reflect.get(globalThis, 'seen'))) as string[];
  expect(seen[0]).toBe('enabled open');
  expect(seen[1]).toBe('disabled open');
  expect(seen.slice(1)).not.toContain('enabled open');

  const other = tab.getByRole('region', { name: 'ticket 2' });
  await other.getByRole('button').click();
  await other.getByRole('alert').waitFor();
  expect(await other.getByRole('alert').textContent()).toBe('409 Conflict');
});
