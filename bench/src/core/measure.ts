// Runs the rounds of all libraries: warm in turns, cold (the first round of a new process), or in real time.

import { median } from '../report/tables.ts';
import { libraries } from './adapters/index.ts';
import type { Member } from './team.ts';
import { createTeam } from './team.ts';
import type { Round } from './worker.ts';
import type { Workload } from './workloads.ts';
import { workloads } from './workloads.ts';

export interface Effort {
  /** The CPU time of the warm-up, in which the engine compiles the code. */
  readonly warmMs: number;
  /** The least number of rounds. All libraries have the same number. */
  readonly rounds: number;
  /** More rounds follow until each library has used `leastMs`, or one library has used `mostMs`. */
  readonly leastMs: number;
  readonly mostMs: number;
}

const mostRounds = 300;
const coldProcesses = 7;
const liveRounds = { warm: 3, timed: 9 };

/** The result of each library: the time of its rounds in one number, and the counts of its last round. */
export type Results = ReadonlyMap<string, Round>;

const named = (name: string): Workload => workloads[name] as Workload; // Only called with names of the table.

export const takesPart = (name: string, key: string): boolean => named(name).without?.includes(key) !== true;

function summarize(rounds: ReadonlyMap<string, readonly Round[]>, sum: (times: number[]) => number): Results {
  const results = new Map<string, Round>();
  for (const [key, list] of rounds) {
    const last = list.at(-1);
    if (last === undefined) continue;
    const fault = list.find((each) => each.fault !== null)?.fault ?? null;
    const { requests, told } = last;
    results.set(key, { ns: sum(list.map(({ ns }) => ns)), requests, told, fault });
  }
  return results;
}

/** The libraries take turns, so that other work affects all of them alike. The fastest round counts, because it was disturbed least. */
export async function measure(
  team: readonly Member[],
  name: string,
  n: number,
  { warmMs, rounds, leastMs, mostMs }: Effort,
): Promise<Results> {
  const { ops } = named(name);
  const taken = new Map(team.map(({ key }): [string, Round[]] => [key, []]));
  for (const { prepare, warm } of team) {
    await prepare(name, n);
    await warm(warmMs);
  }
  const isEnough = (done: number): boolean => {
    if (done < rounds) return false;
    const used = [...taken.values()].map(
      (list) => (list.reduce((sum, { ns }) => sum + ns, 0) * ops(n)) / 1e6,
    );
    return Math.min(...used) > leastMs || Math.max(...used) > mostMs;
  };
  for (let done = 0; done < mostRounds && !isEnough(done); done++)
    for (const { key, round } of team) taken.get(key)?.push(await round());
  for (const { end } of team) await end();
  return summarize(taken, (times) => Math.min(...times));
}

/** The first round of a process, in which the engine compiles the code. Returns the median of several processes. */
export async function measureCold(name: string): Promise<Results> {
  const keys = Object.keys(libraries).filter((key) => takesPart(name, key));
  const taken = new Map(keys.map((key): [string, Round[]] => [key, []]));
  for (let process = 0; process < coldProcesses; process++) {
    for (const key of keys) {
      for (const { prepare, round, leave } of createTeam([key], 'cold')) {
        await prepare(name, named(name).n);
        taken.get(key)?.push(await round(true));
        leave();
      }
    }
  }
  return summarize(taken, median);
}

/** Measures with real timers, by the wall clock. Returns the median. */
export async function measureLive(team: readonly Member[], name: string): Promise<Results> {
  const members = team.filter(({ key }) => takesPart(name, key));
  const taken = new Map(members.map(({ key }): [string, Round[]] => [key, []]));
  for (const { prepare } of members) await prepare(name, named(name).n);
  for (let done = -liveRounds.warm; done < liveRounds.timed; done++) {
    for (const { key, live } of members) {
      const round = await live();
      if (done >= 0) taken.get(key)?.push(round);
    }
  }
  for (const { end } of members) await end();
  return summarize(taken, median);
}
