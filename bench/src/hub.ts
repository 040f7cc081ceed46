// A hub in the same process. Messages are parsed before they are delivered, so that no measurement includes parsing.

import type { DataLayer } from '@edict/core';

export interface Envelope {
  readonly directives: readonly object[];
}

export interface Hub {
  /** Returns an envelope with the directives and everything that a hub adds to them. */
  emit: (directives: readonly object[], source?: string) => Envelope;
  deliver: (envelope: Envelope) => void;
  /** Emits a message, and returns the function that delivers it. */
  message: (directives: readonly object[]) => () => void;
}

const audience = 'global';
const parsed = (envelope: Envelope): Envelope => JSON.parse(JSON.stringify(envelope)) as Envelope; // Has a JSON form.

/** Connects a data layer to a hub of its own, over a transport. Call it before `init`. */
export function connectHub(dl: DataLayer): Hub {
  let seq = 1_700_000_000_000_000;
  let deliver: Hub['deliver'] = () => undefined;
  const envelope = (directives: readonly object[], more: object): Envelope =>
    parsed({ type: 'directives', seq, audience, directives, ...more } as Envelope);
  dl.configureDirectiveSource({
    type: 'bench',
    connect({ ingestEnvelope }) {
      deliver = ingestEnvelope;
      deliver(envelope([], { recovered: true, heartbeat_ms: 15_000 }));
    },
  });
  const hub: Hub = {
    emit(directives, source = 'another-client') {
      seq++;
      const stamps = (): object => ({ idempotency_key: crypto.randomUUID(), source, audience, seq });
      return envelope(
        directives.map((directive) => ({ ...directive, ...stamps() })),
        {},
      );
    },
    deliver: (each) => deliver(each),
    message(directives) {
      const sent = hub.emit(directives);
      return () => deliver(sent);
    },
  };
  return hub;
}
