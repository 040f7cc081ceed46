// `fetch` of one simulated client: over its link to the routes of the test and to the event stream.

import type { SimulatedClock } from './clock.ts';
import { openEventStream, type StreamParams } from './eventStream.ts';
import type { HubParts } from './hub.ts';
import type { LinkParts } from './link.ts';
import type { Routes } from './routes.ts';

/** A request as the server received it. */
export interface ReceivedRequest {
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** Such as `POST`. */
  readonly method: string;
  /** Absolute. */
  readonly url: URL;
  /** As sent. */
  readonly headers: Headers;
  /** Whether cookies would have been sent. */
  readonly credentials: Request['credentials'];
  /** Whether it is a subscription to the event stream. */
  readonly isStream: boolean;
}

/** What the clients of a simulation share. */
export interface ServerSide {
  clock: SimulatedClock;
  origin: string;
  streamPath: string;
  params: StreamParams;
  hub: HubParts;
  routes: Routes;
  received: (request: ReceivedRequest) => void;
}

/** The network of one client. */
export interface Network {
  fetch: (input: string | URL | Request, init?: RequestInit) => Promise<Response>;
  /** Requests that have not been answered yet. */
  underWay: () => number;
}

const lost = (): TypeError => new TypeError('fetch failed');

/** The request without its signal: where the platform's `AbortSignal` is replaced (jsdom), `Request` would refuse it. */
function withoutSignal(input: string | URL | Request, init: RequestInit, origin: string): Request {
  const { signal: _, ...rest } = init;
  if (typeof input === 'string' || input instanceof URL) return new Request(new URL(input, origin), rest);
  return new Request(input, rest);
}

export function createNetwork(server: ServerSide, parts: LinkParts): Network {
  let underWay = 0;

  function exchange(request: Request, signal: AbortSignal | null): Promise<Response> {
    return new Promise((resolve, reject) => {
      const url = new URL(request.url);
      const isStream = url.origin === server.origin && url.pathname === server.streamPath;
      let stopStream: { broken: () => void; abort: (reason: unknown) => void } | null = null;
      let isAnswered = false;

      const pipe = parts.open(() => {
        if (stopStream !== null && isAnswered) stopStream.broken();
        else fail(lost());
      });

      function stopListening(): void {
        signal?.removeEventListener('abort', aborted);
      }
      function fail(error: unknown): void {
        if (isAnswered) return;
        isAnswered = true;
        stopListening();
        stopStream?.broken();
        pipe?.close();
        reject(error instanceof Error ? error : new DOMException(String(error), 'AbortError'));
      }
      function aborted(): void {
        const reason: unknown = signal?.reason;
        if (!isAnswered) fail(reason);
        else stopStream?.abort(reason);
      }
      function answer(response: Response, after?: () => void): void {
        if (isAnswered) return;
        isAnswered = true;
        if (isStream) pipe?.establish();
        else {
          stopListening();
          pipe?.close();
        }
        resolve(response);
        after?.();
      }

      signal?.addEventListener('abort', aborted);
      if (pipe === null) {
        fail(lost());
        return;
      }
      if (!isStream && parts.takeLostRequest()) {
        fail(lost());
        return;
      }
      const isAnswerLost = !isStream && parts.takeLostAnswer();

      async function serve(): Promise<void> {
        if (isAnswered || pipe === null) return;
        if (!server.hub.hub.isUp()) {
          pipe.send(() => fail(lost()), 'essential');
          return;
        }
        const { method, headers, credentials } = request;
        server.received({ at: server.clock.now(), method, url, headers, credentials, isStream });
        if (isStream) {
          const stream = openEventStream(request, server.hub, server.params, pipe, () => fail(lost()));
          stopStream = stream;
          pipe.send(() => answer(stream.response, stream.begin), 'essential');
          return;
        }
        const response = await server.routes.serve(request);
        pipe.send(() => (isAnswerLost ? fail(lost()) : answer(response)), 'essential');
      }
      pipe.send(() => void serve(), 'essential');
    });
  }

  return {
    underWay: () => underWay,
    async fetch(input, init = {}) {
      const signal = init.signal ?? (input instanceof Request ? input.signal : null);
      signal?.throwIfAborted();
      const request = withoutSignal(input, init, server.origin);
      underWay += 1;
      try {
        return await exchange(request, signal);
      } finally {
        underWay -= 1;
      }
    },
  };
}
