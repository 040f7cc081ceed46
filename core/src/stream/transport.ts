// Custom transports in the place of the event stream (document §4.3). Once a transport was told to end, what it still
// brings is ignored.

import { call } from '../platform/callbacks.ts';
import type { Env } from '../platform/env.ts';
import type { Envelopes } from './envelopes.ts';
import { aFunction, isFunction, isName, must } from '../config/checks.ts';
import { fail } from '../config/describe.ts';
import type { SseClient } from './client.ts';
import type { CustomSource } from '../internals.ts';
import type { DirectiveSource } from '../types/delivery.ts';

export interface DirectiveSources {
  /** `init` has run: connects the custom source, else the stream if `connectOnInit`. Later calls do nothing. */
  start: (connectOnInit: boolean) => void;
  /** Replaces the stream by a source, or with null the source by the stream. Throws a `TypeError` for what is no source. */
  configure: (source: DirectiveSource | null) => void;
  /** Connects the custom source, unless connected. */
  connect: () => void;
  disconnect: () => void;
  /** The custom source; null: the stream. */
  info: () => CustomSource | null;
  dispose: () => void;
}

/** One connection of a source; `end` is what the transport gave to end it. */
interface Link {
  readonly of: DirectiveSource;
  end: (() => void) | null;
}

export function createDirectiveSource(
  env: Env,
  envelopes: Envelopes,
  applyDirectives: (directives: readonly unknown[]) => Promise<void>,
  clientId: () => string,
  sse: SseClient,
): DirectiveSources {
  let source: DirectiveSource | null = null;
  let link: Link | null = null;
  let hasStarted = false;
  let wantsStream = false;
  let isDisposed = false;

  function guarded({ of }: Link, what: string, run: () => unknown): void {
    call(run, (error) => env.log('error', `the directive source "${of.type}" threw while ${what}`, error));
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
          clientId: clientId(),
          applyDirectives: (directives) => (isCurrent() ? applyDirectives(directives) : Promise.resolve()),
          ingestEnvelope: (envelope) => {
            if (isCurrent()) envelopes.ingest(envelope);
          },
        });
      } catch (error) {
        if (isCurrent()) link = null; // So that it can be tried again.
        throw error;
      }
      // An asynchronous connect, in JavaScript: nothing could end what it makes.
      if ((end as unknown) instanceof Promise) {
        call(
          () => end,
          () => undefined, // The next line reports the fault already.
        );
        must('what connect returns', aFunction, end);
      }
      if (typeof end !== 'function') return;
      if (isCurrent()) own.end = end;
      else end(); // It was ended while it connected.
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
      source = null; // One that connects again as soon as it is closed has had its time.
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
