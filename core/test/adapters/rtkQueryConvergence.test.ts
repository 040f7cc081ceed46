// After any faults, RTK Query behind `connectCache`, as in docs/help/migrating.md, has the data of the server.

import type { Id } from '@edict/core';
import { vi } from 'vitest';
import { liveIn } from '../platformTime.ts';
import { createTickets, goLive } from '../recipes/rtkQuery.ts';
import { createScene, endsWithTheTruth } from './chance.ts';

await vi.hoisted(() => import('../platformTime.ts'));

const ids = [1, 2, 3, 4];
const teams = [undefined, 'a', 'b'];
const teamOf = (id: number): string => (id % 2 === 0 ? 'a' : 'b');

endsWithTheTruth(async (seed) => {
  const { sim, dl, draw, respond, play, heal } = createScene(seed, write);
  liveIn(sim);

  const titles = new Map(ids.map((id) => [id, 0]));
  const ticketOf = (id: number): object => ({ id, title: `${titles.get(id)}` });
  const listOf = (team: string | undefined): object[] =>
    ids.filter((id) => team === undefined || teamOf(id) === team).map(ticketOf);
  const tickets = createTickets((asked) =>
    respond(
      () =>
        typeof asked === 'string'
          ? ticketOf(Number(asked.split('/').pop()))
          : listOf(asked.params?.['team'] as string | undefined), // Like the request of the endpoint.
    ).then(
      (data) => ({ data }),
      (error: unknown) => ({ error: String(error) }),
    ),
  );
  const { store, api } = tickets;
  const { ticket, tickets: list } = api.endpoints;

  /** What a screen may show: its request, its data, and the data of the server. */
  const rows = [
    ...ids.map((id) => ({
      show: () => store.dispatch(ticket.initiate(id)),
      shown: () => ticket.select(id)(store.getState()),
      truth: (): unknown => ticketOf(id),
    })),
    ...teams.map((team) => ({
      show: () => store.dispatch(list.initiate({ ...(team && { team }) })),
      shown: () => list.select({ ...(team && { team }) })(store.getState()),
      truth: (): unknown => listOf(team),
    })),
  ];
  const mounted = new Map<(typeof rows)[number], () => void>();
  function toggle(row: (typeof rows)[number]): void {
    const hide = mounted.get(row);
    if (hide === undefined) mounted.set(row, row.show().unsubscribe);
    else {
      mounted.delete(row);
      hide();
    }
  }

  const end = goLive(dl, tickets, { env: sim.env });
  function write() {
    const id = 1 + draw(4);
    titles.set(id, (titles.get(id) ?? 0) + 1);
    const named: Id = draw(2) === 0 ? id : String(id);
    const item = { op: 'refresh_item', name: 'ticket', id: named } as const;
    const all = { op: 'refresh_collection', name: 'tickets' } as const;
    return [
      [item, all],
      [item, { ...all, params: {} }, { ...all, params: { team: teamOf(id) }, params_mode: 'contains' }],
      [{ op: 'invalidate', targets: [all, item] }],
      [{ op: 'invalidate', kind: 'item', name: 'ticket' }],
    ];
  }

  await play(() => {
    const row = rows[draw(rows.length)];
    if (row !== undefined) toggle(row);
  });
  await heal();
  // An entry that is not shown is requested when it is shown again, unless it is fresh.
  for (const row of rows) if (!mounted.has(row)) toggle(row);
  await sim.advance(3000);
  const wrong = rows.flatMap(({ shown, truth }) => {
    const { status, data } = shown();
    const [its, real] = [JSON.stringify(data), JSON.stringify(truth())];
    // RTK Query keeps an error until the next request.
    return status === 'rejected' || its === real ? [] : [`${status} ${its}, not ${real}`];
  });
  end();
  for (const hide of mounted.values()) hide();
  dl.dispose();
  store.dispatch(api.util.resetApiState());
  return wrong;
});
