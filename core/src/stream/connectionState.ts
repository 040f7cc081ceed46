// The life of the event stream as a table: from a state and an event to the next state and the commands to perform.
// It decides and performs nothing (D-SSE-2 to D-SSE-5).

import type { LifecycleEvents } from '../events/eventTypes.ts';
import type { SseOptions } from '../types/options.ts';
import type { SseStatus } from '../types/snapshots.ts';

export type CloseReason = LifecycleEvents['sse:close']['reason'];

export interface SseState {
  readonly status: SseStatus;
  /** Attempts since the last connection that worked. */
  readonly tries: number;
  /** The next backoff; null means `initialRetryMs`. */
  readonly backoffMs: number | null;
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

export type SseEvent =
  | { readonly type: 'connect' | 'timer' | 'network' | 'hide' | 'restore' | 'visible' }
  | { readonly type: 'bytes' | 'envelope' | 'ended' }
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

/** An attempt without a response is given up after this time. A server that buffers its headers has that long. */
const attemptTimeoutMs = 60_000;
const firstByteMs = 60_000;
const longestFirstByteMs = 900_000;
const longestHintMs = 300_000;
const shortestSilenceMs = 10_000;
const betweenReturnsMs = 60_000;

export const initialSseState: SseState = {
  status: 'off',
  tries: 0,
  backoffMs: null,
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
const worked = { tries: 0, backoffMs: null };

const intervalOf = ({ announcedMs, observedMs }: SseState): number | null => announcedMs ?? observedMs;
const heardAt = ({ lastByteAt, openedAt }: SseState): number => lastByteAt ?? openedAt;

const wait = (retryInMs: number | null, wakeAt: number | null): Partial<SseState> => ({
  status: 'waiting',
  retryInMs,
  wakeAt,
});

const begin = ({ tries }: SseState, { now }: SseFacts): Change => [
  {
    status: 'connecting',
    tries: tries + 1,
    hintMs: null,
    retryInMs: null,
    wakeAt: now + attemptTimeoutMs,
    isRefused: false,
  },
  { type: 'attempt' },
];

/** An automatic attempt. While the browser reports offline it waits for `maxRetryMs`, because that report may be wrong. */
function retry(state: SseState, facts: SseFacts): Change {
  const { maxRetryMs } = facts.options;
  const waitedMs = state.retryInMs ?? 0;
  if (facts.isOnline || waitedMs >= maxRetryMs) return begin(state, facts);
  return [wait(maxRetryMs, facts.now + maxRetryMs - waitedMs)];
}

function lose(state: SseState, facts: SseFacts, loss: Loss): Change {
  const { initialRetryMs, maxRetryMs, backoffMultiplier, retryJitter } = facts.options;
  const { status } = loss;
  if (status === 204 || status === 401 || status === 403)
    return [
      { ...off, isRefused: status !== 204 },
      { type: 'error', loss },
    ];
  const backoffMs = state.backoffMs ?? initialRetryMs;
  const hintMs = loss.retryAfterMs ?? state.hintMs;
  // A wait of 0 is obeyed once. A server that refuses again would otherwise be asked without a pause.
  const isHinted = hintMs !== null && (hintMs > 0 || state.tries < 2);
  const waitMs = isHinted
    ? Math.min(hintMs, longestHintMs)
    : Math.round(backoffMs * (1 - retryJitter * facts.random));
  const retryInMs = facts.isOnline ? waitMs : Math.max(waitMs, maxRetryMs);
  return [
    {
      ...wait(retryInMs, facts.now + retryInMs),
      backoffMs: Math.min(backoffMs * backoffMultiplier, maxRetryMs), // Neither the jitter nor a hint changes it.
    },
    { type: 'error', loss },
  ];
}

/** Silence, from which a connection counts as dead. After the first byte there is no check while no interval is known. */
function longestSilenceMs(state: SseState): number {
  const interval = intervalOf(state);
  if (interval !== null) return Math.max(2.5 * interval, shortestSilenceMs);
  if (state.lastByteAt !== null) return Infinity;
  // A server may be silent on purpose: after three losses each check waits twice as long as the one before.
  return Math.min(firstByteMs * 2 ** Math.max(0, state.silentLosses - 2), longestFirstByteMs);
}

const deadAt = (state: SseState): number => heardAt(state) + longestSilenceMs(state);

/** When "offline" has lasted for one interval without a byte. */
const offlineUntil = (state: SseState): number =>
  (state.offlineAt ?? Infinity) + (intervalOf(state) ?? Infinity);

function silence(state: SseState, { now }: SseFacts, hint = ''): Loss {
  const seconds = Math.round((now - heardAt(state)) / 1000);
  return { message: `no data arrived for ${seconds} s${hint}`, reason: 'silent', isLogged: hint !== '' };
}

/** Without a single byte, most often a proxy has passed the headers on and holds back the body. */
const bufferingHint = '. A proxy may be buffering the stream. Turn off response buffering for sse.url';

function loseSilent(state: SseState, facts: SseFacts): Change {
  if (state.lastByteAt !== null) return lose(state, facts, silence(state, facts));
  const [change, ...commands] = lose(state, facts, silence(state, facts, bufferingHint));
  return [{ ...change, silentLosses: state.silentLosses + 1 }, ...commands];
}

function onTimer(state: SseState, facts: SseFacts): Change {
  const { now } = facts;
  switch (state.status) {
    case 'off':
      return nothing;
    case 'waiting':
      return retry(state, facts);
    case 'connecting':
      return lose(state, facts, { message: `no response for ${attemptTimeoutMs / 1000} s` });
    case 'open': {
      const { maxRetryMs } = facts.options;
      if (now >= offlineUntil(state))
        return [wait(maxRetryMs, now + maxRetryMs), { type: 'close', reason: 'offline' }];
      return now >= deadAt(state) ? loseSilent(state, facts) : nothing;
    }
  }
}

/** The page is visible, online, or restored from the back/forward cache. */
function comeBack(state: SseState, facts: SseFacts, how: 'network' | 'restore' | 'visible'): Change {
  const { now } = facts;
  switch (state.status) {
    case 'off': {
      // After a refusal: the user may have signed in elsewhere.
      if (!state.isRefused || !facts.isOnline || now - state.returnedAt < betweenReturnsMs) return nothing;
      const [change, ...commands] = begin(state, facts);
      return [{ ...change, returnedAt: now }, ...commands];
    }
    case 'waiting':
      return how !== 'visible' || state.wakeAt === null ? retry(state, facts) : nothing;
    case 'connecting':
      return nothing;
    case 'open': {
      if (how === 'network') return [{ offlineAt: null }];
      const overdueMs = how === 'restore' ? -1 : 1.5 * (intervalOf(state) ?? Infinity);
      if (now - heardAt(state) <= overdueMs) return nothing;
      const [change, attempt] = begin(state, facts);
      return [change, { type: 'error', loss: silence(state, facts) }, attempt as SseCommand]; // `begin` has it.
    }
  }
}

function afterHeartbeat({ beats, observedMs }: SseState, audience: string | null, now: number): Change {
  // By audience: the heartbeats of two audiences have no distance to each other.
  const distance = now - (beats.get(audience) ?? -Infinity);
  const isSmaller = distance > 0 && distance < (observedMs ?? Infinity);
  return [
    { ...worked, beats: new Map(beats).set(audience, now), observedMs: isSmaller ? distance : observedMs },
  ];
}

function move(state: SseState, event: SseEvent, facts: SseFacts): Change {
  const { status } = state;
  const { now } = facts;
  const isOn = status === 'connecting' || status === 'open';
  switch (event.type) {
    case 'connect':
      return isOn ? nothing : begin(state, facts);
    case 'stop':
      return status === 'off' ? [off] : [off, { type: 'close', reason: event.reason }];
    case 'timer':
      return onTimer(state, facts);
    case 'network':
      if (facts.isOnline) return comeBack(state, facts, 'network');
      return status === 'open' ? [{ offlineAt: now }] : nothing;
    case 'restore':
    case 'visible':
      return comeBack(state, facts, event.type);
    case 'hide':
      if (status === 'off') return nothing;
      return isOn ? [wait(null, null), { type: 'close', reason: 'pagehide' }] : [wait(null, null)];
    case 'opened':
      return [
        {
          status: 'open',
          openedAt: now,
          lastByteAt: null,
          announcedMs: event.heartbeatMs ?? state.announcedMs,
          observedMs: null,
          beats: off.beats,
          offlineAt: null,
        },
        { type: 'open' },
      ];
    case 'bytes':
      return [{ lastByteAt: now, silentLosses: 0, offlineAt: null }];
    case 'envelope':
      return [worked];
    case 'heartbeat':
      return afterHeartbeat(state, event.audience, now);
    case 'greeting':
      return [{ ...worked, announcedMs: event.heartbeatMs }];
    case 'retry':
      return [{ hintMs: event.waitMs }];
    case 'ended': {
      const [change, error] = lose(state, facts, { message: 'the connection ended' });
      // A server that asked to come back closes on purpose.
      return [change, state.hintMs === null ? (error as SseCommand) : { type: 'close', reason: 'server' }]; // `lose` has it.
    }
    case 'failed':
      return lose(state, facts, event.loss);
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
