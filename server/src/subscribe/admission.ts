// From a request to a place in the hub, or to a refusal (D-HUB-2).

import { DEFAULT_AUDIENCE } from '@edict/core/protocol';
import { readAsk, type AskRules, type RequestFacts, type StreamAsk } from './streamRequest.ts';
import type { Channels } from '../deliver/channels.ts';
import type { Seat } from '../deliver/connections.ts';
import type { HubEnv } from '../env.ts';
import { wrong } from '../optionErrors.ts';
import type { AuthorizeAnswer, AuthorizeRequest, HubOptions, HubLimits } from '../options.ts';
import { older } from './recovery.ts';
import { refuse, refuseForNow, type Refusal, type RefusalCode } from './refusal.ts';
import { createWait, type Wait } from './firstOutcome.ts';

/** A request at the door. */
export interface Visitor extends RequestFacts {
  /** Its answer waits behind another on the same socket. If that is a stream, it is never reached. */
  readonly isQueued: boolean;
  /** Only made for those who ask `authorize`. */
  readonly describe: () => AuthorizeRequest;
}

/** A request that may become a stream. It has a place, and its channels are held; `begun` or `abandon` lets go of them. */
export interface Admitted {
  readonly clientId: string | null;
  readonly seats: readonly Seat[];
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
}

/** What comes of a request; null when the client left. */
type Outcome = Admitted | Refusal | null;

/** A request on its way through the door. */
export interface Visit {
  /** Never rejects. */
  readonly outcome: Promise<Outcome>;
  /** The client left: its place is free at once. */
  readonly leave: () => void;
}

/** The door of one hub. */
export interface Admission {
  readonly visit: (visitor: Visitor) => Visit;
  /** The stream has begun: its subscriptions hold the channels from now on. */
  readonly begun: (admitted: Admitted) => void;
  /** There will be no stream: its place is free. */
  readonly abandon: (admitted: Admitted) => void;
  /** A stream has ended: its place is free. */
  readonly free: (clientId: string | null) => void;
  /** Refuses those who are at the door and all who come. */
  readonly close: () => void;
}

/** What the door needs of the hub. */
export interface AdmissionNeeds {
  readonly env: HubEnv;
  readonly channels: Pick<Channels, 'hold' | 'letGo'>;
  readonly authorize: HubOptions['authorize'];
  readonly limits: HubLimits;
  readonly rules: AskRules;
  /** Waits, but not for long, until the channel has what the cursor has seen elsewhere. Never rejects. */
  readonly catchUp: (seat: Seat) => Promise<void>;
  readonly onRefusal: (code: RefusalCode) => void;
}

const authorizeTimeoutMs = 10_000;

/** Whether the outcome of a visit is a refusal. */
export function isRefusal(outcome: Admitted | Refusal): outcome is Refusal {
  return 'code' in outcome;
}

