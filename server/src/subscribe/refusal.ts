// Responses without a stream: JSON `{ error: { code, message, audience? } }`.

/** Why a request is refused. */
export type RefusalCode =
  | 'bad_parameters'
  | 'unauthenticated'
  | 'audience_refused'
  | 'method_not_allowed'
  | 'target_too_long'
  | 'pipelined_request'
  | 'too_many_connections_of_key'
  | 'too_many_connects_of_key'
  | 'too_much_replay_of_key'
  | 'too_many_connections'
  | 'too_many_audiences'
  | 'authorization_failed'
  | 'authorization_timeout'
  | 'revoked'
  | 'backplane_unavailable'
  | 'closing';

/** A refused request. The HTTP handlers write the response. */
export interface Refusal {
  readonly code: RefusalCode;
  readonly status: number;
  readonly message: string;
  /** The refused audience. */
  readonly audience?: string;
  /** Seconds until the client may try again. */
  readonly retryAfter?: number;
}

const statusOf: Record<RefusalCode, number> = {
  bad_parameters: 400,
  unauthenticated: 401,
  audience_refused: 403,
  method_not_allowed: 405,
  target_too_long: 413,
  pipelined_request: 429,
  too_many_connections_of_key: 429,
  too_many_connects_of_key: 429,
  too_much_replay_of_key: 429,
  too_many_connections: 503,
  too_many_audiences: 503,
  authorization_failed: 503,
  authorization_timeout: 503,
  revoked: 503,
  backplane_unavailable: 503,
  closing: 503,
};

/** `Retry-After` is spread, so that clients that are refused together do not return together (D-HUB-2). */
const minRetrySeconds = 1;
const maxRetrySeconds = 10;

/** A permanent refusal: the same request would be refused again. */
export function refuse(code: RefusalCode, message: string, audience?: string): Refusal {
  return { code, status: statusOf[code], message, ...(audience === undefined ? {} : { audience }) };
}

/** A temporary refusal, with `Retry-After`. `random` is at least 0 and below 1. */
export function refuseForNow(code: RefusalCode, message: string, random: number): Refusal {
  const retryAfter = minRetrySeconds + Math.floor(random * (maxRetrySeconds - minRetrySeconds + 1));
  return { ...refuse(code, message), retryAfter };
}

/** The JSON body of a refusal. */
export function refusalBody({ code, message, audience }: Refusal): string {
  return JSON.stringify({ error: { code, message, audience } }); // JSON drops an undefined member.
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
