// Evaluates the result of `authorize` for a request (D-HUB-2). Only the documented results admit; every other
// value refuses.

import { DEFAULT_AUDIENCE } from '@edict/core/protocol';
import type { HubEnv } from '../env.ts';
import { isName, nameRule } from '../names.ts';
import { isObject, shown } from '../optionErrors.ts';
import type { AuthorizeRequest, HubOptions } from '../options.ts';
import { refuse, refuseForNow, type Refusal } from './refusal.ts';
import type { StreamRequest } from './streamRequest.ts';

/** What a stream is allowed. */
export interface Permission {
  /** The time at which the stream must end, in milliseconds since the epoch. */
  readonly expiresAt: number;
  /** The user that `authorize` returned. */
  readonly user: string | null;
}

/** The meaning of one result. A string is an error of the application's function. */
type Verdict = Permission | 'denied' | 'unauthenticated' | { readonly fault: string };

const forever: Permission = { expiresAt: Infinity, user: null };
const fix = "Return true, false, 'unauthenticated', or { expiresAt?, user? } with at least one field";

/** Without `authorize`, only `global` is allowed. */
export function permitGlobal({ audiences }: StreamRequest): Permission | Refusal {
  for (const { audience } of audiences)
    if (audience !== DEFAULT_AUDIENCE)
      return refuse(
        'audience_refused',
        'The audience was refused, because createHub has no authorize.',
        audience,
      );
  return forever;
}

/** Calls `authorize` for every audience of a request. Resolves to the permission for all of them, or to a refusal. Never rejects. */
export async function permit(
  { env, authorize }: { readonly env: HubEnv; readonly authorize: NonNullable<HubOptions['authorize']> },
  describe: () => AuthorizeRequest,
  { clientId, audiences }: StreamRequest,
): Promise<Permission | Refusal> {
  const failed = (error: unknown): Refusal => {
    env.log('error', 'authorize failed, so the stream is refused for now with 503', error);
    return refuseForNow('authorization_failed', 'The authorization failed. Try again.', env.random());
  };
  const request = describe();
  const results = await Promise.allSettled(
    audiences.map(async ({ audience }) => authorize(request, { audience, clientId })),
  );
  const now = env.now();
  const refusals: Refusal[] = [];
  const users = new Set<string>();
  let expiresAt = Infinity;
  for (const [index, result] of results.entries()) {
    const audience = audiences[index]?.audience ?? DEFAULT_AUDIENCE;
    if (result.status === 'rejected') {
      refusals.push(failed(result.reason));
      continue;
    }
    const verdict = verdictOn(result.value, now);
    if (verdict === 'unauthenticated') {
      refusals.push(refuse(verdict, 'The request is not authenticated.', audience));
    } else if (verdict === 'denied') refusals.push(refused(audience));
    else if ('fault' in verdict) {
      env.log(
        'error',
        `authorize: ${verdict.fault}. The audience ${JSON.stringify(audience)} is refused with 403`,
      );
      refusals.push(refused(audience));
    } else {
      expiresAt = Math.min(expiresAt, verdict.expiresAt);
      if (verdict.user !== null) users.add(verdict.user);
    }
  }
  if (users.size > 1) {
    env.log(
      'error',
      'authorize: the audiences of one request have different users. Return the same user for all of them',
    );
    refusals.push(refused(audiences[0]?.audience ?? DEFAULT_AUDIENCE));
  }
  // A refusal takes precedence over a failure. Without a session, the application cannot decide about the other
  // audiences.
  const worst = [401, 403, 503].flatMap(
    (status) => refusals.find((refusal) => refusal.status === status) ?? [],
  );
  return worst[0] ?? { expiresAt, user: [...users][0] ?? null };
}

const refused = (audience: string): Refusal =>
  refuse('audience_refused', 'The audience was refused.', audience);

function verdictOn(result: unknown, now: number): Verdict {
  if (result === true) return forever;
  if (result === false) return 'denied';
  if (result === 'unauthenticated') return 'unauthenticated';
  const wrongResult = { fault: `the result must not be ${shown(result)}. ${fix}` };
  if (!isObject(result)) return wrongResult;
  let fields: [string, unknown][];
  try {
    fields = Object.entries(result);
  } catch {
    return { fault: `the result has a field that cannot be read. ${fix}` };
  }
  if (fields.length === 0) return wrongResult;
  let { expiresAt, user }: Permission = forever;
  for (const [name, value] of fields) {
    if (name === 'expiresAt') {
      if (typeof value !== 'number' || Number.isNaN(value))
        return { fault: `expiresAt must be milliseconds since the epoch, not ${shown(value)}` };
      expiresAt = value;
    } else if (name === 'user') {
      if (!isName(value)) return { fault: `user must have ${nameRule}, not ${shown(value)}` };
      user = value;
    } else return { fault: `the result has an unknown field ${shown(name)}. ${fix}` };
  }
  // The field `exp` of a token is in seconds, and a lifetime is a duration. Such a stream would always be refused, as if the session had ended.
  if (expiresAt >= 1000 && expiresAt < now / 100)
    return {
      fault: `expiresAt must be milliseconds since the epoch, not seconds or a duration: ${expiresAt}`,
    };
  return expiresAt > now ? { expiresAt, user } : 'denied';
}
