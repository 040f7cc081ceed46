// Calls an application's fetch functions. Each call has a time limit and is repeated as its `retry` allows. It
// settles once, for all requests that it serves.

import { idKey, qidOf, type Fetcher, type Flight } from '../cache/entry.ts';
import { dev, disposedError, named } from '../config/describe.ts';
import { call as callBack, logFailure } from '../platform/callbacks.ts';
import type { Env } from '../platform/env.ts';
import type { Id } from '../protocol/directive.ts';
import { failed, Failed, payloadOf } from './payload.ts';
import { byId } from './responses.ts';

/** How a request was served (document, 6.2). */
export type Strategy = 'direct' | 'bulk';

/** The outcome of each request, in the order of the flights: the payload, or `Failed`. */
type Outcomes = readonly unknown[];

/** Calls the fetch function for these flights: `bulkFetch` if there are several. */
export type CallFetcher = (fetcher: Fetcher, flights: readonly Flight[]) => void;

/** One call of a fetch function, including its repetitions. */
interface Call {
  readonly fetcher: Fetcher;
  readonly strategy: Strategy;
  /** At least one. A bulk response may lack some, which are then fetched individually. */
  flights: readonly Flight[];
}

/** Its first request. */
const firstOf = ({ flights }: Call): Flight => flights[0] as Flight;

const failuresOf = ({ flights }: Call, error: unknown): Failed[] => flights.map(() => failed(error));

/**
 * @param disposed aborts all calls. Their requests do not settle anymore, and no further call begins
 * @param settle receives the outcomes of one call
 * @param onRetry called with the flights of a call whose attempt has failed and will be repeated
 */
export function createCalls(
  { env, disposed }: { env: Env; disposed: AbortSignal },
  settle: (flights: readonly Flight[], outcomes: Outcomes, strategy: Strategy) => void,
  onRetry: (flights: readonly Flight[]) => void,
): CallFetcher {
  /** The attempts that have not ended. */
  const open = new Set<AbortController>();

  /**
   * The wait before the next attempt, or null if there is none. It has a random part, so that clients do not
   * repeat their requests at the same time.
   */
  function waitMs({ retry, level }: Fetcher, failures: number, outcomes: Outcomes): number | null {
    const { attempts, delayMs = 1000, maxDelayMs = 30_000, retryOn } = retry;
    const [first] = outcomes;
    const hasFailed = first instanceof Failed && outcomes.every((outcome) => outcome instanceof Failed);
    if (!hasFailed || failures >= attempts) return null;
    const onError = logFailure(env, `retryOn${dev` of level "${level}"`}`);
    if (retryOn && callBack(retryOn, onError, first.error) === false) return null;
    return (Math.min(maxDelayMs, delayMs * 2 ** failures) * (1 + env.random())) / 2;
  }

  /** @param failures how many attempts have failed */
  async function attempt(call: Call, failures: number): Promise<void> {
    const { fetcher } = call;
    const { timeoutMs } = fetcher;
    const abort = new AbortController();
    open.add(abort);

    function end(outcomes: Outcomes): void {
      if (!open.delete(abort)) return; // The time was up, or the data layer was disposed.
      env.clearTimeout(timer);
      const ms = waitMs(fetcher, failures, outcomes);
      if (ms === null) return settle(call.flights, outcomes, call.strategy);
      env.setTimeout(() => void attempt(call, failures + 1), ms);
      onRetry(call.flights);
    }
    function onTimeout(): void {
      const { name } = firstOf(call).slot.entry.def;
      const error = named(
        'TimeoutError',
        `[edict] "${name}": no response within ${timeoutMs} ms.${dev` Raise timeoutMs if the server needs longer.`}`,
      );
      abort.abort(error);
      end(failuresOf(call, error));
    }

    const timer = timeoutMs === 0 ? null : env.setTimeout(onTimeout, timeoutMs);
    let outcomes: Outcomes;
    try {
      const response = await send(call, abort);
      if (!open.has(abort)) return;
      const responses = responsesOf(call, response);
      outcomes = call.flights.map((flight, at) => payloadOf(flight.slot.entry.def, fetcher, responses[at]));
      // Most are not promises, and a promise for each item of a large batch would cost more than the rest of its request.
      if (outcomes.some((outcome) => outcome instanceof Promise)) outcomes = await Promise.all(outcomes);
    } catch (error) {
      await Promise.resolve(); // A fetch function may throw before it returns. Its caller may be rendering, and must not be notified then.
      outcomes = failuresOf(call, error);
    }
    end(outcomes);
  }

  function send(call: Call, abort: AbortController): unknown {
    const { fetcher, flights, strategy } = call;
    const { level } = fetcher;
    const { queryNumber, slot: first } = firstOf(call); // All have the same number.
    const ctx = {
      // Most functions do not read it, and Node creates the signal when it is read.
      get signal() {
        return abort.signal;
      },
      level,
      qid: qidOf(queryNumber),
      force: flights.some((flight) => flight.force),
    };
    if (strategy === 'direct') return fetcher.fetch(first.entry, ctx);
    const ids = flights.map(({ slot }): Id => slot.entry.id);
    return fetcher.bulkFetch?.(ids, level, ctx);
  }

  /**
   * The response for each flight. Ids that are missing in a bulk response are fetched individually, in parallel
   * (D-DIR-6).
   */
  function responsesOf(call: Call, response: unknown): readonly unknown[] {
    if (call.strategy === 'direct') return [response];
    const { fetcher, flights } = call;
    const { def } = firstOf(call).slot.entry;
    const found = byId(def, response);
    const isFound = ({ slot }: Flight): boolean => found.has(idKey(slot.entry.id));
    call.flights = flights.filter(isFound);
    if (
      process.env.NODE_ENV !== 'production' &&
      call.flights.length === 0 &&
      !(Array.isArray(response) && response.length === 0) // The list is empty if all the items were deleted.
    )
      env.log(
        'warn',
        `bulkFetch of "${def.name}" returned none of its ids, so each is fetched singly. Check getId.`,
      );
    for (const flight of flights) if (!isFound(flight)) begin(fetcher, [flight]);
    return call.flights.map(({ slot }) => found.get(idKey(slot.entry.id)));
  }

  function begin(fetcher: Fetcher, flights: readonly Flight[]): void {
    if (disposed.aborted) return; // A fetch function that was called before this one has disposed the data layer.
    const strategy = fetcher.bulkFetch !== null && flights.length > 1 ? 'bulk' : 'direct';
    void attempt({ fetcher, strategy, flights }, 0);
  }

  disposed.addEventListener('abort', () => {
    for (const abort of open) abort.abort(disposedError());
    open.clear();
  });
  return begin;
}
