// What the client knows about each audience: its position in the sequence (D-SSE-6, D-SSE-7), the highest `seq` on any path (D-DIR-9), and
// from which position on the recent-directives log is complete (D-REACT-10).

import type { Settings } from '../config/options.ts';
import type { AudienceFacts } from '../directives/metadata.ts';
import type { LogEntry } from '../directives/recent.ts';
import type { Env } from '../platform/env.ts';
import { DEFAULT_AUDIENCE } from '../protocol/names.ts';
import { onItsWayMs } from '../platform/ages.ts';
import { audiencesOf } from './readEnvelope.ts';
import { judge, type SequenceVerdict } from './sequence.ts';

/** Not every server sends positions. After this time on a connection, its replay counts as complete. */
const replayMs = 10_000;

interface AudienceState {
  /** The last number of the sequence; null before the baseline. */
  lastSeq: number | null;
  /** The highest `seq` on any path, that of skipped directives too; -Infinity: none. */
  highestSeq: number;
  /** The log contains every directive above this number; Infinity: of unknown. */
  knownFrom: number;
  /** The highest `seq` before the server restarted its counter. */
  previousCount: number;
  /** An envelope has arrived on this connection. */
  isMet: boolean;
  /** This connection has not sent its position yet. */
  isReplaying: boolean;
}

/** The number of an envelope. */
export interface Count {
  readonly audience: string;
  readonly seq: number;
  /** The envelope has an empty list. */
  readonly isPosition: boolean;
  readonly isReplayMiss: boolean;
}

export interface Audiences extends AudienceFacts {
  subscribed: () => readonly string[];
  lastSeq: (audience: string) => number | null;
  /** The last numbers, by audience. */
  lastSeqs: () => Record<string, number>;
  /** Counts an envelope, and returns what its number means. */
  count: (count: Count) => SequenceVerdict;
  /** Every directive above this number will be known. */
  knowFrom: (audience: string, seq: number) => void;
  /** A number that is known from elsewhere, for an audience without one. */
  setBaseline: (audience: string, seq: number) => void;
  /** Forgets the numbers of all other audiences. */
  keepOnly: (audiences: readonly string[]) => void;
  /** The next envelope of each audience is the first one of a new connection (D-SSE-6). */
  newConnection: () => void;
  /** The connection replays missed messages first. */
  expectReplay: () => void;
  /** Whether the log contains everything that was emitted after this number, and the number is not from before a restart. */
  isKnownFrom: (audience: string, seq: number) => boolean;
  /** Directives that were emitted before this time may be missing from the log. Default: now; data that looks younger may be as old. */
  miss: (until?: number) => void;
  hasMissedSince: (time: number) => boolean;
  /** An entry has left the log. */
  dropped: (entry: LogEntry) => void;
}

export function createAudiences(env: Env, settings: () => Settings): Audiences {
  const states = new Map<string, AudienceState>();
  let openedAt = -Infinity;
  let missedUntil = -Infinity;

  const subscribed = (): readonly string[] => audiencesOf(settings().sse.audience);

  function stateOf(audience: string | null): AudienceState {
    const name = audience ?? DEFAULT_AUDIENCE;
    let state = states.get(name);
    if (state === undefined) {
      const none = -Infinity;
      state = {
        lastSeq: null,
        highestSeq: none,
        knownFrom: Infinity,
        previousCount: none,
        isMet: false,
        isReplaying: false,
      };
      states.set(name, state);
    }
    return state;
  }

  function knowFrom(audience: string, seq: number): void {
    stateOf(audience).knownFrom = seq;
  }

  return {
    isSubscribed: (audience) => subscribed().includes(audience),
    isPassed: ({ audience, seq }) => seq !== null && seq < stateOf(audience).highestSeq,
    hasAnySeq: () => [...states.values()].some(({ highestSeq }) => highestSeq > -Infinity),
    isReplaying: (audience) =>
      env.now() - openedAt <= replayMs &&
      (audience === null ? [...states.values()] : [stateOf(audience)]).some((state) => state.isReplaying),
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
    count({ audience, seq, isPosition, isReplayMiss }) {
      const state = stateOf(audience);
      const { lastSeq } = state;
      const verdict = judge({ lastSeq, incomingSeq: seq, isFirst: !state.isMet, isPosition, isReplayMiss });
      state.isMet = true;
      state.lastSeq = verdict.lastSeq;
      if (isPosition) state.isReplaying = false;
      if (lastSeq !== null && verdict.lastSeq < lastSeq) {
        // The server restarted its counter: results are judged by the new count.
        state.previousCount = Math.max(state.previousCount, lastSeq, state.highestSeq);
        state.highestSeq = verdict.lastSeq;
      }
      if (isPosition) state.highestSeq = Math.max(state.highestSeq, verdict.lastSeq);
      if (lastSeq === null || verdict.gap !== null) knowFrom(audience, verdict.lastSeq);
      return verdict;
    },
    knowFrom,
    setBaseline(audience, seq) {
      stateOf(audience).lastSeq = seq;
      knowFrom(audience, seq);
    },
    keepOnly(audiences) {
      for (const [audience, state] of states) if (!audiences.includes(audience)) state.lastSeq = null;
    },
    newConnection() {
      for (const state of states.values()) state.isMet = false;
    },
    expectReplay() {
      openedAt = env.now();
      for (const audience of subscribed()) stateOf(audience).isReplaying = true;
    },
    isKnownFrom(audience, seq) {
      const { knownFrom, previousCount, lastSeq } = stateOf(audience);
      return seq >= knownFrom && (seq > previousCount || seq === lastSeq);
    },
    miss(until = env.now() + onItsWayMs) {
      missedUntil = Math.max(missedUntil, until);
    },
    hasMissedSince: (time) => time < missedUntil,
    dropped({ audience, seq }) {
      const state = stateOf(audience);
      // A directive without a number was emitted before what has arrived since.
      if (state.knownFrom < Infinity) state.knownFrom = Math.max(state.knownFrom, seq ?? state.highestSeq);
    },
  };
}
