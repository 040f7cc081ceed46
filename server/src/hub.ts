// Wires the parts of a hub together; the operations of api.md.

import type { Directive } from '@edict/core';
import { DEFAULT_AUDIENCE } from '@edict/core/protocol';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createAdmission } from './subscribe/admission.ts';
import { createAppendQueue } from './emit/appendQueue.ts';
import type { BackplaneNode } from './log/backplane.ts';
import { catchUp } from './subscribe/catchUp.ts';
import type { Channel } from './deliver/channel.ts';
import { createChannels } from './deliver/channels.ts';
import type { Connection, Traffic } from './deliver/connection.ts';
import { createConnections } from './deliver/connections.ts';
import { readDirectives } from './emit/directiveList.ts';
import { guardedLog, platformEnv, type HubEnv } from './env.ts';
import { createFanout } from './deliver/fanout.ts';
import { shown } from './optionErrors.ts';
import { createFetchHandler } from './http/fetchHandler.ts';
import { memoryBackplane } from './log/memoryBackplane.ts';
import { isName, nameRule } from './names.ts';
import { createNodeHandler } from './http/nodeHandler.ts';
import { outboxHost, outboxMetrics, prometheusText, type HubMetrics } from './metrics.ts';
import { readOptions, type HubOptions } from './options.ts';
import { judgeCursor, type Recovery } from './subscribe/recovery.ts';
import type { RefusalCode } from './subscribe/refusal.ts';
import { createSchedule } from './deliver/schedule.ts';
import { readDestination, stamp } from './emit/envelope.ts';

/** A directive as `emit` takes it: the names that the application registered are checked (D-REACT-9). */
export type DirectiveInput = Directive;

/** Where a list of directives goes and who caused it. */
export interface EmitOptions {
  /**
   * Who gets it; a directive whose own `audience` is none of these rejects the call. Without it each directive's own `audience`, else
   * `global`.
   */
  audience?: string | readonly string[] | null | undefined;
  /** The id of the client whose request caused it, from `directiveRequest`; that client ignores the copy on its stream. */
  source?: string | null | undefined;
}

/** Numbers, stores, replays and fans out directives. Every operation is bound and can be destructured. */
export interface Hub {
  /**
   * Validates, stamps with `audience`, `seq`, `source` and a missing `idempotency_key`, and delivers. Resolves to the stamped list, one
   * directive for each audience, which a mutation handler answers with as `directives` (D-HUB-1).
   *
   * Lists are appended in the order of the calls. One that would leave the subscribers far behind waits until they were served (D-HUB-3).
   *
   * Rejects with a `TypeError` that names the path of the fault (`directives[1].targets[0].id`), and then sends nothing (D-HUB-5).
   * Rejects with an error that says "not confirmed" when the backplane does not answer: the directives may or may not have gone out; repeat
   * with the same `idempotency_key`s.
   *
   * An inline `result` is only safe when the emits for one record are made in the order of their commits, as the outbox does.
   */
  readonly emit: (directives: readonly DirectiveInput[], options?: EmitOptions) => Promise<Directive[]>;
  /**
   * Serves the stream with node:http, Express and Fastify (`reply.raw` after `reply.hijack()`). A request that gets none is answered with
   * JSON, `{ error: { code, message } }`, and 400, 403, 405, 413, 429 or 503 (D-HUB-2).
   */
  readonly nodeHandler: (req: IncomingMessage, res: ServerResponse) => void;
  /** Serves the stream with Hono, Bun, Deno and workers; as `nodeHandler`. */
  readonly fetchHandler: (request: Request) => Promise<Response>;
  /**
   * The place in an audience's sequence, default `global`. For server rendering: read it before the data and dehydrate with it. Rejects when the
   * backplane is away.
   */
  readonly cursor: (audience?: string) => Promise<{
    /** Whose sequence. */
    audience: string;
    /** The number of its newest envelope. */
    seq: number;
  }>;
  /** The counters since the start and the current values. */
  readonly metrics: () => HubMetrics;
  /** The metrics in the Prometheus text format: respond with it as `text/plain; version=0.0.4`. */
  readonly prometheus: () => string;
  /**
   * Refuses newcomers, ends every stream with a `retry:` spread over `retryMs` (milliseconds, default 500 to 5000), and resolves within 5 s (D-HUB-6).
   * May be called in the same turn as `server.close()`.
   */
  readonly close: (options?: { retryMs?: readonly [min: number, max: number] }) => Promise<void>;
}

const stalledAfterMs = 1000;
const closeRetryMs = [500, 5000] as const;
/** Of the 5 s that `close` may take, the streams have 4; the backplane has the rest. */
const drainMs = 4000;
const closeMs = 4800;

/**
 * Creates a hub. Throws a `TypeError` that names a wrong option.
 *
 * ```ts
 * import { createServer } from 'node:http';
 * import { refreshItem } from '@edict/core/protocol';
 * import { createHub, directiveRequest } from '@edict/server';
 *
 * const hub = createHub();
 * createServer(async (request, response) => {
 *   if (request.url?.startsWith('/api/events')) return hub.nodeHandler(request, response);
 *   // Change ticket 7, then say so: to everybody on the stream, and to the sender in this answer.
 *   const { clientId } = directiveRequest(request);
 *   const directives = await hub.emit([refreshItem('ticket', 7)], { source: clientId });
 *   response.setHeader('content-type', 'application/json').end(JSON.stringify({ ok: true, directives }));
 * }).listen(3000);
 * ```
 */
