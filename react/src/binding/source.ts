// One entry as one hook instance reads it: the store that React subscribes to. The tracking state lives in here and not in
// a ref: while rendering nothing is written but this memory of what the entry was last seen as (D-REACT-3).
// One object a row, and only the functions that React tells apart by identity: this is what a row of a long list costs.

import type { Id, Reference } from '@edict/core';
import type { EntryVersion } from './entryView.ts';
import { dataOf, emptyCollection, emptyCollectionData, emptyItem, versionOf } from './entryView.ts';
import type { Key } from './untyped.ts';
import { readEntry, refOf } from './untyped.ts';
import type { ReadMode } from './readMode.ts';
import type { InstanceState } from './instanceState.ts';
import { commit, drop } from './instanceState.ts';
import type { Scope } from './scope.ts';
import type { Origin, Select, Subject } from './snapshot.ts';
import { Snapshot } from './snapshot.ts';

/** What the one `useSyncExternalStore` binding takes. */
export interface Store<S> {
  readonly subscribe: (callback: () => void) => () => void;
  readonly getSnapshot: () => S;
  readonly getServerSnapshot: () => S;
}

/** What a store has given last. */
interface Shown {
  snapshot: Snapshot | null;
  /** The version up to which the snapshot has been compared. */
  seen: EntryVersion | null;
  server: Snapshot | null;
  origin: Origin;
}

const doNothing = (): void => undefined;
const silently = { silent: true };
const scattered = { isScattered: true };

/** @param before what was shown before its first snapshot: what is equal keeps its identity */
function show(
  source: Source,
  shown: Shown,
  select: Select | null,
  before: readonly unknown[] | null = null,
): Snapshot {
  const version = source.version();
  const { snapshot } = shown;
  if (snapshot !== null && version === shown.seen) return snapshot;
  const raw = source.raw();
  shown.snapshot =
    snapshot === null
      ? new Snapshot(source, version, raw, select, before)
      : Snapshot.next(snapshot, source, version, raw, select, shown.origin);
  // Not before: where the select throws, the render that comes of it is to meet the same.
  shown.seen = version;
  shown.origin = shown.origin !== 'live' && shown.snapshot === snapshot ? 'taken over' : 'live';
  return shown.snapshot;
}

function showServer(source: Source, shown: Shown, select: Select | null): Snapshot {
  if (shown.server !== null) return shown.server;
  const entry = source.scope.states?.serverEntryOf(source) ?? null;
  if (entry === null) return show(source, shown, select);
  shown.seen = entry.version;
  shown.origin = 'server';
  return (shown.server = shown.snapshot = new Snapshot(source, entry.version, entry.raw, select, null));
}

function subscribe(source: Source, memory: InstanceState<Source> | null, callback: () => void): () => void {
  const isAgain = memory?.committed === source;
  if (memory !== null) commit(memory, source);
  const { ref } = source;
  const unwatch = source.watch(callback);
  try {
    if (source.mode.isServed?.(source) !== true) source.read();
  } catch (error) {
    unwatch(); // Such as a level that is not registered: React does not learn how to end what did not begin.
    throw error;
  }
  if (source.ref === ref) {
    if (isAgain) callback(); // What moved while hidden in an <Activity>: React before 19.3 does not look.
    return unwatch;
  }
  // The entry was evicted meanwhile, and another one has come in its place.
  unwatch();
  if (memory !== null && source.previous !== undefined) drop(memory); // What was shown before the evicted one is long gone.
  callback();
  return source.watch(callback);
}

const force = (source: Source): void =>
  void readEntry(source.scope.layer, source, { force: true, silent: source.mode.isSilent });

/** The same entry through one `select`. */
class View implements Store<Snapshot>, Shown {
  readonly select: Select;
  readonly subscribe: Store<Snapshot>['subscribe'];
  readonly getSnapshot: () => Snapshot;
  readonly getServerSnapshot: () => Snapshot;
  snapshot: Snapshot | null;
  seen: EntryVersion | null = null;
  server: Snapshot | null = null;
  origin: Origin = 'live';

