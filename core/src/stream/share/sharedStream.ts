// One event stream for the tabs of a browser. The tab with a Web Lock leads: it keeps its stream and passes every frame on. Another tab ends
// its own stream once its sequence numbers equal those of the leader, and then reads the frames that the leader passes on. So no tab needs
// a replay from another tab: what it missed, it has received from the hub. A frame that is lost between two tabs shows as a gap.

import type { Cache } from '../../cache/store.ts';
import type { Settings } from '../../config/options.ts';
import type { Env } from '../../platform/env.ts';
import { platformTabs, type TabChannel, type Tabs } from '../../platform/tabs.ts';
import type { SseRole, SseStatus } from '../../types/snapshots.ts';
import type { Audiences } from '../audiences.ts';
import type { SseEvent } from '../connectionState.ts';
import type { Envelopes } from '../envelopes.ts';

/** The data of an envelope; null for a comment. */
type FrameData = string | null;

/** The stream of this tab. */
interface Needs {
  readonly cache: Pick<Cache, 'noteChange'>;
  readonly env: Env;
  readonly audiences: Audiences;
  readonly envelopes: Envelopes;
  readonly settings: () => Settings;
  /** Tabs share a stream if their requests have the same JSON. */
  readonly request: readonly unknown[];
  readonly status: () => SseStatus;
  readonly send: (event: SseEvent) => void;
  /** Sends the request of the stream. */
  readonly attempt: () => unknown;
  /** Ends the request. The connection continues with the frames of another tab. */
  readonly follow: () => unknown;
  readonly onFrame: (data: FrameData) => void;
}

/** The role of a tab in the sharing, from the start of a connection to its end. */
export interface Sharing {
  /** Null while the tab neither leads nor follows. */
  role: () => SseRole | null;
  /** The tab's own request has delivered a frame, and the frame was counted. */
  pass: (data: FrameData) => void;
  /** The connection ended. @param retryInMs null if it was not lost */
  leave: (retryInMs: number | null) => void;
}

/** A leader responds immediately. One that does not respond within this time is frozen, and loses the lock. */
const patienceMs = 2000;
/** How long a leader that has lost the connection keeps the lock, so that the other tabs are notified before one of them gets it. */
const notifyMs = 100;

function openChannel(tabs: Tabs, name: string): TabChannel | null {
  try {
    return tabs.channel(name);
  } catch {
    return null; // The browser refuses channels.
  }
}

/** @param isStarted whether the stream has sent its request. If not, it is sent unless a leader has exactly the same position. */
export function shareStream(needs: Needs, isStarted: boolean): Sharing | null {
  const { env, audiences, envelopes, send } = needs;
  const { headers, share } = needs.settings().sse;
  const name = `edict 1 ${JSON.stringify(needs.request)}`; // With the version of the messages below.
  const tabs = env.tabs ?? platformTabs();
  // Functions cannot be compared, and they may return the headers of different users.
  const channel = share === true && typeof headers === 'function' ? null : openChannel(tabs, name);
  if (channel === null) {
    if (!isStarted) needs.attempt();
    return null;
  }
  let role: SseRole | null = null;
  let isWaiting = false;
  let timer: unknown;
  let release = (): void => undefined;

  /** The last sequence number of every audience, as text. Null while one of them is unknown. */
  function position(): string | null {
    const seqs = audiences.lastSeqs();
    return seqs.includes(null) ? null : JSON.stringify(seqs);
  }

  /** Whether the connection is open, and has delivered what was missed before. */
  const isLive = (): boolean => needs.status() === 'open' && !audiences.isReplaying(null);

  const post = (...message: readonly unknown[]): void => channel.postMessage(message);

  function become(next: SseRole | null): void {
    env.clearTimeout(timer);
    isWaiting = false;
    role = next;
    needs.cache.noteChange();
  }

  /** The next frames are a replay, whose results may not be the newest. */
  function expectReplay(): void {
    if (needs.status() === 'open') envelopes.connected(false);
  }

  function start(): void {
    if (isStarted) return;
    isStarted = true;
    expectReplay();
    needs.attempt();
  }

  function acquire(steal: boolean): void {
    release();
    release = tabs.lock(
      name,
      steal,
      () => {
        become('leader');
        start();
        answer();
      },
      () => {
        if (role === null) return; // The browser refuses locks.
        become(null);
        acquire(false);
        ask();
      },
    );
  }

  /** Asks the leader for its position now, and again until this tab has a role. */
  function ask(): void {
    if (role !== null || isWaiting || position() === null) return;
    env.clearTimeout(timer);
    timer = env.setTimeout(() => {
      start(); // Also if the browser refuses the lock.
      if (isWaiting) acquire(true);
      else ask();
    }, patienceMs);
    isWaiting = true;
    post('ask');
  }

  const answer = (): void => post('position', isLive() ? position() : null);

  const messages = {
    ask() {
      if (role === 'leader') answer();
    },
    /** The leader is at this position; null while it connects. */
    position(leaders: string | null) {
      isWaiting = false;
      if (role !== null || leaders === null) return;
      if (leaders !== position()) return start(); // The hub has what lies between the two.
      if (isStarted && !isLive()) return;
      isStarted = false;
      become('follower');
      needs.follow();
      if (needs.status() !== 'open') send({ type: 'opened', heartbeatMs: null, isLate: false });
    },
    frame(data: FrameData, isLeaderLive: boolean) {
      if (role !== 'follower') return ask();
      if (!isLeaderLive) expectReplay();
      send({ type: 'bytes' });
      needs.onFrame(data);
    },
    lost(waitMs: number) {
      if (isStarted) return;
      send({ type: 'retry', waitMs });
      send({ type: 'ended' });
    },
  };

  channel.onmessage = ({ data }) => {
    // Only this file sends messages on a channel of this name.
    const [kind, ...values] = data as [keyof typeof messages, never, never];
    messages[kind](...values);
  };
  // If a sequence number is missing, this tab needs its own request.
  if (position() === null) start();
  acquire(false);
  ask();

  return {
    role: () => role,
    pass(data) {
      if (role === 'leader') post('frame', data, isLive());
      else ask();
    },
    leave(retryInMs) {
      env.clearTimeout(timer);
      if (role === 'leader' && retryInMs !== null) {
        post('lost', retryInMs);
        env.setTimeout(release, notifyMs);
      } else release();
      role = null;
      channel.close();
    },
  };
}
