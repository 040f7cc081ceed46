// The life of the event stream as a table (D-SSE-2 to -5): a state, what happened, and what is to be done about it.
// One attempt is in force at a time; leaving it raises `attempt`, so whatever an older one still reports is ignored.

import type { LifecycleEvents } from '../events/eventTypes.ts';
import type { SseOptions } from '../types/options.ts';
import type { SseStatus } from '../types/snapshots.ts';

export type CloseReason = LifecycleEvents['sse:close']['reason'];

export interface SseState {
  readonly status: SseStatus;
  /** The number of the attempt in force, or of the next one. */
  readonly attempt: number;
  /** Attempts since the last connection that worked. */
  readonly tries: number;
  /** The next wait; null = `initialRetryMs`. */
  readonly backoffMs: number | null;
  /** The wait that the server asked for on this connection. */
  readonly hintMs: number | null;
  /** The wait that is under way. */
  readonly retryInMs: number | null;
  /** When `timer` is due. Waiting without one: parked until the page or the network is back. */
  readonly wakeAt: number | null;
  readonly openedAt: number;
  readonly lastByteAt: number;
  /** The heartbeat's interval as a hub announced it: the next connection may die before its greeting. */
  readonly announcedMs: number | null;
  /** The smallest distance between two heartbeats on this connection. */
  readonly observedMs: number | null;
  /** The last heartbeat by audience; null: comment lines. */
  readonly beats: ReadonlyMap<string | null, number>;
}

export type SseEvent =
  | { readonly type: 'connect' | 'timer' | 'network' | 'hide' | 'restore' | 'visible' | 'overtaken' }
  | { readonly type: 'stop'; readonly reason: CloseReason }
  | { readonly type: 'opened' | 'bytes' | 'envelope' | 'ended'; readonly attempt: number }
  | { readonly type: 'heartbeat'; readonly attempt: number; readonly audience: string | null }
  | { readonly type: 'greeting'; readonly attempt: number; readonly heartbeatMs: number | null }
  | { readonly type: 'retry'; readonly attempt: number; readonly waitMs: number }
  | ({ readonly type: 'failed'; readonly attempt: number } & Loss);

/** How a connection was lost. */
export interface Loss {
  readonly error: unknown;
  /** Where the server answered. */
  readonly status?: number;
  /** From `Retry-After`. */
  readonly retryAfterMs?: number | null;
}

export type SseCommand =
  | { readonly type: 'attempt'; readonly attempt: number }
  | { readonly type: 'abort' | 'open' }
  | { readonly type: 'close'; readonly reason: CloseReason }
  | { readonly type: 'error'; readonly loss: Loss; readonly retryInMs: number | null };

export interface SseFacts {
  /** A moment of the data layer. */
  readonly now: number;
  readonly isOnline: boolean;
  readonly options: Pick<SseOptions, 'initialRetryMs' | 'maxRetryMs' | 'backoffMultiplier'>;
}

type Step = readonly [SseState, readonly SseCommand[]];

/** An attempt that has no answer after this time has failed; a server that buffers its headers gets this long. */
const attemptTimeoutMs = 60_000;
const longestHintMs = 300_000;
const shortestSilenceMs = 10_000;
const neverSeen = -Infinity;

const fault = (what: string): Error => new Error(`the event stream ${what}`);

export const initialSseState: SseState = {
  status: 'off',
  attempt: 1,
  tries: 0,
  backoffMs: null,
  hintMs: null,
  retryInMs: null,
  wakeAt: null,
  openedAt: 0,
  lastByteAt: 0,
  announcedMs: null,
  observedMs: null,
  beats: new Map(),
};

const isOn = (state: SseState): boolean => state.status === 'connecting' || state.status === 'open';

/** Waits without a timer, for the page or the network. */
const parked = (state: SseState): SseState => ({
  ...state,
  status: 'waiting',
  retryInMs: null,
  wakeAt: null,
});

/** The backoff starts anew only after a connection that worked (D-SSE-2). */
const worked = (state: SseState): SseState => ({ ...state, tries: 0, backoffMs: null });

/** The attempt in force is over; having lived for `initialRetryMs` is to have worked. */
function left(state: SseState, { now, options }: SseFacts): SseState {
  const hasLived = state.status === 'open' && now - state.openedAt >= options.initialRetryMs;
  return { ...(hasLived ? worked(state) : state), attempt: state.attempt + 1 };
}

function begin(state: SseState, { now, isOnline }: SseFacts, before: readonly SseCommand[] = []): Step {
  if (!isOnline) return [parked(state), before]; // D-SSE-4
  const { attempt, tries, backoffMs, announcedMs } = state;
  return [
    {
      ...initialSseState,
      status: 'connecting',
      attempt,
      tries: tries + 1,
      backoffMs,
      announcedMs,
      wakeAt: now + attemptTimeoutMs,
    },
    [...before, { type: 'attempt', attempt }],
  ];
}

function park(state: SseState, facts: SseFacts, reason: CloseReason): Step {
  if (isOn(state)) return [parked(left(state, facts)), [{ type: 'abort' }, { type: 'close', reason }]];
  return [state.status === 'waiting' ? parked(state) : state, []];
}

