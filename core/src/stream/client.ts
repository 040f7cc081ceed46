// Drives the table of rules/sseState.ts with a real stream (D-SSE-1): one request, one timer.

import type { Clock } from '../platform/clock.ts';
import { createParser } from 'eventsource-parser';
import type { Env, PageChange } from '../platform/env.ts';
import type { Envelopes } from './envelopes.ts';
import type { Lifecycle } from '../events/bus.ts';
import { SINCE_MS_PARAM, SINCE_SLACK_MS, SSE_EVENT } from '../protocol/names.ts';
import type { Resync } from './resync.ts';
import { audiencesOf } from './readEnvelope.ts';
import { deepEqual } from '../cache/structuralSharing.ts';
import { headerPairs } from '../platform/headers.ts';
import type { Settings } from '../config/options.ts';
import {
  initialSseState,
  step,
  type CloseReason,
  type SseCommand,
  type SseEvent,
} from './connectionState.ts';
import { lossOf, streamAddress, streamUrl } from './request.ts';
import { urlOf } from '../platform/urls.ts';
import type { SseOptions } from '../types/options.ts';
import type { SseInfo } from '../types/snapshots.ts';

/** A frame beyond this many characters is given up and healed as a gap, instead of filling the memory. */
const longestFrame = 2 ** 24;

export interface SseClient {
  /** Connects unless connected or `sse.enabled` is off; ends a wait. */
  connect: () => void;
  /** The same when the page starts: what is read in this very task is then asked for from the start, by its age (D-SSE-8). */
  begin: () => void;
  /** Ends the connection or the wait; with `disconnect`, a pending resync stays owed until the next open (D-SSE-3). */
  disconnect: (reason: CloseReason) => void;
  /** After the options changed: connects anew where they matter to the stream. */
  configured: (before: SseOptions, after: SseOptions) => void;
  /** What the data layer holds may be older than was known so far. */
  olderRequest: () => void;
  /** What happened to the page (D-SSE-4, D-SSE-5). */
  onPage: (what: Exclude<PageChange, 'visibility'> | 'visible') => void;
  info: () => SseInfo;
  dispose: () => void;
}

/** What the request is made of, whatever the client has seen; functions that make headers are compared by identity. */
const requestOf = (sse: SseOptions): unknown[] => [
  streamUrl(sse, '', () => 0, 0),
  sse.withCredentials,
  sse.headers,
];

