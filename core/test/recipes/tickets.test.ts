// tickets.test.ts
import { refreshCollection, refreshItem } from '@edict/core/protocol';
import { createSimulation } from '@edict/core/testing';
import { expect, it } from 'vitest';
import { defineTickets, type Ticket } from './tickets.ts';

/** A server with three tickets, and a client of the application. */
function setup() {
  const sim = createSimulation({ seed: 1 });
  const all = new Map([1, 2, 3].map((id): [string, Ticket] => [String(id), { id, status: 'open' }]));
  sim.route('GET /api/tickets', ({ url }) => {
    const status = url.searchParams.get('status');
    return [...all.values()].filter((it) => status === null || it.status === status);
  });
  sim.route('GET /api/tickets/:id', ({ params }) => all.get(params['id'] ?? ''));
  sim.route('POST /api/tickets/:id/close', ({ params, clientId }) => {
    const id = params['id'] ?? '';
    all.set(id, { id: Number(id), status: 'closed' });
    const changed = [
      refreshItem('ticket', id),
      refreshCollection('tickets', { params: { status: 'open' }, mode: 'contains' }),
    ];
    return { directives: sim.hub.emit(changed, { source: clientId }) };
  });
  const { ticket, tickets } = defineTickets(sim.env.fetch);
  const dl = sim.createDataLayer();
  dl.register(ticket, tickets);
  return { sim, dl, ticket, tickets };
}

it('shows a list of tickets with one request', async () => {
  const { sim, dl, ticket, tickets } = setup();
  const list = dl.fetchCollection(tickets);
  await sim.settled();
  const rows = list.data.ids.map((id) => dl.fetchItem(ticket, id));
  await sim.settled();
  expect(rows.map((row) => row.data?.status)).toEqual(['open', 'open', 'open']);
  const requests = sim.requests.filter(({ isStream }) => !isStream).map(({ url }) => url.pathname);
  expect(requests).toEqual(['/api/tickets']);
});

it('removes a closed ticket from the list of open ones, for the author and for others', async () => {
  const { sim, dl, tickets } = setup();
  const other = sim.createClient();
  const others = other.createDataLayer();
  others.register(...Object.values(defineTickets(other.env.fetch)));
  const lists = [dl, others].map((layer) => layer.fetchCollection(tickets, { params: { status: 'open' } }));
  await sim.settled();

  await dl.json('/api/tickets/2/close', { method: 'POST' });
  await sim.settled();
  expect(lists.map((list) => list.data.ids)).toEqual([
    [1, 3],
    [1, 3],
  ]);
});

it('shows what it missed while the network was away', async () => {
  const { sim, dl, ticket } = setup();
  const second = dl.fetchItem(ticket, 2);
  await sim.settled();
  sim.link.cut();
  await sim.advance(1000);
  const other = sim.createClient();
  await other.env.fetch('/api/tickets/2/close', { method: 'POST' });
  expect(second.data).toMatchObject({ status: 'open' });

  sim.link.restore();
  await sim.advance(5000); // The client waits before it connects again.
  await sim.settled();
  expect(second.data).toMatchObject({ status: 'closed' });
});
