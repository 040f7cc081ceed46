// What the comparing program asks of a server and of its clients.

/** How a server is to emit: so many messages in one turn of the loop, then a wait, and again. */
export interface Emitting {
  /** Turns in which something is emitted. */
  turns: number;
  /** Messages of each of them. */
  burst: number;
  /** Milliseconds from one to the next; null: as soon as the loop is at rest. */
  pauseMs: number | null;
  /** Bytes of the inline result. */
  bytes: number;
}

/** How a server is to emit at a steady rate: lists a second, for so many seconds. */
export interface Steady {
  rate: number;
  seconds: number;
  /** Bytes of the inline result. */
  bytes: number;
}

export type ServerOrder =
  | { do: 'listen' }
  | { do: 'connections' }
  | { do: 'cpu' }
  /** Collects garbage and emits. */
  | ({ do: 'emit' } & Emitting)
  /** Waits for the loop to rest, then answers with the microseconds on a core since that emit began. */
  | { do: 'spent' }
  /** Emits and watches for how long the loop is held at a time. */
  | ({ do: 'watch' } & Emitting)
  /** Emits at a steady rate. */
  | ({ do: 'steady' } & Steady)
  /** Waits until what was sent has left the process, then answers with its heap. */
  | { do: 'memory' };

export interface Memory {
  heap: number;
  /** Heap, buffers and what C++ holds. */
  all: number;
  rss: number;
}

export type ClientOrder =
  | { do: 'connect'; port: number; count: number }
  /** Ends all connections but the first `keep`, by default none. */
  | { do: 'disconnect'; keep?: number }
  /** Stops reading on this many of the connections. */
  | { do: 'stall'; count: number }
  | { do: 'resume' }
  | { do: 'received' }
  | { do: 'forget' };

export interface Received {
  /** Messages that arrived, over all connections that read. */
  messages: number;
  /** Of connections that were stalled. */
  stalledMessages: number;
  /** Empty envelopes that arrived, over all connections: greetings and heartbeats. */
  beats: number;
  /** Of the connection that got fewest of them. */
  fewestBeats: number;
  /** The lowest highest number seen on any connection: the hub's number, or the emit's. */
  lowestSeq: number;
  highestSeq: number;
  /** Ages of messages when they arrived, milliseconds. */
  p50: number;
  p99: number;
  /** When the last message arrived, milliseconds since the epoch. */
  lastAt: number;
  open: number;
}
