// Connects the parts of a hub.

import type { Directive } from '@edict/core';
import { DEFAULT_AUDIENCE } from '@edict/core/protocol';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createAdminHandler, type AdminHandler } from './admin/adminHandler.ts';
import { createRecorder, takeSnapshot } from './admin/snapshot.ts';
import type { Channel } from './deliver/channel.ts';
import { createChannels } from './deliver/channels.ts';
import type { AudienceStart, Connection, Traffic } from './deliver/connection.ts';
import { createConnections } from './deliver/connections.ts';
import { createFanout } from './deliver/fanout.ts';
import { createSchedule } from './deliver/schedule.ts';
import { createAppendQueue } from './emit/appendQueue.ts';
import { readDirectives, type DirectiveInput } from './emit/directiveList.ts';
import { completeList, readDestination } from './emit/envelope.ts';
import { guardedLog, platformEnv, type HubEnv } from './env.ts';
import { createFetchHandler } from './http/fetchHandler.ts';
import { createResponseHeaders } from './http/httpShared.ts';
import { createNodeHandler } from './http/nodeHandler.ts';
import type { BackplaneNode, LogEntry } from './log/backplane.ts';
import { memoryBackplane } from './log/memoryBackplane.ts';
import { outboxHost, outboxMetrics, prometheusText, type HubMetrics } from './metrics.ts';
import { isName, nameRule } from './names.ts';
import { membersOf, shown } from './optionErrors.ts';
import { readOptions, type HubOptions } from './options.ts';
import { createAdmission } from './subscribe/admission.ts';
import { catchUp, whenAt } from './subscribe/catchUp.ts';
import { createKeyLimits } from './subscribe/keyLimits.ts';
import { judgeCursor, type Recovery } from './subscribe/recovery.ts';
import type { RefusalCode } from './subscribe/refusal.ts';
import { createRevocations, matches, type StreamFilter } from './subscribe/revocation.ts';
import { addWork, closeWork, isClosed, workHost } from './work.ts';

export type { DirectiveInput } from './emit/directiveList.ts';

/** Where a list of directives goes, and which client caused it. */
export interface EmitOptions {
  /**
   * The audiences that receive the list. A directive whose own `audience` is none of them rejects the call. Without this option, each
   * directive goes to its own `audience`, or to `global`.
   */
  audience?: string | readonly string[] | null | undefined;
  /** The id of the client whose request caused the change, from `directiveRequest`. That client ignores the copy on its stream. */
  source?: string | null | undefined;
}

