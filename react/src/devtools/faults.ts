// Simulated faults: the registered fetch functions of an entry respond late or fail, so that loading and error states can be seen.

import type { DataLayer, Id } from '@edict/core';
import { internalsOf } from '@edict/core/internal';
import type { Store } from '../binding/useStore.ts';

export type Fault = 'slow' | 'failing';

/** The delay before a simulated slow request is sent. */
export const slowMs = 3000;

type Registry = NonNullable<ReturnType<typeof internalsOf>>['parts']['registry'];
type Def = ReturnType<Registry['defs']>[number];
type Fetchers = Def['fetchers'];
type Fetcher = Fetchers extends ReadonlyMap<string, infer F> ? F : never;

/** The faults, by the key of an entry, as in a line of the cache. */
type FaultTable = ReadonlyMap<string, Fault>;

export interface Faults extends Store<FaultTable> {
  /** Sets the fault of an entry, or ends it with null. */
  readonly set: (key: string, fault: Fault | null) => void;
  /** Ends all faults. */
  readonly clear: () => void;
}

const none: FaultTable = new Map();

export function createFaults(dl: DataLayer): Faults {
  let table = none;
  const listeners = new Set<() => void>();
  /** The application's own fetch functions while they are replaced. */
  const originals = new Map<Def, Fetchers>();
  /** The replacement functions. A different function means that the definition was registered again. */
  const replacements = new WeakSet<Fetchers>();
  let ends: (() => void) | null = null;

  const parts = internalsOf(dl)?.parts;

  const wait = (signal: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      const timer = parts?.env.setTimeout(resolve, slowMs);
      signal.addEventListener('abort', () => {
        parts?.env.clearTimeout(timer);
        reject(signal.reason as Error); // The core aborts with an error.
      });
    });

  async function suffer(faults: readonly (Fault | undefined)[], signal: AbortSignal): Promise<void> {
    if (faults.includes('slow')) await wait(signal);
    if (faults.includes('failing')) throw new Error('This failure is simulated by the devtools');
  }

  function wrap(def: Def, fetcher: Fetcher): Fetcher {
    const faultOf = (id: Id): Fault | undefined => table.get(`${def.kind} ${def.name} ${id}`);
    const { bulkFetch } = fetcher;
    return {
      ...fetcher,
      fetch: async (entry, ctx) => {
        await suffer([faultOf(entry.id)], ctx.signal);
        return await fetcher.fetch(entry, ctx);
      },
      // Ids that a batch leaves out are fetched individually, so a fault affects only its own entry.
      bulkFetch:
        bulkFetch === null
          ? null
          : async (ids, level, ctx) => {
              const healthy = ids.filter((id) => faultOf(id) === undefined);
              if (healthy.length > 0) return await bulkFetch(healthy, level, ctx);
              await suffer(ids.map(faultOf), ctx.signal);
              return await bulkFetch(ids, level, ctx);
            },
    };
  }

  /** Replaces the fetch functions of all definitions with a fault, including those that were registered again. */
  function apply(): void {
    for (const def of parts?.registry.defs() ?? []) {
      const hasFault = [...table.keys()].some((key) => key.startsWith(`${def.kind} ${def.name} `));
      const isReplaced = replacements.has(def.fetchers);
      if (hasFault === isReplaced) continue;
      if (hasFault) originals.set(def, def.fetchers);
      const original = originals.get(def) ?? def.fetchers;
      const next = hasFault
        ? new Map([...original].map(([level, fetcher]) => [level, wrap(def, fetcher)]))
        : original;
      if (hasFault) replacements.add(next);
      def.fetchers = next;
    }
  }

  function change(next: FaultTable): void {
    table = next;
    apply();
    if (table.size === 0) {
      ends?.();
      ends = null;
      originals.clear();
    } else {
      ends ??= dl.onChange(apply);
    }
    for (const listener of listeners) listener();
  }

  return {
    set(key, fault) {
      const next = new Map(table);
      if (fault === null) next.delete(key);
      else next.set(key, fault);
      change(next);
    },
    clear: () => change(none),
    subscribe(callback) {
      listeners.add(callback);
      return () => void listeners.delete(callback);
    },
    getSnapshot: () => table,
    getServerSnapshot: () => none,
  };
}
