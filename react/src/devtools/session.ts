// The data behind the views: a running data layer, or a saved session.

import type { DataLayer, DevtoolsSnapshot, StateSnapshot } from '@edict/core';
import type { Store } from '../binding/useStore.ts';
import { createFaults, type Faults } from './faults.ts';
import { createObserved, type Observed } from './observed.ts';
import type { TimelineRecord } from './record.ts';
import { createTimeline, type Timeline } from './timeline.ts';

/** The parts that only exist while the data layer runs. */
export interface Live {
  readonly dl: DataLayer;
  readonly timeline: Timeline;
  readonly faults: Faults;
}

export interface Session {
  /** Distinguishes it from other sessions. */
  readonly id: number;
  readonly records: Store<readonly TimelineRecord[]>;
  readonly cache: Store<Observed<DevtoolsSnapshot>>;
  readonly state: Store<Observed<StateSnapshot>>;
  /** Null for a saved session, which cannot be changed. */
  readonly live: Live | null;
}

let made = 0;

export function createLiveSession(dl: DataLayer): Session & { readonly live: Live } {
  const timeline = createTimeline(dl);
  return {
    id: ++made,
    records: timeline,
    cache: createObserved<DevtoolsSnapshot>(dl, (layer) => layer.devtools()),
    state: createObserved<StateSnapshot>(dl, (layer) => layer.state()),
    live: { dl, timeline, faults: createFaults(dl) },
  };
}
