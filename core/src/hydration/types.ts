// The cache as plain JSON, for server rendering.

import type { Id } from '../protocol/directive.ts';

/** The position of the hub in the sequence of an audience, read before the data. */
export interface Cursor {
  /** The name of the audience. */
  audience: string;
  /** The sequence number of its newest envelope. */
  seq: number;
}

/** What `dehydrate` returns: plain JSON with ages instead of clock times. */
export interface DehydratedState {
  /** The version of this format. */
  readonly v: 1;
  /** The cached items. */
  readonly items: readonly DehydratedItem[];
  /** The cached collection entries. */
  readonly collections: readonly DehydratedCollection[];
  /** The positions of the hub before the data was read. The first connection continues from there. */
  readonly cursors: readonly Cursor[];
}

/** One item. Levels that share a payload are listed together. */
export interface DehydratedItem {
  /** The name of the type. */
  readonly type: string;
  /** The id, as it was first passed. */
  readonly id: Id;
  /** Oldest first. */
  readonly payloads: readonly {
    /** The levels that this payload covers. */
    readonly levels: readonly string[];
    /** The payload. */
    readonly data: unknown;
    /** The age of the payload when the state was created, in milliseconds. */
    readonly ageMs: number;
    /** True if the payload was already stale. */
    readonly stale?: true;
  }[];
}

/** One collection entry. */
export interface DehydratedCollection {
  /** The name of the collection. */
  readonly name: string;
  /** The params. Absent: the entry without params. */
  readonly params?: object;
  /** The ids, as the response contained them. */
  readonly ids: readonly Id[];
  /** The number of all items, on all pages. */
  readonly count: number;
  /** Further data about the list. Absent if there is none. */
  readonly info?: unknown;
  /** The age of the response when the state was created, in milliseconds. */
  readonly ageMs: number;
  /** True if the entry was already stale. */
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
