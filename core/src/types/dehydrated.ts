// The cache as plain JSON (D-REACT-10).

import type { Id } from '../protocol/directive.ts';

/** The hub's place in an audience's sequence, read before the data (D-REACT-10). */
export interface Cursor {
  /** The audience. */
  audience: string;
  /** The number of its newest envelope. */
  seq: number;
}

/** What `dehydrate` gives: plain JSON with ages instead of clock times (D-REACT-10). */
export interface DehydratedState {
  /** The version of this form. */
  readonly v: 1;
  /** The items. */
  readonly items: readonly DehydratedItem[];
  /** The params sets. */
  readonly collections: readonly DehydratedCollection[];
  /** Where the hub stood before the data was read; the first connection goes on from there. */
  readonly cursors: readonly Cursor[];
}

/** One item of a dehydrated state; levels that share a payload stand together. */
export interface DehydratedItem {
  /** The type's name. */
  readonly type: string;
  /** As first given. */
  readonly id: Id;
  /** Oldest first. */
  readonly payloads: readonly {
    /** The levels that this payload answers. */
    readonly levels: readonly string[];
    /** The payload. */
    readonly data: unknown;
    /** Milliseconds since it was applied, when the state was made. */
    readonly ageMs: number;
    /** It was already known to be outdated. */
    readonly stale?: true;
  }[];
}

/** One collection entry of a dehydrated state. */
export interface DehydratedCollection {
  /** The collection's name. */
  readonly name: string;
  /** None: the entry without params. */
  readonly params?: object;
  /** As answered. */
  readonly ids: readonly Id[];
  /** As answered. */
  readonly count: number;
  /** Milliseconds since it was applied, when the state was made. */
  readonly ageMs: number;
  /** It was already known to be outdated. */
  readonly stale?: true;
}

/** Which entry of a dehydrated state to read. */
export type DehydratedKey =
  | {
      /** The name of the type. */
      type: string;
      /** The item. */
      id: Id;
      /** The level that the item must contain. Without one, any level is accepted. */
      level?: string | null | undefined;
    }
  | {
      /** The name of the collection. */
      name: string;
      /** None, null and `{}` are the same. */
      params?: object | null | undefined;
    };
