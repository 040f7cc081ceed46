// The merge of the levels of an item.

import { dehydrate, hydrate, readDehydrated } from '@edict/core/hydration';
import { createSimulation } from '@edict/core/testing';
import { describe, expect, it } from 'vitest';

describe('levels of different ages', () => {
  it.each([[{}], [{ full: ['default'] }]])(
    'D-REACT-10 are merged in the same order before and after hydration, with conversions %j',
    async (levelConversionMap) => {
      const sim = createSimulation();
      let title = 'old';
      const config = {
        fetch: () => ({ title }),
        levels: { full: { fetch: () => ({ title, body: 'text' }) } },
        levelConversionMap,
      };
      const server = sim.createDataLayer({ sse: { enabled: false } });
      server.createType('ticket', config);
      server.fetchItem('ticket', 1);
      await sim.advance(10);
      server.fetchItem('ticket', 1, 'full');
      await sim.advance(10);
      title = 'new';
      server.fetchItem('ticket', 1, 'default', { force: true });
      await sim.settled();
      const state = dehydrate(server);
      const client = sim.createDataLayer({ sse: { enabled: false } });
      client.createType('ticket', config);
      hydrate(client, state);
      const whole = { title: 'new', body: 'text' };
      expect(server.getItemRef('ticket', 1).data).toEqual(whole);
      expect(client.getItemRef('ticket', 1).data).toEqual(whole);
      expect(readDehydrated(client, state, { type: 'ticket', id: 1 })?.data).toEqual(whole);
    },
  );
});
