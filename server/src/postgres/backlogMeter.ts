// Measures how many rows wait in the outbox and for how long. The hub that the relay feeds shows the figures in its metrics.

import type { HubEnv } from '../env.ts';
import type { Hub } from '../hub.ts';
import { attachOutbox } from '../metrics.ts';
import type { Database } from './database.ts';
import { onOutbox, type Names } from './schema.ts';

/** Measures the waiting rows. */
export interface BacklogMeter {
  /** Reads the figures from the database, at most once in `pollMs`. */
  readonly measure: () => Promise<void>;
  /** Removes the figures from the metrics of the hub. */
  readonly detach: () => void;
}

/** Attaches the figures to a hub of `createHub`. */
export function createBacklogMeter(
  needs: { database: Database; hub: Pick<Hub, 'emit'>; names: Names; env: Pick<HubEnv, 'now'> },
  pollMs: number,
): BacklogMeter {
  const { database, hub, names, env } = needs;
  let pending = 0;
  /** The time at which the oldest waiting row was written, by the clock of this process. */
  let oldestAt: number | null = null;
  let measuredAt = -Infinity;

  const detach = attachOutbox(hub, () => ({
    oldestAgeMs: oldestAt === null ? 0 : Math.max(0, env.now() - oldestAt),
    pending,
  }));

  return {
    async measure() {
      if (Math.abs(env.now() - measuredAt) < pollMs) return; // The clock can be set back.
      measuredAt = env.now();
      await database.inTransaction(async (run) => {
        const [row] = await onOutbox(
          run,
          names,
        )(
          `SELECT count(*)::text AS pending, (extract(epoch FROM now() - min(created_at)) * 1000)::text AS age
           FROM ${names.table} WHERE refusal IS NULL`,
        );
        pending = Number(row?.['pending'] ?? 0);
        const age = row?.['age'] ?? null;
        oldestAt = age === null ? null : env.now() - Number(age);
      });
    },
    detach,
  };
}
