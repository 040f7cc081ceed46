// The orders that the main program sends to a server and to its clients.

/** How a server emits: some messages in one turn of the loop, then a wait, then the next turn. */
export interface Emitting {
  /** The number of turns in which messages are emitted. */
  turns: number;
  /** The number of messages in each of these turns. */
  burst: number;
  /** The wait between two of these turns in milliseconds. With null, it lasts until the loop is at rest. */
  pauseMs: number | null;
  /** The size of the inline result in bytes. */
  bytes: number;
}

/** How a server emits at a steady rate. */
export interface Steady {
  /** Lists of directives per second. */
  rate: number;
  seconds: number;
  /** The size of the inline result in bytes. */
  bytes: number;
}

export type ServerOrder =
  | { do: 'listen' }
  | { do: 'connections' }
  | { do: 'cpu' }
  /** Collects garbage, and then emits. */
  | ({ do: 'emit' } & Emitting)
  /** Waits until the loop is at rest, and returns the CPU time since the last `emit` began, in microseconds. */
  | { do: 'spent' }
  /** Emits, and returns the longest time that the loop was blocked. */
  | ({ do: 'watch' } & Emitting)
  | ({ do: 'steady' } & Steady)
  /** Waits until sent messages have left the process, and returns its memory. */
  | { do: 'memory' };

export interface Memory {
  heap: number;
  /** The heap, the buffers, and the memory of C++ objects. */
  all: number;
  rss: number;
}

export type ClientOrder =
  | { do: 'connect'; port: number; count: number }
  /** Ends all connections except the first `keep`. The default is 0. */
  | { do: 'disconnect'; keep?: number }
  /** Stops reading on this many connections. */
  | { do: 'stall'; count: number }
  | { do: 'resume' }
  | { do: 'received' }
  | { do: 'forget' };

export interface Received {
  /** The messages that arrived on all connections that were not stalled. */
  messages: number;
  /** The messages that arrived on stalled connections. */
  stalledMessages: number;
  /** The empty envelopes that arrived on all connections: greetings and heartbeats. */
  beats: number;
  /** The empty envelopes on the connection that received the fewest. */
  fewestBeats: number;
  /** The last sequence number of the connection that is furthest behind. The number is from the hub, or from the emit. */
  lowestSeq: number;
  /** The last sequence number of the connection that is furthest ahead. */
  highestSeq: number;
  /** The median age of the messages at their arrival, in milliseconds. */
  p50: number;
  /** The 99th percentile of these ages. */
  p99: number;
  /** The arrival time of the last message, in milliseconds since the epoch. */
  lastAt: number;
  open: number;
}
