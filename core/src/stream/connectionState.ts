// The life of the event stream as a table: from a state and an event to the next state and the commands to perform.
// It decides and performs nothing (D-SSE-2 to D-SSE-5).

import type { LifecycleEvents } from '../events/eventTypes.ts';
import type { SseOptions } from '../types/options.ts';
import type { SseStatus } from '../types/snapshots.ts';

declare const process: { env: { NODE_ENV?: string } };

export type CloseReason = LifecycleEvents['sse:close']['reason'];

export interface SseState {
  readonly status: SseStatus;
  /** Attempts since the last connection that worked. */
  readonly tries: number;
  /** Waits since then. The backoff grows with each. */
  readonly losses: number;
  /** The wait that the server asked for with `retry:` on this connection. */
  readonly hintMs: number | null;
  /** The length of the current wait. */
  readonly retryInMs: number | null;
  /** When a `timer` event is due. A wait without a timer ends when the page or the network comes back. */
  readonly wakeAt: number | null;
  readonly openedAt: number;
  /** Null until this connection has delivered a byte. */
  readonly lastByteAt: number | null;
  /** The announced heartbeat interval. It outlives a connection: the next one may die before it announces its own. */
  readonly announcedMs: number | null;
  /** The smallest distance between two heartbeats on this connection. */
  readonly observedMs: number | null;
  /** When each audience had its last heartbeat on this connection; null is the key of comment lines. */
  readonly beats: ReadonlyMap<string | null, number>;
  /** Connections in a row that opened and were lost without a byte. */
  readonly silentLosses: number;
  /** When the browser reported offline. A byte since then disproves the report and clears the field. */
  readonly offlineAt: number | null;
  /** Off after 401 or 403. A page that comes back tries again. */
  readonly isRefused: boolean;
  /** When a page that came back last tried after a refusal. */
  readonly returnedAt: number;
}

/** The page is visible, online or offline, or restored from the back/forward cache; or the time of `wakeAt` has come. */
type Wake = 'timer' | 'network' | 'restore' | 'visible';

export type SseEvent =
  | { readonly type: Wake | 'connect' | 'hide' | 'bytes' | 'envelope' | 'ended' }
  | { readonly type: 'stop'; readonly reason: CloseReason }
  | { readonly type: 'opened' | 'greeting'; readonly heartbeatMs: number | null }
  | { readonly type: 'heartbeat'; readonly audience: string | null }
  | { readonly type: 'retry'; readonly waitMs: number }
  | { readonly type: 'failed'; readonly loss: Loss };

/** How a connection was lost. */
export interface Loss {
  /** The thrown error. */
  readonly error?: unknown;
  /** Without a thrown error, the text of a new one. */
  readonly message?: string;
  /** The HTTP status of a response that is not the stream. */
  readonly status?: number;
  /** From the JSON body of such a response. */
  readonly code?: string;
  readonly audience?: string;
  /** From `Retry-After`. */
  readonly retryAfterMs?: number | null;
  readonly reason?: 'silent';
  /** Whether the developer should look at it: it does not pass by itself. */
  readonly isLogged?: boolean;
}

export type SseCommand =
  | { readonly type: 'attempt' | 'open' }
  | { readonly type: 'close'; readonly reason: CloseReason }
  | { readonly type: 'error'; readonly loss: Loss };

export interface SseFacts {
  readonly now: number;
  /** At least 0, below 1. */
  readonly random: number;
  readonly isOnline: boolean;
  readonly options: Pick<SseOptions, 'initialRetryMs' | 'maxRetryMs' | 'backoffMultiplier' | 'retryJitter'>;
}

/** The fields that change, and the commands to perform. */
type Change = readonly [Partial<SseState>, ...SseCommand[]];

/** An attempt without a response is given up after this time, and a connection without a byte and without an announced interval. */
const patienceMs = 60_000;
const longestPatienceMs = 900_000;
const longestHintMs = 300_000;
const shortestSilenceMs = 10_000;
const betweenReturnsMs = 60_000;

