// Calls of an application's fetch functions: with a time limit, one answer each, whatever is thrown. What an answer comes to
// is told for all of a call's requests at once.

import { createDeadlines } from './deadlines.ts';
import type { Flight, Source } from './entries.ts';
import type { Env } from './env.ts';
import type { Id } from './protocol/directive.ts';
import { accept, byId, validate } from './rules/answers.ts';
import type { FetchContext } from './types.ts';

/** What came of one request. */
export type Outcome = { payload: unknown } | { error: unknown };
export type Outcomes = readonly (readonly [Flight, Outcome])[];

export interface Calls {
  /** Asks the source for all of these: with `bulkFetch` where there are several. */
  call: (source: Source, flights: readonly Flight[]) => void;
  /** Aborts what is open and forgets it. */
  dispose: () => readonly Flight[];
}

/** Requests that one call of a fetch function serves. */
interface Call {
  readonly source: Source;
  flights: readonly Flight[];
  readonly ctx: Context;
}

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

export function createCalls(env: Env, settle: (outcomes: Outcomes) => void): Calls {
  const open = new Set<Call>();
  const limits = createDeadlines<Call>(env, (call) => {
    const { name } = call.flights[0]?.slot.entry.def ?? { name: '' }; // A call has at least one.
    const error = named('TimeoutError', `no answer for "${name}" within ${call.source.timeoutMs} ms`);
    call.ctx.end(error);
    close(call, () => settle(call.flights.map((flight) => [flight, { error }])));
  });

  /** Ends a call, once: a late answer finds it closed. */
  function close(call: Call, then: () => void): void {
    if (!open.delete(call)) return;
    limits.remove(call, call.source.timeoutMs);
    then();
  }

  function run(
    call: Call,
    ask: () => unknown,
    answered: (answer: unknown) => Outcomes | Promise<Outcomes>,
  ): void {
    open.add(call);
    limits.add(call, call.source.timeoutMs);
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

  return {
    call(source, flights) {
      const [first] = flights;
      if (flights.length > 1 && source.bulkFetch !== null) bulk(source, flights, source.bulkFetch);
      else if (first !== undefined) single(source, first);
    },
    dispose() {
      const reason = named('AbortError', 'the data layer was disposed');
      const ended = [...open];
      open.clear();
      limits.clear();
      for (const { ctx } of ended) ctx.end(reason);
      return ended.flatMap(({ flights }) => flights);
    },
  };
}
