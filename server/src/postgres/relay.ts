// Delivers the committed rows of the outbox to a hub, until it is closed.

import { guardedLog, platformEnv, type HubEnv } from '../env.ts';
import type { Hub } from '../hub.ts';
import { durationOr, functionOrNone, membersOf, wrong } from '../optionErrors.ts';
import { createBacklogMeter } from './backlogMeter.ts';
import { databaseOf, type RelaySource } from './database.ts';
import { databaseError } from './databaseError.ts';
import { audiencesPerPass, deliver, type Selection } from './delivery.ts';
import { createListening } from './listening.ts';
import { createRetries, waitMs } from './retries.ts';
import { namesOf, type OutboxPlace } from './schema.ts';

/** Options of `createRelay`. */
export interface RelayOptions extends OutboxPlace {
  /** The database of the outbox: a postgres.js client, a PGlite, a `pg` pool, a Drizzle database over one of them, or an adapter. */
  db: RelaySource;
  /**
   * The hub that receives the directives. The relay sets aside a row for which `emit` rejects with a `TypeError`, and tries again after any other
   * error. The metrics of a hub of `createHub` then contain `outbox`.
   */
  hub: Pick<Hub, 'emit'>;
  /** How often the relay looks for rows when no commit notified it. Milliseconds, default 1000. */
  pollMs?: number | undefined;
  /** Receives log lines. May be async. Default: the console. */
  log?: HubEnv['log'] | undefined;
}

/** A running relay. */
export interface Relay {
  /**
   * Looks for rows now, also for audiences that wait for another attempt. Resolves to the number of rows that were delivered or set aside: 0 if
   * another relay is at work. Rejects with the message and the `code` of the database if it refuses, or with the error of the hub if an audience
   * could not be delivered. The other audiences are delivered before it rejects.
   */
  drain(): Promise<number>;
  /** Stops the relay. Resolves when the pass in progress is complete. The next relay delivers the remaining rows. */
  close(): Promise<void>;
}

/** Runs passes one after the other. */
function createLane(): { run: <T>(work: () => Promise<T>) => Promise<T>; idle: () => Promise<unknown> } {
  let last: Promise<unknown> = Promise.resolve();
  return {
    run(work) {
      const next = last.then(work);
      last = next.catch(() => {});
      return next;
    },
    idle: () => last,
  };
}

/**
 * Starts a relay. It delivers committed rows until it is closed. Run one wherever a hub runs: several relays share the work by audience, and take
 * over from one another. If the hub does not accept an audience, the relay logs that and tries this audience again, in order, while it
 * delivers the others. A row that can never be delivered stays in the table with its `refusal`, and is logged. Throws a `TypeError` that
 * names a wrong option.
 */
export function createRelay(options: RelayOptions): Relay {
  membersOf(options, ['db', 'hub', 'table', 'pollMs', 'log'], 'createRelay');
  functionOrNone('createRelay: log', options.log);
  const { db, hub } = options;
  const database = databaseOf(db);
  const names = namesOf(options);
  if (typeof hub?.emit !== 'function') throw wrong('createRelay: hub', 'what createHub returns', hub);
  const pollMs = durationOr(1000, 'createRelay: pollMs', options.pollMs);
  const platform = platformEnv();
  const env: HubEnv = { ...platform, log: guardedLog(platform, options.log) };
  const needs = { database, hub, names, env };
  const subject = `Outbox ${names.table}`;

  let isClosed = false;
  let hasNews = false;
  let failures = 0;
  let retryTimer: unknown = null;
  /** Ends the pause between two checks for rows. */
  let wake = (): void => {};
  const retries = createRetries(env, pollMs);
  const meter = createBacklogMeter(needs, pollMs);
  const main = createLane();
  /**
   * Failing audiences are processed separately, so that the time until the hub refuses them does not delay other
   * audiences.
   */
  const retrying = createLane();

  async function pass(selection: Selection): Promise<{ done: number; hasFailed: boolean }> {
    const { audiences, done, failures: failed } = await deliver(needs, selection);
    retries.record(audiences, failed);
    if ('only' in selection) retries.postpone(selection.only);
    const [first] = failed;
    if (first !== undefined) {
      const [audience, error] = first;
      const others = failed.size === 1 ? '' : ` (and ${failed.size - 1} more)`;
      const whose = `the directives for audience ${JSON.stringify(audience)}${others}`;
      env.log('warn', `${subject}: the hub did not accept ${whose}. The relay tries again.`, error);
    }
    scheduleRetry();
    return { done, hasFailed: failed.size > 0 };
  }

  /** Delivers until no audience has rows that the hub accepts. */
  async function deliverAll(): Promise<number> {
    let total = 0;
    while (!isClosed) {
      const { done, hasFailed } = await main.run(() => pass({ except: retries.audiences() }));
      total += done;
      if (done === 0 && !hasFailed) break;
    }
    return total;
  }

  const retry = (audiences: readonly string[]): Promise<number> =>
    retrying.run(async () => {
      let total = 0;
      for (let from = 0; from < audiences.length && !isClosed; from += audiencesPerPass)
        total += (await pass({ only: audiences.slice(from, from + audiencesPerPass) })).done;
      return total;
    });

  const drainAll = async (): Promise<number> => (await retry(retries.audiences())) + (await deliverAll());

  function scheduleRetry(atLeastMs = 1): void {
    if (isClosed || retryTimer !== null || retries.size() === 0) return;
    retryTimer = env.setTimeout(() => void retryDue(), Math.max(atLeastMs, retries.nextInMs()));
  }

  async function retryDue(): Promise<void> {
    let waitAtLeastMs = 1;
    try {
      if ((await retry(retries.due())) > 0) onNews();
    } catch {
      waitAtLeastMs = pollMs; // The main lane reports what is wrong with the database.
    }
    retryTimer = null;
    scheduleRetry(waitAtLeastMs);
  }

  function pause(ms: number): Promise<void> {
    if (hasNews || isClosed) return Promise.resolve();
    return new Promise((done) => {
      const timer = env.setTimeout(() => wake(), ms);
      wake = () => {
        env.clearTimeout(timer);
        wake = () => {};
        done();
      };
    });
  }

  function onNews(): void {
    hasNews = true;
    wake();
  }

  const listening = createListening(database, names.channel, pollMs, onNews, env.log);

  async function work(): Promise<void> {
    while (!isClosed) {
      if (!hasNews) listening.begin(); // Only after a pause: a connection that is lost each time is not opened in a loop.
      hasNews = false;
      try {
        await deliverAll();
        await meter.measure();
        failures = 0;
        await pause(pollMs);
      } catch (error) {
        failures += 1;
        env.log('warn', `${subject}: the database refused. The relay tries again.`, databaseError(error));
        await pause(waitMs(failures, pollMs, env));
      }
    }
  }

  const working = work();

  return {
    async drain() {
      const total = await drainAll().catch((error: unknown) => {
        throw databaseError(error);
      });
      const error = retries.error();
      if (error !== null) throw error;
      return total;
    },
    async close() {
      isClosed = true;
      env.clearTimeout(retryTimer);
      wake();
      const unlistened = listening.end(); // First: a pass in progress may wait for the connection that listens.
      await working;
      await Promise.all([main.idle(), retrying.idle()]);
      await unlistened;
      meter.detach();
    },
  };
}
