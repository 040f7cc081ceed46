// Which other origins may read (D-HUB-2). Pure.

import type { HubSettings } from '../options.ts';

type Cors = HubSettings['cors'];

/** The headers of an answer to a request from this origin; none without `cors` or for an origin that may not read. */
export function corsHeaders(cors: Cors, origin: string | null): Record<string, string> {
  if (cors === null) return {};
  const isAny = cors.origins.has('*');
  const vary: Record<string, string> = isAny ? {} : { vary: 'Origin' };
  if (!isAny && (origin === null || !cors.origins.has(origin))) return vary;
  return {
    ...vary,
    'access-control-allow-origin': isAny || origin === null ? '*' : origin,
    'access-control-expose-headers': 'Retry-After',
    ...(cors.credentials ? { 'access-control-allow-credentials': 'true' } : {}),
  };
}

/** The headers of the answer to a preflight; null when it is none. The headers that the browser asks for are allowed. */
export function preflightHeaders(
  cors: Cors,
  method: string,
  header: (name: string) => string | null,
): Record<string, string> | null {
  if (cors === null || method !== 'OPTIONS' || header('access-control-request-method') === null) return null;
  const headers = corsHeaders(cors, header('origin'));
  const asked = header('access-control-request-headers');
  if (headers['access-control-allow-origin'] === undefined) return headers;
  return {
    ...headers,
    vary: 'Origin, Access-Control-Request-Headers',
    'access-control-allow-methods': 'GET',
    'access-control-max-age': '600',
    ...(asked === null ? {} : { 'access-control-allow-headers': asked }),
  };
}
