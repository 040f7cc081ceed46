// The registered types and collections, compiled once into what a request needs.

import type { Clock } from '../platform/clock.ts';
import type { Def, Entry, Fetcher } from '../cache/entry.ts';
import type { Env } from '../platform/env.ts';
import type { Id } from '../protocol/directive.ts';
import { isObject, must } from './checks.ts';
import { checkCollectionConfig, checkTypeConfig } from './configChecks.ts';
import { fetcherFor, levelGraph } from '../levels/graph.ts';
import type { Definition } from '../types/definitions.ts';
import { aDefinition, nameOf, type NameOrDefinition } from './definitions.ts';
import type {
  ItemConfig,
  LevelConfig,
  LevelConversionMap,
  ListConfig,
  Retry,
  RetryOptions,
} from '../types/configs.ts';

declare const process: { env: { NODE_ENV?: string } };

const defaultStalenessMs = 15_000;
const defaultTimeoutMs = 30_000;

export interface Registry {
  readonly types: ReadonlyMap<string, Def>;
  readonly collections: ReadonlyMap<string, Def>;
  /** Types and collections. */
  defs: () => Def[];
  /** The entries of all types and collections. */
  entries: () => Entry[];
  createType: (name: string, config: ItemConfig) => void;
  createCollection: (name: string, config: ListConfig) => void;
  /** Like `createType` and `createCollection`. Skips a definition whose config is registered now. */
  register: (...definitions: readonly Definition[]) => void;
  /** Accepts a name or a definition, as every operation does. Throws an `Error` that lists what is registered. */
  type: (named: NameOrDefinition) => Def;
  collection: (named: NameOrDefinition) => Def;
  /** Throws an `Error` that lists the levels. */
  level: (def: Def, level: string) => Fetcher;
}

/** Also in production: names come from the application's data, so they may be wrong for a single user. */
function missing(what: string, table: ReadonlyMap<string, unknown>, remedy: string): string {
  const names = [...table.keys()].map((name) => `"${name}"`).join(', ') || 'none';
  return `${what} is not registered (registered: ${names}). ${remedy}`;
}

function unregistered(...about: Parameters<typeof missing>): never {
  throw new Error(`[edict] ${missing(...about)}`);
}

const addLevel = 'Add it to "levels" of createType.';

const idOf = (item: unknown): unknown => (isObject(item) ? item['id'] : undefined);

type BulkFetch = NonNullable<Fetcher['bulkFetch']>;

/** The options of a level or a collection. */
type Own = { readonly [K in Exclude<keyof LevelConfig, 'fetch'>]?: LevelConfig[K] | undefined };

const retryOf = (retry: Retry = 0): RetryOptions => (typeof retry === 'number' ? { attempts: retry } : retry);

/** Its own options first, then the type's, then the defaults. */
function makeFetcher(level: string, fetch: Fetcher['fetch'], own: Own, type: Partial<ItemConfig>): Fetcher {
  return {
    level,
    fetch,
    bulkFetch: ((own.bulkFetch ?? type.bulkFetch) as BulkFetch | undefined) ?? null,
    check: own.checkIfExists ?? null,
    schema: own.schema ?? (level === 'default' ? type.schema : undefined) ?? null,
    stalenessMs: own.stalenessMs ?? type.stalenessMs ?? defaultStalenessMs,
    timeoutMs: own.timeoutMs ?? type.timeoutMs ?? defaultTimeoutMs,
    retry: retryOf(own.retry ?? type.retry),
  };
}

type Fields = Omit<Def, 'kind' | 'name' | 'entries' | 'clock'>;

const levelsOf = ({ levels }: ItemConfig): Record<string, Partial<LevelConfig>> =>
  (levels ?? {}) as Record<string, Partial<LevelConfig>>; // Checked to have no undefined ones.

/** The type's own, and those of its levels. */
const conversionsOf = (config: ItemConfig): (LevelConversionMap | undefined)[] =>
  [config, ...Object.values(levelsOf(config))].map(({ levelConversionMap }) => levelConversionMap);

/** The first is that of the default level. */
const tablesOf = (fetchers: readonly Fetcher[]): Pick<Def, 'fetchers' | 'main'> => ({
  fetchers: new Map(fetchers.map((fetcher) => [fetcher.level, fetcher])),
  main: fetchers[0] as Fetcher, // There is always one.
});

