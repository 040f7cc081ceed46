// Measured values: the time at which each change was on each screen, and the number of requests.

import { createSignal } from '../signal.ts';
import type { Clock } from './clock.ts';
import type { Side } from './journal.ts';
import type { DemoTicket } from './model.ts';
import type { Person } from './person.ts';

export interface Sample {
  side: Side;
  ms: number;
}

export interface Counts {
  samples: readonly Sample[];
  /** Refetches that directives asked for, on all paths. */
  announced: number;
  /** Requests that were sent for them. */
  requests: number;
}

export interface Measures {
  counts: () => Counts;
  subscribe: (listener: () => void) => () => void;
  /** A row of a screen was painted with a new version. */
  shown: (side: Side, ticket: DemoTicket) => void;
  /** Resolves to the time (`performance.now`) when the screen showed this or a newer version of the ticket. */
  whenShown: (side: Side, ticket: Pick<DemoTicket, 'id' | 'version'>) => Promise<number>;
}

const keptSamples = 60;

/** `180 ms`, `2.4 s`, without a line break in it. */
export const timeWords = (ms: number): string =>
  ms < 1000 ? `${Math.round(ms)}\u{a0}ms` : `${(ms / 1000).toFixed(1)}\u{a0}s`;

export function createMeasures(people: readonly Person[], clock: Clock): Measures {
  const { subscribe, announce } = createSignal();
  const seen = new Map<string, { version: number; at: number }>();
  const waiting = new Set<() => void>();
  let counts: Counts = { samples: [], announced: 0, requests: 0 };
  const key = (side: Side, id: number): string => `${side} ${id}`;

  for (const { dl, wire, tickets } of people) {
    void dl.prefetchCollection(tickets).then(() => {
      let before = wire.reads();
      let announced = 0;
      // Both numbers change together, after the requests. Until then a refetch that is announced would look like a saved one.
      const update = (): void => {
        const sent = wire.reads() - before;
        counts = {
          ...counts,
          announced: counts.announced + announced,
          requests: counts.requests + sent,
        };
        before += sent;
        announced = 0;
        announce();
      };
      dl.onLifecycle('directive:received', ({ detail }) => {
        announced += detail.directives.length;
        void Promise.resolve()
          .then(() => dl.whenSettled())
          .then(update);
      });
    });
  }

  return {
    counts: () => counts,
    subscribe,
    shown(side, ticket) {
      const before = seen.get(key(side, ticket.id));
      seen.set(key(side, ticket.id), { version: ticket.version, at: performance.now() });
      // The page fetched the first version when it opened, so its age is not a latency.
      if (before !== undefined && before.version < ticket.version) {
        const ms = Math.max(1, Date.now() + clock.aheadMs() - ticket.changedAt);
        counts = { ...counts, samples: [...counts.samples, { side, ms }].slice(-keptSamples) };
        announce();
      }
      for (const check of waiting) check();
    },
    whenShown: (side, { id, version }) =>
      new Promise((resolve) => {
        const check = (): void => {
          const found = seen.get(key(side, id));
          if (found === undefined || found.version < version) return;
          waiting.delete(check);
          resolve(found.at);
        };
        waiting.add(check);
        check();
      }),
  };
}
