// The metrics of a hub (D-HUB-8): their types, the Prometheus text format, and how an outbox adds its own.

/** The rows that an outbox has not delivered yet. */
export interface OutboxMetrics {
  /** The age of the oldest waiting row in milliseconds; 0 when no row waits. */
  oldestAgeMs: number;
  /** The number of waiting rows. */
  pending: number;
}

/** Metrics of a hub. `connections`, `stalled`, `audiences`, `backplane` and `outbox` are current values. The others count from the start. */
export interface HubMetrics {
  /** Open streams. */
  connections: number;
  /** Streams that were opened. */
  connects: number;
  /** Lists that were emitted. */
  emits: number;
  /** Lists that `emit` rejected, because they were wrong or because the backplane did not confirm them. */
  emitErrors: number;
  /** Envelopes that were written, counted once per stream. */
  deliveries: number;
  /** Bytes that were written to streams. */
  bytes: number;
  /** Open streams whose socket has been full for at least 1 s. */
  stalled: number;
  /** Streams that were destroyed because their socket stayed full. */
  destroyed: number;
  /** Cursors that could be replayed from the log, counted once per audience of a stream. */
  replayHits: number;
  /** Cursors that were too old to be replayed from the log. */
  replayMisses: number;
  /** Requests that were refused, by the `code` of the response. */
  refusals: Record<string, number>;
  /** Audiences that the backplane keeps or reads for this process. */
  audiences: number;
  /** The connection to the backplane. */
  backplane: {
    /** False while reads or appends are refused. */
    healthy: boolean;
    /** Milliseconds between the append of the newest envelope and its delivery by this process. */
    lagMs: number;
  };
  /** Present while a relay of `@edict/server/postgres` is attached. */
  outbox?: OutboxMetrics;
}

/**
 * A relay finds the hub's registration under this name. It is a global symbol because each entry point of the package contains its own
 * copy of this module.
 */
const outboxes: unique symbol = Symbol.for('@edict/server/outboxes');

/** The part of a hub that relays use. */
export interface OutboxHost {
  readonly [outboxes]: Set<() => OutboxMetrics>;
}

/** Creates the member under which relays register. */
export function outboxHost(): OutboxHost {
  return { [outboxes]: new Set() };
}

/**
 * Adds an outbox to the hub's metrics, and returns a function that removes it. Ignores an object without the
 * member, such as a test double `{ emit }`.
 */
export function attachOutbox(hub: object, read: () => OutboxMetrics): () => void {
  const readers = outboxes in hub ? (hub as OutboxHost)[outboxes] : null;
  readers?.add(read);
  return () => void readers?.delete(read);
}

/** The sum of the attached outboxes; null when there is none. */
export function outboxMetrics(host: OutboxHost): OutboxMetrics | null {
  const all = Array.from(host[outboxes], (read) => read());
  if (all.length === 0) return null;
  return {
    oldestAgeMs: Math.max(...all.map(({ oldestAgeMs }) => oldestAgeMs)),
    pending: all.reduce((sum, { pending }) => sum + pending, 0),
  };
}

type Sample = readonly [labels: string, value: number];

const counter = (name: string, help: string, samples: number | readonly Sample[]): string =>
  family(`edict_${name}_total`, 'counter', help, samples);
const gauge = (name: string, help: string, value: number): string =>
  family(`edict_${name}`, 'gauge', help, value);

function family(name: string, type: string, help: string, value: number | readonly Sample[]): string {
  const samples: readonly Sample[] = typeof value === 'number' ? [['', value]] : value;
  const lines = samples.map(([labels, sample]) => `${name}${labels} ${sample}\n`);
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join('')}`;
}

/** The metrics in the Prometheus text format, version 0.0.4. Times are in seconds, as Prometheus recommends. */
export function prometheusText(metrics: HubMetrics): string {
  const { backplane, outbox } = metrics;
  const refusals = Object.entries(metrics.refusals).map(([code, count]): Sample => [
    `{code="${code}"}`,
    count,
  ]);
  return [
    gauge('connections', 'Open streams.', metrics.connections),
    counter('connects', 'Streams that were opened.', metrics.connects),
    counter('emits', 'Lists of directives that were emitted.', metrics.emits),
    counter('emit_errors', 'Lists of directives that were rejected.', metrics.emitErrors),
    counter('deliveries', 'Envelopes written to streams.', metrics.deliveries),
    counter('sent_bytes', 'Bytes written to streams.', metrics.bytes),
    gauge('stalled_connections', 'Streams whose socket has been full for 1 s or more.', metrics.stalled),
    counter('destroyed', 'Streams destroyed because their socket stayed full.', metrics.destroyed),
    counter('replay_hits', 'Cursors that could be served from the log.', metrics.replayHits),
    counter('replay_misses', 'Cursors that the log no longer reached.', metrics.replayMisses),
    counter('refusals', 'Requests that were refused, by code.', refusals),
    gauge('audiences', 'Audiences that the backplane keeps or reads.', metrics.audiences),
    gauge('backplane_healthy', '1 while reads and appends succeed, else 0.', Number(backplane.healthy)),
    gauge(
      'backplane_lag_seconds',
      'Age of the newest envelope when it was delivered.',
      backplane.lagMs / 1000,
    ),
    ...(outbox === undefined
      ? []
      : [
          gauge('outbox_oldest_age_seconds', 'Age of the oldest waiting row.', outbox.oldestAgeMs / 1000),
          gauge('outbox_pending', 'Rows that wait for delivery.', outbox.pending),
        ]),
  ].join('');
}
