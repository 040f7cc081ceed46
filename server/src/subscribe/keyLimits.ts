// Limits per key (D-HUB-2): open streams, connects per minute, and replayed bytes per minute.

/** The allowances of each key. Infinity means no limit. */
export interface KeyRules {
  readonly maxConnections: number;
  readonly maxConnectsPerMinute: number;
  readonly replayBytesPerMinute: number;
}

/** The limits of one hub. */
export interface KeyLimits {
  /** Counts a request. Returns false if it exceeds the limit, and then does not count it. */
  readonly request: (key: string, now: number) => boolean;
  /** Whether the key may receive another replay. */
  readonly mayReplay: (key: string, now: number) => boolean;
  /** Whether the key may have one more stream. */
  readonly hasRoom: (key: string) => boolean;
  /** A stream was admitted. */
  readonly enter: (key: string) => void;
  /** An admitted stream is over. */
  readonly leave: (key: string) => void;
  /** The bytes that were replayed to a new stream. They are deducted before the next request. */
  readonly charge: (key: string, bytes: number, now: number) => void;
}

/** The allowance of each key for one resource. It refills continuously and is full again after one minute. */
interface Allowance {
  readonly left: (key: string, now: number) => number;
  readonly spend: (key: string, amount: number, now: number) => void;
}

const minuteMs = 60_000;

/** Creates the limits. A key that uses nothing is forgotten within two minutes. */
export function createKeyLimits(rules: KeyRules): KeyLimits {
  const streams = new Map<string, number>();
  const connects = createAllowance(rules.maxConnectsPerMinute);
  const replayed = createAllowance(rules.replayBytesPerMinute);

  return {
    request(key, now) {
      const isWithin = connects.left(key, now) >= 1;
      if (isWithin) connects.spend(key, 1, now);
      return isWithin;
    },
    mayReplay: (key, now) => replayed.left(key, now) >= 0,
    hasRoom: (key) => (streams.get(key) ?? 0) < rules.maxConnections,
    enter: (key) => void streams.set(key, (streams.get(key) ?? 0) + 1),
    leave(key) {
      const others = (streams.get(key) ?? 0) - 1;
      if (others > 0) streams.set(key, others);
      else streams.delete(key);
    },
    charge: replayed.spend,
  };
}

function createAllowance(most: number): Allowance {
  const spent = new Map<string, { amount: number; at: number }>();
  let sweptAt = -Infinity;

  /** The amount that a key has used and that has not been refilled yet. */
  function owed(key: string, now: number): number {
    const account = spent.get(key);
    if (account === undefined) return 0;
    const share = Math.max(0, now - account.at) / minuteMs; // A clock that is set back refills nothing for a step.
    account.at = now;
    account.amount = Math.max(0, account.amount - most * share);
    if (account.amount === 0) spent.delete(key);
    return account.amount;
  }

  function sweep(now: number): void {
    if (Math.abs(now - sweptAt) < minuteMs) return;
    sweptAt = now;
    for (const key of spent.keys()) owed(key, now);
  }

  return {
    left: (key, now) => most - owed(key, now),
    spend(key, amount, now) {
      if (most === Infinity) return;
      sweep(now);
      spent.set(key, { amount: owed(key, now) + amount, at: now });
    },
  };
}
