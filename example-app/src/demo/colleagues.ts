// Whether the simulated colleagues of the room work.

import { createSignal } from '../signal.ts';
import { setColleagues, type OpenRoom } from './api.ts';

export interface Colleagues {
  areWorking: () => boolean;
  subscribe: (listener: () => void) => () => void;
  set: (areWorking: boolean) => Promise<void>;
}

export function createColleagues(room: OpenRoom): Colleagues {
  const { subscribe, announce } = createSignal();
  let areWorking = true;
  return {
    areWorking: () => areWorking,
    subscribe,
    async set(next) {
      await setColleagues(room, next);
      areWorking = next;
      announce();
    },
  };
}
