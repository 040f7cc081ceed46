// A simulated world for the hub: its clock stands still until it is told to move, and stops at each timer's own moment.

import type { HubEnv } from '../../src/env.ts';

export interface World extends HubEnv {
  /** Lets everything asynchronous come to rest; no simulated time goes by. */
  readonly drain: () => Promise<void>;
  readonly advance: (ms: number) => Promise<void>;
  /** How many timers wait. */
  readonly timers: () => number;
  /** How many turns of the event loop the hub asked for. */
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
    clearTimeout: (handle) => void timers.delete(handle as Timer), // Only handles of the lines above get here.
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
