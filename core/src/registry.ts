// The registered types and collections, compiled once into what a request needs.

import type { Clock } from './clock.ts';
import type { Def, Entry, Fetcher } from './entries.ts';
import type { Id } from './protocol/directive.ts';
import { checkCollectionConfig, checkTypeConfig } from './rules/options.ts';
import { levelGraph } from './rules/levels.ts';
import type { CollectionConfig, FetchContext, LevelConfig, TypeConfig } from './types.ts';

const defaultStalenessMs = 15_000;
const defaultTimeoutMs = 30_000;

export interface Registry {
  readonly types: ReadonlyMap<string, Def>;
  readonly collections: ReadonlyMap<string, Def>;
  /** Of both kinds. */
  defs: () => Def[];
  /** Of all of them. */
  entries: () => Entry[];
  createType: (name: string, config: TypeConfig) => void;
  createCollection: (name: string, config: CollectionConfig) => void;
  /** Throws an `Error` that lists what is registered. */
  type: (name: string) => Def;
  collection: (name: string) => Def;
  /** Throws an `Error` that lists the levels. */
  level: (def: Def, level: string) => Fetcher;
}

const list = (names: Iterable<string>): string => [...names].map((name) => `"${name}"`).join(', ') || 'none';

const idOf = (item: unknown): unknown =>
  typeof item === 'object' && item !== null ? (item as { id?: unknown }).id : undefined;

type BulkFetch = NonNullable<Fetcher['bulkFetch']>;

/** Its own options first, then the type's, then the defaults. */
function levelFetcher(
  level: string,
  own: Partial<LevelConfig>,
  type: TypeConfig,
  fetch: LevelConfig['fetch'],
): Fetcher {
  const bulkFetch = own.bulkFetch ?? type.bulkFetch;
  return {
    level,
    fetch: (entry, ctx) => fetch(entry.id, ctx),
    bulkFetch: bulkFetch === undefined ? null : (bulkFetch as BulkFetch),
    check: own.checkIfExists ?? null,
    schema: own.schema ?? (level === 'default' ? type.schema : undefined) ?? null,
    stalenessMs: own.stalenessMs ?? type.stalenessMs ?? defaultStalenessMs,
    timeoutMs: own.timeoutMs ?? type.timeoutMs ?? defaultTimeoutMs,
  };
}

function typeFields(config: TypeConfig): Omit<Def, 'kind' | 'name' | 'entries' | 'clock'> {
  const levels = new Map(Object.entries((config.levels ?? {}) as Record<string, Partial<LevelConfig>>));
  if (!levels.has('default')) levels.set('default', {});
  // The default level comes first wherever it stands: it is the type's own fetch.
  const names = ['default', ...[...levels.keys()].filter((name) => name !== 'default')];
  const fetchers = new Map<string, Fetcher>();
  for (const name of names) {
    const own = levels.get(name) ?? {};
    fetchers.set(name, levelFetcher(name, own, config, own.fetch ?? config.fetch));
  }
  const maps = [config.levelConversionMap, ...[...levels.values()].map((own) => own.levelConversionMap)];
  return {
    fetchers,
    graph: levelGraph(
      names,
      maps.filter((map) => map !== undefined),
    ),
    // Checked to be a function; what it is given is an item of the application's own answer.
    getId: (config.getId as ((item: unknown) => Id) | undefined) ?? idOf,
  };
}

function collectionFields(config: CollectionConfig): Omit<Def, 'kind' | 'name' | 'entries' | 'clock'> {
  const fetcher: Fetcher = {
    level: 'default',
    fetch: (entry: Entry, ctx: FetchContext) => config.fetch(entry.params, ctx),
    bulkFetch: null,
    check: null,
    schema: config.schema ?? null,
    stalenessMs: config.stalenessMs ?? defaultStalenessMs,
    timeoutMs: config.timeoutMs ?? defaultTimeoutMs,
  };
  return {
    fetchers: new Map([['default', fetcher]]),
    graph: levelGraph(['default'], []),
    getId: idOf,
  };
}

export function createRegistry(clock: Clock): Registry {
  const types = new Map<string, Def>();
  const collections = new Map<string, Def>();

  function register(
    table: Map<string, Def>,
    kind: Def['kind'],
    name: string,
    fields: ReturnType<typeof typeFields>,
  ): void {
    const def = table.get(name);
    if (def === undefined) table.set(name, { kind, name, entries: new Map(), clock, ...fields });
    else Object.assign(def, fields);
  }

  function find(table: Map<string, Def>, what: string, name: string): Def {
    const def = table.get(name);
    if (def !== undefined) return def;
    throw new Error(
      `${what} "${String(name)}" is not registered (registered: ${list(table.keys())}); call create${what === 'type' ? 'Type' : 'Collection'} before it is read`,
    );
  }

  const defs = (): Def[] => [...types.values(), ...collections.values()];

  return {
    types,
    collections,
    defs,
    entries: () => defs().flatMap(({ entries }) => [...entries.values()]),
    createType(name, config) {
      checkTypeConfig(name, config);
      register(types, 'item', name, typeFields(config));
    },
    createCollection(name, config) {
      checkCollectionConfig(name, config);
      register(collections, 'collection', name, collectionFields(config));
    },
    type: (name) => find(types, 'type', name),
    collection: (name) => find(collections, 'collection', name),
    level(def, level) {
      const fetcher = def.fetchers.get(level);
      if (fetcher !== undefined) return fetcher;
      throw new Error(
        `level "${level}" of type "${def.name}" is not registered (registered: ${list(def.fetchers.keys())}); add it to "levels" of createType`,
      );
    },
  };
}
