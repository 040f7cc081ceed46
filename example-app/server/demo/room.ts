// One visitor's own desk: a few tickets in memory, and an announcement for each change.

import type { Hub } from '@edict/server';
import { refreshCollection, refreshItem, type Directive } from '@edict/core/protocol';
import {
  demoAudience,
  demoPeople,
  demoStatuses,
  type DemoChange,
  type DemoPerson,
  type DemoTicket,
} from '../../src/demo/model.ts';
import { subjects } from './subjects.ts';

/** The length of the queue. A new ticket removes the oldest one from it. */
const rows = 6;
const firstId = 4990;
const colleagues = demoPeople.slice(2);

export interface Room {
  tickets: () => readonly DemoTicket[];
  ticket: (id: number) => DemoTicket | null;
  /** Changes one ticket. Resolves to the directives for the response. */
  change: (id: number, change: DemoChange, by: DemoPerson, source?: string | null) => Promise<Directive[]>;
  /** A simulated colleague does one thing. */
  act: () => Promise<void>;
  /** Simulated colleagues make `count` changes, one message each. */
  burst: (count: number) => Promise<void>;
  /** Subscribes to the messages of the hand-wired stream, which have no number and are not stored. */
  plain: (listener: (message: string) => void) => () => void;
}

export function createRoom(name: string, hub: Hub): Room {
  const audience = demoAudience(name);
  const listeners = new Set<(message: string) => void>();
  let version = 0;
  let tickets: DemoTicket[] = Array.from({ length: rows }, (_, at) => created(firstId + rows - at));

  function created(id: number): DemoTicket {
    version += 1;
    return {
      id,
      subject: subjects[id % subjects.length] ?? '',
      status: version % 3 === 0 ? 'pending' : 'open',
      assignee: version % 4 === 0 ? null : pick(demoPeople),
      version,
      changedBy: pick(colleagues),
      changedAt: Date.now(),
    };
  }

  function update(id: number, change: DemoChange, by: DemoPerson): void {
    version += 1;
    const changed = { ...change, version, changedBy: by, changedAt: Date.now() };
    tickets = tickets.map((one) => (one.id === id ? { ...one, ...changed } : one));
  }

  // First the change, then the announcement. So a client that receives it reads at least this state.
  async function announce(directives: Directive[], source: string | null = null): Promise<Directive[]> {
    for (const { name: type, id = null } of directives.filter(isRefresh)) {
      for (const listener of listeners) listener(JSON.stringify({ type, id }));
    }
    return await hub.emit(directives, { audience, source });
  }

  /** Changes the ticket so that the difference can be seen. */
  function touch(ticket: DemoTicket): Directive {
    const by = pick(colleagues);
    const others = demoStatuses.filter((one) => one !== ticket.status);
    const change: DemoChange =
      ticket.assignee !== by && Math.random() < 0.35 ? { assignee: by } : { status: pick(others) };
    update(ticket.id, change, by);
    return refreshItem('ticket', ticket.id);
  }

  return {
    tickets: () => tickets,
    ticket: (id) => tickets.find((one) => one.id === id) ?? null,
    async change(id, change, by, source = null) {
      update(id, change, by);
      return await announce([refreshItem('ticket', id)], source);
    },
    async act() {
      const roll = Math.random();
      if (roll < 0.12) {
        const newest = Math.max(...tickets.map((one) => one.id));
        tickets = [{ ...created(newest + 1), status: 'open' as const }, ...tickets].slice(0, rows);
        await announce([refreshCollection('tickets')]);
      } else {
        // Sometimes a colleague changes several tickets in one go.
        const some = shuffled(tickets).slice(0, roll < 0.3 ? 3 : 1);
        await announce(some.map(touch));
      }
    },
    async burst(count) {
      for (let done = 0; done < count; done += 1) {
        const ticket = tickets[done % tickets.length];
        if (ticket !== undefined) await announce([touch(ticket)]);
      }
    },
    plain(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

const isRefresh = (one: Directive): one is Directive & { name: string; id?: string | number } =>
  'name' in one;

function pick<T>(list: readonly T[]): T {
  const chosen = list[Math.floor(Math.random() * list.length)];
  if (chosen === undefined) throw new Error('The demo picks from an empty list.');
  return chosen;
}

const shuffled = <T>(list: readonly T[]): T[] =>
  list
    .map((one) => ({ one, at: Math.random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ one }) => one);
