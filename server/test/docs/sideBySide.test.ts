// Runs both applications of docs/start/side-by-side.md in both versions, each in two tabs of a browser.

import { refreshItem } from '@edict/core/protocol';
import { expect, it } from 'vitest';
import { directiveRequest } from '../../src/index.ts';
import { bundle, launch, openTab } from '../support/examples.ts';
import { blockWith } from '../support/pages.ts';
import { hubForTest, serveHttp } from '../support/servers.ts';

const page = 'docs/start/side-by-side.md';

/** A server with a counter and two tickets. */
async function serve(): Promise<string> {
  const hub = hubForTest();
  let count = 0;
  const tickets = [1, 2].map((id) => ({ id, title: `Ticket ${id}`, status: 'open' }));
  const { url } = await serveHttp(async (req, res) => {
    const { pathname } = new URL(req.url ?? '/', 'http://localhost');
    if (pathname === '/api/events') return hub.nodeHandler(req, res);
    const json = (value: object): unknown =>
      res.setHeader('content-type', 'application/json').end(JSON.stringify(value));
    const { clientId } = directiveRequest(req);
    const options = { source: clientId };
    const ticket = tickets.find(({ id }) => pathname.startsWith(`/api/tickets/${id}`));
    if (req.method !== 'POST') return json(pathname === '/api/tickets' ? tickets : (ticket ?? { count }));
    if (ticket !== undefined) {
      ticket.status = 'solved';
      return json({ directives: await hub.emit([refreshItem('ticket', ticket.id)], options) });
    }
    count += 1;
    return json({ directives: await hub.emit([refreshItem('counter', 'main')], options) });
  });
  return url;
}

const codeOf: Readonly<Record<string, string>> = {
  'edictCounter.tsx': blockWith(page, 'edictCounter.tsx').code,
  'queryCounter.tsx': blockWith(page, 'queryCounter.tsx').code,
  'edictTickets.tsx': blockWith(page, 'edictTickets.tsx').code,
  'queryTickets.tsx': blockWith(page, 'queryTickets.tsx').code,
};
const files = { './read.ts': blockWith(page, 'read.ts').code };

it.each(['edictCounter.tsx', 'queryCounter.tsx'])('%s shows a click in both tabs', async (name) => {
  const url = await serve();
  const script = await bundle(codeOf[name] ?? '', 'browser', files);
  const context = await (await launch()).newContext();
  const tabs = [await openTab(context, url, script, '0'), await openTab(context, url, script, '0')] as const;
  await tabs[0].getByRole('button').click();
  for (const tab of tabs) await tab.getByText('1').waitFor();
});

it.each(['edictTickets.tsx', 'queryTickets.tsx'])(
  '%s shows a list and a detail view, and a change in both tabs',
  async (name) => {
    const url = await serve();
    const script = await bundle(codeOf[name] ?? '', 'browser', files);
    const context = await (await launch()).newContext();
    const first = await openTab(context, url, script, 'Ticket 2: open');
    const second = await openTab(context, url, script, 'Ticket 2: open');
    await first.getByText('Ticket 2: open').click();
    await first.getByRole('heading', { name: 'Ticket 2' }).waitFor();
    await first.getByRole('button', { name: 'Solve' }).click();
    for (const tab of [first, second]) await tab.getByText('Ticket 2: solved').waitFor();
    expect(await second.getByText('Ticket 1: open').count()).toBe(1);
  },
);

it.each([
  ['edictCounter.tsx', 'queryCounter.tsx'],
  ['edictTickets.tsx', 'queryTickets.tsx'],
])('%s has fewer lines than %s', (edict, query) => {
  const lines = (name: string): number =>
    (codeOf[name] ?? '').split('\n').filter((line) => line.trim() !== '').length;
  expect(lines(edict)).toBeLessThan(lines(query));
});
