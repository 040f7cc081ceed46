// Calls of an application's fetch functions: with a time limit, one answer each, whatever is thrown. What an answer comes to
// is told for all of a call's requests at once.

import { createDeadlines, Timed } from './timeouts.ts';
import type { Fetcher, Flight } from '../cache/entry.ts';
import { keyOf, qidOf } from '../cache/entry.ts';
import type { Env } from '../platform/env.ts';
import type { Id } from '../protocol/directive.ts';
import { accept, byId, isInOrder, validate } from './responses.ts';
import { disposedError, named } from '../config/describe.ts';
import type { FetchContext } from '../types/configs.ts';

/** In the place of a payload: there is none, and why. */
export class Failed {
  constructor(readonly error: unknown) {}
}

/** How a request was served (document, 6.2). */
export type Strategy = 'direct' | 'bulk';

/** What came of each request: its payload, or `Failed`. In the order of the flights. */
type Outcomes = readonly unknown[];

export interface Calls {
  /** Asks the fetcher for all of these: with `bulkFetch` where there are several. */
  call: (fetcher: Fetcher, flights: readonly Flight[]) => void;
  /** Aborts what is open and forgets it. */
  dispose: () => readonly Flight[];
}

/** Requests that one call of a fetch function serves. */
class Call extends Timed {
  constructor(
    readonly fetcher: Fetcher,
    public flights: readonly Flight[],
    readonly strategy: Strategy,
    readonly ctx: Context,
  ) {
    super();
  }
}

/** What a fetch function gets last. The signal is made when somebody asks for it, and all the same is a field that a copy has too. */
class Context implements FetchContext {
  declare readonly signal: AbortSignal;
  #abort: AbortController | null = null;
  #reason: Error | null = null;

  /** One for all: engines need ten times as long for a function of its own. */
  static readonly #signal: PropertyDescriptor & ThisType<Context> = {
    enumerable: true,
    get() {
      const abort = (this.#abort ??= new AbortController());
      if (this.#reason !== null) abort.abort(this.#reason); // Once more does nothing.
      return abort.signal;
    },
  };

  constructor(
    readonly level: string,
    readonly qid: string,
    readonly force: boolean,
  ) {
    Object.defineProperty(this, 'signal', Context.#signal);
  }

  end(reason: Error): void {
    this.#reason = reason;
    this.#abort?.abort(reason);
  }
}

/** What an answer comes to for one flight; a promise where its schema takes its time. */
function judge(flight: Flight, fetcher: Fetcher, answer: unknown): unknown {
  try {
    const { def } = flight.slot.entry;
    const valid = validate(def, fetcher.schema, answer);
    if (!(valid instanceof Promise)) return accept(def, valid);
    return valid
      .then((payload: unknown) => accept(def, payload))
      .catch((error: unknown) => new Failed(error));
  } catch (error) {
    return new Failed(error);
  }
}

/** @param settle told what came of the requests of one call. */
export function createCalls(
  env: Env,
  settle: (flights: readonly Flight[], outcomes: Outcomes, strategy: Strategy) => void,
): Calls {
  const deadlines = createDeadlines<Call>(env, (call) => {
    const { name } = call.flights[0]?.slot.entry.def ?? { name: '' }; // A call has at least one.
    const error = named('TimeoutError', `no answer for "${name}" within ${call.fetcher.timeoutMs} ms`);
    call.ctx.end(error);
    fail(call, error);
  });

  /** Ends a call, once: a late answer finds it closed. */
  function end(call: Call, outcomes: Outcomes): void {
    if (deadlines.close(call)) settle(call.flights, outcomes, call.strategy);
  }

  function fail(call: Call, error: unknown): void {
    const failed = new Failed(error);
    end(
      call,
      call.flights.map(() => failed),
    );
  }

  /** @param read what an answer comes to for each of the call's flights; it may leave some of them out of the call. */
  function run(call: Call, ask: () => unknown, read: (answer: unknown) => readonly unknown[]): void {
    deadlines.open(call, call.fetcher.timeoutMs);
    if (!call.isOpen) return; // A fetch function that was called before this one has disposed of the data layer.
    let asked: unknown;
    try {
      asked = ask();
    } catch (error) {
      asked = Promise.reject(error);
    }
    void Promise.resolve(asked).then(
      (answer) => {
        if (!call.isOpen) return undefined; // It came too late.
        try {
          const answers = read(answer);
          const outcomes = call.flights.map((flight, at) => judge(flight, call.fetcher, answers[at]));
          if (outcomes.some((outcome) => outcome instanceof Promise))
            return Promise.all(outcomes).then((all) => end(call, all));
          end(call, outcomes);
        } catch (error) {
          fail(call, error);
        }
        return undefined;
      },
      (error: unknown) => fail(call, error),
    );
  }

  function single(fetcher: Fetcher, flight: Flight): void {
    const ctx = new Context(fetcher.level, qidOf(flight.query), flight.force);
    run(
      new Call(fetcher, [flight], 'direct', ctx),
      () => fetcher.fetch(flight.slot.entry, ctx),
      (answer) => [answer],
    );
  }

  function bulk(fetcher: Fetcher, flights: readonly Flight[], ask: NonNullable<Fetcher['bulkFetch']>): void {
    const first = flights[0] as Flight; // A batch has two or more.
    const ctx = new Context(
      fetcher.level,
      qidOf(first.query),
      flights.some((flight) => flight.force),
    );
    const ids: Id[] = flights.map((flight) => flight.slot.entry.id);
    const call = new Call(fetcher, flights, 'bulk', ctx);
    run(
      call,
      () => ask(ids, fetcher.level, ctx),
      (answer) => {
        const { def } = first.slot.entry;
        const keys = flights.map(({ slot }) => keyOf(slot.entry)); // The ids are the application's by now.
        if (isInOrder(def, answer, keys)) return answer;
        const found = byId(def, answer);
        if (!keys.some((key) => found.has(key)))
          env.log(
            'warn',
            `bulkFetch of "${def.name}" answered none of its ids (see getId): each is fetched singly`,
          );
        const answered: Flight[] = [];
        for (const flight of flights) {
          if (found.has(keyOf(flight.slot.entry))) answered.push(flight);
          else single(fetcher, flight); // Missing from the answer: fetched singly, in parallel (D-DIR-6).
        }
        call.flights = answered; // Not before: where one of those disposes of the data layer, all have to end.
        return answered.map(({ slot }) => found.get(keyOf(slot.entry)));
      },
    );
  }

  return {
    call(fetcher, flights) {
      const [first] = flights;
      if (flights.length > 1 && fetcher.bulkFetch !== null) bulk(fetcher, flights, fetcher.bulkFetch);
      else if (first !== undefined) single(fetcher, first);
    },
    dispose() {
      const reason = disposedError();
      const ended = deadlines.dispose();
      for (const { ctx } of ended) ctx.end(reason);
      return ended.flatMap(({ flights }) => flights);
    },
  };
}
