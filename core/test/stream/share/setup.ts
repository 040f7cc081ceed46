import type { DataLayer, InitOptions, ItemReference, SseInfo } from '@edict/core';
import {
  createSimulation,
  type SimulatedBrowser,
  type SimulatedTab,
  type Simulation,
} from '@edict/core/testing';
// The core loads it when it is needed, which would take real time.
import '../../../src/stream/share/sharedStream.ts';

/** A tab with a data layer that shows one item. */
export interface Shown {
  tab: SimulatedTab;
  dl: DataLayer;
  item: ItemReference;
  /** The names of its lifecycle events. */
  events: string[];
  role: () => string | null;
  status: () => string;
}

export interface World {
  sim: Simulation;
  browser: SimulatedBrowser;
  open: (init?: InitOptions['sse']) => Shown;
  /** Changes the item on the server, and emits a directive. */
  change: (options?: { source?: string; audience?: string }) => void;
  /** The present version on the server. */
  version: () => number;
  streams: () => number;
}

export function createWorld(): World {
  const sim = createSimulation();
  const browser = sim.createBrowser();
  let version = 1;
  sim.route('GET /item', () => ({ id: 1, version }));
  return {
    sim,
    browser,
    version: () => version,
    streams: () => sim.hub.connections().length,
    change(options) {
      version += 1;
      sim.hub.emit([{ op: 'refresh_item', name: 'item', id: 1 }], options);
    },
    open(sse = {}) {
      const tab = browser.createTab();
      const dl = tab.createDataLayer({ sse: { share: true, ...sse } });
      const events: string[] = [];
      dl.onLifecycle('*', ({ event }) => events.push(event));
      dl.createType('item', {
        fetch: async () => (await tab.env.fetch('/item')).json(),
        stalenessMs: 3_600_000,
      });
      const item = dl.fetchItem('item', 1);
      dl.onRefChange(item, () => undefined);
      const read = (): SseInfo => dl.state().sse;
      return { tab, dl, item, events, role: () => read().role, status: () => read().status };
    },
  };
}
