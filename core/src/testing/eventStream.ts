// The endpoint of the event stream. It reads the parameters, subscribes, and responds with a real `Response`, whose body is sent over the
// link of the client.

import { DEFAULT_AUDIENCE, LAST_EVENT_ID_HEADER, LAST_SEQ_PARAM, SINCE_MS_PARAM } from '@edict/core/protocol';
import type { HubParts, HubRefusal, Subscription } from './hub.ts';
import type { Pipe } from './link.ts';

/** Names of the query parameters. */
export interface StreamParams {
  clientId: string;
  audience: string;
}

/** The response to a request for the stream: an open stream or a refusal. */
export interface StreamResponse {
  response: Response;
  /** Sends the first frames. It is called after the client has received the response. */
  begin: () => void;
  /** The link broke. */
  broken: () => void;
  /** The client aborted the request. */
  abort: (reason: unknown) => void;
}

function refuse(
  status: number,
  code: string,
  message: string,
  { headers, audience }: Pick<HubRefusal, 'headers' | 'audience'> = {},
): Response {
  return new Response(JSON.stringify({ error: { code, message, audience } }), {
    status,
    headers: { 'content-type': 'application/json', 'x-content-type-options': 'nosniff', ...headers },
  });
}

const whole = /^\d{1,16}$/;

/** The subscription, or the error in the request. */
function readSubscription(url: URL, headers: Headers, names: StreamParams): Subscription | string {
  const query = url.searchParams;
  const asked = query.getAll(names.audience);
  const audiences = asked.length === 0 ? [DEFAULT_AUDIENCE] : asked;
  if (new Set(audiences).size < audiences.length) return 'an audience is repeated';
  const last = query.getAll(LAST_SEQ_PARAM);
  if (last.length > audiences.length) return 'more last_seq than audiences';
  if (last.some((text) => text !== '' && !whole.test(text))) return 'last_seq is not a number';
  const since = query.get(SINCE_MS_PARAM);
  if (since !== null && !whole.test(since)) return 'since_ms is not a number';
  // With one audience, the header takes precedence, because a native EventSource repeats its first URL (D-HUB-9).
  const header = audiences.length === 1 ? headers.get(LAST_EVENT_ID_HEADER) : null;
  return {
    clientId: query.get(names.clientId),
    audiences: audiences.map((audience, index) => {
      const text = header ?? last[index] ?? '';
      const lastSeq = text === '' ? null : whole.test(text) ? Number(text) : -1;
      return { audience, cursor: { lastSeq, sinceMs: since === null ? null : Number(since) } };
    }),
  };
}

/** Responds to a request for the stream. `died` is called when the hub breaks the stream. */
export function openEventStream(
  request: Request,
  hub: HubParts,
  names: StreamParams,
  pipe: Pipe,
  died: () => void,
): StreamResponse {
  const plain = (response: Response): StreamResponse => ({
    response,
    begin: () => pipe.close(),
    broken: () => undefined,
    abort: () => undefined,
  });
  if (request.method !== 'GET')
    return plain(refuse(405, 'method_not_allowed', 'Only GET is allowed.', { headers: { allow: 'GET' } }));
  const refusal = hub.refusal();
  if (refusal !== null) {
    if (refusal.status === 204) return plain(new Response(null, { status: 204 }));
    return plain(
      refuse(refusal.status, refusal.code ?? 'refused', 'The test refuses the connection.', refusal),
    );
  }
  const subscription = readSubscription(new URL(request.url), request.headers, names);
  if (typeof subscription === 'string') return plain(refuse(400, 'bad_parameters', subscription));

  const bytes = new TextEncoder();
  let leave: () => void = () => undefined;
  let controller: ReadableStreamDefaultController<Uint8Array> | null = null;

  /** Ends the body once, in one of three ways, and releases both ends. */
  function finish(how: (body: ReadableStreamDefaultController<Uint8Array>) => void): void {
    const body = controller;
    controller = null;
    leave();
    pipe.close();
    if (body !== null) how(body);
  }
  const fail = (): void => finish((body) => body.error(new TypeError('network error')));

  const body = new ReadableStream<Uint8Array>({
    start(given) {
      controller = given;
    },
    cancel() {
      finish(() => undefined);
    },
  });
  const enqueue = (text: string): void => {
    if (!pipe.isBuffering()) controller?.enqueue(bytes.encode(text));
  };
  const write = (text: string, kind: 'essential' | 'frame'): void => pipe.send(() => enqueue(text), kind);
  const subscribed = hub.subscribe(subscription, {
    write: (text) => write(text, text.startsWith('retry:') ? 'essential' : 'frame'),
    end: () => pipe.send(() => finish((open) => open.close()), 'essential'),
    break() {
      fail();
      died();
    },
  });
  leave = subscribed.leave;
  // The subscription starts first, so that directives that are emitted in the meantime follow the first frames.
  return {
    response: new Response(body, {
      headers: {
        'content-type': 'text/event-stream',
        'cache-control': 'no-cache, no-transform',
        'x-content-type-options': 'nosniff',
        'x-service-heartbeat-ms': String(hub.heartbeatMs),
      },
    }),
    begin: () => enqueue(subscribed.opening),
    broken: fail,
    abort: (reason) => finish((open) => open.error(reason)),
  };
}
