// One entry as one hook instance reads it: the store that React subscribes to. The fields that were read accumulate here until the arguments of
// the hook change. No ref is written during render, and nothing is reset per render: a component behind `memo`, or in a memo block of the React
// Compiler, does not read its fields again.

import type { Reference } from '@edict/core';
import { deepEqual, type EntryView, entryView } from '@edict/core/internal';
import { fieldOf, nothingRead, type Viewpoint } from './entryView.ts';
import type { Scope } from './scope.ts';
import { type Select, Shown, type Subject } from './snapshot.ts';
import { type Key, readEntry, refOf } from './untyped.ts';
import type { Store } from './useStore.ts';

/** The entry that a source reads, and the options of the read. */
export interface Reading extends Viewpoint {
  readonly scope: Scope;
  /** Null: nothing is read. */
  readonly ref: Reference | null;
  /** The Suspense hooks: whether the mount ends a suspension, so that its read was made already. */
  readonly isServed: ((source: Source) => boolean) | null;
}

const doNothing = (): void => undefined;

export class Source implements Subject {
  readonly scope: Scope;
  readonly key: Key;
  readonly isEnabled: boolean;
  readonly isSilent: boolean;
  readonly previous: unknown;
  ref: Reference | null;
  readonly tracked: string[] = [];
  readonly isServed: Reading['isServed'];
  readonly #before: Readonly<Record<string, unknown>>;
  readonly #onSubscribe: (source: Source) => void;
  #store: SourceStore | null = null;
  #refresh: (() => void) | null = null;

  /**
   * @param before what the hook instance showed for other arguments
   * @param onSubscribe React has committed a render with this source
   */
  constructor(
    { scope, key, ref, isEnabled, isSilent, previous, isServed }: Reading,
    before: Readonly<Record<string, unknown>> = {},
    onSubscribe: (source: Source) => void = doNothing,
  ) {
    this.scope = scope;
    this.key = key;
    this.isEnabled = isEnabled;
    this.isSilent = isSilent;
    this.previous = previous;
    this.ref = ref;
    this.isServed = isServed;
    this.#before = before;
    this.#onSubscribe = onSubscribe;
  }

  /** Stays the same function, so that React subscribes once. */
  readonly subscribe = (callback: () => void): (() => void) => {
    this.#onSubscribe(this);
    if (this.isServed?.(this) !== true) this.read();
    const end = this.watch(callback);
    callback(); // For changes since the render, and while it was hidden in an <Activity>: React before 19.3 does not compare then.
    return end;
  };

  /** Stays the same function too. */
  get refresh(): () => void {
    return (this.#refresh ??= () => {
      if (this.isEnabled) readEntry(this.scope.layer, this.key, { force: true, silent: this.isSilent });
    });
  }

  /** The store for a `select` and an `isEqual`: the same one as long as they are. */
  store(select?: Select['select'], isEqual: Select['isEqual'] = deepEqual): Store<Shown> {
    const current = this.#store;
    if (current?.select.select === select && current?.select.isEqual === isEqual) return current;
    return (this.#store = new SourceStore(this, { select, isEqual }, this.#before, current?.shown ?? null));
  }

  read(isScattered?: boolean): void {
    const { scope, key, isSilent } = this;
    // If the entry was evicted since the render, this is the reference of another one.
    if (this.isEnabled)
      this.ref = readEntry(scope.layer, key, isScattered ? { isScattered } : { silent: isSilent });
  }

  watch(callback: () => void): () => void {
    return this.ref === null ? doNothing : this.scope.layer.onRefChange(this.ref, callback);
  }

  track(field: string): void {
    if (field !== 'meta.lastUsedAt' && !this.tracked.includes(field)) this.tracked.push(field);
  }

  version(): EntryView {
    return this.ref === null ? nothingRead[this.key.kind] : entryView(this.ref);
  }

  /** What `keepPrevious` goes on showing when the arguments change. */
  data(): unknown {
    return fieldOf(this, this.version(), this.ref?.data, 'data');
  }

  /** The data layer was reset: the arguments name another entry now. */
  isReplaced(): boolean {
    return this.ref !== null && this.ref !== refOf(this.scope.layer, this.key);
  }

  /** The data that the hook showed last. */
  known(): Readonly<Record<string, unknown>> {
    return this.#store?.shown?.known() ?? this.#before;
  }

  /** Makes the next snapshot without regard to the last one. */
  forgetShown(): void {
    this.#store = null;
  }
}

class SourceStore implements Store<Shown> {
  readonly subscribe: Store<Shown>['subscribe'];
  readonly getServerSnapshot: () => Shown;
  readonly #source: Source;
  #seen: EntryView | null = null;
  #server: Shown | null = null;

  /** @param shown what was shown through another `select` */
  constructor(
    source: Source,
    readonly select: Select,
    readonly before: Readonly<Record<string, unknown>>,
    public shown: Shown | null,
  ) {
    this.#source = source;
    this.subscribe = source.subscribe;
    this.getServerSnapshot =
      source.scope.states === null ? this.getSnapshot : () => this.#getServerSnapshot();
  }

  readonly getSnapshot = (): Shown => {
    const source = this.#source;
    const { shown, select } = this;
    const state = { version: source.version(), raw: source.ref?.data };
    if (shown !== null && state.version === this.#seen) return shown;
    const next = new Shown(source, state, select, shown?.known() ?? this.before);
    const isSame =
      shown !== null &&
      !source.isReplaced() && // The next render reads the other entry.
      (shown.select === select || source.tracked.includes('data')) && // Unread data must be that of this select.
      source.tracked.every((field) => Object.is(shown.value(field), next.value(field)));
    if (isSame) shown.moveTo(state);
    else this.shown = next;
    // Only now: if `select` throws, the render that follows must reach the same error.
    this.#seen = state.version;
    return isSame ? shown : next;
  };

  #getServerSnapshot(): Shown {
    const source = this.#source;
    if (this.#server !== null) return this.#server;
    const entry = source.scope.states?.serverEntryOf(source) ?? null;
    if (entry === null) return this.getSnapshot();
    // The live entry replaces it without a render if every field that was read is equal.
    return (this.#server = this.shown = new Shown(source, entry, this.select, this.before));
  }
}
