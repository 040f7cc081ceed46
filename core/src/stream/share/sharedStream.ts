// One event stream for the tabs of a browser. The tab with a Web Lock leads: it opens the stream and passes every frame on. For the other
// tabs it is a hub: each of them sends its cursors, receives a replay with greetings, and reads frames like those of the network. So a tab
// that follows counts, notices silence, and recovers by the same rules as a tab with its own connection.

import type { Clock } from '../../platform/clock.ts';
import type { Env } from '../../platform/env.ts';
import { platformTabs, type Tabs } from '../../platform/tabs.ts';
import type { SseOptions } from '../../types/options.ts';
import type { SseRole } from '../../types/snapshots.ts';
import type { createFrameReader } from '../frames.ts';
import { createReplayLog, type Counted, type Cursors } from './replayLog.ts';

declare const process: { env: { NODE_ENV?: string } };

export interface StreamRequest {
  readonly sse: SseOptions;
  /** Tabs share a stream if theirs are equal as JSON. */
  readonly identity: readonly unknown[];
  readonly url: string;
  readonly init: RequestInit & { readonly signal: AbortSignal };
  readonly lastSeq: (audience: string) => number | null;
  /** The age of the oldest request of this tab. */
  readonly ageMs: number;
}

export interface SharedStream {
  /** As the platform's `fetch`, for the stream. Aborting the signal ends the part of this tab. */
  fetch: (request: StreamRequest) => Promise<Response>;
  /** Null while this tab neither leads nor follows. */
  role: () => SseRole | null;
}

interface Needs {
  readonly env: Env;
  readonly clock: Clock;
  readonly createFrameReader: typeof createFrameReader;
}

interface Message {
  readonly from: string;
  /** A tab that wants to follow. The leader sends all other messages. */
  readonly cursors?: Cursors;
  /** The tab that the message is for, if it is for one. */
  readonly to?: string;
  /** How many frames the leader has passed on. */
  readonly n: number;
  /** Frames; null when the stream was lost. Without it, the message only shows that there is a leader. */
  readonly text?: string | null | undefined;
}

/** A leader responds immediately. One that does not within this time is frozen. */
const patienceMs = 5000;
/** How long a leader that has lost the stream keeps the lock, so that other tabs are notified before they may connect. */
const notifyMs = 100;
/** A hub sends its position first. After this time, a server counts as one that does not. */
const greetingMs = 1000;
/** How long a request may take, so that the hub's replay covers it (D-HUB-3). */
const slackMs = 2000;

/** A tab reads each line of the data in a field of its own. */
const frame = (data: string): string => `data: ${data.replace(/\n/g, '\ndata: ')}\n\n`;

