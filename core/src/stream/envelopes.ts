// One envelope of any transport: its number is judged before any filter, and then its directives are applied (D-SSE-6 to D-SSE-11).

import type { Directives } from '../directives/apply.ts';
import type { Env } from '../platform/env.ts';
import type { Lifecycle } from '../events/bus.ts';
import type { GapReason, ResyncContext } from '../events/eventTypes.ts';
import { DEFAULT_AUDIENCE } from '../protocol/names.ts';
import type { Audiences } from './audiences.ts';
import type { Resync } from './resync.ts';
import { readEnvelope, type ReadEnvelope } from './readEnvelope.ts';

export interface Envelopes {
  /** Never throws. An unreadable envelope emits `sse:message-error` and changes nothing (D-SSE-11). */
  ingest: (envelope: unknown) => void;
  /** The same for the data of one frame. Returns the envelope, or null. */
  receive: (data: string) => ReadEnvelope | null;
  /** Messages before this number may be missing, although the hub recovered them. */
  miss: (audience: string | null, incomingSeq: number) => void;
  /** The next envelope of each audience is the first one of a new connection (D-SSE-6). */
  newConnection: () => void;
  /** An attempt asks for the messages since this time only. */
  missBefore: (at: number) => void;
  /** The connection replays missed messages before it sends its position. */
  expectReplay: () => void;
  lastSeq: (audience: string) => number | null;
  /** Forgets the numbers of all audiences but these. */
  forget: (audiences: readonly string[]) => void;
  /** The last numbers, by audience. */
  numbers: () => Record<string, number>;
}

interface Needs {
  env: Env;
  lifecycle: Lifecycle;
  directives: Directives;
  audiences: Audiences;
  resync: Resync;
  onConnection: () => void;
}

export function createEnvelopes(needs: Needs): Envelopes {
  const { env, lifecycle, directives, audiences, resync } = needs;

  /**
   * An envelope without an audience is for `global` (document §4.6). A client that subscribes to exactly one other audience counts it for that
   * one. With several, the audience is unknown: the envelope is applied and not counted.
   */
  function audienceOf(envelope: ReadEnvelope): string | null {
    if (envelope.audience !== null) return envelope.audience;
    if (audiences.isSubscribed(DEFAULT_AUDIENCE)) return DEFAULT_AUDIENCE;
    const [first, second] = audiences.subscribed();
    return second === undefined ? (first ?? null) : null;
  }

  /** Counts the number of an envelope, and returns the gap that it shows. */
  function count(audience: string, incomingSeq: number, envelope: ReadEnvelope): ResyncContext | null {
    const before = audiences.lastSeq(audience);
    const isPosition = envelope.directives.length === 0;
    const { isReplayMiss } = envelope;
    const { gap, isOutOfOrder, lastSeq } = audiences.count({
      audience,
      seq: incomingSeq,
      isPosition,
      isReplayMiss,
    });
    if (isOutOfOrder) lifecycle.emit('sse:out-of-order', { audience, lastSeq, incomingSeq });
    return gap === null ? null : reported(gap, { audience, lastSeq: before, incomingSeq });
  }

  function reported(reason: GapReason, numbers: Omit<ResyncContext, 'reason'>): ResyncContext {
    audiences.miss();
    // The fields of the document's table, with a reason if it is not a missing number.
    lifecycle.emit('sse:gap', reason === 'gap' ? numbers : { ...numbers, reason });
    return { reason, ...numbers };
  }

  function apply(envelope: ReadEnvelope, data: unknown): void {
    const { seq, source, directives: list, unusableSeq } = envelope;
    if (unusableSeq !== null) {
      const error = new Error(`[edict] Envelope: seq ${unusableSeq} is not a safe integer of at least 0.`);
      lifecycle.emit('sse:message-error', { data, error });
    }
    const audience = audienceOf(envelope);
    const isCounted = seq !== null && audience !== null && audiences.isSubscribed(audience);
    const gap = isCounted ? count(audience, seq, envelope) : null;
    try {
      if (list.length > 0) directives.apply(list, { path: 'push', audience, source, seq });
    } finally {
      if (gap !== null) resync.schedule(gap);
    }
  }

  /** @param data the detail of `sse:message-error` */
  function accept(data: unknown, parse: () => unknown): ReadEnvelope | null {
    try {
      const envelope = readEnvelope(parse());
      if (envelope === null) env.log('debug', 'an envelope of an unknown type was ignored', data);
      else apply(envelope, data);
      return envelope;
    } catch (error) {
      lifecycle.emit('sse:message-error', { data, error });
      return null;
    }
  }

  return {
    ingest: (envelope) => void accept(envelope, () => envelope),
    receive: (data) => accept(data, () => JSON.parse(data)),
    miss(given, incomingSeq) {
      const audience = given ?? DEFAULT_AUDIENCE;
      audiences.knowFrom(audience, incomingSeq);
      resync.schedule(reported('replay-miss', { audience, lastSeq: null, incomingSeq }));
    },
    newConnection() {
      audiences.newConnection();
      needs.onConnection();
    },
    missBefore: audiences.miss,
    expectReplay: audiences.expectReplay,
    lastSeq: audiences.lastSeq,
    forget: audiences.keepOnly,
    numbers: audiences.lastSeqs,
  };
}