function typeFields(config: ItemConfig): Fields {
  // The default level comes first, wherever the config lists it. It uses the fetch function of the type.
  const levels = new Map<string, Partial<LevelConfig>>([
    ['default', {}],
    ...Object.entries(levelsOf(config)),
  ]);
  const fetchers = [...levels].map(([name, own]) => {
    const fetch = own.fetch ?? config.fetch;
    return makeFetcher(name, (entry, ctx) => fetch(entry.id, ctx), own, config);
  });
  return {
    ...tablesOf(fetchers),
    graph: levelGraph([...levels.keys()], conversionsOf(config)),
    // Development builds check that it is a function. It receives items of the application's own responses.
    getId: (config.getId as ((item: unknown) => Id) | undefined) ?? idOf,
    of: null,
  };
}

function collectionFields(config: ListConfig, types: ReadonlyMap<string, Def>): Fields {
  const { schema, stalenessMs, timeoutMs, retry, of, level = 'default' } = config;
  const type = of === undefined ? null : nameOf(of);
  const fetch: Fetcher['fetch'] = (entry, ctx) => config.fetch(entry.params, ctx);
  return {
    ...tablesOf([makeFetcher('default', fetch, { schema, stalenessMs, timeoutMs, retry }, {})]),
    graph: levelGraph(['default'], []),
    getId: idOf,
    of: type === null ? null : { type, level, def: () => types.get(type) },
  };
}

export function createRegistry(env: Env, clock: Clock): Registry {
  const types = new Map<string, Def>();
  const collections = new Map<string, Def>();
  /** The config that each was registered with last. */
  const configs = new Map<Def, object>();
  let lastType: Def | undefined;

  function store(kind: Def['kind'], name: string, config: object, fields: Fields): void {
    const table = kind === 'item' ? types : collections;
    const def = table.get(name) ?? { kind, name, entries: new Map(), clock, ...fields };
    table.set(name, Object.assign(def, fields));
    configs.set(def, config);
  }

  /** Warns only, because one map may serve several types that do not all have all of its levels. */
  function warnOfUnknownLevels(name: string, config: ItemConfig, { fetchers }: Fields): void {
    for (const level of conversionsOf(config).flatMap((map) => Object.entries(map ?? {}).flat(2)))
      if (!fetchers.has(level))
        env.log(
          'warn',
          missing(`level "${level}" in a levelConversionMap of type "${name}"`, fetchers, addLevel),
        );
  }

  const defs = (): Def[] => [...types.values(), ...collections.values()];

  function createType(name: string, config: ItemConfig): void {
    if (process.env.NODE_ENV !== 'production') checkTypeConfig(name, config);
    const fields = typeFields(config);
    if (process.env.NODE_ENV !== 'production') warnOfUnknownLevels(name, config, fields);
    store('item', name, config, fields);
  }

  function createCollection(name: string, config: ListConfig): void {
    if (process.env.NODE_ENV !== 'production') checkCollectionConfig(name, config);
    store('collection', name, config, collectionFields(config, types));
  }

  function register(definition: Definition): void {
    const { kind, name, config } = must('register: each argument', aDefinition, definition);
    const def = (kind === 'item' ? types : collections).get(name);
    if (def !== undefined && configs.get(def) === config) return;
    // Ids and params are checked where the definition is used. In here they are of any type.
    if (kind === 'item') createType(name, config as ItemConfig);
    else createCollection(name, config as ListConfig);
  }

  return {
    types,
    collections,
    defs,
    entries: () => defs().flatMap(({ entries }) => [...entries.values()]),
    createType,
    createCollection,
    register: (...definitions) => definitions.forEach(register),
    type(named) {
      const name = nameOf(named);
      // Rows of a list are of one type, and a type never leaves the table.
      if (lastType?.name !== name)
        lastType =
          types.get(name) ??
          unregistered(`type "${String(name)}"`, types, 'Call register or createType first.');
      return lastType;
    },
    collection(named) {
      const name = nameOf(named);
      return (
        collections.get(name) ??
        unregistered(`collection "${String(name)}"`, collections, 'Call register or createCollection first.')
      );
    },
    level: (def, level) =>
      fetcherFor(def, level) ??
      unregistered(`level "${level}" of type "${def.name}"`, def.fetchers, addLevel),
  };
}
