// Appends lists in the order of the calls, and reports which of them were stored.

import type { Appended, ReplayLimits } from '../log/backplane.ts';
import type { HubEnv } from '../env.ts';
import { createGrouping } from './grouping.ts';
import type { HighestSeq } from './highestSeq.ts';
import type { ReconnectingClient } from './reconnectingClient.ts';
import type { RedisClock } from './redisClock.ts';
import { listOf, numberOf } from './replies.ts';
import { createRetryQueue } from './retryQueue.ts';
import { begins, safeError } from './safeError.ts';
import { isMissingScript, type ScriptCall, type ScriptRunner } from './scriptRunner.ts';
import { appendScript } from './scripts.ts';
import type { WorkHealth } from './workHealth.ts';

/** One payload for one log. */
export interface KeyedPayload {
  readonly key: string;
  readonly payload: string;
}

/** Appends lists. */
export interface Appending {
  /** Appends a list in one step. Rejects with an error that says "not confirmed". */
  readonly append: (items: readonly KeyedPayload[]) => Promise<readonly Appended[]>;
  /**
   * Appends to the log of this node, and resolves to the sequence number. The result shows whether Redis accepts
   * appends.
   */
  readonly probe: () => Promise<number>;
}

/** The collaborators of appending. */
export interface AppendingNeeds {
  readonly env: HubEnv;
  readonly client: ReconnectingClient;
  readonly scripts: ScriptRunner;
  readonly highestSeq: HighestSeq;
  readonly clock: RedisClock;
  /** Takes a sample of the clock of Redis. */
  readonly readClock: () => Promise<unknown>;
  readonly health: WorkHealth;
  readonly replay: ReplayLimits;
  readonly timeoutMs: number;
  readonly ownKey: string;
}

/** A deadline that is never reached, in microseconds. */
const never = Number.MAX_SAFE_INTEGER;

/** Creates the part that appends. */
export function createAppending(needs: AppendingNeeds): Appending {
  const { env, client, scripts, highestSeq, clock, health, replay, timeoutMs, ownKey } = needs;
  const sendInOrder = createRetryQueue();

  function callFor(
    items: readonly KeyedPayload[],
    limits: ReplayLimits,
    deadlineMicros: () => number,
  ): ScriptCall {
    const keys = [...new Set(items.map(({ key }) => key))];
    const indexes = new Map(keys.map((key, index) => [key, index + 1]));
    const payloads = items.flatMap(({ key, payload }) => [indexes.get(key) ?? 0, payload]);
    const { maxEnvelopes, maxAgeMs, maxBytes } = limits;
    return {
      script: appendScript,
      keys,
      args: () => [
        maxEnvelopes,
        maxAgeMs * 1000,
        maxBytes,
        deadlineMicros(),
        ...keys.map(highestSeq.of),
        ...payloads,
      ],
    };
  }

  function readAppended(items: readonly KeyedPayload[], reply: unknown): readonly Appended[] {
    const numbers = listOf(reply);
    return items.map(({ key }, index) => {
      const seq = numberOf(numbers[index * 2]);
      highestSeq.note(key, seq);
      health.succeed(key);
      return { seq, at: Math.floor(numberOf(numbers[index * 2 + 1]) / 1000) };
    });
  }

  /** Removes the cause for which Redis refused a list without storing it. Returns null for other errors. */
  function repair(error: unknown, tookMs: number): Promise<unknown> | null {
    if (isMissingScript(error)) return client.run('SCRIPT', ['LOAD', appendScript.text]);
    // A list that expired within a short time means that this node's clock was set back since the last sample.
    return begins(error, 'EXPIRED') && tookMs < timeoutMs / 4 ? needs.readClock() : null;
  }

  async function append(items: readonly KeyedPayload[]): Promise<readonly Appended[]> {
    let startedAt = 0;
    const deadline = (): number => Math.floor((startedAt + timeoutMs + clock.aheadAtLeast()) * 1000);
    const call = callFor(items, replay, deadline);
    function send(): Promise<unknown> {
      startedAt = env.now();
      return scripts.runOnce(call);
    }
    try {
      const reply = await sendInOrder({ send, repair: (error) => repair(error, env.now() - startedAt) });
      return readAppended(items, reply);
    } catch (error) {
      const reason = safeError(error);
      if (reason.isRefusal) for (const key of call.keys) health.fail(key, reason);
      throw new Error(
        `[edict] redisBackplane: the directives are not confirmed, so they may or may not have been sent. ${reason.message}`,
        { cause: reason },
      );
    }
  }

  return {
    append: createGrouping(env, append),
    async probe() {
      const items = [{ key: ownKey, payload: '' }];
      const limits = { ...replay, maxEnvelopes: 1 };
      try {
        const [probe] = readAppended(items, await scripts.run(callFor(items, limits, () => never)));
        return probe?.seq ?? 0;
      } catch (error) {
        const reason = safeError(error);
        if (reason.isRefusal) health.fail(ownKey, reason);
        throw reason;
      }
    },
  };
}
