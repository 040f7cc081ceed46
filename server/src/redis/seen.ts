// The numbers that this node has seen: no counter that is created anew may fall behind them (D-HUB-7).

import type { HubEnv } from '../env.ts';

/** The highest number seen, of each audience and of all. */
export interface Seen {
  readonly note: (audience: string, seq: number) => void;
  /** 0 where nothing is remembered. */
  readonly of: (audience: string) => number;
  readonly highest: () => number;
}

/** So many audiences are remembered one by one; the highest of all numbers holds for the others. */
const most = 10_000;

/** Remembers each audience as long as Redis keeps it without use; what expired there is no loss. */
export function createSeen(env: HubEnv, forMs: number): Seen {
  const audiences = new Map<string, { seq: number; at: number }>();
  let highest = 0;

  return {
    note(audience, seq) {
      const known = audiences.get(audience);
      const now = env.now();
      audiences.delete(audience); // The one used longest ago stays first.
      audiences.set(audience, { seq: Math.max(seq, known?.seq ?? 0), at: now });
      highest = Math.max(highest, seq);
      for (const [oldest, { at }] of audiences) {
        if (audiences.size <= most && now - at <= forMs) break;
        audiences.delete(oldest);
      }
    },
    of(audience) {
      const known = audiences.get(audience);
      return known === undefined || env.now() - known.at > forMs ? 0 : known.seq;
    },
    highest: () => highest,
  };
}