export const initialSseState: SseState = {
  status: 'off',
  tries: 0,
  losses: 0,
  hintMs: null,
  retryInMs: null,
  wakeAt: null,
  openedAt: 0,
  lastByteAt: null,
  announcedMs: null,
  observedMs: null,
  beats: new Map(),
  silentLosses: 0,
  offlineAt: null,
  isRefused: false,
  returnedAt: -Infinity,
};

const nothing: Change = [{}];
const { returnedAt: _, ...off } = initialSseState;
/** The connection delivered something, or has lived long enough: the backoff starts again at `initialRetryMs`. */
const worked = { tries: 0, losses: 0 };

const intervalOf = ({ announcedMs, observedMs }: SseState): number => announcedMs ?? observedMs ?? Infinity;
const lastSignAt = ({ lastByteAt, openedAt }: SseState): number => lastByteAt ?? openedAt;

const wait = (retryInMs: number | null, wakeAt: number | null): Partial<SseState> => ({
  status: 'waiting',
  retryInMs,
  wakeAt,
});

const begin = ({ tries }: SseState, { now }: SseFacts): [Partial<SseState>, SseCommand] => [
  { ...wait(null, now + patienceMs), status: 'connecting', tries: tries + 1, hintMs: null, isRefused: false },
  { type: 'attempt' },
];

/** The connection is lost, and the next attempt follows after a wait. */
function lose(state: SseState, facts: SseFacts, loss: Loss): [Partial<SseState>, SseCommand] {
  const { initialRetryMs, maxRetryMs, backoffMultiplier, retryJitter } = facts.options;
  const { tries, losses } = state;
  const { status, reason } = loss;
  const error: SseCommand = { type: 'error', loss };
  if (status === 204 || status === 401 || status === 403)
    return [{ ...off, isRefused: status !== 204 }, error];
  const backoffMs = Math.min(initialRetryMs * backoffMultiplier ** losses, maxRetryMs);
  const hintMs = loss.retryAfterMs ?? state.hintMs;
  // A wait of 0 is obeyed once. A server that refuses again would otherwise be asked without a pause.
  const waitMs =
    hintMs !== null && (hintMs > 0 || tries < 2)
      ? Math.min(hintMs, longestHintMs)
      : Math.round(backoffMs * (1 - retryJitter * facts.random));
  const retryInMs = facts.isOnline ? waitMs : Math.max(waitMs, maxRetryMs);
  return [
    {
      ...{ ...wait(retryInMs, facts.now + retryInMs), losses: losses + 1 }, // Neither the jitter nor a hint changes the backoff.
      silentLosses: state.silentLosses + Number(reason === 'silent' && state.lastByteAt === null),
    },
    error,
  ];
}

/** When an open connection counts as dead. After the first byte there is no check while no interval is known. */
function deadAt(state: SseState): number {
  const interval = intervalOf(state);
  let silenceMs = Math.max(2.5 * interval, shortestSilenceMs);
  // A server may be silent on purpose: after three losses each check waits twice as long as the one before.
  if (interval === Infinity && state.lastByteAt === null)
    silenceMs = Math.min(patienceMs * 2 ** Math.max(0, state.silentLosses - 2), longestPatienceMs);
  return lastSignAt(state) + silenceMs;
}

/** When the browser has reported offline for one interval without a byte. */
const offlineUntil = (state: SseState): number => (state.offlineAt ?? Infinity) + intervalOf(state);

function silence(state: SseState, now: number): Loss {
  const message = `no data arrived for ${Math.round((now - lastSignAt(state)) / 1000)} s`;
  if (process.env.NODE_ENV !== 'production' && state.lastByteAt === null) {
    // Most often a proxy has passed the headers on and keeps the body.
    const hint = '. A proxy may be buffering the stream. Turn off response buffering for sse.url';
    return { message: message + hint, reason: 'silent', isLogged: true };
  }
  return { message, reason: 'silent' };
}

