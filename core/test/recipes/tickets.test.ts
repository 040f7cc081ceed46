// tickets.test.ts
import { createSimulation } from '@edict/core/testing';
import { expect, it } from 'vitest';
import { registerTickets } from './tickets.ts';

/** A server with three tickets, and a client of the application. */
function setup() {
  const sim = createSimulation({ seed: 1 });
  const tickets = new Map([1, 2, 3].map((id) => [String(id), { id, status: 'open' }]));
  sim.route('GET /api/tickets', ({ url }) =>
    (url.searchParams.get('ids') ?? '').split(',').map((id) => tickets.get(id)),
  );
  sim.route('GET /api/tickets/ids', ({ url }) => {
    const status = url.searchParams.get('status');
    return {
      ids: [...tickets.values()].filter((it) => status === null || it.status === status).map(({ id }) => id),
    };
  });
  sim.route('GET /api/tickets/:id', ({ params }) => tickets.get(params['id'] ?? ''));
  sim.route('POST /api/tickets/:id/close', ({ params, clientId }) => {
    const id = params['id'] ?? '';
    tickets.set(id, { id: Number(id), status: 'closed' });
    const directives = sim.hub.emit(
      [
        { op: 'refresh_item', name: 'ticket', id },
        { op: 'refresh_collection', name: 'tickets', params: { status: 'open' }, params_mode: 'contains' },
      ],
      { source: clientId },
    );
    return { directives };
  });
  const dl = sim.createDataLayer();
  registerTickets(dl, sim.env.fetch);
  return { sim, dl };
}

it('shows a list of tickets with two requests', async () => {
  const { sim, dl } = setup();
  const list = dl.fetchCollection('tickets');
  await sim.settled();
  for (const id of list.data.ids) dl.fetchItem('ticket', id);
  await sim.settled();
  const asked = sim.requests.filter(({ isStream }) => !isStream).map(({ url }) => url.pathname);
  expect(asked).toEqual(['/api/tickets/ids', '/api/tickets']);
});

it('takes a closed ticket off the list of open ones, for whoever closed it and for others', async () => {
  const { sim, dl } = setup();
  const other = sim.createClient();
  const others = other.createDataLayer();
  registerTickets(others, other.env.fetch);
  const lists = [dl, others].map((layer) => layer.fetchCollection('tickets', { params: { status: 'open' } }));
  await sim.settled();

  await dl.fetch('/api/tickets/2/close', { method: 'POST' });
  await sim.settled();
  expect(lists.map((list) => list.data.ids)).toEqual([
    [1, 3],
    [1, 3],
  ]);
});

it('shows what it missed while the network was away', async () => {
  const { sim, dl } = setup();
  const ticket = dl.fetchItem('ticket', 2);
  await sim.settled();
  sim.link.cut();
  await sim.advance(1000);
  const other = sim.createClient();
  await other.env.fetch('/api/tickets/2/close', { method: 'POST' });
  expect(ticket.data).toMatchObject({ status: 'open' });

  sim.link.restore();
  await sim.advance(5000); // The client waits before it connects again.
  await sim.settled();
  expect(ticket.data).toMatchObject({ status: 'closed' });
});
