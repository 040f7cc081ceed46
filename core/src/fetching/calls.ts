// Calls of an application's fetch functions. Each call has a time limit, is repeated as its `retry` allows, and is settled once, for all
// of the requests that it serves.

import type { Fetcher, Flight } from '../cache/entry.ts';
import { keyOf, qidOf } from '../cache/entry.ts';
import { disposedError, named } from '../config/describe.ts';
import type { Env } from '../platform/env.ts';
import type { Id } from '../protocol/directive.ts';
import { listPayload } from './listResponse.ts';
import { byId, itemPayload, validate } from './responses.ts';

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
  /** Aborts all calls. They are not settled any more. */
  dispose: () => void;
}

/** One call of a fetch function, with its repetitions. */
interface Call {
  readonly fetcher: Fetcher;
  flights: readonly Flight[];
  /** Ends the current attempt. */
  abort: AbortController;
  /** The time limit of the current attempt, or the wait before the next one. */
  timer: unknown;
  /** How many attempts have failed. */
  failures: number;
}

const isBulk = ({ fetcher, flights }: Pick<Call, 'fetcher' | 'flights'>): boolean =>
  fetcher.bulkFetch !== null && flights.length > 1;

/** The payload in the response of one flight, or `Failed`. */
async function payloadOf({ slot }: Flight, { schema }: Fetcher, response: unknown): Promise<unknown> {
  try {
    const { def } = slot.entry;
    const valid = await validate(def, schema, response);
    return await (def.kind === 'item' ? itemPayload : listPayload)(def, valid);
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
    try {
      if (failures >= retry.attempts || retry.retryOn?.(error) === false) return null;
    } catch (cause) {
      env.log('error', `retryOn of "${fetcher.level}" failed. The request is not sent again.`, cause);
      return null;
    }
    const ms = Math.min(retry.maxDelayMs ?? 30_000, (retry.delayMs ?? 1000) * 2 ** failures);
    return (ms * (1 + env.random())) / 2;
  }

  function end(call: Call, outcomes: Outcomes, strategy: Strategy): void {
    env.clearTimeout(call.timer);
    const [first] = outcomes;
    const hasFailed = first instanceof Failed && outcomes.every((outcome) => outcome instanceof Failed);
    const ms = hasFailed ? waitMs(call, first.error) : null;
    if (ms === null) {
      open.delete(call);
      settle(call.flights, outcomes, strategy);
    } else {
      call.failures++;
      call.abort = new AbortController(); // A response to the earlier attempt is ignored from now on.
      call.timer = env.setTimeout(() => attempt(call), ms);
      onRetry(call.flights);
    }
  }

  function attempt(call: Call): void {
    const { abort, fetcher } = call;
    const { timeoutMs } = fetcher;
    const strategy = isBulk(call) ? 'bulk' : 'direct';
    const isCurrent = (): boolean => open.has(call) && call.abort === abort;
    const fail = (error: unknown): void => {
      if (!isCurrent()) return;
      const failed = new Failed(error);
      end(
        call,
        call.flights.map(() => failed),
        strategy,
      );
    };
    function onTimeout(): void {
      const name = call.flights[0]?.slot.entry.def.name ?? ''; // A call has at least one flight.
      const error = named('TimeoutError', `no answer for "${name}" within ${timeoutMs} ms`);
      abort.abort(error);
      fail(error);
    }
    call.timer = timeoutMs === 0 ? null : env.setTimeout(onTimeout, timeoutMs);
    async function run(): Promise<void> {
      const response = await send(call);
      if (!isCurrent()) return;
      const responses = responsesOf(call, response);
      const outcomes = await Promise.all(
        call.flights.map((flight, at) => payloadOf(flight, fetcher, responses[at])),
      );
      if (isCurrent()) end(call, outcomes, strategy);
    }
    void run().catch(fail);
  }

  function send(call: Call): unknown {
    const { fetcher, flights, abort } = call;
    const { entry } = (flights[0] as Flight).slot; // A call has at least one.
    const ctx = {
      signal: abort.signal,
      level: fetcher.level,
      qid: qidOf((flights[0] as Flight).query),
      force: flights.some(({ force }) => force),
    };
    if (!isBulk(call)) return fetcher.fetch(entry, ctx);
    return fetcher.bulkFetch?.(
      flights.map(({ slot }): Id => slot.entry.id),
      fetcher.level,
      ctx,
    );
  }

  /** The response of each flight. Ids that are missing in a bulk response are fetched singly, in parallel (D-DIR-6). */
  function responsesOf(call: Call, response: unknown): readonly unknown[] {
    if (!isBulk(call)) return [response];
    const { fetcher, flights } = call;
    const { def } = (flights[0] as Flight).slot.entry; // A batch has two or more.
    const found = byId(def, response);
    const isFound = ({ slot }: Flight): boolean => found.has(keyOf(slot.entry));
    call.flights = flights.filter(isFound);
    if (call.flights.length === 0)
      env.log(
        'warn',
        `bulkFetch of "${def.name}" returned none of its ids, so each is fetched singly. Check getId.`,
      );
    for (const flight of flights) if (!isFound(flight)) begin(fetcher, [flight]);
    return call.flights.map(({ slot }) => found.get(keyOf(slot.entry)));
  }

  function begin(fetcher: Fetcher, flights: readonly Flight[]): void {
    if (isDisposed) return; // A fetch function that was called before this one has disposed the data layer.
    const call: Call = { fetcher, flights, abort: new AbortController(), timer: null, failures: 0 };
    open.add(call);
    attempt(call);
  }

  return {
    call: begin,
    dispose() {
      isDisposed = true;
      for (const { abort, timer } of open) {
        env.clearTimeout(timer);
        abort.abort(disposedError());
      }
      open.clear();
    },
  };
}
