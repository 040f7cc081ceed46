// A hub in memory that follows the protocol: numbers from the clock, replay, greetings, heartbeats, and several audiences. It can be
// stopped and started, and can lose its log and its counters.

import type { Directive, Envelope } from '@edict/core';
import { DEFAULT_AUDIENCE } from '@edict/core/protocol';
import type { SimulatedClock } from './clock.ts';
import { checkAudiences, checkDirective, readDestination } from './emission.ts';
import { createHubLog, type Cursor, type HubLog } from './hubLog.ts';
import { checkOptions } from './optionChecks.ts';

/** The state that a hub keeps when it restarts. */
export interface HubRestart {
  /**
   * The sequence numbers continue (`kept`), start again from the clock (`clock`, default), or start from zero, as on a server that
   * violates the protocol (`zero`).
   */
  numbers?: 'kept' | 'clock' | 'zero';
  /** Whether earlier envelopes can still be replayed. `kept` needs kept numbers. Default: the same as `numbers`. */
  log?: 'kept' | 'lost';
}

/** A refusal of the next connections. */
export interface HubRefusal {
  /** Such as 503. */
  status: number;
  /** Such as `Retry-After`. */
  headers?: Record<string, string>;
  /** The code in the JSON error body. Default `refused`. */
  code?: string;
  /** The refused audience in the JSON error body. Default none. */
  audience?: string;
  /** How many connections are refused. Default: all until `accept`. */
  count?: number;
}

const ofRefusal = {
  status: 'number',
  headers: 'object',
  code: 'string',
  audience: 'string',
  count: 'number',
} as const;

/** The hub's side of an open stream. */
export interface HubConnection {
  /** The client id of the request, or null. */
  readonly clientId: string | null;
  /** The subscribed audiences. */
  readonly audiences: readonly string[];
}

/** The hub of a simulation. */
export interface SimulatedHub {
  /**
   * Completes the directives with audience, `seq`, `source`, and a missing `idempotency_key`, delivers them, and returns the completed
   * list, which a mutation handler returns as `directives`. Throws a `TypeError` for directives and options that a hub refuses, and an
   * `Error` while the hub is stopped. It does not check whether an inline result has a JSON form, nor the limits on sizes.
   */
  emit: (
    directives: readonly Directive[],
    options?: { audience?: string | readonly string[] | null; source?: string | null },
  ) => Directive[];
  /** The position of an audience. Server rendering reads it before the data. */
  cursor: (audience?: string) => {
    /** The audience of the sequence. */
    audience: string;
    /** The number of the newest envelope. */
    seq: number;
  };
  /** Sends one envelope unchanged to the subscribers of its audience, without counting. */
  send: (envelope: { audience: string } & Readonly<Record<string, unknown>>) => void;
  /** Writes text to every stream, unchanged. */
  write: (text: string) => void;
  /** Counts this many envelopes that no client receives and that cannot be replayed. Default one. */
  lose: (count?: number, audience?: string) => void;
  /** Ends every stream properly, with `retryMs` after a `retry:` field. */
  end: (options?: { retryMs?: number }) => void;
  /** Breaks every stream. Requests are rejected until `start`. */
  stop: () => void;
  /** Starts again after `stop`. */
  start: (restart?: HubRestart) => void;
  /** `stop` and `start` in one call. */
  restart: (restart?: HubRestart) => void;
  /** Refuses the next connections with a status and a JSON error body. */
  refuse: (refusal: HubRefusal) => void;
  /** Ends `refuse`. */
  accept: () => void;
  /** False between `stop` and `start`. */
  isUp: () => boolean;
  /** The open streams. */
  connections: () => readonly HubConnection[];
}

/** The subscription of one connection. */
export interface Subscription {
  clientId: string | null;
  audiences: readonly { audience: string; cursor: Cursor }[];
}

/** The server's side of one stream. */
export interface StreamEnd {
  write: (text: string) => void;
  end: () => void;
  break: () => void;
}

/** The hub as the simulated network uses it. */
export interface HubParts {
  hub: SimulatedHub;
  heartbeatMs: number;
  refusal: () => HubRefusal | null;
  /** Returns the first frames (replay and greetings) and a function that unsubscribes. Nothing that is emitted in between is lost or doubled. */
  subscribe: (subscription: Subscription, end: StreamEnd) => { opening: string; leave: () => void };
}

export interface HubSettings {
  heartbeatMs: number;
  replay: { maxEnvelopes: number; maxAgeMs: number };
  newKey: () => string;
}

interface Connection extends HubConnection {
  end: StreamEnd;
  /** The time of each audience's last frame. */
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
  // Nothing was emitted before the simulation began. A client rounds the age of its first request up to the next millisecond.
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

  /** Forgets an audience without subscribers when its log is too old to be replayed (D-HUB-3). */
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

  /** Each audience of a connection has its own heartbeats (D-HUB-4). */
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

  /** Frames only postpone the next heartbeat, so a timer that is already set is never too late. */
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

  function start(restart: HubRestart = {}): void {
    checkOptions('hub.start: ', { numbers: 'string', log: 'string' }, restart);
    const { numbers = 'clock', log = numbers === 'kept' ? 'kept' : 'lost' } = restart;
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

  /** Counts, stores, and delivers one envelope. Returns its completed directives. */
  function append(audience: string, list: readonly Directive[], given: string | null): Directive[] {
    let stamped: Directive[] = [];
    logOf(audience).append((seq) => {
      stamped = list.map((directive) => {
        const source = given ?? directive.source ?? null;
        return { ...directive, audience, seq, ...(source === null ? {} : { source }) };
      });
      // Copied as JSON now: later changes of the caller must not reach a replay.
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
    if (!isUp)
      throw new Error(
        '[edict] Simulation: the hub is stopped, so nothing was emitted. Call hub.start() first.',
      );
    if (!Array.isArray(directives))
      throw new TypeError(
        `[edict] Simulation: emit accepts a list of directives, but received ${directives === null ? 'null' : typeof directives}`,
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
    heartbeatMs: settings.heartbeatMs,
    refusal() {
      if (refusal === null) return null;
      const { what } = refusal;
      refusal.left -= 1;
      if (refusal.left <= 0) refusal = null;
      return what;
    },
    subscribe({ clientId, audiences }, end) {
      const connection: Connection = {
        clientId,
        audiences: audiences.map(({ audience }) => audience),
        end,
        lastFrameAt: new Map(audiences.map(({ audience }) => [audience, clock.now()])),
      };
      let opening = '';
      let greetings = '';
      for (const { audience, cursor } of audiences) {
        const { replay, seq, recovered } = logOf(audience).open(cursor);
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
        checkOptions('hub.refuse: ', ofRefusal, what);
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
