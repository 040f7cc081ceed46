// Determines which other origins may read the stream (D-HUB-2). Pure.

import { HEARTBEAT_HEADER } from '@edict/core/protocol';
import type { HubSettings } from '../options.ts';

type Cors = HubSettings['cors'];

/**
 * The headers of a response to a request from this origin. Without `cors`, or for an origin that is not allowed,
 * they allow nothing.
 */
export function corsHeaders(cors: Cors, origin: string | null): Record<string, string> {
  if (cors === null) return {};
  const isAny = cors.origins.has('*');
  const vary: Record<string, string> = isAny ? {} : { vary: 'Origin' };
  if (!isAny && (origin === null || !cors.origins.has(origin))) return vary;
  return {
    ...vary,
    'access-control-allow-origin': isAny || origin === null ? '*' : origin,
    'access-control-expose-headers': `Retry-After, ${HEARTBEAT_HEADER}`,
    ...(cors.credentials ? { 'access-control-allow-credentials': 'true' } : {}),
  };
}

/**
 * The headers of the response to a preflight, or null if the request is not a preflight. The requested headers are
 * allowed.
 */
export function preflightHeaders(
  cors: Cors,
  method: string,
  header: (name: string) => string | null,
): Record<string, string> | null {
  if (cors === null || method !== 'OPTIONS' || header('access-control-request-method') === null) return null;
  const headers = corsHeaders(cors, header('origin'));
  const requested = header('access-control-request-headers');
  if (headers['access-control-allow-origin'] === undefined) return headers;
  return {
    ...headers,
    vary: 'Origin, Access-Control-Request-Headers',
    'access-control-allow-methods': 'GET',
    'access-control-max-age': '600',
    ...(requested === null ? {} : { 'access-control-allow-headers': requested }),
  };
}
