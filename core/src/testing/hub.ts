// A hub in memory that behaves on the wire as api.md says: numbers from the clock, replay, greeting, heartbeats, several
// audiences. It can be stopped and started, and lose what a hub can lose.

import type { Directive, Envelope } from '@edict/core';
import { DEFAULT_AUDIENCE } from '@edict/core/protocol';
import type { SimulatedClock } from './clock.ts';
import { checkAudiences, checkDirective, readDestination } from './emission.ts';
import { createHubLog, type HubLog, type Standpoint } from './hubLog.ts';

/** What a hub that starts again still knows. */
export interface HubRestart {
  /**
   * The numbers: go on where they were (`kept`), start anew from the clock (`clock`, default), or from zero as a server
   * that does not keep to the protocol would (`zero`).
   */
  numbers?: 'kept' | 'clock' | 'zero';
  /** Whether what was emitted can still be replayed; only with kept numbers. Default: as the numbers. */
  log?: 'kept' | 'lost';
}

/** A refusal of the next connections. */
export interface HubRefusal {
  /** Such as 503. */
  status: number;
  /** Such as `Retry-After`. */
  headers?: Record<string, string>;
  /** How many connections are refused; default all until `accept`. */
  count?: number;
}

/** An open stream, as the hub sees it. */
export interface HubConnection {
  /** As sent; null where none was. */
  readonly clientId: string | null;
  /** What it subscribed to. */
  readonly audiences: readonly string[];
}

/** The hub of a simulation. */
export interface SimulatedHub {
  /**
   * Stamps the directives with audience, `seq`, `source` and, where missing, an `idempotency_key`, delivers them, and
   * returns the stamped list, as a mutation's answer carries it. Throws a `TypeError` for what is not a list of
   * directives and for options that a hub would refuse, and an `Error` while the hub is stopped.
   */
  emit: (
    directives: readonly Directive[],
    options?: { audience?: string | readonly string[] | null; source?: string | null },
  ) => Directive[];
  /** The audience's place, to be read before the data (D-REACT-10). */
  cursor: (audience?: string) => {
    /** Whose sequence. */
    audience: string;
    /** The number of its newest envelope. */
    seq: number;
  };
  /** Sends one envelope as it is to the subscribers of its audience; no number is counted. */
  send: (envelope: { audience: string } & Readonly<Record<string, unknown>>) => void;
  /** Writes text to every stream as it is. */
  write: (text: string) => void;
  /** Numbers this many envelopes that nobody gets and that cannot be replayed. */
  lose: (count?: number, audience?: string) => void;
  /** Ends every stream properly, after a `retry:` where one is given. */
  end: (options?: { retryMs?: number }) => void;
  /** Breaks every stream; requests are rejected until `start`. */
  stop: () => void;
  /** Starts again after `stop`. */
  start: (restart?: HubRestart) => void;
  /** `stop` and `start` at once. */
  restart: (restart?: HubRestart) => void;
  /** Answers the next connections with this status. */
  refuse: (refusal: HubRefusal) => void;
  /** Ends `refuse`. */
  accept: () => void;
  /** False between `stop` and `start`. */
  isUp: () => boolean;
  /** The open streams. */
  connections: () => readonly HubConnection[];
}

/** What one connection asks for. */
export interface Subscription {
  clientId: string | null;
  places: readonly { audience: string; standpoint: Standpoint }[];
}

/** The server's end of one stream. */
export interface StreamEnd {
  write: (text: string) => void;
  end: () => void;
  break: () => void;
}

/** The hub as the simulated network uses it. */
export interface HubParts {
  hub: SimulatedHub;
  refusal: () => HubRefusal | null;
  /** Returns the opening (replay and greetings) and what unsubscribes; nothing emitted in between is lost or doubled. */
  subscribe: (subscription: Subscription, end: StreamEnd) => { opening: string; leave: () => void };
}

export interface HubSettings {
  heartbeatMs: number;
  replay: { maxEnvelopes: number; maxAgeMs: number };
  newKey: () => string;
}

interface Connection extends HubConnection {
  end: StreamEnd;
  /** When each audience last had a frame. */
  lastFrameAt: Map<string, number>;
}

function frame(envelope: Readonly<Record<string, unknown>> | Envelope): string {
  const id = typeof envelope.seq === 'number' ? `id: ${envelope.seq}\n` : '';
  return `${id}event: message\ndata: ${JSON.stringify(envelope)}\n\n`;
}

