// The event stream as a state machine. A table maps a state and an event to the next state, and to how the
// connection ended. The client follows the status (D-SSE-2 to D-SSE-5).

import { dev } from '../config/describe.ts';
import type { LifecycleEvents } from '../events/eventTypes.ts';
import type { SseOptions } from '../types/options.ts';
import type { SseStatus } from '../types/snapshots.ts';

export type CloseReason = LifecycleEvents['sse:close']['reason'];

export const initialSseState = {
  status: 'off' as SseStatus,
  /** Attempts since the last connection that worked. */
  tries: 0,
  /** The number of waits since then. The backoff grows with each. */
  losses: 0,
  /** The wait that the server requested with `retry:` on this connection. */
  hintMs: null as number | null,
  /** The length of the current wait. */
  retryInMs: null as number | null,
  /**
   * The time at which a `timer` event is due. A wait until Infinity ends when the page or the network returns.
   */
  wakeAt: Infinity as number,
  /** When the connection opened; before that, when its request began. */
  openedAt: 0,
  /** Null until this connection has received a byte. */
  lastByteAt: null as number | null,
  /**
   * The announced heartbeat interval. It is kept after a connection ends, because the next connection may fail
   * before it announces one.
   */
  announcedMs: null as number | null,
  /** The shortest time between two heartbeats on this connection; Infinity if unknown. */
  observedMs: Infinity as number,
  /** The time of each audience's last heartbeat on this connection. The key null is for comment lines. */
  beats: new Map() as ReadonlyMap<string | null, number>,
  /** The number of consecutive attempts and connections that were lost without a byte, because nothing arrived for too long. */
  silentLosses: 0,
  /** The time at which the browser reported offline. A byte after that disproves the report: Infinity. */
  offlineAt: Infinity as number,
  /** The status is off after 401 or 403. The stream is tried again when the page becomes visible. */
  isRefused: false as boolean,
  /** The time of the last attempt after a refusal that was caused by the page becoming visible. */
  returnedAt: -Infinity as number,
};

export type SseState = Readonly<typeof initialSseState>;

/**
 * The page became visible, online, or offline, or was restored from the back/forward cache; or the time `wakeAt`
 * was reached.
 */
type Wake = 'timer' | 'network' | 'restore' | 'visible';

export type SseEvent =
  | { readonly type: Wake | 'connect' | 'hide' | 'bytes' | 'ended' }
  | { readonly type: 'stop'; readonly reason: CloseReason }
  /** A response. `isLate`: earlier messages may be missing, because it took so long (D-SSE-8). */
  | { readonly type: 'opened'; readonly heartbeatMs: number | null; readonly isLate: boolean }
  /** An envelope that is not a heartbeat. */
  | { readonly type: 'envelope'; readonly heartbeatMs: number | null }
  | { readonly type: 'heartbeat'; readonly audience: string | null }
  | { readonly type: 'retry'; readonly waitMs: number }
  | { readonly type: 'failed'; readonly loss: Loss };

/** How a connection was lost. */
export interface Loss {
  /** The thrown error. */
  readonly error?: unknown;
  /** The text of a new error, if no error was thrown. */
  readonly message?: string;
  /** The HTTP status of a response that is not a stream. */
  readonly status?: number;
  /** From the JSON body of such a response. */
  readonly code?: string;
  readonly audience?: string;
  /** From `Retry-After`. */
  readonly retryAfterMs?: number | null;
  readonly reason?: 'silent';
}

/** What ended a connection or a wait: a fault, or the reason of a close. */
export type Ending = Loss | CloseReason;

export interface SseFacts {
  readonly now: number;
  /** At least 0, below 1. */
  readonly random: number;
  readonly isOnline: boolean;
  readonly options: Pick<SseOptions, 'initialRetryMs' | 'maxRetryMs' | 'backoffMultiplier' | 'retryJitter'>;
}

/** The changed fields, if any, and what ended the connection or the wait. */
type Transition = readonly [(Partial<SseState> | undefined)?, (Ending | undefined)?];

