// Requests: begin, settle, follow up. At most one is in flight for a slot; whoever needs a newer answer than the one in
// flight will give queues one follow-up (D-FETCH-1, D-FETCH-2).
//
//   request 1   |-----------------|                 its answer is shown, but older than the directive: stays stale
//   directive          x..window..|(queued)
//   request 2                     |--------------|  begun after the directive: its answer is fresh

import type { Announce } from './announce.ts';
import type { Cache } from './cache.ts';
import { createDeadlines } from './deadlines.ts';
import type { Flight, FollowUp, Slot, Source } from './entries.ts';
import { isBusy, isWatched } from './entries.ts';
import type { Env } from './env.ts';
import type { Id } from './protocol/directive.ts';
import { accept, byId, validate } from './rules/answers.ts';
import { isSlotStale } from './rules/freshness.ts';
import type { Settings } from './rules/options.ts';
import type { FetchContext } from './types.ts';

/** A slot that somebody needs a request for. */
export interface Want {
  slot: Slot;
  silent: boolean;
  /** `force: true` asked for it. */
  forced: boolean;
  /** A directive or a resync asked for it. */
  owed: boolean;
  /** Slots that count on the conversions of its payload. */
  needs: Slot[] | null;
}

export interface Fetching {
  /** Requests each: at once, or behind the request in flight where that is too old. */
  begin: (wants: readonly Want[]) => void;
  /** Makes sure that a request begun from now on follows the one in flight. */
  followUp: (slot: Slot, want: Omit<Want, 'slot'>) => void;
  /** When the oldest request began, ms since the epoch (D-SSE-8). */
  oldestRequestAt: () => number | null;
  noteRequestAt: (at: number) => void;
  dispose: () => void;
}

type Outcome = { payload: unknown } | { error: unknown };
type Outcomes = readonly (readonly [Flight, Outcome])[];

/** Requests that one call of a fetch function serves. */
interface Call {
  readonly source: Source;
  flights: readonly Flight[];
  readonly ctx: Context;
}

const retryCeilingMs = 30_000;

/** What a fetch function gets last. The signal is made when somebody asks for it. */
class Context implements FetchContext {
  #abort: AbortController | null = null;
  #reason: unknown = undefined;

  constructor(
    readonly level: string,
    readonly qid: string,
    readonly force: boolean,
  ) {}

