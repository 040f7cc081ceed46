// Stores the latest result of each piece of the benchmark. A run may measure only one piece, and the report shows the latest result of each.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Connecting } from './connecting.ts';
import type { HeldOpen } from './heldOpen.ts';
import type { Leak } from './leaks.ts';
import type { Load } from './load.ts';
import type { Commits } from './outboxCommit.ts';
import type { OverRedis } from './overRedis.ts';
import type { Slow } from './slowReaders.ts';

/**
 * The latest result of each piece. `stamps` contains the commit, the time, and the load of each measurement. A string in place of a result is
 * the error that prevented it.
 */
export interface Kept {
  loads: Record<string, Record<string, Load | string>>;
  connecting: Record<string, Connecting>;
  redis: OverRedis | null;
  outbox: Commits | null;
  slow: Record<string, Slow | string>;
  leaks: Record<string, Leak | string>;
  held: HeldOpen | string | null;
  stamps: Record<string, string>;
}

const path = `${process.env['BENCH_ROOT'] ?? '.'}/dist/kept/stream.json`;
const nothing: Kept = {
  loads: {},
  connecting: {},
  redis: null,
  outbox: null,
  slow: {},
  leaks: {},
  held: null,
  stamps: {},
};

export function readKept(): Kept {
  try {
    return { ...nothing, ...(JSON.parse(readFileSync(path, 'utf8')) as Kept) }; // Written below.
  } catch {
    return nothing; // The first run.
  }
}

/** Adds results to the stored ones. Reads the file again, because another run may have changed it in the meantime. */
export function keep(measured: Partial<Kept>): void {
  const kept = readKept();
  const loads = { ...kept.loads, ...measured.loads };
  const stamps = { ...kept.stamps, ...measured.stamps };
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, JSON.stringify({ ...kept, ...measured, loads, stamps }));
}
