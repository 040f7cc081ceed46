// Whatever happens on the way, RTK Query behind `connectCache`, as docs/help/migrating.md shows it, ends with the server's truth.

import { createDataLayer, type Id } from '@edict/core';
import { createSimulation } from '@edict/core/testing';
import fc from 'fast-check';
import { expect, it, vi } from 'vitest';
import { liveIn } from '../platformTime.ts';
import { parameters } from '../properties/runs.ts';
import { createTickets, goLive } from '../recipes/rtkQuery.ts';

await vi.hoisted(() => import('../platformTime.ts'));

const ids = [1, 2, 3, 4];
const teams = [undefined, 'a', 'b'];
const teamOf = (id: number): string => (id % 2 === 0 ? 'a' : 'b');

async function play(seed: number): Promise<string[]> {
  const sim = createSimulation({ seed });
  liveIn(sim);
  vi.spyOn(Date, 'now').mockImplementation(() => sim.now());
  const draw = (below: number): number => Math.floor(sim.random() * below);
  sim.link.delay([1, 120]);
  // On a good network nothing hides behind a resync.
  const isBad = seed % 2 === 0;
  if (isBad) sim.link.rates({ drop: 0.15, duplicate: 0.1, reorder: 0.1 });
  const dl = createDataLayer({ env: sim.env });
  let isCalm = false;

  const titles = new Map(ids.map((id) => [id, 0]));
  const ticketOf = (id: number): object => ({ id, title: `${titles.get(id)}` });
  const listOf = (team: string | undefined): object[] =>
    ids.filter((id) => team === undefined || teamOf(id) === team).map(ticketOf);
  const tickets = createTickets(async (asked) => {
    await sim.sleep(draw(40));
    const data =
      typeof asked === 'string'
        ? ticketOf(Number(asked.split('/').pop()))
        : listOf(asked.params?.['team'] as string | undefined); // As the endpoint asks for it.
    await sim.sleep(draw(150));
    return !isCalm && sim.random() < 0.05 ? { error: 'unlucky' } : { data };
  });
  const { store, api } = tickets;
  const { ticket, tickets: list } = api.endpoints;

  /** What a screen may show: how it is asked for, what it shows, and what is true. */
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
  function change(source: string | null): unknown[] {
    const id = 1 + draw(4);
    titles.set(id, (titles.get(id) ?? 0) + 1);
    const named: Id = draw(2) === 0 ? id : String(id);
    const item = { op: 'refresh_item', name: 'ticket', id: named } as const;
    const all = { op: 'refresh_collection', name: 'tickets' } as const;
    const ways = [
      [item, all],
      [item, { ...all, params: {} }, { ...all, params: { team: teamOf(id) }, params_mode: 'contains' }],
      [{ op: 'invalidate', targets: [all, item] }],
      [{ op: 'invalidate', kind: 'item', name: 'ticket' }],
    ];
    return sim.hub.emit((ways[draw(ways.length)] ?? []) as never, { source }); // Of both shapes.
  }
  sim.route('POST /change', ({ clientId }) => ({ directives: change(clientId) }));
  function changeOwn(): void {
    if (sim.random() < 0.2) sim.link.loseAnswers();
    dl.fetch('/change', { method: 'POST' }).catch(() => undefined);
  }

  for (let step = 0; step < 80; step++) {
    if (step === 3) dl.init();
    const chance = sim.random();
    const row = rows[draw(rows.length)];
    if (chance < 0.35 && row !== undefined) toggle(row);
    else if (chance < 0.5) changeOwn();
    else if (chance < 0.92 || !isBad) change(null);
    else if (chance < 0.96) {
      sim.link.cut();
      await sim.advance(draw(4000));
      sim.link.restore();
    } else sim.hub.restart();
    await sim.advance(draw(120));
  }
  isCalm = true;
  sim.link.rates({});
  await sim.advance(isBad ? 120_000 : 2000); // Reconnects, heartbeats and a resync.
  // What nobody shows is asked for when it is shown again, unless it is called fresh.
  for (const row of rows) if (!mounted.has(row)) toggle(row);
  await sim.advance(3000);
  const wrong = rows.flatMap(({ shown, truth }) => {
    const { status, data } = shown();
    const [its, real] = [JSON.stringify(data), JSON.stringify(truth())];
    // An error is shown as one; RTK Query keeps it until it is asked again.
    return status === 'rejected' || its === real ? [] : [`${status} ${its}, not ${real}`];
  });
  end();
  for (const hide of mounted.values()) hide();
  dl.dispose();
  store.dispatch(api.util.resetApiState());
  return wrong;
}

it('ends with the truth over a good and a bad network', { timeout: 300_000 }, async () => {
  const property = fc.asyncProperty(fc.nat(2 ** 31), async (seed) => {
    expect(await play(seed)).toEqual([]);
  });
  await fc.assert(
    property.afterEach(() => void vi.restoreAllMocks()),
    parameters(80),
  );
});