  /** @param last of the same entry, through another select; @param before what another entry has shown in its place */
  constructor(source: Source, select: Select, last: Snapshot | null, before: readonly unknown[] | null) {
    this.select = select;
    this.snapshot = last;
    this.subscribe = source.subscribe;
    this.getSnapshot = () => show(source, this, select, before);
    this.getServerSnapshot =
      source.scope.states === null ? this.getSnapshot : () => showServer(source, this, select);
  }
}

export class Source implements Key, Subject, Store<Snapshot>, Shown {
  readonly scope: Scope;
  readonly kind: 'item' | 'collection';
  readonly name: string;
  readonly id: Id;
  readonly level: string;
  readonly params: object | null | undefined;
  readonly mode: ReadMode;
  readonly previous: unknown;
  readonly subscribe: (callback: () => void) => () => void;
  readonly getSnapshot: () => Snapshot;
  readonly getServerSnapshot: () => Snapshot;
  readonly refresh: () => void;
  snapshot: Snapshot | null = null;
  seen: EntryVersion | null = null;
  server: Snapshot | null = null;
  origin: Origin = 'live';
  #ref: Reference | null;
  #view: View | null = null;

  /** @param memory of the hook instance; null where the source is a row of a list. */
  constructor(
    scope: Scope,
    key: Key,
    mode: ReadMode,
    previous: unknown,
    memory: InstanceState<Source> | null,
  ) {
    const { isEnabled } = mode;
    this.scope = scope;
    this.kind = key.kind;
    this.name = key.name;
    this.id = key.id;
    this.level = key.level;
    this.params = key.params;
    this.mode = mode;
    this.previous = previous;
    this.#ref = isEnabled ? refOf(scope.layer, this) : null;
    this.subscribe = (callback) => subscribe(this, memory, callback);
    this.getSnapshot = () => show(this, this, null);
    // Outside a boundary the server's view is that of the entry: rows of a long list go without a function for it.
    this.getServerSnapshot = scope.states === null ? this.getSnapshot : () => showServer(this, this, null);
    this.refresh = isEnabled ? () => force(this) : doNothing;
  }

  get ref(): Reference | null {
    return this.#ref;
  }

  /**
   * The same entry through a `select`: the same store as long as the functions are the same.
   * @param committed what the hook instance has shown so far: a result that is equal keeps its identity
   */
  through(select: Select['select'], isEqual: Select['isEqual'], committed: Source | null): Store<Snapshot> {
    const last = this.#view;
    if (last !== null && last.select.select === select && last.select.isEqual === isEqual) return last;
    const { snapshot } = last ?? this;
    const before = snapshot === null ? (committed?.selected() ?? null) : null;
    return (this.#view = new View(this, { select, isEqual }, snapshot, before));
  }

  /** What has been read through the last select. */
  selected(): readonly unknown[] | null {
    const { snapshot = null } = this.#view ?? {};
    return snapshot && Snapshot.values(snapshot);
  }

  /** The next look at it is the first. */
  forgetShown(): void {
    this.snapshot = this.#view = null;
  }

  /**
   * One read, which starts what is needed. The reference of before may have been evicted.
   * @param isScattered others like it come in tasks of their own: all may be fetched together
   */
  read(isScattered = false): void {
    const { isEnabled, isSilent } = this.mode;
    const options = isScattered ? scattered : isSilent ? silently : undefined;
    if (isEnabled) this.#ref = readEntry(this.scope.layer, this, options);
  }

  watch(callback: () => void): () => void {
    return this.#ref === null ? doNothing : this.scope.layer.onRefChange(this.#ref, callback);
  }

  /** Its identity is the version of the entry. */
  version(): EntryVersion {
    if (this.#ref !== null) return versionOf(this.#ref);
    return this.kind === 'item' ? emptyItem : emptyCollection;
  }

  raw(): unknown {
    return this.#ref?.data; // Without an entry nothing is fetched, and nobody looks at it.
  }

  /** What `keepPrevious` goes on showing when the arguments change (D-REACT-4); undefined: nothing. */
  shown(): unknown {
    const shown = dataOf(this, this.version(), this.raw());
    return shown === null || shown === emptyCollectionData ? undefined : shown;
  }
}
