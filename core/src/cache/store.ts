// The entries, and the only writer of their fields. Changes are made in batches. At the end of the outermost batch, when every entry is
// consistent, each subscriber of a changed entry is notified once.

import type { Registry } from '../config/registry.ts';
import type { EmitFetchEvent } from '../events/fetchEvents.ts';
import type { Base } from '../platform/base.ts';
import { addTo, call, logFailure } from '../platform/callbacks.ts';
import type { TimedEnv } from '../platform/clock.ts';
import type { Def, Entry, FetchRequest, Flight, Slot, Watcher } from './entry.ts';
import { idKey, isBusy, isVisible, newEntry, newSlot } from './entry.ts';
import type { Id } from '../protocol/directive.ts';
import { errorOf } from '../config/describe.ts';
import { isEntryStale } from './staleness.ts';
import { share } from './structuralSharing.ts';
import { paramsKey, paramsSnapshot } from './params.ts';
import { suffices } from '../levels/graph.ts';

export interface Cache {
  /** The next number in the one order of requests, stale marks, and results. */
  nextOrder: () => number;
  item: (def: Def, id: Id) => Entry;
  collection: (def: Def, params: unknown) => Entry;
  /** The slot of a level, which is cached from now on (D-LEVEL-4). */
  ensureSlot: (entry: Entry, level: string) => Slot;
  touch: (entry: Entry) => void;
  watch: (entry: Entry, callback: () => void) => () => void;
  onChange: (callback: () => void) => () => void;
  /** Notifies `onChange` that something changed which only `state()` shows. */
  noteChange: () => void;
  /**
   * Runs the function, then notifies the subscribers of every changed entry once.
   * @param isQuiet notifies them in a microtask
   */
  batch: (run: () => void, isQuiet?: boolean) => void;
  /** Those with a request that is in flight or wanted. */
  readonly busy: ReadonlySet<Slot>;
  /** The hydrated entries that were not used yet (D-MEM-1). `hydration/` adds them. */
  readonly hydrating: WeakSet<Entry>;
  begin: (slot: Slot, flight: Flight) => void;
  /** Ends the request in flight. */
  end: (slot: Slot) => void;
  /** Sets or clears what the slot waits for. */
  want: (slot: Slot, wanted: FetchRequest | null) => void;
  /** A reader joined a silent request, so the request counts as loading from now on (D-FETCH-5). */
  makeVisible: (flight: Flight) => void;
  markStale: (slot: Slot, order: number) => void;
  /** The same for levels that are not cached yet, because a response in flight may contain them. */
  outdate: (entry: Entry, order: number) => void;
  /**
   * The same for all records that are cached later, because a list that was requested earlier may contain them.
   */
  outdateAll: (order: number) => void;
  /** Whether the next read is served without a request. */
  setUnread: (slot: Slot, isUnread: boolean) => void;
  /**
   * Applies a payload and the levels derived from it. A level that has newer data keeps it (D-FETCH-3, D-LEVEL-3). Returns the others.
   */
  store: (slot: Slot, payload: unknown, order: number, fetchedAt: number) => readonly Slot[];
  /** Copies the payload of another level (D-LEVEL-4). */
  copyFrom: (slot: Slot, from: Slot) => void;
  fail: (slot: Slot, thrown: unknown, requestedOrder: number) => void;
  /** Must be called within a batch. */
  remove: (entry: Entry) => void;
  /** Removes all entries. Their references are stale and empty. Must be called within a batch. */
  empty: (entries: readonly Entry[]) => void;
}

/** The members that every part may use that works with the cached entries. */
export interface Stored extends Base {
  cache: Cache;
  registry: Registry;
  emitFetchEvent: EmitFetchEvent;
}

/** The order of hydrated payloads. It is below that of the first request, and above 0, which means no payload. */
const firstOrder = 10_000;

interface Needs {
  readonly env: TimedEnv;
  /** The callbacks of `onChange`. */
  readonly changeListeners: Set<Watcher>;
  /** Called after a batch, with the entries whose requests ended in it. */
  readonly onEnded: (entries: readonly Entry[]) => void;
  /** Called when an entry is created, and when its last subscriber leaves. */
  readonly onUnwatched: () => void;
}

