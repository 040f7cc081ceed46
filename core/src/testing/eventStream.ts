// The event stream's endpoint: reads the parameters, subscribes, and answers with a real `Response` whose body is a
// stream of bytes that travels over the client's link.

import { DEFAULT_AUDIENCE, LAST_EVENT_ID_HEADER, LAST_SEQ_PARAM, SINCE_MS_PARAM } from '@edict/core/protocol';
import type { HubParts, Subscription } from './hub.ts';
import type { Pipe } from './link.ts';

/** Names of the query parameters. */
export interface StreamParams {
  clientId: string;
  audience: string;
}

/** A stream that was opened, or a refusal. */
export interface StreamAnswer {
  response: Response;
  /** Sends what stands at the beginning of the stream; to be called after the response has been handed over. */
  begin: () => void;
  /** The link broke. */
  broken: () => void;
  /** The client gave up. */
  abort: (reason: unknown) => void;
}

function refuse(
  status: number,
  code: string,
  message: string,
  headers: Record<string, string> = {},
): Response {
  return new Response(JSON.stringify({ error: { code, message } }), {
    status,
    headers: { 'content-type': 'application/json', ...headers },
  });
}

const whole = /^\d{1,16}$/;

/** The subscription, or what is wrong with the request. */
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
  // With one audience the header wins: a native EventSource repeats its first address (D-HUB-9).
  const header = audiences.length === 1 ? headers.get(LAST_EVENT_ID_HEADER) : null;
  return {
    clientId: query.get(names.clientId),
    places: audiences.map((audience, index) => {
      const text = header ?? last[index] ?? '';
      const lastSeq = text === '' ? null : whole.test(text) ? Number(text) : -1;
      return { audience, standpoint: { lastSeq, sinceMs: since === null ? null : Number(since) } };
    }),
  };
}

/** Answers a request for the stream; `died` is called when the hub breaks it. */
export function openEventStream(
  request: Request,
  hub: HubParts,
  names: StreamParams,
  pipe: Pipe,
  died: () => void,
): StreamAnswer {
  const plain = (response: Response): StreamAnswer => ({
    response,
    begin: () => pipe.close(),
    broken: () => undefined,
    abort: () => undefined,
  });
  if (request.method !== 'GET') return plain(refuse(405, 'method', 'only GET', { allow: 'GET' }));
  const refusal = hub.refusal();
  if (refusal !== null) {
    if (refusal.status === 204) return plain(new Response(null, { status: 204 }));
    return plain(refuse(refusal.status, 'refused', 'refused by the test', refusal.headers));
  }
  const subscription = readSubscription(new URL(request.url), request.headers, names);
  if (typeof subscription === 'string') return plain(refuse(400, 'parameters', subscription));

  const bytes = new TextEncoder();
  let leave: () => void = () => undefined;
  let controller: ReadableStreamDefaultController<Uint8Array> | null = null;

  /** Ends the body once, in one of three ways, and frees both ends. */
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
  const write = (text: string, kind: 'essential' | 'frame'): void =>
    pipe.send(() => controller?.enqueue(bytes.encode(text)), kind);
  const subscribed = hub.subscribe(subscription, {
    write: (text) => write(text, text.startsWith('retry:') ? 'essential' : 'frame'),
    end: () => pipe.send(() => finish((open) => open.close()), 'essential'),
    break() {
      fail();
      died();
    },
  });
  leave = subscribed.leave;
  // Subscribed before the answer is on its way: what is emitted meanwhile stands behind the opening in the pipe.
  return {
    response: new Response(body, {
      headers: { 'content-type': 'text/event-stream', 'cache-control': 'no-cache, no-transform' },
    }),
    begin: () => controller?.enqueue(bytes.encode(subscribed.opening)),
    broken: fail,
    abort: (reason) => finish((open) => open.error(reason)),
  };
}