export function createHub(clock: SimulatedClock, settings: HubSettings): HubParts {
  const logs = new Map<string, HubLog>();
  const connections = new Set<Connection>();
  let isUp = true;
  let base: 'clock' | 'zero' = 'clock';
  // Nothing was before the world; a client rounds the age of its first request up to the next millisecond.
  let completeSince = clock.now() - 1;
  let beat: number | null = null;
  let refusal: { left: number; what: HubRefusal } | null = null;

  function logOf(audience: string): HubLog {
    const known = logs.get(audience);
    if (known !== undefined) return known;
    const first = base === 'clock' ? clock.now() * 1000 : 0;
    const log = createHubLog(clock.now, first, completeSince, settings.replay);
    logs.set(audience, log);
    return log;
  }

  /** An audience that nobody hears is forgotten when all it could replay has aged (D-HUB-3). */
  function forgetQuietAudiences(): void {
    const oldest = clock.now() - settings.replay.maxAgeMs;
    for (const [audience, log] of logs) {
      const lastAt = log.lastAt();
      if (lastAt === null || lastAt >= oldest) continue;
      if ([...connections].some((connection) => connection.audiences.includes(audience))) continue;
      logs.delete(audience);
      completeSince = Math.max(completeSince, lastAt + 1);
    }
  }

  function deliver(audience: string, text: string): void {
    for (const connection of Array.from(connections)) {
      if (!connection.audiences.includes(audience)) continue;
      connection.lastFrameAt.set(audience, clock.now());
      connection.end.write(text);
    }
  }

  /** D-HUB-4: each audience of a connection by itself. */
  function heartbeat(): void {
    beat = null;
    const now = clock.now();
    for (const connection of Array.from(connections)) {
      for (const [audience, at] of connection.lastFrameAt) {
        if (now - at < settings.heartbeatMs) continue;
        connection.lastFrameAt.set(audience, now);
        connection.end.write(
          frame({ type: 'directives', seq: logOf(audience).seq(), audience, directives: [] }),
        );
      }
    }
    forgetQuietAudiences();
    keepBeating();
  }

  /** Frames only put the next one off, so a timer that is set is not too late. */
  function keepBeating(): void {
    if (beat !== null || connections.size === 0) return;
    const oldest = Math.min(...[...connections].flatMap(({ lastFrameAt }) => [...lastFrameAt.values()]));
    beat = clock.setTimeout(heartbeat, Math.max(1, oldest + settings.heartbeatMs - clock.now()), 'world');
  }

  function leave(connection: Connection): void {
    connections.delete(connection);
    if (connections.size > 0 || beat === null) return;
    clock.clearTimeout(beat);
    beat = null;
  }

  function endAll(how: (end: StreamEnd) => void): void {
    for (const connection of Array.from(connections)) {
      leave(connection);
      how(connection.end);
    }
  }

  function stop(): void {
    isUp = false;
    endAll((end) => end.break());
  }

  function start({ numbers = 'clock', log = numbers === 'kept' ? 'kept' : 'lost' }: HubRestart = {}): void {
    isUp = true;
    if (numbers === 'kept' && log === 'kept') return;
    const last = new Map([...logs].map(([audience, old]) => [audience, old.seq()]));
    logs.clear();
    completeSince = clock.now();
    if (numbers !== 'kept') {
      base = numbers;
      return;
    }
    for (const [audience, seq] of last) {
      logs.set(audience, createHubLog(clock.now, seq, completeSince, settings.replay));
    }
  }

  /** Numbers, stores and delivers one envelope; returns its directives as they are stamped. */
  function append(audience: string, list: readonly Directive[], given: string | null): Directive[] {
    let stamped: Directive[] = [];
    logOf(audience).append((seq) => {
      stamped = list.map((directive) => {
        const source = given ?? directive.source ?? null;
        return { ...directive, audience, seq, ...(source === null ? {} : { source }) };
      });
      // As JSON at once: what the caller changes later must not change what is replayed.
      const envelope: Envelope = JSON.parse(
        JSON.stringify({ type: 'directives', seq, audience, directives: stamped }),
      );
      deliver(audience, frame(envelope));
      return envelope;
    });
    return stamped;
  }

  function emit(
    directives: readonly Directive[],
    options?: { audience?: string | readonly string[] | null; source?: string | null },
  ): Directive[] {
    if (!isUp) throw new Error('simulation: the hub is stopped; nothing was emitted');
    if (!Array.isArray(directives))
      throw new TypeError(
        `simulation: emit takes a list of directives, got ${directives === null ? 'null' : typeof directives}`,
      );
    const { audiences: chosen, source: given } = readDestination(options);
    const byAudience = new Map<string, Directive[]>();
    for (const [index, directive] of directives.entries()) {
      const path = `directives[${index}]`;
      checkDirective(directive, path);
      const reached = chosen ?? [directive.audience ?? DEFAULT_AUDIENCE];
      checkAudiences(directive, path, reached);
      const keyed = { ...directive, idempotency_key: directive.idempotency_key || settings.newKey() };
      for (const audience of reached) {
        byAudience.set(audience, [...(byAudience.get(audience) ?? []), keyed]);
      }
    }
    return [...byAudience].flatMap(([audience, list]) => append(audience, list, given));
  }

  return {
    refusal() {
      if (refusal === null) return null;
      const { what } = refusal;
      refusal.left -= 1;
      if (refusal.left <= 0) refusal = null;
      return what;
    },
    subscribe({ clientId, places }, end) {
      const connection: Connection = {
        clientId,
        audiences: places.map((place) => place.audience),
        end,
        lastFrameAt: new Map(places.map((place) => [place.audience, clock.now()])),
      };
      let opening = '';
      let greetings = '';
      for (const { audience, standpoint } of places) {
        const { replay, seq, recovered } = logOf(audience).open(standpoint);
        for (const envelope of replay) opening += frame(envelope);
        const heartbeat_ms = settings.heartbeatMs;
        greetings += frame({ type: 'directives', seq, audience, directives: [], recovered, heartbeat_ms });
      }
      connections.add(connection);
      keepBeating();
      return { opening: opening + greetings, leave: () => leave(connection) };
    },
    hub: {
      emit,
      cursor: (audience = DEFAULT_AUDIENCE) => ({ audience, seq: logOf(audience).seq() }),
      send: (envelope) => deliver(envelope.audience, frame(envelope)),
      write(text) {
        for (const connection of Array.from(connections)) connection.end.write(text);
      },
      lose: (count = 1, audience = DEFAULT_AUDIENCE) => logOf(audience).skip(count),
      end({ retryMs } = {}) {
        endAll((end) => {
          if (retryMs !== undefined) end.write(`retry: ${retryMs}\n\n`);
          end.end();
        });
      },
      stop,
      start,
      restart(restart) {
        stop();
        start(restart);
      },
      refuse(what) {
        refusal = { left: what.count ?? Infinity, what };
      },
      accept() {
        refusal = null;
      },
      isUp: () => isUp,
      connections: () => [...connections].map(({ clientId, audiences }) => ({ clientId, audiences })),
    },
  };
}
