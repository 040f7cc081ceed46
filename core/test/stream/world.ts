// A world of its own for the stream's tests: a clock that steps to each timer, a scripted network, a page.

import type { Env, PageChange } from '@edict/core';

/** One request of the stream, and the server's side of it. */
export interface Connection {
  readonly url: URL;
  readonly init: RequestInit;
  /** Milliseconds of the world when it was asked. */
  readonly at: number;
  readonly isAborted: () => boolean;
  /** Whether the client let the body go. */
  readonly isReleased: () => boolean;
  /** Answers with an open stream. */
  readonly open: (headers?: Record<string, string>) => Promise<void>;
  /** Answers with an open stream through a `fetch` that has no streams, as React Native's. */
  readonly openUnread: () => Promise<void>;
  /** Answers with this status and a body, by default a short one. */
  readonly refuse: (status: number, headers?: Record<string, string>, body?: string) => Promise<void>;
  /** The request fails before an answer. */
  readonly fail: (error: unknown) => Promise<void>;
  readonly send: (text: string | Uint8Array) => Promise<void>;
  /** One frame with this envelope. */
  readonly envelope: (value: unknown) => Promise<void>;
  readonly end: () => Promise<void>;
  readonly cut: () => Promise<void>;
}

export interface World {
  readonly env: Env;
  readonly connections: readonly Connection[];
  /** The newest request; throws where there is none. */
  readonly last: () => Connection;
  /** Lets what is ready run. */
  readonly settle: () => Promise<void>;
  readonly advance: (ms: number) => Promise<void>;
  /** Sets the clock without running a timer, as a machine does that was asleep. */
  readonly jump: (ms: number) => void;
  readonly timerCount: () => number;
  readonly pageListenerCount: () => number;
  readonly setRandom: (value: number) => void;
  readonly page: { readonly set: (state: { isVisible?: boolean; isOnline?: boolean }) => void };
  readonly announce: (what: PageChange) => Promise<void>;
  readonly logs: readonly { level: string; message: string }[];
}

/** A promise, and what resolves it. */
export function deferred<T>(): { promise: Promise<T>; resolve: (value: T) => void } {
  let resolve!: (value: T) => void;
  const promise = new Promise<T>((done) => void (resolve = done));
  return { promise, resolve };
}

/** `heedsAbort: false`: the platform's `fetch` goes on although it was aborted. */
export function createWorld({ heedsAbort = true } = {}): World {
  let now = 1_700_000_000_000;
  let random = 0.5;
  let nextTimer = 0;
  const timers = new Map<number, { at: number; run: () => void }>();
  const connections: Connection[] = [];
  const listeners = new Set<(what: PageChange) => void>();
  const logs: { level: string; message: string }[] = [];
  const shown = { isVisible: true, isOnline: true };
  const encoder = new TextEncoder();

  async function settle(): Promise<void> {
    for (let turn = 0; turn < 3; turn++) await new Promise<void>((done) => void setImmediate(done));
  }

  function request(input: RequestInfo | URL, init: RequestInit = {}): Promise<Response> {
    const { signal } = init;
    return new Promise((resolve, reject) => {
      let isReleased = false;
      let source: ReadableStreamDefaultController<Uint8Array> | null = null;
      const body = new ReadableStream<Uint8Array>({
        start: (controller) => void (source = controller),
        cancel: () => void (isReleased = true),
      });
      if (heedsAbort) {
        signal?.addEventListener('abort', () => {
          reject(signal.reason as Error);
          if (!isReleased) {
            isReleased = true;
            source?.error(signal.reason);
          }
        });
      }
      const settled = (run: () => void) => async (): Promise<void> => {
        run();
        await settle();
      };
      const send = (bytes: string | Uint8Array): Promise<void> =>
        settled(() => source?.enqueue(typeof bytes === 'string' ? encoder.encode(bytes) : bytes))();
      connections.push({
        url: new URL(input instanceof Request ? input.url : input, 'http://page.test'),
        init,
        at: now,
        isAborted: () => signal?.aborted === true,
        isReleased: () => isReleased,
        open: (headers = { 'content-type': 'text/event-stream' }) =>
          settled(() => resolve(new Response(body, { headers })))(),
        openUnread: settled(() =>
          resolve(new Response(null, { headers: { 'content-type': 'text/event-stream' } })),
        ),
        refuse: (status, headers = {}, text = '{}') =>
          settled(() => resolve(new Response(status === 204 ? null : text, { status, headers })))(),
        fail: (error) => settled(() => reject(error as Error))(),
        send,
        envelope: (value) => send(`data: ${JSON.stringify(value)}\n\n`),
        end: settled(() => source?.close()),
        cut: settled(() => source?.error(new TypeError('terminated'))),
      });
    });
  }

  async function advance(ms: number): Promise<void> {
    const end = now + ms;
    for (;;) {
      await settle();
      let due: [number, { at: number; run: () => void }] | null = null;
      for (const timer of timers) {
        if (timer[1].at <= end && (due === null || timer[1].at < due[1].at)) due = timer;
      }
      if (due === null) break;
      timers.delete(due[0]);
      now = Math.max(now, due[1].at);
      due[1].run();
    }
    now = end;
  }

  return {
    env: {
      now: () => now,
      setTimeout(run, ms) {
        const handle = ++nextTimer;
        timers.set(handle, { at: now + Math.max(0, ms), run });
        return handle;
      },
      clearTimeout: (handle) => void timers.delete(handle as number),
      random: () => random,
      newId: () => `id-${++nextTimer}`,
      fetch: request,
      reloadPage: null,
      sessionStore: null,
      page: {
        isVisible: () => shown.isVisible,
        isOnline: () => shown.isOnline,
        onChange(callback) {
          listeners.add(callback);
          return () => void listeners.delete(callback);
        },
      },
      origin: () => 'http://page.test',
      log: (level, message) => void logs.push({ level, message }),
    },
    connections,
    last() {
      const connection = connections.at(-1);
      if (connection === undefined) throw new Error('there was no request');
      return connection;
    },
    settle,
    advance,
    jump: (ms) => void (now += ms),
    timerCount: () => timers.size,
    pageListenerCount: () => listeners.size,
    setRandom: (value) => void (random = value),
    page: { set: (state) => void Object.assign(shown, state) },
    async announce(what) {
      for (const listener of Array.from(listeners)) listener(what);
      await settle();
    },
    logs,
  };
}