export function createCache({ env, changeListeners, onEnded, onUnwatched }: Needs): Cache {
  let depth = 0;
  const busy = new Set<Slot>();
  const hydrating = new WeakSet<Entry>();
  // Most batches change one entry, several times.
  let changed: Entry[] = [];
  let ended: Entry[] = [];
  let hasChanged = false;
  let lastOrder = firstOrder;
  let allMarked = 0;

  const onListenerError = logFailure(env, 'A listener');

  /** Calls all subscribers, except those that leave or join meanwhile. */
  function notify(watchers: Entry['watchers']): void {
    if (watchers === null) return;
    if (!(watchers instanceof Set)) return void call(watchers.callback, onListenerError);
    for (const watcher of [...watchers]) if (watchers.has(watcher)) call(watcher.callback, onListenerError);
  }

  function flush(): void {
    if (ended.length === 0 && !hasChanged) return;
    const [entries, settled, isChange] = [changed, ended, hasChanged];
    [changed, ended, hasChanged] = [[], [], false];
    for (const { watchers } of entries.length > 1 ? new Set(entries) : entries) notify(watchers);
    if (isChange) notify(changeListeners);
    onEnded(settled);
  }

  function batch(run: () => void, isQuiet = false): void {
    if (depth++ === 0) env.freezeTime();
    try {
      run();
    } finally {
      if (--depth === 0) {
        env.release();
        if (!isQuiet) flush();
        else void Promise.resolve().then(flush);
      }
    }
  }

  function show(entry: Entry): void {
    entry.isShown = false;
    hasChanged = true;
    if (changed.at(-1) !== entry) changed.push(entry);
  }

  /** After each change of what is requested. */
  function noteRequest(slot: Slot): void {
    const { entry } = slot;
    if (isBusy(slot)) busy.add(slot);
    else {
      busy.delete(slot);
      ended.push(entry);
    }
    const loading = entry.slots.some(isVisible);
    if (loading === entry.loading) return;
    entry.loading = loading;
    show(entry);
  }

  function create(def: Def, key: Id, id: Id, params: object | undefined): Entry {
    const entry = newEntry(def, id, params, env.now());
    def.entries.set(key, entry);
    if (process.env.NODE_ENV !== 'production' && id === '')
      env.log('warn', `type "${def.name}": an id is empty. While there is no id, pass null to the hook.`);
    onUnwatched();
    return entry;
  }

  function ensureSlot(entry: Entry, level: string): Slot {
    for (const slot of entry.slots) if (slot.level === level) return slot;
    outdate(entry, allMarked); // An entry without slots was not marked.
    const slot = newSlot(entry, level);
    entry.slots = entry.slots.concat(slot); // A spread would reserve room for 16 more.
    show(entry);
    return slot;
  }

  function put(slot: Slot, payload: unknown, order: number, fetchedAt: number | null): boolean {
    if (order < slot.answeredOrder) return false;
    slot.payload = share(slot.payload, payload);
    slot.answeredOrder = order;
    slot.isUnread = false;
    slot.fetchedAt = fetchedAt;
    if (slot.failure !== null && order > slot.failure.requestedOrder) slot.failure = null;
    ended.push(slot.entry); // A result that arrived inline ends the wait for a refetch.
    show(slot.entry);
    return true;
  }

  function outdate(one: Entry | Slot, order: number): void {
    one.staleOrder = Math.max(one.staleOrder, order);
  }

  function touch(entry: Entry): void {
    entry.usedAt = env.now();
    hydrating.delete(entry);
  }

  return {
    nextOrder: () => ++lastOrder,
    item(def, id) {
      const key = idKey(id);
      return def.entries.get(key) ?? create(def, key, id, undefined);
    },
    collection(def, params) {
      const key = paramsKey(params);
      return def.entries.get(key) ?? create(def, key, key, paramsSnapshot(key));
    },
    ensureSlot,
    touch,
    watch(entry, callback) {
      touch(entry);
      const watcher = { callback };
      const { watchers } = entry;
      if (watchers instanceof Set) watchers.add(watcher);
      else entry.watchers = watchers === null ? watcher : new Set([watchers, watcher]);
      return () => {
        const { watchers } = entry;
        const isLast =
          watchers instanceof Set ? watchers.delete(watcher) && watchers.size === 0 : watchers === watcher;
        if (!isLast) return;
        entry.watchers = null;
        entry.usedAt = env.now();
        onUnwatched();
      };
    },
    onChange: (callback) => addTo(changeListeners, { callback }),
    noteChange: () => batch(() => void (hasChanged = true)),
    batch,
    busy,
    hydrating,
    begin(slot, flight) {
      slot.entry.queryNumber = flight.queryNumber;
      slot.flight = flight;
      slot.wanted = null;
      slot.entry.isShown = false; // `activeQueryId` changes, even if the loading state does not.
      noteRequest(slot);
    },
    end(slot) {
      slot.flight = null;
      noteRequest(slot);
    },
    want(slot, wanted) {
      slot.wanted = wanted;
      noteRequest(slot);
    },
    makeVisible(flight) {
      flight.silent = false;
      noteRequest(flight.slot);
    },
    markStale(slot, order) {
      const { entry } = slot;
      const isChange = !isEntryStale(entry, env.now());
      outdate(slot, order);
      outdate(entry, order);
      if (isChange) show(entry);
    },
    outdate,
    outdateAll: (order) => void (allMarked = order),
    setUnread: (slot, isUnread) => void (slot.isUnread = isUnread),
    store(slot, payload, order, fetchedAt) {
      const { entry } = slot;
      const { def } = entry;
      const stored = put(slot, payload, order, fetchedAt) ? [slot] : [];
      // Derived levels use the shared payload too.
      const shared = stored.length > 0 ? slot.payload : payload;
      for (const level of def.graph.get(slot.level) ?? [])
        if (suffices(def, level, shared) && put(ensureSlot(entry, level), shared, order, fetchedAt))
          stored.push(ensureSlot(entry, level));
      return stored;
    },
    copyFrom(slot, from) {
      outdate(slot, from.staleOrder); // Either may have been outdated.
      put(slot, from.payload, from.answeredOrder, from.fetchedAt);
    },
    fail(slot, thrown, requestedOrder) {
      // The most recent failure has the highest order, even if its request is older (§2.4).
      slot.failure = { thrown, error: errorOf(thrown), order: ++lastOrder, requestedOrder };
      show(slot.entry);
    },
    remove(entry) {
      entry.def.entries.delete(idKey(entry.id));
      // Directives cannot reach the entry anymore, so its references must not look fresh.
      for (const slot of entry.slots) slot.staleOrder = ++lastOrder;
      hasChanged = true;
    },
    empty(entries) {
      hasChanged = true; // Also if there are no entries.
      for (const entry of entries) {
        entry.def.entries.clear();
        entry.slots = [];
        entry.loading = false;
        show(entry);
      }
    },
  };
}
