// One of the two people: a complete client, with a data layer, a client id, and a stream of its own.

import { createDataLayer, defineCollection, defineItem, type DataLayer } from '@edict/core';
import { getJson, send, type OpenRoom } from './api.ts';
import { demoAudience, type DemoChange, type DemoTicket } from './model.ts';
import type { Side } from './journal.ts';
import type { Wire } from './wire.ts';

/** The definitions of the demo. Each person has its own, because each reads over its own wire. */
export function define(path: string, wire: Wire) {
  const ticket = defineItem('ticket', {
    fetch: (id: number, { signal }) => getJson<DemoTicket>(wire.fetch, `${path}/tickets/${id}`, signal),
    bulkFetch: (ids, _level, { signal }) =>
      getJson<DemoTicket[]>(wire.fetch, `${path}/tickets?ids=${ids.join()}`, signal),
  });
  const tickets = defineCollection('tickets', {
    of: ticket,
    fetch: (_: undefined, { signal }) => getJson<DemoTicket[]>(wire.fetch, `${path}/tickets`, signal),
  });
  return { ticket, tickets };
}

export interface Person extends ReturnType<typeof define> {
  name: Side;
  dl: DataLayer;
  wire: Wire;
  /** Changes a ticket. Resolves to the ticket after the change. `fetch`: that of a mutation, or else of the data layer. */
  change: (id: number, change: DemoChange, fetch?: DataLayer['fetch']) => Promise<DemoTicket>;
}

export function createPerson(name: Side, room: OpenRoom, wire: Wire): Person {
  const { ticket, tickets } = define(room.path, wire);
  const dl = createDataLayer({ env: { fetch: wire.fetch }, register: [ticket, tickets] });
  dl.init({
    sse: {
      url: '/api/demo/events',
      audience: demoAudience(room.name),
      // Shorter than the defaults, so that a visitor does not wait.
      initialRetryMs: 400,
      maxRetryMs: 1500,
      resyncJitterMinMs: 300,
      resyncJitterMaxMs: 900,
    },
    bulk: { retryFailedMs: 1000 },
  });
  return {
    name,
    dl,
    wire,
    ticket,
    tickets,
    async change(id, change, fetch = dl.fetch) {
      const response = await send(fetch, 'PATCH', `${room.path}/tickets/${id}`, { ...change, by: name });
      const body: { ticket: DemoTicket } = await response.json();
      return body.ticket;
    },
  };
}
