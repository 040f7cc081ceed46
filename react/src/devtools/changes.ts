// Which entries a commit changed, found by comparing the version of every entry with the one at the last commit.

import type { DataLayer, Target } from '@edict/core';
import { type EntryView, entryView, internalsOf, refOf } from '@edict/core/internal';
import type { ChangeKind, EntryChange } from './record.ts';

/** The maximum number of entries that one commit names, and of entries whose data it keeps. */
const maxNamed = 1000;
const maxKept = 50;

type Entry = ReturnType<NonNullable<ReturnType<typeof internalsOf>>['parts']['registry']['entries']>[number];

interface Seen {
  /** It is another object after each change. Null: never looked at. */
  readonly version: EntryView | null;
  readonly data: unknown;
  readonly isLoading: boolean;
  readonly isStale: boolean;
  readonly error: string | null;
}

const unseen: Seen = { version: null, data: undefined, isLoading: false, isStale: false, error: null };

function look(entry: Entry): Seen {
  const ref = refOf(entry);
  const version = entryView(ref);
  const { data, meta } = ref;
  const { isLoading, isStale, error } = meta;
  return { version, data, isLoading, isStale, error };
}

const targetOf = ({ def, id, params }: Entry): Target =>
  def.kind === 'item'
    ? { kind: 'item', type: def.name, id, level: 'default' }
    : { kind: 'collection', name: def.name, params };

/** The visible part of the change, or null. A new entry has no data yet. */
function kindOf(before: Seen, after: Seen, hasBeenFetched: boolean): ChangeKind | null {
  if (before.data !== after.data && hasBeenFetched) return 'data';
  if (after.error !== null && before.error !== after.error) return 'error';
  if (after.isLoading && !before.isLoading) return 'loading';
  if (after.isStale && !before.isStale && hasBeenFetched) return 'stale';
  return before.isLoading && !after.isLoading ? 'same' : null;
}

export interface Changes {
  /** Stores the current state of the entries. */
  readonly seed: () => void;
  /** The changes since the last call. */
  readonly take: () => EntryChange[];
  /** The watched entries, and the number of all others. */
  readonly watched: () => { readonly targets: Target[]; readonly others: number };
}

export function createChanges(dl: DataLayer): Changes {
  const seen = new WeakMap<Entry, Seen>();
  // A copy of a data layer has no internals, so its commits are unknown.
  const entries = (): Entry[] => internalsOf(dl)?.parts.registry.entries() ?? [];

  return {
    seed() {
      for (const entry of entries()) seen.set(entry, look(entry));
    },
    take() {
      const changes: EntryChange[] = [];
      let kept = 0;
      for (const entry of entries()) {
        const before = seen.get(entry) ?? unseen;
        if (before.version === entryView(refOf(entry))) continue;
        const after = look(entry);
        seen.set(entry, after);
        const kind = kindOf(
          before,
          after,
          entry.slots.some(({ fetchedAt }) => fetchedAt !== null),
        );
        if (kind === null || changes.length >= maxNamed) continue;
        const { def, id } = entry;
        const named = { key: `${def.kind} ${def.name} ${id}`, target: targetOf(entry), kind };
        const data = { before: before.data, after: after.data };
        changes.push(kind === 'data' && kept++ < maxKept ? { ...named, data } : named);
      }
      return changes;
    },
    watched() {
      const all = entries();
      const targets = all.filter(({ watchers }) => watchers !== null).map(targetOf);
      return { targets, others: all.length - targets.length };
    },
  };
}
