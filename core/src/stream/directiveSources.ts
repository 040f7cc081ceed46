// Custom sources in place of the event stream (document §4.3). Messages that a source delivers after its end are ignored.

import { call } from '../platform/callbacks.ts';
import type { Base } from '../platform/base.ts';
import type { Envelopes } from './envelopes.ts';
import { isFunction, isName, must } from '../config/checks.ts';
import { dev, fail } from '../config/describe.ts';
import type { SseClient } from './client.ts';
import type { CustomSource } from '../parts.ts';
import type { DirectiveSource } from '../types/delivery.ts';

export interface DirectiveSources {
  /**
   * `init` has run. Connects the custom source, or the stream if `connectOnInit` is true. Later calls do nothing.
   */
  start: () => void;
  /** Replaces the stream with a source. Null returns to the stream. */
  configure: (source: DirectiveSource | null) => void;
  /** Connects the custom source if it is not connected. */
  connect: () => void;
  disconnect: () => void;
  /** The custom source, or null if the stream is used. */
  info: () => CustomSource | null;
}

/** The state that survives a reset of the data layer. */
export interface SourceState {
  source: DirectiveSource | null;
  /** Whether `init` has run. */
  hasStarted: boolean;
  /** Whether the stream replaces the source when it ends. */
  wantsStream: boolean;
}

interface Needs extends Base {
  sourceState: SourceState;
  envelopes: Envelopes;
  applyDirectives: (directives: readonly unknown[]) => Promise<void>;
  sse: SseClient;
}

/** One connection. `end` is the function that `connect` of the source returned. */
interface Link {
  readonly type: string;
  end?: (() => void) | void;
}

export function createDirectiveSources(needs: Needs): DirectiveSources {
  const { env, sourceState, envelopes, sse } = needs;
  let link: Link | null = null;

  function guarded(own: Link, run: () => unknown): void {
    call(run, (error) => {
      if (link === own) link = null; // So that a second call of connect tries again.
      env.log('error', `The directive source "${own.type}" failed.`, error);
    });
  }

  function connect(): void {
    const { source: current } = sourceState;
    if (current === null || link !== null || needs.disposed.aborted) return;
    const own: Link = (link = { type: current.type });
    const isCurrent = (): boolean => link === own;
    envelopes.connected(); // D-SSE-6
    guarded(own, () => {
      own.end = current.connect({
        clientId: needs.clientId(),
        applyDirectives: async (directives) => (isCurrent() ? needs.applyDirectives(directives) : undefined),
        ingestEnvelope: (envelope) => isCurrent() && envelopes.ingest(envelope),
      });
      if (!isCurrent()) own.end?.(); // The source was disconnected while it connected.
      return own.end; // In JavaScript, connect may be async. Its rejection is logged too.
    });
    if (process.env.NODE_ENV !== 'production' && own.end !== undefined)
      guarded(own, () => must('the result of connect', isFunction, own.end));
  }

  function disconnect(): void {
    const ended = link;
    link = null;
    if (ended !== null) guarded(ended, () => ended.end?.());
  }

  return {
    start() {
      if (sourceState.hasStarted) return;
      const { connectOnInit } = needs.settings().sse;
      sourceState.hasStarted = true;
      sourceState.wantsStream ||= connectOnInit;
      if (sourceState.source !== null) connect();
      else if (connectOnInit) sse.connect();
    },
    configure(next) {
      const expected = dev`be given { type, connect(api) }, or null to return to the event stream`;
      if (process.env.NODE_ENV !== 'production')
        if (next !== null && !(isName(next?.type) && isFunction(next.connect)))
          fail('configureDirectiveSource: it', expected, next);
      const previous = sourceState.source;
      sourceState.source = null; // A source that reconnects as soon as it is closed stays closed.
      disconnect();
      sourceState.source = next;
      if (next !== null) {
        sourceState.wantsStream ||= sse.info().status !== 'off';
        sse.disconnect('configure');
        if (sourceState.hasStarted) connect();
      } else if (previous !== null && sourceState.wantsStream) sse.connect();
    },
    connect,
    disconnect,
    info: () => sourceState.source && { type: sourceState.source.type, isConnected: link !== null },
  };
}
