// One entry as one hook instance reads it: the store that React subscribes to. The tracking state lives in here and not in
// a ref: while rendering nothing is written but this memory of what the entry was last seen as (D-REACT-3).
// Classes, because a closure for each verb would double what a row of a long list costs.

import { deepEqual } from '@edict/core';
import type { Id, Reference } from '@edict/core';
import type { Lens, Look } from './facts.ts';
import { emptyCollection, emptyCollectionData, emptyItem, lookOf, unfetchedCollection } from './facts.ts';
import type { Key } from './layer.ts';
import { readEntry, readState, refOf } from './layer.ts';
import type { Scope } from './scope.ts';
import type { Moment, Select } from './snapshot.ts';
import { Snapshot } from './snapshot.ts';

/** What the one `useSyncExternalStore` binding takes. */
export interface Store<S> {
  readonly subscribe: (callback: () => void) => () => void;
  readonly getSnapshot: () => S;
  readonly getServerSnapshot: () => S;
}

/** How a hook reads its entry. */
export interface Manner {
  /** There is an `id`, and `enabled` is not false; otherwise nothing is fetched or shown (D-REACT-2). */
  readonly isEnabled: boolean;
  readonly isSilent: boolean;
  /** Suspense hooks wait for what a dehydrated state lacks; the others show it as loading, as the server did. */
  readonly suspends: boolean;
  /** A row of `useItems`, which has no `refresh` of its own. */
  readonly isRow: boolean;
}

const manners: Manner[] = [];

/** The same object for the same manner: sources are told apart by it, in every render of every row. */
export function mannerOf(isEnabled: boolean, isSilent: boolean, kind: 'plain' | 'suspends' | 'row'): Manner {
  const at = (isEnabled ? 1 : 0) + (isSilent ? 2 : 0) + (kind === 'plain' ? 0 : kind === 'row' ? 4 : 8);
  return (manners[at] ??= { isEnabled, isSilent, suspends: kind === 'suspends', isRow: kind === 'row' });
}

/** What a hook instance remembers (slot.ts). */
export interface Slot {
  /** The source that React has subscribed to. */
  committed: Source | null;
  /** Those of renders with other arguments that are not committed. */
  drafts: Source[] | null;
}

const doNothing = (): void => undefined;
const silently = { silent: true };

/** The snapshots of one `select`, or of none. */
class View implements Store<Snapshot> {
  readonly #source: Source;
  readonly select: Select | null;
  readonly subscribe: Store<Snapshot>['subscribe'];
  readonly getServerSnapshot: Store<Snapshot>['getServerSnapshot'];
  #snapshot: Snapshot | null;
  #server: Snapshot | null = null;
  /** The version up to which the snapshot has been compared. */
  #seen: Look | null = null;
  #isOfServer = false;

  constructor(source: Source, select: Select | null, before: Snapshot | null) {
    this.#source = source;
    this.select = select;
    this.subscribe = source.subscribe;
    this.#snapshot = before;
    // Outside a boundary the server's view is that of the entry: rows of a long list go without a function for it.
    this.getServerSnapshot = source.scope.states === null ? this.getSnapshot : () => this.#fromServer();
  }

  get current(): Snapshot | null {
    return this.#snapshot;
  }

