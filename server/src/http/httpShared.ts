// Code that the Node handler and the Web handler share.

import { HEARTBEAT_HEADER } from '@edict/core/protocol';
import type { Connections } from '../deliver/connections.ts';
import type { HubEnv } from '../env.ts';
import type { HubSettings, RequestHeaders } from '../options.ts';
import type { Admission } from '../subscribe/admission.ts';
import { corsHeaders, preflightHeaders } from '../subscribe/cors.ts';
import { refusalHeaders, type Refusal } from '../subscribe/refusal.ts';

/** The parts of a hub that the handlers need. */
export interface HandlerNeeds {
  readonly admission: Admission;
  readonly connections: Connections;
  readonly responseHeaders: ResponseHeaders;
  readonly log: HubEnv['log'];
}

type Headers = Record<string, string>;

/** The headers of every response of a hub. `origin` is the one of the requesting page, or null. */
export interface ResponseHeaders {
  /**
   * `canClose`: the protocol has `Connection: close`. It prevents a client from reconnecting to a closing process on the same socket
   * (D-HUB-6).
   */
  readonly stream: (origin: string | null, canClose: boolean) => Readonly<Headers>;
  readonly refusal: (origin: string | null, canClose: boolean, refusal: Refusal) => Headers;
  /** The headers of a response to a preflight. Null if the request is not a preflight. */
  readonly preflight: (method: string, header: (name: string) => string | null) => Headers | null;
}

/**
 * Browsers do not guess another content type, and pages of other origins cannot embed the response. Such a page could otherwise see whether
 * the hub refuses an audience to the visitor, because a refusal ends and a stream does not. `cors` is not affected.
 */
export const guards = {
  'x-content-type-options': 'nosniff',
  'cross-origin-resource-policy': 'same-origin',
  'content-security-policy': "frame-ancestors 'none'",
} as const;

/** Creates the headers for the options of a hub. */
export function createResponseHeaders({
  cors,
  heartbeatMs,
}: Pick<HubSettings, 'cors' | 'heartbeatMs'>): ResponseHeaders {
  /** The cache and buffering headers keep proxies and compression from holding frames back (D-HUB-4). */
  const stream = {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-cache, no-store, no-transform',
    'x-accel-buffering': 'no',
    [HEARTBEAT_HEADER]: String(heartbeatMs),
    ...guards,
  };
  const closing = { connection: 'close' };
  const closingStream = { ...stream, ...closing };
  return {
    stream(origin, canClose) {
      const headers = canClose ? closingStream : stream;
      return cors === null ? headers : { ...headers, ...corsHeaders(cors, origin) };
    },
    refusal: (origin, canClose, refusal) => ({
      ...refusalHeaders(refusal),
      ...guards,
      ...corsHeaders(cors, origin),
      ...(canClose ? closing : {}),
    }),
    preflight(method, header) {
      const headers = preflightHeaders(cors, method, header);
      return headers === null ? null : { ...headers, ...guards };
    },
  };
}

/** Adds `get` to a table of headers, so that `authorize` works the same way on every platform. */
export function readableHeaders(values: Record<string, string | undefined>): RequestHeaders {
  // Not enumerable, so that `get` does not appear as a header when the table is listed.
  return Object.defineProperty(values, 'get', {
    value: (name: string): string | null => values[name.toLowerCase()] ?? null,
    enumerable: false,
  }) as RequestHeaders;
}