/** The door of a hub. */
export function createAdmission(needs: AdmissionNeeds): Admission {
  const { env, channels, limits } = needs;
  const placesOf = new Map<string, number>();
  let places = 0;
  let isClosed = false;
  /** Of each visitor who waits for `authorize` or the backplane. */
  const waiting = new Set<Wait<Outcome>>();

  const forNow = (code: RefusalCode, message: string): Refusal => refuseForNow(code, message, env.random());
  const closing = (): Refusal => forNow('closing', 'The hub is closing.');

  function refusePlace({ isQueued }: Visitor, clientId: string | null): Refusal | null {
    if (isQueued) return forNow('too_many_connections_of_client', 'A stream needs a connection of its own.');
    if (clientId !== null && (placesOf.get(clientId) ?? 0) >= limits.maxConnectionsPerClient) {
      return forNow('too_many_connections_of_client', 'This client has too many streams open.');
    }
    return places >= limits.maxConnections
      ? forNow('too_many_connections', 'The hub has too many streams open.')
      : null;
  }

  function takePlace(clientId: string | null): void {
    places += 1;
    if (clientId !== null) placesOf.set(clientId, (placesOf.get(clientId) ?? 0) + 1);
  }

  function free(clientId: string | null): void {
    places -= 1;
    if (clientId === null) return;
    const left = (placesOf.get(clientId) ?? 1) - 1;
    if (left === 0) placesOf.delete(clientId);
    else placesOf.set(clientId, left);
  }

  function begun({ seats }: Admitted): void {
    for (const { channel } of seats) channels.letGo(channel);
  }

  function abandon(admitted: Admitted): void {
    begun(admitted);
    free(admitted.clientId);
  }

  /** The moment when the permission ends, or a refusal. */
  async function permit(visitor: Visitor, ask: StreamAsk): Promise<number | Refusal> {
    const { authorize } = needs;
    const refused = refuse('audience_refused', 'An audience was refused.');
    if (authorize === undefined) {
      return ask.audiences.every(({ audience }) => audience === DEFAULT_AUDIENCE) ? Infinity : refused;
    }
    try {
      const request = visitor.describe();
      const { clientId } = ask;
      const answers = await Promise.all(
        ask.audiences.map(async ({ audience }) => authorize(request, { audience, clientId })),
      );
      const expiresAt = Math.min(...answers.map(endOf));
      return expiresAt > env.now() ? expiresAt : refused;
    } catch (error) {
      env.log('error', 'authorize failed; the stream is refused', error);
      return refused;
    }
  }

  async function takeSeats(ask: StreamAsk): Promise<Seat[] | Refusal> {
    const held = await Promise.allSettled(ask.audiences.map(({ audience }) => channels.hold(audience)));
    const seats: Seat[] = [];
    let reason: unknown;
    for (const [index, result] of held.entries()) {
      const cursor = ask.audiences[index]?.cursor;
      if (result.status === 'rejected') reason = result.reason;
      else if (cursor !== undefined) seats.push({ channel: result.value, ask: cursor });
    }
    if (seats.length === held.length) {
      await Promise.all(seats.map((seat) => needs.catchUp(seat)));
      return seats;
    }
    for (const { channel } of seats) channels.letGo(channel);
    env.log('warn', 'An audience cannot be read; the stream is refused for now', reason);
    return forNow('backplane_unavailable', 'The audience cannot be read at the moment.');
  }

  async function enter(visitor: Visitor, ask: StreamAsk, wait: Wait<Outcome>): Promise<Admitted | Refusal> {
    const cameAt = env.now();
    const expiresAt = await permit(visitor, ask);
    wait.unlimit();
    if (typeof expiresAt !== 'number') return expiresAt;
    if (wait.isOver()) return closing(); // Nobody hears it; nothing is opened for one who left.
    const taken = await takeSeats(ask);
    if (!Array.isArray(taken)) return taken;
    const waitedMs = env.now() - cameAt;
    const seats = taken.map(({ channel, ask: cursor }) => ({ channel, ask: older(cursor, waitedMs) }));
    return { clientId: ask.clientId, seats, expiresAt };
  }

  function visit(visitor: Visitor): Visit {
    const ask = isClosed ? closing() : readAsk(visitor, needs.rules);
    if ('code' in ask) return refusedVisit(ask);
    const { clientId } = ask;
    const refusal = refusePlace(visitor, clientId);
    if (refusal !== null) return refusedVisit(refusal);
    takePlace(clientId);
    const wait = createWait<Outcome>(env, (outcome) => {
      waiting.delete(wait);
      if (outcome !== null && !isRefusal(outcome)) return;
      free(clientId);
      if (outcome !== null) needs.onRefusal(outcome.code);
    });
    waiting.add(wait);
    if (needs.authorize !== undefined)
      wait.limit(authorizeTimeoutMs, () =>
        forNow('authorization_timeout', 'The authorisation took too long.'),
      );
    enter(visitor, ask, wait).then(
      (outcome) => {
        // The place was freed when it left.
        if (wait.isOver() && !isRefusal(outcome)) begun(outcome);
        wait.settle(outcome);
      },
      (error: unknown) => {
        env.log('error', 'A stream could not be opened', error);
        wait.settle(forNow('backplane_unavailable', 'The stream could not be opened.'));
      },
    );
    return { outcome: wait.outcome, leave: () => wait.settle(null) };
  }

  function refusedVisit(refusal: Refusal): Visit {
    needs.onRefusal(refusal.code);
    return { outcome: Promise.resolve(refusal), leave: () => {} };
  }

  return {
    visit,
    begun,
    abandon,
    free,
    close() {
      isClosed = true;
      for (const { settle } of waiting) settle(closing());
    },
  };
}

/** When a permission ends: Infinity for a plain yes, -Infinity for anything that is no permission. Throws for an end that is none. */
function endOf(answer: AuthorizeAnswer): number {
  if (answer === true) return Infinity;
  // A list is what a query found, and may be empty.
  if (typeof answer !== 'object' || answer === null || Array.isArray(answer)) return -Infinity;
  const { expiresAt } = answer;
  if (expiresAt === undefined) return Infinity;
  if (typeof expiresAt === 'number' && !Number.isNaN(expiresAt)) return expiresAt;
  throw wrong('authorize: expiresAt', 'a number of milliseconds since the epoch', expiresAt);
}
