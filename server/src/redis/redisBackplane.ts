// Numbers and logs that several nodes share: Redis Streams (D-HUB-7). PUB/SUB carries nothing here, because what it
// delivers while a link is down is lost.

import type { Appended, AppendItem, Backplane, BackplaneLink, BackplaneNode } from '../log/backplane.ts';
import { createOrder } from './inOrder.ts';
import { createLine, type Args, type RedisConnection } from './line.ts';
import { readRedisOptions, type RedisBackplaneOptions, type RedisSettings } from './options.ts';
import { idOf, listOf, numberOf, readPicture } from './replies.ts';
import { createRedisClock } from './redisClock.ts';
import { appendScript, checkScript, pictureScript, positionScript, scripts, type Script } from './scripts.ts';
import { createSeen } from './seen.ts';
import { createStreamReaders, type AudiencePlace } from './streamReaders.ts';

/** Every node looks so often whether the logs that it reads are still there: a loss is told within 5 s. */
const checkEveryMs = 1500;
/** A log that is read is kept by those checks; this is for one that comes late. */
const expirySlackMs = 5000;
const keysAtOnce = 100;
const readerLingerMs = 30_000;
/** No log has got as far: whoever has seen this has it made anew. */
const beyondAll = idOf({ seq: Number.MAX_SAFE_INTEGER, micros: 0 });

/** By its first word. */
const begins = (error: unknown, word: string): boolean =>
  error instanceof Error && error.message.startsWith(word);

/** Somebody flushed the scripts after they were loaded; nothing was run. */
const wasFlushed = (error: unknown): boolean => begins(error, 'NOSCRIPT');

/**
 * A backplane for several processes, on Redis Streams. Redis 6.2 or newer, or Valkey; needs `ioredis` 5 or 6. All hubs that share
 * it use the same `keyPrefix` and the same `replay`. While Redis is away `emit` rejects within `timeoutMs` with an error that
 * says "not confirmed", connected clients stay, and new audiences are answered 503 (D-HUB-7).
 *
 * Throws a `TypeError` that names a wrong option.
 */
export function redisBackplane(options: RedisBackplaneOptions): Backplane {
  const settings = readRedisOptions(options);
  return { connect: (node) => connectRedis(node, settings) };
}

