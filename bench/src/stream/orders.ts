// What the comparing program asks of a server and of its clients.

export type ServerOrder =
  | { do: 'listen' }
  | { do: 'connections' }
  /** Emits one message a turn, `pauseMs` apart (0: the next turn of the loop); watches how long the loop is held, if told. */
  | { do: 'emit'; turns: number; pauseMs: number; bytes: number; isWatched: boolean }
  /** Waits until what was sent has left the process, then answers with its heap. */
  | { do: 'memory' };

export interface Emitted {
  /** Microseconds on a core, of the whole process, from the first emit until the loop is at rest. */
  cpuMicros: number;
  /** Where watched, the longest that the loop was held at a time: milliseconds on a core, so that a busy machine does not count. */
  heldMs: number;
  wallMs: number;
}

export interface Memory {
  heap: number;
  /** Heap, buffers and what C++ holds. */
  all: number;
  rss: number;
}

export type ClientOrder =
  | { do: 'connect'; port: number; count: number }
  | { do: 'disconnect' }
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
  /** The lowest highest number seen on any connection: the hub's number, or the emit's. */
  lowestSeq: number;
  highestSeq: number;
  /** Ages of messages when they arrived, milliseconds. */
  p50: number;
  p99: number;
  open: number;
}
