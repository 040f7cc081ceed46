// The life of the event stream as a table: from a state and an event to the next state and the commands to perform.
// It decides and performs nothing (D-SSE-2 to D-SSE-5).

import type { LifecycleEvents } from '../events/eventTypes.ts';
import type { SseOptions } from '../types/options.ts';
import type { SseStatus } from '../types/snapshots.ts';

export type CloseReason = LifecycleEvents['sse:close']['reason'];

export const initialSseState = {
  status: 'off' as SseStatus,
  /** Attempts since the last connection that worked. */
  tries: 0,
  /** Waits since then. The backoff grows with each. */
  losses: 0,
  /** The wait that the server asked for with `retry:` on this connection. */
  hintMs: null as number | null,
  /** The length of the current wait. */
  retryInMs: null as number | null,
  /** When a `timer` event is due. A wait without a timer ends when the page or the network comes back. */
  wakeAt: null as number | null,
  openedAt: 0,
  /** Null until this connection has delivered a byte. */
  lastByteAt: null as number | null,
  /** The announced heartbeat interval. It outlives a connection: the next one may die before it announces its own. */
  announcedMs: null as number | null,
  /** The smallest distance between two heartbeats on this connection; Infinity: unknown. */
  observedMs: Infinity as number,
  /** When each audience had its last heartbeat on this connection; null is the key of comment lines. */
  beats: new Map() as ReadonlyMap<string | null, number>,
  /** Connections in a row that opened and were lost without a byte. */
  silentLosses: 0,
  /** When the browser reported offline. A byte since then disproves the report: Infinity. */
  offlineAt: Infinity as number,
  /** Off after 401 or 403. A page that comes back tries again. */
  isRefused: false as boolean,
  /** When a page that came back last tried after a refusal. */
  returnedAt: -Infinity as number,
};

export type SseState = Readonly<typeof initialSseState>;

/** The page is visible, online or offline, or restored from the back/forward cache; or the time of `wakeAt` has come. */
type Wake = 'timer' | 'network' | 'restore' | 'visible';

export type SseEvent =
  | { readonly type: Wake | 'connect' | 'hide' | 'bytes' | 'ended' }
  | { readonly type: 'stop'; readonly reason: CloseReason }
  /** A response, or an envelope that is no heartbeat. */
  | { readonly type: 'opened' | 'envelope'; readonly heartbeatMs: number | null }
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
type Change = [Partial<SseState>, ...SseCommand[]];

/** An attempt without a response is given up after this time, and a connection without a byte and without an announced interval. */
const patienceMs = 60_000;
const longestPatienceMs = 900_000;
const longestHintMs = 300_000;
const shortestSilenceMs = 10_000;
const betweenReturnsMs = 60_000;

const { returnedAt: _, ...off } = initialSseState;
/** The backoff starts again at `initialRetryMs`. */
const worked = { tries: 0, losses: 0 };
/** The page or the network ends this wait. */
const park = { status: 'waiting', retryInMs: null, wakeAt: null } as const;

const intervalOf = ({ announcedMs, observedMs }: SseState): number => announcedMs ?? observedMs;
const lastSignAt = ({ lastByteAt, openedAt }: SseState): number => lastByteAt ?? openedAt;

const wait = (retryInMs: number, since: number): Partial<SseState> => ({
  status: 'waiting',
  retryInMs,
  wakeAt: since + retryInMs,
});

const begin = ({ tries }: SseState, now: number, more?: Partial<SseState>): Change => [
  {
    ...{ status: 'connecting', retryInMs: null, wakeAt: now + patienceMs },
    ...{ tries: tries + 1, hintMs: null, isRefused: false, ...more },
  },
  { type: 'attempt' },
];

