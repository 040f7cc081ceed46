// Checks at short intervals that Redis works for this node. Each check appends to the node's own log, compares
// each log with the entries that were read from it, and keeps the logs from expiring. So the node notices a loss,
// or refused appends or reads, within 5 s (D-HUB-7).

import type { HubEnv } from '../env.ts';
import type { HighestSeq } from './highestSeq.ts';
import type { RedisClock } from './redisClock.ts';
import { idOf, listOf, numberOf, positionOf } from './replies.ts';
import { RedisError, safeError } from './safeError.ts';
import type { ScriptRunner } from './scriptRunner.ts';
import { checkScript } from './scripts.ts';
import type { StreamReaders } from './streamReaders.ts';
import type { WorkHealth } from './workHealth.ts';

/** The checks of one node. */
export interface LogChecks {
  /** Checks now, and schedules the next check. */
  readonly run: () => Promise<void>;
  readonly close: () => void;
}

/** The collaborators of the checks. */
export interface LogChecksNeeds {
  readonly env: HubEnv;
  readonly scripts: ScriptRunner;
  readonly readers: StreamReaders;
  readonly highestSeq: HighestSeq;
  readonly clock: RedisClock;
  readonly appends: WorkHealth;
  readonly reads: WorkHealth;
  /** Appends to the log of the node and resolves to the sequence number. */
  readonly probe: () => Promise<number>;
  readonly ownKey: string;
}

const intervalMs = 1500;
const keysAtOnce = 100;

/** Creates the checks. The first one runs when `run` is called. */
export function createLogChecks(needs: LogChecksNeeds): LogChecks {
  const { env, readers, highestSeq, clock, appends, reads, ownKey } = needs;
  let isRunning = false;
  let isClosed = false;
  let timer: unknown = null;
  /** The entry of the previous check. A blocking read must have returned it by now. */
  let probeSeq = 0;
  let unreadProbes = 0;

  /** A confirmed entry that is gone before this node has read it was lost, as when a lagging replica takes over. */
  function newestKnown(key: string): string {
    const position = readers.get(key)?.position() ?? { seq: 0, micros: 0 };
    const seq = highestSeq.of(key);
    return idOf(seq > position.seq ? { seq, micros: 0 } : position);
  }

  /** `accepted`: Redis accepts appends to these keys if they contain logs. */
  async function checkLogs(keys: readonly string[], accepted: ReadonlySet<string>): Promise<void> {
    const startedAt = env.now();
    const call = { script: checkScript, keys, args: () => keys.map(newestKnown) };
    const [micros, ids] = listOf(await needs.scripts.run(call));
    clock.sample(startedAt, env.now(), numberOf(micros));
    for (const [index, id] of listOf(ids).entries()) {
      const key = keys[index] ?? '';
      const reader = readers.get(key);
      if (id === '') reader?.setAside();
      else {
        reader?.compare(positionOf(id));
        if (accepted.has(key)) appends.succeed(key);
      }
    }
  }

  /**
   * Blocking reads return an entry within milliseconds. If two checks do not find the entry, blocking reads do not
   * work.
   */
  function checkReads(): void {
    unreadProbes = readers.ownSeq() >= probeSeq ? 0 : unreadProbes + 1;
    if (unreadProbes === 0) reads.succeed('probe');
    else if (unreadProbes > 1) reads.fail('probe', new RedisError('Blocking reads return no new entries.'));
  }

  async function check(): Promise<void> {
    // An append that is refused after the probe must not count as accepted because of it.
    const refused = new Set(appends.failing());
    // When the probe is refused, the logs can still be checked.
    const probed = await needs.probe().catch(() => 0);
    const accepted = probed > 0 ? refused : new Set<string>();
    const followed = Array.from(readers.all()).flatMap(({ key, position }) =>
      position() === null ? [] : [key],
    );
    const keys = [...new Set([...followed, ...refused])].filter((key) => key !== ownKey);
    for (let from = 0; from < keys.length; from += keysAtOnce)
      await checkLogs(keys.slice(from, from + keysAtOnce), accepted);
    for (const reader of readers.all()) reader.retry();
    checkReads();
    probeSeq = probed;
    reads.succeed('check');
  }

  function failed(reason: RedisError): void {
    if (isClosed) return;
    env.log('debug', 'The logs could not be checked. The next check tries again.', reason);
    if (!reason.isRefusal) return;
    reads.fail('check', reason);
    if (!reads.failing().has('XREAD')) return;
    // Neither way of reading works. Clients must not show old data as fresh, so their streams end.
    for (const reader of readers.all()) reader.endUnlessReadable();
  }

  async function run(): Promise<void> {
    if (isRunning || isClosed) return;
    isRunning = true;
    if (timer !== null) env.clearTimeout(timer);
    timer = null;
    try {
      await check();
    } catch (error) {
      failed(safeError(error));
    } finally {
      isRunning = false;
      if (!isClosed) timer ??= env.setTimeout(() => void run(), intervalMs);
    }
  }

  return {
    run,
    close() {
      isClosed = true;
      if (timer !== null) env.clearTimeout(timer);
    },
  };
}
