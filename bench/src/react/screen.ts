// The parts that a library needs to be measured on a screen: a hook for a row, a function that stores a response, a mutation, and the
// number of its listeners.

import type { ComponentType, ReactNode } from 'react';

export interface Item {
  readonly id: number;
  readonly version: number;
  readonly title: string;
}

export interface Screen {
  readonly Provider: ComponentType<{ children: ReactNode }>;
  /** The hook that a row calls: the item as cached. */
  readonly useRow: (id: number) => Item | undefined;
  /** Makes the items cached and fresh before anything is mounted; untimed. */
  readonly seed: (items: readonly Item[]) => Promise<void> | void;
  /** The server sends one item anew. Returns what happens when the message arrives. */
  readonly write: (item: Item) => () => void;
  /** The server sends many items in one message: the best way of the library to take them together. */
  readonly writeAll: (items: readonly Item[]) => () => void;
  /** The user changes an item: `putItem`, and then the library fetches what changed. */
  readonly mutate: (item: Item) => Promise<unknown>;
  /** Subscriptions that are left. */
  readonly listeners: () => number;
  /** Ends what would keep a round's data alive in the next one: timers. */
  readonly dispose?: () => void;
}

export type CreateScreen = () => Screen;
