// The current data, which the clients must show in the end, and the writes that change it.

import type { Directive } from '@edict/core/protocol';
import type { Chance } from './chance.ts';

export interface Ticket {
  readonly id: number;
  readonly team: string;
  readonly version: number;
}

/** The directives of one write, to be emitted. */
export interface Commit {
  readonly audience: string;
  readonly directives: Directive[];
}

/** The application's database. */
export interface Truth {
  readonly ticket: (id: number) => Ticket | null;
  readonly idsOf: (team: string) => number[];
  readonly notice: () => { id: number; version: number };
  /** Makes one random write. */
  readonly write: () => Commit;
  readonly writes: () => number;
}

export const teams = ['red', 'green', 'blue', 'grey'] as const;
export const audienceOf = (team: string): string => `team-${team}`;

/** Starts with a few tickets for each team. */
export function createTruth(chance: Chance): Truth {
  const tickets = new Map<number, Ticket>();
  let version = 0;
  let noticeVersion = 0;
  let lastId = 0;
  let writes = 0;

  function add(team: string): Ticket {
    const ticket = { id: (lastId += 1), team, version: (version += 1) };
    tickets.set(ticket.id, ticket);
    return ticket;
  }
  for (const team of teams) for (let count = 0; count < 5; count += 1) add(team);

  const key = (): { idempotency_key: string } => ({ idempotency_key: `write-${writes}` });
  const list = (team: string): Directive => ({
    op: 'refresh_collection',
    name: 'tickets',
    params: { team },
    ...key(),
  });

  function write(): Commit {
    writes += 1;
    const kind = chance.below(10);
    const team = chance.pick(teams);
    const audience = audienceOf(team);
    if (kind === 0) {
      noticeVersion += 1;
      return { audience: 'global', directives: [{ op: 'refresh_item', name: 'notice', id: 1, ...key() }] };
    }
    const ids = idsOf(team);
    if (kind === 1 && ids.length < 12) {
      add(team);
      return { audience, directives: [list(team)] };
    }
    const id = chance.pick(ids);
    if (kind === 2 && ids.length > 2) {
      tickets.delete(id);
      return { audience, directives: [list(team)] };
    }
    tickets.set(id, { id, team, version: (version += 1) });
    return { audience, directives: [{ op: 'refresh_item', name: 'ticket', id, ...key() }] };
  }

  const idsOf = (team: string): number[] =>
    [...tickets.values()].filter((ticket) => ticket.team === team).map(({ id }) => id);

  return {
    ticket: (id) => tickets.get(id) ?? null,
    idsOf,
    notice: () => ({ id: 1, version: noticeVersion }),
    write,
    writes: () => writes,
  };
}
