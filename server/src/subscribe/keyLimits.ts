// Limits per `connectionKey` (D-HUB-2): open streams, connects per minute, and replayed bytes per minute.

/** What each key may use. Infinity means no limit. */
export interface KeyRules {
  readonly maxConnections: number;
  readonly maxConnectsPerMinute: number;
  readonly replayBytesPerMinute: number;
}

/** The limits of one hub. */
export interface KeyLimits {
  /** Counts a request, and returns the limit that it exceeds or null. A request above a limit is not counted. */
  readonly request: (key: string, now: number) => 'connects' | 'replay' | null;
  /** Whether the key may have one more stream. */
  readonly hasRoom: (key: string) => boolean;
  /** A stream was admitted. */
  readonly enter: (key: string) => void;
  /** An admitted stream is over. */
  readonly leave: (key: string) => void;
  /** The bytes that were replayed to a new stream. The next request pays for them. */
  readonly charge: (key: string, bytes: number) => void;
}

/** Allowances that refill continuously, at the rate of one full allowance a minute. */
interface Usage {
  streams: number;
  connectsLeft: number;
  bytesLeft: number;
  at: number;
}

const minuteMs = 60_000;

/** Creates the limits. A key that uses nothing is forgotten within two minutes. */
export function createKeyLimits(rules: KeyRules): KeyLimits {
  const usages = new Map<string, Usage>();
  let sweptAt = -Infinity;

  function refill(usage: Usage, now: number): void {
    const share = Math.max(0, now - usage.at) / minuteMs; // A clock that is set back refills nothing for a step.
    usage.at = now;
    usage.connectsLeft = refilled(usage.connectsLeft, rules.maxConnectsPerMinute, share);
    usage.bytesLeft = refilled(usage.bytesLeft, rules.replayBytesPerMinute, share);
  }

  function sweep(now: number): void {
    if (Math.abs(now - sweptAt) < minuteMs) return;
    sweptAt = now;
    for (const [key, usage] of usages) {
      refill(usage, now);
      if (usage.streams === 0 && isFull(usage)) usages.delete(key);
    }
  }

  const isFull = ({ connectsLeft, bytesLeft }: Usage): boolean =>
    connectsLeft >= rules.maxConnectsPerMinute && bytesLeft >= rules.replayBytesPerMinute;

  function usageOf(key: string, now: number): Usage {
    let usage = usages.get(key);
    if (usage === undefined) {
      const { maxConnectsPerMinute: connectsLeft, replayBytesPerMinute: bytesLeft } = rules;
      usage = { streams: 0, connectsLeft, bytesLeft, at: now };
      usages.set(key, usage);
    }
    return usage;
  }

  return {
    request(key, now) {
      sweep(now);
      const usage = usageOf(key, now);
      refill(usage, now);
      if (usage.bytesLeft < 0) return 'replay';
      if (usage.connectsLeft < 1) return 'connects';
      usage.connectsLeft -= 1;
      return null;
    },
    hasRoom: (key) => (usages.get(key)?.streams ?? 0) < rules.maxConnections,
    enter(key) {
      usageOf(key, sweptAt).streams += 1;
    },
    leave(key) {
      const usage = usages.get(key);
      if (usage !== undefined) usage.streams -= 1;
    },
    charge(key, bytes) {
      const usage = usages.get(key);
      if (usage !== undefined) usage.bytesLeft -= bytes;
    },
  };
}

/** `most` may be Infinity, and Infinity times 0 is not a number. */
const refilled = (left: number, most: number, share: number): number =>
  share === 0 ? left : Math.min(most, left + most * share);
