// The interface between the React benchmark and a library: a hook for a row, functions that write items, a mutation, and the number of
// listeners.

import type { ComponentType, ReactNode } from 'react';

export interface Item {
  readonly id: number;
  readonly version: number;
  readonly title: string;
}

export interface Screen {
  readonly Provider: ComponentType<{ children: ReactNode }>;
  /** The hook that a row calls. Returns the cached item. */
  readonly useRow: (id: number) => Item | undefined;
  /** Caches the items as fresh before a component mounts. It is not timed. */
  readonly seed: (items: readonly Item[]) => Promise<void> | void;
  /** Creates a message with one new item. The returned function delivers it. */
  readonly write: (item: Item) => () => void;
  /** Creates a message with many new items. The returned function delivers it in the library's fastest way for many items. */
  readonly writeAll: (items: readonly Item[]) => () => void;
  /** Changes an item as a user would. It calls `putItem`, and then the library fetches the item again. */
  readonly mutate: (item: Item) => Promise<unknown>;
  /** The number of subscriptions. */
  readonly listeners: () => number;
  /** Ends timers and connections, which would keep the data of a round in memory during the next one. */
  readonly dispose?: () => void;
}

export type CreateScreen = () => Screen;
