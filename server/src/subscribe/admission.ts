// Turns a request into an admitted stream or a refusal (D-HUB-2).

import type { Channels } from '../deliver/channels.ts';
import { clientKey, type AudienceStart } from '../deliver/connection.ts';
import type { HubEnv } from '../env.ts';
import { shown } from '../optionErrors.ts';
import type { AuthorizeRequest, HubOptions, HubLimits } from '../options.ts';
import { permit, permitGlobal, type Permission } from './authorization.ts';
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
  /** Its response waits for another response on the same socket. If that one is a stream, the wait never ends. */
  readonly isPipelined: boolean;
  /** Creates the object that the application's callbacks receive. */
  readonly describe: () => AuthorizeRequest;
}

/** A request that may become a stream. It is counted, and its channels are kept open; `begun` or `abandon` releases them. */
export interface Admitted {
  readonly clientId: string | null;
  readonly user: string | null;
  /** The `connectionKey`. */
  readonly key: string | null;
  /**
   * The key whose allowance the replay uses: the `connectionKey`, or otherwise the user and client id. Null if the
   * replay is not limited.
   */
  readonly replayKey: string | null;
  readonly audiences: readonly AudienceStart[];
  /** The time at which the authorization ends, in milliseconds since the epoch. */
  readonly expiresAt: number;
}

/** The result of a request. Null if the client disconnected first. */
export type Outcome = Admitted | Refusal | null;

/** A request that is being admitted. */
export interface PendingRequest {
  /** The client left. */
  readonly leave: () => void;
}

/** The admission of one hub. */
export interface Admission {
  /**
   * Calls `onOutcome` once. Where nothing has to be awaited, it is called before `admit` returns, and `admit` returns null: after a
   * release thousands of clients arrive together, and promises for each of them would cost more than their greetings.
   */
  readonly admit: (request: IncomingRequest, onOutcome: (outcome: Outcome) => void) => PendingRequest | null;
  /** The stream has begun. From now on its subscriptions keep the channels open. */
  readonly begun: (admitted: Admitted) => void;
  /** The stream could not begin. */
  readonly abandon: (admitted: Admitted) => void;
  /** An admitted stream has ended, so it no longer counts. */
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
  /**
   * Null while this node receives revocations. Otherwise resolves when it receives them again, or rejects while
   * the backplane is unavailable.
   */
  readonly revocationsReady: () => Promise<void> | null;
  /** Null, or a short wait until the channel has reached a cursor from another node. Never rejects. */
  readonly catchUp: (start: AudienceStart) => Promise<void> | null;
  readonly onRefusal: (code: RefusalCode) => void;
}

type Authorize = NonNullable<HubOptions['authorize']>;

/** A request that has passed all synchronous checks. It becomes a stream or is refused. */
interface Pending {
  readonly request: StreamRequest;
  readonly key: string | null;
  readonly describe: () => AuthorizeRequest;
  readonly arrivedAt: number;
  readonly onOutcome: (outcome: Outcome) => void;
  /** The time limit of `authorize`. */
  timer: unknown;
  isSettled: boolean;
  /** Revocations since the request arrived. */
  revoked: readonly StreamFilter[];
}

const noRevocations: readonly StreamFilter[] = [];
const authorizeTimeoutMs = 10_000;
/**
 * The maximum number of open channels per process. Each of them costs memory, and a client can choose any of the
 * audiences that `authorize` allows.
 */
const maxAudiences = 200_000;

/** Whether the outcome of a request is a refusal. */
export function isRefusal(outcome: object): outcome is Refusal {
  return 'code' in outcome;
}

