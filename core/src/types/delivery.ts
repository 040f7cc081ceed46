// How directives arrive, and what they touch.

import type { Id } from '../protocol/directive.ts';

/** One thing a directive touched (D-DIR-4). */
export type Target =
  | {
      /** An item's level. */
      kind: 'item';
      /** The type's name. */
      type: string;
      /** As first given. */
      id: Id;
      /** `'default'` where none was given. */
      level: string;
    }
  | {
      /** A collection's entry. */
      kind: 'collection';
      /** The collection's name. */
      name: string;
      /** Undefined where there are none. */
      params: object | undefined;
    };

/** How directives came. `pull`: in the answer to this client's own mutation, where its own `source` does not matter. `push`: any other way (D-SRC-2). */
export type DirectivePath = 'push' | 'pull';

/** Another way for directives to arrive (document §4.3). */
export interface DirectiveSource {
  /** A name for logs and tools, such as `websocket`. */
  type: string;
  /** Called once per connection; returns what ends it. */
  connect: (api: DirectiveSourceApi) => (() => void) | void;
}

/** What a custom transport gets. */
export interface DirectiveSourceApi {
  /** A bare list, without a number: as `applyDirectives` of the data layer with path `push`. */
  applyDirectives: (directives: readonly unknown[]) => Promise<void>;
  /** One envelope: sequence, source and audience rules apply. */
  ingestEnvelope: (envelope: unknown) => void;
  /** This client's id, for the server to use as `source`. */
  readonly clientId: string;
}