export function createSharedStream({ env, clock, createFrameReader }: Needs): SharedStream {
  // Workers and servers have no tabs.
  const tabs = env.page === null ? null : env.tabs === undefined ? platformTabs() : env.tabs;
  const now = (): number => clock.sinceEpoch(env.now());
  let role: SseRole | null = null;
  /** The browser refuses locks, or another tab took the lock, because this one did not respond. */
  let isAlone = false;

  const share = (
    { sse, url, init, ...request }: StreamRequest,
    name: string,
    from: Tabs,
  ): Promise<Response> =>
    new Promise((resolve, reject) => {
      const { signal } = init;
      const me = env.newId();
      const startedAt = now();
      const cursors: Cursors = {
        seqs: [sse.audience].flat().map((audience) => [audience, request.lastSeq(audience)]),
        since: startedAt - request.ageMs,
      };
      /** Null while this tab asks for one. */
      let leader: string | null = null;
      let n = 0;
      let answer: ((to: string, wanted: Cursors) => void) | null = null;
      let isOver = false;
      let body: ReadableStreamDefaultController<Uint8Array> | null = null;
      const stream = new ReadableStream<Uint8Array>({
        start: (given) => void (body = given),
        cancel: () => void (body = null),
      });
      let timer = env.setTimeout(() => acquire(true), patienceMs);
      const channel = from.channel(name);
      let release = (): void => undefined;

      function acquire(steal: boolean): void {
        release();
        release = from.lock(
          name,
          steal,
          () => (leader === null ? void lead() : askAnew()),
          () => {
            isAlone = true;
            end();
          },
        );
      }

      const post = (message: Partial<Message>): void => channel.postMessage({ from: me, n, ...message });
      const ask = (): void => post({ cursors });
      const write = (text: string): void => body?.enqueue(new TextEncoder().encode(text));

      function end(error?: unknown): void {
        if (isOver) return;
        isOver = true;
        role = null;
        env.clearTimeout(timer);
        if (leader === me && !signal.aborted) {
          // Other tabs wait as after a lost connection, and do not all connect at once.
          post({ text: null });
          env.setTimeout(release, notifyMs);
        } else release();
        channel.close();
        body?.close();
        reject((error ?? new TypeError('the leading tab was lost')) as Error); // Without effect once there is a response.
      }

      /** Another tab leads, or a frame is missing: the next request has the present cursors. */
      function askAnew(): void {
        write('retry: 1\n\n');
        end();
      }

      function pass(text: string): void {
        n++;
        if (answer !== null) post({ text });
        write(text);
      }

      async function lead(): Promise<void> {
        env.clearTimeout(timer);
        leader = me;
        role = 'leader';
        post({});
        let reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
        try {
          const response = await env.fetch(url, init);
          const { headers } = response;
          if (response.status !== 200) {
            resolve(response);
            return end();
          }
          const log = createReplayLog(cursors, now(), now() - startedAt <= slackMs);
          reader = (response.body as ReadableStream<Uint8Array>).getReader();
          resolve(new Response(stream, response)); // With its headers.
          const makeReady = (): void => {
            const heartbeatMs = Number(headers.get('x-service-heartbeat-ms'));
            answer = (to, wanted) => post({ to, text: log.replay(wanted, heartbeatMs).map(frame).join('') });
            post({}); // The tabs that wait ask again.
          };
          timer = env.setTimeout(makeReady, greetingMs);
          const onComment = (): void => pass(':\n\n');
          const read = createFrameReader({
            onData(data) {
              try {
                log.add(JSON.parse(data) as Counted, data, now());
              } catch {
                // Every tab reports it.
              }
              pass(frame(data));
            },
            onComment,
            onRetry: (ms) => pass(`retry: ${ms}\n\n`),
            onTooLong: onComment, // Every tab notices the missing number.
          });
          while (!isOver) {
            const { done, value } = await reader.read();
            if (done) break;
            read(value);
            if (answer === null && log.isReady()) makeReady();
          }
          end();
        } catch (error) {
          end(error);
        } finally {
          // Some implementations of `fetch` ignore the signal.
          void reader?.cancel().catch(() => undefined);
        }
      }

      channel.onmessage = ({ data }) => {
        // Only this file sends messages on a channel of this name.
        const { from: sender, to, cursors: wanted, text, n: sent } = data as Message;
        if (leader === me) {
          if (wanted === undefined) return;
          if (answer === null) post({ to: sender });
          else answer(sender, wanted);
        } else if (wanted === undefined && (to ?? me) === me) {
          env.clearTimeout(timer);
          if (leader === null) {
            if (text === null) end();
            else if (to === undefined) ask();
            else if (text !== undefined) {
              leader = sender;
              n = sent;
              role = 'follower';
              write(text);
              resolve(new Response(stream));
            }
          } else if (to === undefined) {
            if (sender === leader && text === null) end();
            else if (sender !== leader || sent !== ++n || text == null) askAnew();
            else write(text);
          }
        }
      };
      signal.addEventListener('abort', () => end(signal.reason));
      acquire(false);
      ask();
    });

  return {
    fetch(request) {
      const { sse, identity, url, init } = request;
      if (sse.share === false || tabs === null || isAlone) return env.fetch(url, init);
      // Functions cannot be compared, and their headers may be those of another user.
      if (sse.share !== true || typeof sse.headers !== 'function')
        return share(request, JSON.stringify(identity), tabs);
      if (process.env.NODE_ENV !== 'production')
        env.log(
          'warn',
          'sse.share: this tab connects by itself, because sse.headers is a function, whose headers may be those of another user. Pass share: { key } with the id of the user.',
        );
      return env.fetch(url, init);
    },
    role: () => role,
  };
}
