// The event stream. It follows the table in connectionState.ts: one request and one timer at a time (D-SSE-1).

import type { Requesting } from '../fetching/batching.ts';
import type { PageChange } from '../platform/env.ts';
import type { Audiences } from './audiences.ts';
import type { Envelopes } from './envelopes.ts';
import { HEARTBEAT_HEADER, SINCE_SLACK_MS } from '../protocol/names.ts';
import { dev } from '../config/describe.ts';
import type { Resync } from './resync.ts';
import { deepEqual } from '../cache/structuralSharing.ts';
import { initialSseState, step } from './connectionState.ts';
import type { CloseReason, Loss, SseEvent, SseState } from './connectionState.ts';
import { readFrames } from './frames.ts';
import { lossOf, streamAddress, streamUrl } from './request.ts';
import { isText } from '../config/checks.ts';
import { headerOf, headersOf } from '../platform/headers.ts';
import { watchConnections } from '../platform/connectionLimit.ts';
import { urlOf } from '../platform/urls.ts';
import type { Sharing } from './share/sharedStream.ts';
import type { SseOptions } from '../types/options.ts';
import type { SseInfo } from '../types/snapshots.ts';
import { readInterval } from './readEnvelope.ts';

export interface SseClient {
  /** Connects, unless connected or `sse.enabled` is false. Ends a wait. */
  connect: () => void;
  /**
   * Ends the connection or the wait. With `disconnect`, a pending resync stays scheduled until the next open
   * (D-SSE-3).
   */
  disconnect: (reason: CloseReason) => void;
  /** The options changed. Reconnects if the request of the stream is different now. */
  configured: (before: SseOptions, after: SseOptions) => void;
  /** The page changed (D-SSE-4, D-SSE-5). */
  onPage: (what: Exclude<PageChange, 'visibility'> | 'visible') => void;
  info: () => SseInfo;
  /** Whether the application wants a stream, even if there is none now. */
  isWanted: () => boolean;
}

interface Needs extends Requesting {
  audiences: Audiences;
  envelopes: Envelopes;
  resync: Resync;
  /** The application wants a connection. */
  onConnect: () => void;
}

let loading: Promise<typeof import('./share/sharedStream.ts') | null> | null = null;

/** Loads the code that shares a stream, once. Resolves to null if it cannot be loaded, and the next call tries again. */
export const loadShare = (): NonNullable<typeof loading> =>
  (loading ??= import('./share/sharedStream.ts').catch(() => (loading = null)));

/** The part of the request that depends on options. Functions that create headers are compared by identity. */
const requestOf = (sse: SseOptions): unknown[] => [
  streamUrl(sse, '', [], 0),
  sse.withCredentials,
  sse.headers,
  sse.share,
  sse.pauseHidden,
];

