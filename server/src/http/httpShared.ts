// What the adapters of both platforms share: the way in, and the headers of a stream.

import type { Admission } from '../subscribe/admission.ts';
import type { Connections } from '../deliver/connections.ts';
import { corsHeaders } from '../subscribe/cors.ts';
import type { HubEnv } from '../env.ts';
import type { HubSettings, RequestHeaders } from '../options.ts';
import { refusalHeaders, type Refusal } from '../subscribe/refusal.ts';

/** A hub, as its adapters see it. */
export interface Door {
  readonly admission: Admission;
  readonly connections: Connections;
  readonly cors: HubSettings['cors'];
  readonly log: HubEnv['log'];
}

/** Keeps proxies and compression from holding events back (D-HUB-4). */
const streamHeaders = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache, no-store, no-transform',
  'x-accel-buffering': 'no',
} as const;

/** The headers of a stream for a page of this origin. */
export function headersOfStream(cors: HubSettings['cors'], origin: string | null): Record<string, string> {
  return { ...streamHeaders, ...corsHeaders(cors, origin) };
}

/** The headers of a refusal; a page of an allowed origin may read it. */
export function headersOfRefusal(
  cors: HubSettings['cors'],
  origin: string | null,
  refusal: Refusal,
): Record<string, string> {
  return { ...refusalHeaders(refusal), ...corsHeaders(cors, origin) };
}

/** Headers with a `get`, so that `authorize` is written once for all platforms. */
export function readableHeaders(values: Record<string, string | undefined>): RequestHeaders {
  // `get` is no header that anybody sends; as a hidden member it does not show when the headers are listed.
  return Object.defineProperty(values, 'get', {
    value: (name: string): string | null => values[name.toLowerCase()] ?? null,
    enumerable: false,
  }) as RequestHeaders;
}