export function createHub(options: HubOptions = {}): Hub {
  return createHubWith(platformEnv(), options);
}

/** A hub in a world of its own, such as one with simulated time. */
export function createHubWith(world: HubEnv, options: HubOptions = {}): Hub {
  const settings = readOptions(options);
  const env: HubEnv = { ...world, log: guardedLog(world, options.log) };
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
  let closed: Promise<void> | null = null;

  const schedule = createSchedule<Connection | Channel>(env, (item, now) => {
    if (item.kind === 'connection') connections.tend(item, now);
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
    onNews(channel, entries) {
      const newest = entries.at(-1);
      if (newest !== undefined) lagMs = Math.max(0, link.now() - newest.at);
      fanout.announce(channel, entries);
    },
    endStreams: (channel) => connections.endSubscribers(channel),
  });
  const connections = createConnections({
    env,
    traffic,
    schedule,
    heartbeatMs,
    maxAgeMs: settings.maxAgeMs,
    stallMs: limits.stallMs,
    onLeave: (channel) => channels.left(channel),
    onGone: (clientId) => admission.free(clientId),
    recover({ channel, ask }): Recovery {
      const ring = channel.ring();
      if (ring === null) return { from: 0, recovered: false }; // A seat is only given once the channel was read.
      const now = link.now();
      ring.trim(now);
      const recovery = judgeCursor(ring, ask, now);
      if (ask.lastSeq !== null || ask.sinceMs !== null) {
        if (recovery.recovered) replayHits += 1;
        else replayMisses += 1;
      }
      return recovery;
    },
  });
  const admission = createAdmission({
    env,
    channels,
    limits,
    authorize: settings.authorize,
    rules: { params: settings.params, maxAudiences: limits.maxAudiencesPerConnection },
    catchUp: ({ channel, ask }) => catchUp(channel, ask.lastSeq ?? Number.NaN, link, env),
    onRefusal(code: RefusalCode) {
      refusals[code] = (refusals[code] ?? 0) + 1;
    },
  });
  const appendQueue = createAppendQueue(link, replay, (audience) => {
    const channel = channels.get(audience);
    return channel === undefined ? null : fanout.pace(channel);
  });
  const door = { admission, connections, cors: settings.cors, log: env.log };

  async function emit(
    directives: readonly DirectiveInput[],
    emitOptions?: EmitOptions,
  ): Promise<Directive[]> {
    try {
      return await appendList(directives, emitOptions);
    } catch (error) {
      emitErrors += 1;
      throw error;
    }
  }

  async function appendList(
    directives: readonly DirectiveInput[],
    emitOptions?: EmitOptions,
  ): Promise<Directive[]> {
    if (closed !== null) throw new Error('emit: the hub is closed.');
    // All of this is synchronous: calls that overlap append in the order in which they were made (D-HUB-5).
    const list = readDirectives(directives, limits.maxDirectivesPerEnvelope);
    const destination = readDestination(emitOptions);
    const stamped = stamp(list, destination, () => env.newId(), limits.maxEnvelopeBytes);
    if (stamped.items.length === 0) return [];
    const appended = await appendQueue.append(stamped.items);
    emits += 1;
    return stamped.finish(appended);
  }

  async function cursor(audience = DEFAULT_AUDIENCE): Promise<{ audience: string; seq: number }> {
    if (!isName(audience))
      throw new TypeError(`cursor: audience must have ${nameRule}, not ${shown(audience)}.`);
    return { audience, seq: await link.position(audience) };
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
    const drained = connections.endAll(retryMs, drainMs).then(() => link.close());
    await Promise.race([drained, deadline]);
    env.clearTimeout(timer);
    schedule.clear();
  }

  return {
    ...outboxes, // Not part of the type: only a relay uses it.
    emit,
    cursor,
    nodeHandler: createNodeHandler(door),
    fetchHandler: createFetchHandler(door),
    metrics,
    prometheus: () => prometheusText(metrics()),
    close(closeOptions) {
      const { retryMs = closeRetryMs } = closeOptions ?? {};
      const fault = faultOfRetry(retryMs);
      if (fault !== null) return Promise.reject(fault);
      closed ??= shutDown(retryMs);
      return closed;
    },
  };
}

/** What is wrong with the range of `close`, or null. */
function faultOfRetry(retryMs: readonly [number, number]): TypeError | null {
  const isRange =
    Array.isArray(retryMs) &&
    retryMs.length === 2 &&
    retryMs.every(Number.isFinite) &&
    retryMs[0] >= 0 &&
    retryMs[1] >= retryMs[0];
  if (isRange) return null;
  const given = Array.isArray(retryMs) ? `[${retryMs.join(', ')}]` : shown(retryMs);
  return new TypeError(`close: retryMs must be [min, max] in milliseconds, 0 or more, not ${given}.`);
}
