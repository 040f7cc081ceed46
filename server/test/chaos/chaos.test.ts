// The short form plays every fault once, with real processes. `npm run chaos` plays random faults for longer.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { faults } from './faults.ts';
import { openScene, type Scene } from './scene.ts';

const seed = Number(process.env['CHAOS_SEED'] ?? 1);
/** Much longer than an idle machine needs. */
const deadlineMs = 30_000;

describe('twenty clients and two hubs on Redis, under random writes', () => {
  let scene: Scene;
  beforeAll(async () => {
    scene = await openScene(seed);
    await scene.writes(20);
    await scene.calm(deadlineMs);
  });
  afterAll(() => scene.close());

  it.each(faults)(
    'D-HUB-7 D-HUB-10 D-SSE-6 all clients show the current data after: $name',
    async ({ play }) => {
      await play(scene);
      await scene.writes(10);
      await scene.calm(deadlineMs);
    },
  );

  it('D-HUB-8 the hubs and clients report replays, resyncs and refusals', async () => {
    const report = await scene.report();
    console.log(JSON.stringify(report));
    expect(report.confirmed).toBe(report.writes);
    expect(report.replays).toBeGreaterThan(0);
    expect(report.resyncs).toBeGreaterThan(0);
    expect(report.limited).toBeGreaterThan(0);
    expect(report.revoked).toBeGreaterThan(0);
    expect(report.resyncs).toBeLessThanOrEqual(report.gaps);
  });
});