function connectRedis({ env, replay }: BackplaneNode, settings: RedisSettings): BackplaneLink {
  const { make, keyPrefix, timeoutMs } = settings;
  const seen = createSeen(env, replay.maxAgeMs);
  const keyOf = (audience: string): string => `${keyPrefix}a:${audience}`;
  const wakeKey = `${keyPrefix}w:${env.newId()}`;
  const expiryMs = Math.ceil(replay.maxAgeMs) + expirySlackMs; // Redis takes whole ones only.
  const clock = createRedisClock();
  const inOrder = createOrder();
  let isClosed = false;
  let isChecking = false;
  let timer: unknown = null;

  const commands = createLine({
    env,
    timeoutMs,
    purpose: 'commands',
    make,
    async prepare(connection: RedisConnection) {
      await Promise.all(scripts.map(({ text }) => connection.call('SCRIPT', ['LOAD', text])));
      await readClock((command) => connection.call(command, []));
    },
    onUp: () => void check(),
  });
  const reading = createLine({ env, timeoutMs, purpose: 'reading', make });
  const readers = createStreamReaders({
    env,
    line: reading,
    keyOf,
    wakeKey,
    async wake() {
      // Sent together: a process that ends between the two would leave its key for ever.
      await Promise.all([
        commands.run('XADD', [wakeKey, 'MAXLEN', 1, '*', 'w', 1]),
        commands.run('PEXPIRE', [wakeKey, expiryMs]),
      ]);
    },
    async picture(audience) {
      const startedAt = env.now();
      const reply = await evaluate(pictureScript, [keyOf(audience)], () => [seen.of(audience)]);
      clock.sample(startedAt, env.now(), readPicture(reply).micros);
      return reply;
    },
    renew: (audience) => evaluate(checkScript, [keyOf(audience)], () => [beyondAll]),
    note: seen.note,
  });

  async function readClock(run: (command: 'TIME') => Promise<unknown>): Promise<void> {
    const startedAt = env.now();
    const [seconds, micros] = listOf(await run('TIME'));
    clock.sample(startedAt, env.now(), numberOf(seconds) * 1_000_000 + numberOf(micros));
  }

  /** The arguments are asked for when Redis is connected: some are by its clock. */
  function run(
    command: 'EVALSHA' | 'EVAL',
    { sha, text }: Script,
    keys: string[],
    args: () => Args,
  ): Promise<unknown> {
    return commands.run(command, () => {
      const nodeMicros = Math.floor(env.now() * 1000);
      const head = [command === 'EVAL' ? text : sha, keys.length, ...keys];
      return [...head, nodeMicros, seen.highest(), expiryMs, ...args()];
    });
  }

  async function evaluate(script: Script, keys: string[], args: () => Args): Promise<unknown> {
    try {
      return await run('EVALSHA', script, keys, args);
    } catch (error) {
      if (!wasFlushed(error)) throw error;
      return run('EVAL', script, keys, args);
    }
  }

  /** What was confirmed but is lost before it was read, as with a master whose replica lagged behind, is a loss too. */
  const newestKnown = ({ audience, place }: AudiencePlace): string => {
    const number = seen.of(audience);
    return idOf(number > place.seq ? { seq: number, micros: 0 } : place);
  };

  /** Keeps what is read, and finds out what was lost: a log made anew reaches the readers by itself. */
  async function check(): Promise<void> {
    if (isChecking || isClosed) return;
    isChecking = true;
    if (timer !== null) env.clearTimeout(timer);
    timer = null;
    try {
      const places = readers.places();
      for (let from = 0; from === 0 || from < places.length; from += keysAtOnce) {
        const some = places.slice(from, from + keysAtOnce);
        const startedAt = env.now();
        const keys = some.map(({ audience }) => keyOf(audience));
        const reply = listOf(await evaluate(checkScript, keys, () => some.map(newestKnown)));
        clock.sample(startedAt, env.now(), numberOf(reply[0]));
        for (const place of listOf(reply[1])) readers.leaveOut(some[numberOf(place) - 1]?.audience ?? '');
      }
      readers.mend();
    } catch (error) {
      env.log('debug', 'The logs could not be checked; it is done again.', error);
    } finally {
      isChecking = false;
      if (!isClosed) timer ??= env.setTimeout(() => void check(), checkEveryMs);
    }
  }

  /** What helps a list that Redis did not store; null where nothing does. */
  function mend(error: unknown, tookMs: number): Promise<unknown> | null {
    if (wasFlushed(error)) return commands.run('SCRIPT', ['LOAD', appendScript.text]);
    // It was too late though it came soon: this node's clock was set back since it was held against that of Redis.
    const isClock = begins(error, 'EXPIRED') && tookMs < timeoutMs / 4;
    return isClock ? readClock((command) => commands.run(command, [])) : null;
  }

  async function append(items: readonly AppendItem[]): Promise<readonly Appended[]> {
    const audiences = [...new Set(items.map(({ audience }) => audience))];
    const places = new Map(audiences.map((audience, index) => [audience, index + 1]));
    const payloads = items.flatMap(({ audience, payload }) => [places.get(audience) ?? 0, payload]);
    const { maxEnvelopes, maxAgeMs, maxBytes } = replay;
    let startedAt = 0;
    /** Redis stores nothing of it after the moment when this node gives up. */
    const store = (): Promise<unknown> => {
      startedAt = env.now();
      const givenUpAt = startedAt + timeoutMs;
      return run('EVALSHA', appendScript, audiences.map(keyOf), () => [
        maxEnvelopes,
        maxAgeMs * 1000,
        maxBytes,
        Math.floor((givenUpAt + clock.aheadAtLeast()) * 1000),
        ...audiences.map(seen.of),
        ...payloads,
      ]);
    };
    try {
      const numbers = listOf(
        await inOrder({ send: store, mend: (error) => mend(error, env.now() - startedAt) }),
      );
      return items.map(({ audience }, index) => {
        const seq = numberOf(numbers[index * 2]);
        seen.note(audience, seq);
        return { seq, at: Math.floor(numberOf(numbers[index * 2 + 1]) / 1000) };
      });
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw new Error(`The directives are not confirmed: they may or may not have gone out. ${reason}`, {
        cause: error,
      });
    }
  }

  return {
    lingerMs: readerLingerMs,
    append,
    open: readers.open,
    async position(audience) {
      const seq = numberOf(await evaluate(positionScript, [keyOf(audience)], () => [seen.of(audience)]));
      seen.note(audience, seq);
      return seq;
    },
    now: () => env.now() + clock.ahead(),
    status: () => ({ healthy: commands.isHealthy() && reading.isHealthy(), audiences: readers.count() }),
    close() {
      isClosed = true;
      if (timer !== null) env.clearTimeout(timer);
      readers.close();
      reading.close();
      commands.close();
      return Promise.resolve();
    },
  };
}
