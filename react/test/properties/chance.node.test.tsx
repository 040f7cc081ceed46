// @vitest-environment jsdom
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { parameters } from '../../../core/test/properties/runs.ts';
import { climate, first, schedule } from './schedules.ts';
import { createWorld } from './world.tsx';

await vi.hoisted(() => import('../../../core/test/platformTime.ts'));

describe('a screen of several components and a server behind a faulty network', () => {
  it('always shows the cached data, and ends with the data of the server', { timeout: 300_000 }, async () => {
    await fc.assert(
      fc
        .asyncProperty(climate, first, schedule, async (weather, page, steps) => {
          const world = createWorld(weather);
          await world.open(page);
          for (const step of steps) {
            world.take(step);
            if (step.do === 'wait') await world.pass(step.ms);
          }
          await world.heal();
          expect(world.violations).toEqual([]);
          expect(world.wrong({ haveFailed: true })).toEqual([]);
          expect(world.needless).toEqual([]);
          await world.retry();
          expect(world.wrong({ haveFailed: false })).toEqual([]);
          expect(await world.leave()).toEqual([]);
          expect(world.violations).toEqual([]);
        })
        .afterEach(() => void vi.restoreAllMocks()),
      parameters(300),
    );
  });
});
