// The way between one client and the server. It delays, loses, doubles and reorders the frames of a stream, and it can
// break (both sides notice) or fall silent (neither does).

import type { Chance } from './chance.ts';
import type { SimulatedClock } from './clock.ts';

/** How often things go wrong with the frames of a stream, each from 0 to 1. */
export interface LinkRates {
  /** Lost. Default 0. */
  drop?: number;
  /** Delivered twice. Default 0. */
  duplicate?: number;
  /** Delivered after the next one. Default 0. */
  reorder?: number;
}

/** The link of one client, as a test sees it. The counts are used up by the next frames or requests. */
export interface SimulatedLink {
  /** Latency of each message in each direction: so many milliseconds, or a range to draw from. Default 0. */
  delay: (ms: number | readonly [min: number, max: number]) => void;
  /** Loses the next frames of the stream (default one). The opening of a stream is never lost alone. */
  drop: (count?: number) => void;
  /** Delivers the next frames twice. */
  duplicate: (count?: number) => void;
  /** Delivers the next frames after the one that follows them, or after a second. */
  reorder: (count?: number) => void;
  /** The same by chance; what is not given is 0. */
  rates: (rates: LinkRates) => void;
  /** The next requests (not the stream) are lost before the server sees them; `fetch` rejects. */
  loseRequests: (count?: number) => void;
  /** The next requests (not the stream) are served, but their answers are lost; `fetch` rejects. */
  loseAnswers: (count?: number) => void;
  /** Breaks every stream and request; new ones are rejected until `restore`. */
  cut: () => void;
  /**
   * Nothing arrives any more and nobody is told. After `restore`, streams that were open stay dead, and requests without
   * an answer go through late, as a network repeats what was not confirmed.
   */
  hang: () => void;
  /** New requests pass again. Rates and latency stay as they are. */
  restore: () => void;
  /** False while it is cut or hangs. */
  isUp: () => boolean;
}

/** One request's way there and back. Messages arrive in order unless reordered. */
export interface Pipe {
  /** A message; an `essential` one arrives unless the link breaks. */
  send: (deliver: () => void, kind: 'essential' | 'frame') => void;
  /** The answer has begun to arrive: from now on a link that hangs kills it. */
  establish: () => void;
  close: () => void;
}

/** The link as the simulated network uses it. */
export interface LinkParts {
  link: SimulatedLink;
  /** Null while the link is cut. `broken` is called once when it is cut before the pipe was closed. */
  open: (broken: () => void) => Pipe | null;
  takeLostRequest: () => boolean;
  takeLostAnswer: () => boolean;
  /** Messages on their way. */
  inTransit: () => number;
}

/** How long a reordered frame waits for another to overtake it. */
const overtakeMs = 1000;

export function createLink(clock: SimulatedClock, chance: Chance): LinkParts {
  let state: 'up' | 'cut' | 'hung' = 'up';
  let latency: readonly [number, number] = [0, 0];
  let rates: LinkRates = {};
  let inTransit = 0;
  const owed = { drop: 0, duplicate: 0, reorder: 0, request: 0, answer: 0 };
  const pipes = new Set<{ broken: () => void; die: () => void; hang: () => void; wake: () => void }>();

  function take(what: keyof typeof owed): boolean {
    if (owed[what] === 0) return false;
    owed[what] -= 1;
    return true;
  }

  function open(broken: () => void): Pipe | null {
    if (state === 'cut') return null;
    let isAlive = true;
    let isEstablished = false;
    let backlog: [() => void, 'essential' | 'frame'][] | null = state === 'hung' ? [] : null;
    let lastAt = clock.now();
    let held: (() => void) | null = null;
    const pipe = {
      broken,
      die(): void {
        isAlive = false;
        held = null;
        backlog = null;
      },
      hang(): void {
        if (isEstablished) pipe.die();
        else backlog ??= [];
      },
      wake(): void {
        const waiting = backlog ?? [];
        backlog = null;
        for (const [deliver, kind] of waiting) send(deliver, kind);
      },
    };
    pipes.add(pipe);

    function travel(deliver: () => void): void {
      const at = Math.max(lastAt, clock.now() + chance.between(latency[0], latency[1]));
      lastAt = at;
      if (at <= clock.now()) {
        deliver();
        return;
      }
      inTransit += 1;
      clock.setTimeout(
        () => {
          inTransit -= 1;
          if (backlog !== null) backlog.push([deliver, 'essential']);
          else if (isAlive) deliver();
        },
        at - clock.now(),
        'world',
      );
    }

    function release(): void {
      const late = held;
      held = null;
      if (late !== null && isAlive) travel(late);
    }

    function send(deliver: () => void, kind: 'essential' | 'frame'): void {
      if (!isAlive) return;
      if (backlog !== null) {
        backlog.push([deliver, kind]);
        return;
      }
      if (kind === 'essential') {
        release();
        travel(deliver);
        return;
      }
      if (take('drop') || chance.happens(rates.drop ?? 0)) return;
      if (held === null && (take('reorder') || chance.happens(rates.reorder ?? 0))) {
        held = deliver;
        clock.setTimeout(() => held === deliver && release(), overtakeMs, 'world');
        return;
      }
      travel(deliver);
      if (take('duplicate') || chance.happens(rates.duplicate ?? 0)) travel(deliver);
      release();
    }

    return {
      send,
      establish() {
        isEstablished = true;
      },
      close() {
        pipe.die();
        pipes.delete(pipe);
      },
    };
  }

  return {
    open,
    takeLostRequest: () => take('request'),
    takeLostAnswer: () => take('answer'),
    inTransit: () => inTransit,
    link: {
      delay(ms) {
        latency = typeof ms === 'number' ? [ms, ms] : ms;
      },
      drop: (count = 1) => void (owed.drop += count),
      duplicate: (count = 1) => void (owed.duplicate += count),
      reorder: (count = 1) => void (owed.reorder += count),
      rates(next) {
        rates = next;
      },
      loseRequests: (count = 1) => void (owed.request += count),
      loseAnswers: (count = 1) => void (owed.answer += count),
      cut() {
        state = 'cut';
        for (const pipe of Array.from(pipes)) {
          pipes.delete(pipe);
          pipe.die();
          pipe.broken();
        }
      },
      hang() {
        state = 'hung';
        // The pipes stay: whoever waits on one may still be cut loose, or give up.
        for (const pipe of pipes) pipe.hang();
      },
      restore() {
        state = 'up';
        for (const pipe of Array.from(pipes)) pipe.wake();
      },
      isUp: () => state === 'up',
    },
  };
}
