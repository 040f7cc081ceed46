import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parameters } from './runs.ts';
import { climate, schedule } from './schedules.ts';
import { expectFreshIsTrue, expectTruth } from './expectations.ts';
import { createWorld, idOf, isCollection, isItem } from './world.ts';

describe('several clients and a server, with all faults between them', () => {
  it(
    'converge to the data of the server, and never show stale data as fresh',
    { timeout: 300_000 },
    async () => {
      await fc.assert(
        fc.asyncProperty(climate, schedule, async (weather, steps) => {
          const world = createWorld(weather);
          await world.open();
          for (const step of steps) {
            world.take(step);
            if (step.do === 'wait') await world.pass(step.ms);
          }
          const isRepeated = weather.retryFailedMs > 0;
          await world.heal();
          for (const player of world.players) {
            // If a response has no sequence number, earlier directives may look newer until its echo arrives.
            if (weather.areAnswersNumbered) expect(player.monitor.violations).toEqual([]);
            expectTruth(world, player, { haveFailed: true, isRepeated });
            expectFreshIsTrue(world, player);
          }
          // A forced read after failures returns the data of the server.
          for (const { dl, watched } of world.players) {
            for (const { ref, what } of watched) {
              if (isCollection(ref)) {
                if (ref.meta.error !== null)
                  dl.fetchCollection('docs', { params: ref.meta.paramsSnapshot as object, force: true });
              } else if (isItem(ref)) {
                for (const [level, failed] of Object.entries(ref.meta.failedLevels)) {
                  if (failed === true) dl.fetchItem(what.kind, idOf(what), level, { force: true });
                }
              }
            }
          }
          await world.pass(10_000);
          for (const player of world.players) {
            expectTruth(world, player, { haveFailed: false, isRepeated });
            player.dl.dispose();
            expect(player.client.page.listeners()).toBe(0);
          }
          await world.sim.advance(0);
          expect(world.sim.pendingTimers()).toBe(0);
          expect(world.sim.hub.connections()).toEqual([]);
        }),
        parameters(900),
      );
    },
  );
});