/** Numbers, stores, replays and delivers directives. Every operation is bound and can be destructured. */
export interface Hub {
  /**
   * Validates a list of directives, adds `audience`, `seq`, `source` and a missing `idempotency_key`, and delivers
   * it. Resolves to the completed list, with one directive per audience. A mutation handler returns that list as
   * `directives` in its response.
   *
   * Lists are appended in the order of the calls. A list waits if too many earlier messages are still to be
   * delivered to subscribers.
   *
   * Rejects with a `TypeError` that contains the path of the fault, such as `directives[1].targets[0].id`. Nothing
   * is sent then. Rejects with an error that contains "not confirmed" when the backplane does not respond. The
   * directives may have been sent. Repeat the call with the same `idempotency_key`s.
   *
   * An inline `result` is safe only when the emits for one record are made in the order of their commits, as the
   * outbox does.
   */
  readonly emit: (directives: readonly DirectiveInput[], options?: EmitOptions) => Promise<Directive[]>;
  /**
   * Serves the stream with node:http, Express, and Fastify (pass `reply.raw` after `reply.hijack()`). A refused request gets JSON,
   * `{ error: { code, message, audience? } }`, with 400, 401, 403, 405, 413, 429 or 503.
   */
  readonly nodeHandler: (req: IncomingMessage, res: ServerResponse) => void;
  /** Serves the stream with Hono, Bun, Deno and workers. Otherwise like `nodeHandler`. */
  readonly fetchHandler: (request: Request) => Promise<Response>;
  /**
   * Resolves to the position in an audience's sequence, default `global`. For server rendering: read it before the
   * data, and pass it to `dehydrate`. Rejects if the backplane is not reachable, and once `close` has resolved. Until then, pages can
   * still be rendered.
   */
  readonly cursor: (audience?: string) => Promise<{
    /** The audience of the sequence. */
    audience: string;
    /** The sequence number of its newest envelope. */
    seq: number;
  }>;
  /**
   * Ends the streams that match every given field, on every process within 5 s. Their clients reconnect and are authorized again. Use it
   * after a permission was removed. Resolves to the number of streams that it ended in this process.
   *
   * Rejects with a `TypeError` without a selector; `{ all: true }` ends every stream. Rejects with an error that contains "not confirmed" when
   * the backplane does not respond. The streams of this process have ended then, and other processes may not know. Repeat the call.
   *
   * ```ts
   * await removeFromTeam(userId, 'team-7');
   * await hub.disconnect({ user: userId, audience: 'team-7' });
   * ```
   */
  readonly disconnect: (filter: StreamFilter) => Promise<number>;
  /** The counters since the start and the current values. */
  readonly metrics: () => HubMetrics;
  /** The metrics in the Prometheus text format. Respond with the content type `text/plain; version=0.0.4`. */
  readonly prometheus: () => string;
  /**
   * A read-only page for operators: metrics, connections, audiences, the last log lines, and the last envelopes without results. Add
   * `?format=json` for JSON. Mount it where you like. It responds 404 unless `createHub` has the option `admin`, which checks the request.
   */
  readonly adminHandler: AdminHandler;
  /**
   * Refuses new streams, ends every stream with a `retry:` that is spread over `retryMs` (milliseconds, default 500 to 5000), and waits for
   * calls of `emit` and for mutations behind the middleware `directives`. `emit` works until then, and rejects afterwards. Resolves within
   * 5 s. May be called in the same turn as `server.close()`.
   */
  readonly close: (options?: { retryMs?: readonly [min: number, max: number] }) => Promise<void>;
}

const stalledAfterMs = 1000;
const closeRetryMs = [500, 5000] as const;
/** The time limits of `close`: 4 s for the streams, and the rest of 5 s for the backplane. */
const drainMs = 4000;
const closeMs = 4800;
/** The number of full replays that a `connectionKey`, or otherwise a client, may receive per minute. */
const replaysPerMinute = 16;

/**
 * Creates a hub. Throws a `TypeError` that names an invalid option.
 *
 * ```ts
 * import { createServer } from 'node:http';
 * import { refreshItem } from '@edict/core/protocol';
 * import { createHub } from '@edict/server';
 *
 * const hub = createHub();
 * createServer(hub.nodeHandler).listen(3000);
 * await hub.emit([refreshItem('ticket', 7)]);
 * ```
 */
export function createHub(options: HubOptions = {}): Hub {
  return createHubWith(platformEnv(), options);
}

