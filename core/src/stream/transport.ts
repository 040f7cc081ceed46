// Custom sources in place of the event stream (document §4.3). Messages that a source delivers after its end are ignored.

import { call } from '../platform/callbacks.ts';
import type { Env } from '../platform/env.ts';
import type { Envelopes } from './envelopes.ts';
import { aFunction, isFunction, isName, must } from '../config/checks.ts';
import { fail } from '../config/describe.ts';
import type { SseClient } from './client.ts';
import type { CustomSource } from '../internals.ts';
import type { DirectiveSource } from '../types/delivery.ts';

export interface DirectiveSources {
  /** `init` has run: connects the custom source, or the stream with `connectOnInit`. Later calls do nothing. */
  start: (connectOnInit: boolean) => void;
  /** Replaces the stream with a source, or with null the source with the stream. Throws a `TypeError` for anything else. */
  configure: (source: DirectiveSource | null) => void;
  /** Connects the custom source, unless connected. */
  connect: () => void;
  disconnect: () => void;
  /** The custom source, or null with the stream. */
  info: () => CustomSource | null;
  dispose: () => void;
}

interface Needs {
  env: Env;
  envelopes: Envelopes;
  applyDirectives: (directives: readonly unknown[]) => Promise<void>;
  clientId: () => string;
  sse: SseClient;
}

/** One connection of a source. `end` is the function that the source returned. */
interface Link {
  readonly of: DirectiveSource;
  end: (() => void) | null;
}

export function createDirectiveSource(needs: Needs): DirectiveSources {
  const { envelopes, sse } = needs;
  let source: DirectiveSource | null = null;
  let link: Link | null = null;
  let hasStarted = false;
  let wantsStream = false;
  let isDisposed = false;

  function guarded({ of }: Link, what: string, run: () => unknown): void {
    call(run, (error) =>
      needs.env.log('error', `the directive source "${of.type}" threw while ${what}`, error),
    );
  }

  function connect(): void {
    if (source === null || link !== null || isDisposed) return;
    const own: Link = { of: source, end: null };
    link = own;
    const isCurrent = (): boolean => link === own;
    envelopes.newConnection(); // D-SSE-6
    guarded(own, 'connecting', () => {
      let end: (() => void) | void;
      try {
        end = own.of.connect({
          clientId: needs.clientId(),
          applyDirectives: (directives) =>
            isCurrent() ? needs.applyDirectives(directives) : Promise.resolve(),
          ingestEnvelope: (envelope) => {
            if (isCurrent()) envelopes.ingest(envelope);
          },
        });
      } catch (error) {
        if (isCurrent()) link = null; // So that a second call tries again.
        throw error;
      }
      // In JavaScript, connect may be async. Nothing could then end the connection that it makes.
      if ((end as unknown) instanceof Promise) {
        call(
          () => end,
          () => undefined, // The next line reports the fault already.
        );
        must('the result of connect', aFunction, end);
      }
      if (typeof end !== 'function') return;
      if (isCurrent()) own.end = end;
      else end(); // The source was disconnected while it connected.
    });
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
      else if (connectOnInit) sse.begin();
    },
    configure(next) {
      if (next !== null && !(isName(next?.type) && isFunction(next.connect))) {
        fail(
          'configureDirectiveSource: it',
          'be given { type, connect(api) }, or null to return to the event stream',
          next,
        );
      }
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
    info: () => (source === null ? null : { type: source.type, isConnected: link !== null }),
    dispose() {
      isDisposed = true;
      disconnect();
    },
  };
}
