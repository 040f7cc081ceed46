// From a request to an admitted stream, or to a refusal (D-HUB-2).

import type { Channels } from '../deliver/channels.ts';
import type { AudienceStart } from '../deliver/connection.ts';
import type { HubEnv } from '../env.ts';
import { shown } from '../optionErrors.ts';
import type { AuthorizeRequest, HubOptions, HubLimits } from '../options.ts';
import { permit, permitGlobal } from './authorization.ts';
import { firstOutcome, type FirstOutcome } from './firstOutcome.ts';
import type { KeyLimits } from './keyLimits.ts';
import { older } from './recovery.ts';
import { refuseForNow, type Refusal, type RefusalCode } from './refusal.ts';
import { matches, type StreamFilter } from './revocation.ts';
import {
  readStreamRequest,
  type RequestFacts,
  type RequestRules,
  type StreamRequest,
} from './streamRequest.ts';

/** A stream request, as the HTTP handlers pass it on. */
export interface IncomingRequest extends RequestFacts {
  /** Its response waits behind another one on the same socket. If that one is a stream, its turn never comes. */
  readonly isPipelined: boolean;
  /** Creates the object for the application's callbacks. */
  readonly describe: () => AuthorizeRequest;
}

/** A request that may become a stream. It is counted, and its channels are kept open; `begun` or `abandon` releases them. */
export interface Admitted {
  readonly clientId: string | null;
  readonly user: string | null;
  /** The `connectionKey`. */
  readonly key: string | null;
  readonly audiences: readonly AudienceStart[];
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
}

/** The result of a request. Null when the client left first. */
type Outcome = Admitted | Refusal | null;

/** A request that is being admitted. */
export interface PendingRequest {
  /** Never rejects. */
  readonly outcome: Promise<Outcome>;
  /** The client left. */
  readonly leave: () => void;
}

/** The admission of one hub. */
export interface Admission {
  readonly admit: (request: IncomingRequest) => PendingRequest;
  /** The stream has begun. From now on its subscriptions keep the channels open. */
  readonly begun: (admitted: Admitted) => void;
  /** The stream could not begin. */
  readonly abandon: (admitted: Admitted) => void;
  /** An admitted stream is over, so it no longer counts. */
  readonly free: (key: string | null) => void;
  /** Refuses the pending requests that match, because `authorize` may have decided before the revocation. */
  readonly revoke: (filter: StreamFilter) => void;
  /** Refuses pending and future requests. */
  readonly close: () => void;
}

/** The collaborators of the admission. */
export interface AdmissionNeeds {
  readonly env: HubEnv;
  readonly channels: Pick<Channels, 'acquire' | 'release' | 'count'>;
  readonly authorize: HubOptions['authorize'];
  readonly connectionKey: HubOptions['connectionKey'];
  readonly limits: HubLimits;
  readonly keyLimits: KeyLimits;
  readonly rules: RequestRules;
  /** Null while this node receives revocations. Otherwise resolves when it does, or rejects while the backplane is away. */
  readonly revocationsReady: () => Promise<void> | null;
  /** Null, or a short wait until the channel has reached a cursor from another node. Never rejects. */
  readonly catchUp: (start: AudienceStart) => Promise<void> | null;
  readonly onRefusal: (code: RefusalCode) => void;
}

/** A request that waits for `authorize` or the backplane. */
interface Waiting {
  readonly wait: FirstOutcome<Outcome>;
  /** Revocations since the request arrived. */
  readonly revoked: StreamFilter[];
}

const authorizeTimeoutMs = 10_000;
/** Open channels of one process. Each of them costs memory, and a client chooses its audiences within what `authorize` allows. */
const maxAudiences = 200_000;

/** Whether the outcome of a request is a refusal. */
export function isRefusal(outcome: object): outcome is Refusal {
  return 'code' in outcome;
}

