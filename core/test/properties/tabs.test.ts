import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
// The core loads this module on demand, which would take real time.
import '../../src/stream/share/sharedStream.ts';
import { expectFreshIsTrue, expectTruth } from './expectations.ts';
import { parameters } from './runs.ts';
import { climate, schedule } from './schedules.ts';
import { createWorld, type Climate, type Step } from './world.ts';

const tabClimate = fc
  .record({
    base: climate,
    clients: fc.integer({ min: 2, max: 4 }),
    dropRate: fc.constantFrom(0, 0, 0.1, 0.4),
    delayMs: fc.constantFrom(0, 5, 200),
    pauseHidden: fc.constantFrom(false, false, true),
  })
  .map(({ base, clients, ...tabs }): Climate => ({ ...base, clients, tabs }));

const tabStep: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('tab'),
      client: fc.nat(3),
      how: fc.constantFrom('freeze', 'stall', 'crash'),
      ms: fc.nat(12_000),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('messages') }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('wait'), ms: fc.nat(8000) }) },
);

/** A schedule with what happens to tabs in between. */
const tabSchedule = fc
  .tuple(schedule, fc.array(fc.tuple(fc.nat(60), tabStep), { minLength: 1, maxLength: 10 }))
  .map(([steps, more]) => {
    const all = [...steps];
    for (const [at, step] of more) all.splice(at % (all.length + 1), 0, step);
    return all;
  });

describe('tabs that share a stream, with all faults between them', () => {
  it(
    'converge to the data of the server, and never show stale data as fresh',
    { timeout: 3_600_000 },
    async () => {
      await fc.assert(
        fc.asyncProperty(tabClimate, tabSchedule, async (weather, steps) => {
          const world = createWorld(weather);
          await world.open();
          for (const step of steps) {
            world.take(step);
            if (step.do === 'wait') await world.pass(step.ms);
          }
          await world.heal();
          for (const player of world.players) {
            if (weather.areAnswersNumbered) expect(player.monitor.violations).toEqual([]);
            expectTruth(world, player, { haveFailed: true, isRepeated: weather.retryFailedMs > 0 });
            expectFreshIsTrue(world, player);
            expect(player.dl.state().sse.status).toBe('open');
          }
          // A tab connects by itself if messages were lost, or if it did not respond and another tab took its lock.
          const isHarmed = steps.some(
            (step) => step.do === 'messages' || (step.do === 'tab' && step.how === 'stall'),
          );
          if (weather.tabs?.dropRate === 0 && !isHarmed) expect(world.sim.hub.connections()).toHaveLength(1);
          for (const { dl } of world.players) dl.dispose();
          await world.sim.advance(0);
          expect(world.sim.pendingTimers()).toBe(0);
          expect(world.sim.hub.connections()).toEqual([]);
        }),
        parameters(300),
      );
    },
  );
});
