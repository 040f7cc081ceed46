// Every order in which a few things can happen, up to a length: what schedules drawn by chance meet with luck is met here
// for certain. Each order is played from the beginning, since a data layer cannot be copied.

/** A step that can happen now. */
export type Step = () => void | Promise<void>;

/** The steps by name. False if a step is not possible now. */
export type Steps = Readonly<Record<string, Step | false>>;

/** The world in which the steps happen. */
export interface Stage {
  steps: () => Steps;
  /** Runs a step and its immediate effects. */
  take: (step: Step) => Promise<void>;
  /** Finishes everything that is in flight. */
  settle: () => Promise<void>;
  /** Descriptions of what is wrong after everything has settled. */
  faults: () => readonly string[];
  dispose: () => Promise<void> | void;
}

export interface Outcome {
  /** How many orders were played. */
  played: number;
  /** The orders that failed, and how. They are not continued. */
  wrong: string[];
}

/** Plays every order of at most this many steps that follows the prelude. */
export async function playEveryOrder(
  newStage: () => Stage | Promise<Stage>,
  prelude: readonly string[],
  length: number,
): Promise<Outcome> {
  const outcome: Outcome = { played: 0, wrong: [] };

  /** Plays one order and returns the steps that are possible next. */
  async function play(order: readonly string[]): Promise<readonly string[]> {
    const stage = await newStage();
    for (const name of order) {
      const step = stage.steps()[name] ?? false;
      if (step === false) throw new Error(`"${name}" cannot happen in: ${order.join(', ')}`);
      await stage.take(step);
    }
    const next = Object.entries(stage.steps()).flatMap(([name, step]) => (step === false ? [] : name));
    await stage.settle();
    const faults = stage.faults();
    await stage.dispose();
    outcome.played += 1;
    if (faults.length === 0) return next;
    outcome.wrong.push(`${order.join(', ')}: ${faults.join('; ')}`);
    return [];
  }

  async function playFrom(order: readonly string[]): Promise<void> {
    const next = await play(order);
    if (order.length === prelude.length + length) return;
    for (const name of next) await playFrom([...order, name]);
  }

  await playFrom(prelude);
  return outcome;
}

/** Requests that the server delays until a step responds to one. */
export interface Requests {
  /** The response of a fetch function, created when it is sent. `read` returns the data at that time. */
  hold: <T>(read: () => T) => Promise<T>;
  count: () => number;
  /** Responds to the first (or last) request, with the data from its arrival or the current data. */
  answer: (which: 'first' | 'last', as: 'it was' | 'it is') => void;
  failFirst: () => void;
}

export function createRequests(): Requests {
  const waiting: { early: () => void; late: () => void; fail: () => void }[] = [];
  return {
    hold(read) {
      const then = read();
      return new Promise((resolve, reject) => {
        waiting.push({
          early: () => resolve(then),
          late: () => resolve(read()),
          fail: () => reject(new Error('failed')),
        });
      });
    },
    count: () => waiting.length,
    answer(which, as) {
      const request = which === 'first' ? waiting.shift() : waiting.pop();
      if (as === 'it was') request?.early();
      else request?.late();
    },
    failFirst: () => waiting.shift()?.fail(),
  };
}

/** The steps that respond to requests. */
export const answersTo = ({ count, answer }: Requests): Steps => ({
  'the first request is answered as it was': count() > 0 && (() => answer('first', 'it was')),
  'the first request is answered as it is': count() > 0 && (() => answer('first', 'it is')),
  'the last request is answered as it was': count() > 1 && (() => answer('last', 'it was')),
  'the last request is answered as it is': count() > 1 && (() => answer('last', 'it is')),
});

/** Responds to all requests with the current data. */
export async function answerAll({ count, answer }: Requests, drain: Step): Promise<void> {
  while (count() > 0) {
    answer('first', 'it is');
    await drain();
  }
}
