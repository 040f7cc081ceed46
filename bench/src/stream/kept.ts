// What was measured last, piece by piece: a piece may be measured by itself, and the report shows the last of each.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Connecting } from './connecting.ts';
import type { HeldOpen } from './heldOpen.ts';
import type { Leak } from './leaks.ts';
import type { Load } from './load.ts';
import type { Commits } from './outboxCommit.ts';
import type { OverRedis } from './overRedis.ts';
import type { Slow } from './slowReaders.ts';

/** The last of each. `stamps` says of each piece when it was measured. A text in place of a measure is the fault that prevented it. */
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

/** Puts what was measured beside what is kept by now: another run may have kept something meanwhile. */
export function keep(measured: Partial<Kept>): void {
  const kept = readKept();
  const loads = { ...kept.loads, ...measured.loads };
  const stamps = { ...kept.stamps, ...measured.stamps };
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, JSON.stringify({ ...kept, ...measured, loads, stamps }));
}
