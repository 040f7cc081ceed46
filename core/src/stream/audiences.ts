// The state of each audience: its position in the sequence (D-SSE-6, D-SSE-7), the highest `seq` on any path (D-DIR-9), and the position from
// which the recent-directives log is complete (D-REACT-10).

import type { AudienceFacts } from '../directives/metadata.ts';
import type { Base } from '../platform/base.ts';
import { DEFAULT_AUDIENCE } from '../protocol/names.ts';
import type { ResyncContext } from '../events/eventTypes.ts';
import { maxTransferMs } from '../platform/ages.ts';
import type { ReadEnvelope } from './readEnvelope.ts';
import { audiencesOf } from './request.ts';

/** Not every server sends positions. After this time, the replay of a connection counts as complete. */
const replayMs = 10_000;

/** What is known about an audience. */
export interface AudienceState {
  /** The last number of the sequence; null before the baseline. */
  lastSeq: number | null;
  /** The highest `seq` in any stream or response, including skipped directives; -Infinity if there is none. */
  highestSeq: number;
  /** All directives above this number have arrived; Infinity if unknown. */
  knownFrom: number;
  /** The server has restarted its counter, so a number may belong to either count. */
  hasRestarted: boolean;
}

export interface Audiences extends AudienceFacts {
  subscribed: () => readonly string[];
  stateOf: (audience: string) => Readonly<AudienceState>;
  /** The last number of each subscribed audience, in order. */
  lastSeqs: () => readonly (number | null)[];
  /** Counts an envelope, and returns the gap that its number shows, or null. */
  count: (audience: string, incomingSeq: number, envelope: ReadEnvelope) => ResyncContext | null;
  /** Stores a number from another source, for an audience without one. */
  setBaseline: (audience: string, seq: number) => void;
  /** Forgets the numbers of audiences without a subscription. */
  keepSubscribed: () => void;
  /**
   * The next envelope of each audience is the first one of a new connection (D-SSE-6).
   * @param isLate given if the connection first replays missed messages and then sends a position of each audience: whether it began too
   * late, so that some may be missing although they count as recovered (D-SSE-8)
   */
  connected: (isLate?: boolean) => void;
  /**
   * Directives from before this time may be missing in the log. Default: now. Data that looks younger may be just
   * as old.
   */
  miss: (until?: number) => void;
  hasMissedSince: (time: number) => boolean;
}

/** Why a number does not follow the last one; null when it does. */
function judge(lastSeq: number | null, seq: number, isPosition: boolean, isFirst: boolean) {
  if (lastSeq === null) return null;
  if (isPosition) return seq === lastSeq ? null : 'position';
  if (seq > lastSeq) return seq === lastSeq + 1 ? null : 'gap';
  return isFirst && seq < lastSeq ? 'restart' : 'out-of-order';
}

export function createAudiences({ env, lifecycle, settings }: Base): Audiences {
  const states = new Map<string, AudienceState>();
  let missedUntil = -Infinity;
  /** The time at which this connection began to replay; -Infinity if it replays nothing. */
  let replayingSince = -Infinity;
  let isLate = false;
  /** The audiences for which this connection has delivered an envelope, and whether it has sent their position. */
  const met = new Map<string, boolean>();

  const subscribed = (): readonly string[] => audiencesOf(settings().sse.audience);

  const isSubscribed = (audience: string): boolean => subscribed().includes(audience);

  function stateOf(audience: string | null): AudienceState {
    const name = audience ?? DEFAULT_AUDIENCE;
    let state = states.get(name);
    if (state === undefined) {
      state = { lastSeq: null, highestSeq: -Infinity, knownFrom: Infinity, hasRestarted: false };
      states.set(name, state);
    }
    return state;
  }

  const miss = (until = env.now() + maxTransferMs): void => void (missedUntil = Math.max(missedUntil, until));

  return {
    isSubscribed,
    isPassed: ({ audience, seq }) => seq !== null && seq < stateOf(audience).highestSeq,
    hasAnySeq: () => [...states.values()].some(({ highestSeq }) => highestSeq > -Infinity),
    isReplaying: (audience) =>
      env.now() - replayingSince <= replayMs &&
      (audience === null ? subscribed() : [audience]).some((name) => met.get(name) !== true),
    see({ audience, seq }) {
      const state = stateOf(audience);
      if (seq !== null) state.highestSeq = Math.max(state.highestSeq, seq);
    },
    subscribed,
    stateOf,
    lastSeqs: () => subscribed().map((audience) => stateOf(audience).lastSeq),
    count(audience, incomingSeq, { directives, isReplayMiss }) {
      const state = stateOf(audience);
      const { lastSeq } = state;
      const isPosition = directives.length === 0;
      const reason =
        isReplayMiss || isLate ? 'replay-miss' : judge(lastSeq, incomingSeq, isPosition, !met.has(audience));
      isLate = false;
      met.set(audience, isPosition || met.get(audience) === true);
      if (reason === 'out-of-order') {
        // It may be the last envelope again. So its results count as passed.
        state.highestSeq = Math.max(state.highestSeq, incomingSeq + 1);
        lifecycle.emit('sse:out-of-order', { audience, lastSeq: lastSeq as number, incomingSeq });
        return null;
      }
      state.lastSeq = incomingSeq;
      if (lastSeq !== null && incomingSeq < lastSeq) {
        state.hasRestarted = true;
        state.highestSeq = incomingSeq; // Results are judged by the new count.
      }
      if (isPosition) state.highestSeq = Math.max(state.highestSeq, incomingSeq);
      if (lastSeq === null || reason !== null) state.knownFrom = incomingSeq;
      if (reason === null) return null;
      miss();
      const numbers = { audience, lastSeq, incomingSeq };
      // The fields of the document's table, with a reason if it is not a missing number.
      lifecycle.emit('sse:gap', reason === 'gap' ? numbers : { ...numbers, reason });
      return { reason, ...numbers };
    },
    setBaseline(audience, seq) {
      const state = stateOf(audience);
      state.lastSeq = state.knownFrom = seq;
    },
    keepSubscribed() {
      for (const [audience, state] of states) if (!isSubscribed(audience)) state.lastSeq = null;
    },
    connected(late) {
      isLate = late === true;
      replayingSince = late === undefined ? -Infinity : env.now();
      met.clear();
    },
    miss,
    hasMissedSince: (time) => time < missedUntil,
  };
}
