// The answers that are no stream: JSON `{ error: { code, message } }` (api.md, "On the wire").

/** Why a request gets no stream. */
export type RefusalCode =
  | 'bad_parameters'
  | 'audience_refused'
  | 'method_not_allowed'
  | 'target_too_long'
  | 'too_many_connections_of_client'
  | 'too_many_connections'
  | 'authorization_timeout'
  | 'backplane_unavailable'
  | 'closing';

/** A request that gets no stream, as facts; the adapters write it. */
export interface Refusal {
  readonly code: RefusalCode;
  readonly status: number;
  readonly message: string;
  /** Seconds until the client may try again. */
  readonly retryAfter?: number;
}

const statusOf: Record<RefusalCode, number> = {
  bad_parameters: 400,
  audience_refused: 403,
  method_not_allowed: 405,
  target_too_long: 413,
  too_many_connections_of_client: 429,
  too_many_connections: 503,
  authorization_timeout: 503,
  backplane_unavailable: 503,
  closing: 503,
};

/** Spread, so that those who are refused together do not come back together (D-HUB-2). */
const minRetrySeconds = 1;
const maxRetrySeconds = 10;

/** A refusal that trying again does not change. */
export function refuse(code: RefusalCode, message: string): Refusal {
  return { code, status: statusOf[code], message };
}

/** A refusal of now; `random` is at least 0 and below 1. */
export function refuseForNow(code: RefusalCode, message: string, random: number): Refusal {
  const retryAfter = minRetrySeconds + Math.floor(random * (maxRetrySeconds - minRetrySeconds + 1));
  return { ...refuse(code, message), retryAfter };
}

/** The JSON body of a refusal. */
export function refusalBody({ code, message }: Refusal): string {
  return JSON.stringify({ error: { code, message } });
}

/** The headers of a refusal. */
export function refusalHeaders(refusal: Refusal): Record<string, string> {
  return {
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'no-store',
    ...(refusal.retryAfter === undefined ? {} : { 'retry-after': String(refusal.retryAfter) }),
    ...(refusal.code === 'method_not_allowed' ? { allow: 'GET' } : {}),
  };
}
