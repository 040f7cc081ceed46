// Messages as a hub sends them. Their text is parsed before the clock starts, because the message of every library is.

export interface Hub {
  /** The first envelope of a connection. */
  greeting: () => unknown;
  /** The envelope of one emit, with everything that the hub adds. */
  envelope: (directives: readonly object[]) => unknown;
}

const parsed = (envelope: object): unknown => JSON.parse(JSON.stringify(envelope));

export function createHub(): Hub {
  const audience = 'global';
  let seq = 1_700_000_000_000_000;
  return {
    greeting: () =>
      parsed({ type: 'directives', seq, audience, recovered: true, heartbeat_ms: 15_000, directives: [] }),
    envelope(directives) {
      seq++;
      return parsed({
        type: 'directives',
        seq,
        audience,
        directives: directives.map((directive) => ({
          ...directive,
          idempotency_key: crypto.randomUUID(),
          source: 'another-client',
          audience,
          seq,
        })),
      });
    },
  };
}
