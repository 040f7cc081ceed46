// A hub in a simulated world, reached through its Web handler.

import { createHubWith } from '../../src/hub.ts';
import type { Hub, HubOptions } from '../../src/index.ts';
import { readStream, type StreamReader } from './stream.ts';
import { createWorld, type World } from './world.ts';

export interface Simulated {
  readonly world: World;
  readonly hub: Hub;
  /** Opens a stream. Resolves when everything that was written immediately has arrived. */
  readonly open: (query?: string, headers?: HeadersInit) => Promise<StreamReader>;
  /** Emits a refresh of the ticket with this id. Resolves to its sequence number. */
  readonly emit: (id: number, audience?: string) => Promise<number>;
}

export function simulate(options: HubOptions = {}, world: World = createWorld()): Simulated {
  const hub = createHubWith(world, { maxAgeMs: 2 ** 31 - 1, ...options });
  return {
    world,
    hub,
    async open(query = '', headers = {}) {
      const response = await hub.fetchHandler(new Request(`http://hub.test/api/events${query}`, { headers }));
      if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`);
      const reader = readStream(response.body);
      await world.drain();
      return reader;
    },
    async emit(id, audience = 'global') {
      const [directive] = await hub.emit([{ op: 'refresh_item', name: 'ticket', id }], { audience });
      await world.drain();
      return directive?.seq ?? Number.NaN;
    },
  };
}
