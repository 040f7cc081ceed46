// `fetch` of one simulated client: it reaches the routes of the test and the event stream over the client's link.

import type { SimulatedClock } from './clock.ts';
import { openEventStream, type StreamParams } from './eventStream.ts';
import type { HubParts } from './hub.ts';
import type { LinkParts } from './link.ts';
import type { Routes } from './routes.ts';

/** A request that the server received. */
export interface ReceivedRequest {
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** Such as `POST`. */
  readonly method: string;
  /** The absolute URL. */
  readonly url: URL;
  /** The headers of the request. */
  readonly headers: Headers;
  /** Whether a browser sends cookies with the request. */
  readonly credentials: Request['credentials'];
  /** Whether the request is for the event stream. */
  readonly isStream: boolean;
}

/** The server of a simulation, which all its clients share. */
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
  /** Requests without a response. */
  inFlight: () => number;
}

const lost = (): TypeError => new TypeError('fetch failed');

/** The request without its signal: `Request` rejects the signal of another realm, such as that of jsdom. */
function withoutSignal(input: string | URL | Request, init: RequestInit, origin: string): Request {
  const { signal: _, ...rest } = init;
  if (typeof input === 'string' || input instanceof URL) return new Request(new URL(input, origin), rest);
  return new Request(input, rest);
}

export function createNetwork(server: ServerSide, parts: LinkParts): Network {
  let inFlight = 0;

  function exchange(request: Request, signal: AbortSignal | null): Promise<Response> {
    return new Promise((resolve, reject) => {
      const url = new URL(request.url);
      const isStream = url.origin === server.origin && url.pathname === server.streamPath;
      let stopStream: { broken: () => void; abort: (reason: unknown) => void } | null = null;
      let hasResponse = false;

      const pipe = parts.open(() => {
        if (stopStream !== null && hasResponse) stopStream.broken();
        else fail(lost());
      });

      function stopListening(): void {
        signal?.removeEventListener('abort', aborted);
      }
      function fail(error: unknown): void {
        if (hasResponse) return;
        hasResponse = true;
        stopListening();
        stopStream?.broken();
        pipe?.close();
        reject(error instanceof Error ? error : new DOMException(String(error), 'AbortError'));
      }
      function aborted(): void {
        const reason: unknown = signal?.reason;
        if (!hasResponse) fail(reason);
        else stopStream?.abort(reason);
      }
      function respond(response: Response, after?: () => void): void {
        if (hasResponse) return;
        hasResponse = true;
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
      const isResponseLost = !isStream && parts.takeLostResponse();

      async function serve(): Promise<void> {
        if (hasResponse || pipe === null) return;
        if (!server.hub.hub.isUp()) {
          pipe.send(() => fail(lost()), 'essential');
          return;
        }
        const { method, headers, credentials } = request;
        server.received({ at: server.clock.now(), method, url, headers, credentials, isStream });
        if (isStream) {
          const stream = openEventStream(request, server.hub, server.params, pipe, () => fail(lost()));
          stopStream = stream;
          pipe.send(() => respond(stream.response, stream.begin), 'essential');
          return;
        }
        const response = await server.routes.serve(request);
        pipe.send(() => (isResponseLost ? fail(lost()) : respond(response)), 'essential');
      }
      pipe.send(() => void serve(), 'essential');
    });
  }

  return {
    inFlight: () => inFlight,
    async fetch(input, init) {
      const signal = init?.signal ?? (input instanceof Request ? input.signal : null);
      signal?.throwIfAborted();
      const request = withoutSignal(input, init ?? {}, server.origin);
      inFlight += 1;
      try {
        return await exchange(request, signal);
      } finally {
        inFlight -= 1;
      }
    },
  };
}
