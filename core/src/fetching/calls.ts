// Calls of an application's fetch functions. Each call has a time limit, is repeated as its `retry` allows, and is settled once, for all
// of the requests that it serves.

import type { Fetcher, Flight } from '../cache/entry.ts';
import { keyOf, qidOf } from '../cache/entry.ts';
import { disposedError, named } from '../config/describe.ts';
import type { Env } from '../platform/env.ts';
import type { Id } from '../protocol/directive.ts';
import type { FetchContext } from '../types/configs.ts';
import { listPayload } from './listResponse.ts';
import { byId, isInOrder, itemPayload, validate } from './responses.ts';

/** The result of a request that has no payload. */
export class Failed {
  constructor(readonly error: unknown) {}
}

/** How a request was served (document, 6.2). */
export type Strategy = 'direct' | 'bulk';

/** The result of each request, in the order of the flights: its payload, or `Failed`. */
type Outcomes = readonly unknown[];

export interface Calls {
  /** Calls the fetch function for these flights: `bulkFetch` if there are several. */
  call: (fetcher: Fetcher, flights: readonly Flight[]) => void;
  /** Aborts all calls. Returns their flights, which are not settled any more. */
  dispose: () => readonly Flight[];
}

/** One call of a fetch function, with its repetitions. */
interface Call {
  readonly fetcher: Fetcher;
  readonly strategy: Strategy;
  flights: readonly Flight[];
  /** Calls the fetch function. */
  readonly send: (call: Call) => unknown;
  /** The response of each flight. May remove flights from the call. */
  readonly split: (call: Call, response: unknown) => readonly unknown[];
  /** That of the current attempt. */
  ctx: Context;
  /** The time limit of the current attempt, or the wait before the next one. */
  timer: unknown;
  /** How many attempts have failed. */
  failures: number;
}

/** The last argument of a fetch function. Its signal is created when it is read, and is still a field that copies contain. */
class Context implements FetchContext {
  declare readonly signal: AbortSignal;
  #abort: AbortController | null = null;
  #reason: Error | null = null;