function wake(state: SseState, facts: SseFacts, type: Wake): Change {
  const { now, isOnline } = facts;
  const { maxRetryMs } = facts.options;
  switch (state.status) {
    case 'off': {
      // After a refusal: the user may have signed in elsewhere.
      if (!state.isRefused || !isOnline || now - state.returnedAt < betweenReturnsMs) return nothing;
      const [change, attempt] = begin(state, facts);
      return [{ ...change, returnedAt: now }, attempt];
    }
    case 'waiting': {
      if (type === 'network' ? !isOnline : type === 'visible' && state.wakeAt !== null) return nothing;
      // While the browser reports offline, the wait is `maxRetryMs`. It is no longer, because that report may be wrong.
      const waitedMs = state.retryInMs ?? 0;
      if (isOnline || waitedMs >= maxRetryMs) return begin(state, facts);
      return [wait(maxRetryMs, now + maxRetryMs - waitedMs)];
    }
    case 'connecting':
      return type === 'timer'
        ? lose(state, facts, { message: `no response for ${patienceMs / 1000} s` })
        : nothing;
    case 'open': {
      if (type === 'network') return [{ offlineAt: isOnline ? null : now }];
      if (type === 'timer') {
        if (now >= offlineUntil(state))
          return [wait(maxRetryMs, now + maxRetryMs), { type: 'close', reason: 'offline' }];
        return now < deadAt(state) ? nothing : lose(state, facts, silence(state, now));
      }
      // Timers stand still while a page is suspended.
      if (type === 'visible' && now - lastSignAt(state) <= 1.5 * intervalOf(state)) return nothing;
      const [change, attempt] = begin(state, facts);
      return [change, { type: 'error', loss: silence(state, now) }, attempt];
    }
  }
}

function move(state: SseState, event: SseEvent, facts: SseFacts): Change {
  const { status, beats, announcedMs, observedMs } = state;
  const { now } = facts;
  const isOn = status === 'connecting' || status === 'open';
  switch (event.type) {
    case 'connect':
      return isOn ? nothing : begin(state, facts);
    case 'stop':
      return status === 'off' ? [off] : [off, { type: 'close', reason: event.reason }];
    case 'hide':
      if (status === 'off') return nothing;
      return isOn ? [wait(null, null), { type: 'close', reason: 'pagehide' }] : [wait(null, null)];
    case 'opened':
      return [
        {
          ...{ status: 'open', openedAt: now, lastByteAt: null, offlineAt: null },
          ...{ announcedMs: event.heartbeatMs ?? announcedMs, observedMs: null, beats: off.beats },
        },
        { type: 'open' },
      ];
    case 'bytes':
      return [{ lastByteAt: now, silentLosses: 0, offlineAt: null }];
    case 'envelope':
      return [worked];
    case 'greeting':
      return [{ ...worked, announcedMs: event.heartbeatMs ?? announcedMs }];
    case 'heartbeat': {
      // By audience: the heartbeats of two audiences have no distance to each other.
      const distance = now - (beats.get(event.audience) ?? -Infinity) || Infinity;
      return [
        {
          ...{ ...worked, beats: new Map(beats).set(event.audience, now) },
          observedMs: distance < (observedMs ?? Infinity) ? distance : observedMs,
        },
      ];
    }
    case 'retry':
      return [{ hintMs: event.waitMs }];
    case 'ended': {
      const [change, error] = lose(state, facts, { message: 'the connection ended' });
      // A server that asked to come back closes on purpose.
      return [change, state.hintMs === null ? error : { type: 'close', reason: 'server' }];
    }
    case 'failed':
      return lose(state, facts, event.loss);
    default:
      return wake(state, facts, event.type);
  }
}

/** Decides what becomes of the connection and what to do about it. A command other than `open` ends the attempt before. */
export function step(
  state: SseState,
  event: SseEvent,
  facts: SseFacts,
): readonly [SseState, readonly SseCommand[]] {
  const hasLived = state.status === 'open' && facts.now - state.openedAt >= facts.options.initialRetryMs;
  const before = hasLived ? { ...state, ...worked } : state;
  const [change, ...commands] = move(before, event, facts);
  const next = { ...before, ...change };
  if (next.status !== 'open') return [next, commands];
  const wakeAt = Math.min(deadAt(next), offlineUntil(next));
  return [{ ...next, wakeAt: wakeAt === Infinity ? null : wakeAt }, commands];
}
