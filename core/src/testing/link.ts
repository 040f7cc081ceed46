// The link between one client and the server. It delays, loses, doubles, and reorders the frames of a stream. It can break, which both
// sides notice, or hang, which neither side notices.

import type { Chance } from './chance.ts';
import type { SimulatedClock } from './clock.ts';
import { checkOptions } from './optionChecks.ts';

/** The rates of faults of the frames of a stream, each from 0 to 1. */
export interface LinkRates {
  /** The frame is lost. Default 0. */
  drop?: number;
  /** The frame is delivered twice. Default 0. */
  duplicate?: number;
  /** The frame is delivered after the next one. Default 0. */
  reorder?: number;
}

/** The link of one client. Each affected frame or request reduces a count by one. */
export interface SimulatedLink {
  /** Sets the latency of each message in each direction: milliseconds, or a range of them. Default 0. */
  delay: (ms: number | readonly [min: number, max: number]) => void;
  /** Loses the next frames of the stream (default one). The first frames of a stream are never lost alone. */
  drop: (count?: number) => void;
  /** Delivers the next frames twice. */
  duplicate: (count?: number) => void;
  /** Delivers each of the next frames after its successor, or after one second. */
  reorder: (count?: number) => void;
  /** Does the same at random. Omitted rates are 0. */
  rates: (rates: LinkRates) => void;
  /** Loses the next requests (not the stream) before they reach the server. `fetch` rejects. */
  loseRequests: (count?: number) => void;
  /** The server handles the next requests (not the stream), but their responses are lost. `fetch` rejects. */
  loseAnswers: (count?: number) => void;
  /** Passes the headers of streams on and holds back every byte of their bodies until `restore`, like a buffering proxy. */
  buffer: () => void;
  /** Breaks every stream and request. New ones are rejected until `restore`. */
  cut: () => void;
  /**
   * No message arrives, and neither side notices. After `restore`, streams that were open stay dead, and requests without a response
   * arrive late, because a network repeats unconfirmed packets.
   */
  hang: () => void;
  /** Nothing arrives, and nothing is lost. After `restore`, everything arrives, as for a page that was frozen. */
  pause: () => void;
  /** New requests pass again. Rates and latency do not change. */
  restore: () => void;
  /** False while the link is cut, paused, or hangs. */
  isUp: () => boolean;
}

/** The connection for one request and its response. Messages arrive in order unless they are reordered. */
export interface Pipe {
  /** Sends a message. An `essential` message arrives unless the link breaks. */
  send: (deliver: () => void, kind: 'essential' | 'frame') => void;
  /** The response begins to arrive. From now on, a link that hangs also ends the connection. */
  establish: () => void;
  /** Whether the link holds back the bodies of streams. */
  isBuffering: () => boolean;
  close: () => void;
}

/** The link as the simulated network uses it. */
export interface LinkParts {
  link: SimulatedLink;
  /** Null while the link is cut. `broken` is called once if the link is cut before the pipe is closed. */
  open: (broken: () => void) => Pipe | null;
  takeLostRequest: () => boolean;
  takeLostResponse: () => boolean;
  /** Messages in flight. */
  inTransit: () => number;
}

/** How long a reordered frame waits for another frame to overtake it. */
const overtakeMs = 1000;

export function createLink(clock: SimulatedClock, chance: Chance): LinkParts {
  let state: 'up' | 'cut' | 'hung' | 'paused' = 'up';
  let latency: readonly [number, number] = [0, 0];
  let rates: LinkRates = {};
  let inTransit = 0;
  let isBuffering = false;
  const counts = { drop: 0, duplicate: 0, reorder: 0, request: 0, answer: 0 };
  const pipes = new Set<{
    broken: () => void;
    die: () => void;
    hang: () => void;
    pause: () => void;
    wake: () => void;
  }>();

  function take(what: keyof typeof counts): boolean {
    if (counts[what] === 0) return false;
    counts[what] -= 1;
    return true;
  }

  function open(broken: () => void): Pipe | null {
    if (state === 'cut') return null;
    let isAlive = true;
    let isEstablished = false;
    let backlog: [() => void, 'essential' | 'frame'][] | null = state === 'up' ? null : [];
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
      pause(): void {
        if (isAlive) backlog ??= [];
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
      isBuffering: () => isBuffering,
      close() {
        pipe.die();
        pipes.delete(pipe);
      },
    };
  }

  return {
    open,
    takeLostRequest: () => take('request'),
    takeLostResponse: () => take('answer'),
    inTransit: () => inTransit,
    link: {
      delay(ms) {
        latency = typeof ms === 'number' ? [ms, ms] : ms;
      },
      drop: (count = 1) => void (counts.drop += count),
      duplicate: (count = 1) => void (counts.duplicate += count),
      reorder: (count = 1) => void (counts.reorder += count),
      rates(next) {
        checkOptions('link.rates: ', { drop: 'number', duplicate: 'number', reorder: 'number' }, next);
        rates = next;
      },
      loseRequests: (count = 1) => void (counts.request += count),
      loseAnswers: (count = 1) => void (counts.answer += count),
      buffer() {
        isBuffering = true;
      },
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
        // The pipes stay, so that a waiting request can still be cut or aborted.
        for (const pipe of pipes) pipe.hang();
      },
      pause() {
        state = 'paused';
        for (const pipe of pipes) pipe.pause();
      },
      restore() {
        state = 'up';
        isBuffering = false;
        for (const pipe of Array.from(pipes)) pipe.wake();
      },
      isUp: () => state === 'up',
    },
  };
}
