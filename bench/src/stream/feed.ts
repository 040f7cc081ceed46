// What a server of event streams must do to be measured. All of them send the same JSON, one event `message` an emit.

export interface Feed {
  /** Starts on a free port of the loopback. */
  listen: () => Promise<number>;
  /** Sends one message to all; `body` is the inline result of its one directive. */
  emit: (seq: number, body: string) => void;
  connections: () => number;
}

/** The envelope as the hub makes it, for those that have none of their own. */
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

/** Milliseconds since the epoch, as fine as the clock is: two processes of one machine compare it. */
export const stamp = (): number => performance.timeOrigin + performance.now();