/**
 * An attempt without a response ends after this time. So does a connection without a byte and without an announced
 * interval.
 */
const patienceMs = 60_000;
const longestPatienceMs = 900_000;
const longestHintMs = 300_000;
const shortestSilenceMs = 10_000;
const betweenReturnsMs = 60_000;

const { returnedAt: _, announcedMs: __, ...off } = initialSseState;
/** The backoff restarts at `initialRetryMs`. */
const worked = { tries: 0, losses: 0 };
/** A connection begins. Its heartbeats are unknown. */
const opened = { status: 'open', offlineAt: Infinity, observedMs: Infinity, beats: off.beats } as const;
/** The page or the network ends this wait. */
const park = { status: 'waiting', retryInMs: null, wakeAt: Infinity } as const;

const intervalOf = ({ announcedMs, observedMs }: SseState): number => announcedMs ?? observedMs;
const lastSignAt = ({ lastByteAt, openedAt }: SseState): number => lastByteAt ?? openedAt;

const wait = (retryInMs: number, since: number): Partial<SseState> => ({
  status: 'waiting',
  retryInMs,
  wakeAt: since + retryInMs,
});

const begin = ({ tries }: SseState, now: number): Partial<SseState> => ({
  status: 'connecting',
  tries: tries + 1,
  retryInMs: null,
  hintMs: null,
  openedAt: now,
  lastByteAt: null,
  wakeAt: now + patienceMs,
});

/** The connection was lost, and the next attempt follows after a wait. */
function lose(state: SseState, { now, random, isOnline, options }: SseFacts, loss: Loss): Transition {
  const { maxRetryMs } = options;
  const { losses } = state;
  const { status } = loss;
  if (status === 204 || status === 401 || status === 403)
    return [{ ...off, isRefused: status !== 204 }, loss];
  const hintMs = loss.retryAfterMs ?? state.hintMs;
  const backoffMs = Math.min(options.initialRetryMs * options.backoffMultiplier ** losses, maxRetryMs);
  // A wait of 0 is used only once. Otherwise a server that refuses again would receive requests without a pause.
  const waitMs =
    hintMs !== null && (hintMs > 0 || state.tries < 2)
      ? Math.min(hintMs, longestHintMs)
      : Math.round(backoffMs * (1 - options.retryJitter * random));
  const change = wait(isOnline ? waitMs : Math.max(waitMs, maxRetryMs), now);
  const silentLosses = state.silentLosses + Number(loss.reason === 'silent' && state.lastByteAt === null);
  return [{ ...change, losses: losses + 1, silentLosses }, loss];
}

/**
 * The time at which an open connection counts as dead. After the first byte, there is no check until an interval
 * is known.
 */
function deadAt(state: SseState): number {
  const interval = intervalOf(state);
  let silenceMs = Math.max(2.5 * interval, shortestSilenceMs);
  // A server may be silent on purpose. After three losses, each check waits twice as long as the previous one.
  if (interval === Infinity && state.lastByteAt === null)
    silenceMs = Math.min(patienceMs * 2 ** Math.max(0, state.silentLosses - 2), longestPatienceMs);
  return lastSignAt(state) + silenceMs;
}

/** The time at which the browser has reported offline for one interval without a byte. */
const offlineUntil = (state: SseState): number => state.offlineAt + intervalOf(state);

function silence(state: SseState, now: number): Loss {
  let message = dev`no data arrived for ${Math.round((now - lastSignAt(state)) / 1000)} s`;
  // The usual cause is a proxy that buffers the body, and often the headers with it.
  if (process.env.NODE_ENV !== 'production' && state.lastByteAt === null)
    message += '. A proxy may be buffering the stream. Turn off response buffering for sse.url';
  return { message, reason: 'silent' };
}

