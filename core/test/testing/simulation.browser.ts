// The simulation in a page, where the browser reads bodies in separate tasks.

import { createSimulation } from '@edict/core/testing';
import { expect, it } from 'vitest';

it('settled and advance wait until the responses of mutations are applied', async () => {
  const sim = createSimulation();
  let title = 0;
  sim.route('GET /tickets/:id', () => ({ title }));
  sim.route('POST /tickets/:id', ({ clientId }) => {
    title++;
    return {
      directives: sim.hub.emit([{ op: 'refresh_item', name: 'ticket', id: 1 }], { source: clientId }),
      padding: 'x'.repeat(100_000),
    };
  });
  const dl = sim.createDataLayer();
  dl.createType('ticket', {
    fetch: async (id) => (await sim.env.fetch(`/tickets/${id}`)).json() as Promise<{ title: number }>,
  });
  const ticket = dl.fetchItem('ticket', 1);
  for (const wait of [sim.settled, () => sim.advance(1000)]) {
    await wait();
    expect(ticket.data).toEqual({ title });
    void dl.fetch('/tickets/1', { method: 'POST' });
    await wait();
    expect(ticket.data).toEqual({ title });
  }
  expect(title).toBe(2);
  dl.dispose();
});
