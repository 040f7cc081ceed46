// One envelope from any transport: its number is judged before any filter, then its directives go on (D-SSE-6 to -11).
// A number is the last one that was seen, whatever became of the directives.

import type { Directives } from '../directives/apply.ts';
import type { Env } from '../platform/env.ts';
import type { Heard } from '../directives/heard.ts';
import type { Lifecycle } from '../events/bus.ts';
import type { GapReason, ResyncContext } from '../events/eventTypes.ts';
import { DEFAULT_AUDIENCE } from '../protocol/names.ts';
import type { Newest } from '../directives/newest.ts';
import type { Resync } from './resync.ts';
import { audiencesOf, readEnvelope, type ReadEnvelope } from './readEnvelope.ts';
import type { Settings } from '../config/options.ts';
import { judge } from './sequence.ts';

export interface Envelopes {
  /** Takes an envelope in; never throws. What cannot be read is `sse:message-error` and changes nothing (D-SSE-11). */
  ingest: (envelope: unknown) => void;
  /** The same for the data of one frame; returns what was read, or null. */
  receive: (data: string) => ReadEnvelope | null;
  /** What came before this number is not known to be all there is. */
  miss: (audience: string | null, incomingSeq: number) => void;
  /** The next envelope of each audience is the first of a new connection (D-SSE-6). */
  newConnection: () => void;
  /**
   * The connection repeats what was missed, before it comes to its position.
   * @param from the moment from which on it was asked for that; null: by numbers, so that nothing is left out
   */
  expectReplay: (from: number | null) => void;
  /** The connection is lost: the next one repeats what is said meanwhile. */
  lostConnection: () => void;
  lastSeq: (audience: string) => number | null;
  /** A number known otherwise, where none is known. */
  setBaseline: (audience: string, seq: number) => void;
  /** Drops the numbers of all audiences but these. */
  forget: (keep: readonly string[]) => void;
  /** The last number seen, by audience. */
  numbers: () => Record<string, number>;
}

export function createEnvelopes(
  env: Env,
  lifecycle: Lifecycle,
  settings: () => Settings,
  directives: Directives,
  resync: Resync,
  newest: Newest,
  heard: Heard,
  onConnection: () => void,
): Envelopes {
  const last = new Map<string, number>();
  const met = new Set<string>();

  /**
   * An envelope without an audience is for `global` (document §4.6). A client that is subscribed to one other audience
   * can only have been meant by that one; with several, nobody knows, and it is applied without counting.
   */
  function audienceOf(envelope: ReadEnvelope, subscribed: readonly string[]): string | null {
    if (envelope.audience !== null) return envelope.audience;
    if (subscribed.includes(DEFAULT_AUDIENCE)) return DEFAULT_AUDIENCE;
    return (subscribed.length === 1 && subscribed[0]) || null;
  }

  /** Moves the number of an audience; returns the gap that it shows. */
  function count(audience: string, incomingSeq: number, envelope: ReadEnvelope): ResyncContext | null {
    const lastSeq = last.get(audience) ?? null;
    const isPosition = envelope.directives.length === 0;
    const verdict = judge({
      lastSeq,
      incomingSeq,
      isFirst: !met.has(audience),
      isPosition,
      isReplayMiss: envelope.isReplayMiss,
    });
    met.add(audience);
    last.set(audience, verdict.lastSeq);
    newest.moved(audience, lastSeq, verdict.lastSeq);
    heard.follow(audience, isPosition);
    if (lastSeq === null || verdict.gap !== null) heard.countFrom(audience, verdict.lastSeq);
    if (verdict.isOutOfOrder) {
      lifecycle.emit('sse:out-of-order', { audience, lastSeq: verdict.lastSeq, incomingSeq });
    }
    const { gap } = verdict;
    return gap === null ? null : told(gap, { audience, lastSeq, incomingSeq });
  }

  function told(reason: GapReason, numbers: Omit<ResyncContext, 'reason'>): ResyncContext {
    heard.miss();
    // The fields of the document's table, and a reason where numbers that are missing are not the reason.
    lifecycle.emit('sse:gap', reason === 'gap' ? numbers : { ...numbers, reason });
    return { reason, ...numbers };
  }

  function take(envelope: ReadEnvelope): void {
    const { seq, source, directives: list } = envelope;
    const subscribed = audiencesOf(settings().sse.audience);
    const audience = audienceOf(envelope, subscribed);
    // Before any filter: own envelopes move the number too (D-SSE-6). An audience that was not asked for has none (D-SSE-10).
    const gap =
      seq !== null && audience !== null && subscribed.includes(audience)
        ? count(audience, seq, envelope)
        : null;
    try {
      if (list.length > 0) directives.apply(list, { path: 'push', audience, source, seq });
    } finally {
      if (gap !== null) resync.schedule(gap);
    }
  }

  /** `data` is what the event shows of an envelope that cannot be read. */
  function accept(data: unknown, parse: () => unknown): ReadEnvelope | null {
    try {
      const envelope = readEnvelope(parse());
      if (envelope === null) env.log('debug', 'an envelope of an unknown type was ignored', data);
      else take(envelope);
      return envelope;
    } catch (error) {
      lifecycle.emit('sse:message-error', { data, error }); // D-SSE-11
      return null;
    }
  }

  return {
    ingest: (envelope) => void accept(envelope, () => envelope),
    receive: (data) => accept(data, () => JSON.parse(data)),
    miss(audience, incomingSeq) {
      const numbers = { audience: audience ?? DEFAULT_AUDIENCE, lastSeq: null, incomingSeq };
      heard.countFrom(numbers.audience, incomingSeq);
      resync.schedule(told('replay-miss', numbers));
    },
    newConnection() {
      met.clear();
      onConnection();
    },
    expectReplay: (from) => heard.replay(audiencesOf(settings().sse.audience), from),
    lostConnection: heard.interrupt,
    lastSeq: (audience) => last.get(audience) ?? null,
    setBaseline(audience, seq) {
      last.set(audience, seq);
      heard.countFrom(audience, seq);
    },
    forget(keep) {
      for (const audience of last.keys()) if (!keep.includes(audience)) last.delete(audience);
    },
    numbers: () => Object.fromEntries(last),
  };
}