function wake(state: SseState, facts: SseFacts, { type }: { readonly type: Wake }): Transition {
  const { now, isOnline } = facts;
  const { maxRetryMs } = facts.options;
  const { status } = state;
  if (status === 'off')
    // After a refusal, the user may have signed in in another tab.
    return state.isRefused && isOnline && now - state.returnedAt >= betweenReturnsMs
      ? [{ ...begin(state, now), returnedAt: now }]
      : [];
  if (status === 'waiting') {
    if (type === 'network' ? !isOnline : type === 'visible' && state.wakeAt < Infinity) return [];
    // While the browser reports offline, the wait is `maxRetryMs`. A longer wait is not used, because the report
    // may be wrong.
    const waitedMs = state.retryInMs ?? 0;
    return [isOnline || waitedMs >= maxRetryMs ? begin(state, now) : wait(maxRetryMs, now - waitedMs)];
  }
  if (status === 'connecting') return type === 'timer' ? lose(state, facts, silence(state, now)) : [];
  if (type === 'network' && (!isOnline || now < state.wakeAt))
    return [{ offlineAt: isOnline ? Infinity : now }];
  // The clock may have been set back since the timer was set. The timer counts, and not the clock (D-NAME-3).
  if (type === 'timer')
    return offlineUntil(state) < deadAt(state)
      ? [wait(maxRetryMs, now), 'offline']
      : lose(state, facts, silence(state, now));
  // Timers do not run while a page is suspended.
  return type === 'visible' && now - lastSignAt(state) <= 1.5 * intervalOf(state)
    ? []
    : [begin(state, now), silence(state, now)];
}

const isOn = ({ status }: SseState): boolean => status === 'connecting' || status === 'open';

type Move<T> = (state: SseState, facts: SseFacts, event: SseEvent & { readonly type: T }) => Transition;

/** What each event changes. */
const moves: { readonly [T in SseEvent['type']]: Move<T> } = {
  connect: (state, { now }) => (isOn(state) ? [] : [begin(state, now)]),
  stop: ({ status }, _, { reason }) => (status === 'off' ? [off] : [off, reason]),
  hide: (state) => (state.status === 'off' ? [] : [park, isOn(state) ? 'pagehide' : undefined]),
  opened: ({ announcedMs }, { now }, { heartbeatMs }) => [
    { ...opened, openedAt: now, announcedMs: heartbeatMs ?? announcedMs },
  ],
  bytes: (_, { now }) => [{ lastByteAt: now, silentLosses: 0, offlineAt: Infinity }],
  envelope: ({ announcedMs }, _, { heartbeatMs }) => [{ ...worked, announcedMs: heartbeatMs ?? announcedMs }],
  heartbeat({ beats, observedMs }, { now }, { audience }) {
    // Heartbeats are compared per audience, because the interval applies to each audience separately.
    const distance = now - (beats.get(audience) ?? -Infinity) || Infinity;
    return [
      { ...worked, beats: new Map(beats).set(audience, now), observedMs: Math.min(observedMs, distance) },
    ];
  },
  retry: (_, __, { waitMs }) => [{ hintMs: waitMs }],
  ended(state, facts) {
    const [change, loss] = lose(state, facts, { message: dev`the connection ended` });
    // A server that asked the client to reconnect closes on purpose.
    return [change, state.hintMs === null ? loss : 'server'];
  },
  failed: (state, facts, { loss }) => lose(state, facts, loss),
  timer: wake,
  network: wake,
  restore: wake,
  visible: wake,
};

/** Determines the next state of the connection, and what ended the current attempt, connection, or wait. */
export function step(state: SseState, event: SseEvent, facts: SseFacts): [SseState, Ending | undefined] {
  // The backoff restarts once the connection has received data, or has been open for long enough.
  const hasLived = state.status === 'open' && facts.now - state.openedAt >= facts.options.initialRetryMs;
  const before = hasLived ? { ...state, ...worked } : state;
  const move = moves[event.type] as Move<string>; // It receives an event of its type.
  const [change, ending] = move(before, facts, event);
  const next = { ...before, ...change };
  const wakeAt = next.status === 'open' ? Math.min(deadAt(next), offlineUntil(next)) : next.wakeAt;
  return [{ ...next, wakeAt }, ending];
}
