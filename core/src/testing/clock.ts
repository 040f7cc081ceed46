// A clock that moves only when a test advances it. It stops at the due time of each timer, so a callback never reads a later time. Between
// two timers, all asynchronous work that they started settles. Like a platform's clock it counts whole milliseconds and cuts off fractions.

declare const setImmediate: ((run: () => void) => unknown) | undefined;

/** The owner of a timer: the data layer (`env`), or the simulated world (network, hub, sleeping fetch functions). */
type TimerOwner = 'env' | 'world';

/** The simulated clock. */
export interface SimulatedClock {
  /** Milliseconds since the epoch. */
  now: () => number;
  setTimeout: (run: () => void, ms: number, owner: TimerOwner) => number;
  clearTimeout: (handle: unknown) => void;
  /** The number of pending timers of this owner. */
  pending: (owner: TimerOwner) => number;
  /** When the next timer is due, or null without timers. */
  nextAt: () => number | null;
  /** Runs microtasks and one macrotask, without simulated time. */
  drain: () => Promise<void>;
  /** Runs the next timer if it is due at or before `until`, then drains. Returns false if there is none. */
  step: (until: number) => Promise<boolean>;
  /** Advances by this many whole milliseconds, timer by timer. */
  advance: (ms: number) => Promise<void>;
}

interface Timer {
  handle: number;
  at: number;
  run: () => void;
  owner: TimerOwner;
}

/** More timers than this at the same time count as an endless loop. */
const mostTimersAtOnce = 100_000;

/** Captured when this file loads, so that fake timers that are installed later cannot stop the simulation. */
const immediate = typeof setImmediate === 'function' ? setImmediate : null;
const timeout = setTimeout;

function macrotask(): Promise<void> {
  return new Promise((done) => {
    if (immediate !== null) {
      immediate(done);
      return;
    }
    // The page in Jest has neither.
    if (typeof MessageChannel === 'undefined') {
      timeout(done, 0);
      return;
    }
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      // A browser reads bodies in separate tasks. Reading one here waits for those that started before.
      void new Response('{}')
        .clone()
        .text()
        .then(() => done());
    };
    port2.postMessage(null);
  });
}

const isBefore = (a: Timer, b: Timer): boolean => a.at < b.at || (a.at === b.at && a.handle < b.handle);

/** A clock that starts at this time (ms since the epoch). */
export function createClock(startAt: number): SimulatedClock {
  let time = startAt;
  let lastHandle = 0;
  let atThisMoment = 0;
  let isMoving = false;
  // A binary heap by (time, order of creation). A canceled timer stays in it until it is due.
  const heap: Timer[] = [];
  const waiting = new Map<number, Timer>();
  const counts: Record<TimerOwner, number> = { env: 0, world: 0 };

  function push(timer: Timer): void {
    let index = heap.length;
    heap.push(timer);
    while (index > 0) {
      const above = (index - 1) >> 1;
      const parent = heap[above];
      if (parent === undefined || !isBefore(timer, parent)) break;
      heap[index] = parent;
      index = above;
    }
    heap[index] = timer;
  }

  function pop(): void {
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return;
    let index = 0;
    for (;;) {
      let below = index * 2 + 1;
      let child = heap[below];
      const right = heap[below + 1];
      if (child === undefined) break;
      if (right !== undefined && isBefore(right, child)) {
        child = right;
        below += 1;
      }
      if (!isBefore(child, last)) break;
      heap[index] = child;
      index = below;
    }
    heap[index] = last;
  }

  function peek(): Timer | null {
    for (;;) {
      const timer = heap[0];
      if (timer === undefined) return null;
      if (waiting.has(timer.handle)) return timer;
      pop();
    }
  }

  function forget(timer: Timer): void {
    if (waiting.delete(timer.handle)) counts[timer.owner] -= 1;
  }

  async function step(until: number): Promise<boolean> {
    const timer = peek();
    if (timer === null || timer.at > until) return false;
    pop();
    forget(timer);
    if (timer.at > time) {
      time = timer.at;
      atThisMoment = 0;
    }
    atThisMoment += 1;
    if (atThisMoment > mostTimersAtOnce) {
      throw new Error(
        `[edict] Simulation: more than ${mostTimersAtOnce} timers are due at the same time. A timer of 0 ms probably sets itself again.`,
      );
    }
    timer.run();
    await macrotask();
    return true;
  }

  return {
    now: () => time,
    setTimeout(run, ms, owner) {
      const handle = ++lastHandle;
      const timer: Timer = { handle, at: time + (ms > 0 ? Math.floor(ms) : 0), run, owner };
      waiting.set(handle, timer);
      counts[owner] += 1;
      push(timer);
      return handle;
    },
    clearTimeout(handle) {
      if (typeof handle !== 'number') return;
      const timer = waiting.get(handle);
      if (timer !== undefined) forget(timer);
    },
    pending: (owner) => counts[owner],
    nextAt: () => peek()?.at ?? null,
    drain: macrotask,
    step,
    async advance(ms) {
      if (isMoving)
        throw new Error('[edict] Simulation: the clock is already advancing. Await the call before.');
      if (!(ms >= 0))
        throw new TypeError(
          `[edict] Simulation: advance accepts milliseconds of at least 0, but received ${String(ms)}.`,
        );
      isMoving = true;
      try {
        const until = time + Math.floor(ms);
        await macrotask();
        while (await step(until));
        if (until > time) {
          time = until;
          atThisMoment = 0;
        }
      } finally {
        isMoving = false;
      }
    },
  };
}
