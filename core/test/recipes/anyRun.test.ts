import { defineItem } from '@edict/core';
import { refreshItem } from '@edict/core/protocol';
import { createSimulation } from '@edict/core/testing';
import { expect, it } from 'vitest';

it.each(Array.from({ length: 50 }, (_, seed) => seed))('ends with the truth, run %i', async (seed) => {
  const sim = createSimulation({ seed });
  sim.link.delay([1, 200]);
  sim.link.rates({ drop: 0.2, duplicate: 0.1, reorder: 0.1 });
  let value = 0;
  const counter = defineItem('counter', { fetch: (id: number) => sim.sleep(30).then(() => ({ id, value })) });
  const dl = sim.createDataLayer();
  dl.register(counter);
  const first = dl.fetchItem(counter, 1);
  dl.onRefChange(first, () => undefined); // Watched, as by a mounted hook: a resync refetches what is watched.
  for (; value < 10; value++) {
    sim.hub.emit([refreshItem('counter', 1)]);
    await sim.advance(sim.random() * 100);
  }
  sim.hub.emit([refreshItem('counter', 1)]);
  await sim.advance(20_000); // A heartbeat reveals that the last message was lost.
  await sim.settled();
  expect(first.data).toEqual({ id: 1, value: 10 });
});
