// What the client knows about each audience: its position in the sequence (D-SSE-6, D-SSE-7), the highest `seq` on any path (D-DIR-9), and
// from which position on the recent-directives log is complete (D-REACT-10).

import type { Settings } from '../config/options.ts';
import type { AudienceFacts } from '../directives/metadata.ts';
import type { Env } from '../platform/env.ts';
import { DEFAULT_AUDIENCE } from '../protocol/names.ts';
import type { GapReason } from '../events/eventTypes.ts';
import { onItsWayMs } from '../platform/ages.ts';
import type { ReadEnvelope } from './readEnvelope.ts';
import { audiencesOf } from './request.ts';

/** Not every server sends positions. After this time on a connection, its replay counts as complete. */
const replayMs = 10_000;

interface AudienceState {
  /** The last number of the sequence; null before the baseline. */
  lastSeq: number | null;
  /** The highest `seq` on any path, that of skipped directives too; -Infinity: none. */
  highestSeq: number;
  /** Every directive above this number has arrived; Infinity: unknown. */
  knownFrom: number;
  /** The highest `seq` before the server restarted its counter. */
  previousCount: number;
  /** An envelope has arrived on this connection. */
  isMet: boolean;
  /** When this connection opened. -Infinity once it has sent its position, or when it replays nothing. */
  replayingSince: number;
}

/** What a connection delivers of the messages since the one before. */
export interface Replay {
  /** It began to replay too late: some messages may be missing although they count as recovered (D-SSE-8). */
  readonly isLate: boolean;
}

/** Why a number does not follow the last one; null when it does. Only an `out-of-order` number leaves the last one as it is. */
type Verdict = GapReason | 'out-of-order' | null;

export interface Audiences extends AudienceFacts {
  subscribed: () => readonly string[];
  lastSeq: (audience: string) => number | null;
  /** The last numbers, by audience. */
  lastSeqs: () => Record<string, number>;
  /** Counts an envelope, and returns why its number does not follow the last one. */
  count: (audience: string, incomingSeq: number, envelope: ReadEnvelope) => Verdict;
  /** A number that is known from elsewhere, for an audience without one. */
  setBaseline: (audience: string, seq: number) => void;
  /** Forgets the numbers of all other audiences. */
  keepOnly: (audiences: readonly string[]) => void;
  /** The next envelope of each audience is the first one of a new connection (D-SSE-6). Without `replay`, it continues with new messages. */
  connected: (replay?: Replay) => void;
  /** Whether everything that was emitted after this number has arrived, and the number is not from before a restart. */
  isKnownFrom: (audience: string, seq: number) => boolean;
  /** Directives that were emitted before this time may be missing from the log. Default: now; data that looks younger may be as old. */
  miss: (until?: number) => void;
  hasMissedSince: (time: number) => boolean;
}

function judge({ lastSeq, isMet }: AudienceState, incomingSeq: number, isPosition: boolean): Verdict {
  if (lastSeq === null) return null;
  if (isPosition) return incomingSeq === lastSeq ? null : 'position';
  if (incomingSeq > lastSeq) return incomingSeq === lastSeq + 1 ? null : 'gap';
  return isMet || incomingSeq === lastSeq ? 'out-of-order' : 'restart';
}

export function createAudiences(env: Env, settings: () => Settings): Audiences {
  const states = new Map<string, AudienceState>();
  let missedUntil = -Infinity;
  let isLate = false;

  const subscribed = (): readonly string[] => audiencesOf(settings().sse.audience);

  function stateOf(audience: string | null): AudienceState {
    const name = audience ?? DEFAULT_AUDIENCE;
    let state = states.get(name);
    if (state === undefined) {
      state = {
        ...{ lastSeq: null, highestSeq: -Infinity, knownFrom: Infinity, previousCount: -Infinity },
        ...{ isMet: false, replayingSince: -Infinity },
      };
      states.set(name, state);
    }
    return state;
  }

  return {
    isSubscribed: (audience) => subscribed().includes(audience),
    isPassed: ({ audience, seq }) => seq !== null && seq < stateOf(audience).highestSeq,
    hasAnySeq: () => [...states.values()].some(({ highestSeq }) => highestSeq > -Infinity),
    isReplaying: (audience) =>
      (audience === null ? [...states.values()] : [stateOf(audience)]).some(
        ({ replayingSince }) => env.now() - replayingSince <= replayMs,
      ),
    see({ audience, seq }) {
      const state = stateOf(audience);
      if (seq !== null) state.highestSeq = Math.max(state.highestSeq, seq);
    },
    subscribed,
    lastSeq: (audience) => stateOf(audience).lastSeq,
    lastSeqs: () =>
      Object.fromEntries(
        [...states].flatMap(([audience, { lastSeq }]) => (lastSeq === null ? [] : [[audience, lastSeq]])),
      ),
    count(audience, incomingSeq, { directives, isReplayMiss }) {
      const state = stateOf(audience);
      const { lastSeq, highestSeq } = state;
      const isPosition = directives.length === 0;
      const verdict = isReplayMiss || isLate ? 'replay-miss' : judge(state, incomingSeq, isPosition);
      isLate = false;
      state.isMet = true;
      if (isPosition) state.replayingSince = -Infinity;
      if (verdict === 'out-of-order') return verdict;
      state.lastSeq = incomingSeq;
      if (lastSeq !== null && incomingSeq < lastSeq) {
        // The server restarted its counter: results are judged by the new count.
        state.previousCount = Math.max(state.previousCount, lastSeq, highestSeq);
        state.highestSeq = incomingSeq;
      }
      if (isPosition) state.highestSeq = Math.max(state.highestSeq, incomingSeq);
      if (lastSeq === null || verdict !== null) state.knownFrom = incomingSeq;
      return verdict;
    },
    setBaseline(audience, seq) {
      const state = stateOf(audience);
      state.lastSeq = state.knownFrom = seq;
    },
    keepOnly(audiences) {
      for (const [audience, state] of states) if (!audiences.includes(audience)) state.lastSeq = null;
    },
    connected(replay) {
      isLate = replay?.isLate === true;
      for (const state of states.values()) state.isMet = false;
      if (replay !== undefined)
        for (const audience of subscribed()) stateOf(audience).replayingSince = env.now();
    },
    isKnownFrom(audience, seq) {
      const { knownFrom, previousCount, lastSeq } = stateOf(audience);
      return seq >= knownFrom && (seq > previousCount || seq === lastSeq);
    },
    miss(until = env.now() + onItsWayMs) {
      missedUntil = Math.max(missedUntil, until);
    },
    hasMissedSince: (time) => time < missedUntil,
  };
}
