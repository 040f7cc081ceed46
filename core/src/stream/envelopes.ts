// Handles the envelopes of every transport: the event stream and custom sources. The number of an envelope is
// checked before any filter. Then its directives are applied (D-SSE-6 to D-SSE-11).

import type { Directives } from '../directives/apply.ts';
import type { OwnEchoes } from '../directives/ownEchoes.ts';
import { dev, fail } from '../config/describe.ts';
import type { Base } from '../platform/base.ts';
import { DEFAULT_AUDIENCE } from '../protocol/names.ts';
import type { Audiences } from './audiences.ts';
import type { Resync } from './resync.ts';
import { isSeq, readEnvelope, type ReadEnvelope } from './readEnvelope.ts';

export interface Envelopes {
  /**
   * A transport has connected. The envelopes that follow belong to a new connection. A resync that is due is
   * scheduled.
   */
  connected: Audiences['connected'];
  /** Never throws. An unreadable envelope emits `sse:message-error` and changes nothing (D-SSE-11). */
  ingest: (envelope: unknown) => void;
  /** The same for the JSON text of an envelope. Returns the envelope, or null. */
  receive: (data: string) => ReadEnvelope | null;
}

interface Needs extends Base {
  directives: Directives;
  audiences: Audiences;
  ownEchoes: OwnEchoes;
  resync: Resync;
}

export function createEnvelopes(needs: Needs): Envelopes {
  const { env, lifecycle, directives, audiences, ownEchoes, resync } = needs;

  /**
   * An envelope without an audience is for `global` (document §4.6). A client that subscribes to exactly one other audience counts it for that
   * one. With several, the audience is unknown: the envelope is applied and not counted.
   */
  function audienceOfEnvelope({ audience }: ReadEnvelope): string | null {
    if (audience !== null || audiences.isSubscribed(DEFAULT_AUDIENCE)) return audience ?? DEFAULT_AUDIENCE;
    const names = audiences.subscribed();
    return names.length > 1 ? null : (names[0] ?? null);
  }

  function apply(envelope: ReadEnvelope): void {
    const { source, directives: list } = envelope;
    const seq = isSeq(envelope.seq) ? envelope.seq : null;
    const audience = audienceOfEnvelope(envelope);
    const isCounted = seq !== null && audience !== null && audiences.isSubscribed(audience);
    const gap = isCounted ? audiences.count(audience, seq, envelope) : null;
    if (list.length > 0) directives.apply(list, { path: 'push', audience, source, seq });
    if (gap !== null) resync.schedule(gap);
    if (seq !== envelope.seq) fail('envelope.seq', dev`be a safe integer of at least 0`, envelope.seq);
  }

  /** @param data an envelope, or its text */
  function accept(data: unknown, isParsed: boolean): ReadEnvelope | null {
    let envelope: ReadEnvelope | null = null;
    try {
      envelope = readEnvelope(isParsed ? data : JSON.parse(data as string));
      if (envelope !== null) apply(envelope);
    } catch (error) {
      if (process.env.NODE_ENV !== 'production') env.log('warn', 'An envelope cannot be read.', error);
      lifecycle.emit('sse:message-error', { data, error });
    }
    return envelope;
  }

  return {
    connected(isLate) {
      audiences.connected(isLate);
      ownEchoes.connected();
      resync.resume();
    },
    ingest: (envelope) => void accept(envelope, true),
    receive: (data) => accept(data, false),
  };
}