  readonly getSnapshot = (): Snapshot => {
    const look = this.#source.look();
    const snapshot = this.#snapshot;
    if (snapshot !== null && look === this.#seen) return snapshot;
    const moment = { look, raw: this.#source.raw() };
    this.#seen = look;
    // Taking over the live entry renders nothing where what was read is deeply equal (D-REACT-10).
    const isEqual = this.#isOfServer ? deepEqual : null;
    this.#isOfServer = false;
    return (this.#snapshot =
      snapshot === null
        ? this.#source.snapshot(moment, this.select)
        : Snapshot.next(snapshot, moment, this.select, isEqual));
  };

  #fromServer(): Snapshot {
    const moment = this.#server === null ? this.#source.serverMoment() : null;
    if (moment === null) return this.#server ?? this.getSnapshot();
    this.#seen = moment.look;
    this.#isOfServer = true;
    return (this.#server = this.#snapshot = this.#source.snapshot(moment, this.select));
  }
}

export class Source implements Lens {
  readonly scope: Scope;
  readonly key: Key;
  readonly manner: Manner;
  readonly isEager: boolean;
  readonly level: string;
  readonly kind: 'item' | 'collection';
  readonly previous: unknown;
  readonly refresh: () => void;
  #ref: Reference | null;
  #view: View;
  readonly #plain: View;

  /** @param slot of the hook instance; null where the source is a row of a list. */
  constructor(scope: Scope, key: Key, manner: Manner, previous: unknown, slot: Slot | null) {
    const { isEnabled, isSilent } = manner;
    this.scope = scope;
    this.key = key;
    this.kind = key.kind;
    this.level = key.kind === 'item' ? key.level : 'default';
    this.manner = manner;
    this.isEager = isEnabled && !isSilent;
    this.previous = previous;
    this.#ref = isEnabled ? refOf(scope.layer, key) : null;
    this.refresh = isEnabled
      ? () => void readEntry(scope.layer, key, { force: true, silent: isSilent })
      : doNothing;
    this.subscribe = (callback) => {
      // React subscribes when it has committed a render with this source: the drafts are of no more use.
      if (slot !== null) {
        slot.committed = this;
        slot.drafts = null;
      }
      if (!isEnabled) return doNothing;
      this.read();
      const unwatch = this.watch(callback);
      // What moved since the render, or while hidden in an <Activity>, is told by nobody else (D-REACT-6).
      callback();
      return unwatch;
    };
    this.#view = this.#plain = new View(this, null, null);
  }

  readonly subscribe: Store<Snapshot>['subscribe'];

  get ref(): Reference | null {
    return this.#ref;
  }

  get plain(): Store<Snapshot> {
    return this.#plain;
  }

  /** The same entry through a `select`: the same store as long as the functions are the same. */
  through(select: Select['select'], isEqual: Select['isEqual']): Store<Snapshot> {
    const last = this.#view.select;
    if (last === null || last.select !== select || last.isEqual !== isEqual) {
      this.#view = new View(this, { select, isEqual }, this.#view.current);
    }
    return this.#view;
  }

  /** One read, which starts what is needed. The reference of before may have been evicted. */
  read(): void {
    const { isEnabled, isSilent } = this.manner;
    if (isEnabled) this.#ref = readEntry(this.scope.layer, this.key, isSilent ? silently : undefined);
  }

  watch(callback: () => void): () => void {
    return this.#ref === null ? doNothing : this.scope.layer.onRefChange(this.#ref, callback);
  }

  /** Its identity is the version of the entry. */
  look(): Look {
    if (this.#ref !== null) return lookOf(this.#ref);
    return this.kind === 'item' ? emptyItem : emptyCollection;
  }

  raw(): unknown {
    if (this.#ref !== null) return this.#ref.data;
    return this.kind === 'item' ? null : emptyCollectionData;
  }

  snapshot(moment: Moment, select: Select | null): Snapshot {
    return new Snapshot(this, moment, select, this.manner.isRow ? null : this.refresh, null);
  }

  /** What `keepPrevious` goes on showing when the arguments change (D-REACT-4); undefined: nothing. */
  shown(): unknown {
    const { current } = this.#view;
    const shown = current === null ? null : Snapshot.shown(current);
    return shown === null || shown === emptyCollectionData ? undefined : shown;
  }

  /** The entry as the server saw it (D-REACT-10); null: as it is here. */
  serverMoment(): Moment | null {
    if (this.#ref === null) return null;
    const { states } = this.scope;
    for (let at = states; at !== null; at = at.outer) {
      const dehydrated = readState(at.state, this.key);
      if (dehydrated === null) continue;
      const look = lookOf(dehydrated);
      if (look.isFetched(this.level)) return { look, raw: dehydrated.data };
    }
    if (states === null || this.manner.suspends) return null;
    const { meta } = this.look();
    if (!('paramsKey' in meta)) return { look: emptyItem, raw: null };
    return { look: unfetchedCollection(meta.paramsKey, meta.paramsSnapshot), raw: emptyCollectionData };
  }
}

/** The id of an item, of either form (D-REG-5); null where there is none. @inline */
export type MaybeId = Id | null | undefined;