export function createSseClient(needs: Needs): SseClient {
  const { env, clientId, lifecycle, settings, audiences, envelopes, resync } = needs;
  let state = initialSseState;
  /** Whether the application wants a stream, even if the server or `enabled` refuses one. */
  let isWanted = false;
  let controller = new AbortController();
  let timer: unknown = null;
  let url = '';
  /** Loaded once it is needed. */
  let share: Awaited<typeof loading> = null;
  let sharing: Sharing | null = null;

  function send(event: SseEvent): void {
    const before = state;
    const [next, ending] = step(before, event, {
      now: env.now(),
      random: env.random(),
      isOnline: env.page?.isOnline() ?? true,
      options: settings().sse,
    });
    state = next;
    const { status, retryInMs, wakeAt } = next;
    const isOther = status !== before.status;
    if (wakeAt !== before.wakeAt) {
      env.clearTimeout(timer);
      timer = wakeAt < Infinity ? env.setTimeout(() => send({ type: 'timer' }), wakeAt - env.now()) : null;
    }
    if (isOther && status !== 'open') {
      controller.abort();
      sharing?.leave(retryInMs);
      sharing = null;
    }
    if (isText(ending)) lifecycle.emit('sse:close', { reason: ending });
    else if (ending !== undefined) reportLoss(ending, next, before);
    if (event.type === 'opened') {
      lifecycle.emit('sse:open', { audience: settings().sse.audience, url });
      if (state.status === 'open') envelopes.connected(event.isLate);
    }
    // A listener may have ended this attempt and started another one.
    if (isOther && status === 'connecting' && state === next) void begin();
    if (isOther || retryInMs !== before.retryInMs) needs.cache.noteChange();
  }

  function reportLoss(loss: Loss, { status, retryInMs }: SseState, { lastByteAt }: SseState): void {
    const { message, retryAfterMs: _, error, ...known } = loss;
    const text = dev`Event stream: ${message}.` || 'The event stream failed.';
    if (process.env.NODE_ENV !== 'production') {
      const { status: code = 500, reason } = known;
      // These faults are permanent. Others are temporary, or intended.
      if ((code < 429 && code !== 204) || (reason === 'silent' && lastByteAt === null)) env.log('warn', text);
    }
    lifecycle.emit('sse:error', {
      retryInMs: status === 'off' ? null : (retryInMs ?? 0),
      ...known,
      error: error ?? new Error(`[edict] ${text}`),
    });
  }

  /** At least 1 ms: a request that begins while this attempt is in flight needs the hub's slack (D-SSE-8). */
  const oldestAgeMs = (): number => Math.max(1, env.now() - needs.fetching.oldestRequestAt());

  const address = (): string => streamUrl(settings().sse, clientId(), audiences.lastSeqs(), oldestAgeMs());

  /** Begins a connection with a request, or by following another tab. */
  async function begin(): Promise<void> {
    const { sse } = settings();
    if (sse.pauseHidden && env.page?.isVisible() === false) return send({ type: 'hide' });
    const signal = renew();
    const isShared = sse.share !== false && env.tabs !== null;
    // The first request does not wait for the file. If the file cannot be loaded, this tab keeps its own stream.
    const isStarted = !isShared || share === null;
    if (isStarted) void attempt();
    if (!isShared) return;
    share ??= await loadShare();
    const request = requestOf(sse);
    const tab = { ...needs, request, status: () => state.status, send, attempt, follow: renew, onFrame };
    if (!signal.aborted) sharing = share?.shareStream(tab, isStarted) ?? null;
  }

  /** Ends the request. The connection continues with another request, or with the frames of another tab. */
  function renew(): AbortSignal {
    controller.abort();
    controller = new AbortController();
    return controller.signal;
  }

  async function attempt(): Promise<void> {
    const { signal } = controller;
    const report = (event: SseEvent): void => {
      if (!signal.aborted) send(event);
    };
    try {
      url = '';
      lifecycle.emit('sse:connecting', { attempt: state.tries, url: address() });
      const { headers, withCredentials } = settings().sse;
      // Even without headers, the request is sent after the current task, so that it includes the cursors that are
      // hydrated until then.
      const own = await (typeof headers === 'function' ? headers() : headers);
      if (signal.aborted) return;
      url = address(); // Again: headers may take a while, and `since_ms` is an age.
      const startedAt = env.now();
      const isByAge = audiences.lastSeqs().includes(null);
      // The replay does not cover older data that becomes known later.
      if (isByAge) audiences.miss(startedAt - oldestAgeMs());
      const response = await env.fetch(url, {
        headers: { accept: 'text/event-stream', ...headersOf(own) },
        credentials: withCredentials ? 'include' : 'omit', // D-SSE-1
        cache: 'no-store',
        signal,
      });
      const loss = await lossOf(response, env.sinceEpoch(env.now()));
      if (loss !== null) return report({ type: 'failed', loss });
      const heartbeatMs = readInterval(headerOf(response, HEARTBEAT_HEADER));
      report({ type: 'opened', heartbeatMs, isLate: isByAge && env.now() - startedAt > SINCE_SLACK_MS });
      if (process.env.NODE_ENV !== 'production') watchConnections(env, url, signal);
      await readFrames(response.body as ReadableStream, signal, report, onFrame); // lossOf has made sure of the body.
    } catch (error) {
      // Only the first attempt logs a fault of the application.
      if (process.env.NODE_ENV !== 'production' && !signal.aborted && state.tries === 1)
        if (url === '') env.log('warn', 'Event stream: sse.headers failed.', error);
        else if (env.origin() === null && urlOf(url) === null)
          env.log('warn', 'outside a browser the event stream needs sse.baseUrl');
      report({ type: 'failed', loss: { error } });
    }
  }

  /** Accepts the data of a frame, or null for a comment. */
  function onFrame(data: string | null): void {
    const { signal } = controller;
    const envelope = data === null ? null : envelopes.receive(data);
    if (signal.aborted) return; // A listener has ended the connection. The next one recovers the rest.
    if (data === null) send({ type: 'heartbeat', audience: null });
    else if (envelope !== null) {
      const isHeartbeat = envelope.directives.length === 0 && !envelope.isGreeting;
      send({ ...envelope, type: isHeartbeat ? 'heartbeat' : 'envelope' });
    }
    sharing?.pass(data);
  }

  function connect(): void {
    isWanted = !needs.disposed.aborted;
    if (!isWanted || !settings().sse.enabled) return;
    needs.onConnect();
    send({ type: 'connect' });
  }

  function disconnect(reason: CloseReason): void {
    // With another transport, nothing waited for the stream.
    if (reason === 'disconnect' && isWanted) resync.pause();
    isWanted = false;
    send({ type: 'stop', reason });
  }

  return {
    connect,
    disconnect,
    onPage: (type) => send({ type }),
    configured(before, after) {
      audiences.keepSubscribed(); // D-SSE-6
      const isChanged = !deepEqual(requestOf(before), requestOf(after));
      if (isChanged || !after.enabled) send({ type: 'stop', reason: 'configure' });
      if (isWanted && state.status === 'off') connect(); // D-SSE-3; after a refusal, D-SSE-2.
    },
    isWanted: () => isWanted,
    info() {
      const { sse } = settings();
      const { enabled, audience } = sse;
      const { status, tries, retryInMs } = state;
      const seqs = audiences.lastSeqs();
      const all = audiences.subscribed().map((name, at) => [name, seqs[at] as number] as const);
      return {
        enabled,
        connected: status === 'open',
        status,
        url: streamAddress(sse),
        audience: isText(audience) ? audience : [...audience],
        attempt: tries,
        retryInMs,
        lastSeq: Object.fromEntries(all.filter(([, seq]) => seq !== null)),
        role: sharing?.role() ?? null,
      };
    },
  };
}