/** Creates a hub with another environment, such as simulated time. */
export function createHubWith(world: HubEnv, options: HubOptions = {}): Hub {
  const settings = readOptions(options);
  const recorder = createRecorder({ now: () => world.now(), log: guardedLog(world, options.log) });
  const env: HubEnv = { ...world, log: recorder.log };
  const { heartbeatMs, limits, replay } = settings;
  const node: BackplaneNode = { env, replay };
  const link = (options.backplane ?? memoryBackplane()).connect(node);
  const traffic: Traffic = { connects: 0, deliveries: 0, bytes: 0, destroyed: 0 };
  const refusals: Record<string, number> = {};
  let emits = 0;
  let emitErrors = 0;
  const outboxes = outboxHost();
  let replayHits = 0;
  let replayMisses = 0;
  let lagMs = 0;
  let closing: Promise<void> | null = null;
  const work = workHost();

  const schedule = createSchedule<Connection | Channel>(env, (item, now) => {
    if (item.kind === 'connection') connections.onDeadline(item, now);
    else channels.expire(item);
  });
  const fanout = createFanout(env, traffic, replay, (subscription, now) =>
    connections.serve(subscription, now),
  );
  const channels = createChannels({
    link,
    replay,
    heartbeatMs,
    now: () => env.now(),
    schedule,
    onNews,
    onEnd: ({ audience }) => void endStreams({ audience }),
  });
  const keyLimits = createKeyLimits({
    maxConnections: limits.maxConnectionsPerKey,
    maxConnectsPerMinute: limits.maxConnectsPerMinutePerKey,
    replayBytesPerMinute: replay.maxBytes * replaysPerMinute,
  });
  const connections = createConnections({
    env,
    traffic,
    schedule,
    heartbeatMs,
    maxAgeMs: settings.maxAgeMs,
    stallMs: limits.stallMs,
    maxPerClient: limits.maxConnectionsPerClient,
    onReplayed: keyLimits.charge,
    onLeave: (channel) => channels.left(channel),
    onGone: ({ key }) => admission.free(key),
    recover,
  });
  const revocations = createRevocations({ link, env }, endStreams);
  const admission = createAdmission({
    env,
    channels,
    limits,
    keyLimits,
    authorize: settings.authorize,
    connectionKey: settings.connectionKey,
    rules: { params: settings.params, maxAudiences: limits.maxAudiencesPerConnection },
    revocationsReady: revocations.ready,
    catchUp: (start) => catchUp(start, link, env),
    onRefusal(code: RefusalCode) {
      refusals[code] = (refusals[code] ?? 0) + 1;
    },
  });
  const appendQueue = createAppendQueue({
    link,
    replay,
    whenRead(audience, seq) {
      const channel = channels.get(audience);
      return channel === undefined || channel.subscribers.size === 0 ? null : whenAt(channel, seq, env);
    },
    pace(audience) {
      const channel = channels.get(audience);
      return channel === undefined ? null : fanout.pace(channel);
    },
  });
  const handlerNeeds = {
    admission,
    connections,
    responseHeaders: createResponseHeaders(settings),
    log: env.log,
  };

  function onNews(channel: Channel, entries: readonly LogEntry[]): void {
    const newest = entries.at(-1);
    if (newest !== undefined) lagMs = Math.max(0, link.now() - newest.at);
    if (settings.admin !== undefined) recorder.record(channel.audience, entries);
    fanout.announce(channel, entries);
  }

  function endStreams(filter: StreamFilter): number {
    admission.revoke(filter);
    return connections.endMatching((connection) =>
      matches(filter, connection, (audience) =>
        connection.subscriptions.some(({ channel }) => channel.audience === audience),
      ),
    );
  }

  function recover({ channel, cursor }: AudienceStart): Recovery {
    const ring = channel.ring();
    if (ring === null) return { from: 0, recovered: false }; // Streams begin only after the channel was read.
    const now = link.now();
    ring.trim(now);
    const recovery = judgeCursor(ring, cursor, now);
    if (cursor.lastSeq !== null || cursor.sinceMs !== null) {
      if (recovery.recovered) replayHits += 1;
      else replayMisses += 1;
    }
    return recovery;
  }

  /** A call that waits for the backplane. `close` lets it finish first. */
  function confirmed<T>(call: Promise<T>): Promise<T> {
    addWork(work, call);
    return call;
  }

  async function emit(
    directives: readonly DirectiveInput[],
    emitOptions?: EmitOptions,
  ): Promise<Directive[]> {
    try {
      return await confirmed(appendList(directives, emitOptions));
    } catch (error) {
      emitErrors += 1;
      throw error;
    }
  }

  async function appendList(
    directives: readonly DirectiveInput[],
    emitOptions?: EmitOptions,
  ): Promise<Directive[]> {
    if (isClosed(work)) throw new Error('[edict] emit: the hub is closed.');
    // Synchronous until the append, so that overlapping calls append in the order in which they were made (D-HUB-5).
    const list = readDirectives(directives, limits.maxDirectivesPerEnvelope);
    const destination = readDestination(emitOptions);
    const completed = completeList(list, destination, () => env.newId(), limits.maxEnvelopeBytes);
    if (completed.items.length === 0) return [];
    const appended = await appendQueue.append(completed.items);
    emits += 1;
    return completed.finish(appended);
  }

  async function readCursor(audience = DEFAULT_AUDIENCE): Promise<{ audience: string; seq: number }> {
    if (!isName(audience))
      throw new TypeError(`[edict] cursor: audience must have ${nameRule}, not ${shown(audience)}.`);
    if (isClosed(work)) throw new Error('[edict] cursor: the hub is closed.');
    try {
      return { audience, seq: await confirmed(link.position(audience)) };
    } catch (error) {
      throw new Error(
        `[edict] cursor: the position of audience ${shown(audience)} cannot be read at the moment. Try again.`,
        { cause: error },
      );
    }
  }

  function metrics(): HubMetrics {
    const { audiences, healthy } = link.status();
    const outbox = outboxMetrics(outboxes);
    return {
      connections: connections.count(),
      connects: traffic.connects,
      emits,
      emitErrors,
      deliveries: traffic.deliveries,
      bytes: traffic.bytes,
      stalled: connections.stalled(stalledAfterMs),
      destroyed: traffic.destroyed,
      replayHits,
      replayMisses,
      refusals: { ...refusals },
      audiences,
      backplane: { healthy, lagMs },
      ...(outbox === null ? {} : { outbox }),
    };
  }

  async function shutDown(retryMs: readonly [number, number]): Promise<void> {
    admission.close();
    let timer: unknown = null;
    const deadline = new Promise<void>((done) => (timer = env.setTimeout(done, closeMs)));
    const drained = connections
      .endAll(retryMs, drainMs)
      .then(() => closeWork(work))
      .then(() => link.close());
    await Promise.race([drained, deadline]);
    env.clearTimeout(timer);
    schedule.stop();
  }

  return {
    ...outboxes, // Not part of the type: only a relay uses it, and only a middleware uses the next one.
    ...work,
    emit,
    cursor: readCursor,
    disconnect(filter) {
      if (isClosed(work)) return Promise.reject(new Error('[edict] disconnect: the hub is closed.'));
      return confirmed(revocations.disconnect(filter));
    },
    nodeHandler: createNodeHandler(handlerNeeds),
    fetchHandler: createFetchHandler(handlerNeeds),
    adminHandler: createAdminHandler(settings.admin, env, () =>
      takeSnapshot(
        env.now(),
        metrics(),
        { connections: connections.all(), channels: channels.all() },
        recorder,
      ),
    ),
    metrics,
    prometheus: () => prometheusText(metrics()),
    close(closeOptions) {
      try {
        const retryMs = readRetry(closeOptions);
        return (closing ??= shutDown(retryMs));
      } catch (error) {
        return Promise.reject(error as Error); // Only `readRetry` throws.
      }
    },
  };
}

/** Reads the options of `close`. Throws a `TypeError` that names what is wrong. */
function readRetry(options: unknown): readonly [number, number] {
  const { retryMs = closeRetryMs } = membersOf(options ?? {}, ['retryMs'], 'close');
  if (isRange(retryMs)) return retryMs;
  const given = Array.isArray(retryMs) ? `[${retryMs.join(', ')}]` : shown(retryMs);
  throw new TypeError(`[edict] close: retryMs must be [min, max] in milliseconds, 0 or more, not ${given}.`);
}

const isRange = (value: unknown): value is readonly [number, number] =>
  Array.isArray(value) &&
  value.length === 2 &&
  value.every(Number.isFinite) &&
  value[0] >= 0 &&
  value[1] >= value[0];
