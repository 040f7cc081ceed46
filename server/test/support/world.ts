// A simulated environment for the hub. The clock only moves when a test advances it, and runs each timer at its time.

import type { HubEnv } from '../../src/env.ts';

export interface World extends HubEnv {
  /** Waits until all asynchronous work has ended, without advancing the clock. */
  readonly drain: () => Promise<void>;
  readonly advance: (ms: number) => Promise<void>;
  /** The number of waiting timers. */
  readonly timers: () => number;
  /** The number of turns of the event loop that the hub has requested. */
  readonly turns: () => number;
  readonly logged: { level: string; message: string; detail: unknown }[];
}

interface Timer {
  readonly at: number;
  readonly run: () => void;
}

const turn = (): Promise<void> => new Promise((done) => setImmediate(done));

export function createWorld(startAt = 1_700_000_000_000, random: () => number = () => 0.5): World {
  let time = startAt;
  let turns = 0;
  let ids = 0;
  const timers = new Set<Timer>();
  const logged: World['logged'] = [];

  async function drain(): Promise<void> {
    for (let before = -1; before !== turns;) {
      before = turns;
      for (let rest = 0; rest < 3; rest += 1) await turn();
    }
  }

  const nextTimer = (until: number): Timer | null =>
    [...timers].filter(({ at }) => at <= until).toSorted((a, b) => a.at - b.at)[0] ?? null;

  return {
    now: () => time,
    setTimeout(run, ms) {
      const timer: Timer = { at: time + ms, run };
      timers.add(timer);
      return timer;
    },
    clearTimeout: (handle) => void timers.delete(handle as Timer), // All handles come from `setTimeout` above.
    nextTurn(run) {
      turns += 1;
      setImmediate(run);
    },
    random,
    newId: () => `id-${(ids += 1)}`,
    log: (level, message, detail) => void logged.push({ level, message, detail }),
    drain,
    async advance(ms) {
      const until = time + ms;
      await drain();
      for (let timer = nextTimer(until); timer !== null; timer = nextTimer(until)) {
        timers.delete(timer);
        time = Math.max(time, timer.at);
        timer.run();
        await drain();
      }
      time = until;
      await drain();
    },
    timers: () => timers.size,
    turns: () => turns,
    logged,
  };
}