  get signal(): AbortSignal {
    if (this.#abort === null) {
      this.#abort = new AbortController();
      if (this.#reason !== undefined) this.#abort.abort(this.#reason);
    }
    return this.#abort.signal;
  }

  end(reason: Error): void {
    this.#reason = reason;
    this.#abort?.abort(reason);
  }
}

function named(name: string, message: string): Error {
  const error = new Error(message);
  error.name = name;
  return error;
}

/** How many that count on the same payload there are, without doubles. */
const union = (a: Slot[] | null, b: Slot[] | null): Slot[] | null =>
  a === null ? b : b === null ? a : [...new Set([...a, ...b])];

export function createFetching(
  env: Env,
  cache: Cache,
  announce: Announce,
  settings: () => Settings,
  onFirstRequest: () => void,
): Fetching {
  const calls = createDeadlines<Call>(env, (call) => {
    const error = named(
      'TimeoutError',
      `no answer for "${call.flights[0]?.slot.entry.def.name}" within ${call.source.timeoutMs} ms`,
    );
    call.ctx.end(error);
    close(call, () => settle(call.flights.map((flight) => [flight, { error }])));
  });
  const open = new Set<Call>();
  const retries = new Map<Slot, { timer: unknown; delayMs: number }>();
  let queries = 0;
  let oldestRequestAt: number | null = null;
  let isDisposed = false;

  /** Ends a call, once: a late answer finds it closed. */
  function close(call: Call, then: () => void): void {
    if (!open.delete(call)) return;
    calls.remove(call, call.source.timeoutMs);
    then();
  }

  function run(
    call: Call,
    ask: () => unknown,
    answered: (answer: unknown) => Outcomes | Promise<Outcomes>,
  ): void {
    open.add(call);
    calls.add(call, call.source.timeoutMs);
    const end = (outcomes: Outcomes): void => close(call, () => settle(outcomes));
    const fail = (error: unknown): void => end(call.flights.map((flight) => [flight, { error }]));
    let answer: unknown;
    try {
      answer = ask();
    } catch (error) {
      answer = Promise.reject(error);
    }
    void Promise.resolve(answer).then((value) => {
      if (!open.has(call)) return undefined; // It came too late.
      try {
        const outcomes = answered(value);
        if (outcomes instanceof Promise) return outcomes.then(end);
        end(outcomes);
      } catch (error) {
        fail(error);
      }
      return undefined;
    }, fail);
  }

  /** What an answer comes to for one flight; a promise where its schema takes its time. */
  function judge(flight: Flight, source: Source, answer: unknown): Outcome | Promise<Outcome> {
    try {
      const { def } = flight.slot.entry;
      const valid = validate(def, source.schema, answer);
      if (valid instanceof Promise) {
        return valid
          .then((payload: unknown) => ({ payload: accept(def, payload) }))
          .catch((error: unknown) => ({ error }));
      }
      return { payload: accept(def, valid) };
    } catch (error) {
      return { error };
    }
  }

  function judgeAll(
    pairs: readonly (readonly [Flight, unknown])[],
    source: Source,
  ): Outcomes | Promise<Outcomes> {
    const outcomes = pairs.map(([flight, answer]) => judge(flight, source, answer));
    const pair = (list: readonly Outcome[]): Outcomes =>
      list.map((outcome, i) => [pairs[i]?.[0] as Flight, outcome]); // One outcome a pair, in order.
    return outcomes.some((outcome) => outcome instanceof Promise)
      ? Promise.all(outcomes.map(async (outcome) => outcome)).then(pair)
      : pair(outcomes as Outcome[]);
  }

  function single(source: Source, flight: Flight): void {
    const ctx = new Context(source.level, flight.qid, flight.force);
    run(
      { source, flights: [flight], ctx },
      () => source.fetch(flight.slot.entry, ctx),
      (answer) => judgeAll([[flight, answer]], source),
    );
  }

  function bulk(source: Source, flights: readonly Flight[], ask: NonNullable<Source['bulkFetch']>): void {
    const first = flights[0] as Flight; // A batch has two or more.
    const ctx = new Context(
      source.level,
      first.qid,
      flights.some((flight) => flight.force),
    );
    const ids: Id[] = flights.map((flight) => flight.slot.entry.id);
    const call: Call = { source, flights, ctx };
    run(
      call,
      () => ask(ids, source.level, ctx),
      (answer) => {
        const found = byId(first.slot.entry.def, answer);
        call.flights = flights.filter((flight) => found.has(flight.slot.entry.key));
        for (const flight of flights) {
          if (call.flights.length === flights.length || found.has(flight.slot.entry.key)) continue;
          // Missing from the answer: fetched singly, in parallel (D-DIR-6).
          flight.strategy = 'direct';
          single(source, flight);
        }
        return judgeAll(
          call.flights.map((flight) => [flight, found.get(flight.slot.entry.key)]),
          source,
        );
      },
    );
  }

  /** Registers every request before any fetch function is called, so that one which reads finds them. */
  function launch(wants: readonly Want[]): void {
    if (isDisposed) return;
    const { maxBatchSize } = settings().bulk;
    const batches: (readonly [Source, readonly Flight[]])[] = [];
    for (const [source, group] of bySource(wants)) {
      const size = source.bulkFetch === null ? 1 : maxBatchSize;
      for (let i = 0; i < group.length; i += size) {
        const qid = `q${++queries}`;
        const isBulk = size > 1 && group.length - i > 1;
        batches.push([source, group.slice(i, i + size).map((want) => register(want, qid, isBulk))]);
      }
    }
    for (const [source, flights] of batches) {
      const [first] = flights;
      if (flights.length > 1 && source.bulkFetch !== null) bulk(source, flights, source.bulkFetch);
      else if (first !== undefined) single(source, first);
    }
  }

  /** What each source is asked for. A level that was registered when it was wanted and is no more is let go. */
  function bySource(wants: readonly Want[]): Iterable<readonly [Source, readonly Want[]]> {
    const groups = new Map<Source, Want[]>();
    for (const want of wants) {
      const source = want.slot.entry.def.sources.get(want.slot.level);
      if (source === undefined) {
        cache.queue(want.slot, null);
        continue;
      }
      if (wants.length === 1) return [[source, wants]];
      const group = groups.get(source);
      if (group === undefined) groups.set(source, [want]);
      else group.push(want);
    }
    return groups;
  }

  function register({ slot, silent, forced, owed, needs }: Want, qid: string, isBulk: boolean): Flight {
    const retry = retries.get(slot);
    if (retry !== undefined) env.clearTimeout(retry.timer);
    const flight: Flight = {
      slot,
      ordinal: cache.tick(),
      qid,
      force: forced || owed,
      silent,
      owed: owed || retry !== undefined, // It takes the place of the retry.
      isVoid: false,
      strategy: isBulk ? 'bulk' : 'direct',
      needs,
    };
    if (oldestRequestAt === null) {
      oldestRequestAt = env.now();
      onFirstRequest();
    }
    cache.begin(slot, flight);
    announce.intent(flight);
    return flight;
  }

  /** D-FETCH-2 and D-FETCH-3 for every request that ended in the same turn; follow-ups start together, after all is stored. */
  function settle(outcomes: Outcomes): void {
    cache.batch(() => {
      const stamp = env.now();
      const ended: { flight: Flight; verdict: 'success' | 'error' | 'aborted'; error: unknown }[] = [];
      const after: Slot[] = [];
      for (const [flight, outcome] of outcomes) {
        const { slot } = flight;
        if (slot.flight !== flight) continue;
        const isVoid = flight.isVoid || flight.ordinal < slot.answered;
        let verdict: 'success' | 'error' | 'aborted' = 'aborted';
        if ('payload' in outcome) {
          if (!flight.isVoid) cache.store(slot, outcome.payload, flight.ordinal, stamp);
          if (!isVoid) verdict = 'success';
        }
        let { needs } = flight;
        if (slot.next !== null && !isNeeded(slot, slot.next)) {
          needs = union(needs, slot.next.needs);
          cache.queue(slot, null);
        }
        if ('error' in outcome && !isVoid && !isAwaited(slot)) {
          verdict = 'error';
          cache.fail(slot, outcome.error);
        }
        // Whoever joined a request whose failure is not reported goes on waiting.
        if (verdict === 'aborted' && slot.wait !== null && !flight.silent) {
          cache.wait(slot, { ...slot.wait, read: true, silent: false });
        }
        cache.end(slot);
        if (slot.next !== null) after.push(slot);
        for (const need of needs ?? [])
          if (isLacking(need, flight, stamp)) after.push(queueNeed(need, flight));
        ended.push({ flight, verdict, error: 'error' in outcome ? outcome.error : undefined });
      }
      for (const { flight, verdict, error } of ended) {
        if (verdict === 'success') announce.success(flight);
        else if (verdict === 'error') announce.error(flight, error);
        else announce.aborted(flight, 'superseded');
        announce.complete(flight);
        if (verdict === 'success') retries.delete(flight.slot);
        else if (verdict === 'error' && flight.owed) retryLater(flight.slot);
      }
      launch(
        after
          .filter((slot) => slot.next !== null && slot.flight === null)
          .map((slot) => ({ slot, ...(slot.next as FollowUp) })), // The filter has looked.
      );
    });
  }

  /** Whether the follow-up is still needed once this flight's answer is stored: an inline result may have come instead. */
  const isNeeded = (slot: Slot, next: FollowUp): boolean =>
    next.forced || slot.marked > slot.answered || slot.stamp < 0;

  /** Something newer than the request that just ended will come: its failure is not the last word. */
  function isAwaited(slot: Slot): boolean {
    if (slot.next !== null || slot.wait !== null) return true;
    return slot.entry.slots.some((other) => other !== slot && other.flight?.needs?.includes(slot) === true);
  }

  const isLacking = (need: Slot, flight: Flight, now: number): boolean =>
    need.answered < flight.ordinal && !isBusy(need) && isSlotStale(need, now);

  function queueNeed(need: Slot, { silent, owed }: Flight): Slot {
    cache.queue(need, { silent, forced: false, owed, needs: null });
    return need;
  }

  /** D-FETCH-10: what is known to be outdated and could not be had is asked for again, while somebody watches. */
  function retryLater(slot: Slot): void {
    const { retryFailedMs } = settings().bulk;
    if (retryFailedMs === 0) return;
    const delayMs = Math.min(
      retries.get(slot)?.delayMs ?? retryFailedMs,
      Math.max(retryCeilingMs, retryFailedMs),
    );
    const timer = env.setTimeout(() => {
      if (isBusy(slot) || slot.failure === null || !isWatched(slot.entry)) return void retries.delete(slot);
      retries.set(slot, { timer: null, delayMs: delayMs * 2 });
      begin([{ slot, silent: false, forced: false, owed: true, needs: null }]);
    }, delayMs);
    retries.set(slot, { timer, delayMs });
  }

  function followUp(slot: Slot, { silent, forced, owed, needs }: Omit<Want, 'slot'>): void {
    const { next } = slot;
    // Whoever forces wants an answer requested from now on: the one in flight will be shown, and is stale (D-FETCH-2).
    if (forced) cache.markStale(slot, cache.tick());
    cache.queue(slot, {
      silent: silent && (next?.silent ?? true),
      forced: forced || (next?.forced ?? false),
      owed: owed || (next?.owed ?? false),
      needs: union(next?.needs ?? null, needs),
    });
  }

  function begin(wants: readonly Want[]): void {
    cache.batch(() => {
      const starting: Want[] = [];
      for (const want of wants) {
        const { slot } = want;
        const { flight } = slot;
        if (flight === null) starting.push(want);
        else if (want.forced || flight.isVoid || slot.marked > flight.ordinal) followUp(slot, want);
        else {
          // It began after everything that made it stale: its answer will do.
          flight.owed ||= want.owed;
          flight.needs = union(flight.needs, want.needs);
          if (!want.silent) cache.reveal(flight);
        }
      }
      if (starting.length > 0) launch(starting);
    });
  }

  return {
    begin,
    followUp,
    oldestRequestAt: () => oldestRequestAt,
    noteRequestAt(at) {
      oldestRequestAt = Math.min(oldestRequestAt ?? at, at);
    },
    dispose() {
      isDisposed = true;
      for (const { timer } of retries.values()) if (timer !== null) env.clearTimeout(timer);
      retries.clear();
      const reason = named('AbortError', 'the data layer was disposed');
      cache.batch(() => {
        for (const call of open) {
          call.ctx.end(reason);
          for (const flight of call.flights) {
            if (flight.slot.flight !== flight) continue;
            cache.queue(flight.slot, null);
            cache.end(flight.slot);
            announce.aborted(flight, 'disposed');
            announce.complete(flight);
          }
        }
        open.clear();
        calls.clear();
      });
    },
  };
}
