// The registered types and collections, compiled once into what a request needs.

import type { Clock } from '../platform/clock.ts';
import type { Def, Entry, Fetcher } from '../cache/entry.ts';
import type { Env } from '../platform/env.ts';
import { isObject, must } from './checks.ts';
import { checkCollectionConfig, checkTypeConfig } from './configChecks.ts';
import { fetcherFor, levelGraph } from '../levels/graph.ts';
import type { Definition } from '../types/definitions.ts';
import { aDefinition, nameOf, type NameOrDefinition } from './definitions.ts';
import type { ItemConfig, LevelConfig, LevelConversionMap, ListConfig } from '../types/configs.ts';

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

/** The options of a level or a collection. */
type Own = { readonly [K in Exclude<keyof LevelConfig, 'fetch'>]?: LevelConfig[K] | undefined };

/** Its own options first, then the type's, then the defaults. */
function makeFetcher(level: string, fetch: Fetcher['fetch'], own: Own, type: Partial<ItemConfig>): Fetcher {
  const retry = own.retry ?? type.retry ?? 0;
  return {
    level,
    fetch,
    bulkFetch: (own.bulkFetch ?? type.bulkFetch ?? null) as Fetcher['bulkFetch'],
    check: own.checkIfExists ?? null,
    schema: own.schema ?? (level === 'default' ? type.schema : null) ?? null,
    stalenessMs: own.stalenessMs ?? type.stalenessMs ?? defaultStalenessMs,
    timeoutMs: own.timeoutMs ?? type.timeoutMs ?? defaultTimeoutMs,
    retry: typeof retry === 'number' ? { attempts: retry } : retry,
  };
}

/** The compiled config. */
type Compiled = Omit<Def, 'kind' | 'name' | 'entries' | 'clock'>;

function compile(
  fetchers: readonly Fetcher[],
  maps: readonly (LevelConversionMap | undefined)[],
  rest: Pick<Compiled, 'getId' | 'of'>,
): Compiled {
  return {
    fetchers: new Map(fetchers.map((fetcher) => [fetcher.level, fetcher])),
    main: fetchers[0] as Fetcher, // The fetcher of the default level.
    graph: levelGraph(
      fetchers.map(({ level }) => level),
      maps,
    ),
    ...rest,
  };
}

const levelsOf = ({ levels }: ItemConfig): Record<string, Partial<LevelConfig>> =>
  (levels ?? {}) as Record<string, Partial<LevelConfig>>; // Checked to have no undefined ones.

/** The conversions of the type and of its levels. */
const conversionsOf = (config: ItemConfig): (LevelConversionMap | undefined)[] =>
  [config, ...Object.values(levelsOf(config))].map(({ levelConversionMap }) => levelConversionMap);

function compileType(config: ItemConfig): Compiled {
  // The default level comes first, wherever the config lists it. It uses the fetch function of the type.
  const levels = new Map([['default', {}], ...Object.entries(levelsOf(config))] as [
    string,
    Partial<LevelConfig>,
  ][]);
  const fetchers = [...levels].map(([level, own]) => {
    const fetch = own.fetch ?? config.fetch;
    return makeFetcher(level, (entry, ctx) => fetch(entry.id, ctx), own, config);
  });
  // Development builds check that it is a function. It receives items of the application's own responses.
  const getId = (config.getId ?? idOf) as Def['getId'];
  return compile(fetchers, conversionsOf(config), { getId, of: null });
}

export function createRegistry(env: Env, clock: Clock): Registry {
  const types = new Map<string, Def>();
  const collections = new Map<string, Def>();
  /** The config that each was registered with last. */
  const configs = new Map<Def, object>();

  function store(kind: Def['kind'], name: string, config: object, compiled: Compiled): void {
    const table = kind === 'item' ? types : collections;
    const def = table.get(name) ?? { kind, name, entries: new Map(), clock, ...compiled };
    table.set(name, Object.assign(def, compiled));
    configs.set(def, config);
  }

  /** Warns only, because one map may serve several types that do not all have all of its levels. */
  function warnOfUnknownLevels(name: string, config: ItemConfig, { fetchers }: Compiled): void {
    for (const level of conversionsOf(config).flatMap((map) => Object.entries(map ?? {}).flat(2)))
      if (!fetchers.has(level)) {
        const what = `level "${level}" in a levelConversionMap of type "${name}"`;
        env.log('warn', missing(what, fetchers, addLevel));
      }
  }

  const defs = (): Def[] => [...types.values(), ...collections.values()];

  function createType(name: string, config: ItemConfig): void {
    if (process.env.NODE_ENV !== 'production') checkTypeConfig(name, config);
    const compiled = compileType(config);
    if (process.env.NODE_ENV !== 'production') warnOfUnknownLevels(name, config, compiled);
    store('item', name, config, compiled);
  }

  function createCollection(name: string, config: ListConfig): void {
    if (process.env.NODE_ENV !== 'production') checkCollectionConfig(name, config);
    const { of, level = 'default', schema, stalenessMs, timeoutMs, retry } = config;
    const type = of === undefined ? null : nameOf(of);
    const options = { schema, stalenessMs, timeoutMs, retry };
    const fetcher = makeFetcher('default', (entry, ctx) => config.fetch(entry.params, ctx), options, {});
    const items = type === null ? null : { type, level, def: () => types.get(type) };
    store('collection', name, config, compile([fetcher], [], { getId: idOf, of: items }));
  }

  function register(definition: Definition): void {
    const { kind, name, config } = must('register: each argument', aDefinition, definition);
    const def = (kind === 'item' ? types : collections).get(name);
    if (def !== undefined && configs.get(def) === config) return;
    // Ids and params are checked where the definition is used. In here they are of any type.
    if (kind === 'item') createType(name, config as ItemConfig);
    else createCollection(name, config as ListConfig);
  }

  function find(what: 'type' | 'collection', table: Map<string, Def>, named: NameOrDefinition): Def {
    const name = nameOf(named);
    const create = what === 'type' ? 'createType' : 'createCollection';
    return (
      table.get(name) ?? unregistered(`${what} "${String(name)}"`, table, `Call register or ${create} first.`)
    );
  }

  return {
    types,
    collections,
    defs,
    entries: () => defs().flatMap(({ entries }) => [...entries.values()]),
    createType,
    createCollection,
    register: (...definitions) => definitions.forEach(register),
    type: (named) => find('type', types, named),
    collection: (named) => find('collection', collections, named),
    level: (def, level) =>
      fetcherFor(def, level) ??
      unregistered(`level "${level}" of type "${def.name}"`, def.fetchers, addLevel),
  };
}
