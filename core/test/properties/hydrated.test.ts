// A dehydrated state shows the data of its server, whether it is read or hydrated, for every order of requests and responses of levels.

import { dehydrate, hydrate, readDehydrated, type DehydratedState } from '@edict/core/hydration';
import { type DataLayer } from '@edict/core';
import { refreshItem } from '@edict/core/protocol';
import { createSimulation, type Simulation } from '@edict/core/testing';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { parameters } from './runs.ts';

const levels = ['default', 'mid', 'full', 'side'] as const;
type Level = (typeof levels)[number];

type Deed =
  | { do: 'read'; level: Level; ms: number; force: boolean }
  | { do: 'result'; level: Level }
  | { do: 'outdate'; level: Level }
  | { do: 'wait'; ms: number };

const level = fc.constantFrom(...levels);
const ms = fc.integer({ min: 0, max: 40 });
const deeds: fc.Arbitrary<Deed[]> = fc.array(
  fc.oneof(
    fc.record({ do: fc.constant('read' as const), level, ms, force: fc.boolean() }),
    fc.record({ do: fc.constant('result' as const), level }),
    fc.record({ do: fc.constant('outdate' as const), level }),
    fc.record({ do: fc.constant('wait' as const), ms }),
  ),
  { minLength: 1, maxLength: 10 },
);

/** A document. Each level contains its write time in a common field and in a field of its own. */
function register(dl: DataLayer, sim: Simulation, converts: boolean) {
  let written = 0;
  let latencyMs = 0;
  const payload = (of: Level): object => ({ title: ++written, [of]: written });
  const fetchOf = (of: Level) => async (): Promise<object> => {
    const answer = payload(of);
    await sim.sleep(latencyMs);
    return answer;
  };
  dl.createType('doc', {
    stalenessMs: 3_600_000,
    fetch: fetchOf('default'),
    levels: {
      mid: { fetch: fetchOf('mid') },
      full: { fetch: fetchOf('full') },
      side: { fetch: fetchOf('side') },
    },
    levelConversionMap: converts ? { full: ['mid'], mid: ['default'] } : {},
  });
  return { payload, takes: (wait: number) => void (latencyMs = wait) };
}

async function live(sim: Simulation, converts: boolean, all: readonly Deed[]): Promise<DataLayer> {
  const dl = sim.createClient({ isBrowser: false }).createDataLayer({ sse: { enabled: false } });
  const { payload, takes } = register(dl, sim, converts);
  for (const deed of all) {
    if (deed.do === 'read') {
      takes(deed.ms);
      dl.fetchItem('doc', 1, deed.level, { force: deed.force });
    } else if (deed.do === 'result')
      void dl.applyDirectives([refreshItem('doc', 1, { level: deed.level, result: payload(deed.level) })]);
    else if (deed.do === 'outdate') void dl.applyDirectives([refreshItem('doc', 1, { level: deed.level })]);
    else await sim.advance(deed.ms);
  }
  return dl;
}

it('D-REACT-10 D-LEVEL-1 a state and a client that hydrates it show the data of their server', async () => {
  await fc.assert(
    fc.asyncProperty(fc.boolean(), deeds, async (converts, all) => {
      const sim = createSimulation();
      const server = await live(sim, converts, all);
      const { data } = server.getItemRef('doc', 1);
      // As it is sent over the network.
      const state = JSON.parse(JSON.stringify(dehydrate(server))) as DehydratedState;
      const client = sim.createDataLayer({ sse: { enabled: false } });
      register(client, sim, converts);
      hydrate(client, state);
      expect(readDehydrated(client, state, { type: 'doc', id: 1 })?.data ?? null).toEqual(data);
      const taken = client.getItemRef('doc', 1);
      expect(taken.data).toEqual(data);
      hydrate(client, state);
      expect(taken.data).toEqual(data);
      server.dispose();
      client.dispose();
    }),
    parameters(400),
  );
});
