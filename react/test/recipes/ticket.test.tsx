// @vitest-environment jsdom
import { defineItem } from '@edict/core';
import { refreshItem } from '@edict/core/protocol';
import { createSimulation } from '@edict/core/testing';
import { DLProvider, useItem, useMutation } from '@edict/react';
import { act, cleanup, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, expect, it } from 'vitest';

let status = '';
const ticket = defineItem('ticket', { fetch: (id: number) => ({ id, status }) });

function Ticket({ id }: { id: number }) {
  const { data } = useItem(ticket, id);
  const close = useMutation((_: void, { json }) => json(`/api/tickets/${id}/close`, { method: 'POST' }));
  return (
    <>
      <h1>{data?.status ?? 'Loading …'}</h1>
      <button onClick={() => void close.run()}>Close</button>
      {close.error !== null && <p role="alert">{close.error.message}</p>}
    </>
  );
}

async function renderTicket() {
  status = 'open';
  const sim = createSimulation();
  const dl = sim.createDataLayer();
  dl.register(ticket);
  render(
    <DLProvider dl={dl}>
      <Ticket id={7} />
    </DLProvider>,
  );
  await act(() => sim.settled());
  return sim;
}

afterEach(cleanup);

it('closes a ticket', async () => {
  const sim = await renderTicket();
  sim.route('POST /api/tickets/:id/close', ({ params, clientId }) => {
    status = 'closed';
    return { directives: sim.hub.emit([refreshItem('ticket', params['id'] ?? '')], { source: clientId }) };
  });
  expect(screen.getByRole('heading').textContent).toBe('open');
  fireEvent.click(screen.getByRole('button'));
  await act(() => sim.settled());
  expect(screen.getByRole('heading').textContent).toBe('closed');
});

it('shows why a ticket could not be closed', async () => {
  const sim = await renderTicket();
  sim.route('POST /api/tickets/:id/close', () => new Response(null, { status: 403 }));
  fireEvent.click(screen.getByRole('button'));
  await act(() => sim.settled());
  expect(screen.getByRole('alert').textContent).toContain('403');
});
