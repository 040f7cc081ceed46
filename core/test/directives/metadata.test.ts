// The audience and the timestamp of directives. Their source, key, and sequence number have their own files.

import { describe, expect, it } from 'vitest';
import { refreshList } from '../directives.ts';
import { createCachedStage } from '../world.ts';
import { apply } from './setup.ts';

it('§4.6 a timestamp does not order directives and is visible to handlers', async () => {
  const stage = await createCachedStage();
  const directives = [refreshList('tickets', { timestamp: 2 }), refreshList('tickets', { timestamp: 1 })];
  await apply(stage, ...directives);
  expect(stage.of('directive:processed').map(({ directive }) => directive)).toEqual(directives);
  expect(stage.of('directive:received')[0]?.directives).toEqual(directives);
});

describe('§4.6 §5 an audience', () => {
  const all = ['user-7', 'team-7', 'global'];

  it.each([...all, undefined])(
    'scopes the delivery of directives, by default as global: %s',
    async (given) => {
      const own = given ?? 'global';
      const { sim, dl, taken } = await createCachedStage({
        init: { sse: given === undefined ? {} : { audience: given } },
      });
      expect(dl.state().sse.audience).toBe(own);
      expect(sim.hub.connections()[0]?.audiences).toEqual([own]);
      for (const audience of all)
        if (audience !== own) sim.hub.emit([{ op: 'refresh_collection', name: 'tickets' }], { audience });
      await sim.advance(100);
      expect(taken()).toEqual([]);
      sim.hub.emit(
        [{ op: 'refresh_collection', name: 'tickets' }],
        given === undefined ? {} : { audience: given },
      );
      await sim.advance(100);
      expect(taken()).toEqual(['tickets {}']);
      dl.dispose();
    },
  );
});
