// How directives arrive, and which entries they affect.

import type { Id } from '../protocol/directive.ts';

/** One level of an item. */
export interface ItemLevel {
  /** The name of the type. */
  type: string;
  /** The id, as it was first passed. */
  id: Id;
  /** The level. `'default'` if none was named. */
  level: string;
}

/** An entry of a collection. */
export interface CollectionEntry {
  /** The name of the collection. */
  name: string;
  /** The params. Undefined if there are none. */
  params: object | undefined;
}

/** One entry that a directive affects. */
export type Target =
  | (ItemLevel & {
      /** One level of an item. */
      kind: 'item';
    })
  | (CollectionEntry & {
      /** An entry of a collection. */
      kind: 'collection';
    });

/**
 * How directives arrive. `pull`: in the response to a mutation of this client. Directives with its own `source`
 * are then applied. `push`: in any other way.
 */
export type DirectivePath = 'push' | 'pull';

/** A custom transport for directives. */
export interface DirectiveSource {
  /** A name for logs and tools, such as `websocket`. */
  type: string;
  /** Called once for each connection. Returns a function that ends the connection. */
  connect: (api: DirectiveSourceApi) => (() => void) | void;
}

/** The argument of `connect`. */
export interface DirectiveSourceApi {
  /** Applies a list without a sequence number, like `applyDirectives` of the data layer with path `push`. */
  applyDirectives: (directives: readonly unknown[]) => Promise<void>;
  /** Accepts one envelope. The rules for sequence, source, and audience apply. */
  ingestEnvelope: (envelope: unknown) => void;
  /** The id of this client. The server uses it as `source`. */
  readonly clientId: string;
}