/** The connection is lost, and the next attempt follows after a wait. */
function lose(state: SseState, { now, random, isOnline, options }: SseFacts, loss: Loss): Change {
  const { initialRetryMs, maxRetryMs, backoffMultiplier, retryJitter } = options;
  const { tries, losses, lastByteAt, silentLosses } = state;
  const { status, reason } = loss;
  const error: SseCommand = { type: 'error', loss };
  if (status === 204 || status === 401 || status === 403)
    return [{ ...off, isRefused: status !== 204 }, error];
  const hintMs = loss.retryAfterMs ?? state.hintMs;
  const backoffMs = Math.min(initialRetryMs * backoffMultiplier ** losses, maxRetryMs);
  // A wait of 0 is obeyed once. A server that refuses again would otherwise be asked without a pause.
  const waitMs =
    hintMs !== null && (hintMs > 0 || tries < 2)
      ? Math.min(hintMs, longestHintMs)
      : Math.round(backoffMs * (1 - retryJitter * random));
  return [
    {
      ...wait(isOnline ? waitMs : Math.max(waitMs, maxRetryMs), now),
      losses: losses + 1,
      silentLosses: silentLosses + Number(reason === 'silent' && lastByteAt === null),
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
const offlineUntil = (state: SseState): number => state.offlineAt + intervalOf(state);

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
  const { now, isOnline, options } = facts;
  const { status, isRefused, returnedAt, retryInMs, wakeAt } = state;
  const { maxRetryMs } = options;
  if (status === 'off') {
    // After a refusal: the user may have signed in elsewhere.
    if (!isRefused || !isOnline || now - returnedAt < betweenReturnsMs) return [{}];
    return begin(state, now, { returnedAt: now });
  }
  if (status === 'waiting') {
    if (type === 'network' ? !isOnline : type === 'visible' && wakeAt !== null) return [{}];
    // While the browser reports offline, the wait is `maxRetryMs`. It is no longer, because that report may be wrong.
    const waitedMs = retryInMs ?? 0;
    return isOnline || waitedMs >= maxRetryMs ? begin(state, now) : [wait(maxRetryMs, now - waitedMs)];
  }
  if (status === 'connecting')
    return type === 'timer'
      ? lose(state, facts, { message: `no response for ${patienceMs / 1000} s` })
      : [{}];
  if (type === 'network') return [{ offlineAt: isOnline ? Infinity : now }];
  if (type === 'timer') {
    if (now >= offlineUntil(state)) return [wait(maxRetryMs, now), { type: 'close', reason: 'offline' }];
    return now < deadAt(state) ? [{}] : lose(state, facts, silence(state, now));
  }
  // Timers stand still while a page is suspended.
  if (type === 'visible' && now - lastSignAt(state) <= 1.5 * intervalOf(state)) return [{}];
  const [change, ...commands] = begin(state, now);
  return [change, { type: 'error', loss: silence(state, now) }, ...commands];
}

function move(state: SseState, event: SseEvent, facts: SseFacts): Change {
  const { status, beats, announcedMs, observedMs } = state;
  const { now } = facts;
  const isOn = status === 'connecting' || status === 'open';
  switch (event.type) {
    case 'connect':
      return isOn ? [{}] : begin(state, now);
    case 'stop':
      return status === 'off' ? [off] : [off, { type: 'close', reason: event.reason }];
    case 'hide':
      if (status === 'off') return [{}];
      return isOn ? [park, { type: 'close', reason: 'pagehide' }] : [park];
    case 'opened':
      return [
        {
          ...{ status: 'open', openedAt: now, lastByteAt: null, offlineAt: Infinity },
          ...{ beats: new Map(), observedMs: Infinity, announcedMs: event.heartbeatMs ?? announcedMs },
        },
        { type: 'open' },
      ];
    case 'bytes':
      return [{ lastByteAt: now, silentLosses: 0, offlineAt: Infinity }];
    case 'envelope':
      return [{ ...worked, announcedMs: event.heartbeatMs ?? announcedMs }];
    case 'heartbeat': {
      // By audience: the heartbeats of two audiences have no distance to each other.
      const distance = now - (beats.get(event.audience) ?? -Infinity) || Infinity;
      return [
        {
          ...worked,
          beats: new Map(beats).set(event.audience, now),
          observedMs: Math.min(observedMs, distance),
        },
      ];
    }
    case 'retry':
      return [{ hintMs: event.waitMs }];
    case 'ended': {
      const lost = lose(state, facts, { message: 'the connection ended' });
      // A server that asked to come back closes on purpose.
      return state.hintMs === null ? lost : [lost[0], { type: 'close', reason: 'server' }];
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
  // The backoff starts again once the connection has delivered something, or has lived long enough.
  const hasLived = state.status === 'open' && facts.now - state.openedAt >= facts.options.initialRetryMs;
  const before = hasLived ? { ...state, ...worked } : state;
  const [change, ...commands] = move(before, event, facts);
  const next = { ...before, ...change };
  if (next.status !== 'open') return [next, commands];
  const wakeAt = Math.min(deadAt(next), offlineUntil(next));
  return [{ ...next, wakeAt: wakeAt === Infinity ? null : wakeAt }, commands];
}