  /** Shared by all contexts: a getter for each would cost ten times as much. */
  static readonly #signal: PropertyDescriptor & ThisType<Context> = {
    enumerable: true,
    get() {
      const abort = (this.#abort ??= new AbortController());
      if (this.#reason !== null) abort.abort(this.#reason); // A second time does nothing.
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

/** The payload in the response of one flight; a promise if its schema is asynchronous. */
function payloadOf(flight: Flight, fetcher: Fetcher, response: unknown): unknown {
  try {
    const { def } = flight.slot.entry;
    const accept = (valid: unknown): unknown => (def.kind === 'item' ? itemPayload : listPayload)(def, valid);
    const valid = validate(def, fetcher.schema, response);
    const payload = valid instanceof Promise ? valid.then(accept) : accept(valid);
    return payload instanceof Promise ? payload.catch((error: unknown) => new Failed(error)) : payload;
  } catch (error) {
    return new Failed(error);
  }
}

/**
 * @param settle receives the outcomes of one call
 * @param onRetry called with the flights of a call whose attempt has failed and will be repeated
 */
export function createCalls(
  env: Env,
  settle: (flights: readonly Flight[], outcomes: Outcomes, strategy: Strategy) => void,
  onRetry: (flights: readonly Flight[]) => void,
): Calls {
  const open = new Set<Call>();
  let isDisposed = false;

  /** The wait before the next attempt, or null if there is none. Spread, so that clients do not repeat their requests together. */
  function waitMs({ fetcher, failures }: Call, error: unknown): number | null {
    const { retry } = fetcher;
    if (failures >= retry.attempts || retry.retryOn?.(error) === false) return null;
    const ms = Math.min(retry.maxDelayMs ?? 30_000, (retry.delayMs ?? 1000) * 2 ** failures);
    return (ms * (1 + env.random())) / 2;
  }

  function end(call: Call, outcomes: Outcomes): void {
    if (!open.has(call)) return;
    env.clearTimeout(call.timer);
    const failed = outcomes.find((outcome) => outcome instanceof Failed);
    if (failed !== undefined && outcomes.every((outcome) => outcome instanceof Failed)) {
      let ms: number | null = null;
      try {
        ms = waitMs(call, failed.error);
      } catch (error) {
        env.log('error', `retryOn of "${call.fetcher.level}" failed. The request is not sent again.`, error);
      }
      if (ms !== null) {
        const { level, qid, force } = call.ctx;
        call.failures++;
        call.ctx = new Context(level, qid, force); // A response to the earlier attempt is ignored from now on.
        call.timer = env.setTimeout(() => attempt(call), ms);
        return onRetry(call.flights);
      }
    }
    open.delete(call);
    settle(call.flights, outcomes, call.strategy);
  }

  function fail(call: Call, error: unknown): void {
    const failed = new Failed(error);
    end(
      call,
      call.flights.map(() => failed),
    );
  }

  function attempt(call: Call): void {
    const { ctx, fetcher } = call;
    const isCurrent = (): boolean => open.has(call) && call.ctx === ctx;
    const { timeoutMs } = fetcher;
    call.timer = timeoutMs === 0 ? null : env.setTimeout(onTimeout, timeoutMs);
    function onTimeout(): void {
      const name = call.flights[0]?.slot.entry.def.name ?? ''; // A call has at least one flight.
      const error = named('TimeoutError', `no answer for "${name}" within ${timeoutMs} ms`);
      ctx.end(error);
      if (isCurrent()) fail(call, error);
    }
    void new Promise((resolve) => resolve(call.send(call))).then(
      (response) => {
        if (!isCurrent()) return undefined;
        try {
          const responses = call.split(call, response);
          const outcomes = call.flights.map((flight, at) => payloadOf(flight, fetcher, responses[at]));
          if (!outcomes.some((outcome) => outcome instanceof Promise)) return end(call, outcomes);
          return Promise.all(outcomes).then((all) => {
            if (isCurrent()) end(call, all);
          });
        } catch (error) {
          return fail(call, error);
        }
      },
      (error: unknown) => {
        if (isCurrent()) fail(call, error);
      },
    );
  }

  function begin(call: Omit<Call, 'ctx' | 'timer' | 'failures'>): void {
    if (isDisposed) return; // A fetch function that was called before this one has disposed the data layer.
    const { fetcher, flights } = call;
    const first = flights[0] as Flight; // A call has at least one.
    const ctx = new Context(
      fetcher.level,
      qidOf(first.query),
      flights.some(({ force }) => force),
    );
    const whole: Call = { ...call, ctx, timer: null, failures: 0 };
    open.add(whole);
    attempt(whole);
  }

  function single(fetcher: Fetcher, flight: Flight): void {
    begin({
      fetcher,
      flights: [flight],
      strategy: 'direct',
      send: ({ ctx }) => fetcher.fetch(flight.slot.entry, ctx),
      split: (_, response) => [response],
    });
  }

  function bulk(
    fetcher: Fetcher,
    flights: readonly Flight[],
    bulkFetch: NonNullable<Fetcher['bulkFetch']>,
  ): void {
    const { def } = (flights[0] as Flight).slot.entry; // A batch has two or more.
    /** Ids that are missing in the response are fetched singly, in parallel (D-DIR-6). */
    function split(call: Call, response: unknown): readonly unknown[] {
      const keys = call.flights.map(({ slot }) => keyOf(slot.entry)); // The application may have changed its list of ids.
      if (isInOrder(def, response, keys)) return response;
      const found = byId(def, response);
      const isFound = ({ slot }: Flight): boolean => found.has(keyOf(slot.entry));
      if (!call.flights.some(isFound))
        env.log(
          'warn',
          `bulkFetch of "${def.name}" returned none of its ids, so each is fetched singly. Check getId.`,
        );
      for (const flight of call.flights) if (!isFound(flight)) single(fetcher, flight);
      call.flights = call.flights.filter(isFound); // Not before: if a fetch function disposes the data layer, all flights have to end.
      return call.flights.map(({ slot }) => found.get(keyOf(slot.entry)));
    }
    function send(call: Call): unknown {
      const ids = call.flights.map(({ slot }): Id => slot.entry.id);
      return bulkFetch(ids, fetcher.level, call.ctx);
    }
    begin({ fetcher, flights, strategy: 'bulk', send, split });
  }

  return {
    call(fetcher, flights) {
      const [first] = flights;
      if (flights.length > 1 && fetcher.bulkFetch !== null) bulk(fetcher, flights, fetcher.bulkFetch);
      else if (first !== undefined) single(fetcher, first);
    },
    dispose() {
      isDisposed = true;
      const ended = [...open];
      open.clear();
      const reason = disposedError();
      for (const { ctx, timer } of ended) {
        env.clearTimeout(timer);
        ctx.end(reason);
      }
      return ended.flatMap(({ flights }) => flights);
    },
  };
}