export function createSseClient(
  env: Env,
  clock: Clock,
  lifecycle: Lifecycle,
  settings: () => Settings,
  envelopes: Envelopes,
  resync: Resync,
  clientId: () => string,
  oldestRequestAt: () => number | null,
  onStatus: () => void,
  onConnect: () => void,
): SseClient {
  let state = initialSseState;
  /** Whether the application wants a stream, also where the server or `enabled` refuses one. */
  let isWanted = false;
  let isDisposed = false;
  let controller = new AbortController();
  let timer: { readonly at: number; readonly handle: unknown } | null = null;
  let url = '';
  /** An attempt that begins now sends its request at the end of the task. */
  let isAskingLater = false;
  /** The attempt in force has told the hub how old the oldest request is; not where all numbers are known, which say more. */
  let hasToldAge = false;
  /** What it told was too old when the hub looked at it: the replay may lack something. */
  let isLate = false;

  function send(event: SseEvent): void {
    const [next, commands] = step(state, event, {
      now: env.now(),
      isOnline: env.page?.isOnline() ?? true,
      options: settings().sse,
    });
    const isOther = next.status !== state.status || next.retryInMs !== state.retryInMs;
    state = next;
    setTimer();
    for (const command of commands) perform(command);
    if (isOther) onStatus();
  }

  function setTimer(): void {
    const at = state.wakeAt;
    if (timer?.at === at) return;
    if (timer !== null) env.clearTimeout(timer.handle);
    timer = at === null ? null : { at, handle: env.setTimeout(onTimer, at - env.now()) };
  }

  function onTimer(): void {
    timer = null;
    send({ type: 'timer' });
  }

  function perform(command: SseCommand): void {
    switch (command.type) {
      case 'attempt':
        // A listener of an event before this command may have ended the attempt.
        if (command.attempt === state.attempt) void attempt(command.attempt);
        break;
      case 'abort':
        controller.abort();
        break;
      case 'open':
        envelopes.newConnection();
        envelopes.expectReplay(hasToldAge ? (oldestRequestAt() ?? env.now()) : null);
        lifecycle.emit('sse:open', { audience: settings().sse.audience, url });
        if (state.status === 'open') resync.resume(); // D-SSE-3
        break;
      case 'close':
        lifecycle.emit('sse:close', { reason: command.reason });
        break;
      case 'error': {
        const { status, error } = command.loss;
        const { retryInMs } = command;
        lifecycle.emit('sse:error', { retryInMs, ...(status === undefined ? {} : { status }), error });
      }
    }
  }

  /** D-SSE-8. 0 says that there was no request; one of this very millisecond is 1 ms old, or the hub would replay nothing. */
  function oldestAgeMs(): number {
    const at = oldestRequestAt();
    return at === null ? 0 : Math.max(1, env.now() - at);
  }

  /** Made anew for each attempt (D-SSE-4, D-SSE-8). */
  const address = (): string => streamUrl(settings().sse, clientId(), envelopes.lastSeq, oldestAgeMs());

  async function attempt(number: number): Promise<void> {
    const { signal } = (controller = new AbortController());
    hasToldAge = false;
    try {
      lifecycle.emit('sse:connecting', { attempt: state.tries, url: address() });
      if (isAskingLater) await Promise.resolve();
      if (signal.aborted) return;
      const { headers, withCredentials } = settings().sse;
      const own = typeof headers === 'function' ? await headers() : headers;
      if (signal.aborted) return;
      url = address(); // Again: making headers takes time, and `since_ms` is of now.
      hasToldAge = url.includes(`&${SINCE_MS_PARAM}=`);
      const askedAt = env.now();
      const response = await env.fetch(url, {
        headers: { Accept: 'text/event-stream', ...Object.fromEntries(headerPairs(own)) },
        credentials: withCredentials ? 'include' : 'omit', // D-SSE-1
        cache: 'no-store',
        signal,
      });
      const reader = response.body?.getReader();
      // Not every `fetch` heeds its signal: the body is let go in any case.
      const release = (): void => void reader?.cancel().catch(() => undefined);
      if (signal.aborted) return release();
      signal.addEventListener('abort', release);
      const loss = lossOf(response, clock.sinceEpoch(clock.now()));
      if (loss !== null) {
        // What will not pass by itself. A server that is away for a while is no mistake.
        if (loss.status < 429 && loss.status !== 204) env.log('warn', loss.error.message);
        return send({ type: 'failed', attempt: number, ...loss });
      }
      isLate = hasToldAge && oldestRequestAt() !== null && env.now() - askedAt > SINCE_SLACK_MS;
      send({ type: 'opened', attempt: number });
      const frames = frameReader(number, signal);
      // The stream has a body.
      while (reader !== undefined && !signal.aborted) {
        const { done, value } = await reader.read();
        if (done) return send({ type: 'ended', attempt: number });
        send({ type: 'bytes', attempt: number });
        frames(value);
      }
    } catch (error) {
      // Told once, by the first attempt: it will not pass by itself.
      if (!signal.aborted && state.tries === 1 && env.origin() === null && urlOf(address()) === null)
        env.log('warn', 'outside a browser the event stream needs sse.baseUrl');
      send({ type: 'failed', attempt: number, error });
    }
  }

  /** Takes the bytes of one connection apart. */
  function frameReader(number: number, signal: AbortSignal): (bytes: Uint8Array) => void {
    const decoder = new TextDecoder();
    const parser = createParser({
      maxBufferSize: longestFrame,
      onEvent({ event, data }) {
        // An envelope before this one may have ended the connection; the next one recovers what is left here.
        if (signal.aborted || (event !== undefined && event !== SSE_EVENT)) return;
        const envelope = envelopes.receive(data);
        if (envelope === null) return;
        const { audience, heartbeatMs, isGreeting, directives, seq } = envelope;
        if (isLate && isGreeting && seq !== null) {
          isLate = false;
          envelopes.miss(audience, seq);
        }
        if (directives.length > 0) send({ type: 'envelope', attempt: number });
        else if (isGreeting) send({ type: 'greeting', attempt: number, heartbeatMs });
        else send({ type: 'heartbeat', attempt: number, audience });
      },
      onComment: () => send({ type: 'heartbeat', attempt: number, audience: null }),
      onRetry: (waitMs) => send({ type: 'retry', attempt: number, waitMs }),
      onError(error) {
        if (error.type !== 'max-buffer-size-exceeded')
          return env.log('debug', 'a line of the event stream', error);
        lifecycle.emit('sse:message-error', { data: null, error });
        parser.reset(); // Goes on behind it: the number that is missing then is a gap.
      },
    });
    return (bytes) => parser.feed(decoder.decode(bytes, { stream: true }));
  }

  function connect(): void {
    isWanted = !isDisposed;
    if (!isWanted || !settings().sse.enabled) return;
    onConnect();
    send({ type: 'connect' });
  }

  /** What is read in this very task is then asked for from the start, by its age. */
  function atEndOfTask(start: () => void): void {
    isAskingLater = true;
    start();
    isAskingLater = false;
  }

  function disconnect(reason: CloseReason): void {
    // Over another transport nothing was waiting for the stream.
    if (reason === 'disconnect' && isWanted) resync.pause();
    isWanted = false;
    send({ type: 'stop', reason });
    if (reason === 'configure') resync.resume(); // Another transport takes over, with what is owed.
  }

  return {
    connect,
    begin: () => atEndOfTask(connect),
    disconnect,
    onPage: (type) => send({ type }),
    configured(before, after) {
      envelopes.forget(audiencesOf(after.audience)); // D-SSE-6
      const isChanged = !deepEqual(requestOf(before), requestOf(after));
      if (isChanged || !after.enabled) send({ type: 'stop', reason: 'configure' });
      if (isWanted && state.status === 'off') connect(); // D-SSE-3; D-SSE-2 after a refusal
    },
    olderRequest() {
      // The subscription would not replay what its answer may lack: ask again, with its age (D-SSE-8).
      if (hasToldAge) atEndOfTask(() => send({ type: 'overtaken' }));
    },
    info() {
      const { sse } = settings();
      const { enabled, audience } = sse;
      const { status, tries, retryInMs } = state;
      return {
        enabled,
        connected: status === 'open',
        status,
        url: streamAddress(sse),
        audience: typeof audience === 'string' ? audience : [...audience],
        attempt: tries,
        retryInMs,
        lastSeq: envelopes.numbers(),
      };
    },
    dispose() {
      isDisposed = true;
      disconnect('dispose');
    },
  };
}
