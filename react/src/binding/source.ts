// The store for one entry and one hook instance. React subscribes to it. The fields that were read accumulate
// until the arguments of the hook change. No ref is written during render, and nothing is reset per render: a
// component behind `memo`, or in a memo block of the React Compiler, does not read its fields again.

import type { Reference } from '@edict/core';
import { type EntryView, entryView } from '@edict/core/internal';
import { fieldOf, nothingRead } from './entryView.ts';
import type { InstanceState } from './instanceState.ts';
import type { Scope } from './scope.ts';
import { isPrevious, type Select, Shown, type Subject, type Values } from './snapshot.ts';
import { type Key, readEntry, refOf } from './untyped.ts';
import type { Store } from './useStore.ts';

/** What a source reads. */
export interface Reading {
  readonly scope: Scope;
  readonly key: Key;
  readonly isSilent: boolean;
  /** For the Suspense hooks: whether the mount ends a suspension. Then the entry was already read. */
  readonly isServed?: ((source: Source) => boolean) | undefined;
  /** The hook instance that shows only this source. */
  readonly instance?: InstanceState<Source>;
}

const doNothing = (): void => undefined;
const plain: Select = {};

/** What a store showed last. */
interface Memory {
  readonly select: Select;
  shown: Shown | null;
  /** What the server rendered. */
  server: Shown | null;
}

function show(source: Source, memory: Memory): Shown {
  const { shown, select } = memory;
  const version = source.version();
  if (shown?.version === version && shown.select === select) return shown;
  const next = new Shown(source, version, select, shown?.values ?? source.before);
  // Where it is replaced, the next render reads the other entry.
  if (shown === null || shown.differsFrom(next) || source.isReplaced()) return (memory.shown = next);
  shown.become(next);
  return shown;
}

function showServer(source: Source, memory: Memory): Shown {
  if (memory.server !== null) return memory.server;
  const version = source.scope.states?.serverEntryOf(source) ?? null;
  if (version === null) return show(source, memory);
  // The live entry replaces it without a render if every field that was read is equal.
  return (memory.server = memory.shown = new Shown(source, version, memory.select));
}

/**
 * The store of an entry through a `select`.
 * @param shown the data that was shown with another `select`
 */
function selected(source: Source, select: Select, shown: Shown | null): Store<Shown> & Memory {
  const store: Store<Shown> & Memory = {
    select,
    shown,
    server: null,
    subscribe: source.subscribe,
    getSnapshot: () => show(source, store),
    getServerSnapshot: () => showServer(source, store),
  };
  return store;
}

/** One object is also the store without a `select`, because a long list mounts thousands of them. */
export class Source implements Subject, Store<Shown>, Memory {
  readonly scope: Scope;
  readonly key: Key;
  readonly isSilent: boolean;
  readonly isServed: Reading['isServed'];
  readonly select: Select = plain;
  shown: Shown | null = null;
  server: Shown | null = null;
  /** The store of the last render. */
  #store: Store<Shown> & Memory = this;
  #refresh: (() => void) | null = null;
  /** These stay the same functions, so that React subscribes once. */
  readonly subscribe: Store<Shown>['subscribe'];
  readonly getSnapshot: () => Shown;
  readonly getServerSnapshot: () => Shown;

  /**
   * @param ref null: nothing is read
   * @param before the data that the hook instance showed for other arguments
   */
  constructor(
    { scope, key, isSilent, isServed, instance }: Reading,
    public ref: Reference | null,
    public previous: unknown,
    readonly before?: Values | undefined,
  ) {
    this.scope = scope;
    this.key = key;
    this.isSilent = isSilent;
    this.isServed = isServed;
    this.subscribe = (callback) => {
      if (instance) instance.committed = this; // React has committed a render with this source.
      if (isServed?.(this) !== true) this.read();
      const end = this.watch(callback);
      callback(); // For changes since the render, and while it was hidden in an <Activity>: React before 19.3 does not compare then.
      return end;
    };
    this.getSnapshot = () => show(this, this);
    // Outside of hydration boundaries, the rows of a long list need no third function.
    this.getServerSnapshot = scope.states === null ? this.getSnapshot : () => showServer(this, this);
  }

  /** Stays the same function too. */
  get refresh(): () => void {
    return (this.#refresh ??= () => {
      if (this.ref !== null) readEntry(this.scope.dl, this.key, { force: true, silent: this.isSilent });
    });
  }

  /** The store for a `select` and an `isEqual`. It stays the same while they do. */
  store(given?: Select | null): Store<Shown> & Memory {
    const { select, isEqual } = given ?? plain;
    const last = this.#store;
    if (last.select.select === select && last.select.isEqual === isEqual) return last;
    return (this.#store = selected(this, { select, isEqual }, last.shown));
  }

  read(isBatchable = false): void {
    const { scope, key, isSilent } = this;
    if (this.ref === null) return;
    const ref = readEntry(scope.dl, key, { isBatchable, silent: isSilent });
    if (ref === this.ref) return;
    // Since the render, the entry was evicted, or the data layer was reset for another user.
    this.ref = ref;
    this.previous = null;
    const { shown, select } = this.#store;
    if (shown && select.isEqual) shown.values[isPrevious] = true;
  }

  watch(callback: () => void): () => void {
    return this.ref ? this.scope.dl.onRefChange(this.ref, callback) : doNothing;
  }

  track(field: string): void {
    this.#store.shown?.value(field);
  }

  version(): EntryView {
    return this.ref ? entryView(this.ref) : nothingRead[this.key.kind];
  }

  /** The data that `keepPrevious` still shows when the arguments change. */
  data(): unknown {
    return fieldOf(this, this.version(), 'data');
  }

  /** The data layer was reset, so the arguments refer to a new entry now. */
  isReplaced(): boolean {
    return this.ref !== null && this.ref !== refOf(this.scope.dl, this.key);
  }

  /** The data that the hook showed last. */
  known(): Values | undefined {
    return this.#store.shown?.values;
  }
}