function lose(before: SseState, facts: SseFacts, loss: Loss, isEnd = false): Step {
  const { initialRetryMs, maxRetryMs, backoffMultiplier } = facts.options;
  const state = left(before, facts);
  const { status } = loss;
  if (status === 204 || status === 401 || status === 403) {
    // D-SSE-2: the server does not want this client; only the application can change that.
    return [
      { ...initialSseState, attempt: state.attempt },
      [{ type: 'abort' }, { type: 'error', loss, retryInMs: null }],
    ];
  }
  const backoffMs = state.backoffMs ?? initialRetryMs;
  const hintMs = loss.retryAfterMs ?? state.hintMs;
  // No wait at all is granted once: a server that goes on refusing so would be asked without a pause.
  const isHinted = hintMs !== null && (hintMs > 0 || state.tries < 2);
  const retryInMs = isHinted ? Math.min(hintMs, longestHintMs) : backoffMs;
  return [
    {
      ...state,
      status: 'waiting',
      backoffMs: Math.min(backoffMs * backoffMultiplier, maxRetryMs), // Goes on as if the hint had not been.
      retryInMs,
      wakeAt: facts.now + retryInMs,
    },
    [
      { type: 'abort' },
      isEnd && hintMs !== null ? { type: 'close', reason: 'server' } : { type: 'error', loss, retryInMs },
    ],
  ];
}

const intervalOf = (state: SseState): number | null => state.announcedMs ?? state.observedMs;

/** D-SSE-5: sets the timer to the moment from which silence counts as death; none while no interval is known. */
function withSilenceTimer(state: SseState): SseState {
  const interval = intervalOf(state);
  const wakeAt = interval === null ? null : state.lastByteAt + Math.max(2.5 * interval, shortestSilenceMs);
  return { ...state, wakeAt };
}

/** Heartbeats of different audiences have nothing to do with each other; a comment line is for all. */
function afterHeartbeat(state: SseState, audience: string | null, now: number): SseState {
  const { beats, observedMs } = state;
  const earlier =
    audience === null ? beats.values() : [beats.get(audience) ?? neverSeen, beats.get(null) ?? neverSeen];
  const distance = now - Math.max(...earlier);
  // Several in one write have no distance.
  const isSmaller = distance > 0 && distance < (observedMs ?? Infinity);
  return withSilenceTimer({
    ...state,
    beats: new Map(beats).set(audience, now),
    observedMs: isSmaller ? distance : observedMs,
  });
}

function onTimer(state: SseState, facts: SseFacts): Step {
  switch (state.status) {
    case 'off':
      return [state, []];
    case 'waiting':
      return begin(state, facts);
    case 'connecting':
      return lose(state, facts, {
        error: fault(`did not answer within ${attemptTimeoutMs} ms`),
      });
    case 'open': {
      // Bytes do not move the timer, they are looked at when it rings.
      const next = withSilenceTimer(state);
      if (next.wakeAt === null || next.wakeAt > facts.now) return [next, []];
      return lose(state, facts, {
        error: fault(`was silent for ${facts.now - state.lastByteAt} ms`),
      });
    }
  }
}

/** The page is there again, after the back/forward cache or after having been hidden (D-SSE-5). */
function wake(state: SseState, facts: SseFacts, isRestored: boolean): Step {
  if (state.status === 'waiting' && (isRestored || state.wakeAt === null)) return begin(state, facts);
  if (state.status !== 'open') return [state, []];
  const silenceMs = facts.now - state.lastByteAt;
  if (!isRestored && silenceMs <= 1.5 * (intervalOf(state) ?? Infinity)) return [state, []];
  const loss = {
    error: fault(`was silent for ${silenceMs} ms while the page was away`),
  };
  return begin(left(state, facts), facts, [{ type: 'abort' }, { type: 'error', loss, retryInMs: 0 }]);
}

/** The same attempt with what is known now (D-SSE-8). */
const again = (state: SseState, facts: SseFacts): Step =>
  begin({ ...state, attempt: state.attempt + 1, tries: state.tries - 1 }, facts, [{ type: 'abort' }]);

/** What becomes of the connection, and what is to be done; decides, does nothing. */
export function step(state: SseState, event: SseEvent, facts: SseFacts): Step {
  if ('attempt' in event && (event.attempt !== state.attempt || !isOn(state))) return [state, []];
  switch (event.type) {
    case 'connect':
      return isOn(state) ? [state, []] : begin(state, facts);
    case 'stop':
      if (state.status === 'off') return [state, []];
      return [
        { ...initialSseState, attempt: state.attempt + 1 },
        [{ type: 'abort' }, { type: 'close', reason: event.reason }],
      ];
    case 'timer':
      return onTimer(state, facts);
    case 'network':
      if (!facts.isOnline) return park(state, facts, 'offline');
      return state.status === 'waiting' ? begin(state, facts) : [state, []]; // D-SSE-4
    case 'hide':
      return park(state, facts, 'pagehide'); // D-SSE-5
    case 'restore':
    case 'visible':
      return wake(state, facts, event.type === 'restore');
    case 'overtaken':
      return state.status === 'connecting' ? again(state, facts) : [state, []];
    case 'opened':
      return [
        withSilenceTimer({ ...state, status: 'open', openedAt: facts.now, lastByteAt: facts.now }),
        [{ type: 'open' }],
      ];
    case 'bytes':
      return [{ ...state, lastByteAt: facts.now }, []];
    case 'envelope':
      return [worked(state), []];
    case 'heartbeat':
      return [afterHeartbeat(worked(state), event.audience, facts.now), []];
    case 'greeting':
      return [withSilenceTimer({ ...worked(state), announcedMs: event.heartbeatMs }), []];
    case 'retry':
      return [{ ...state, hintMs: event.waitMs }, []];
    case 'ended':
      return lose(state, facts, { error: fault('ended') }, true);
    case 'failed':
      return lose(state, facts, event);
  }
}
