// The example of docs/testing.md, word for word; a test beside it holds the two together.

// #region example
import { expect, it } from 'vitest';
import { createSimulation } from '@edict/core/testing';

it('shows what somebody else changed, and recovers what was missed while offline', async () => {
  const sim = createSimulation({ seed: 1 });
  const tickets = new Map([[7, { id: 7, title: 'Printer on fire' }]]);
  sim.route('GET /tickets/:id', ({ params }) => tickets.get(Number(params['id'])));

  const dl = sim.createDataLayer();
  dl.createType('ticket', {
    fetch: async (id, { signal }) => (await sim.env.fetch(`/tickets/${id}`, { signal })).json(),
  });

  function rename(title: string): void {
    tickets.set(7, { id: 7, title });
    sim.hub.emit([{ op: 'refresh_item', name: 'ticket', id: 7 }]);
  }

  const ticket = dl.fetchItem('ticket', 7);
  await sim.settled();
  expect(ticket.data).toEqual({ id: 7, title: 'Printer on fire' });

  rename('Printer is wet now');
  await sim.settled();
  expect(ticket.data).toEqual({ id: 7, title: 'Printer is wet now' });

  sim.link.cut();
  rename('Printer was replaced');
  await sim.advance(1000);
  sim.link.restore();
  await sim.advance(2000); // The first attempt to reconnect.
  await sim.settled();
  expect(ticket.data).toEqual({ id: 7, title: 'Printer was replaced' });
});
// #endregion