/** Creates the admission of a hub. */
export function createAdmission(needs: AdmissionNeeds): Admission {
  const { env, channels, limits, keyLimits } = needs;
  /** Requests that wait for `authorize` or the backplane. */
  const waiting = new Set<Pending>();
  let admittedCount = 0;
  let isClosed = false;

  const forNow = (code: RefusalCode, message: string): Refusal => refuseForNow(code, message, env.random());
  const closing = (): Refusal => forNow('closing', 'The hub is closing.');

  /** The limits on open streams. They apply to authorized requests; checking them before saves `authorize` the work. */
  function refuseCount(key: string | null): Refusal | null {
    if (isClosed) return closing(); // `connectionKey` may close the hub.
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
    return key === null || keyLimits.request(key, env.now())
      ? null
      : forNow('too_many_connects_of_key', 'Too many streams were requested for this connection key.');
  }

  /** The checks that use only the request. */
  function check(incoming: IncomingRequest, onOutcome: (outcome: Outcome) => void): Pending | Refusal {
    if (isClosed) return closing();
    const request = readStreamRequest(incoming, needs.rules);
    if (isRefusal(request)) return request;
    if (incoming.isPipelined) return forNow('pipelined_request', 'A stream needs a connection of its own.');
    let description: AuthorizeRequest | null = null;
    const describe = (): AuthorizeRequest => (description ??= incoming.describe());
    const read = readKey(describe);
    if (isRefusal(read)) return read;
    const { key } = read;
    return (
      refuseCount(key) ??
      refuseKey(key) ?? {
        request,
        key,
        describe,
        arrivedAt: env.now(),
        onOutcome,
        timer: null,
        isSettled: false,
        revoked: noRevocations,
      }
    );
  }

  /** Decides about a request once this node receives revocations. Otherwise it could miss one that follows the decision. */
  function start(pending: Pending): Promise<unknown> | null {
    const revocations = needs.revocationsReady();
    return revocations === null
      ? decide(pending)
      : revocations.then(
          () => decide(pending),
          (error: unknown) => refuseUnread(pending, error),
        );
  }

  function decide(pending: Pending): Promise<unknown> | null {
    if (pending.isSettled) return null; // The client left, so `authorize` is not called for it.
    const { authorize } = needs;
    return authorize === undefined
      ? open(pending, permitGlobal(pending.request))
      : authorizeAndOpen(pending, authorize);
  }

  async function authorizeAndOpen(pending: Pending, authorize: Authorize): Promise<void> {
    pending.timer = env.setTimeout(
      () => settle(pending, forNow('authorization_timeout', 'The authorization took too long.')),
      authorizeTimeoutMs,
    );
    const permission = await permit({ env, authorize }, pending.describe, pending.request);
    env.clearTimeout(pending.timer); // The backplane has time limits of its own.
    await open(pending, permission);
  }

  /** Opens the audiences of an authorized request. Returns null unless the backplane has to be awaited. */
  function open(pending: Pending, permission: Permission | Refusal): Promise<void> | null {
    if (pending.isSettled) return null; // The client left, so nothing is opened for it.
    if (isRefusal(permission)) return settle(pending, permission);
    const { audiences } = pending.request;
    if (channels.count() + audiences.length > maxAudiences) {
      const message = `The hub has ${maxAudiences} open audiences and accepts no more.`;
      return settle(pending, forNow('too_many_audiences', message));
    }
    const starts: AudienceStart[] = [];
    for (const { audience, cursor } of audiences)
      starts.push({ channel: channels.acquire(audience), cursor });
    const read = whenRead(starts);
    const ready = read === null ? whenCaughtUp(starts) : read.then(() => whenCaughtUp(starts));
    if (ready === null) return enter(pending, permission, starts);
    return ready.then(
      () => void enter(pending, permission, starts),
      (error: unknown) => {
        release(starts);
        refuseUnread(pending, error);
      },
    );
  }

  function refuseUnread(pending: Pending, error: unknown): void {
    env.log('warn', 'An audience cannot be read, so the stream is refused for now with 503', error);
    settle(pending, forNow('backplane_unavailable', 'The audience cannot be read at the moment.'));
  }

  /** Null once every audience was read. */
  function whenRead(starts: readonly AudienceStart[]): Promise<unknown> | null {
    const unread: Promise<void>[] = [];
    for (const { channel } of starts) if (channel.ring() === null) unread.push(channel.reader.ready);
    return unread.length === 0 ? null : Promise.all(unread);
  }

  /** Null if no cursor is ahead of this node. */
  function whenCaughtUp(starts: readonly AudienceStart[]): Promise<unknown> | null {
    const waits: Promise<void>[] = [];
    for (const start of starts) {
      const wait = needs.catchUp(start);
      if (wait !== null) waits.push(wait);
    }
    return waits.length === 0 ? null : Promise.all(waits);
  }

  /** Whether the authorization was revoked since the request arrived. */
  function isRevoked({ request, revoked }: Pending, { user }: Permission): boolean {
    const { audiences, clientId } = request;
    const hasAudience = (name: string): boolean => audiences.some(({ audience }) => audience === name);
    return revoked.some((filter) => matches(filter, { user, clientId }, hasAudience));
  }

  /** The limits that apply once a request is authorized. */
  function refuseAuthorized(
    pending: Pending,
    permission: Permission,
    replayKey: string | null,
  ): Refusal | null {
    if (isRevoked(pending, permission)) return forNow('revoked', 'The authorization was revoked meanwhile.');
    if (replayKey !== null && !keyLimits.mayReplay(replayKey, env.now()))
      return forNow('too_much_replay_of_key', 'Too many missed messages were requested.');
    return refuseCount(pending.key);
  }

  /** The last check, in the same step in which the stream is counted. */
  function enter(pending: Pending, permission: Permission, starts: readonly AudienceStart[]): null {
    const { request, key, arrivedAt } = pending;
    const { expiresAt, user } = permission;
    const { clientId } = request;
    const replayKey = needs.connectionKey === undefined ? clientKey({ user, clientId }) : key;
    const refusal = refuseAuthorized(pending, permission, replayKey);
    if (pending.isSettled || refusal !== null) {
      release(starts);
      return settle(pending, refusal);
    }
    admittedCount += 1;
    if (key !== null) keyLimits.enter(key);
    const waitedMs = env.now() - arrivedAt;
    const audiences =
      waitedMs === 0
        ? starts
        : starts.map(({ channel, cursor }) => ({ channel, cursor: older(cursor, waitedMs) }));
    // A spread of `permission` would be several times slower, and this code runs for every stream.
    return settle(pending, { expiresAt, user, clientId, key, replayKey, audiences });
  }

  function settle(pending: Pending, outcome: Outcome): null {
    if (pending.isSettled) return null;
    pending.isSettled = true;
    if (pending.timer !== null) env.clearTimeout(pending.timer);
    waiting.delete(pending);
    if (outcome !== null && isRefusal(outcome)) needs.onRefusal(outcome.code);
    pending.onOutcome(outcome);
    return null;
  }

  function fail(pending: Pending, error: unknown): void {
    env.log('error', 'A stream could not be opened, so it is refused for now with 503', error);
    settle(pending, forNow('backplane_unavailable', 'The stream could not be opened.'));
  }

  function release(starts: readonly AudienceStart[]): void {
    for (const { channel } of starts) channels.release(channel);
  }

  function free(key: string | null): void {
    admittedCount -= 1;
    if (key !== null) keyLimits.leave(key);
  }

  return {
    admit(incoming, onOutcome) {
      const pending = check(incoming, onOutcome);
      if (isRefusal(pending)) {
        needs.onRefusal(pending.code);
        onOutcome(pending);
        return null;
      }
      waiting.add(pending); // First, because `authorize` may revoke streams or close the hub.
      try {
        start(pending)?.catch((error: unknown) => fail(pending, error));
      } catch (error) {
        fail(pending, error);
      }
      return pending.isSettled ? null : { leave: () => void settle(pending, null) };
    },
    begun: ({ audiences }) => release(audiences),
    abandon({ audiences, key }) {
      release(audiences);
      free(key);
    },
    free,
    revoke(filter) {
      for (const pending of waiting) pending.revoked = [...pending.revoked, filter];
    },
    close() {
      isClosed = true;
      for (const pending of waiting) settle(pending, closing());
    },
  };
}