/** Creates the admission of a hub. */
export function createAdmission(needs: AdmissionNeeds): Admission {
  const { env, channels, limits, keyLimits } = needs;
  const waiting = new Set<Waiting>();
  let admittedCount = 0;
  let isClosed = false;

  const forNow = (code: RefusalCode, message: string): Refusal => refuseForNow(code, message, env.random());
  const closing = (): Refusal => forNow('closing', 'The hub is closing.');

  /** The limits on open streams. They apply to authorized requests; checking them before saves `authorize` the work. */
  function refuseCount(key: string | null): Refusal | null {
    if (admittedCount >= limits.maxConnections)
      return forNow('too_many_connections', 'The hub has too many open streams.');
    return key === null || keyLimits.hasRoom(key)
      ? null
      : forNow('too_many_connections_of_key', 'Too many streams are open for this connection key.');
  }

  function readKey(describe: () => AuthorizeRequest): { key: string | null } | Refusal {
    if (needs.connectionKey === undefined) return { key: null };
    let key: unknown;
    try {
      key = needs.connectionKey(describe());
    } catch (error) {
      env.log('error', 'connectionKey failed, so the stream is refused for now with 503', error);
      return forNow('authorization_failed', 'The request could not be checked.');
    }
    if (key === null || typeof key === 'string') return { key };
    if (key instanceof Promise) key.catch(() => {}); // An async function is reported below.
    env.log(
      'error',
      `connectionKey must return a string, or null for "no limit", but returned ${shown(key)}`,
    );
    return forNow('authorization_failed', 'The request could not be checked.');
  }

  function refuseKey(key: string | null): Refusal | null {
    const exceeded = key === null ? null : keyLimits.request(key, env.now());
    if (exceeded === null) return null;
    return exceeded === 'connects'
      ? forNow('too_many_connects_of_key', 'Too many streams were requested for this connection key.')
      : forNow('too_much_replay_of_key', 'Too many missed messages were requested for this connection key.');
  }

  /** Opens the audiences. Waits only when something was not read yet. */
  async function open({ audiences }: StreamRequest): Promise<AudienceStart[] | Refusal> {
    if (channels.count() + audiences.length > maxAudiences)
      return forNow('too_many_audiences', `The hub has ${maxAudiences} open audiences and accepts no more.`);
    const starts = audiences.map(({ audience, cursor }) => ({ channel: channels.acquire(audience), cursor }));
    const unread = starts.flatMap(({ channel }) => (channel.ring() === null ? [channel.reader.ready] : []));
    const revocations = needs.revocationsReady();
    if (revocations !== null) unread.push(revocations);
    try {
      if (unread.length > 0) await Promise.all(unread);
    } catch (error) {
      for (const { channel } of starts) channels.release(channel);
      env.log('warn', 'An audience cannot be read, so the stream is refused for now with 503', error);
      return forNow('backplane_unavailable', 'The audience cannot be read at the moment.');
    }
    const behind = starts.flatMap((start) => needs.catchUp(start) ?? []);
    if (behind.length > 0) await Promise.all(behind);
    return starts;
  }

  async function enter(
    describe: () => AuthorizeRequest,
    request: StreamRequest,
    key: string | null,
    wait: FirstOutcome<Outcome>,
  ): Promise<Admitted | Refusal> {
    const arrivedAt = env.now();
    const { authorize } = needs;
    const permission =
      authorize === undefined ? permitGlobal(request) : await permit({ env, authorize }, describe, request);
    wait.unlimit();
    if (isRefusal(permission)) return permission;
    if (wait.isSettled()) return closing(); // The client left, so nothing is opened for it.
    const starts = await open(request);
    if (isRefusal(starts)) return starts;
    const waitedMs = env.now() - arrivedAt;
    const audiences = starts.map(({ channel, cursor }) => ({ channel, cursor: older(cursor, waitedMs) }));
    return { clientId: request.clientId, key, audiences, ...permission };
  }

  function begun({ audiences }: Admitted): void {
    for (const { channel } of audiences) channels.release(channel);
  }

  function free(key: string | null): void {
    admittedCount -= 1;
    if (key !== null) keyLimits.leave(key);
  }

  /** The last check, in the same step in which the stream is counted. */
  function settle({ wait, revoked }: Waiting, outcome: Admitted | Refusal): void {
    if (isRefusal(outcome)) return wait.settle(outcome);
    const hasAudience = (name: string): boolean =>
      outcome.audiences.some(({ channel }) => channel.audience === name);
    const isRevoked = revoked.some((filter) => matches(filter, outcome, hasAudience));
    const refusal = isRevoked
      ? forNow('revoked', 'The authorization was revoked meanwhile.')
      : refuseCount(outcome.key);
    if (wait.isSettled() || refusal !== null) {
      begun(outcome);
      if (refusal !== null) wait.settle(refusal);
      return;
    }
    admittedCount += 1;
    if (outcome.key !== null) keyLimits.enter(outcome.key);
    wait.settle(outcome);
  }

  function begin(request: IncomingRequest): Waiting | Refusal {
    if (isClosed) return closing();
    const streamRequest = readStreamRequest(request, needs.rules);
    if (isRefusal(streamRequest)) return streamRequest;
    if (request.isPipelined) return forNow('pipelined_request', 'A stream needs a connection of its own.');
    let description: AuthorizeRequest | null = null;
    const describe = (): AuthorizeRequest => (description ??= request.describe());
    const read = readKey(describe);
    if (isRefusal(read)) return read;
    const { key } = read;
    const refusal = refuseCount(key) ?? refuseKey(key);
    if (refusal !== null) return refusal;

    const wait = firstOutcome<Outcome>(env, (outcome) => {
      waiting.delete(pending);
      if (outcome !== null && isRefusal(outcome)) needs.onRefusal(outcome.code);
    });
    const pending: Waiting = { wait, revoked: [] };
    waiting.add(pending);
    if (needs.authorize !== undefined)
      wait.limit(authorizeTimeoutMs, () =>
        forNow('authorization_timeout', 'The authorization took too long.'),
      );
    enter(describe, streamRequest, key, wait).then(
      (outcome) => settle(pending, outcome),
      (error: unknown) => {
        env.log('error', 'A stream could not be opened, so it is refused for now with 503', error);
        wait.settle(forNow('backplane_unavailable', 'The stream could not be opened.'));
      },
    );
    return pending;
  }

  return {
    admit(request) {
      const pending = begin(request);
      if (!isRefusal(pending))
        return { outcome: pending.wait.outcome, leave: () => pending.wait.settle(null) };
      needs.onRefusal(pending.code);
      return { outcome: Promise.resolve(pending), leave: () => {} };
    },
    begun,
    abandon(admitted) {
      begun(admitted);
      free(admitted.key);
    },
    free,
    revoke(filter) {
      for (const { revoked } of waiting) revoked.push(filter);
    },
    close() {
      isClosed = true;
      for (const { wait } of waiting) wait.settle(closing());
    },
  };
}
