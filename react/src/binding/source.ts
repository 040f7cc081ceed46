// One entry as one hook instance reads it: the store that React subscribes to. The fields that were read accumulate here until the arguments of
// the hook change. No ref is written during render, and nothing is reset per render: a component behind `memo`, or in a memo block of the React
// Compiler, does not read its fields again.

import type { Reference } from '@edict/core';
import { deepEqual, type EntryView, entryView } from '@edict/core/internal';
import { fieldOf, nothingRead, type Viewpoint } from './entryView.ts';
import type { Scope } from './scope.ts';
import { createShown, type Select, type Shown, type Subject } from './snapshot.ts';
import { readEntry, refOf } from './untyped.ts';
import type { Store } from './useStore.ts';

/** The entry that a source reads, and the options of the read. */
export interface Reading extends Viewpoint {
  readonly scope: Scope;
  /** Null: nothing is read. */
  readonly ref: Reference | null;
  /** The Suspense hooks: whether the mount ends a suspension, so that its read was made already. */
  readonly isServed: ((source: Source) => boolean) | null;
}

export interface Source extends Subject, Omit<Reading, 'ref'> {
  ref: Reference | null;
  /** Stays the same function, so that React subscribes once. */
  readonly subscribe: (callback: () => void) => () => void;
  /** The store for a `select` and an `isEqual`: the same one as long as they are. */
  readonly store: (select?: Select['select'], isEqual?: Select['isEqual']) => Store<Shown>;
  readonly read: (isScattered?: boolean) => void;
  readonly watch: (callback: () => void) => () => void;
  readonly version: () => EntryView;
  /** What `keepPrevious` goes on showing when the arguments change. */
  readonly data: () => unknown;
  /** The data that the hook showed last. */
  readonly known: () => Readonly<Record<string, unknown>>;
  /** The data layer was reset: the arguments name another entry now. */
  readonly isReplaced: () => boolean;
  /** Makes the next snapshot without regard to the last one. */
  readonly forgetShown: () => void;
}

interface SourceStore extends Store<Shown> {
  readonly select: Select;
  readonly shown: () => Shown | null;
}

const doNothing = (): void => undefined;

/**
 * @param before what the hook instance showed for other arguments
 * @param onSubscribe React has committed a render with this source
 */
export function createSource(
  reading: Reading,
  before: Readonly<Record<string, unknown>> = {},
  onSubscribe: (source: Source) => void = doNothing,
): Source {
  const { scope, key, isSilent, isEnabled } = reading;
  const tracked = new Set<string>();
  let store: SourceStore | null = null;

  /** @param last what was shown through another `select` */
  function createStore(select: Select, last: Shown | null): SourceStore {
    let shown = last;
    let seen: EntryView | null = null;
    let server: Shown | null = null;

    function getSnapshot(): Shown {
      const state = { version: source.version(), raw: source.ref?.data };
      if (shown !== null && state.version === seen) return shown;
      const next = createShown(source, state, select, shown?.known() ?? before);
      const isSame =
        shown !== null &&
        !source.isReplaced() && // The next render reads the other entry.
        (shown.select === select || tracked.has('data')) && // Unread data must be that of this select.
        [...tracked].every((field) => Object.is(shown?.value(field), next.value(field)));
      if (isSame) shown?.moveTo(state);
      else shown = next;
      // Only now: if `select` throws, the render that follows must reach the same error.
      seen = state.version;
      return shown as Shown; // Null is never the same.
    }

    return {
      subscribe: source.subscribe,
      select,
      shown: () => shown,
      getSnapshot,
      getServerSnapshot() {
        if (server !== null) return server;
        const entry = scope.states?.serverEntryOf(source) ?? null;
        if (entry === null) return getSnapshot();
        // The live entry replaces it without a render if every field that was read is equal.
        return (server = shown = createShown(source, entry, select, before));
      },
    };
  }

  const source: Source = {
    ...reading,
    refresh: isEnabled
      ? () => void readEntry(scope.layer, key, { force: true, silent: isSilent })
      : doNothing,
    subscribe(callback) {
      onSubscribe(source);
      if (reading.isServed?.(source) !== true) source.read();
      const end = source.watch(callback);
      callback(); // For changes since the render, and while it was hidden in an <Activity>: React before 19.3 does not compare then.
      return end;
    },
    store(select, given) {
      const isEqual = given ?? deepEqual;
      if (store?.select.select === select && store?.select.isEqual === isEqual) return store;
      return (store = createStore({ select, isEqual }, store?.shown() ?? null));
    },
    read(isScattered) {
      // If the entry was evicted since the render, this is the reference of another one.
      if (isEnabled)
        source.ref = readEntry(scope.layer, key, isScattered ? { isScattered } : { silent: isSilent });
    },
    watch: (callback) => (source.ref === null ? doNothing : scope.layer.onRefChange(source.ref, callback)),
    track(field) {
      if (field !== 'meta.lastUsedAt') tracked.add(field);
    },
    version: () => (source.ref === null ? nothingRead[key.kind] : entryView(source.ref)),
    data: () => fieldOf(source, source.version(), source.ref?.data, 'data'),
    isReplaced: () => source.ref !== null && source.ref !== refOf(scope.layer, key),
    known: () => store?.shown()?.known() ?? before,
    forgetShown: () => (store = null),
  };
  return source;
}
