// The entries, and the only writer of their fields. Changes are made in batches. At the end of the outermost batch, when every entry is
// consistent, each subscriber of a changed entry is notified once.

import { call } from '../platform/callbacks.ts';
import type { Clock } from '../platform/clock.ts';
import type { Def, Entry, FollowUp, Flight, Slot, Wait } from './entry.ts';
import { hasSlot, isRequested, keyOf, newSlot } from './entry.ts';
import type { Env } from '../platform/env.ts';
import type { Id } from '../protocol/directive.ts';
import { createRef } from './reference.ts';
import { messageOf } from '../config/describe.ts';
import { suffices } from '../levels/checks.ts';
import { isEntryStale } from './staleness.ts';
import { share } from './structuralSharing.ts';
import { idKey } from './ids.ts';
import { paramsKey, paramsSnapshot } from './params.ts';
import type { Reference } from '../types/references.ts';
import type { Watcher } from './subscribers.ts';
import { newWatcher, tellEach, withoutWatcher, withWatcher } from './subscribers.ts';

export interface Cache {
  /** The next number in the one order of requests, stale marks, and results. */
  nextOrdinal: () => number;
  item: (def: Def, id: Id) => Entry;
  collection: (def: Def, params: unknown) => Entry;
  /** The slot of a level, which is cached from now on (D-LEVEL-4). */
  hold: (entry: Entry, level: string) => Slot;
  touch: (entry: Entry) => void;
  watch: (entry: Entry, callback: () => void) => () => void;
  onChange: (callback: () => void) => () => void;
  /** Notifies `onChange`: something has changed that only `state()` contains. */
  noteChange: () => void;
  /** Runs, then notifies the subscribers of all changed entries, once each. */
  batch: (run: () => void) => void;
  /** The same, but notifies the subscribers in a microtask. */
  batchQuietly: (run: () => void) => void;
  /** The two halves of `batch`, for the hottest path. Each `enter` needs a `leave`. */
  enter: () => void;
  leave: () => void;
  begin: (slot: Slot, flight: Flight) => void;
  /** Ends the request in flight; a follow-up stays queued until it begins. */
  end: (slot: Slot) => void;
  queue: (slot: Slot, followUp: FollowUp | null) => void;
  wait: (slot: Slot, wait: Wait | null) => void;
  /** A reader joined a silent request: it is loading from now on (D-FETCH-5). */
  reveal: (flight: Flight) => void;
  /** Another slot counts on the conversions of its payload (D-LEVEL-6). */
  countOn: (flight: Flight, slot: Slot) => void;
  voidFlight: (slot: Slot) => void;
  markStale: (slot: Slot, ordinal: number) => void;
  /** The same for levels that are not cached yet: a response in flight may contain them. */
  outdate: (entry: Entry, ordinal: number) => void;
  /** The same for everything that is cached later: a list that was requested before may contain it. */
  outdateAll: (ordinal: number) => void;
  /** Whether the next read is served without a request. */
  setUnread: (slot: Slot, isUnread: boolean) => void;
  /** Applies a payload and what derives from it, each unless something newer is held (D-FETCH-3, D-LEVEL-3). */
  store: (slot: Slot, payload: unknown, ordinal: number, stamp: number) => boolean;
  /** Copies the payload of another level (D-LEVEL-4). */
  adopt: (slot: Slot, from: Slot) => void;
  fail: (slot: Slot, error: unknown, requested: number) => void;
  /** Hydrated and not used yet (D-MEM-1). */
  isHydrating: (entry: Entry) => boolean;
  setHydrating: (entry: Entry) => void;
  remove: (entry: Entry) => void;
  /** Slots with a request, or with a read that waits for its window. */
  busyCount: () => number;
  clear: () => void;
}

/** D-FETCH-5. */
const isVisible = ({ flight, followUp, wait }: Slot): boolean =>
  (flight !== null && !flight.silent) ||
  (followUp !== null && !followUp.silent) ||
  (wait !== null && !wait.silent);

const nothing = (): void => undefined;

/** Hydrated payloads are older than the first request and newer than no payload at all (0). */
const firstOrdinal = 10_000;

