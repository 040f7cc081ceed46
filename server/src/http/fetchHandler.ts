// The stream on platforms that speak Request and Response: Hono, Bun, Deno, workers.

import { isRefusal, type Admitted, type Visitor } from '../subscribe/admission.ts';
import type { Connection, Outlet } from '../deliver/connection.ts';
import { preflightHeaders } from '../subscribe/cors.ts';
import { headersOfRefusal, headersOfStream, readableHeaders, type Door } from './httpShared.ts';
import { isObject, wrong } from '../optionErrors.ts';
import { refusalBody } from '../subscribe/refusal.ts';

/** Bytes that may wait in the stream before it counts as full. */
const highWaterMark = 65_536;

/** Makes the handler of a hub. */
export function createFetchHandler({
  admission,
  connections,
  cors,
}: Door): (request: Request) => Promise<Response> {
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
          connection = connections.begin({ ...admitted, outlet: outletOf(controller, gone) });
          admission.begun(admitted);
          if (connection.state !== 'open') gone(); // It came while the hub was closing, and has ended already.
          abandon = () => {
            gone();
            try {
              controller.close(); // Whoever goes on reading, such as a test or a middleware, does not wait for ever.
            } catch {
              // It has ended already.
            }
          };
          // Kept as the second sign only: the signal of a Request falls silent once the Request is collected, and this
          // source, which the stream holds, keeps the Request. `cancel` is what every platform calls.
          request.signal.addEventListener('abort', abandon);
          if (request.signal.aborted) abandon(); // In the turn that let it in.
        },
        pull() {
          if (connection !== null) connections.drained(connection);
        },
        cancel: gone,
      },
      new ByteLengthQueuingStrategy({ highWaterMark }),
    );
  }

  return async (request) => {
    if (!isObject(request?.headers))
      throw wrong('fetchHandler: the request', 'a Request (c.req.raw of Hono)', request);
    const origin = request.headers.get('origin');
    const preflight = preflightHeaders(cors, request.method, (name) => request.headers.get(name));
    if (preflight !== null) return new Response(null, { status: 204, headers: preflight });

    const visit = admission.visit(visitorOf(request));
    request.signal.addEventListener('abort', visit.leave);
    if (request.signal.aborted) visit.leave();
    const outcome = await visit.outcome;
    request.signal.removeEventListener('abort', visit.leave);
    if (outcome === null) return new Response(null, { status: 499 }); // Nobody is there to read it.
    if (isRefusal(outcome)) {
      const body = request.method === 'HEAD' ? null : refusalBody(outcome);
      return new Response(body, { status: outcome.status, headers: headersOfRefusal(cors, origin, outcome) });
    }
    return new Response(stream(request, outcome), {
      headers: { ...headersOfStream(cors, origin), ...closing(request) },
    });
  };
}

function visitorOf(request: Request): Visitor {
  const { url } = request;
  const pathAt = url.indexOf('/', url.indexOf('://') + 3);
  return {
    method: request.method,
    target: pathAt === -1 ? '/' : url.slice(pathAt),
    lastEventId: request.headers.get('last-event-id'),
    isQueued: false, // Platforms of this kind hand over one request at a time.
    describe: () => ({ headers: readableHeaders(Object.fromEntries(request.headers)), url, raw: request }),
  };
}

/** D-HUB-6. Browsers speak HTTP/2, which knows no such header, only over TLS. */
function closing(request: Request): Record<string, string> {
  return request.url.startsWith('http://') ? { connection: 'close' } : {};
}

function outletOf(controller: ReadableStreamDefaultController<Uint8Array>, gone: () => void): Outlet {
  return {
    write(bytes) {
      try {
        controller.enqueue(bytes);
      } catch {
        // The platform let go of the stream without a word. In a turn of its own: the hub may be walking its streams.
        queueMicrotask(gone);
        return false;
      }
      return (controller.desiredSize ?? 0) > 0;
    },
    end() {
      gone(); // Nobody calls `cancel` of a stream that was closed.
      controller.close();
    },
    destroy: () => controller.error(new Error('The stream stood still for too long.')),
  };
}
