import { expect, it } from 'vitest';
import { createBacklogMeter } from '../../src/postgres/backlogMeter.ts';
import type { Database } from '../../src/postgres/database.ts';
import { namesOf } from '../../src/postgres/schema.ts';

it('D-HUB-11 counts the waiting rows at most once in pollMs, and again after the clock was set back', async () => {
  let now = 1_700_000_000_000;
  let measured = 0;
  const database: Database = {
    inTransaction: (work) =>
      work(async () => {
        measured += 1;
        return [];
      }),
  };
  const hub = { emit: async () => [] };
  const meter = createBacklogMeter({ database, hub, names: namesOf(), env: { now: () => now } }, 1000);
  await meter.measure();
  await meter.measure();
  expect(measured).toBe(1);
  now -= 3_600_000;
  await meter.measure();
  expect(measured).toBe(2);
});
