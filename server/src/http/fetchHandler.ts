// The stream on platforms with Request and Response: Hono, Bun, Deno, workers.

import type { Connection, Outlet } from '../deliver/connection.ts';
import { isObject, wrong } from '../optionErrors.ts';
import type { AuthorizeRequest } from '../options.ts';
import { isRefusal, type Admitted, type IncomingRequest, type Outcome } from '../subscribe/admission.ts';
import { refusalBody } from '../subscribe/refusal.ts';
import { readableHeaders, type HandlerNeeds } from './httpShared.ts';

/** Bytes that may wait in the stream before it counts as full. */
const highWaterMark = 65_536;

/** Creates the handler of a hub. */
export function createFetchHandler({
  admission,
  connections,
  responseHeaders,
}: HandlerNeeds): (request: Request) => Promise<Response> {
  function stream(request: Request, admitted: Admitted): ReadableStream<Uint8Array> {
    let connection: Connection | null = null;
    let abandon = (): void => undefined;
    const gone = (): void => {
      request.signal.removeEventListener('abort', abandon);
      if (connection !== null) connections.gone(connection);
    };
    return new ReadableStream<Uint8Array>(
      {
        start(controller) {
          connection = connections.begin(admitted, outletOf(controller, gone));
          admission.begun(admitted);
          abandon = () => {
            gone();
            try {
              controller.close(); // A reader that continues, such as a test or a middleware, does not wait forever.
            } catch {
              // The stream has ended already.
            }
          };
          // Every platform calls `cancel`. The signal is only a second sign: it stops working when the Request is garbage
          // collected, so this source, which the stream keeps alive, keeps the Request alive.
          request.signal.addEventListener('abort', abandon);
        },
        pull() {
          if (connection !== null) connections.drained(connection);
        },
        cancel: gone,
      },
      new ByteLengthQueuingStrategy({ highWaterMark }),
    );
  }

  function admit(request: Request): Promise<Response> {
    const { signal } = request;
    return new Promise((resolve) => {
      const leave = (): void => pending?.leave();
      const pending = admission.admit(incomingRequest(request), (outcome) => {
        signal.removeEventListener('abort', leave);
        resolve(respond(request, outcome)); // The stream begins in this step, so that no revocation comes before it.
      });
      if (pending === null) return;
      signal.addEventListener('abort', leave);
    });
  }

  async function respond(request: Request, outcome: Outcome): Promise<Response> {
    if (outcome === null) return new Response(null, { status: 499 }); // The client left and does not read it.
    const origin = request.headers.get('origin');
    // Browsers use HTTP/2, which has no `Connection: close`, only with TLS.
    const canClose = request.url.startsWith('http://');
    if (isRefusal(outcome)) {
      const headers = responseHeaders.refusal(origin, canClose, outcome);
      return new Response(refusalBody(outcome), { status: outcome.status, headers });
    }
    return new Response(stream(request, outcome), { headers: responseHeaders.stream(origin, canClose) });
  }

  return async (request) => {
    checkRequest('fetchHandler', request, '; Express needs nodeHandler');
    const preflight = responseHeaders.preflight(request.method, (name) => request.headers.get(name));
    if (preflight !== null) return new Response(null, { status: 204, headers: preflight });
    return request.signal.aborted ? respond(request, null) : admit(request);
  };
}

/** Throws a `TypeError` when something else than a `Request` was passed. */
export function checkRequest(caller: string, request: Request, hint = ''): void {
  if (!isObject(request?.headers) || typeof request.headers.get !== 'function')
    throw wrong(`${caller}: the request`, `a Request (c.req.raw of Hono${hint})`, request);
}

/** The request as the application's callbacks receive it. */
export function describeRequest(request: Request): AuthorizeRequest {
  return { headers: readableHeaders(Object.fromEntries(request.headers)), url: request.url, raw: request };
}

function incomingRequest(request: Request): IncomingRequest {
  const { url } = request;
  return {
    method: request.method,
    target: url.slice(url.indexOf('/', url.indexOf('://') + 3)),
    lastEventId: request.headers.get('last-event-id'),
    isPipelined: false, // These platforms pass on one request of a connection at a time.
    describe: () => describeRequest(request),
  };
}

function outletOf(controller: ReadableStreamDefaultController<Uint8Array>, gone: () => void): Outlet {
  return {
    write(bytes) {
      try {
        controller.enqueue(bytes);
      } catch {
        // The platform dropped the stream without calling `cancel`. Runs later, because the hub may be iterating over its streams.
        queueMicrotask(gone);
        return false;
      }
      return (controller.desiredSize ?? 0) > 0;
    },
    end() {
      gone(); // `cancel` is not called for a closed stream.
      controller.close();
    },
    destroy: () => controller.error(new Error('[edict] The hub closed the stream.')),
  };
}
