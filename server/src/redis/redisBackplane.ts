// Connects a hub to the logs that several nodes share: Redis Streams (D-HUB-7). PUB/SUB is not used, because it loses what
// is published while a connection is down.

import { controlAudience, type Backplane, type BackplaneLink, type BackplaneNode } from '../log/backplane.ts';
import { createAppending } from './appending.ts';
import { createHighestSeq } from './highestSeq.ts';
import { createKeys } from './keys.ts';
import { createLogChecks } from './logChecks.ts';
import { readRedisOptions, type RedisBackplaneOptions, type RedisSettings } from './options.ts';
import { createReconnectingClient } from './reconnectingClient.ts';
import { createRedisClock } from './redisClock.ts';
import { idOf, listOf, numberOf } from './replies.ts';
import { createScriptRunner } from './scriptRunner.ts';
import { checkScript, positionScript, readScript, scripts } from './scripts.ts';
import { createStreamReaders } from './streamReaders.ts';
import { createWorkHealth } from './workHealth.ts';

/** The checks keep the logs that are being read. This is the margin for a late check. */
const expiryMarginMs = 5000;
const readerLingerMs = 30_000;
/** No log has reached this entry. A check with it creates the log again. */
const beyondAll = idOf({ seq: Number.MAX_SAFE_INTEGER, micros: 0 });

/**
 * Returns a backplane for several processes, on Redis Streams. It needs Redis 6.2 or newer, or Valkey, and `ioredis` 5 or 6. All hubs
 * that share it use the same `keyPrefix` and the same `replay`. While Redis is away, `emit` rejects within `timeoutMs` with an error
 * that contains "not confirmed". Connected clients stay connected, and a subscriber of another audience gets 503.
 *
 * Throws a `TypeError` that names a wrong option. A URL of a Redis Cluster is refused when the hub connects: the log says so, and every
 * `emit` rejects.
 */
export function redisBackplane(options: RedisBackplaneOptions): Backplane {
  const settings = readRedisOptions(options);
  return { connect: (node) => connectRedis(node, settings) };
}

function connectRedis({ env, replay }: BackplaneNode, settings: RedisSettings): BackplaneLink {
  const { createConnection, timeoutMs } = settings;
  const keys = createKeys(settings.keyPrefix);
  const ownKey = keys.node(env.newId());
  const highestSeq = createHighestSeq(env, replay.maxAgeMs);
  const clock = createRedisClock();
  const appends = createWorkHealth(env, 'append', 'Emits are rejected.');
  const reads = createWorkHealth(env, 'read', 'The hub checks the logs at intervals instead.');

  const client = createReconnectingClient({
    env,
    timeoutMs,
    purpose: 'commands',
    createConnection,
    async prepare(connection) {
      await Promise.all(scripts.map(({ text }) => connection.call('SCRIPT', ['LOAD', text])));
      await readClock(() => connection.call('TIME', []));
    },
    onConnect: () => void checks.run(),
  });
  const readingClient = createReconnectingClient({ env, timeoutMs, purpose: 'reading', createConnection });

  const runner = createScriptRunner({
    env,
    client,
    highestSeq,
    expiryMs: Math.ceil(replay.maxAgeMs) + expiryMarginMs, // Redis accepts whole milliseconds only.
  });
  const appending = createAppending({
    env,
    client,
    scripts: runner,
    highestSeq,
    clock,
    readClock: () => readClock(() => client.run('TIME', [])),
    health: appends,
    replay,
    timeoutMs,
    ownKey,
  });
  const readers = createStreamReaders({
    env,
    now: () => env.now() + clock.ahead(),
    client: readingClient,
    highestSeq,
    ownKey,
    appendToOwnLog: appending.probe,
    health: reads,
    async readLog(key) {
      const startedAt = env.now();
      const reply = await runner.run({ script: readScript, keys: [key], args: () => [highestSeq.of(key)] });
      clock.sample(startedAt, env.now(), numberOf(listOf(reply)[0]));
      return reply;
    },
    recreate: (key) => runner.run({ script: checkScript, keys: [key], args: () => [beyondAll] }),
  });
  const checks = createLogChecks({
    env,
    scripts: runner,
    readers,
    highestSeq,
    clock,
    appends,
    reads,
    probe: appending.probe,
    ownKey,
  });

  async function readClock(readTime: () => Promise<unknown>): Promise<void> {
    const startedAt = env.now();
    const [seconds, micros] = listOf(await readTime());
    clock.sample(startedAt, env.now(), numberOf(seconds) * 1_000_000 + numberOf(micros));
  }

  const isHealthy = (): boolean =>
    client.isConnected() &&
    readingClient.isConnected() &&
    appends.failing().size === 0 &&
    reads.failing().size === 0 &&
    !readers.areSomeSetAside();

  return {
    lingerMs: readerLingerMs,
    append: (items) =>
      appending.append(items.map(({ audience, payload }) => ({ key: keys.audience(audience), payload }))),
    open: (audience, sink) => readers.open({ key: keys.audience(audience), name: nameOf(audience), sink }),
    async position(audience) {
      const key = keys.audience(audience);
      const reply = await runner.run({
        script: positionScript,
        keys: [key],
        args: () => [highestSeq.of(key)],
      });
      const seq = numberOf(reply);
      highestSeq.note(key, seq);
      return seq;
    },
    now: () => env.now() + clock.ahead(),
    status() {
      const isControlOpen = readers.get(keys.audience(controlAudience)) !== undefined;
      return { healthy: isHealthy(), audiences: readers.count() - Number(isControlOpen) };
    },
    close() {
      checks.close();
      readers.close();
      readingClient.close();
      client.close();
      return Promise.resolve();
    },
  };
}

/** Names a log in log lines. */
const nameOf = (audience: string): string =>
  audience === controlAudience ? 'revocations' : `audience ${JSON.stringify(audience)}`;