/**
 * @param onEnded called after a batch with the entries that had a request or wait that ended
 * @param onUnwatched called when an entry is created, and when its last subscriber leaves
 */
export function createCache(
  env: Env,
  clock: Clock,
  onEnded: (entries: readonly Entry[]) => void,
  onUnwatched: () => void,
): Cache {
  const changeListeners = new Set<Watcher>();
  const hydrating = new Set<Entry>();
  let depth = 0;
  let changed: Entry[] = [];
  let isQuiet = false;
  let ended: Entry[] = [];
  let hasChanged = false;
  let lastOrdinal = firstOrdinal;
  let allMarked = 0;
  let busy = 0;

  const onListenerError = (error: unknown): void => env.log('error', 'A listener failed.', error);

  function tell(watcher: Watcher): void {
    call(watcher, onListenerError);
  }

  function flush(): void {
    const told = changed;
    if (told.length > 0) {
      changed = [];
      for (const entry of told) entry.changed = false;
      for (const entry of told) tellEach(entry.watchers, tell);
    }
    if (told.length > 0 || hasChanged) {
      hasChanged = false;
      if (changeListeners.size > 0) tellEach(changeListeners, tell);
    }
    if (ended.length > 0) {
      const entries = ended;
      ended = [];
      onEnded(entries);
    }
  }

  function enter(): void {
    if (depth++ === 0) clock.hold();
  }

  function leave(): void {
    if (--depth > 0) return;
    clock.release();
    if (ended.length === 0 && !hasChanged && changed.length === 0) return;
    if (isQuiet) void Promise.resolve().then(() => batch(nothing));
    else flush();
  }

  function batch(run: () => void): void {
    enter();
    try {
      run();
    } finally {
      leave();
    }
  }

  function show(entry: Entry): void {
    entry.version++;
    if (entry.changed) return;
    entry.changed = true;
    changed.push(entry);
  }

  function showLoading(entry: Entry): void {
    const loading = hasSlot(entry, isVisible);
    if (loading === entry.loading) return;
    entry.loading = loading;
    show(entry);
  }

  function create(def: Def, key: Id, id: Id, params: object | undefined): Entry {
    const entry: Entry = {
      def,
      first: null,
      ref: undefined as unknown as Reference, // Made of the entry itself, on the next line.
      watchers: null,
      usedAt: env.now(),
      version: 0,
      loading: false,
      changed: false,
      query: 0,
      marked: allMarked,
      id,
      params,
    };
    (entry as { ref: Reference }).ref = createRef(entry);
    def.entries.set(key, entry);
    onUnwatched();
    return entry;
  }

  function hold(entry: Entry, level: string): Slot {
    let last: Slot | null = null;
    for (let held = entry.first; held !== null; held = held.after) {
      if (held.level === level) return held;
      last = held;
    }
    const slot = newSlot(entry, level);
    if (last === null) entry.first = slot;
    else last.after = slot;
    show(entry);
    return slot;
  }

  const counts = (slot: Slot): number => (isRequested(slot) ? 1 : 0);

  /** Updates the count of busy slots and the loading state after a change of a slot's requests. */
  function recount(slot: Slot, before: number): void {
    busy += counts(slot) - before;
    showLoading(slot.entry);
  }

  function put(slot: Slot, payload: unknown, ordinal: number, stamp: number | null): boolean {
    if (ordinal < slot.answered) return false;
    slot.payload = share(slot.payload, payload);
    slot.answered = ordinal;
    slot.isUnread = false;
    slot.stamp = stamp;
    if (slot.failure !== null && ordinal > slot.failure.requested) slot.failure = null;
    ended.push(slot.entry); // A result that arrived inline ends the wait for a refetch.
    show(slot.entry);
    return true;
  }

  function outdate(entry: Entry, ordinal: number): void {
    entry.marked = Math.max(entry.marked, ordinal);
  }

  function touch(entry: Entry): void {
    entry.usedAt = env.now();
    if (hydrating.size > 0) hydrating.delete(entry);
  }

  return {
    nextOrdinal: () => ++lastOrdinal,
    item(def, id) {
      const key = idKey(id);
      return def.entries.get(key) ?? create(def, key, id, undefined);
    },
    collection(def, params) {
      const key = paramsKey(params);
      return def.entries.get(key) ?? create(def, key, key, paramsSnapshot(key));
    },
    hold,
    touch,
    watch(entry, callback) {
      const watcher = newWatcher(entry.watchers, callback);
      let isWatching = true;
      entry.watchers = withWatcher(entry.watchers, watcher);
      touch(entry);
      return () => {
        if (!isWatching) return;
        isWatching = false;
        entry.watchers = withoutWatcher(entry.watchers, watcher);
        entry.usedAt = env.now();
        if (entry.watchers === null) onUnwatched();
      };
    },
    onChange(callback) {
      const listener = (): void => callback(); // A function of its own, so that a callback that subscribes twice is called twice.
      changeListeners.add(listener);
      return () => void changeListeners.delete(listener);
    },
    noteChange() {
      enter();
      hasChanged = true;
      leave();
    },
    batch,
    batchQuietly(run) {
      const before = isQuiet;
      isQuiet = true;
      try {
        batch(run);
      } finally {
        isQuiet = before;
      }
    },
    enter,
    leave,
    begin(slot, flight) {
      const before = counts(slot);
      slot.entry.query = flight.query;
      slot.flight = flight;
      slot.followUp = null;
      slot.wait = null;
      slot.entry.version++; // `activeQueryId` is another, also where loading goes on or does not show: silent, or waited for.
      recount(slot, before);
    },
    end(slot) {
      const before = counts(slot);
      slot.flight = null;
      ended.push(slot.entry);
      recount(slot, before);
    },
    queue(slot, followUp) {
      if (followUp === null) ended.push(slot.entry);
      slot.followUp = followUp;
      showLoading(slot.entry);
    },
    wait(slot, wait) {
      const before = counts(slot);
      if (wait === null) ended.push(slot.entry);
      slot.wait = wait;
      recount(slot, before);
    },
    reveal(flight) {
      if (!flight.silent) return;
      flight.silent = false;
      showLoading(flight.slot.entry);
    },
    countOn(flight, slot) {
      if (flight.needs?.includes(slot) !== true) flight.needs = [...(flight.needs ?? []), slot];
    },
    voidFlight(slot) {
      if (slot.flight !== null) slot.flight.isVoid = true;
    },
    markStale(slot, ordinal) {
      const { entry } = slot;
      const isChange = !isEntryStale(entry, env.now());
      slot.marked = ordinal;
      outdate(entry, ordinal);
      if (isChange) show(entry);
    },
    outdate,
    outdateAll: (ordinal) => void (allMarked = ordinal),
    setUnread: (slot, isUnread) => void (slot.isUnread = isUnread),
    store(slot, payload, ordinal, stamp) {
      const { entry } = slot;
      const { def } = entry;
      const isStored = put(slot, payload, ordinal, stamp);
      // Derived levels use the shared payload too.
      const shared = isStored ? slot.payload : payload;
      for (const level of def.graph.get(slot.level) ?? []) {
        if (suffices(def, level, shared)) put(hold(entry, level), shared, ordinal, stamp);
      }
      return isStored;
    },
    adopt(slot, from) {
      slot.marked = Math.max(slot.marked, from.marked); // Either may have been outdated.
      put(slot, from.payload, from.answered, from.stamp);
    },
    fail(slot, error, requested) {
      // The most recent failure has the highest order, also if its request was older (§2.4).
      slot.failure = { error, message: messageOf(error), ordinal: ++lastOrdinal, requested };
      show(slot.entry);
    },
    isHydrating: (entry) => hydrating.has(entry),
    setHydrating: (entry) => void hydrating.add(entry),
    remove(entry) {
      entry.def.entries.delete(keyOf(entry));
      hydrating.delete(entry);
      // No directive reaches the entry any more, so its references must not look fresh.
      for (let slot = entry.first; slot !== null; slot = slot.after) slot.marked = ++lastOrdinal;
    },
    busyCount: () => busy,
    clear() {
      changeListeners.clear(); // Also those that are being called now.
      changed = [];
    },
  };
}
