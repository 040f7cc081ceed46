import { createSimulation } from '@edict/core/testing';
import { expect, it } from 'vitest';

it.each(Array.from({ length: 50 }, (_, seed) => seed))('ends with the truth, run %i', async (seed) => {
  const sim = createSimulation({ seed });
  sim.link.delay([1, 200]);
  sim.link.rates({ drop: 0.2, duplicate: 0.1, reorder: 0.1 });
  let value = 0;
  const dl = sim.createDataLayer();
  dl.createType('counter', { fetch: () => sim.sleep(30).then(() => ({ value })) });
  const counter = dl.fetchItem('counter', 1);
  dl.onRefChange(counter, () => undefined); // Watched, as by a mounted hook: a resync refetches what is watched.
  for (; value < 10; value++) {
    sim.hub.emit([{ op: 'refresh_item', name: 'counter', id: 1 }]);
    await sim.advance(sim.random() * 100);
  }
  sim.hub.emit([{ op: 'refresh_item', name: 'counter', id: 1 }]);
  await sim.advance(20_000); // A heartbeat tells of a lost last message.
  await sim.settled();
  expect(counter.data).toEqual({ value: 10 });
});
