// A node of the Redis backplane under test, and the calls that its sinks receive.

import { expect, onTestFinished } from 'vitest';
import type {
  Backplane,
  BackplaneLink,
  LogEntry,
  LogReader,
  LogView,
  ReplayLimits,
} from '../../src/log/backplane.ts';
import { platformEnv, type HubEnv } from '../../src/env.ts';
import { redisBackplane, type RedisBackplaneOptions } from '../../src/redis/index.ts';
import { contractLimits } from '../log/backplane.contract.ts';
import { limitMs } from './fixtures.ts';

/** One call of a sink. */
export type Told = { view: LogView } | { entries: readonly LogEntry[] } | { end: true };

/** An open log. */
export interface Reading {
  readonly reader: LogReader;
  readonly told: readonly Told[];
  readonly resets: () => LogView[];
  readonly texts: () => string[];
  readonly isEnded: () => boolean;
  /** The sequence number of the last entry or reset. */
  readonly position: () => number;
  /** Resolves when `fits` returns true. It is called after each call of the sink. */
  readonly until: (fits: () => boolean) => Promise<void>;
}

/** Connects a node that is closed after the test. */
export function connectNode(
  options: RedisBackplaneOptions,
  replay: Partial<ReplayLimits> = {},
  log: HubEnv['log'] = () => {},
): BackplaneLink {
  return connect(redisBackplane(options), replay, log);
}

function connect(backplane: Backplane, replay: Partial<ReplayLimits>, log: HubEnv['log']): BackplaneLink {
  const env = { ...platformEnv(), log };
  const link = backplane.connect({ env, replay: { ...contractLimits, ...replay } });
  onTestFinished(() => link.close());
  return link;
}

/** Adds up how long timers wait, one after the other. On a busy machine timers are late and Redis is slow, but the waits are the same. */
export interface Waits {
  readonly waitedMs: () => number;
}

/** A backplane whose node counts its waits. */
export function timedBackplane(options: RedisBackplaneOptions): { backplane: Backplane } & Waits {
  let waitedMs = 0;
  return {
    backplane: {
      connect({ env, replay }) {
        function setTimeout(run: () => void, ms: number): unknown {
          const dueAt = waitedMs + ms;
          return env.setTimeout(() => {
            waitedMs = Math.max(waitedMs, dueAt);
            run();
          }, ms);
        }
        return redisBackplane(options).connect({ env: { ...env, setTimeout }, replay });
      },
    },
    waitedMs: () => waitedMs,
  };
}

/** Connects a node that counts its waits. */
export function connectTimedNode(
  options: RedisBackplaneOptions,
  log: HubEnv['log'] = () => {},
): BackplaneLink & Waits {
  const { backplane, waitedMs } = timedBackplane(options);
  return { ...connect(backplane, {}, log), waitedMs };
}

/** Waits until `look` returns `expected`, which must need no more than `limitMs` of the node's waits. */
export async function expectSoon<T>({ waitedMs }: Waits, look: () => T, expected: T): Promise<void> {
  const before = waitedMs();
  await expect.poll(look).toEqual(expected);
  expect(waitedMs() - before).toBeLessThan(limitMs);
}

/** Opens an audience. */
export async function openLog(link: BackplaneLink, audience: string): Promise<Reading> {
  const told: Told[] = [];
  const waiting = new Set<() => void>();
  const tell = (what: Told): void => {
    told.push(what);
    for (const look of waiting) look();
  };
  const reader = link.open(audience, {
    reset: (view) => tell({ view }),
    entries: (entries) => tell({ entries }),
    end: () => tell({ end: true }),
  });
  await reader.ready;
  const resets = (): LogView[] => told.flatMap((one) => ('view' in one ? [one.view] : []));
  return {
    reader,
    told,
    resets,
    texts: () => told.flatMap(entriesOf).map(({ payload }) => payload),
    isEnded: () => told.some((one) => 'end' in one),
    position() {
      const last = told.at(-1);
      if (last === undefined) return Number.NaN;
      if ('end' in last) return Number.NaN;
      return 'view' in last ? last.view.position : (last.entries.at(-1)?.seq ?? Number.NaN);
    },
    until: (fits) =>
      new Promise((done) => {
        const look = (): void => {
          if (!fits()) return;
          waiting.delete(look);
          done();
        };
        waiting.add(look);
        look();
      }),
  };
}

function entriesOf(one: Told): readonly LogEntry[] {
  if ('end' in one) return [];
  return 'view' in one ? one.view.entries : one.entries;
}

/** Appends one payload. Resolves to its sequence number. */
export async function append(link: BackplaneLink, audience: string, payload: string): Promise<number> {
  const [appended] = await link.append([{ audience, payload }]);
  return appended?.seq ?? Number.NaN;
}

/** Repeats the append of one payload until Redis confirms it. */
export async function appendUntilConfirmed(
  link: BackplaneLink,
  audience: string,
  payload: string,
): Promise<number> {
  for (;;) {
    try {
      return await append(link, audience, payload);
    } catch {
      // Not confirmed. The test's own time limit ends this loop.
    }
  }
}
