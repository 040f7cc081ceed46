// Custom sources in place of the event stream (document §4.3). Messages that a source delivers after its end are ignored.

import { call } from '../platform/callbacks.ts';
import type { Env } from '../platform/env.ts';
import type { Envelopes } from './envelopes.ts';
import { aFunction, isFunction, isName, must } from '../config/checks.ts';
import { fail } from '../config/describe.ts';
import type { SseClient } from './client.ts';
import type { CustomSource } from '../internals.ts';
import type { DirectiveSource } from '../types/delivery.ts';

declare const process: { env: { NODE_ENV?: string } };

export interface DirectiveSources {
  /** `init` has run: connects the custom source, or the stream with `connectOnInit`. Later calls do nothing. */
  start: (connectOnInit: boolean) => void;
  /** Replaces the stream with a source, or with null the source with the stream. */
  configure: (source: DirectiveSource | null) => void;
  /** Connects the custom source, unless connected. */
  connect: () => void;
  disconnect: () => void;
  /** The custom source, or null with the stream. */
  info: () => CustomSource | null;
  /** What `resume` of another session needs. */
  connection: () => Connection;
  resume: (connection: Connection) => void;
}

/** How a session was connected. */
export interface Connection {
  readonly source: DirectiveSource | null;
  readonly hasStarted: boolean;
  readonly isLinked: boolean;
  /** Whether the stream takes over when the source ends, and whether it is wanted now. */
  readonly wantsStream: boolean;
  readonly isStreamWanted: boolean;
}

interface Needs {
  env: Env;
  envelopes: Envelopes;
  applyDirectives: (directives: readonly unknown[]) => Promise<void>;
  clientId: () => string;
  disposed: AbortSignal;
  sse: SseClient;
}

/** One connection. `end` is the function that the source returned. */
interface Link {
  readonly type: string;
  end?: (() => void) | void;
}

export function createDirectiveSource({ env, envelopes, sse, ...needs }: Needs): DirectiveSources {
  let source: DirectiveSource | null = null;
  let link: Link | null = null;
  let hasStarted = false;
  let wantsStream = false;

  function guarded(own: Link, what: string, run: () => unknown): void {
    call(run, (error) => {
      if (link === own) link = null; // So that a second call of connect tries again.
      env.log('error', `the directive source "${own.type}" threw while ${what}`, error);
    });
  }

  function connect(): void {
    const current = source;
    if (current === null || link !== null || needs.disposed.aborted) return;
    const own: Link = (link = { type: current.type });
    const isCurrent = (): boolean => link === own;
    envelopes.connected(); // D-SSE-6
    guarded(own, 'connecting', () => {
      own.end = current.connect({
        clientId: needs.clientId(),
        applyDirectives: async (directives) => (isCurrent() ? needs.applyDirectives(directives) : undefined),
        ingestEnvelope: (envelope) => isCurrent() && envelopes.ingest(envelope),
      });
      if (!isCurrent()) own.end?.(); // The source was disconnected while it connected.
      return own.end; // In JavaScript, connect may be async. Its rejection is logged too.
    });
    if (process.env.NODE_ENV !== 'production' && own.end !== undefined)
      guarded(own, 'connecting', () => must('the result of connect', aFunction, own.end));
  }

  function disconnect(): void {
    const ended = link;
    link = null;
    if (ended !== null) guarded(ended, 'ending', () => ended.end?.());
  }

  return {
    start(connectOnInit) {
      if (hasStarted) return;
      hasStarted = true;
      wantsStream ||= connectOnInit;
      if (source !== null) connect();
      else if (connectOnInit) sse.connect();
    },
    configure(next) {
      if (process.env.NODE_ENV !== 'production')
        if (next !== null && !(isName(next?.type) && isFunction(next.connect)))
          fail(
            'configureDirectiveSource: it',
            'be given { type, connect(api) }, or null to return to the event stream',
            next,
          );
      const previous = source;
      source = null; // A source that reconnects as soon as it is closed stays closed.
      disconnect();
      source = next;
      if (next !== null) {
        wantsStream ||= sse.info().status !== 'off';
        sse.disconnect('configure');
        if (hasStarted) connect();
      } else if (previous !== null && wantsStream) sse.connect();
    },
    connect,
    disconnect,
    connection: () => ({
      ...{ source, hasStarted, wantsStream },
      ...{ isLinked: link !== null, isStreamWanted: sse.isWanted() },
    }),
    resume(connection) {
      ({ source, hasStarted, wantsStream } = connection);
      if (connection.isLinked) connect();
      else if (connection.isStreamWanted) sse.connect();
    },
    info: () => (source === null ? null : { type: source.type, isConnected: link !== null }),
  };
}
