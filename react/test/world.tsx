// A data layer over a simulated server, with React around it. Time advances only when a test advances it.

import type { DataLayer, InitOptions } from '@edict/core';
import { createSimulation, type Simulation } from '@edict/core/testing';
import { DLProvider } from '@edict/react';
import { act, render, type RenderResult } from '@testing-library/react';
import type { ReactElement, ReactNode } from 'react';

export interface Ticket {
  id: number;
  title: string;
  status: string;
  body?: string;
}

export interface World {
  sim: Simulation;
  dl: DataLayer;
  /** The tickets on the server. Change one, then call `push`. */
  tickets: Map<number, Ticket>;
  /** The requests in order, as `kind id level`. */
  calls: string[];
  /** Ids, params keys, or names whose requests fail. */
  failing: Set<string>;
  /** Advances simulated time, in `act`. */
  advance: (ms: number) => Promise<void>;
  /** Applies directives and advances time until everything has settled, in `act`. */
  push: (...directives: object[]) => Promise<void>;
  wrapper: (props: { children: ReactNode }) => ReactElement;
  show: (element: ReactElement) => RenderResult;
  setTitle: (id: number, title: string) => void;
}

/** The duration of a request. */
export const requestMs = 10;

export const refreshTicket = (id: number, more: object = {}): object => ({
  op: 'refresh_item',
  name: 'ticket',
  id,
  ...more,
});

/** Registers the types and collections of the tests on a data layer. */
export function register(
  dl: DataLayer,
  {
    sleep,
    tickets,
    calls,
    failing,
  }: Pick<World, 'tickets' | 'calls' | 'failing'> & { sleep: (ms: number) => Promise<void> },
): void {
  async function answer<T>(call: string, key: string, make: () => T): Promise<T> {
    calls.push(call);
    await sleep(requestMs);
    if (failing.has(key)) throw new Error(`${key} failed`);
    return make();
  }
  const ticket = (id: string | number): Ticket => {
    const { body: _, ...rest } = tickets.get(Number(id)) ?? { id: Number(id), title: 'none', status: 'none' };
    return { ...rest };
  };
  dl.createType('ticket', {
    stalenessMs: 60_000,
    fetch: (id) => answer(`ticket ${id} default`, String(id), () => ticket(id)),
    levels: {
      full: {
        fetch: (id) =>
          answer(`ticket ${id} full`, `${id} full`, () => ({
            ...ticket(id),
            body: tickets.get(Number(id))?.body ?? '',
          })),
      },
    },
  });
  const person = (id: string | number): object => ({
    id,
    title: tickets.get(Number(id))?.title ?? `person ${id}`,
  });
  dl.createType('person', {
    stalenessMs: 60_000,
    fetch: (id) => answer(`person ${id}`, String(id), () => person(id)),
    bulkFetch: (ids) => answer(`people ${ids.join()}`, 'people', () => ids.map(person)),
  });
  dl.createCollection('tickets', {
    stalenessMs: 60_000,
    fetch: (params) =>
      answer(`tickets ${JSON.stringify(params ?? {})}`, JSON.stringify(params ?? {}), () => {
        const { status } = (params ?? {}) as { status?: string }; // The tests use no other params.
        const ids = [...tickets.values()]
          .filter((one) => status === undefined || one.status === status)
          .map(({ id }) => id);
        return { ids, count: ids.length };
      }),
  });
}

export function setup(init: InitOptions = {}): World {
  const sim = createSimulation();
  const dl = sim.createDataLayer({ sse: { enabled: false }, ...init });
  const tickets = new Map<number, Ticket>();
  for (let id = 1; id <= 5; id++) {
    tickets.set(id, {
      id,
      title: `ticket ${id}`,
      status: id % 2 === 0 ? 'closed' : 'open',
      body: `body ${id}`,
    });
  }
  const calls: string[] = [];
  const failing = new Set<string>();
  register(dl, { sleep: (ms) => sim.sleep(ms), tickets, calls, failing });
  const wrapper = ({ children }: { children: ReactNode }): ReactElement => (
    <DLProvider dl={dl}>{children}</DLProvider>
  );
  return {
    sim,
    dl,
    tickets,
    calls,
    failing,
    wrapper,
    advance: (ms) => act(() => sim.advance(ms)),
    push: (...directives) =>
      act(async () => {
        void dl.applyDirectives(directives);
        await sim.settled();
      }),
    show: (element) => render(element, { wrapper }),
    setTitle(id, title) {
      const ticket = tickets.get(id);
      if (ticket !== undefined) tickets.set(id, { ...ticket, title });
    },
  };
}
