// The interface between the benchmarks and a server of event streams. All servers send the same JSON, with one event `message` for each emit.

export interface Feed {
  /** Starts on a free port of the loopback interface, and resolves to the port. */
  listen: () => Promise<number>;
  /** Sends one message to all clients. It has one directive, with `body` as its inline result. */
  emit: (seq: number, body: string) => void;
  connections: () => number;
}

/** An envelope like the one of the hub, for the servers that do not create envelopes. */
export const envelopeOf = (seq: number, body: string): object => ({
  type: 'directives',
  seq,
  audience: 'global',
  directives: [
    {
      op: 'refresh_item',
      name: 'ticket',
      id: seq,
      result: body,
      timestamp: stamp(),
      audience: 'global',
      seq,
      idempotency_key: crypto.randomUUID(),
    },
  ],
});

/** Milliseconds since the epoch, with the full resolution of the clock, because two processes on one machine compare these times. */
export const stamp = (): number => performance.timeOrigin + performance.now();
